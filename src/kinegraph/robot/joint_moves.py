"""Moves of the joints from rest to rest, planned in time and checked against an arm's limits."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.robot.argument_checks import check_duration, is_number
from kinegraph.robot.control.arms import ArmTable, arm_table
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.limits import seven
from kinegraph.scene.array_types import Array

__all__ = ["QuinticMove", "check_joint_positions"]

# Peaks of s(x) = 10 x^3 - 15 x^4 + 6 x^5 on [0, 1]: of s', s'' and s'''.
_PEAK_SPEED = 15.0 / 8.0
_PEAK_ACCELERATION = 10.0 / np.sqrt(3.0)
_PEAK_JERK = 60.0


def check_joint_positions(q: ArrayLike, version: int = 10, name: str = "q") -> Array:
    """Return joint positions that an arm can take.

    Args:
        q: (7,) rad.
        version: 10 (FR3) or 5 (FER).
        name: How the error calls them.

    Raises:
        InvalidArgumentError: Not seven finite numbers, or joints outside their range; each is named
            with its value and range. Also a `ValueError`.
    """
    values, arm = seven(q, name), arm_table(version)
    outside = [
        f"joint{i + 1} = {values[i]:.6g} is outside {arm.lower[i]} to {arm.upper[i]}"
        for i in range(7)
        if not arm.lower[i] <= values[i] <= arm.upper[i]
    ]
    if outside:
        raise InvalidArgumentError(f"{name} ({arm.name}): {'; '.join(outside)} rad", value=q)
    return values


@dataclass(frozen=True, eq=False)
class QuinticMove:
    r"""A move from rest to rest in which all joints start and arrive together.

    The velocity limits are those away from the ends of the range; an FR3 allows less near them, so
    that a fast move to an end needs a longer duration (`RateLimits.joint_velocity_limits`).

    :math:`q(t) = q_0 + (q_1 - q_0)(10 x^3 - 15 x^4 + 6 x^5)` with :math:`x = t / T`; velocity and
    acceleration are zero at both ends. Peaks: 15/8 d/T, 10/sqrt(3) d/T^2, 60 d/T^3.

    Attributes:
        start: (7,) rad, usually `q_d` of the newest state.
        goal: (7,) rad.
        duration: T, s. Left out: the shortest that the arm's limits allow.
        version: 10 (FR3) or 5 (FER): whose limits.

    Raises:
        InvalidArgumentError: A position is outside its range, or the duration is too short; the
            joint and the limit that decide are named. Also a `ValueError`.
    """

    start: Array
    goal: Array
    duration: float | None = None
    version: int = 10

    def __post_init__(self) -> None:
        for name in ("start", "goal"):
            object.__setattr__(
                self, name, check_joint_positions(getattr(self, name), self.version, name)
            )
        if self.duration is not None:
            check_duration("duration", self.duration)
        else:
            object.__setattr__(self, "duration", self.minimum_duration)
        if not (np.isfinite(self.seconds) and self.seconds >= self.minimum_duration):
            joint, limit = self.deciding
            raise InvalidArgumentError(
                f"the move takes at least {self.minimum_duration:.6g} s (joint{joint}, {limit}), "
                f"not {self.seconds}",
                joint=joint,
                limit=limit,
                minimum_duration=self.minimum_duration,
            )

    @property
    def seconds(self) -> float:
        """The duration as a number, s."""
        return float(0.0 if self.duration is None else self.duration)

    @property
    def arm(self) -> ArmTable:
        """The limits that the move keeps."""
        return arm_table(self.version)

    @cached_property
    def minimum_durations(self) -> Array:
        """(3, 7) shortest duration that velocity, acceleration and jerk of each joint allow, s."""
        distance, arm = np.abs(self.goal - self.start), self.arm
        return np.stack(
            (
                _PEAK_SPEED * distance / arm.flat_velocity,
                np.sqrt(_PEAK_ACCELERATION * distance / arm.max_joint_acceleration),
                np.cbrt(_PEAK_JERK * distance / arm.max_joint_jerk),
            )
        )

    @property
    def minimum_duration(self) -> float:
        """Shortest duration that the limits allow, s."""
        return float(self.minimum_durations.max())

    @property
    def deciding(self) -> tuple[int, str]:
        """Number of the joint (1 to 7) and name of the limit that set the shortest duration."""
        limit, joint = np.unravel_index(self.minimum_durations.argmax(), (3, 7))
        return int(joint) + 1, ("velocity", "acceleration", "jerk")[int(limit)]

    def position(self, t: float) -> Array:
        """Return (7,) positions at a time, rad; before and after the move the ends."""
        x = self._part(t)
        return self.start + (self.goal - self.start) * (x**3 * (10.0 + x * (-15.0 + 6.0 * x)))

    def velocity(self, t: float) -> Array:
        """Return (7,) velocities at a time, rad/s."""
        x = self._part(t)
        rise = 30.0 * x**2 * (1.0 - x) ** 2
        return (self.goal - self.start) * (rise / self.seconds if self.seconds else 0.0)

    def acceleration(self, t: float) -> Array:
        """Return (7,) accelerations at a time, rad/s^2."""
        x = self._part(t)
        bend = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
        return (self.goal - self.start) * (bend / self.seconds**2 if self.seconds else 0.0)

    def is_over(self, t: float) -> bool:
        """Return whether the move has arrived."""
        check_time(t)
        return t >= self.seconds

    def _part(self, t: float) -> float:
        check_time(t)
        if self.seconds == 0.0:
            return 1.0
        return min(1.0, max(0.0, t / self.seconds))


def check_time(t: float) -> None:
    """Refuse what is no time of a move, NaN above all: it would pass for its beginning.

    Raises:
        InvalidArgumentError: No number. Also a `ValueError`.
    """
    if not is_number(t) or t != t:
        raise InvalidArgumentError(f"t is {t!r:.200}; a number of seconds is needed", field="t")
