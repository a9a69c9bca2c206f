"""Two descriptions in one scene: a gripper on an arm, and a part that changes hands."""

import numpy as np

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.robot import description_text
from kinegraph.scene import Isometry3d, Joint, JointType, Link, parseURDFString


def fixed(name: str, parent: str, child: str, origin: Isometry3d) -> Joint:
    """Return a fixed joint from `parent` to `child`."""
    joint = Joint(name)
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = parent, child
    joint.parent_to_joint_origin_transform = origin
    return joint


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    arm = parseURDFString(description_text("fr3"))
    gripper = parseURDFString(description_text("gripper"))

    # All names of the inserted graph get the prefix; the joint names its prefixed root.
    mount = fixed("mount", "fr3_link8", "gripper/palm", Isometry3d.Identity())
    inserted = arm.insertSceneGraph(gripper, mount, "gripper/")
    print("inserted:", inserted, "- links in the scene:", len(arm.getLinks()))

    solver = OFKTStateSolver(arm)
    print("joints with a value:", ", ".join(solver.getActiveJointNames()))

    # gripper/right_slide mimics gripper/left_slide: it follows and has no value of its own.
    solver.setState({"fr3_joint4": -1.5, "fr3_joint6": 1.5, "gripper/left_slide": 0.02})
    state = solver.getState()
    print("right finger:", state.joints["gripper/right_slide"], "m")

    # A part on the ground. Edits return False, and change nothing, when a name does not fit.
    place = Isometry3d.from_rpy((0.4, 0.0, 0.02), (0.0, 0.0, 0.0))
    root = solver.getBaseLinkName()
    print("added:", solver.addLink(Link("part"), fixed("part_place", root, "part", place)))
    before = solver.getLinkTransform("part")

    # Held by the tool from now on: a fixed joint with the pose that it has there now.
    held = solver.getRelativeLinkTransform("gripper/tip", "part")
    solver.moveLink(fixed("part_held", "gripper/tip", "part", held))
    print("part did not jump:", solver.getLinkTransform("part").isApprox(before, 1e-12))

    solver.setState({"fr3_joint1": 0.5})
    print("part moved with the tool from", before.translation, "m")
    print("                           to", solver.getLinkTransform("part").translation, "m")


if __name__ == "__main__":
    main()
