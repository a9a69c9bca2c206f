"""Poses and Jacobians of one chain for many configurations, block by block (`block_kernels`)."""

from kinegraph.kinematics.batch_layout import BLOCK
from kinegraph.kinematics.block_kernels import (
    LARGE,
    NOT_FINITE,
    P,
    X,
    Y,
    Z,
    block_base,
    block_step,
    block_tool,
    judge_values,
    value_limit,
)
from kinegraph.kinematics.chain_layout import (
    COLUMN,
    COLUMN_COUNT,
    SLIDE,
    STEP_COUNT,
    STEP_SIZE,
    STEPS,
    TURN,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = ["batch_jacobians", "batch_poses"]


@kernel
def batch_poses(data: Array, q: Array, f: Array, poses: Array) -> int:
    """Write the tip's pose for every configuration.

    Args:
        data: Compiled chain.
        q: (N * n,) values, which nobody need have checked.
        f: (ROWS * BLOCK) work.
        poses: (N, 4, 4) out.

    Returns:
        -1, or the first configuration of a block in which a value is not finite; poses are
        written up to there.
    """
    total, n, limit = poses.shape[0], int(data[COLUMN_COUNT]), value_limit(data)
    for block in range((total + BLOCK - 1) // BLOCK):
        first = block * BLOCK
        count = min(BLOCK, total - first)
        found = judge_values(q, n * first, n * (first + count), limit)
        if found == NOT_FINITE:
            return first
        block_base(data, f)
        for i in range(int(data[STEP_COUNT])):
            block_step(data, STEPS + STEP_SIZE * i, q, n * first, count, found == LARGE, f)
        block_tool(data, f)
        for m in range(count):
            for r in range(3):
                poses[first + m, r, 0] = f[X + BLOCK * r + m]
                poses[first + m, r, 1] = f[Y + BLOCK * r + m]
                poses[first + m, r, 2] = f[Z + BLOCK * r + m]
                poses[first + m, r, 3] = f[P + BLOCK * r + m]
            poses[first + m, 3, 0], poses[first + m, 3, 1] = 0.0, 0.0
            poses[first + m, 3, 2], poses[first + m, 3, 3] = 0.0, 1.0
    return -1


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
    d0 = f[P + m] - axes[w + 3, m]
    d1 = f[P + BLOCK + m] - axes[w + 4, m]
    d2 = f[P + 2 * BLOCK + m] - axes[w + 5, m]
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
def clear_columns(data: Array, first: int, count: int, jacobians: Array) -> None:
    """Write zeros to the columns of joints that are not on the chain."""
    steps = int(data[STEP_COUNT])
    for j in range(int(data[COLUMN_COUNT])):
        used = False
        for i in range(steps):
            used = used or int(data[STEPS + STEP_SIZE * i + COLUMN]) == j
        if not used:
            for m in range(count):
                for r in range(6):
                    jacobians[first + m, r, j] = 0.0


@kernel
def batch_jacobians(data: Array, q: Array, f: Array, axes: Array, jacobians: Array) -> int:
    """Write the Jacobian, base axes at the tip's origin, for every configuration.

    Args:
        data: Compiled chain.
        q: (N * n,) values, which nobody need have checked.
        f: (ROWS * BLOCK) work.
        axes: (6 * steps, BLOCK) work: the axis of each step's joint and a point on it.
        jacobians: (N, 6, n) out; columns of joints that are not on the chain are zero.

    Returns:
        -1, or the first configuration of a block in which a value is not finite; Jacobians are
        written up to there.
    """
    steps, n, limit = int(data[STEP_COUNT]), int(data[COLUMN_COUNT]), value_limit(data)
    total = jacobians.shape[0]
    for block in range((total + BLOCK - 1) // BLOCK):
        first = block * BLOCK
        count = min(BLOCK, total - first)
        found = judge_values(q, n * first, n * (first + count), limit)
        if found == NOT_FINITE:
            return first
        block_base(data, f)
        for i in range(steps):
            block_step(data, STEPS + STEP_SIZE * i, q, n * first, count, found == LARGE, f)
            for r in range(6):
                for m in range(BLOCK):
                    axes[6 * i + r, m] = f[Z + BLOCK * r + m]
        block_tool(data, f)
        clear_columns(data, first, count, jacobians)
        for i in range(steps):
            block_column(data, i, first, count, f, axes, jacobians)
    return -1
