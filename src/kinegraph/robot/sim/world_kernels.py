"""What users of the simulated robot can do to it, and no client can."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.body_kernels import touches_itself
from kinegraph.robot.sim.codes_layout import (
    ERROR_COUNT,
    MODE_GUIDING,
    MODE_IDLE,
    MODE_REFLEX,
    NOT_POSSIBLE,
    R_BY_HAND,
    R_GUIDE,
    R_INJECT,
    R_PLACE,
    R_PUSH,
    R_PUSH_JOINTS,
    R_REFLEX,
    R_RELEASE,
    R_SAFETY,
    R_TRUE_LOAD,
    R_USER_STOP,
    R_WALL,
    SAFETY_PREEMPTED,
    SUCCESS,
)
from kinegraph.robot.sim.controller_kernels import hold_desired
from kinegraph.robot.sim.cycle_kernels import recover_now, settle
from kinegraph.robot.sim.ending_kernels import end_motion, press_stop, trip
from kinegraph.robot.sim.float_layout import (
    X_ddq,
    X_ddq_d,
    X_dq,
    X_dq_d,
    X_lower,
    X_push,
    X_push_joints,
    X_push_point,
    X_q,
    X_q_d,
    X_request,
    X_true_load,
    X_upper,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.robot.sim.int_layout import (
    N_by_hand,
    N_errors,
    N_inject_at,
    N_inject_kind,
    N_mode,
    N_moving,
    N_push_frame,
    N_recovery,
    N_request_args,
    N_safety,
    N_true_load_known,
    N_user_stopped,
)
from kinegraph.robot.sim.wall_kernels import set_wall
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["change_world"]

JOINTS = 7
# How far inside its range a joint is put that is brought back by hand, rad.
BACK_IN = 0.01


@kernel
def place(x: Array, n: IntArray) -> None:
    """Put the arm at rest into a configuration."""
    for i in range(JOINTS):
        x[X_q + i] = x[X_request + i]
        x[X_q_d + i] = x[X_q + i]
        x[X_dq + i], x[X_ddq + i], x[X_dq_d + i], x[X_ddq_d + i] = 0.0, 0.0, 0.0, 0.0
    hold_desired(x, n)
    settle(x, n)


@kernel
def guide(x: Array, n: IntArray) -> int:
    """Begin or end guiding by hand; after a reflex errors stay until they are recovered from."""
    mode = n[N_mode]
    if n[N_request_args] == 1 and mode in (MODE_IDLE, MODE_REFLEX):
        n[N_mode] = MODE_GUIDING
        return SUCCESS
    if n[N_request_args] == 0 and mode == MODE_GUIDING:
        n[N_mode], n[N_by_hand] = MODE_IDLE, 0
        for i in range(ERROR_COUNT):
            if n[N_errors + i] != 0:
                n[N_mode] = MODE_REFLEX
        return SUCCESS
    return NOT_POSSIBLE


@kernel
def recover_by_hand(x: Array, n: IntArray) -> int:
    """Bring the joints back into their range and forget the errors, as somebody with Desk does."""
    if n[N_moving] == 1 or n[N_user_stopped] == 1 or n[N_recovery] > 0:
        return NOT_POSSIBLE
    if touches_itself(x, n):
        return NOT_POSSIBLE
    for i in range(JOINTS):
        low, high = x[X_lower + i] + BACK_IN, x[X_upper + i] - BACK_IN
        outside = not x[X_lower + i] <= x[X_q + i] <= x[X_upper + i]
        x[X_request + i] = max(low, min(high, x[X_q + i])) if outside else x[X_q + i]
    n[N_by_hand] = 0
    place(x, n)
    recover_now(x, n)
    return SUCCESS


@kernel
def switch_safety(x: Array, n: IntArray) -> None:
    """Activate or deactivate a safety function; a motion that runs is preempted."""
    n[N_safety] = n[N_request_args]
    if n[N_safety] == 1 and n[N_moving] == 1:
        end_motion(x, n, SAFETY_PREEMPTED, MODE_IDLE)


@kernel
def change_world(x: Array, n: IntArray, kind: int) -> int:
    """Requests of tests and users, none of which a client can make."""
    source = X_request
    if kind == R_USER_STOP:
        press_stop(x, n)
    elif kind == R_RELEASE:
        if n[N_user_stopped] == 1:
            n[N_user_stopped], n[N_mode] = 0, MODE_IDLE
    elif kind == R_REFLEX:
        trip(x, n, n[N_request_args])
        n[N_by_hand] = n[N_request_args + 1]
    elif kind == R_PUSH:
        copy_numbers(x, source, x, X_push, 6)
        copy_numbers(x, source + 6, x, X_push_point, 3)
        n[N_push_frame] = n[N_request_args]
    elif kind == R_PUSH_JOINTS:
        copy_numbers(x, source, x, X_push_joints, 7)
    elif kind == R_TRUE_LOAD:
        n[N_true_load_known] = n[N_request_args]
        copy_numbers(x, source, x, X_true_load, 13)
    elif kind == R_INJECT:
        n[N_inject_kind], n[N_inject_at] = n[N_request_args], n[N_request_args + 1]
    elif kind == R_WALL:
        set_wall(x, n)
    elif kind == R_SAFETY:
        switch_safety(x, n)
    elif kind == R_GUIDE:
        return guide(x, n)
    elif kind == R_BY_HAND:
        return recover_by_hand(x, n)
    elif kind == R_PLACE:
        if n[N_moving] == 1:
            return NOT_POSSIBLE
        place(x, n)
    return SUCCESS
