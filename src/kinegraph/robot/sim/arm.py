"""The arm that is simulated: its description, model constants, limits and drives."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.sim.body_layout import CAPSULES
from kinegraph.robot.sim.codes_layout import NO_DECELERATION_LIMIT
from kinegraph.robot.sim.descriptions import description_text
from kinegraph.robot.sim.int_layout import INT_OFFSETS
from kinegraph.robot.sim.memory import JOINTS, SimMemory, allocate
from kinegraph.robot.sim.served_urdf import body_below, served_text
from kinegraph.robot.sim.tool import SimulatedTool
from kinegraph.scene.array_types import Array

if TYPE_CHECKING:
    from kinegraph.scene.graph import SceneGraph

__all__ = ["READY", "SimulatedArm"]

READY = (0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4)
"""Joint positions that the arm starts from, rad."""

# What a URDF does not say (fci-protocol 12.1, cartesian-control 1.3): joint accelerations and
# jerks; velocity, acceleration, jerk of the end effector and of the elbow. Nominal values.
_ACCELERATION = {10: (10.0,) * 7, 5: (15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0)}
_JERK = {10: (5000.0,) * 7, 5: (7500.0, 3750.0, 5000.0, 6250.0, 7500.0, 10000.0, 10000.0)}
_LINEAR = {10: (3.0, 9.0, 4500.0), 5: (2.0, 13.0, 6500.0)}
_ANGULAR = {10: (2.5, 17.0, 8500.0), 5: (2.5, 25.0, 12500.0)}
_ELBOW = {10: (1.5, 10.0, 5000.0), 5: (2.175, 10.0, 5000.0)}
_DESCRIPTIONS = {10: "fr3", 5: "fer"}

# Inertia of the drives at the joints, kg m^2 (cartesian-control 12.8).
_ARMATURE = (0.6057, 0.6057, 0.4625, 0.4625, 0.2055, 0.2055, 0.2055)
# Coulomb friction, Nm: half the step of the sigmoids identified by Gaz et al., Dynamic
# Identification of the Franka Emika Panda Robot, RA-L 2019, table of friction parameters.
_COULOMB = (0.273, 0.436, 0.320, 0.640, 0.420, 0.152, 0.282)
# Viscous friction, Nm s/rad: of the size that the same data show beyond the sigmoid's knee.
_VISCOUS = (0.04, 0.04, 0.03, 0.03, 0.02, 0.02, 0.02)
# Joint impedance after start-up, Nm/rad, Cartesian impedance, N/m and Nm/rad.
_STIFFNESS = (3000.0, 3000.0, 3000.0, 2500.0, 2500.0, 2000.0, 2000.0)
_CARTESIAN_STIFFNESS = (3000.0, 3000.0, 3000.0, 300.0, 300.0, 300.0)
# Mechanical power of all joints that stops the robot, W. Not published.
_POWER = 600.0
# Contact thresholds after start-up: lower and upper torques, Nm, and forces, N and Nm.
_TORQUE_THRESHOLDS = (20.0, 20.0, 18.0, 18.0, 16.0, 14.0, 12.0)
_FORCE_THRESHOLDS = (20.0, 20.0, 20.0, 25.0, 25.0, 25.0)


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedArm:
    """A description and what of it the simulation needs.

    Attributes:
        version: FCI version whose limits hold, 10 or 5.
        urdf: The text that GetRobotModel hands out.
        graph: The scene graph of it.
        flange: Name of the flange link.
        joint_names: The seven joints.
        below: What the description has below the flange, None for nothing.
    """

    version: int
    urdf: str
    graph: "SceneGraph"
    flange: str
    joint_names: tuple[str, ...]
    below: SimulatedTool | None = None

    @staticmethod
    def of(version: int, urdf: str | None = None) -> "SimulatedArm":
        """Arm of a version; `urdf` in place of the package's description.

        Raises:
            URDFError: The text is no URDF.
            InvalidArgumentError: It lacks one of the joints `*joint1` to `*joint7` with limits, or
                a link `*link8`.
        """
        from kinegraph.scene.urdf import parseURDFString

        text = description_text(_DESCRIPTIONS[version]) if urdf is None else urdf
        graph = parseURDFString(text)
        names = tuple(_joint_name(graph, i + 1) for i in range(JOINTS))
        flange = _flange_name(graph)
        below = body_below(graph, flange)
        return SimulatedArm(version, served_text(text, graph, flange), graph, flange, names, below)

    def build(self, trace_rows: int) -> SimMemory:
        """Allocate a robot's memory with this arm's model and limits, everything else zero."""
        from kinegraph.kinematics.chain import plan_chain
        from kinegraph.kinematics.dynamics_layout import dynamics_workspace
        from kinegraph.kinematics.dynamics_plan import plan_dynamics

        chain = plan_chain(self.graph, self.flange, self.joint_names)
        dynamics = plan_dynamics(self.graph, self.joint_names, self.flange)
        size = dynamics_workspace(dynamics.body_count)
        memory = allocate(np.array(dynamics.data), np.array(chain.data), size, trace_rows)
        for name, values in self._constants().items():
            memory.put(name, values)
        memory.put("steps", _steps(self.graph, self.flange, self.joint_names))
        memory.put("capsules", np.array(CAPSULES).ravel())
        memory.n[INT_OFFSETS["version"]] = self.version
        return memory

    def _constants(self) -> dict[str, Any]:
        joints: list[Any] = [self.graph.getJoint(name) for name in self.joint_names]
        limits = [joint.limits for joint in joints]
        bends = [joint.position_based_velocity_limits for joint in joints]
        identity = np.eye(4).ravel()
        return {
            "lower": [limit.lower for limit in limits],
            "upper": [limit.upper for limit in limits],
            "speed": [limit.velocity for limit in limits],
            "torque": [limit.effort for limit in limits],
            "power": (_POWER,),
            "speed_offset": [bend.velocity_offset if bend else 0.0 for bend in bends],
            "deceleration": [
                bend.deceleration_limit if bend else NO_DECELERATION_LIMIT for bend in bends
            ],
            "acceleration": _ACCELERATION[self.version],
            "jerk": _JERK[self.version],
            "linear_limits": _LINEAR[self.version],
            "angular_limits": _ANGULAR[self.version],
            "elbow_limits": _ELBOW[self.version],
            "gravity": (0.0, 0.0, -9.81),
            "stiffness": _STIFFNESS,
            "cartesian_stiffness": _CARTESIAN_STIFFNESS,
            "thresholds": (*_TORQUE_THRESHOLDS * 4, *_FORCE_THRESHOLDS * 4),
            "filters": (1000.0,) * 5,
            **dict.fromkeys(("F_T_NE", "NE_T_EE", "F_T_EE", "EE_T_K"), identity),
        }


def drive_constants(armature: bool, friction: bool) -> dict[str, Array]:
    """Inertia and friction of the drives, zeros for what is left out."""
    return {
        "armature": np.array(_ARMATURE) * armature,
        "coulomb": np.array(_COULOMB) * friction,
        "viscous": np.array(_VISCOUS) * friction,
    }


def _steps(graph: "SceneGraph", flange: str, joint_names: tuple[str, ...]) -> Array:
    """(84,) rows of the transforms (3, 4) from each moving link to the next at zero angle.

    The frame of a moving link has the joint's axis for its z axis.
    """
    above = {joint.child_link_name: joint for joint in graph.getJoints()}
    path, link = [], flange
    while link in above:
        path.append(above[link])
        link = above[link].parent_link_name
    steps, step = [], np.eye(4)
    for joint in reversed(path):
        step = step @ np.asarray(joint.parent_to_joint_origin_transform.matrix)
        if joint.getName() in joint_names:
            turn = np.eye(4)
            turn[:3, :3] = _to_axis(np.asarray(joint.axis))
            steps.append((step @ turn)[:3].ravel())
            step = turn.T
    return np.concatenate(steps)


def _to_axis(axis: Array) -> Array:
    """Rotation that takes z to `axis`, about the line between both."""
    unit = axis / np.linalg.norm(axis)
    if unit[2] < -1.0 + 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    x, y, z = unit
    s = 1.0 / (1.0 + z)
    return np.array([[1 - s * x * x, -s * x * y, x], [-s * x * y, 1 - s * y * y, y], [-x, -y, z]])


def _joint_name(graph: "SceneGraph", number: int) -> str:
    for joint in graph.getJoints():
        name = joint.getName()
        if name.endswith(f"joint{number}") and joint.limits is not None:
            return str(name)
    raise InvalidArgumentError(f"urdf: no joint '*joint{number}' with limits", joint=number)


def _flange_name(graph: "SceneGraph") -> str:
    for link in graph.getLinks():
        name = link.getName()
        if name.endswith("link8"):
            return str(name)
    raise InvalidArgumentError("urdf: no flange link '*link8'", link="link8")
