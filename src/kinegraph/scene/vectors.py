"""Short vectors of finite numbers: from anything that users give, and as arrays that stay as is."""

import math
import struct

import numpy as np

from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import NotFiniteError, ShapeError, WrongTypeError

SMALLEST_SQUARE, LARGEST_SQUARE = 1e-250, 1e300
"""Squares outside lose what the numbers still hold: they are computed with numbers near 1."""


def real_array(value: object, what: str) -> Array:
    """Return an array-like as float64 array, of any shape; a float64 array as it is.

    Raises:
        WrongTypeError: Not real numbers. Also a `TypeError`.
    """
    refuse_masked(value, what)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise WrongTypeError(f"{what}: {value!r:.200} is no array of numbers") from error
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in "iuf":
        raise WrongTypeError(f"{what}: {value!r:.200} is no array of real numbers")
    with np.errstate(over="ignore"):  # what float64 cannot hold is refused as infinite
        return array.astype(np.float64)


def refuse_masked(value: object, what: str) -> None:
    """Refuse an array with masked elements: what stands behind a mask is no value.

    Raises:
        WrongTypeError: Some element is masked. Also a `TypeError`.
    """
    if type(value) is np.ndarray or not isinstance(value, np.ndarray):
        return
    if np.any(getattr(value, "mask", False)):
        raise WrongTypeError(f"{what}: some elements are masked: {value!r:.200}")


def numbers(value: object, count: int, what: str) -> tuple[float, ...]:
    """Return `count` finite floats of a one-dimensional array-like.

    Raises:
        WrongTypeError: Not real numbers. Also a `TypeError`.
        ShapeError: Another count or more axes. Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
    """
    array = real_array(value, what)
    if array.shape != (count,):
        raise ShapeError(f"{what}: {count} numbers are needed, not an array of shape {array.shape}")
    values = tuple(array.tolist())
    if not all(map(math.isfinite, values)):
        raise NotFiniteError(f"{what}: {values} has numbers that are not finite")
    return values


def is_approx(a: Array, b: Array, prec: float = 1e-5) -> bool:
    r"""Compare two finite arrays relatively, as Eigen does; two zero arrays are equal.

    True when :math:`\|a - b\| \le prec \cdot \min(\|a\|, \|b\|)`.
    """
    squares = np.vdot(a, a), np.vdot(b, b)
    if not (min(squares) > SMALLEST_SQUARE and max(squares) < LARGEST_SQUARE):
        largest = max(float(np.abs(a).max()), float(np.abs(b).max()))
        if largest == 0.0:
            return True
        a, b = 0.5 * (a / largest), 0.5 * (b / largest)
        squares = np.vdot(a, a), np.vdot(b, b)
    difference = a - b
    return bool(np.vdot(difference, difference) <= prec * prec * min(squares))


def frozen_array(values: tuple[float, ...]) -> Array:
    """Make a one-dimensional array that can never be written to."""
    # An array over bytes is read-only for ever: no setflags can undo it.
    return np.frombuffer(struct.pack(f"{len(values)}d", *values))
