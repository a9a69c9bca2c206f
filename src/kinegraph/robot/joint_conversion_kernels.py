"""Conversion of joint positions, velocities and torques, fci-protocol 13.2 and 13.3.

Order: low-pass filter, rate limiter, check. Every kernel returns one of the codes below.
"""

import math

from kinegraph.kinematics.jit import exact_kernel
from kinegraph.robot.filter_kernels import filter_gain, filter_value
from kinegraph.robot.limiter_kernels import (
    DT,
    L_JOINT_ACCELERATION,
    L_JOINT_JERK,
    L_TORQUE_RATE,
    limit_position,
    limit_torque,
    limit_velocity,
    lower_velocity,
    upper_velocity,
)
from kinegraph.robot.wire.state_layout import (
    C_dq_c,
    C_q_c,
    C_tau_J_d,
    S_ddq_d,
    S_dq_d,
    S_q_d,
    S_tau_J_d,
)
from kinegraph.scene.array_types import Array

__all__ = [
    "all_finite",
    "convert_joint_positions",
    "convert_joint_velocities",
    "convert_torques",
    "filter_values",
]

OK = 0
BAD_CUTOFF = 1
FILTER_NOT_FINITE = 2
LIMITER_NOT_FINITE = 3
LIMITER_NOT_RIGID = 4
NOT_FINITE = 5
NOT_RIGID = 6
BAD_ELBOW = 7
ELBOW_FILTER_NOT_FINITE = 8
ELBOW_LIMITER_NOT_FINITE = 9
ELBOW_NOT_FINITE = 10
UNKNOWN_KIND = 11

NO_FILTER = 1000.0
"""A cutoff frequency from which on nothing is filtered, Hz."""


@exact_kernel
def all_finite(values: Array, at: int, count: int) -> bool:
    """Whether none of `count` numbers is NaN or infinite."""
    good = True
    for i in range(count):
        good = good and math.isfinite(values[at + i])
    return good


@exact_kernel
def filter_values(cutoff: float, values: Array, at: int, last: Array, p: int, count: int) -> int:
    """Filter numbers in place; the texts of the two errors are those of the filter."""
    if not (cutoff > 0.0 and math.isfinite(cutoff)):
        return BAD_CUTOFF
    if not (all_finite(values, at, count) and all_finite(last, p, count)):
        return FILTER_NOT_FINITE
    gain = filter_gain(DT, cutoff)
    for i in range(count):
        values[at + i] = filter_value(gain, values[at + i], last[p + i])
    return OK


@exact_kernel
def convert_joint_positions(
    first: bool, cutoff: float, limit_rate: bool, state: Array, limits: Array, command: Array
) -> int:
    """Filter, limit and check `q_c` in place; a first command is its own reference."""
    if cutoff < NO_FILTER:
        if first:
            code = filter_values(cutoff, command, C_q_c, command, C_q_c, 7)
        else:
            code = filter_values(cutoff, command, C_q_c, state, S_q_d, 7)
        if code != OK:
            return code
    if limit_rate:
        if not all_finite(command, C_q_c, 7):
            return LIMITER_NOT_FINITE
        for i in range(7):
            wanted = command[C_q_c + i]
            last = wanted if first else state[S_q_d + i]
            command[C_q_c + i] = limit_position(
                upper_velocity(limits, i, last),
                lower_velocity(limits, i, last),
                limits[L_JOINT_ACCELERATION + i],
                limits[L_JOINT_JERK + i],
                wanted,
                last,
                state[S_dq_d + i],
                state[S_ddq_d + i],
            )
    return OK if all_finite(command, C_q_c, 7) else NOT_FINITE


@exact_kernel
def convert_joint_velocities(
    cutoff: float, limit_rate: bool, state: Array, limits: Array, command: Array
) -> int:
    """Filter, limit and check `dq_c` in place."""
    if cutoff < NO_FILTER:
        code = filter_values(cutoff, command, C_dq_c, state, S_dq_d, 7)
        if code != OK:
            return code
    if limit_rate:
        if not all_finite(command, C_dq_c, 7):
            return LIMITER_NOT_FINITE
        for i in range(7):
            command[C_dq_c + i] = limit_velocity(
                upper_velocity(limits, i, state[S_q_d + i]),
                lower_velocity(limits, i, state[S_q_d + i]),
                limits[L_JOINT_ACCELERATION + i],
                limits[L_JOINT_JERK + i],
                command[C_dq_c + i],
                state[S_dq_d + i],
                state[S_ddq_d + i],
            )
    return OK if all_finite(command, C_dq_c, 7) else NOT_FINITE


@exact_kernel
def convert_torques(
    cutoff: float, limit_rate: bool, state: Array, limits: Array, values: Array, command: Array
) -> int:
    """Fill `tau_J_d` of a command row from wanted torques.

    Args:
        cutoff: Of the low-pass filter, Hz; 1000 and more: none.
        limit_rate: Whether the rate limiter is on.
        state: (STATE_SIZE,) the state that is answered.
        limits: (LIMITS_SIZE,) the array of a `RateLimits`.
        values: (7,) wanted torques, Nm.
        command: (COMMAND_SIZE,) row.

    Returns:
        0, or the code of what is wrong.
    """
    for i in range(7):
        command[C_tau_J_d + i] = values[i]
    if cutoff < NO_FILTER:
        code = filter_values(cutoff, command, C_tau_J_d, state, S_tau_J_d, 7)
        if code != OK:
            return code
    if limit_rate:
        if not all_finite(command, C_tau_J_d, 7):
            return LIMITER_NOT_FINITE
        for i in range(7):
            command[C_tau_J_d + i] = limit_torque(
                limits[L_TORQUE_RATE + i], command[C_tau_J_d + i], state[S_tau_J_d + i]
            )
    return OK if all_finite(command, C_tau_J_d, 7) else NOT_FINITE
