"""Arms that are no Franka: what the target controllers need of them, and a simulated one."""

from kinegraph.robot.torque_arm.control import ArmControl
from kinegraph.robot.torque_arm.description import ArmDescription, describe_arm
from kinegraph.robot.torque_arm.laws import cartesian_law, joint_law
from kinegraph.robot.torque_arm.limits import table_from_graph
from kinegraph.robot.torque_arm.protocol import ArmState, TorqueArm
from kinegraph.robot.torque_arm.simulated import SimulatedArm

__all__ = [
    "ArmControl",
    "ArmDescription",
    "ArmState",
    "SimulatedArm",
    "TorqueArm",
    "cartesian_law",
    "describe_arm",
    "joint_law",
    "table_from_graph",
]
