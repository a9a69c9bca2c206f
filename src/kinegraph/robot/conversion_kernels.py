"""From what a callback wants to what is sent, fci-protocol 13.2 and 13.3.

Order: low-pass filter, rate limiter, check, elbow. Every kernel returns one of the codes below and
leaves the command in an undefined state unless the code is 0.
"""

import math

from kinegraph.kinematics.jit import exact_kernel
from kinegraph.robot.filter_kernels import POSE_FILTER_WORK, filter_gain, filter_pose
from kinegraph.robot.joint_conversion_kernels import (
    BAD_CUTOFF,
    BAD_ELBOW,
    ELBOW_FILTER_NOT_FINITE,
    ELBOW_LIMITER_NOT_FINITE,
    ELBOW_NOT_FINITE,
    FILTER_NOT_FINITE,
    LIMITER_NOT_FINITE,
    LIMITER_NOT_RIGID,
    NO_FILTER,
    NOT_FINITE,
    NOT_RIGID,
    OK,
    UNKNOWN_KIND,
    all_finite,
    convert_joint_positions,
    convert_joint_velocities,
    convert_torques,
    filter_values,
)
from kinegraph.robot.limiter_kernels import (
    DT,
    L_CARTESIAN,
    L_ELBOW,
    POSE_LIMITER_WORK,
    limit_pose,
    limit_position,
    limit_twist,
)
from kinegraph.robot.wire.state_layout import (
    C_dq_c,
    C_elbow_c,
    C_motion_generation_finished,
    C_O_dP_EE_c,
    C_O_T_EE_c,
    C_q_c,
    C_valid_elbow,
    S_ddelbow_c,
    S_delbow_c,
    S_elbow_c,
    S_O_ddP_EE_c,
    S_O_dP_EE_c,
    S_O_T_EE_c,
)
from kinegraph.scene.array_types import Array

__all__ = [
    "CARTESIAN_POSE",
    "CARTESIAN_VELOCITIES",
    "CONVERSION_WORK",
    "JOINT_POSITIONS",
    "JOINT_VELOCITIES",
    "NO_FILTER",
    "convert_joint_velocities",
    "convert_motion",
    "convert_torques",
    "is_rigid",
]

CONVERSION_WORK = max(POSE_FILTER_WORK, POSE_LIMITER_WORK)
"""Numbers of scratch that a conversion needs."""

# Kinds of motion, numbered as the state's motion generator mode.
JOINT_POSITIONS = 1
JOINT_VELOCITIES = 2
CARTESIAN_POSE = 3
CARTESIAN_VELOCITIES = 4

RIGID_TOLERANCE = 1e-5


@exact_kernel
def is_rigid(pose: Array, at: int) -> bool:
    """Test as libfranka does: last row 0 0 0 1, lengths of rows and columns 1 within 1e-5."""
    for j in range(3):
        if pose[at + 4 * j + 3] != 0.0:
            return False
    if pose[at + 15] != 1.0:
        return False
    for j in range(3):
        column = row = 0.0
        for i in range(3):
            column += pose[at + 4 * j + i] ** 2
            row += pose[at + 4 * i + j] ** 2
        if not abs(math.sqrt(column) - 1.0) <= RIGID_TOLERANCE:
            return False
        if not abs(math.sqrt(row) - 1.0) <= RIGID_TOLERANCE:
            return False
    return True


@exact_kernel
def convert_elbow(
    first: bool, cutoff: float, limit_rate: bool, state: Array, limits: Array, command: Array
) -> int:
    """Filter, limit and check `elbow_c` in place; zeros stand for no elbow."""
    if command[C_elbow_c] == 0.0 and command[C_elbow_c + 1] == 0.0:
        command[C_valid_elbow] = 0.0
        return OK
    command[C_valid_elbow] = 1.0
    if cutoff < NO_FILTER:
        if first:
            code = filter_values(cutoff, command, C_elbow_c, command, C_elbow_c, 1)
        else:
            code = filter_values(cutoff, command, C_elbow_c, state, S_elbow_c, 1)
        if code != OK:
            return ELBOW_FILTER_NOT_FINITE if code == FILTER_NOT_FINITE else code
    if limit_rate:
        wanted = command[C_elbow_c]
        if not math.isfinite(wanted):
            return ELBOW_LIMITER_NOT_FINITE
        command[C_elbow_c] = limit_position(
            limits[L_ELBOW],
            -limits[L_ELBOW],
            limits[L_ELBOW + 1],
            limits[L_ELBOW + 2],
            wanted,
            wanted if first else state[S_elbow_c],
            state[S_delbow_c],
            state[S_ddelbow_c],
        )
    if not all_finite(command, C_elbow_c, 2):
        return ELBOW_NOT_FINITE
    return OK if abs(command[C_elbow_c + 1]) == 1.0 else BAD_ELBOW


