"""What happens to torques (cartesian-control 9.6) and motions before they go out."""

import math

from kinegraph.kinematics.jit import exact_kernel, kernel
from kinegraph.robot.conversion_kernels import (
    CARTESIAN_POSE,
    JOINT_POSITIONS,
    NO_FILTER,
    convert_motion,
)
from kinegraph.robot.filter_kernels import filter_gain, filter_value
from kinegraph.robot.limiter_kernels import DT, L_TORQUE_RATE, limit_torque
from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_FAULT,
    B_FIRST_RULE,
    B_MOTION,
    B_TORQUES,
    END_REFUSED,
    END_TORQUE_NOT_FINITE,
    HALF_MOTION,
    HALF_TORQUES,
    JOINTS,
    P_CUTOFF,
    P_ECHO_EPS,
    P_LIMIT_RATE,
    LoopMemory,
)
from kinegraph.robot.wire.state_layout import C_tau_J_d, S_O_T_EE_c, S_q_d, S_tau_J_d
from kinegraph.scene.array_types import Array

__all__ = ["rest", "shape_command"]


@exact_kernel
def first_bad(values: Array, at: int) -> int:
    """Index of the first of seven numbers that is NaN or infinite, -1 if none is."""
    for i in range(JOINTS):
        if not math.isfinite(values[at + i]):
            return i
    return -1


@exact_kernel
def shape_torques(
    torques: Array, state: Array, settings: Array, limits: Array, command: Array
) -> int:
    """Filter and limit torques into `tau_J_d` of a command.

    The robot remembers the last command as binary64 and echoes it as binary32 in version 10, so
    the step it sees is longer than ours by up to half a unit in the last place of the echo; the
    rate is lowered by that much.

    Args:
        torques: (7,) the controller's torques, Nm.
        state: (STATE_SIZE,) the state that is answered.
        settings: (SETTINGS_SIZE,) cutoff, limiter switch, rounding of the echo.
        limits: (LIMITS_SIZE,) the array of a `RateLimits`.
        command: (COMMAND_SIZE,) row, its torques are written if all is finite.

    Returns:
        -1, or the joint whose torque is NaN or infinite; the row is then unchanged.
    """
    bad = first_bad(torques, 0)
    if bad >= 0:
        return bad
    filtered = settings[P_CUTOFF] < NO_FILTER
    gain = filter_gain(DT, settings[P_CUTOFF]) if filtered else 1.0
    for i in range(JOINTS):
        echo = state[S_tau_J_d + i]
        value = filter_value(gain, torques[i], echo) if filtered else torques[i]
        if settings[P_LIMIT_RATE] != 0.0:
            rounding = settings[P_ECHO_EPS] * abs(echo) / 2.0 / DT
            value = limit_torque(limits[L_TORQUE_RATE + i] - rounding, value, echo)
        if not math.isfinite(value):
            return i
        torques[i] = value
    for i in range(JOINTS):
        command[C_tau_J_d + i] = torques[i]
    return -1


@exact_kernel
def shape_motion(memory: LoopMemory) -> int:
    """Filter, limit and check `memory.motion` into the motion half of the command.

    Returns:
        0, or the code of what is wrong with it, see `conversion_codes.py`.
    """
    block, settings = memory.block, memory.settings
    code: int = convert_motion(
        block[B_MOTION],
        block[B_FIRST_RULE] != 0 and block[B_CYCLES] == 0,
        settings[P_CUTOFF],
        settings[P_LIMIT_RATE] != 0.0,
        memory.state,
        memory.limits,
        memory.motion,
        memory.command,
        memory.work,
    )
    return code


@kernel
def rest(memory: LoopMemory) -> None:
    """Want the motion to stay where the robot is: what it commanded last, or no velocity.

    For a motion that ends in its first cycle before its callback was asked. Torques stay zero.
    """
    kind, motion, state = memory.block[B_MOTION], memory.motion, memory.state
    if kind == JOINT_POSITIONS:
        for i in range(JOINTS):
            motion[i] = state[S_q_d + i]
    elif kind == CARTESIAN_POSE:
        for i in range(16):
            motion[i] = state[S_O_T_EE_c + i]
        # A binary32 state is no pose to 1e-5 in its last row; it is one to its rounding.
        motion[3] = motion[7] = motion[11] = 0.0
        motion[15] = 1.0


@kernel
def shape_command(memory: LoopMemory, given: int) -> int:
    """Fill the halves of the command that were given; the others stay as they were sent.

    Returns:
        0, or the negative end code.
    """
    block = memory.block
    if given & HALF_TORQUES and block[B_TORQUES] != 0:
        bad = shape_torques(
            memory.torques, memory.state, memory.settings, memory.limits, memory.command
        )
        if bad >= 0:
            block[B_FAULT] = bad
            return -END_TORQUE_NOT_FINITE
    if given & HALF_MOTION and block[B_MOTION] != 0:
        code = shape_motion(memory)
        if code != 0:
            block[B_FAULT] = code
            return -END_REFUSED
    return 0
