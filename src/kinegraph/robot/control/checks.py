"""Checks of what a caller hands to the controller; each refusal names the field."""

import math

import numpy as np

from kinegraph.robot.argument_checks import as_numbers, is_number
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array

__all__ = [
    "check_count",
    "check_finite_vector",
    "check_in_range",
    "check_kind",
    "check_margin",
    "check_non_negative",
    "check_positive",
    "check_positive_vector",
    "check_posture",
    "check_shape",
    "refuse",
]


def refuse(field: str, value: object, rule: str) -> InvalidArgumentError:
    """Return the error for a value that breaks a rule."""
    return InvalidArgumentError(f"{field}: {value!r:.200} {rule}", field=field, value=value)


def check_kind(field: str, value: object, kind: type) -> None:
    """Raise InvalidArgumentError unless the value is of a kind."""
    if not isinstance(value, kind):
        raise refuse(field, value, f"is no {kind.__name__}")


def check_positive(field: str, value: float) -> None:
    """Raise InvalidArgumentError unless the value is finite and above zero."""
    if not (is_number(value) and math.isfinite(value) and value > 0.0):
        raise refuse(field, value, "is not finite and above zero")


def check_non_negative(field: str, value: float) -> None:
    """Raise InvalidArgumentError unless the value is finite and not below zero."""
    if not (is_number(value) and math.isfinite(value) and value >= 0.0):
        raise refuse(field, value, "is not finite and at least zero")


def check_count(field: str, value: int, most: int) -> None:
    """Raise InvalidArgumentError unless the value is a whole number from one to the most."""
    if not is_number(value) or not 1 <= value <= most or int(value) != value:
        raise refuse(field, value, f"is not a whole number from 1 to {most}")


def check_in_range(
    field: str, value: float, low: float, high: float, *, open_below: bool = False
) -> None:
    """Raise InvalidArgumentError unless the value is finite and in [low, high].

    Args:
        field: Name of the field.
        value: Its value.
        low: Smallest value, itself refused if `open_below`.
        high: Largest value.
        open_below: Whether the interval is open at its lower end.
    """
    inside = is_number(value) and math.isfinite(value) and low <= value <= high
    if not inside or (open_below and value == low):
        raise refuse(field, value, f"is outside {'(' if open_below else '['}{low:g}, {high:g}]")


def check_finite_vector(field: str, value: object, count: int | None) -> Array:
    """Return a finite vector as an array, or raise InvalidArgumentError.

    Args:
        field: Name of the field.
        value: What the caller gave.
        count: Its length, None if any will do.
    """
    array = as_numbers(field, value)
    if array.ndim != 1 or (count is not None and array.shape[0] != count):
        wanted = "one-dimensional" if count is None else f"({count},)"
        raise InvalidArgumentError(
            f"{field}: shape {array.shape}, expected {wanted}", field=field, value=value
        )
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InvalidArgumentError(
            f"{field}: entry {at} is {array[at]}, not finite", field=field, value=value
        )
    return array


def check_positive_vector(field: str, value: object, count: int | None) -> Array:
    """Return a vector of finite numbers above zero, or raise InvalidArgumentError."""
    array = check_finite_vector(field, value, count)
    for number in array:
        check_positive(field, float(number))
    return array


def check_shape(field: str, value: object, shape: tuple[int, ...]) -> Array:
    """Return a copy of numbers of a shape, finite or not, or raise InvalidArgumentError."""
    array = as_numbers(field, value)
    if array.shape != shape:
        raise InvalidArgumentError(
            f"{field}: shape {array.shape}, expected {shape}", field=field, value=value
        )
    return array


def check_posture(field: str, q: Array, arm: ArmTable, inset: float) -> None:
    """Raise InvalidArgumentError for joints nearer to their limits than the inset.

    Args:
        field: Name of the field.
        q: (n,) rad.
        arm: The arm's table.
        inset: Distance from the limits that is still allowed, rad.
    """
    low, high = arm.lower + inset, arm.upper - inset
    outside = np.flatnonzero((q < low) | (q > high))
    if outside.size == 0:
        return
    listed = "; ".join(
        f"joint {i + 1} at {q[i]:.6g} rad is outside [{low[i]:.6g}, {high[i]:.6g}]" for i in outside
    )
    raise InvalidArgumentError(
        f"{field}: {listed} ({arm.name})",
        field=field,
        joint=int(outside[0]) + 1,
        joints=tuple(int(i) + 1 for i in outside),
        value=float(q[outside[0]]),
    )


def check_margin(field: str, margin: float, arm: ArmTable) -> None:
    """Raise InvalidArgumentError if a margin on both sides leaves a joint no room.

    Args:
        field: Name of the field.
        margin: Its value, rad or m.
        arm: The arm's table.
    """
    room = arm.upper - arm.lower
    narrow = np.flatnonzero(room <= 2.0 * margin)
    if narrow.size:
        i = int(narrow[0])
        raise InvalidArgumentError(
            f"{field}: {margin:g} on both sides leaves joint {i + 1} no room, its range is "
            f"{room[i]:g} ({arm.name})",
            field=field,
            joint=i + 1,
            value=margin,
        )
