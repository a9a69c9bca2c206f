"""The errors of an inverse problem and their derivatives.

With the target (R_t, p_t) and the tip (R, p), the errors are R_t^T (p_t - p) and the rotation
vector of R^T R_t, both in the axes of the target. The rotation vector phi of R_t R^T, in base
axes, changes with the tip's angular velocity w as -Jr^-1(phi) w, with the inverse right Jacobian
Jr^-1 = 1 + [phi]/2 + c [phi]^2, c = (1 - (t/2) cot(t/2)) / t^2, t = |phi| (Chirikjian, Stochastic
Models, Information Theory, and Lie Groups, volume 2, 10.7).
"""

import math

from kinegraph.kinematics.chain_kernels import (
    Frame,
    carry_frame,
    spatial_column,
    start_frame,
    tip_place,
)
from kinegraph.kinematics.chain_layout import (
    BASE,
    COLUMN,
    STEP_COUNT,
    STEP_SIZE,
    STEPS,
    TOOL,
)
from kinegraph.kinematics.inverse_layout import (
    PLAN_CHAINS,
    PLAN_COLUMNS,
    PLAN_TIPS,
    VECTORS,
    WEIGHTS,
)
from kinegraph.kinematics.inverse_target_kernels import target_place
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = [
    "copy_vector",
    "evaluate",
    "residual_place",
]

SMALL_ANGLE = 1e-3


@kernel
def copy_vector(source: Array, x: int, target: Array, y: int, count: int) -> None:
    """Copy `count` numbers."""
    for i in range(count):
        target[y + i] = source[x + i]


@kernel
def residual_place(n: int, m: int, side: int) -> int:
    """Where the residual of a side lies; its Jacobian follows, m numbers per column."""
    return VECTORS * n + 2 * n * n + side * m * (n + 1)


@kernel
def evaluate(
    plan: Array, settings: Array, work: Array, x: int, side: int
) -> tuple[float, float, float]:
    """Write residual and Jacobian of the values at `x`.

    Returns:
        Half the squared residual; the largest position error, m; the largest rotation error, rad.
        Errors along axes of weight zero do not count.
    """
    n, tips = int(plan[PLAN_COLUMNS]), int(plan[PLAN_TIPS])
    m = 6 * tips
    at = residual_place(n, m, side)
    for i in range(m, m * (n + 1)):
        work[at + i] = 0.0
    position, rotation, cost = 0.0, 0.0, 0.0
    for tip in range(tips):
        p2, r2 = tip_rows(plan, settings, work, x, at, tip)
        position, rotation = max(position, p2), max(rotation, r2)
    for i in range(m):
        cost += work[at + i] * work[at + i]
    return 0.5 * cost, math.sqrt(position), math.sqrt(rotation)


@kernel
def sweep_tip(plan: Array, o: int, work: Array, x: int, j: int, m: int) -> Frame:
    """Add up a tip's spatial Jacobian; return the frame behind the last joint.

    Args:
        plan: The chains.
        o: Where the chain begins.
        work: Working memory.
        x: Where the values are.
        j: Where the tip's six rows of column 0 are.
        m: Numbers per column.
    """
    frame = start_frame(plan, o + BASE)
    for i in range(int(plan[o + STEP_COUNT])):
        k = o + STEPS + STEP_SIZE * i
        column = int(plan[k + COLUMN])
        frame = carry_frame(plan, k, work[x + column], frame)
        v0, v1, v2, w0, w1, w2 = spatial_column(plan, k, frame)
        r = j + m * column
        work[r] += v0
        work[r + 1] += v1
        work[r + 2] += v2
        work[r + 3] += w0
        work[r + 4] += w1
        work[r + 5] += w2
    return frame


