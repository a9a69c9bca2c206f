"""The rate limiters of the robot's interface, fci-protocol 12.2 and 12.3.

Minimum and maximum are those of C++, whose results with NaN depend on the order of the arguments;
the robot's own library relies on it, so they are written out here.
"""

import math

from kinegraph.kinematics.jit import exact_kernel
from kinegraph.robot.rotation_kernels import (
    ROTATION_WORK,
    nearest_rotation,
    rotation_vector,
    turn,
)
from kinegraph.scene.array_types import Array

__all__ = [
    "LIMITS_SIZE",
    "POSE_LIMITER_WORK",
    "limit_pose",
    "limit_position",
    "limit_torque",
    "limit_twist",
    "limit_velocity",
    "lower_velocity",
    "upper_velocity",
]

DT = 1e-3
NORM_EPS = 2.220446049250313e-16
LIMIT_EPS = 1e-3
ROTATION_FACTOR = 0.99

# Where the numbers of a `RateLimits` stand in its flat array.
L_POSITION_DEPENDENT = 0
L_TORQUE_RATE = 1
L_JOINT_JERK = 8
L_JOINT_ACCELERATION = 15
L_CARTESIAN = 22  # translational velocity, acceleration, jerk, then rotational
L_ELBOW = 28  # velocity, acceleration, jerk
L_VELOCITY = 31
L_OFFSET = 38
L_DECELERATION = 45
L_UPPER = 52
L_LOWER = 59
LIMITS_SIZE = 66

POSE_LIMITER_WORK = 43 + ROTATION_WORK
"""Numbers of scratch that `limit_pose` needs."""

_COMMANDED, _LAST, _DELTA, _TWIST, _LIMITS, _QUATERNION, _SVD = 0, 9, 18, 27, 33, 39, 43


@exact_kernel
def smaller(a: float, b: float) -> float:
    """C++ minimum: the first one unless the second is less."""
    return b if b < a else a


@exact_kernel
def larger(a: float, b: float) -> float:
    """C++ maximum: the first one unless it is less than the second."""
    return b if a < b else a


@exact_kernel
def limit_torque(rate: float, commanded: float, last: float) -> float:
    """Limit the step of one torque, Nm, to `rate` Nm/s."""
    slope = (commanded - last) / DT
    return last + larger(smaller(slope, rate), -rate) * DT


@exact_kernel
def limit_velocity(
    upper: float,
    lower: float,
    acceleration: float,
    jerk: float,
    commanded: float,
    last: float,
    last_acceleration: float,
) -> float:
    """Limit one joint's velocity, acceleration and jerk; a last velocity outside is braked."""
    wanted = ((commanded - last) / DT - last_acceleration) / DT
    target = last_acceleration + larger(smaller(wanted, jerk), -jerk) * DT
    high = smaller((jerk / acceleration) * (upper - last), acceleration)
    low = larger((jerk / acceleration) * (lower - last), -acceleration)
    return last + larger(smaller(target, high), low) * DT


@exact_kernel
def limit_position(
    upper: float,
    lower: float,
    acceleration: float,
    jerk: float,
    commanded: float,
    last: float,
    last_velocity: float,
    last_acceleration: float,
) -> float:
    """Limit the velocity that a position step stands for."""
    velocity = (commanded - last) / DT
    return (
        last
        + limit_velocity(
            upper, lower, acceleration, jerk, velocity, last_velocity, last_acceleration
        )
        * DT
    )


@exact_kernel
def upper_velocity(limits: Array, joint: int, q: float) -> float:
    """Largest velocity of a joint at a position, rad/s."""
    flat = float(limits[L_VELOCITY + joint])
    if limits[L_POSITION_DEPENDENT] == 0.0:
        return flat
    room = 2.0 * limits[L_DECELERATION + joint] * (limits[L_UPPER + joint] - q)
    braking = -limits[L_OFFSET + joint] + math.sqrt(larger(0.0, room))
    return smaller(flat, larger(0.0, braking)) - LIMIT_EPS


@exact_kernel
def lower_velocity(limits: Array, joint: int, q: float) -> float:
    """Smallest velocity of a joint at a position, rad/s."""
    flat = float(limits[L_VELOCITY + joint])
    if limits[L_POSITION_DEPENDENT] == 0.0:
        return -flat
    room = 2.0 * limits[L_DECELERATION + joint] * (q - limits[L_LOWER + joint])
    braking = limits[L_OFFSET + joint] - math.sqrt(larger(0.0, room))
    return larger(-flat, smaller(0.0, braking)) + LIMIT_EPS


