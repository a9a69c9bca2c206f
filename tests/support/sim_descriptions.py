"""Descriptions for the simulated robot."""

from kinegraph.robot import description_text
from kinegraph.scene import Joint, JointType, parseURDFString, writeURDFString


def arm_with_a_gripper() -> str:
    """URDF of the FR3 with the gripper of the package on its flange."""
    arm = parseURDFString(description_text("fr3"))
    mount = Joint("mount")
    mount.type = JointType.FIXED
    mount.parent_link_name, mount.child_link_name = "fr3_link8", "gripper/palm"
    arm.insertSceneGraph(parseURDFString(description_text("gripper")), mount, "gripper/")
    return writeURDFString(arm)
