"""The robot's own controller in the place of the torque law."""

from dataclasses import dataclass

from kinegraph.robot.control.checks import refuse
from kinegraph.robot.modes import ControllerMode

__all__ = ["JOINT_LIMIT_INSET", "RobotController", "check_controller_mode"]

JOINT_LIMIT_INSET = 0.02
"""Nearest that a given posture or a joint target may be to a position limit, rad."""


@dataclass(frozen=True, slots=True)
class RobotController:
    """Backend that sends the generator's motion to the robot, whose own controller follows it.

    There is no torque law, no inverse kinematics and no leash: the generator goes on from what the
    robot commanded last. A limiter behind it, the backstop, keeps the budgets whatever comes;
    in normal running it alters nothing.
    """

    @property
    def joint_limit_inset(self) -> float:
        """Nearest that a joint target may be to a position limit, rad."""
        return JOINT_LIMIT_INSET


def check_controller_mode(mode: ControllerMode) -> None:
    """Raise InvalidArgumentError unless the mode is one of the robot's own controllers."""
    if mode not in (ControllerMode.JointImpedance, ControllerMode.CartesianImpedance):
        raise refuse(
            "controller_mode",
            mode,
            "is not ControllerMode.JointImpedance or ControllerMode.CartesianImpedance",
        )
