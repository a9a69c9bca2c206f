"""Users' numbers to float64, with errors for what is no number."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinegraph.scene.arguments import check_entries
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import NotFiniteError, ShapeError, WrongTypeError
from kinegraph.scene.pose import Isometry3d
from kinegraph.scene.vectors import refuse_masked

__all__ = [
    "any_real_array",
    "check_finite",
    "finite_point",
    "is_transform",
    "name_list",
    "real_array",
    "real_number",
    "real_point",
    "real_vector",
    "str_name",
]


# numpy's spans of time are integers to Python.
NO_REAL_NUMBERS = (bool, np.bool_, str, bytes, complex, np.complexfloating, np.timedelta64)


def real_number(value: object, what: str) -> float:
    """Return a number as float.

    Raises:
        WrongTypeError: Not a real number; truth values and texts are none. Also a `TypeError`.
        NotFiniteError: An integer that no float can hold. Also a `ValueError`.
    """
    if type(value) is float:
        return value
    if isinstance(value, NO_REAL_NUMBERS):
        raise WrongTypeError(f"{what} must be a real number, not {value!r:.100}")
    if isinstance(value, (int, float, np.integer, np.floating)):
        try:
            return float(value)
        except OverflowError as error:
            raise NotFiniteError(f"{what} is an integer that no float can hold") from error
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iuf":
        return float(value)
    raise WrongTypeError(f"{what} must be a real number, not {value!r:.100}")


def real_vector(values: object, what: str) -> Array:
    """Return a one-dimensional array-like of real numbers as a contiguous float64 array.

    Raises:
        WrongTypeError: Not real numbers; truth values and texts are none. Also a `TypeError`.
        ShapeError: Another number of axes than one. Also a `TypeError` and a `ValueError`.
    """
    array = real_array(values, what)
    if array.ndim != 1:
        raise ShapeError(f"{what} must be a vector (one axis), not an array of shape {array.shape}")
    return array


def real_array(values: object, what: str) -> Array:
    """Return an array-like of real numbers as a contiguous, writeable float64 array.

    It may be the array that was given.

    Raises:
        WrongTypeError: Not real numbers; truth values and texts are none. Also a `TypeError`.
        ShapeError: Lists of different lengths. Also a `TypeError` and a `ValueError`.
    """
    return as_ready(any_real_array(values, what))


def as_ready(rows: Array) -> Array:
    """Return real numbers as a contiguous, writeable float64 array; a copy only if need be."""
    with np.errstate(over="ignore"):  # what float64 cannot hold is infinite, and is refused so
        return np.require(rows, np.float64, ("C", "A", "W"))


def any_real_array(values: object, what: str) -> Array:
    """Return an array-like of real numbers as an array of whatever kind and layout it has.

    Raises:
        WrongTypeError, ShapeError: As in `real_array`.
    """
    if isinstance(values, Sequence):  # lists, tuples, ranges, deques, buffers
        if isinstance(values, (str, bytes, bytearray)) or _has_truth_values(values):
            raise WrongTypeError(f"{what} must be real numbers, not {values!r:.100}")
        if not len(values):
            return np.zeros(0)
    elif not isinstance(values, np.ndarray) and not hasattr(values, "__array__"):
        raise WrongTypeError(f"{what} must be an array of real numbers, not {values!r:.100}")
    refuse_masked(values, what)
    try:
        array: Array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"{what} must be an array of real numbers, not {values!r:.100}") from error
    if array.dtype.kind not in "iuf":
        raise WrongTypeError(f"{what} must be an array of real numbers, not {values!r:.100}")
    return array


def str_name(name: object, method: str) -> str:
    """Return the name of a link or joint; refuse what is no str (TypeError)."""
    if not isinstance(name, str):
        raise WrongTypeError(f"{method}: a name must be a str, not {name!r:.100}")
    return name


def name_list(names: object, what: str) -> list[str]:
    """Return names as a list, from whatever can be gone through once.

    Raises:
        WrongTypeError: A single text, nothing to go through, or names that are no str. Also a
            `TypeError`.
    """
    listed: list[Any] = check_entries(names, what, "a sequence of str")  # type: ignore[arg-type]
    for name in listed:
        if not isinstance(name, str):
            raise WrongTypeError(f"{what}: names must be str, not {name!r:.100}")
    return listed


def _has_truth_values(values: Sequence[Any]) -> bool:
    """Tell whether a list, or a row of a list of rows, holds a truth value."""
    if isinstance(values, (memoryview, range)):
        return False  # a buffer of them is an array of them, which is refused later
    rows = (value if isinstance(value, (list, tuple)) else (value,) for value in values)
    return any(isinstance(value, (bool, np.bool_)) for row in rows for value in row)


def real_point(values: object, what: str) -> Array:
    """Return three numbers, (3,), which may be NaN."""
    point = real_vector(values, what)
    if len(point) != 3:
        raise ShapeError(f"{what}: 3 numbers are needed, not {len(point)}")
    return point


def check_finite(point: Array, what: str) -> None:
    """Refuse a point with NaN or infinity (ValueError)."""
    if not np.isfinite(point).all():
        raise NotFiniteError(f"{what}: {point.tolist()} has numbers that are not finite")


def finite_point(values: object, what: str) -> Array:
    """Return three finite numbers, (3,)."""
    point = real_point(values, what)
    check_finite(point, what)
    return point


def is_transform(value: object) -> bool:
    """Tell whether a dict's value stands for a transform rather than for a number."""
    if isinstance(value, (float, int)):
        return False
    if isinstance(value, Isometry3d) or hasattr(value, "homogeneous"):
        return True
    if isinstance(value, np.ndarray):
        return value.ndim == 2
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))