@exact_kernel
def limit_vector(
    velocity: float,
    acceleration: float,
    jerk: float,
    commanded: Array,
    c: int,
    last: Array,
    p: int,
    last_acceleration: Array,
    a: int,
    out: Array,
    o: int,
) -> None:
    """Limit three components by their norms; `out` at `o` may be `commanded` at `c`."""
    j0 = ((commanded[c] - last[p]) / DT - last_acceleration[a]) / DT
    j1 = ((commanded[c + 1] - last[p + 1]) / DT - last_acceleration[a + 1]) / DT
    j2 = ((commanded[c + 2] - last[p + 2]) / DT - last_acceleration[a + 2]) / DT
    a0, a1, a2 = last_acceleration[a], last_acceleration[a + 1], last_acceleration[a + 2]
    norm = math.sqrt(j0 * j0 + j1 * j1 + j2 * j2)
    if norm > NORM_EPS:
        step = smaller(norm, jerk) * DT
        a0, a1, a2 = a0 + j0 / norm * step, a1 + j1 / norm * step, a2 + j2 / norm * step
    norm = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
    v0, v1, v2 = last[p], last[p + 1], last[p + 2]
    out[o], out[o + 1], out[o + 2] = v0, v1, v2
    if norm <= NORM_EPS:
        return
    e0, e1, e2 = a0 / norm, a1 / norm, a2 / norm
    along = e0 * v0 + e1 * v1 + e2 * v2
    # NaN when the last velocity is too fast and points aside: then nothing bounds the acceleration.
    root = along * along - (v0 * v0 + v1 * v1 + v2 * v2) + velocity * velocity
    distance = -along + math.sqrt(root) if root >= 0.0 else math.nan
    safe = smaller((jerk / acceleration) * distance, acceleration)
    step = smaller(norm, safe) * DT
    out[o] = v0 + e0 * step
    out[o + 1] = v1 + e1 * step
    out[o + 2] = v2 + e2 * step


@exact_kernel
def limit_twist(
    limits: Array,
    i: int,
    commanded: Array,
    c: int,
    last: Array,
    p: int,
    last_acceleration: Array,
    a: int,
    out: Array,
    o: int,
) -> None:
    """Limit the linear and the angular half of a twist, each by its norm.

    Args:
        limits: Six numbers at `i`: velocity, acceleration, jerk, linear then angular.
        i: Offset.
        commanded: Twist at `c`.
        c: Offset.
        last: Last twist at `p`.
        p: Offset.
        last_acceleration: Last acceleration at `a`.
        a: Offset.
        out: Twist is written at `o`; may be `commanded` at `c`.
        o: Offset.
    """
    for half in range(2):
        n = 3 * half
        limit_vector(
            limits[i + n],
            limits[i + n + 1],
            limits[i + n + 2],
            commanded,
            c + n,
            last,
            p + n,
            last_acceleration,
            a + n,
            out,
            o + n,
        )


@exact_kernel
def relative_rotation(work: Array) -> None:
    """R(C) R(L)^T of the two rotations in the scratch."""
    for i in range(3):
        for j in range(3):
            total = 0.0
            for k in range(3):
                total += work[_COMMANDED + 3 * i + k] * work[_LAST + 3 * j + k]
            work[_DELTA + 3 * i + j] = total


@exact_kernel
def limit_pose(
    limits: Array,
    i: int,
    commanded: Array,
    c: int,
    last_pose: Array,
    r: int,
    last: Array,
    p: int,
    last_acceleration: Array,
    a: int,
    out: Array,
    o: int,
    work: Array,
) -> None:
    """Limit the twist that a step from the last pose to the commanded one stands for.

    Args:
        limits: Six numbers at `i` as for `limit_twist`; 0.99 of the rotational ones is used.
        i: Offset.
        commanded: Column-major pose at `c`.
        c: Offset.
        last_pose: Column-major pose at `r`.
        r: Offset.
        last: Last twist at `p`.
        p: Offset.
        last_acceleration: Last acceleration at `a`.
        a: Offset.
        out: Column-major pose is written at `o`; may be `commanded` at `c`.
        o: Offset.
        work: Scratch of `POSE_LIMITER_WORK` numbers.
    """
    nearest_rotation(commanded, c, work, _COMMANDED, work, _SVD)
    nearest_rotation(last_pose, r, work, _LAST, work, _SVD)
    relative_rotation(work)
    rotation_vector(work, _DELTA, work, _TWIST + 3, work, _QUATERNION)
    for k in range(3):
        work[_TWIST + k] = (commanded[c + 12 + k] - last_pose[r + 12 + k]) / DT
        work[_TWIST + 3 + k] /= DT
        work[_LIMITS + k] = limits[i + k]
        work[_LIMITS + 3 + k] = ROTATION_FACTOR * limits[i + 3 + k]
    limit_twist(work, _LIMITS, work, _TWIST, last, p, last_acceleration, a, work, _TWIST)
    for k in range(3):
        out[o + 12 + k] = last_pose[r + 12 + k] + work[_TWIST + k] * DT
    speed = math.sqrt(work[_TWIST + 3] ** 2 + work[_TWIST + 4] ** 2 + work[_TWIST + 5] ** 2)
    if speed > NORM_EPS:
        turn(work, _TWIST + 3, DT, work, _LAST, out, o)
    else:
        for k in range(9):
            out[o + 4 * (k % 3) + k // 3] = work[_LAST + k]
    out[o + 3] = out[o + 7] = out[o + 11] = 0.0
    out[o + 15] = 1.0
