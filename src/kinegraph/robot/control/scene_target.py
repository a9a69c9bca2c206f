"""Targets of a link in the frame of another: what a session needs to keep up with both."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kinegraph.robot.control.moving_targets import moving, resting, twist_between
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d

__all__ = ["FrameSource", "SceneTarget", "TrackedTarget"]

PAUSE_S = 0.25
"""A frame that was not moved for so long has been at rest, s."""
AHEAD_S = 1e-3


@dataclass(frozen=True, slots=True)
class SceneTarget:
    """A pose that a link is to have in a frame.

    Attributes:
        pose: Of the link, in the frame.
        link: At or below the flange; None: the controlled link.
        frame: Link of the scene; None: the robot's base.
    """

    pose: Isometry3d
    link: str | None
    frame: str | None


class FrameSource(Protocol):
    """Knows where the links of a scene are."""

    def tip_link(self) -> str:
        """Return the controlled link."""
        raise NotImplementedError

    def tip_target(self, target: SceneTarget, ahead_s: float = 0.0) -> Array:
        """Return (7,) where the controlled link has to be, robot's base: position and quaternion.

        Args:
            target: What is asked for.
            ahead_s: By the known speeds of the scene's joints, so much later.

        Raises:
            UnknownLinkError: Link or frame is none. Also a `KeyError`.
            InvalidArgumentError: The link is not at or below the flange. Also a `ValueError`.
        """
        raise NotImplementedError

    def moves_by_itself(self, target: SceneTarget) -> bool:
        """Return whether the frame does not hang on the arm that is to follow it."""
        raise NotImplementedError

    def held(self) -> AbstractContextManager[object]:
        """Return what holds the scene still as long as it is entered."""
        raise NotImplementedError

    def speeds(self, target: SceneTarget) -> Mapping[str, float]:
        """Return the known speeds of the joints that move the target."""
        raise NotImplementedError


class TrackedTarget:
    """A target in a frame that may move, and the frame's velocity by its last moves.

    Args:
        target: What was asked for.
        frames: Of the scene.
        now: Time of the robot, s.

    Attributes:
        ticket: Of the target that was published last.
    """

    def __init__(self, target: SceneTarget, frames: FrameSource, now: float) -> None:
        self.target = target
        self.ticket = 0
        self._frames = frames
        self._pose = frames.tip_target(target)
        self._time = now
        self._twist = np.zeros(6)

    def row(self) -> Array:
        """Return the target as it begins."""
        return self._moving(PAUSE_S) if self._frames.speeds(self.target) else resting(self._pose)

    def moved(self, now: float, limits: Array) -> Array | None:
        """Return the target after a change of the scene; None if it is where it was.

        Args:
            now: Time of the robot, s.
            limits: (6,) largest velocity of each axis; a frame that is faster has jumped.

        Raises:
            UnknownLinkError: Link or frame is gone. Also a `KeyError`.
        """
        pose = self._frames.tip_target(self.target)
        past = now - self._time
        if self._frames.speeds(self.target):
            self._pose, self._time = pose, now
            return self._moving(PAUSE_S)
        if np.array_equal(pose, self._pose):
            return None
        if past > PAUSE_S:
            self._twist = np.zeros(6)
        elif past > 0.0:
            self._twist = twist_between(self._pose, pose, past)
        if (np.abs(self._twist) > limits).any():
            self._twist = np.zeros(6)
        self._pose, self._time = pose, now
        return moving(pose, self._twist, min(2.0 * past, PAUSE_S))

    def resting(self) -> Array:
        """Return the target where it was last, at rest."""
        return resting(self._pose)

    def _moving(self, horizon: float) -> Array:
        later = self._frames.tip_target(self.target, AHEAD_S)
        return moving(self._pose, twist_between(self._pose, later, AHEAD_S), horizon)
