"""Parts of the controllers' options: budgets, settling, leash, inverse kinematics."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from kinegraph.robot.control.arms import frozen
from kinegraph.robot.control.checks import (
    check_count,
    check_finite_vector,
    check_in_range,
    check_kind,
    check_non_negative,
    check_positive,
)
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.scene.array_types import Array, VectorLike

__all__ = [
    "FEEDFORWARD_SOURCES",
    "FeedforwardSource",
    "FrictionTerm",
    "IkOptions",
    "IntegralTerm",
    "Leash",
    "MotionLimits",
    "Settle",
]

FeedforwardSource = Literal["generator", "goal"]
FEEDFORWARD_SOURCES = ("generator", "goal")
MOST_ITERATIONS, MOST_SETTLE_CYCLES = 100, 600_000


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """A budget for the norm of a motion, in m or rad.

    Attributes:
        max_velocity: m/s or rad/s.
        max_acceleration: m/s^2 or rad/s^2.
        max_jerk: m/s^3 or rad/s^3.
    """

    max_velocity: float
    max_acceleration: float
    max_jerk: float

    def validate(self, name: str = "limits") -> None:
        """Raise InvalidArgumentError unless every limit is finite and above zero."""
        for part in self.__slots__:
            check_positive(f"{name}.{part}", getattr(self, part))

    def within(self, others: "MotionLimits") -> "MotionLimits":
        """Return limits of which each is the smaller one of this budget's and another's."""
        check_kind("others", others, MotionLimits)
        return MotionLimits(
            min(self.max_velocity, others.max_velocity),
            min(self.max_acceleration, others.max_acceleration),
            min(self.max_jerk, others.max_jerk),
        )

    def per_axis(self, factor: float = 1.0) -> Array:
        """Return velocity, acceleration and jerk of one of three axes: 1/sqrt(3) of the norm."""
        check_positive("factor", factor)
        return np.asarray(float(factor) * self.norm() / np.sqrt(3.0), dtype=np.float64)

    def norm(self) -> Array:
        """Return (3,) velocity, acceleration and jerk."""
        return np.array([self.max_velocity, self.max_acceleration, self.max_jerk])


@dataclass(frozen=True, slots=True)
class Settle:
    """When a stop has landed, and for how long the last command is repeated.

    Attributes:
        tolerance: m and rad.
        cycles: Number of cycles, 1 ms each, 600000 at most.
    """

    tolerance: float = 1e-3
    cycles: int = 250

    def validate(self) -> None:
        """Raise InvalidArgumentError for values that no stop could use."""
        check_positive("settle.tolerance", self.tolerance)
        check_count("settle.cycles", self.cycles, MOST_SETTLE_CYCLES)


@dataclass(frozen=True, slots=True)
class Leash:
    """How far the desired pose may be ahead of the arm.

    Attributes:
        translation: m.
        rotation: rad.
        joint: rad.
    """

    translation: float = 0.025
    rotation: float = 0.15
    joint: float = 0.1

    def validate(self) -> None:
        """Raise InvalidArgumentError unless every length is finite and above zero."""
        for part in self.__slots__:
            check_positive(f"leash.{part}", getattr(self, part))


@dataclass(frozen=True, slots=True)
class IkOptions:
    """The differential inverse kinematics.

    Attributes:
        damping: Lambda of the damped least squares.
        nullspace_gain: Pull toward the posture, 1/s.
        iterations: Solves per cycle, 100 at most: a cycle has a millisecond.
        tolerance: Weighted error below which later solves are left out, m.
        rotation_weight: What a rotation error counts against a position error, m/rad.
    """

    damping: float = 0.05
    nullspace_gain: float = 1.0
    iterations: int = 3
    tolerance: float = 1e-6
    rotation_weight: float = 0.1

    def validate(self) -> None:
        """Raise InvalidArgumentError for values that the solver cannot use."""
        check_positive("ik.damping", self.damping)
        check_non_negative("ik.nullspace_gain", self.nullspace_gain)
        check_count("ik.iterations", self.iterations, MOST_ITERATIONS)
        check_non_negative("ik.tolerance", self.tolerance)
        check_in_range("ik.rotation_weight", self.rotation_weight, 0.0, 1.0, open_below=True)


@dataclass(frozen=True, slots=True, eq=False)
class FrictionTerm(FrozenData):
    """Compensation of the joints' Coulomb friction, learned while the goal moves.

    tau_i = friction_i s_i and d friction_i / dt = s_i r_i / time, with s_i = v_i / sqrt(v_i^2 +
    speed^2), v_i the goal's velocity, and r_i what springs and dampers do that the measured motion
    does not show (a momentum observer: A. De Luca et al., "Collision detection and safe reaction
    with the DLR-III lightweight manipulator arm", IROS 2006). When the goal has stopped, s_i fades
    to zero within 0.14 s, so that the joint comes to rest with its friction compensated. At rest
    the term is zero and learns nothing: a push is answered by the springs alone. A joint in motion
    that needs more than twice its limit is pushed; then no joint learns.

    Attributes:
        limits: (n,) most of it, Nm; None: the arm's own.
        time: Time constant of learning, s.
        speed: Goal velocity at which it counts by 0.7, rad/s.
    """

    limits: VectorLike | None = None
    time: float = 0.08
    speed: float = 0.006

    def __post_init__(self) -> None:
        if self.limits is not None:
            object.__setattr__(self, "limits", frozen(self.limits, "friction.limits"))

    def validate(self, n: int | None = None) -> None:
        """Raise InvalidArgumentError for values that the law cannot use.

        Args:
            n: Number of joints, None if it is not known yet.
        """
        if self.limits is not None:
            for value in check_finite_vector("friction.limits", self.limits, n):
                check_non_negative("friction.limits", float(value))
        check_in_range("friction.time", self.time, 0.02, np.inf)
        check_in_range("friction.speed", self.speed, 1e-4, np.inf)


@dataclass(frozen=True, slots=True)
class IntegralTerm:
    """A force at the tool that takes away what is left of the position error after a motion.

    It grows for `window` seconds of standing still after the generator came to rest, later it only
    yields to the springs, and it fades while the generator moves. It stands still while the leash
    acts, the spring at the tool has more than 10 N, or the force on an arm at rest has changed by
    more than 1 N within 0.2 s: then something pushes. When that is over, `window` begins again.

    Attributes:
        max_force: Most of it, N, 10 at most.
        time: Time constant, s.
        window: How long it may grow after a motion, s, counted while the arm stands still.
    """

    max_force: float = 10.0
    time: float = 0.15
    window: float = 1.0

    def validate(self) -> None:
        """Raise InvalidArgumentError for values that the law cannot use."""
        check_in_range("integral.max_force", self.max_force, 0.0, 10.0, open_below=True)
        check_in_range("integral.time", self.time, 0.1, np.inf)
        check_non_negative("integral.window", self.window)
