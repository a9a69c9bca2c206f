"""The scene of the demo: the robot's own arm, a gripper, a table with two parts."""

from kinegraph.robot.robot import Robot
from kinegraph.robot.scene_robot import SceneRobot
from kinegraph.robot.sim.descriptions import description_text
from kinegraph.scene.geometry import Box
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.link import Collision, Inertial, Link, Visual
from kinegraph.scene.pose import Isometry3d
from kinegraph.scene.urdf import parseURDFString

__all__ = ["PART", "TIP", "build_scene"]

PREFIX = "gripper/"
TIP = PREFIX + "tip"
PART = "part_1"
PART_KG = 0.02
PART_M = 0.03


def build_scene(robot: Robot) -> SceneRobot:
    """Make the scene of a robot: its description, the gripper on its flange, a table, two parts."""
    scene = SceneRobot(robot)
    gripper = parseURDFString(description_text("gripper"))
    mount = fixed("gripper_mount", scene.arm.flange_link, PREFIX + gripper.getRoot())
    if not scene.insertSceneGraph(gripper, mount, PREFIX):
        raise ValueError("the gripper does not fit into the scene")
    scene.set_tip_link(TIP)
    base = scene.arm.base_link
    scene.addLink(
        box("table", (0.6, 0.8, 0.04)), fixed("table_place", base, "table", (0.5, 0, -0.02))
    )
    tip = scene.relative_pose("table", TIP).translation
    for name, y in ((PART, tip[1]), ("part_2", tip[1] + 0.15)):
        place = fixed(f"{name}_place", "table", name, (tip[0] + 0.05, y, 0.02 + PART_M / 2))
        scene.addLink(box(name, (PART_M, PART_M, PART_M), PART_KG), place)
    return scene


def fixed(
    name: str, parent: str, child: str, xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Joint:
    """Make a fixed joint."""
    joint = Joint(name)
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = parent, child
    joint.parent_to_joint_origin_transform = Isometry3d.from_rpy(xyz, (0.0, 0.0, 0.0))
    return joint


def box(name: str, size: tuple[float, float, float], mass: float = 0.0) -> Link:
    """Make a homogeneous box."""
    link = Link(name)
    shape = Box(*size)
    visual, collision = Visual(), Collision()
    visual.geometry = collision.geometry = shape
    link.addVisual(visual)
    link.addCollision(collision)
    if mass > 0.0:
        x, y, z = (side * side for side in size)
        inertial = Inertial()
        inertial.mass = mass
        inertial.ixx, inertial.iyy, inertial.izz = (
            mass * (y + z) / 12.0,
            mass * (x + z) / 12.0,
            mass * (x + y) / 12.0,
        )
        link.inertial = inertial
    return link
