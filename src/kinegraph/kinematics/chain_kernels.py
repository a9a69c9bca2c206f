"""Pose and Jacobian of a compiled chain (`chain_layout`): thread safe, without scratch memory.

The Jacobian is built as the spatial one, which needs nothing but sums per column, and is moved to
the tip's origin at the end: with w_i the joint's axis and p_i a point on it, a turning joint adds
[p_i x w_i; w_i] to its column and the linear rows become v + w x p_tip.
"""

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
from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.trig_kernels import sincos
from kinegraph.kinematics.value_kernels import check_values
from kinegraph.scene.array_types import Array

__all__ = ["chain_pose", "chain_pose_jacobian", "checked_jacobian", "checked_pose"]


@kernel
def turned_by_offset(data: Array, k: int, turned: tuple[float, float]) -> tuple[float, float]:
    """Sine and cosine of an angle plus a step's offset."""
    s, c = turned
    co, so = data[k + COS_OFFSET], data[k + SIN_OFFSET]
    return s * co + c * so, c * co - s * so


@kernel
def turn_row(
    a: float, b: float, s: float, c: float, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """One row of a rotation times Rx then Rz, given by their cosines and sines."""
    v = y * a + z * b
    return x * c + v * s, v * c - x * s, z * a - y * b


@kernel
def write_pose_row(
    data: Array, pose: Array, r: int, x: float, y: float, z: float, p: float
) -> None:
    """Row `r` of the frame (x, y, z, p) times the tool."""
    t = TOOL
    pose[r, 0] = x * data[t] + y * data[t + 1] + z * data[t + 2]
    pose[r, 1] = x * data[t + 3] + y * data[t + 4] + z * data[t + 5]
    pose[r, 2] = x * data[t + 6] + y * data[t + 7] + z * data[t + 8]
    pose[r, 3] = p + x * data[t + 9] + y * data[t + 10] + z * data[t + 11]


@kernel
def chain_pose(data: Array, q: Array, pose: Array) -> None:
    """Pose of the tip in the base.

    Args:
        data: Compiled chain, `ChainPlan.data`.
        q: (n,) values of the chain's columns, rad or m.
        pose: (4, 4) out, all sixteen numbers are written.
    """
    x0, x1, x2 = data[BASE], data[BASE + 1], data[BASE + 2]
    y0, y1, y2 = data[BASE + 3], data[BASE + 4], data[BASE + 5]
    z0, z1, z2 = data[BASE + 6], data[BASE + 7], data[BASE + 8]
    p0, p1, p2 = data[BASE + 9], data[BASE + 10], data[BASE + 11]
    for i in range(int(data[STEP_COUNT])):
        k = STEPS + STEP_SIZE * i
        value = q[int(data[k + COLUMN])]
        t0, t1, t2 = data[k + SHIFT_X], data[k + SHIFT_Y], data[k + SHIFT_Z]
        p0 += x0 * t0 + y0 * t1 + z0 * t2
        p1 += x1 * t0 + y1 * t1 + z1 * t2
        p2 += x2 * t0 + y2 * t1 + z2 * t2
        a, b = data[k + COS], data[k + SIN]
        s, c = turned_by_offset(data, k, sincos(data[k + TURN] * value))
        x0, y0, z0 = turn_row(a, b, s, c, x0, y0, z0)
        x1, y1, z1 = turn_row(a, b, s, c, x1, y1, z1)
        x2, y2, z2 = turn_row(a, b, s, c, x2, y2, z2)
        shift = data[k + SLIDE] * value
        p0 += z0 * shift
        p1 += z1 * shift
        p2 += z2 * shift
    write_pose_row(data, pose, 0, x0, y0, z0, p0)
    write_pose_row(data, pose, 1, x1, y1, z1, p1)
    write_pose_row(data, pose, 2, x2, y2, z2, p2)
    pose[3, 0], pose[3, 1], pose[3, 2], pose[3, 3] = 0.0, 0.0, 0.0, 1.0


@kernel
def sweep(data: Array, q: Array, jacobian: Array) -> tuple[float, ...]:
    """Write the Jacobian; return the frame behind the last joint, row by row with its origin."""
    columns = int(data[COLUMN_COUNT])
    for r in range(6):
        for j in range(columns):
            jacobian[r, j] = 0.0
    x0, x1, x2 = data[BASE], data[BASE + 1], data[BASE + 2]
    y0, y1, y2 = data[BASE + 3], data[BASE + 4], data[BASE + 5]
    z0, z1, z2 = data[BASE + 6], data[BASE + 7], data[BASE + 8]
    p0, p1, p2 = data[BASE + 9], data[BASE + 10], data[BASE + 11]
    for i in range(int(data[STEP_COUNT])):
        k = STEPS + STEP_SIZE * i
        j = int(data[k + COLUMN])
        value = q[j]
        t0, t1, t2 = data[k + SHIFT_X], data[k + SHIFT_Y], data[k + SHIFT_Z]
        p0 += x0 * t0 + y0 * t1 + z0 * t2
        p1 += x1 * t0 + y1 * t1 + z1 * t2
        p2 += x2 * t0 + y2 * t1 + z2 * t2
        a, b = data[k + COS], data[k + SIN]
        turn, slide = data[k + TURN], data[k + SLIDE]
        s, c = turned_by_offset(data, k, sincos(turn * value))
        x0, y0, z0 = turn_row(a, b, s, c, x0, y0, z0)
        x1, y1, z1 = turn_row(a, b, s, c, x1, y1, z1)
        x2, y2, z2 = turn_row(a, b, s, c, x2, y2, z2)
        shift = slide * value
        p0 += z0 * shift
        p1 += z1 * shift
        p2 += z2 * shift
        jacobian[0, j] += turn * (p1 * z2 - p2 * z1) + slide * z0
        jacobian[1, j] += turn * (p2 * z0 - p0 * z2) + slide * z1
        jacobian[2, j] += turn * (p0 * z1 - p1 * z0) + slide * z2
        jacobian[3, j] += turn * z0
        jacobian[4, j] += turn * z1
        jacobian[5, j] += turn * z2
    t0, t1, t2 = data[TOOL + 9], data[TOOL + 10], data[TOOL + 11]
    e0 = p0 + x0 * t0 + y0 * t1 + z0 * t2
    e1 = p1 + x1 * t0 + y1 * t1 + z1 * t2
    e2 = p2 + x2 * t0 + y2 * t1 + z2 * t2
    for j in range(columns):
        w0, w1, w2 = jacobian[3, j], jacobian[4, j], jacobian[5, j]
        jacobian[0, j] += w1 * e2 - w2 * e1
        jacobian[1, j] += w2 * e0 - w0 * e2
        jacobian[2, j] += w0 * e1 - w1 * e0
    return x0, y0, z0, p0, x1, y1, z1, p1, x2, y2, z2, p2


@kernel
def chain_pose_jacobian(data: Array, q: Array, pose: Array, jacobian: Array) -> None:
    """Pose of the tip and its Jacobian, base axes at the tip's origin.

    Args:
        data: Compiled chain, `ChainPlan.data`.
        q: (n,) values of the chain's columns, rad or m.
        pose: (4, 4) out.
        jacobian: (6, n) out: rows 0-2 linear, rows 3-5 angular.
    """
    x0, y0, z0, p0, x1, y1, z1, p1, x2, y2, z2, p2 = sweep(data, q, jacobian)
    write_pose_row(data, pose, 0, x0, y0, z0, p0)
    write_pose_row(data, pose, 1, x1, y1, z1, p1)
    write_pose_row(data, pose, 2, x2, y2, z2, p2)
    pose[3, 0], pose[3, 1], pose[3, 2], pose[3, 3] = 0.0, 0.0, 0.0, 1.0


@kernel
def checked_pose(data: Array, q: Array, pose: Array) -> int:
    """Write the pose for values that nobody has checked; else return what is wrong.

    Returns:
        0, or `WRONG_LENGTH` or `NOT_FINITE` with nothing written.
    """
    code = check_values(q, int(data[COLUMN_COUNT]))
    if code == 0:
        chain_pose(data, q, pose)
    return code


@kernel
def checked_jacobian(data: Array, q: Array, jacobian: Array) -> int:
    """Write the Jacobian for values that nobody has checked; else return what is wrong.

    Returns:
        0, or `WRONG_LENGTH` or `NOT_FINITE` with nothing written.
    """
    code = check_values(q, int(data[COLUMN_COUNT]))
    if code == 0:
        sweep(data, q, jacobian)
    return code