@exact_kernel
def convert_pose(
    first: bool,
    cutoff: float,
    limit_rate: bool,
    state: Array,
    limits: Array,
    command: Array,
    work: Array,
) -> int:
    """Filter, limit and check `O_T_EE_c` in place; a first command is its own reference."""
    last, at = state, S_O_T_EE_c
    if first:
        last, at = command, C_O_T_EE_c
    if cutoff < NO_FILTER:
        if not (cutoff > 0.0 and math.isfinite(cutoff)):
            return BAD_CUTOFF
        if not (all_finite(command, C_O_T_EE_c, 16) and all_finite(last, at, 16)):
            return FILTER_NOT_FINITE
        gain = filter_gain(DT, cutoff)
        filter_pose(gain, command, C_O_T_EE_c, last, at, command, C_O_T_EE_c, work)
    if limit_rate:
        if not all_finite(command, C_O_T_EE_c, 16):
            return LIMITER_NOT_FINITE
        if not is_rigid(command, C_O_T_EE_c):
            return LIMITER_NOT_RIGID
        limit_pose(
            limits,
            L_CARTESIAN,
            command,
            C_O_T_EE_c,
            last,
            at,
            state,
            S_O_dP_EE_c,
            state,
            S_O_ddP_EE_c,
            command,
            C_O_T_EE_c,
            work,
        )
    if not all_finite(command, C_O_T_EE_c, 16):
        return NOT_FINITE
    return OK if is_rigid(command, C_O_T_EE_c) else NOT_RIGID


@exact_kernel
def convert_twist(
    cutoff: float, limit_rate: bool, state: Array, limits: Array, command: Array
) -> int:
    """Filter, limit and check `O_dP_EE_c` in place."""
    if cutoff < NO_FILTER:
        code = filter_values(cutoff, command, C_O_dP_EE_c, state, S_O_dP_EE_c, 6)
        if code != OK:
            return code
    if limit_rate:
        if not all_finite(command, C_O_dP_EE_c, 6):
            return LIMITER_NOT_FINITE
        limit_twist(
            limits,
            L_CARTESIAN,
            command,
            C_O_dP_EE_c,
            state,
            S_O_dP_EE_c,
            state,
            S_O_ddP_EE_c,
            command,
            C_O_dP_EE_c,
        )
    return OK if all_finite(command, C_O_dP_EE_c, 6) else NOT_FINITE


@exact_kernel
def convert_motion(
    kind: int,
    first: bool,
    cutoff: float,
    limit_rate: bool,
    state: Array,
    limits: Array,
    values: Array,
    command: Array,
    work: Array,
) -> int:
    """Fill the motion half of a command row.

    Args:
        kind: Which motion; see the numbers above.
        first: Whether the command is its own reference (version 10, first of a loop). Only
            positions and poses, and the elbow of a pose, care.
        cutoff: Of the low-pass filter, Hz; 1000 and more: none.
        limit_rate: Whether the rate limiter is on.
        state: (STATE_SIZE,) the state that is answered.
        limits: (LIMITS_SIZE,) the array of a `RateLimits`.
        values: The wanted numbers: q or dq (7), O_T_EE (16) and elbow (2), O_dP_EE (6) and
            elbow (2); zeros for no elbow.
        command: (COMMAND_SIZE,) row. Motion fields are filled, those of other generators are zero;
            ids, torques and both finished flags are left alone.
        work: Scratch of `CONVERSION_WORK` numbers.

    Returns:
        0, or the code of what is wrong.
    """
    for i in range(C_q_c, C_motion_generation_finished):
        command[i] = 0.0
    if kind == JOINT_POSITIONS:
        for i in range(7):
            command[C_q_c + i] = values[i]
        return convert_joint_positions(first, cutoff, limit_rate, state, limits, command)
    if kind == JOINT_VELOCITIES:
        for i in range(7):
            command[C_dq_c + i] = values[i]
        return convert_joint_velocities(cutoff, limit_rate, state, limits, command)
    if kind == CARTESIAN_POSE:
        for i in range(16):
            command[C_O_T_EE_c + i] = values[i]
        command[C_elbow_c], command[C_elbow_c + 1] = values[16], values[17]
        code = convert_pose(first, cutoff, limit_rate, state, limits, command, work)
        if code != OK:
            return code
        return convert_elbow(first, cutoff, limit_rate, state, limits, command)
    if kind == CARTESIAN_VELOCITIES:
        for i in range(6):
            command[C_O_dP_EE_c + i] = values[i]
        command[C_elbow_c], command[C_elbow_c + 1] = values[6], values[7]
        code = convert_twist(cutoff, limit_rate, state, limits, command)
        if code != OK:
            return code
        return convert_elbow(False, cutoff, limit_rate, state, limits, command)
    return UNKNOWN_KIND
