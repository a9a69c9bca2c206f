"""Checks of arguments that public functions share: what is of a wrong kind is refused in words."""

import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kinegraph.scene.errors import NotFiniteError, WrongTypeError

T = TypeVar("T")

NO_NUMBERS = (bool, np.bool_, str, complex, np.complexfloating, np.ndarray)
"""What float() would take, or cut, without a word; an array without axes is a number still."""


def check_number(value: Any, what: str) -> float:
    """Return a finite real number as float.

    Raises:
        WrongTypeError: No number. Also a `TypeError`.
        NotFiniteError: NaN or infinite. Also a `ValueError`.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, NO_NUMBERS) or not hasattr(value, "__float__"):
        raise WrongTypeError(f"{what} must be a number, not {value!r:.100}")
    try:
        number = float(value)
    except OverflowError as error:
        raise NotFiniteError(f"{what} is an integer that no float can hold") from error
    except (TypeError, ValueError) as error:
        raise WrongTypeError(f"{what} must be a number, not {value!r:.100}") from error
    if not math.isfinite(number):
        raise NotFiniteError(f"{what} is {value!r:.100}; a finite number is needed")
    return number


def check_text(value: object, what: str) -> str:
    """Return a text, which may be empty; refuse anything else (TypeError)."""
    if not isinstance(value, str):
        raise WrongTypeError(f"{what} must be a str, not {value!r:.100}")
    return value


def check_flag(value: object, what: str) -> bool:
    """Return a bool; refuse what only has a truth value, such as "no" (TypeError)."""
    if not isinstance(value, bool | np.bool_):
        raise WrongTypeError(f"{what} must be a bool, not {value!r:.100}")
    return bool(value)


def check_kind(value: object, kind: type[T], what: str) -> T:
    """Return an object of a class; refuse any other (TypeError)."""
    if not isinstance(value, kind):
        name = kind.__name__
        article = "an" if name[0] in "AEIO" else "a"
        raise WrongTypeError(f"{what}: {article} {name} is needed, not {value!r:.100}")
    return value


def check_entries(value: Iterable[T], what: str, kind: str = "a list") -> list[T]:
    """Return the entries of a list or the like; a single text is none (TypeError).

    Args:
        value: What was given.
        what: What it is, for the error.
        kind: What is wanted, for the error.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise WrongTypeError(f"{what} must be {kind}, not {value!r:.100}")
    try:
        return list(value)
    except TypeError as error:  # an array without axes
        raise WrongTypeError(f"{what} must be {kind}, not {value!r:.100}") from error


def check_path(value: str | os.PathLike[str], what: str) -> Path:
    """Return a path; refuse all but str and `os.PathLike` (TypeError).

    open() would take numbers too, and close what they stand for.
    """
    if not isinstance(value, str | os.PathLike):
        raise WrongTypeError(f"{what}: a path must be a str or os.PathLike, not {value!r:.100}")
    try:
        return Path(value)
    except TypeError as error:  # a PathLike of bytes
        raise WrongTypeError(f"{what}: {value!r:.100} is no path in letters") from error
