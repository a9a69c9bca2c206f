"""How motions begin and end, and what the arm does without one."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import (
    DT,
    EMERGENCY_ABORTED,
    ERROR_COUNT,
    EXTERNAL_CONTROLLER,
    MODE_GUIDING,
    MODE_MOVE,
    MODE_REFLEX,
    MODE_USER_STOPPED,
    REFLEX_ABORTED,
)
from kinegraph.robot.sim.float_layout import (
    X_acceleration,
    X_ddelbow_c,
    X_ddq_d,
    X_delbow_c,
    X_dq,
    X_dq_d,
    X_dtwist_c,
    X_elbow_c,
    X_lower,
    X_q,
    X_q_d,
    X_speed,
    X_target,
    X_tau,
    X_tau_d,
    X_twist_c,
    X_upper,
)
from kinegraph.robot.sim.int_layout import (
    N_controller,
    N_elbow_sign,
    N_end_status,
    N_ended,
    N_errors,
    N_finishing,
    N_first_id,
    N_have,
    N_id,
    N_lost_in_row,
    N_mode,
    N_motion_cycle,
    N_motions,
    N_moving,
    N_reason,
    N_recovered,
    N_recovery,
    N_recovery_status,
    N_reflexes,
    N_started,
    N_user_stopped,
    N_window_at,
    N_window_count,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = [
    "begin_motion",
    "brake",
    "end_motion",
    "end_recovery",
    "follow_arm",
    "press_stop",
    "rest_speed",
    "trip",
]

JOINTS = 7
REST_SPEED = 1e-2


@kernel
def forget_motion(x: Array, n: IntArray) -> None:
    """Nothing is commanded: twists, their derivatives, elbow and torques are zero."""
    for i in range(6):
        x[X_twist_c + i], x[X_dtwist_c + i] = 0.0, 0.0
    for i in range(2):
        x[X_elbow_c + i], x[X_delbow_c + i], x[X_ddelbow_c + i] = 0.0, 0.0, 0.0
    for i in range(JOINTS):
        x[X_tau + i], x[X_tau_d + i] = 0.0, 0.0


@kernel
def begin_motion(x: Array, n: IntArray) -> None:
    """Start a motion from the held configuration (`pose_c`); the next state shows it."""
    forget_motion(x, n)
    for i in range(JOINTS):
        x[X_dq_d + i], x[X_ddq_d + i] = 0.0, 0.0
        x[X_target + i] = x[X_q_d + i]
    n[N_elbow_sign] = -1 if x[X_q_d + 3] < 0.0 else 1
    x[X_elbow_c], x[X_elbow_c + 1] = x[X_q_d + 2], n[N_elbow_sign]
    for i in range(ERROR_COUNT):
        n[N_reason + i] = 0
    n[N_mode], n[N_moving] = MODE_MOVE, 1
    n[N_started], n[N_have], n[N_finishing], n[N_motion_cycle] = 0, 0, 0, 0
    n[N_window_at], n[N_window_count], n[N_lost_in_row] = 0, 0, 0
    n[N_first_id] = n[N_id] + 1
    n[N_motions] += 1


@kernel
def end_motion(x: Array, n: IntArray, status: int, mode: int) -> None:
    """End the running motion; the arm brakes from where it is and holds."""
    n[N_moving], n[N_have] = 0, 0
    n[N_mode] = mode
    if n[N_controller] == EXTERNAL_CONTROLLER:
        for i in range(JOINTS):
            x[X_q_d + i] = x[X_q + i]
            x[X_dq_d + i] = max(-x[X_speed + i], min(x[X_speed + i], x[X_dq + i]))
    forget_motion(x, n)
    n[N_end_status] = status
    n[N_ended] += 1


@kernel
def end_recovery(x: Array, n: IntArray, status: int) -> None:
    """End the recovery that waits for the arm to rest, if one does."""
    if n[N_recovery] > 0:
        n[N_recovery], n[N_recovery_status] = 0, status
        n[N_recovered] += 1


@kernel
def trip(x: Array, n: IntArray, bit: int) -> None:
    """Reflex: the error is shown as present and as the reason, a motion is aborted."""
    for i in range(ERROR_COUNT):
        n[N_reason + i] = 0
    n[N_errors + bit], n[N_reason + bit] = 1, 1
    n[N_reflexes] += 1
    end_recovery(x, n, REFLEX_ABORTED)
    if n[N_moving] == 1:
        end_motion(x, n, REFLEX_ABORTED, MODE_REFLEX)
    n[N_mode] = MODE_REFLEX


@kernel
def press_stop(x: Array, n: IntArray) -> None:
    """User stop: a motion is aborted, the mode says so until it is released."""
    n[N_user_stopped] = 1
    end_recovery(x, n, EMERGENCY_ABORTED)
    if n[N_moving] == 1:
        end_motion(x, n, EMERGENCY_ABORTED, MODE_USER_STOPPED)
    n[N_mode] = MODE_USER_STOPPED


@kernel
def rest_speed(x: Array, n: IntArray) -> bool:
    """Whether the arm rests, measured and desired."""
    for i in range(JOINTS):
        if abs(x[X_dq + i]) > REST_SPEED or abs(x[X_dq_d + i]) > REST_SPEED:
            return False
    return True


@kernel
def follow_arm(x: Array, n: IntArray) -> None:
    """The desired configuration is the measured one: torques alone, guiding."""
    for i in range(JOINTS):
        x[X_q_d + i], x[X_dq_d + i], x[X_ddq_d + i] = x[X_q + i], 0.0, 0.0


@kernel
def brake(x: Array, n: IntArray) -> None:
    """Without a motion: slow down with the limits' acceleration, then hold."""
    if n[N_mode] == MODE_GUIDING:
        return
    for i in range(JOINTS):
        step = x[X_acceleration + i] * DT
        change = max(-step, min(step, -x[X_dq_d + i]))
        x[X_dq_d + i] += change
        x[X_ddq_d + i] = change / DT
        q = x[X_q_d + i] + x[X_dq_d + i] * DT
        bounded = max(x[X_lower + i], min(x[X_upper + i], q))
        # An arm that was left beyond its limits is held there, not thrown back.
        inside = x[X_lower + i] <= x[X_q_d + i] <= x[X_upper + i]
        x[X_q_d + i] = bounded if inside else x[X_q_d + i]
        if inside and bounded == q:
            continue
        x[X_dq_d + i], x[X_ddq_d + i] = 0.0, 0.0
