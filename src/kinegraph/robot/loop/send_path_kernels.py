"""What happens to a controller's torques before they go out (cartesian-control 9.6)."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.conversion_kernels import NO_FILTER, convert_joint_velocities
from kinegraph.robot.filter_kernels import filter_gain, filter_value
from kinegraph.robot.limiter_kernels import DT, L_TORQUE_RATE, limit_torque
from kinegraph.robot.loop.loop_layout import JOINTS, P_CUTOFF, P_ECHO_EPS, P_LIMIT_RATE
from kinegraph.robot.wire.state_layout import C_dq_c, C_tau_J_d, S_tau_J_d
from kinegraph.scene.array_types import Array

__all__ = ["idle_velocities", "shape_torques"]


@kernel
def first_bad(values: Array, at: int) -> int:
    """Index of the first of seven numbers that is NaN or infinite, -1 if none is."""
    for i in range(JOINTS):
        if not math.isfinite(values[at + i]):
            return i
    return -1


@kernel
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


@kernel
def idle_velocities(state: Array, settings: Array, limits: Array, command: Array) -> int:
    """Fill `dq_c` of a version 5 torque motion: a velocity of zero that passes as a user's would.

    The torques of that version go with a velocity generator, which follows zero through filter and
    limiter; the velocity is zero only while the robot's is.

    Returns:
        -1, or 0 when the state's `dq_d`, `ddq_d` or `q_d` are not finite.
    """
    for i in range(JOINTS):
        command[C_dq_c + i] = 0.0
    code = convert_joint_velocities(
        settings[P_CUTOFF], settings[P_LIMIT_RATE] != 0.0, state, limits, command
    )
    return -1 if code == 0 else 0
