"""The targets of an inverse problem: whether they are poses, rotations made exact, and reach."""

import math

from kinegraph.kinematics.chain_layout import BASE
from kinegraph.kinematics.inverse_layout import (
    FARTHEST,
    NOT_AFFINE,
    NOT_FINITE,
    NOT_ROTATION,
    PLAN_CHAINS,
    PLAN_COLUMNS,
    PLAN_TIPS,
    POSITION_TOLERANCE,
    RIGID,
    VECTORS,
    WEIGHTS,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = ["check_targets", "is_out_of_reach", "orient_targets", "target_place"]

# Each Newton step squares the deviation from a rotation; the first one starts below `RIGID`.
POLAR_STEPS = 3


@kernel
def target_place(n: int, m: int, tip: int) -> int:
    """Where the rotation (row by row) and the position of a tip's target lie."""
    return VECTORS * n + 2 * n * n + 2 * m * (n + 1) + 12 * tip


@kernel
def check_targets(targets: Array, count: int) -> int:
    """Return -1 if all targets are rigid within 1e-3, else 4 * number + what is wrong."""
    for k in range(count):
        x = 16 * k
        for i in range(16):
            if not abs(targets[x + i]) <= FARTHEST:
                return 4 * k + NOT_FINITE
        off = abs(targets[x + 15] - 1.0)
        for i in range(12, 15):
            off = max(off, abs(targets[x + i]))
        if off > RIGID:
            return 4 * k + NOT_AFFINE
        off = 0.0
        for a in range(3):
            for b in range(3):
                product = -1.0 if a == b else 0.0
                for r in range(3):
                    product += targets[x + 4 * r + a] * targets[x + 4 * r + b]
                off = max(off, abs(product))
        if not off <= RIGID or determinant(targets, x) < 0.0:
            return 4 * k + NOT_ROTATION
    return -1


@kernel
def determinant(t: Array, x: int) -> float:
    """Determinant of the rotation of a (4, 4) matrix."""
    a = t[x + 5] * t[x + 10] - t[x + 6] * t[x + 9]
    b = t[x + 4] * t[x + 10] - t[x + 6] * t[x + 8]
    c = t[x + 4] * t[x + 9] - t[x + 5] * t[x + 8]
    return float(t[x] * a - t[x + 1] * b + t[x + 2] * c)


@kernel
def orient_targets(plan: Array, targets: Array, x: int, work: Array) -> None:
    """Copy the targets of one problem, each with the rotation nearest to it."""
    n, tips = int(plan[PLAN_COLUMNS]), int(plan[PLAN_TIPS])
    for tip in range(tips):
        t = target_place(n, 6 * tips, tip)
        for r in range(3):
            for c in range(3):
                work[t + 3 * r + c] = targets[x + 16 * tip + 4 * r + c]
            work[t + 9 + r] = targets[x + 16 * tip + 4 * r + 3]
        for _ in range(POLAR_STEPS):
            polar_step(work, t)


@kernel
def is_out_of_reach(plan: Array, settings: Array, work: Array) -> bool:
    """Tell whether a target lies further away than its chain is long at full stretch."""
    n, tips = int(plan[PLAN_COLUMNS]), int(plan[PLAN_TIPS])
    for tip in range(tips):
        t, o = target_place(n, 6 * tips, tip), int(plan[PLAN_CHAINS + tip]) + BASE + 9
        square, weight = 0.0, math.inf
        for r in range(3):
            gap = work[t + 9 + r] - plan[o + r]
            square += gap * gap
            weight = min(weight, settings[WEIGHTS + 6 * tip + r])
        reach = plan[PLAN_CHAINS + tips + tip] + settings[POSITION_TOLERANCE]
        if weight > 0.0 and math.sqrt(square) > reach:
            return True
    return False


@kernel
def polar_step(work: Array, t: int) -> None:
    """One Newton step R (3 - R^T R) / 2 towards the nearest rotation."""
    a, b, c = work[t], work[t + 1], work[t + 2]
    d, e, f = work[t + 3], work[t + 4], work[t + 5]
    g, h, i = work[t + 6], work[t + 7], work[t + 8]
    xx = 1.5 - 0.5 * (a * a + d * d + g * g)
    yy = 1.5 - 0.5 * (b * b + e * e + h * h)
    zz = 1.5 - 0.5 * (c * c + f * f + i * i)
    xy = -0.5 * (a * b + d * e + g * h)
    xz = -0.5 * (a * c + d * f + g * i)
    yz = -0.5 * (b * c + e * f + h * i)
    for r in range(3):
        u, v, w = work[t + 3 * r], work[t + 3 * r + 1], work[t + 3 * r + 2]
        work[t + 3 * r] = u * xx + v * xy + w * xz
        work[t + 3 * r + 1] = u * xy + v * yy + w * yz
        work[t + 3 * r + 2] = u * xz + v * yz + w * zz
