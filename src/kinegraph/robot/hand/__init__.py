"""The Franka Hand: a client for it and a simulated one; a client for the vacuum gripper."""

from kinegraph.robot.hand.action import HandAction
from kinegraph.robot.hand.gripper import Gripper
from kinegraph.robot.hand.simulated import SimulatedHand
from kinegraph.robot.hand.state import GripperState
from kinegraph.robot.hand.vacuum import (
    VacuumDeviceStatus,
    VacuumGripper,
    VacuumGripperState,
    VacuumProfile,
)

__all__ = [
    "Gripper",
    "GripperState",
    "HandAction",
    "SimulatedHand",
    "VacuumDeviceStatus",
    "VacuumGripper",
    "VacuumGripperState",
    "VacuumProfile",
]
