"""Arms that are no Franka: a UR5 with six joints, an iiwa with seven, on a turning rail nine."""

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kinegraph.robot.torque_arm import ArmDescription, describe_arm
from kinegraph.scene import Joint, JointType, SceneGraph, parseURDFFile, parseURDFString

Array = npt.NDArray[np.float64]

ROBOTS = Path(__file__).parents[1] / "golden" / "dynamics"
# Maximum torques of KUKA's data sheet of the LBR iiwa 14 R820; the description has none.
IIWA_TORQUES = (320.0, 320.0, 176.0, 176.0, 110.0, 40.0, 40.0)
# Nor has it masses: about those of the arm, kg, and how far up a link each is, m.
IIWA_MASSES = (5.76, 6.35, 3.5, 3.5, 3.5, 1.8, 1.2)
IIWA_CENTRES = (0.2, 0.06, 0.13, 0.03, 0.08, 0.0, 0.02)
START = {
    "ur5": (0.0, -1.2, 1.5, -1.9, -1.57, 0.0),
    "iiwa": (0.0, 0.6, 0.0, -1.2, 0.0, 1.0, 0.0),
    "rail": (0.1, 0.2, 0.0, 0.6, 0.0, -1.2, 0.0, 1.0, 0.0),
}
ARMS = tuple(START)
INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
RAIL = f"""<robot name="rail">
  <link name="floor"/>
  <link name="carriage"><inertial><mass value="20"/>{INERTIA}</inertial></link>
  <link name="plate"><inertial><mass value="10"/>{INERTIA}</inertial></link>
  <joint name="slide" type="prismatic">
    <parent link="floor"/><child link="carriage"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="500" velocity="1"/>
  </joint>
  <joint name="turn" type="continuous">
    <parent link="carriage"/><child link="plate"/><axis xyz="0 0 1"/>
    <limit effort="300" velocity="1.5"/>
  </joint>
</robot>"""


def iiwa_graph() -> SceneGraph:
    """An iiwa with masses."""
    text = (ROBOTS / "iiwa14.urdf").read_text(encoding="utf-8")
    for i, (mass, centre) in enumerate(zip(IIWA_MASSES, IIWA_CENTRES, strict=True), start=1):
        turning = 0.004 * mass
        inertial = (
            f'<link name="link_{i}"><inertial><origin xyz="0 0 {centre}"/><mass value="{mass}"/>'
            f'<inertia ixx="{turning}" iyy="{turning}" izz="{turning}" ixy="0" ixz="0" iyz="0"/>'
            "</inertial>"
        )
        text = text.replace(f'<link name="link_{i}">', inertial)
    return parseURDFString(text)


def rail_graph() -> SceneGraph:
    """An iiwa on a plate that turns on a carriage that slides."""
    graph, arm = parseURDFString(RAIL), iiwa_graph()
    mount = Joint("mount")
    mount.type = JointType.FIXED
    mount.parent_link_name, mount.child_link_name = "plate", f"iiwa/{arm.getRoot()}"
    assert graph.insertSceneGraph(arm, mount, "iiwa/")
    return graph


@cache
def described(arm: str) -> ArmDescription:
    """The description of an arm, made once."""
    if arm == "ur5":
        return describe_arm(parseURDFFile(str(ROBOTS / "ur5.urdf")), "tool0")
    if arm == "iiwa":
        return describe_arm(iiwa_graph(), "tool0", rated_torque=IIWA_TORQUES)
    return describe_arm(rail_graph(), "iiwa/tool0", rated_torque=(500.0, 300.0, *IIWA_TORQUES))


def start_of(arm: str) -> Array:
    """Where an arm begins."""
    return np.array(START[arm])
