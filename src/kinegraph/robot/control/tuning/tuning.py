"""What of a running session may be tuned, whole or in part, and what became of an update."""

from dataclasses import dataclass, fields

import numpy as np

from kinegraph.robot.control.arms import frozen
from kinegraph.robot.control.checks import check_finite_vector, check_positive, refuse
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.robot.control.option_parts import MotionLimits
from kinegraph.robot.control.tuning.tuning_layout import (
    MIN_DAMPING_RATIO,
    W_LIMITS,
    W_ROTATION_LIMITS,
    bounds,
)
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["Clamped", "Tuning", "TuningUpdate", "tuning_of_words", "updated_words"]

SHARED_NAMES = (
    "cartesian_stiffness",
    "ik_damping",
    "ik_nullspace_gain",
    "velocity_feedforward_gain",
    "velocity_feedforward_cutoff",
)
NOT_ZERO = ("cartesian_stiffness", "ik_damping")
BUDGETS = {"limits": W_LIMITS, "rotation_limits": W_ROTATION_LIMITS}
BUDGET_PARTS = ("max_velocity", "max_acceleration", "max_jerk")


@dataclass(frozen=True, slots=True, eq=False)
class TuningUpdate:
    """Some of the numbers of a running session; None leaves what there is.

    Attributes:
        joint_stiffness: (n,) Nm/rad, 0 to 1200.
        joint_damping: (n,) Nm s/rad, at most 60 for joints 1 to 4 and 40 for the others; at least
            a quarter of the root of the joint's stiffness.
        cartesian_stiffness: Of the translation, N/m, 50 to 3000; the rotation's and the dampers
            follow as `scaled_cartesian` has them.
        ik_damping: Of the damped least squares, 0.001 to 1.
        ik_nullspace_gain: Pull toward the posture, 1/s, 0 to 20.
        velocity_feedforward_gain: Share of the goal's velocity in the dampers, 0 (none) to 1.
        velocity_feedforward_cutoff: Low-pass on that velocity, Hz, 1 to 1000 (off).
        limits: Budget of the translation, a norm: 0.05 to 1.2 m/s, 0.1 to 20 m/s^2, 1 to
            800 m/s^3.
        rotation_limits: Budget of the rotation, a norm: 0.05 to 2.5 rad/s, 0.1 to 30 rad/s^2, 1 to
            800 rad/s^3.
    """

    joint_stiffness: VectorLike | None = None
    joint_damping: VectorLike | None = None
    cartesian_stiffness: float | None = None
    ik_damping: float | None = None
    ik_nullspace_gain: float | None = None
    velocity_feedforward_gain: float | None = None
    velocity_feedforward_cutoff: float | None = None
    limits: MotionLimits | None = None
    rotation_limits: MotionLimits | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tuning(FrozenData):
    """All numbers of a running session that may be tuned; fields as in `TuningUpdate`."""

    joint_stiffness: Array
    joint_damping: Array
    cartesian_stiffness: float
    ik_damping: float
    ik_nullspace_gain: float
    velocity_feedforward_gain: float
    velocity_feedforward_cutoff: float
    limits: MotionLimits
    rotation_limits: MotionLimits

    def __post_init__(self) -> None:
        for name in ("joint_stiffness", "joint_damping"):
            object.__setattr__(self, name, frozen(getattr(self, name), name))


@dataclass(frozen=True, slots=True)
class Clamped:
    """A number of an update that was out of its bounds.

    Attributes:
        field: Name in `TuningUpdate`; for a budget with its part, "limits.max_velocity".
        joint: Counted from 1; 0 for what is not of a joint.
        given: What was asked for; of a damping that was not, what there was.
        used: The bound, which is in its place now.
    """

    field: str
    joint: int
    given: float
    used: float


def tuning_of_words(words: Array) -> Tuning:
    """Return the tuning that words stand for."""
    n = (words.size - 11) // 2
    shared = words[2 * n :].tolist()
    limits, rotation_limits = (
        MotionLimits(*shared[at : at + len(BUDGET_PARTS)]) for at in BUDGETS.values()
    )
    stiffness, ik_damping, nullspace_gain, share, cutoff = shared[:W_LIMITS]
    return Tuning(
        joint_stiffness=words[:n],
        joint_damping=words[n : 2 * n],
        cartesian_stiffness=stiffness,
        ik_damping=ik_damping,
        ik_nullspace_gain=nullspace_gain,
        velocity_feedforward_gain=share,
        velocity_feedforward_cutoff=cutoff,
        limits=limits,
        rotation_limits=rotation_limits,
    )


def updated_words(
    before: Array, update: TuningUpdate | Tuning, n: int
) -> tuple[Array, tuple[Clamped, ...]]:
    """Return the words after an update, within their bounds, and which of them were clamped.

    Args:
        before: (2 n + 11,) words.
        update: What to change.
        n: Number of joints.

    Raises:
        InvalidArgumentError: A number is not finite, or not above zero where zero means nothing.
            Also a `ValueError`.
    """
    if not isinstance(update, TuningUpdate | Tuning):
        raise refuse("update", update, "is neither a TuningUpdate nor a Tuning")
    carried = np.full(before.size, np.nan)
    for field in fields(update):
        value = getattr(update, field.name)
        if value is not None:
            _put(carried, field.name, value, n)
    given = np.where(np.isnan(carried), before, carried)
    low, high = bounds(n)
    after = np.where(np.isnan(carried), before, np.clip(given, low, high))
    floor = MIN_DAMPING_RATIO * np.sqrt(after[:n])
    touched = ~(np.isnan(carried[:n]) & np.isnan(carried[n : 2 * n]))
    damping = after[n : 2 * n]
    after[n : 2 * n] = np.where(touched, np.maximum(damping, floor), damping)
    changed = np.flatnonzero(after != given)
    return after, tuple(_clamped(int(i), n, given[i], after[i]) for i in changed)


def _put(carried: Array, name: str, value: object, n: int) -> None:
    if name in ("joint_stiffness", "joint_damping"):
        at = 0 if name == "joint_stiffness" else n
        carried[at : at + n] = check_finite_vector(name, value, n)
    elif name in BUDGETS:
        if not isinstance(value, MotionLimits):
            raise refuse(name, value, "are no MotionLimits")
        parts = [getattr(value, part) for part in BUDGET_PARTS]
        at = 2 * n + BUDGETS[name]
        carried[at : at + len(parts)] = check_finite_vector(name, parts, len(parts))
    else:
        number = float(check_finite_vector(name, [value], 1)[0])
        if name in NOT_ZERO:
            check_positive(name, number)
        carried[2 * n + SHARED_NAMES.index(name)] = number


def _clamped(i: int, n: int, given: float, used: float) -> Clamped:
    if i < 2 * n:
        name = "joint_stiffness" if i < n else "joint_damping"
        return Clamped(name, i % n + 1, float(given), float(used))
    k = i - 2 * n
    if k < W_LIMITS:
        return Clamped(SHARED_NAMES[k], 0, float(given), float(used))
    budget = "limits" if k < W_ROTATION_LIMITS else "rotation_limits"
    name = f"{budget}.{BUDGET_PARTS[(k - W_LIMITS) % len(BUDGET_PARTS)]}"
    return Clamped(name, 0, float(given), float(used))