@kernel
def rotate(t: Array, o: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A row vector times three columns of a tool's rotation."""
    return (
        x * t[o] + y * t[o + 1] + z * t[o + 2],
        x * t[o + 3] + y * t[o + 4] + z * t[o + 5],
        x * t[o + 6] + y * t[o + 7] + z * t[o + 8],
    )


@kernel
def into_target(work: Array, t: int, v: tuple[float, float, float]) -> tuple[float, float, float]:
    """A vector of base axes in the axes of the target."""
    x, y, z = v
    return (
        work[t] * x + work[t + 3] * y + work[t + 6] * z,
        work[t + 1] * x + work[t + 4] * y + work[t + 7] * z,
        work[t + 2] * x + work[t + 5] * y + work[t + 8] * z,
    )


@kernel
def tip_rows(
    plan: Array, settings: Array, work: Array, x: int, at: int, tip: int
) -> tuple[float, float]:
    """Write six rows of the residual and the Jacobian; return both squared errors."""
    n, m = int(plan[PLAN_COLUMNS]), 6 * int(plan[PLAN_TIPS])
    o, t = int(plan[PLAN_CHAINS + tip]), target_place(n, m, tip)
    j, w, e = at + m + 6 * tip, WEIGHTS + 6 * tip, at + 6 * tip
    frame = sweep_tip(plan, o, work, x, j, m)
    x0, y0, z0, _, x1, y1, z1, _, x2, y2, z2, _ = frame
    tool = o + TOOL
    p = tip_place(plan, tool, frame)
    phi = rotation_vector(
        work,
        t,
        rotate(plan, tool, x0, y0, z0),
        rotate(plan, tool, x1, y1, z1),
        rotate(plan, tool, x2, y2, z2),
    )
    gap = (work[t + 9] - p[0], work[t + 10] - p[1], work[t + 11] - p[2])
    position = write_rows(settings, w, work, e, into_target(work, t, gap))
    rotation = write_rows(settings, w + 3, work, e + 3, into_target(work, t, phi))
    factor = right_factor(phi)
    for i in range(n):
        weigh_column(settings, w, work, t, j + m * i, p, phi, factor)
    return position, rotation


@kernel
def weigh_column(
    settings: Array,
    w: int,
    work: Array,
    t: int,
    r: int,
    p: tuple[float, float, float],
    phi: tuple[float, float, float],
    factor: float,
) -> None:
    """Turn a column of the spatial Jacobian into how the weighted errors shrink."""
    p0, p1, p2 = p
    a0, a1, a2 = work[r + 3], work[r + 4], work[r + 5]
    linear = (
        work[r] + a1 * p2 - a2 * p1,
        work[r + 1] + a2 * p0 - a0 * p2,
        work[r + 2] + a0 * p1 - a1 * p0,
    )
    write_rows(settings, w, work, r, into_target(work, t, linear))
    turned = undo_right(phi, factor, (a0, a1, a2))
    write_rows(settings, w + 3, work, r + 3, into_target(work, t, turned))


@kernel
def write_rows(
    settings: Array, w: int, work: Array, at: int, v: tuple[float, float, float]
) -> float:
    """Write three weighted numbers; return the squared length along the axes that count."""
    square = 0.0
    for i in range(3):
        weight = settings[w + i]
        work[at + i] = weight * v[i]
        if weight > 0.0:
            square += v[i] * v[i]
    return square


@kernel
def rotation_vector(
    work: Array,
    t: int,
    u: tuple[float, float, float],
    v: tuple[float, float, float],
    w: tuple[float, float, float],
) -> tuple[float, float, float]:
    """Rotation vector of R_t R^T, with the rows of R given; at most pi long.

    By its quaternion, of which the largest number is computed first, so that neither small
    rotations nor half turns lose digits.
    """
    ux, uy, uz = u
    vx, vy, vz = v
    wx, wy, wz = w
    a, b, c = work[t], work[t + 1], work[t + 2]
    r00, r01, r02 = a * ux + b * uy + c * uz, a * vx + b * vy + c * vz, a * wx + b * wy + c * wz
    a, b, c = work[t + 3], work[t + 4], work[t + 5]
    r10, r11, r12 = a * ux + b * uy + c * uz, a * vx + b * vy + c * vz, a * wx + b * wy + c * wz
    a, b, c = work[t + 6], work[t + 7], work[t + 8]
    r20, r21, r22 = a * ux + b * uy + c * uz, a * vx + b * vy + c * vz, a * wx + b * wy + c * wz
    trace = r00 + r11 + r22
    if trace > max(r00, max(r11, r22)):
        x, y, z, s = r21 - r12, r02 - r20, r10 - r01, 1.0 + trace
    elif r00 >= r11 and r00 >= r22:
        x, y, z, s = 1.0 + r00 - r11 - r22, r01 + r10, r02 + r20, r21 - r12
    elif r11 >= r22:
        x, y, z, s = r01 + r10, 1.0 - r00 + r11 - r22, r12 + r21, r02 - r20
    else:
        x, y, z, s = r02 + r20, r12 + r21, 1.0 - r00 - r11 + r22, r10 - r01
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return 0.0, 0.0, 0.0
    scale = 2.0 * math.atan2(length, abs(s)) / length
    if s < 0.0:
        scale = -scale
    return scale * x, scale * y, scale * z


@kernel
def right_factor(phi: tuple[float, float, float]) -> float:
    """The factor c of the inverse right Jacobian."""
    x, y, z = phi
    square = x * x + y * y + z * z
    if square < SMALL_ANGLE * SMALL_ANGLE:
        return 1.0 / 12.0 + square / 720.0
    half = 0.5 * math.sqrt(square)
    return (1.0 - half / math.tan(half)) / square


@kernel
def undo_right(
    phi: tuple[float, float, float], c: float, v: tuple[float, float, float]
) -> tuple[float, float, float]:
    """The inverse right Jacobian times a vector."""
    x, y, z = phi
    v0, v1, v2 = v
    a0, a1, a2 = y * v2 - z * v1, z * v0 - x * v2, x * v1 - y * v0
    b0, b1, b2 = y * a2 - z * a1, z * a0 - x * a2, x * a1 - y * a0
    return v0 + 0.5 * a0 + c * b0, v1 + 0.5 * a1 + c * b1, v2 + 0.5 * a2 + c * b2
