"""Poses and Jacobians of frames behind a chain's tip, flat and column-major as in libfranka.

`tool` is the frame's pose in the tip link. The chain may have fewer joints than the arm: the
columns of the others are zero.
"""

import math

from kinegraph.kinematics.chain_kernels import chain_pose, chain_pose_jacobian
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = [
    "body_jacobian",
    "find_fault",
    "frame_pose",
    "multiply_transforms",
    "rigid_error",
    "zero_jacobian",
]

ROWS = 6

# What `find_fault` returns when it is not the index of a number.
NO_FAULT = -1
NEGATIVE_MASS = -2
SKEW = -3

NO_LOAD = -1  # place of the load in an array without one

# How far an inertia may be from symmetric, relative to its largest element: single precision.
SYMMETRY_TOLERANCE = 1e-5


@kernel
def find_fault(values: Array, load: int) -> int:
    """Index of the first number that is not finite, or what is wrong with the load.

    Args:
        values: Any numbers.
        load: Index of a load: mass, centre (3), inertia (9); or NO_LOAD.

    Returns:
        An index, NO_FAULT, NEGATIVE_MASS or SKEW.
    """
    for i in range(values.shape[0]):
        if not math.isfinite(values[i]):
            return i
    if load == NO_LOAD:
        return NO_FAULT
    if values[load] < 0.0:
        return NEGATIVE_MASS
    i, largest, skew = load + 4, 0.0, 0.0
    for r in range(3):
        for c in range(3):
            largest = max(largest, abs(values[i + 3 * c + r]))
            skew = max(skew, abs(values[i + 3 * c + r] - values[i + 3 * r + c]))
    return SKEW if skew > SYMMETRY_TOLERANCE * largest else NO_FAULT


@kernel
def rigid_error(t: Array) -> float:
    """Largest element of R^T R - 1 of a column-major transform (16,).

    Infinite when the last row is not exactly 0, 0, 0, 1, or R mirrors.
    """
    if t[3] != 0.0 or t[7] != 0.0 or t[11] != 0.0 or t[15] != 1.0:
        return math.inf
    worst = 0.0
    for a in range(3):
        for b in range(a, 3):
            dot = t[4 * a] * t[4 * b] + t[4 * a + 1] * t[4 * b + 1] + t[4 * a + 2] * t[4 * b + 2]
            worst = max(worst, abs(dot - (1.0 if a == b else 0.0)))
    x, y, z = t[1] * t[6] - t[2] * t[5], t[2] * t[4] - t[0] * t[6], t[0] * t[5] - t[1] * t[4]
    return worst if x * t[8] + y * t[9] + z * t[10] > 0.0 else math.inf


@kernel
def multiply_transforms(a: Array, b: Array, out: Array) -> None:
    """Product of two column-major transforms, (16,) each; `out` is neither of them."""
    for c in range(4):
        for r in range(3):
            value = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2]
            out[4 * c + r] = value + (a[12 + r] if c == 3 else 0.0)
        out[4 * c + 3] = 1.0 if c == 3 else 0.0


@kernel
def write_tool_pose(pose: Array, tool: Array, out: Array) -> None:
    """Pose (4, 4) of a link times a frame in it, column-major into (16,)."""
    for c in range(4):
        x, y, z = tool[4 * c], tool[4 * c + 1], tool[4 * c + 2]
        for r in range(3):
            value = pose[r, 0] * x + pose[r, 1] * y + pose[r, 2] * z
            out[4 * c + r] = value + (pose[r, 3] if c == 3 else 0.0)
        out[4 * c + 3] = 1.0 if c == 3 else 0.0


@kernel
def frame_pose(chain: Array, q: Array, tool: Array, pose: Array, out: Array) -> None:
    """Pose of a frame in the base frame.

    Args:
        chain: Data of a `ChainPlan`.
        q: Joint values, at least as many as the chain has.
        tool: (16,) pose of the frame in the chain's tip.
        pose: (4, 4) scratch.
        out: (16,) receives the pose.
    """
    chain_pose(chain, q, pose)
    write_tool_pose(pose, tool, out)


@kernel
def zero_jacobian(
    chain: Array, q: Array, tool: Array, pose: Array, jacobian: Array, out: Array
) -> None:
    """Jacobian of a frame at its origin, in the axes of the base.

    Args:
        chain: Data of a `ChainPlan`.
        q: Joint values, at least as many as the chain has.
        tool: (16,) pose of the frame in the chain's tip.
        pose: (4, 4) scratch.
        jacobian: (6, n) scratch, n at least the chain's number of columns.
        out: (42,) receives the Jacobian; the columns behind the chain's are zero.
    """
    chain_pose_jacobian(chain, q, pose, jacobian)
    x = pose[0, 0] * tool[12] + pose[0, 1] * tool[13] + pose[0, 2] * tool[14]
    y = pose[1, 0] * tool[12] + pose[1, 1] * tool[13] + pose[1, 2] * tool[14]
    z = pose[2, 0] * tool[12] + pose[2, 1] * tool[13] + pose[2, 2] * tool[14]
    columns = int(chain[0])
    for i in range(ROWS * columns, out.shape[0]):
        out[i] = 0.0
    for c in range(columns):
        wx, wy, wz = jacobian[3, c], jacobian[4, c], jacobian[5, c]
        out[ROWS * c] = jacobian[0, c] + wy * z - wz * y
        out[ROWS * c + 1] = jacobian[1, c] + wz * x - wx * z
        out[ROWS * c + 2] = jacobian[2, c] + wx * y - wy * x
        out[ROWS * c + 3] = wx
        out[ROWS * c + 4] = wy
        out[ROWS * c + 5] = wz


@kernel
def body_jacobian(
    chain: Array, q: Array, tool: Array, pose: Array, jacobian: Array, frame: Array, out: Array
) -> None:
    """Jacobian of a frame at its origin, in the frame's own axes.

    Arguments as `zero_jacobian`; `frame` is (16,) scratch.
    """
    zero_jacobian(chain, q, tool, pose, jacobian, out)
    write_tool_pose(pose, tool, frame)
    for i in range(0, ROWS * int(chain[0]), 3):
        x, y, z = out[i], out[i + 1], out[i + 2]
        for r in range(3):
            out[i + r] = frame[4 * r] * x + frame[4 * r + 1] * y + frame[4 * r + 2] * z
