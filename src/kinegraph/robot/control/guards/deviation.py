"""The guard of the distance from a session's start, as far as its handle tells of it.

The loop keeps it: see `has_strayed` and `joints_strayed`.
"""

import logging
from abc import ABC, abstractmethod

import numpy as np

from kinegraph.robot.control.memory_layout import M_joint_start, M_q, M_robot_pose, M_start
from kinegraph.robot.control.options_layout import (
    O_max_angular_deviation,
    O_max_deviation,
    O_n,
)
from kinegraph.robot.errors import ControlError
from kinegraph.scene.array_types import Array

__all__ = ["Deviation", "JointDeviation", "PoseDeviation"]

_LOG = logging.getLogger("kinegraph.robot")


class Deviation(ABC):
    """What a session may be away from its start, and what is told of it.

    Args:
        options: (OPTION_SIZE,) the session's, see `options_layout`.

    Attributes:
        start: Where the controlled link or the joints started, as a target; None: not known.
    """

    def __init__(self, options: Array) -> None:
        self.start: Array | None = None
        self._options = options

    def expect(self, targets: Array) -> None:
        """Log, once in a session, that a target is where the session ends.

        Args:
            targets: One, or one in each row.
        """
        start = self.start
        if start is None:
            return
        beyond = self._beyond(start, np.atleast_2d(targets)[:, : len(start)])
        if beyond:
            self.start = None
            _LOG.warning("%s; the session ends on the way: %s", beyond, self._allowed())

    @abstractmethod
    def strayed(self, memory: Array) -> ControlError:
        """Return the error of a session that the guard has ended, by its memory."""

    @abstractmethod
    def _beyond(self, start: Array, targets: Array) -> str:
        """Return which target is further away than allowed, in words; empty if none is."""

    @abstractmethod
    def _allowed(self) -> str:
        """Return what is allowed, and where it was given."""


class PoseDeviation(Deviation):
    """The guard of a Cartesian session."""

    def strayed(self, memory: Array) -> ControlError:
        """Return the error with the measured pose's distance and angle from the start."""
        here, there = (memory[at : at + 12] for at in (M_robot_pose, M_start))
        distance = float(np.linalg.norm(here[:3] - there[:3]))
        cosine = 0.5 * (float(here[3:] @ there[3:]) - 1.0)
        angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
        return ControlError(
            f"the measured pose strayed from its start, it is {distance:.3g} m and {angle:.3g} rad "
            f"away; the session braked and finished: {self._allowed()}",
            distance=distance,
            angle=angle,
        )

    def _beyond(self, start: Array, targets: Array) -> str:
        distances = np.linalg.norm(targets[:, :3] - start[:3], axis=1)
        angles = 2.0 * np.arccos(np.minimum(np.abs(targets[:, 3:] @ start[3:]), 1.0))
        far = (distances > self._options[O_max_deviation]) | (
            angles > self._options[O_max_angular_deviation]
        )
        if not far.any():
            return ""
        row = int(far.argmax())
        return (
            f"the target is {distances[row]:.3g} m and {angles[row]:.3g} rad from the start of the "
            "session"
        )

    def _allowed(self) -> str:
        return (
            f"max_deviation of its options is {self._options[O_max_deviation]:g} m, "
            f"max_angular_deviation {self._options[O_max_angular_deviation]:g} rad"
        )


class JointDeviation(Deviation):
    """The guard of a joint session."""

    def strayed(self, memory: Array) -> ControlError:
        """Return the error with the joint that is furthest from its start."""
        n = int(self._options[O_n])
        away = np.abs(memory[M_q : M_q + n] - memory[M_joint_start : M_joint_start + n])
        joint = int(away.argmax())
        return ControlError(
            f"joint {joint + 1} strayed from its start, it is {away[joint]:.3g} rad away; the "
            f"session braked and finished: {self._allowed()}",
            distance=float(away[joint]),
            joint=joint + 1,
        )

    def _beyond(self, start: Array, targets: Array) -> str:
        away = np.abs(targets - start).max(axis=0)
        joint = int(away.argmax())
        if away[joint] <= self._options[O_max_deviation]:
            return ""
        return (
            f"the target of joint {joint + 1} is {away[joint]:.3g} rad from the start of the "
            "session"
        )

    def _allowed(self) -> str:
        return f"max_deviation of its options is {self._options[O_max_deviation]:g} rad"
