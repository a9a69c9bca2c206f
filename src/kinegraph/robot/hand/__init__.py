"""The Franka Hand: a client for it and a simulated one."""

from kinegraph.robot.hand.action import HandAction
from kinegraph.robot.hand.gripper import Gripper
from kinegraph.robot.hand.simulated import SimulatedHand
from kinegraph.robot.hand.state import GripperState

__all__ = ["Gripper", "GripperState", "HandAction", "SimulatedHand"]
