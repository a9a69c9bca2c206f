"""What inverse kinematics is told and what it answers: options, status, result."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np

from kinegraph.kinematics.inverse_layout import CONVERGED, NOT_CONVERGED, UNREACHABLE
from kinegraph.kinematics.values import real_number
from kinegraph.scene.array_types import Array, IntArray
from kinegraph.scene.errors import (
    InvalidLimitError,
    LengthError,
    NotFiniteError,
    WrongTypeError,
)

__all__ = ["InverseOptions", "InverseResult", "InverseStatus", "settings_of"]

Weights = tuple[float, ...] | tuple[tuple[float, ...], ...]

# More would not end within the hour, and the sum of the counts must fit.
MOST = 1_000_000
# Beyond it an error hides behind the least damping, and few problems are solved.
WIDEST_RATIO = 1e4


class InverseStatus(IntEnum):
    """How a problem ended.

    Attributes:
        CONVERGED: Both errors are within their tolerances.
        UNREACHABLE: No attempt got there, and the best one came to rest in a local minimum of the
            error: no joint that may still move lessens it to first order (the cosine between the
            error and what any of them does is below 1e-3). Or the target is further away than the
            chain is long at full stretch. More iterations will not help; the values returned are
            the nearest that were found.
        NOT_CONVERGED: The best attempt ran out of iterations while it was still getting nearer.
    """

    CONVERGED = CONVERGED
    UNREACHABLE = UNREACHABLE
    NOT_CONVERGED = NOT_CONVERGED


@dataclass(frozen=True, slots=True)
class InverseOptions:
    """How to search.

    Attributes:
        position_tolerance: Largest position error of a solution, m.
        rotation_tolerance: Largest rotation error of a solution, rad.
        max_iterations: Most iterations of one attempt.
        max_attempts: Most attempts: the first from the seed, the others from random values.
        nearest_steps: Most times that a solution is slid towards the seed along the other
            solutions, where there are any; 0 to take the first one. Each takes one to five
            iterations.
        weights: Six weights of the error of every tip, or a row of six for each tip: position
            along x, y, z and rotation about x, y, z of the target, per m and per rad. Where the
            weight is 0 the tip is free and the error does not count. With a free rotation the
            others are the numbers of the whole rotation vector: (1, 1, 1, 1, 1, 0) lets the tip
            turn about the target's z axis, (1, 1, 1, 0, 0, 0) any way. Only their ratios count,
            at most 10 000: errors of much smaller weight vanish slowly.

    Raises:
        InvalidLimitError: A tolerance that is not positive, a count out of range, a negative
            weight, none that is positive, or positive ones that are too far apart. Also a
            `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        LengthError: Not six weights. Also a `ValueError`.
        WrongTypeError: Not numbers. Also a `TypeError`.
    """

    position_tolerance: float = 1e-9
    rotation_tolerance: float = 1e-9
    max_iterations: int = 100
    max_attempts: int = 50
    nearest_steps: int = 3
    weights: Weights = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        for name in ("position_tolerance", "rotation_tolerance"):
            value = _finite(getattr(self, name), name)
            if not value > 0.0:
                raise InvalidLimitError(f"{name} must be positive, not {value}")
            object.__setattr__(self, name, value)
        for name, least in (("max_iterations", 1), ("max_attempts", 1), ("nearest_steps", 0)):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, (int, np.integer)):
                raise WrongTypeError(f"{name} must be a whole number, not {count!r:.100}")
            if not least <= count <= MOST:
                raise InvalidLimitError(f"{name} must be {least} to {MOST}, not {count}")
            object.__setattr__(self, name, int(count))
        object.__setattr__(self, "weights", _checked_weights(self.weights))


def _finite(value: object, what: str) -> float:
    number = real_number(value, what)
    if not math.isfinite(number):
        raise NotFiniteError(f"{what} is {number}")
    return number


def _checked_weights(weights: Any) -> Weights:
    if isinstance(weights, np.ndarray):
        weights = weights.tolist()
    if not isinstance(weights, (tuple, list)):
        raise WrongTypeError(f"weights must be six numbers or rows of six, not {weights!r:.100}")
    if weights and all(isinstance(row, (tuple, list, np.ndarray)) for row in weights):
        rows = tuple(_checked_row(row) for row in weights)
        _check_ratio([weight for row in rows for weight in row])
        return rows
    one = _checked_row(weights)
    _check_ratio(one)
    return one


def _check_ratio(weights: Sequence[float]) -> None:
    least, most = min(weight for weight in weights if weight > 0.0), max(weights)
    if least < most / WIDEST_RATIO:
        raise InvalidLimitError(
            f"weights: {least} and {most} are more than a factor of {WIDEST_RATIO:.0f} apart; "
            "a weight of 0 frees an axis"
        )


def _checked_row(row: Any) -> tuple[float, ...]:
    if len(row) != 6:
        raise LengthError(f"weights: six numbers are needed for a tip, not {len(row)}")
    numbers = tuple(_finite(weight, "weights") for weight in row)
    if min(numbers) < 0.0 or max(numbers) == 0.0:
        raise InvalidLimitError(f"weights must not be negative, nor all zero: {numbers}")
    return numbers


@lru_cache(maxsize=64)
def settings_of(options: InverseOptions, tips: int) -> Array:
    """Return options as the kernel takes them, not to be changed.

    Raises:
        LengthError: Rows of weights for another number of tips. Also a `ValueError`.
    """
    weights = np.array(options.weights)
    weights /= weights.max()
    if weights.ndim == 2 and len(weights) != tips:
        raise LengthError(f"weights: {len(weights)} rows were given for {tips} tips")
    head = (
        options.position_tolerance,
        options.rotation_tolerance,
        options.max_iterations,
        options.max_attempts,
        options.nearest_steps,
    )
    return np.concatenate((head, np.broadcast_to(weights, (tips, 6)).reshape(-1)))


@dataclass(frozen=True, slots=True, eq=False)
class InverseResult:
    """What was found, for one problem or for N.

    Attributes:
        q: (n,) or (N, n) values, rad or m, within the bounds; solved or not the best ones found.
        position_error: m, a float or (N,); of several tips the largest.
        rotation_error: rad, a float or (N,); of several tips the largest. At most pi.
        iterations: Of all attempts together, an int or (N,).
        attempts: How many there were, an int or (N,).
        status: `InverseStatus`, or (N,) of its numbers.
    """

    q: Array
    position_error: Any
    rotation_error: Any
    iterations: Any
    attempts: Any
    status: Any

    @property
    def converged(self) -> Any:
        """Whether it is a solution, a bool or (N,)."""
        done = self.status == InverseStatus.CONVERGED
        return done if isinstance(done, np.ndarray) else bool(done)

    @classmethod
    def of(cls, q: Array, errors: Array, counts: IntArray) -> "InverseResult":
        """Make a result of the kernel's arrays; q tells whether it is one problem or many."""
        if q.ndim == 2:
            status, iterations, attempts = counts.T
            return cls(q, errors[:, 0], errors[:, 1], iterations, attempts, status)
        position, rotation = errors[0].tolist()
        one, iterations, attempts = counts[0].tolist()
        return cls(q, position, rotation, iterations, attempts, InverseStatus(one))
