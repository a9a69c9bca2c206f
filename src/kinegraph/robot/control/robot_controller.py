"""The robot's own controller in the place of the torque law."""

from dataclasses import dataclass

import numpy as np

from kinegraph.robot.control.checks import refuse
from kinegraph.robot.control.option_parts import MotionLimits
from kinegraph.robot.modes import ControllerMode
from kinegraph.scene.array_types import Array

__all__ = ["JOINT_LIMIT_INSET", "RobotController", "backstop_limits", "check_controller_mode"]

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
    known = (ControllerMode.JointImpedance, ControllerMode.CartesianImpedance)
    if not isinstance(mode, ControllerMode) or mode not in known:
        raise refuse(
            "controller_mode",
            mode,
            "is not ControllerMode.JointImpedance or ControllerMode.CartesianImpedance",
        )


def backstop_limits(limits: MotionLimits) -> Array:
    """Return the velocity, acceleration and jerk that libfranka's limiter is to keep for a budget.

    On the way to its velocity that limiter lets the acceleration be (j / a) times the velocity
    that is left, at most; a generator with bounded jerk takes sqrt(2 j times what is left). With a
    limit that is larger by a^2 / 2j the first is never less than the second, and a motion that
    keeps the budget is not altered.
    """
    v, a, j = limits.max_velocity, limits.max_acceleration, limits.max_jerk
    return np.array([v + a * a / (2.0 * j), a, j])
