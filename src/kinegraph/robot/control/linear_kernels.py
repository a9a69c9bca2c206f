"""Symmetric positive definite 6x6 systems, in place, in flat arrays."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array


@kernel
def add_outer(a: Array, i: int, c: Array, j: int) -> None:
    """Add c c^T, with the six numbers at j, to the lower triangle of the matrix at i."""
    for r in range(6):
        for s in range(r + 1):
            a[i + 6 * r + s] += c[j + r] * c[j + s]


@kernel
def set_scaled_identity(a: Array, i: int, value: float) -> None:
    """Set the lower triangle of the 6x6 matrix at i to value times the identity."""
    for r in range(6):
        for s in range(r):
            a[i + 6 * r + s] = 0.0
        a[i + 7 * r] = value


@kernel
def factor(a: Array, i: int) -> bool:
    """Replace the lower triangle at i by its Cholesky factor; False if it is not definite.

    The diagonal of the factor is stored inverted.
    """
    for r in range(6):
        for s in range(r):
            value = a[i + 6 * r + s]
            for k in range(s):
                value -= a[i + 6 * r + k] * a[i + 6 * s + k]
            a[i + 6 * r + s] = value * a[i + 7 * s]
        value = a[i + 7 * r]
        for k in range(r):
            value -= a[i + 6 * r + k] * a[i + 6 * r + k]
        if not value > 0.0 or value == math.inf:
            return False
        a[i + 7 * r] = 1.0 / math.sqrt(value)
    return True


@kernel
def solve(a: Array, i: int, x: Array, j: int) -> None:
    """Solve in place for the six numbers at j, with the factor at i."""
    for r in range(6):
        value = x[j + r]
        for k in range(r):
            value -= a[i + 6 * r + k] * x[j + k]
        x[j + r] = value * a[i + 7 * r]
    for m in range(6):
        r = 5 - m
        value = x[j + r]
        for k in range(r + 1, 6):
            value -= a[i + 6 * k + r] * x[j + k]
        x[j + r] = value * a[i + 7 * r]
