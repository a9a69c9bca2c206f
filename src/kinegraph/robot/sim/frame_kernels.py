"""Poses as sixteen column-major numbers somewhere in a flat array."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = [
    "advance_frame",
    "copy_numbers",
    "flange_to_frame",
    "is_homogeneous",
    "move_jacobian",
    "multiply_frames",
    "rotation_between",
    "set_identity",
]

# libfranka's tolerance for the norms of rows and columns (fci-protocol 13.2).
UNIT_TOLERANCE = 1e-5


@kernel
def copy_numbers(source: Array, i: int, target: Array, j: int, count: int) -> None:
    """Copy `count` numbers from `source[i]` on to `target[j]` on."""
    for k in range(count):
        target[j + k] = source[i + k]


@kernel
def set_identity(out: Array, k: int) -> None:
    """Write the identity."""
    for i in range(16):
        out[k + i] = 1.0 if i % 5 == 0 else 0.0


@kernel
def multiply_frames(a: Array, i: int, b: Array, j: int, out: Array, k: int) -> None:
    """`out[k:]` = `a[i:]` times `b[j:]`; the result must lie apart from both."""
    for c in range(4):
        for r in range(4):
            total = 0.0
            for s in range(4):
                total += a[i + 4 * s + r] * b[j + 4 * c + s]
            out[k + 4 * c + r] = total


@kernel
def flange_to_frame(x: Array, flange: int, tool: int, k: int) -> None:
    """`x[k:]` = the row-major pose at `x[flange]` times the frame at `x[tool]`."""
    for c in range(4):
        for r in range(4):
            total = 0.0
            for s in range(4):
                total += x[flange + 4 * r + s] * x[tool + 4 * c + s]
            x[k + 4 * c + r] = total


@kernel
def move_jacobian(x: Array, at: int, dx: float, dy: float, dz: float) -> None:
    """Move the reference point of the (6, 7) Jacobian at `x[at]` by (dx, dy, dz): v += w x d."""
    for j in range(at, at + 7):
        wx, wy, wz = x[j + 21], x[j + 28], x[j + 35]
        x[j] += wy * dz - wz * dy
        x[j + 7] += wz * dx - wx * dz
        x[j + 14] += wx * dy - wy * dx


@kernel
def rotation_between(a: Array, i: int, b: Array, j: int, out: Array, k: int) -> float:
    """Rotation vector that turns the pose at `a[i]` into the one at `b[j]`, in base axes, rad.

    Returns:
        Its length, at most pi.
    """
    r = 0.0
    trace, x, y, z = 0.0, 0.0, 0.0, 0.0
    for s in range(3):  # R = R_b R_a^T, column by column of the two
        a0, a1, a2 = a[i + 4 * s], a[i + 4 * s + 1], a[i + 4 * s + 2]
        b0, b1, b2 = b[j + 4 * s], b[j + 4 * s + 1], b[j + 4 * s + 2]
        trace += b0 * a0 + b1 * a1 + b2 * a2
        x += b2 * a1 - b1 * a2
        y += b0 * a2 - b2 * a0
        z += b1 * a0 - b0 * a1
    sine = 0.5 * math.sqrt(x * x + y * y + z * z)
    angle = math.atan2(sine, 0.5 * (trace - 1.0))
    r = 0.5 * angle / sine if sine > 1e-12 else 0.5
    out[k], out[k + 1], out[k + 2] = r * x, r * y, r * z
    return angle


@kernel
def advance_frame(a: Array, i: int, twist: Array, t: int, dt: float, out: Array, k: int) -> None:
    """Move the pose at `a[i]` with a twist in base axes for `dt`; the result may be the same place.

    The rotation is R(w dt) by Rodrigues' formula.
    """
    wx, wy, wz = twist[t + 3] * dt, twist[t + 4] * dt, twist[t + 5] * dt
    angle = math.sqrt(wx * wx + wy * wy + wz * wz)
    s = math.sin(angle) / angle if angle > 1e-12 else 1.0
    c = (1.0 - math.cos(angle)) / (angle * angle) if angle > 1e-6 else 0.5
    for column in range(3):
        p = i + 4 * column
        x, y, z = a[p], a[p + 1], a[p + 2]
        ux, uy, uz = wy * z - wz * y, wz * x - wx * z, wx * y - wy * x
        o = k + 4 * column
        out[o] = x + s * ux + c * (wy * uz - wz * uy)
        out[o + 1] = y + s * uy + c * (wz * ux - wx * uz)
        out[o + 2] = z + s * uz + c * (wx * uy - wy * ux)
        out[o + 3] = 0.0
    for r in range(3):
        out[k + 12 + r] = a[i + 12 + r] + twist[t + r] * dt
    out[k + 15] = 1.0


@kernel
def is_homogeneous(a: Array, i: int) -> bool:
    """Whether sixteen numbers pass libfranka's test of a transformation."""
    if a[i + 3] != 0.0 or a[i + 7] != 0.0 or a[i + 11] != 0.0 or a[i + 15] != 1.0:
        return False
    for s in range(3):
        column, row = 0.0, 0.0
        for r in range(3):
            column += a[i + 4 * s + r] * a[i + 4 * s + r]
            row += a[i + 4 * r + s] * a[i + 4 * r + s]
        if not abs(math.sqrt(column) - 1.0) <= UNIT_TOLERANCE:
            return False
        if not abs(math.sqrt(row) - 1.0) <= UNIT_TOLERANCE:
            return False
    return True
