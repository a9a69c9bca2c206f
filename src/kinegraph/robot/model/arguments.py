"""Checks of what is given to a model: shapes, finite numbers, rigid transforms.

Everything of one call goes into one new array, so that the kernels see memory of one kind whatever
the caller has (views of a state are read-only), and one kernel looks at all numbers.
"""

from typing import Any, TypeAlias

import numpy as np

from kinegraph.robot.argument_checks import as_numbers, is_number
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.model.model_kernels import (
    NEGATIVE_MASS,
    NO_FAULT,
    NO_LOAD,
    SKEW,
    find_fault,
    rigid_error,
)
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.pose import TransformLike

__all__ = ["PoseLike", "check_rigid", "gather", "joint_number"]

PoseLike: TypeAlias = VectorLike | TransformLike
"""A transform: 16 numbers, column-major, or a matrix."""

Fields: TypeAlias = tuple[tuple[str, int], ...]
"""Names and lengths of the arguments of a call."""

# libfranka takes lengths of rows and columns that are off by 1e-5; their squares by twice as much.
RIGID_ERROR = 2e-5

FLOAT = np.dtype(np.float64)
TRANSFORM = 16


def gather(fields: Fields, *values: Any) -> Array:
    """Copy the arguments of a call into one array, one behind the other.

    Args:
        fields: Name and length of each. A length of 1 is the mass of a load, whose centre (3) and
            inertia (9) follow; there is one load at most.
        values: Vectors of real numbers; one number for a length of 1; for a length of 16 a (4, 4)
            matrix, `Isometry3d` or pinocchio SE3 too.

    Raises:
        InvalidArgumentError: Wrong length, not numbers, not finite, a negative mass, or an inertia
            that is not symmetric.
    """
    out = np.empty(sum([length for _, length in fields]))
    at, load = 0, NO_LOAD
    for (name, length), value in zip(fields, values, strict=True):
        if type(value) is not np.ndarray or value.dtype is not FLOAT or value.shape != (length,):
            value = _numbers(name, value, length)
        out[at : at + length] = value
        load = at if length == 1 else load
        at += length
    fault = find_fault(out, load)
    if fault != NO_FAULT:
        _refuse(fields, out, fault, load)
    return out


def _numbers(name: str, value: Any, length: int) -> Any:
    """Return `value` as something that fits `length` numbers."""
    if length == 1:
        if is_number(value):
            return value
        raise InvalidArgumentError(f"{name}: {value!r:.100} is not a real number")
    try:
        array = np.asanyarray(getattr(value, "homogeneous", value))
    except Exception as error:  # whatever an object's own conversion raises
        raise InvalidArgumentError(f"{name}: not an array of numbers: {value!r:.100}") from error
    if array.dtype.kind not in "fiu":
        raise InvalidArgumentError(f"{name}: {length} real numbers are needed, got {value!r:.100}")
    array = as_numbers(name, array)
    if length == TRANSFORM and array.shape == (4, 4):
        array = array.T.ravel()
    if array.shape != (length,):
        raise InvalidArgumentError(
            f"{name}: {length} numbers are needed, got an array of shape {array.shape}",
            expected=length,
        )
    return array


def _refuse(fields: Fields, out: Array, fault: int, load: int) -> None:
    """Raise for what `find_fault` found."""
    if fault == NEGATIVE_MASS:
        name, _ = _field_at(fields, load)
        raise InvalidArgumentError(f"{name}: the mass {out[load]} is negative", field=name)
    if fault == SKEW:
        name, at = _field_at(fields, load + 4)
        raise InvalidArgumentError(
            f"{name} is not symmetric: {out[at : at + 9].tolist()}", field=name
        )
    name, at = _field_at(fields, fault)
    index = "" if fault == load else f"[{fault - at}]"
    raise InvalidArgumentError(
        f"{name}{index} is {out[fault]}, not a finite number", field=name, value=float(out[fault])
    )


def _field_at(fields: Fields, index: int) -> tuple[str, int]:
    """Name and place of the field that the number at `index` belongs to."""
    end = 0
    for name, length in fields:
        end += length
        if index < end:
            return name, end - length
    raise IndexError(index)


def check_rigid(name: str, transform: Array) -> None:
    """Refuse a column-major (16,) that is no rigid transform.

    Raises:
        InvalidArgumentError: The last row is not (0, 0, 0, 1), or the rotation is off by more than
            1e-5, or mirrors.
    """
    if not rigid_error(transform) <= RIGID_ERROR:
        rotation = transform.reshape(4, 4)[:3, :3]
        raise InvalidArgumentError(
            f"{name} is not a rigid transform: last row {transform[3::4].tolist()}, "
            f"R R^T off by {np.abs(rotation @ rotation.T - np.eye(3)).max():.3g}, "
            f"det R {np.linalg.det(rotation):.6g}; the order is column-major"
        )


def joint_number(joint_index: Any) -> int:
    """Return the number of a joint.

    Raises:
        InvalidArgumentError: Not a whole number from 1 to 7.
    """
    whole = isinstance(joint_index, int | np.integer) and not isinstance(joint_index, bool)
    if not whole or not 1 <= joint_index <= 7:
        raise InvalidArgumentError(f"joint_index: {joint_index!r} is not a number from 1 to 7")
    return int(joint_index)
