"""Checks of value vectors in compiled code; what is wrong comes back as a number."""

import math
import sys

from kinegraph.kinematics.jit import kernel, short_kernel
from kinegraph.scene.array_types import Array

__all__ = ["NOT_FINITE", "WRONG_LENGTH", "are_finite", "check_values", "store_values"]

WRONG_LENGTH = 1
NOT_FINITE = 2

LARGEST = sys.float_info.max


@kernel
def check_values(q: Array, length: int) -> int:
    """Return 0, `WRONG_LENGTH` or `NOT_FINITE`."""
    if q.shape[0] != length:
        return WRONG_LENGTH
    for i in range(length):
        if not math.isfinite(q[i]):
            return NOT_FINITE
    return 0


@kernel
def are_finite(values: Array) -> bool:
    """Tell whether no number of a long vector is NaN or infinite."""
    count = 0
    for i in range(values.shape[0]):  # counting is widened, leaving the loop early is not
        count += 0 if abs(values[i]) <= LARGEST else 1
    return count == 0


@short_kernel
def store_values(q: Array, target: Array) -> int:
    """Copy all of `q`, or nothing and return `WRONG_LENGTH` or `NOT_FINITE`."""
    code = check_values(q, target.shape[0])
    if code == 0:
        for i in range(target.shape[0]):
            target[i] = q[i]
    return code
