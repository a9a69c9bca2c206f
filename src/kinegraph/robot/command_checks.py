"""What every command must be before it is sent, fci-protocol 13.2, with libfranka's texts."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinegraph.robot import conversion_codes as codes
from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array

__all__ = [
    "check_elbow",
    "check_finite",
    "check_pose",
    "elbow_values",
    "is_homogeneous_transformation",
    "is_valid_elbow",
    "pose_values",
    "values_of",
]

RIGID_TOLERANCE = 1e-5


def values_of(value: Any, count: int, name: str) -> Array:
    """Return a copy of `count` numbers.

    Raises:
        InvalidArgumentError: No numbers, or another count. Also a `ValueError`.
    """
    array = as_numbers(name, value)
    if array.shape != (count,):
        raise InvalidArgumentError(
            f"{name} needs {count} numbers, not an array of shape {array.shape}", field=name
        )
    return array


def pose_values(pose: Any, name: str) -> Array:
    """Return a pose as sixteen numbers, column by column.

    Args:
        pose: (4, 4) matrix (an array, rows of a list, an `Isometry3d`, pinocchio's SE3), or (16,)
            numbers that are column-major already.
        name: How error messages call it.

    Raises:
        InvalidArgumentError: Neither. Also a `ValueError`.
    """
    array = as_numbers(name, getattr(pose, "homogeneous", pose))
    if array.shape == (4, 4):
        return array.T.flatten()
    if array.shape != (16,):
        raise InvalidArgumentError(
            f"{name} needs 16 numbers (column-major) or a 4x4 matrix, not an array of shape "
            f"{array.shape}",
            field=name,
        )
    return array


def elbow_values(elbow: Any) -> Array | None:
    """Return an elbow as two numbers, None for none; libfranka takes (0, 0) for none.

    Raises:
        InvalidArgumentError: Not two numbers. Also a `ValueError`.
    """
    if elbow is None:
        return None
    values = values_of(elbow, 2, "elbow")
    return values if values.any() else None


def check_finite(values: Array, name: str) -> None:
    """Refuse NaN and infinity.

    Raises:
        InvalidArgumentError: It names the field and the entry. Also a `ValueError`.
    """
    for index, value in enumerate(values.tolist()):
        if not math.isfinite(value):
            raise InvalidArgumentError(
                f"{codes.TEXTS[codes.NOT_FINITE]} ({name}[{index}] = {value})",
                field=name,
                index=index,
                value=value,
            )


def check_pose(values: Array, name: str) -> None:
    """Refuse what libfranka does not take for a homogeneous transform.

    Raises:
        InvalidArgumentError: It says which row or column is off. Also a `ValueError`.
    """
    check_finite(values, name)
    fault = _fault(values.tolist())
    if fault is not None:
        raise InvalidArgumentError(
            f"{codes.TEXTS[codes.NOT_RIGID]} ({name}: {fault})", field=name, value=values.tolist()
        )


def _fault(m: Sequence[float]) -> str | None:
    last = (m[3], m[7], m[11], m[15])
    if last != (0.0, 0.0, 0.0, 1.0):
        return f"the last row must be 0 0 0 1, not {last}"
    for j in range(3):
        column = math.sqrt(m[4 * j] ** 2 + m[4 * j + 1] ** 2 + m[4 * j + 2] ** 2)
        row = math.sqrt(m[j] ** 2 + m[4 + j] ** 2 + m[8 + j] ** 2)
        for what, length in (("column", column), ("row", row)):
            if not abs(length - 1.0) <= RIGID_TOLERANCE:
                return f"{what} {j} of the rotation has length {length:.9g}: not orthonormal"
    return None


def is_homogeneous_transformation(pose: Any) -> bool:
    """Return whether libfranka takes a pose: last row 0 0 0 1, rows and columns of length 1.

    Nothing else is looked at: a reflection passes, and so does any translation.

    Args:
        pose: (16,) column-major, 4x4 or `Isometry3d`.

    Raises:
        InvalidArgumentError: Not sixteen numbers. Also a `ValueError`.
    """
    return _fault(pose_values(pose, "pose").tolist()) is None


def is_valid_elbow(elbow: Any) -> bool:
    """Return whether the sign of joint 4 in an elbow is exactly +1 or -1.

    Args:
        elbow: (2,) position of joint 3, rad, and sign of joint 4.

    Raises:
        InvalidArgumentError: Not two numbers. Also a `ValueError`.
    """
    values = values_of(elbow, 2, "elbow")
    return bool(np.isfinite(values).all() and abs(values[1]) == 1.0)


def check_elbow(elbow: Array | None) -> None:
    """Refuse an elbow that is not finite or whose sign is not exactly +1 or -1.

    Raises:
        InvalidArgumentError: It shows the elbow. Also a `ValueError`.
    """
    if elbow is None:
        return
    check_finite(elbow, "elbow")
    if abs(elbow[1]) != 1.0:
        raise InvalidArgumentError(
            f"{codes.TEXTS[codes.BAD_ELBOW]} (elbow = {elbow.tolist()})",
            field="elbow",
            value=elbow.tolist(),
        )
