"""What requests of clients do; those of users of the simulated robot are in `world_kernels`.

Arguments stand in `x[X_request]` and `n[N_request_args]` and are checked as values already; here it
is only decided whether the robot is in a state that allows them.
"""

from kinegraph.kinematics.dynamics_kernels import solve_cholesky
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.body_kernels import touches_itself
from kinegraph.robot.sim.codes_layout import (
    ABORTED,
    BY_HAND_ONLY,
    CARTESIAN_POSITION,
    CARTESIAN_VELOCITY,
    EMERGENCY_ABORTED,
    EXTERNAL_CONTROLLER,
    INVALID,
    JOINT_POSITION,
    MODE_GUIDING,
    MODE_IDLE,
    MODE_RECOVERY,
    MODE_REFLEX,
    MOTION_STARTED,
    NO_GENERATOR,
    NOT_POSSIBLE,
    PENDING,
    PREEMPTED,
    R_CARTESIAN_IMPEDANCE,
    R_COLLISION,
    R_CONNECT,
    R_DISCONNECT,
    R_EE_TO_K,
    R_FILTERS,
    R_GUIDING,
    R_JOINT_IMPEDANCE,
    R_LOAD,
    R_MOVE,
    R_NE_TO_EE,
    R_RECOVER,
    R_STOP,
    SAFETY_REJECTED,
    SINGULAR_START,
    SUCCESS,
)
from kinegraph.robot.sim.cycle_kernels import recover_now
from kinegraph.robot.sim.ending_kernels import begin_motion, end_motion, rest_speed
from kinegraph.robot.sim.float_layout import (
    X_EE_T_K,
    X_F_T_EE,
    X_F_T_NE,
    X_NE_T_EE,
    X_async_speed,
    X_cartesian_stiffness,
    X_ext_load,
    X_filters,
    X_jacobian,
    X_known_load,
    X_pose_c,
    X_request,
    X_solver,
    X_speed,
    X_state,
    X_stiffness,
    X_thresholds,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers, multiply_frames
from kinegraph.robot.sim.int_layout import (
    N_asynchronous,
    N_by_hand,
    N_connected,
    N_controller,
    N_generator,
    N_guiding,
    N_mode,
    N_moving,
    N_recovery,
    N_request_args,
    N_request_kind,
    N_safety,
    N_socket,
    N_user_stopped,
    N_version,
)
from kinegraph.robot.sim.report_kernels import report_tool
from kinegraph.robot.sim.sensing_kernels import is_outside, locate
from kinegraph.robot.sim.world_kernels import change_world
from kinegraph.robot.sim.wrench_kernels import square_jacobian
from kinegraph.robot.wire.state_layout import (
    S_F_x_Ctotal,
    S_I_total,
    S_m_total,
    S_O_T_EE_d,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["answer", "update_tool"]

JOINTS = 7
# A recovery waits this many ms at most for the arm to rest.
RECOVERY_CYCLES = 700
# Manipulability below which no Cartesian motion starts. Not published.
SINGULAR = 5e-4


@kernel
def make_inertia(x: Array, at: int) -> None:
    """Replace nine numbers that are the inertia of no body by one of the same size.

    Clients may set anything; what they set is shown, but no arm could move with a negative mass.
    """
    for r in range(3):
        for s in range(r):
            middle = 0.5 * (x[at + 3 * r + s] + x[at + 3 * s + r])
            x[at + 3 * r + s], x[at + 3 * s + r] = middle, middle
    size = x[at] + x[at + 4] + x[at + 8]
    copy_numbers(x, at, x, X_solver, 9)
    for r in range(3):
        x[X_solver + 4 * r] += 1e-9 * abs(size) + 1e-12
        x[X_solver + 9 + r] = 0.0
    if solve_cholesky(3, X_solver, X_solver + 9, x) != 0:
        for k in range(9):
            x[at + k] = max(0.0, size) / 3.0 if k % 4 == 0 else 0.0


@kernel
def update_tool(x: Array, n: IntArray) -> None:
    """What follows from frames and masses: F_T_EE, and the load that the robot compensates."""
    multiply_frames(x, X_F_T_NE, x, X_NE_T_EE, x, X_F_T_EE)
    report_tool(x, n)
    x[X_known_load] = x[X_state + S_m_total]
    copy_numbers(x, X_state + S_F_x_Ctotal, x, X_known_load + 1, 3)
    copy_numbers(x, X_state + S_I_total, x, X_known_load + 4, 9)
    make_inertia(x, X_known_load + 4)


@kernel
def is_singular(x: Array, n: IntArray) -> bool:
    """Whether sqrt(det(J J^T)) at the measured configuration is next to nothing."""
    a, root = X_solver, 1.0
    square_jacobian(x, X_jacobian, 0.0)
    for r in range(6):
        x[a + 36 + r] = 0.0
    if solve_cholesky(6, a, a + 36, x) != 0:
        return True
    for r in range(6):
        root *= x[a + 7 * r]
    return root < SINGULAR


@kernel
def move(x: Array, n: IntArray) -> int:
    """Start a motion: arguments are controller, generator, asynchronous; seven largest speeds."""
    at = N_request_args
    controller, generator = n[at], n[at + 1]
    if n[N_safety] == 1:
        return SAFETY_REJECTED
    if n[N_mode] != MODE_IDLE or n[N_moving] == 1 or n[N_user_stopped] == 1:
        return NOT_POSSIBLE
    last = NO_GENERATOR if n[N_version] == 10 else NO_GENERATOR - 1
    if controller > EXTERNAL_CONTROLLER or generator > last or controller < 0 or generator < 0:
        return INVALID
    if generator == NO_GENERATOR and controller != EXTERNAL_CONTROLLER:
        return INVALID
    locate(x, n)
    if CARTESIAN_POSITION <= generator <= CARTESIAN_VELOCITY and is_singular(x, n):
        return SINGULAR_START
    n[N_controller], n[N_generator] = controller, generator
    n[N_asynchronous] = n[at + 2] if generator == JOINT_POSITION else 0
    for i in range(JOINTS):
        speed = x[X_request + i]
        limit = x[X_speed + i]
        x[X_async_speed + i] = min(speed, limit) if speed > 0.0 else limit
    copy_numbers(x, X_state + S_O_T_EE_d, x, X_pose_c, 16)
    begin_motion(x, n)
    return MOTION_STARTED


@kernel
def needs_a_hand(x: Array, n: IntArray) -> bool:
    """Whether only somebody beside the robot can recover it: it can get free by no motion."""
    return n[N_by_hand] == 1 or is_outside(x, n) or touches_itself(x, n)


@kernel
def recover(x: Array, n: IntArray) -> int:
    """Error recovery: done at once when the arm rests, else pending."""
    if n[N_safety] == 1:
        return SAFETY_REJECTED
    if n[N_user_stopped] == 1:
        return EMERGENCY_ABORTED
    if n[N_moving] == 1 or n[N_recovery] > 0 or n[N_mode] == MODE_GUIDING:
        return NOT_POSSIBLE
    if n[N_mode] == MODE_REFLEX and needs_a_hand(x, n):
        return BY_HAND_ONLY
    if n[N_mode] != MODE_REFLEX or rest_speed(x, n):
        recover_now(x, n)
        return SUCCESS
    n[N_recovery], n[N_mode] = RECOVERY_CYCLES, MODE_RECOVERY
    return PENDING


@kernel
def set_value(x: Array, n: IntArray, kind: int) -> int:
    """The setters of clients; none is taken while a motion runs."""
    source = X_request
    if n[N_safety] == 1:
        return SAFETY_REJECTED
    if n[N_moving] == 1:
        return NOT_POSSIBLE
    if kind == R_COLLISION:
        copy_numbers(x, source, x, X_thresholds, 52)
    elif kind == R_JOINT_IMPEDANCE:
        copy_numbers(x, source, x, X_stiffness, 7)
    elif kind == R_CARTESIAN_IMPEDANCE:
        copy_numbers(x, source, x, X_cartesian_stiffness, 6)
    elif kind == R_EE_TO_K:
        copy_numbers(x, source, x, X_EE_T_K, 16)
    elif kind == R_NE_TO_EE:
        copy_numbers(x, source, x, X_NE_T_EE, 16)
    elif kind == R_LOAD:
        copy_numbers(x, source, x, X_ext_load, 13)
    elif kind == R_FILTERS:
        copy_numbers(x, source, x, X_filters, 5)
    elif kind == R_GUIDING:
        for i in range(7):
            n[N_guiding + i] = n[N_request_args + i]
    update_tool(x, n)
    locate(x, n)
    return SUCCESS


@kernel
def answer(x: Array, n: IntArray) -> int:
    """Do what the request in the mailbox asks for; returns how it ended."""
    kind = n[N_request_kind]
    if kind == R_CONNECT:
        n[N_socket], n[N_connected] = n[N_request_args], 1
        return SUCCESS
    if kind == R_DISCONNECT:
        if n[N_moving] == 1:
            end_motion(x, n, ABORTED, MODE_IDLE)
        n[N_connected], n[N_socket] = 0, -1
        return SUCCESS
    if kind == R_MOVE:
        return move(x, n)
    if kind == R_STOP:
        if n[N_moving] == 1:
            end_motion(x, n, PREEMPTED, MODE_IDLE)
        return SUCCESS
    if kind == R_RECOVER:
        return recover(x, n)
    if R_COLLISION <= kind <= R_FILTERS:
        return set_value(x, n, kind)
    return change_world(x, n, kind)
