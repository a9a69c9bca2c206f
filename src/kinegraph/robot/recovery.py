"""Motions that are tried again after a reflex, a limited number of times."""

import logging
from collections.abc import Callable
from typing import TypeVar

from kinegraph.robot.argument_checks import check_whole
from kinegraph.robot.errors import ControlError, InvalidArgumentError
from kinegraph.robot.robot import Robot

__all__ = ["run_with_recovery"]

T = TypeVar("T")

_LOG = logging.getLogger("kinegraph.robot")
_RECOVERIES_MAX = 1000
_REFLEX = "ReflexAborted"


def run_with_recovery(robot: Robot, motion: Callable[[], T], recoveries: int = 1) -> T:
    """Run a motion; after a reflex recover the robot and run it again, at most so many times.

    Only a reflex is recovered from: a user stop, a preempted motion, a lost connection and the
    program's own errors end it at once. The motion is called anew each time and has to start from
    the state that it finds then (`q_d`, `O_T_EE_c`), not from where it was before: the arm has
    moved. What made the robot stop is logged each time.

    Args:
        robot: Whose errors are cleared.
        motion: Runs the whole motion, for instance `lambda: robot.control_torques(Hold())`.
        recoveries: How often the robot is recovered at most; 0 for never.

    Returns:
        What the motion returns.

    Raises:
        ControlError: The motion ended by a reflex after the last recovery allowed, or otherwise
            than by a reflex.
        CommandError: The robot refuses to recover; its cause is the `ControlError` before.
        FrankaError: What else the motion raises.
        InvalidArgumentError: `recoveries` is no whole number from 0 to 1000, or the motion cannot
            be called. Also a `ValueError`.
    """
    check_whole("recoveries", recoveries, 0, _RECOVERIES_MAX)
    if not callable(motion):
        raise InvalidArgumentError(f"motion: {motion!r} cannot be called")
    for tried in range(1, recoveries + 1):
        try:
            return motion()
        except ControlError as error:
            if error.facts.get("status") != _REFLEX:
                raise
            _LOG.warning("recovery %d of %d after: %s", tried, recoveries, error)
            try:
                robot.automatic_error_recovery()
            except Exception as refused:
                raise refused from error
    return motion()
