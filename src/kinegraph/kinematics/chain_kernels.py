"""Pose and Jacobian of a compiled chain (`chain_layout`): thread safe, without scratch memory.

The Jacobian is built as the spatial one, which needs nothing but sums per column, and is moved to
the tip's origin at the end: with w_i the joint's axis and p_i a point on it, a turning joint adds
[p_i x w_i; w_i] to its column and the linear rows become v + w x p_tip.
"""

from typing import TypeAlias

from kinegraph.kinematics.chain_layout import (
    BASE,
    COLUMN,
    COLUMN_COUNT,
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
from kinegraph.kinematics.jit import inner_kernel, kernel, short_kernel
from kinegraph.kinematics.trig_kernels import sincos
from kinegraph.kinematics.value_kernels import WRONG_LENGTH, check_values
from kinegraph.scene.array_types import Array

__all__ = [
    "Frame",
    "carry_frame",
    "chain_pose",
    "chain_pose_jacobian",
    "checked_jacobian",
    "checked_pose",
    "current_pose",
    "spatial_column",
    "start_frame",
    "tip_place",
]

Frame: TypeAlias = tuple[
    float, float, float, float, float, float, float, float, float, float, float, float
]
"""Axes x, y, z and origin of a frame in the base, row by row."""


@inner_kernel
def start_frame(data: Array, b: int) -> Frame:
    """The frame whose columns begin at `b`, row by row with its origin."""
    return (
        *(data[b], data[b + 3], data[b + 6], data[b + 9]),
        *(data[b + 1], data[b + 4], data[b + 7], data[b + 10]),
        *(data[b + 2], data[b + 5], data[b + 8], data[b + 11]),
    )


@kernel
def turn_row(
    a: float, b: float, s: float, c: float, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """One row of a rotation times Rx then Rz, given by their cosines and sines."""
    v = y * a + z * b
    return x * c + v * s, v * c - x * s, z * a - y * b


@inner_kernel
def carry_frame(data: Array, k: int, value: float, frame: Frame) -> Frame:
    """Carry a frame over the step at `k`, whose column has this value."""
    x0, y0, z0, p0, x1, y1, z1, p1, x2, y2, z2, p2 = frame
    t0, t1, t2 = data[k + SHIFT_X], data[k + SHIFT_Y], data[k + SHIFT_Z]
    p0 += x0 * t0 + y0 * t1 + z0 * t2
    p1 += x1 * t0 + y1 * t1 + z1 * t2
    p2 += x2 * t0 + y2 * t1 + z2 * t2
    a, b, co, so = data[k + COS], data[k + SIN], data[k + COS_OFFSET], data[k + SIN_OFFSET]
    s, c = sincos(data[k + TURN] * value)
    s, c = s * co + c * so, c * co - s * so
    x0, y0, z0 = turn_row(a, b, s, c, x0, y0, z0)
    x1, y1, z1 = turn_row(a, b, s, c, x1, y1, z1)
    x2, y2, z2 = turn_row(a, b, s, c, x2, y2, z2)
    shift = data[k + SLIDE] * value
    p0, p1, p2 = p0 + z0 * shift, p1 + z1 * shift, p2 + z2 * shift
    return x0, y0, z0, p0, x1, y1, z1, p1, x2, y2, z2, p2


@inner_kernel
def spatial_column(
    data: Array, k: int, frame: Frame
) -> tuple[float, float, float, float, float, float]:
    """What the step at `k`, with the frame behind it, adds to the spatial Jacobian's column."""
    _, _, z0, p0, _, _, z1, p1, _, _, z2, p2 = frame
    turn, slide = data[k + TURN], data[k + SLIDE]
    v0 = turn * (p1 * z2 - p2 * z1) + slide * z0
    v1 = turn * (p2 * z0 - p0 * z2) + slide * z1
    v2 = turn * (p0 * z1 - p1 * z0) + slide * z2
    return v0, v1, v2, turn * z0, turn * z1, turn * z2


@inner_kernel
def tip_place(data: Array, t: int, frame: Frame) -> tuple[float, float, float]:
    """Origin of the tool at `t` behind a frame."""
    x0, y0, z0, p0, x1, y1, z1, p1, x2, y2, z2, p2 = frame
    t0, t1, t2 = data[t + 9], data[t + 10], data[t + 11]
    return (
        p0 + x0 * t0 + y0 * t1 + z0 * t2,
        p1 + x1 * t0 + y1 * t1 + z1 * t2,
        p2 + x2 * t0 + y2 * t1 + z2 * t2,
    )


@inner_kernel
def write_pose(data: Array, frame: Frame, pose: Array) -> None:
    """Write a frame times the tool."""
    x0, y0, z0, _, x1, y1, z1, _, x2, y2, z2, _ = frame
    pose[0, 3], pose[1, 3], pose[2, 3] = tip_place(data, TOOL, frame)
    for c in range(3):
        a, b, d = data[TOOL + 3 * c], data[TOOL + 3 * c + 1], data[TOOL + 3 * c + 2]
        pose[0, c] = x0 * a + y0 * b + z0 * d
        pose[1, c] = x1 * a + y1 * b + z1 * d
        pose[2, c] = x2 * a + y2 * b + z2 * d
    pose[3, 0], pose[3, 1], pose[3, 2], pose[3, 3] = 0.0, 0.0, 0.0, 1.0


@kernel
def chain_pose(data: Array, q: Array, pose: Array) -> None:
    """Pose of the tip in the base.

    Args:
        data: Compiled chain, `ChainPlan.data`.
        q: (n,) values of the chain's columns, rad or m.
        pose: (4, 4) out, all sixteen numbers are written.
    """
    frame = start_frame(data, BASE)
    for i in range(int(data[STEP_COUNT])):
        k = STEPS + STEP_SIZE * i
        frame = carry_frame(data, k, q[int(data[k + COLUMN])], frame)
    write_pose(data, frame, pose)


@kernel
def sweep(data: Array, q: Array, jacobian: Array) -> Frame:
    """Write the Jacobian; return the frame behind the last joint."""
    columns = int(data[COLUMN_COUNT])
    for r in range(6):
        for j in range(columns):
            jacobian[r, j] = 0.0
    frame = start_frame(data, BASE)
    for i in range(int(data[STEP_COUNT])):
        k = STEPS + STEP_SIZE * i
        j = int(data[k + COLUMN])
        frame = carry_frame(data, k, q[j], frame)
        v0, v1, v2, w0, w1, w2 = spatial_column(data, k, frame)
        jacobian[0, j] += v0
        jacobian[1, j] += v1
        jacobian[2, j] += v2
        jacobian[3, j] += w0
        jacobian[4, j] += w1
        jacobian[5, j] += w2
    e0, e1, e2 = tip_place(data, TOOL, frame)
    for j in range(columns):
        w0, w1, w2 = jacobian[3, j], jacobian[4, j], jacobian[5, j]
        jacobian[0, j] += w1 * e2 - w2 * e1
        jacobian[1, j] += w2 * e0 - w0 * e2
        jacobian[2, j] += w0 * e1 - w1 * e0
    return frame


@kernel
def chain_pose_jacobian(data: Array, q: Array, pose: Array, jacobian: Array) -> None:
    """Pose of the tip and its Jacobian, base axes at the tip's origin.

    Args:
        data: Compiled chain, `ChainPlan.data`.
        q: (n,) values of the chain's columns, rad or m.
        pose: (4, 4) out.
        jacobian: (6, n) out: rows 0-2 linear, rows 3-5 angular.
    """
    write_pose(data, sweep(data, q, jacobian), pose)


@short_kernel
def current_pose(data: Array, q: Array, pose: Array) -> None:
    """Write the pose for values that have been checked, as `chain_pose` does."""
    chain_pose(data, q, pose)


@short_kernel
def checked_pose(data: Array, q: Array, pose: Array) -> int:
    """Write the pose for values that nobody has checked; else return what is wrong.

    Returns:
        0, or `WRONG_LENGTH` or `NOT_FINITE` with nothing written.
    """
    code = check_values(q, int(data[COLUMN_COUNT]))
    if code == 0:
        chain_pose(data, q, pose)
    return code


@short_kernel
def checked_jacobian(data: Array, q: Array, jacobian: Array) -> int:
    """Write the Jacobian for values that nobody has checked; else return what is wrong.

    Returns:
        0, or `WRONG_LENGTH` or `NOT_FINITE` with nothing written.
    """
    columns = int(data[COLUMN_COUNT])
    code = check_values(q, columns) if jacobian.shape[1] == columns else WRONG_LENGTH
    if code == 0:
        sweep(data, q, jacobian)
    return code
