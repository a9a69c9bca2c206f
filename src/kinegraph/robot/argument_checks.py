"""Single numbers that callers hand in: refused at the public edge, before anything is done."""

import math

import numpy as np

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array

__all__ = [
    "as_numbers",
    "check_duration",
    "check_finite_number",
    "check_flag",
    "check_frequency",
    "check_host",
    "check_whole",
    "is_number",
]


_TOO_LARGE = 2**1023


def is_number(value: object) -> bool:
    """Tell whether a value is a real number, numpy's included, and no truth value.

    An integer that no float64 can hold counts as none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return False
    return not isinstance(value, int) or abs(value) < _TOO_LARGE


def as_numbers(name: str, value: object) -> Array:
    """Return a copy of an array-like as float64.

    Text, times, complex numbers and masked entries are refused, which numpy would convert or cut.

    Args:
        name: How error messages call it.
        value: Array-like of any shape.

    Raises:
        InvalidArgumentError: It holds something else than real numbers. Also a `ValueError`.
    """
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value.copy()
    try:
        given = np.asanyarray(value)
        masked = isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given)
        if given.dtype.kind in "biufO" and not masked:
            # Objects (fractions, integers of any size) are converted one by one.
            return np.array(given, dtype=np.float64)
    except Exception as error:  # whatever an object's own conversion raises
        raise _no_numbers(name, value) from error
    raise _no_numbers(name, value)


def _no_numbers(name: str, value: object) -> InvalidArgumentError:
    return InvalidArgumentError(f"{name}: {value!r:.200} is no array of numbers", field=name)


def check_duration(name: str, value: object, *, zero: bool = True) -> None:
    """Refuse what is no time to wait.

    Args:
        name: How error messages call it.
        value: Seconds; may be infinite.
        zero: Whether no time at all is one.

    Raises:
        InvalidArgumentError: No number, NaN or negative. Also a `ValueError`.
    """
    if not is_number(value) or not (value > 0.0 or (zero and value == 0.0)):  # type: ignore[operator]
        at_least = "at least 0" if zero else "above 0"
        raise InvalidArgumentError(
            f"{name} is {value!r}; a number of seconds {at_least} is needed", field=name
        )


def check_frequency(name: str, value: object) -> None:
    """Refuse what is no cutoff of a low-pass filter.

    Raises:
        InvalidArgumentError: No finite positive number. Also a `ValueError`.
    """
    if not is_number(value) or not 0.0 < value < math.inf:  # type: ignore[operator]
        raise InvalidArgumentError(
            f"{name} is {value!r}; a positive number of Hz is needed, 1000 and more for no filter",
            field=name,
        )


def check_finite_number(name: str, value: object) -> None:
    """Refuse what is no finite real number.

    Raises:
        InvalidArgumentError: It is none. Also a `ValueError`.
    """
    if not is_number(value) or not math.isfinite(value):  # type: ignore[arg-type]
        raise InvalidArgumentError(f"{name} is {value!r}; a finite number is needed", field=name)


def check_whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse what is no whole number from `low` to `high`.

    Raises:
        InvalidArgumentError: It is none. Also a `ValueError`.
    """
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not low <= value <= high:  # type: ignore[operator]
        raise InvalidArgumentError(
            f"{name} is {value!r}; a whole number from {low} to {high} is needed", field=name
        )


def check_host(name: str, value: object) -> None:
    """Refuse what can be no name and no address of a machine.

    Raises:
        InvalidArgumentError: It is none. Also a `ValueError`.
    """
    if not isinstance(value, str) or not value or not value.isprintable():
        raise InvalidArgumentError(
            f"{name} is {value!r:.200}; a name or an IPv4 address is needed", field=name
        )
    try:
        if not value.isascii():
            value.encode("idna")  # as connecting does, which calls a failure a TypeError
    except UnicodeError as error:
        raise InvalidArgumentError(f"{name} {value!r} is no name: {error}", host=value) from error


def check_flag(name: str, value: object) -> None:
    """Refuse what is neither true nor false.

    Raises:
        InvalidArgumentError: It is none. Also a `ValueError`.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidArgumentError(f"{name} is {value!r}; True or False is needed", field=name)
