"""Poses and Jacobians of one chain for many configurations.

Configurations are taken in blocks; within a block each number of the frame is a row of the work
array, so that the compiler works on several configurations at once. The rows lie in a flat array at
constant distances: otherwise the compiler would have to check that they do not overlap. The work
array stays in the first-level cache, and a thread needs one of its own.
"""

import math

from kinegraph.kinematics.batch_layout import ANGLES, BLOCK, COSINES
from kinegraph.kinematics.chain_layout import (
    BASE,
    COLUMN,
    COS,
    COS_OFFSET,
    SHIFT_X,
    SHIFT_Y,
    SHIFT_Z,
    SIN,
    SIN_OFFSET,
    SLIDE,
    STEP_COUNT,
    STEP_SIZE,
    STEPS,
    TOOL,
    TURN,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.trig_kernels import LARGE_ANGLE, sincos_reduced
from kinegraph.scene.array_types import Array

__all__ = ["batch_jacobians", "batch_poses"]


@kernel
def block_sincos(f: Array, count: int) -> None:
    """Replace the angles by their sines, and write their cosines."""
    large = 0
    for m in range(count):  # counting is widened, a maximum is not
        large += 1 if abs(f[BLOCK * ANGLES + m]) > LARGE_ANGLE else 0
    if large > 0:
        for m in range(count):
            angle = f[BLOCK * ANGLES + m]
            f[BLOCK * ANGLES + m], f[BLOCK * COSINES + m] = math.sin(angle), math.cos(angle)
        return
    for m in range(count):
        f[BLOCK * ANGLES + m], f[BLOCK * COSINES + m] = sincos_reduced(f[BLOCK * ANGLES + m])


@kernel
def block_step(data: Array, k: int, q: Array, first: int, count: int, f: Array) -> None:
    """Carry the frames of a block over one joint; rows 0-8 are its axes, 9-11 its origin."""
    a, b = data[k + COS], data[k + SIN]
    t0, t1, t2 = data[k + SHIFT_X], data[k + SHIFT_Y], data[k + SHIFT_Z]
    co, so = data[k + COS_OFFSET], data[k + SIN_OFFSET]
    turn, slide = data[k + TURN], data[k + SLIDE]
    j = int(data[k + COLUMN])
    for m in range(count):
        f[BLOCK * ANGLES + m] = turn * q[first + m, j]
    block_sincos(f, count)
    for m in range(count):
        s, c = f[BLOCK * ANGLES + m], f[BLOCK * COSINES + m]
        f[BLOCK * ANGLES + m], f[BLOCK * COSINES + m] = s * co + c * so, c * co - s * so
    for r in range(3):
        for m in range(count):
            x, y, z = f[BLOCK * r + m], f[BLOCK * (3 + r) + m], f[BLOCK * (6 + r) + m]
            s, c = f[BLOCK * ANGLES + m], f[BLOCK * COSINES + m]
            v = y * a + z * b
            f[BLOCK * (9 + r) + m] += x * t0 + y * t1 + z * t2
            f[BLOCK * (6 + r) + m] = z * a - y * b
            f[BLOCK * r + m] = x * c + v * s
            f[BLOCK * (3 + r) + m] = v * c - x * s
    if slide != 0.0:
        for r in range(3):
            for m in range(count):
                f[BLOCK * (9 + r) + m] += f[BLOCK * (6 + r) + m] * (slide * q[first + m, j])


@kernel
def block_base(data: Array, count: int, f: Array) -> None:
    """Start every frame of a block at the base."""
    for r in range(12):
        for m in range(count):
            f[BLOCK * r + m] = data[BASE + r]


@kernel
def block_tool(data: Array, count: int, f: Array) -> None:
    """Carry the frames of a block to the tip."""
    t = TOOL
    for r in range(3):
        for m in range(count):
            x, y, z = f[BLOCK * r + m], f[BLOCK * (3 + r) + m], f[BLOCK * (6 + r) + m]
            f[BLOCK * (9 + r) + m] += x * data[t + 9] + y * data[t + 10] + z * data[t + 11]
            f[BLOCK * r + m] = x * data[t] + y * data[t + 1] + z * data[t + 2]
            f[BLOCK * (3 + r) + m] = x * data[t + 3] + y * data[t + 4] + z * data[t + 5]
            f[BLOCK * (6 + r) + m] = x * data[t + 6] + y * data[t + 7] + z * data[t + 8]


@kernel
def batch_poses(data: Array, q: Array, f: Array, poses: Array) -> None:
    """Write the tip's pose for every row of q.

    Args:
        data: Compiled chain.
        q: (N, n) values.
        f: (ROWS * BLOCK) work.
        poses: (N, 4, 4) out.
    """
    total = q.shape[0]
    for block in range((total + BLOCK - 1) // BLOCK):
        first = block * BLOCK
        count = min(BLOCK, total - first)
        block_base(data, count, f)
        for i in range(int(data[STEP_COUNT])):
            block_step(data, STEPS + STEP_SIZE * i, q, first, count, f)
        block_tool(data, count, f)
        for m in range(count):
            for r in range(3):
                poses[first + m, r, 0] = f[BLOCK * r + m]
                poses[first + m, r, 1] = f[BLOCK * (3 + r) + m]
                poses[first + m, r, 2] = f[BLOCK * (6 + r) + m]
                poses[first + m, r, 3] = f[BLOCK * (9 + r) + m]
            poses[first + m, 3, 0], poses[first + m, 3, 1] = 0.0, 0.0
            poses[first + m, 3, 2], poses[first + m, 3, 3] = 0.0, 1.0


@kernel
def taken_before(data: Array, i: int) -> int:
    """Count the earlier steps of step `i`'s column."""
    column = data[STEPS + STEP_SIZE * i + COLUMN]
    count = 0
    for k in range(i):
        count += 1 if data[STEPS + STEP_SIZE * k + COLUMN] == column else 0
    return count


@kernel
def contribution(
    turn: float, slide: float, w: int, m: int, f: Array, axes: Array
) -> tuple[float, float, float, float, float, float]:
    """What a step, whose axis is in rows `w` and up, adds to the Jacobian of configuration `m`."""
    z0, z1, z2 = axes[w, m], axes[w + 1, m], axes[w + 2, m]
    d0 = f[BLOCK * 9 + m] - axes[w + 3, m]
    d1 = f[BLOCK * 10 + m] - axes[w + 4, m]
    d2 = f[BLOCK * 11 + m] - axes[w + 5, m]
    v0 = turn * (z1 * d2 - z2 * d1) + slide * z0
    v1 = turn * (z2 * d0 - z0 * d2) + slide * z1
    v2 = turn * (z0 * d1 - z1 * d0) + slide * z2
    return v0, v1, v2, turn * z0, turn * z1, turn * z2


@kernel
def block_column(
    data: Array, i: int, first: int, count: int, f: Array, axes: Array, jacobians: Array
) -> None:
    """Write what step `i` contributes to its column, or add it to an earlier step's."""
    k = STEPS + STEP_SIZE * i
    turn, slide, j = data[k + TURN], data[k + SLIDE], int(data[k + COLUMN])
    if taken_before(data, i) == 0:
        for m in range(count):
            v0, v1, v2, w0, w1, w2 = contribution(turn, slide, 6 * i, m, f, axes)
            jacobians[first + m, 0, j] = v0
            jacobians[first + m, 1, j] = v1
            jacobians[first + m, 2, j] = v2
            jacobians[first + m, 3, j] = w0
            jacobians[first + m, 4, j] = w1
            jacobians[first + m, 5, j] = w2
    else:
        for m in range(count):
            v0, v1, v2, w0, w1, w2 = contribution(turn, slide, 6 * i, m, f, axes)
            jacobians[first + m, 0, j] += v0
            jacobians[first + m, 1, j] += v1
            jacobians[first + m, 2, j] += v2
            jacobians[first + m, 3, j] += w0
            jacobians[first + m, 4, j] += w1
            jacobians[first + m, 5, j] += w2


@kernel
def batch_jacobians(data: Array, q: Array, f: Array, axes: Array, jacobians: Array) -> None:
    """Write the Jacobian, base axes at the tip's origin, for every row of q.

    Args:
        data: Compiled chain.
        q: (N, n) values.
        f: (ROWS * BLOCK) work.
        axes: (6 * steps, BLOCK) work: the axis of each step's joint and a point on it.
        jacobians: (N, 6, n) out; columns of joints that are not on the chain stay as they are.
    """
    steps = int(data[STEP_COUNT])
    total = q.shape[0]
    for block in range((total + BLOCK - 1) // BLOCK):
        first = block * BLOCK
        count = min(BLOCK, total - first)
        block_base(data, count, f)
        for i in range(steps):
            block_step(data, STEPS + STEP_SIZE * i, q, first, count, f)
            for r in range(6):
                for m in range(count):
                    axes[6 * i + r, m] = f[BLOCK * (6 + r) + m]
        block_tool(data, count, f)
        for i in range(steps):
            block_column(data, i, first, count, f, axes, jacobians)
