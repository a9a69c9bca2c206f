"""Checks and comparisons that links, joints and graphs share."""

import math

from kinegraph.scene.errors import InvalidNameError, WrongTypeError

ALMOST = 1e-6
EPSILON = 2.220446049250313e-16


def checked_name(name: object, what: str) -> str:
    """Return `name`; refuse what is no str (TypeError) or empty (ValueError)."""
    if not isinstance(name, str):
        raise WrongTypeError(f"{what}: a name must be a str, not {name!r:.100}")
    if not name:
        raise InvalidNameError(f"{what}: a name must not be empty")
    return name


def almost_equal(a: float, b: float) -> bool:
    """Compare two numbers to 1e-6 absolute or a float's precision relative, as tesseract does.

    An infinite number equals itself and no other; NaN equals nothing.
    """
    difference = abs(a - b)
    if not math.isfinite(difference):
        return a == b
    return difference <= ALMOST or difference <= EPSILON * max(abs(a), abs(b))
