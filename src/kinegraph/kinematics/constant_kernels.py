"""Constant transforms of a chain that is being compiled.

A transform is 12 numbers of a flat array: columns x, y, z of the rotation, then the translation.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.tree_layout import AXIS, ROTATION, SLIDES, TRANSLATION, TURNS
from kinegraph.scene.array_types import Array

__all__ = [
    "copy_constant",
    "put_axis_frame",
    "put_motion",
    "put_origin",
    "put_product",
    "set_identity",
    "slide_along_z",
    "turn_about_z",
]


@kernel
def set_identity(w: Array, at: int) -> None:
    """Write the identity: columns x, y, z, then the translation."""
    for i in range(12):
        w[at + i] = 0.0
    w[at], w[at + 4], w[at + 8] = 1.0, 1.0, 1.0


@kernel
def copy_constant(w: Array, source: int, target: int) -> None:
    """Copy a transform."""
    for i in range(12):
        w[target + i] = w[source + i]


@kernel
def put_product(w: Array, a: int, b: int, out: int) -> None:
    """Write A * B at `out`, which may be either of them."""
    a0, a1, a2, a3, a4, a5 = w[a], w[a + 1], w[a + 2], w[a + 3], w[a + 4], w[a + 5]
    a6, a7, a8, a9, a10, a11 = w[a + 6], w[a + 7], w[a + 8], w[a + 9], w[a + 10], w[a + 11]
    for c in range(4):
        x, y, z = w[b + 3 * c], w[b + 3 * c + 1], w[b + 3 * c + 2]
        last = 1.0 if c == 3 else 0.0
        w[out + 3 * c] = a0 * x + a3 * y + a6 * z + a9 * last
        w[out + 3 * c + 1] = a1 * x + a4 * y + a7 * z + a10 * last
        w[out + 3 * c + 2] = a2 * x + a5 * y + a8 * z + a11 * last


@kernel
def put_origin(numbers: Array, row: int, inverted: int, w: Array, at: int) -> None:
    """Write the origin of a row's joint, or its inverse."""
    for r in range(3):
        for c in range(3):
            value = numbers[row, ROTATION + 3 * r + c]
            if inverted:
                w[at + 3 * r + c] = value
            else:
                w[at + 3 * c + r] = value
        w[at + 9 + r] = numbers[row, TRANSLATION + r]
    if inverted:
        x, y, z = w[at + 9], w[at + 10], w[at + 11]
        for r in range(3):
            w[at + 9 + r] = -(w[at + r] * x + w[at + 3 + r] * y + w[at + 6 + r] * z)


@kernel
def put_motion(numbers: Array, row: int, kind: int, value: float, w: Array, at: int) -> None:
    """Write the motion of a joint that stands still at `value`."""
    set_identity(w, at)
    x, y, z = numbers[row, AXIS], numbers[row, AXIS + 1], numbers[row, AXIS + 2]
    if kind == SLIDES:
        w[at + 9], w[at + 10], w[at + 11] = x * value, y * value, z * value
    elif kind == TURNS:
        s, c = math.sin(value), math.cos(value)
        v = 1.0 - c
        w[at], w[at + 1], w[at + 2] = c + x * x * v, x * y * v + z * s, x * z * v - y * s
        w[at + 3], w[at + 4], w[at + 5] = x * y * v - z * s, c + y * y * v, y * z * v + x * s
        w[at + 6], w[at + 7], w[at + 8] = x * z * v + y * s, y * z * v - x * s, c + z * z * v


@kernel
def put_axis_frame(numbers: Array, row: int, inverted: int, w: Array, at: int) -> None:
    """Write a rotation whose z is the joint's axis, or its inverse.

    The other two axes as in Duff et al. 2017, "Building an Orthonormal Basis, Revisited".
    """
    x, y, z = numbers[row, AXIS], numbers[row, AXIS + 1], numbers[row, AXIS + 2]
    sign = 1.0 if z >= 0.0 else -1.0
    a = -1.0 / (sign + z)
    b = x * y * a
    set_identity(w, at)
    w[at], w[at + 1], w[at + 2] = 1.0 + sign * x * x * a, sign * b, -sign * x
    w[at + 3], w[at + 4], w[at + 5] = b, sign + y * y * a, -y
    w[at + 6], w[at + 7], w[at + 8] = x, y, z
    if inverted:
        for r in range(3):
            for c in range(r):
                w[at + 3 * r + c], w[at + 3 * c + r] = w[at + 3 * c + r], w[at + 3 * r + c]


@kernel
def slide_along_z(w: Array, at: int, distance: float) -> None:
    """Multiply by a translation along z on the right."""
    for r in range(3):
        w[at + 9 + r] += w[at + 6 + r] * distance


@kernel
def turn_about_z(w: Array, at: int, angle: float) -> None:
    """Multiply by a rotation about z on the right."""
    s, c = math.sin(angle), math.cos(angle)
    for r in range(3):
        x, y = w[at + r], w[at + 3 + r]
        w[at + r], w[at + 3 + r] = x * c + y * s, y * c - x * s
