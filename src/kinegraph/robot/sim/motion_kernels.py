"""One cycle of a motion: the command of this millisecond, or its loss."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.check_kernels import torque_bit
from kinegraph.robot.sim.codes_layout import (
    CARTESIAN_POSITION,
    DT,
    EXTERNAL_CONTROLLER,
    INJECT_COLLISION,
    INJECT_REFLEX,
    INJECT_USER_STOP,
    INJECTED_PUSH,
    INPUT_ERROR,
    JOINT_POSITION,
    JOINT_VELOCITY,
    MODE_IDLE,
    NO_GENERATOR,
    SUCCESS,
    WINDOW,
)
from kinegraph.robot.sim.ending_kernels import end_motion, press_stop, trip
from kinegraph.robot.sim.float_layout import (
    X_acceleration,
    X_angular_limits,
    X_blow,
    X_command,
    X_ddelbow_c,
    X_ddq_d,
    X_delbow_c,
    X_dq_d,
    X_dtwist_c,
    X_elbow_c,
    X_linear_limits,
    X_new_ddq,
    X_new_dq,
    X_new_dtwist,
    X_new_elbow,
    X_new_pose,
    X_new_q,
    X_new_twist,
    X_pose_c,
    X_q_d,
    X_tau_d,
    X_twist_c,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.robot.sim.int_layout import (
    N_asynchronous,
    N_controller,
    N_enforce,
    N_finishing,
    N_first_id,
    N_generator,
    N_have,
    N_id,
    N_inject_at,
    N_inject_kind,
    N_lost,
    N_lost_in_row,
    N_max_lost,
    N_motion_cycle,
    N_moving,
    N_started,
    N_violations,
    N_window,
    N_window_at,
    N_window_count,
    N_worst_lost_in_row,
)
from kinegraph.robot.sim.proposal_kernels import (
    FRAME_INVALID,
    JOINT_JERK,
    JOINT_JUMP,
    POSE_JERK,
    POSE_JUMP,
    extrapolate_joints,
    extrapolate_pose,
    plan_to_target,
    propose_positions,
    propose_target,
    propose_twist_or_pose,
    propose_velocities,
)
from kinegraph.robot.wire.state_layout import (
    C_dq_c,
    C_elbow_c,
    C_motion_generation_finished,
    C_O_dP_EE_c,
    C_O_T_EE_c,
    C_q_c,
    C_tau_J_d,
    C_torque_command_finished,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["cycle_motion", "release_injected", "success_rate"]

JOINTS = 7
COMMUNICATION_BIT, JOINT_REFLEX_BIT = 25, 6
COLLISION_FORCE, COLLISION_CYCLES = -150.0, 60  # N along z of the base, ms
# What may be left of a velocity when the last command is finished, besides one step of braking.
FINISH_SLACK = 1e-3


@kernel
def all_finite(a: Array, i: int, count: int) -> bool:
    """Whether `count` numbers from `a[i]` on are finite."""
    fine = True
    for k in range(i, i + count):
        fine = fine and math.isfinite(a[k])
    return fine


@kernel
def is_finite_command(x: Array, n: IntArray) -> bool:
    """Whether the parts of the command that the motion uses are finite."""
    generator = n[N_generator]
    if n[N_controller] == EXTERNAL_CONTROLLER and not all_finite(x, X_command + C_tau_J_d, JOINTS):
        return False
    if generator == JOINT_POSITION:
        return all_finite(x, X_command + C_q_c, JOINTS)
    if generator == JOINT_VELOCITY:
        return all_finite(x, X_command + C_dq_c, JOINTS)
    if generator == NO_GENERATOR:
        return True
    by_pose = generator == CARTESIAN_POSITION
    fine = (
        all_finite(x, X_command + C_O_T_EE_c, 16)
        if by_pose
        else all_finite(x, X_command + C_O_dP_EE_c, 6)
    )
    return fine and all_finite(x, X_command + C_elbow_c, 2)


@kernel
def count_cycle(x: Array, n: IntArray, answered: bool) -> None:
    """Enter a cycle into the window of the success rate; losses before the first command are none.

    They count for the limit of losses in a row all the same.
    """
    n[N_lost_in_row] = 0 if answered else n[N_lost_in_row] + 1
    if not answered and n[N_started] == 0:
        return
    n[N_worst_lost_in_row] = max(n[N_worst_lost_in_row], n[N_lost_in_row])
    if not answered:
        n[N_lost] += 1
    n[N_window + n[N_window_at]] = 1 if answered else 0
    n[N_window_at] = (n[N_window_at] + 1) % WINDOW
    n[N_window_count] = min(WINDOW, n[N_window_count] + 1)


@kernel
def success_rate(x: Array, n: IntArray) -> float:
    """Share of the last 100 cycles of the motion that were answered in time, 0 before the first."""
    total = 0
    for i in range(n[N_window_count]):
        total += n[N_window + i]
    return total / n[N_window_count] if n[N_window_count] > 0 else 0.0


@kernel
def propose(x: Array, n: IntArray) -> int:
    """Candidate motion out of the command; the error bit that refuses it, or -1."""
    generator, bit = n[N_generator], -1
    if generator == JOINT_POSITION and n[N_asynchronous] == 1:
        # libfranka's last command has zeros for a target: the one that stands is kept.
        if x[X_command + C_motion_generation_finished] == 0.0:
            bit = propose_target(x, n)
    elif generator == JOINT_POSITION:
        bit = propose_positions(x, n)
    elif generator == JOINT_VELOCITY:
        bit = propose_velocities(x, n)
    elif generator != NO_GENERATOR:
        bit = propose_twist_or_pose(x, n)
    if bit < 0 and n[N_controller] == EXTERNAL_CONTROLLER:
        bit = torque_bit(x, n)
    return bit


@kernel
def commit(x: Array, n: IntArray) -> None:
    """The candidate becomes the desired motion."""
    generator = n[N_generator]
    if generator == NO_GENERATOR:
        return
    for i in range(JOINTS):
        x[X_q_d + i] = x[X_new_q + i]
        x[X_dq_d + i], x[X_ddq_d + i] = x[X_new_dq + i], x[X_new_ddq + i]
    if generator <= JOINT_VELOCITY:
        x[X_ddelbow_c], x[X_delbow_c] = x[X_ddq_d + 2], x[X_dq_d + 2]
        x[X_elbow_c] = x[X_q_d + 2]
        return
    copy_numbers(x, X_new_pose, x, X_pose_c, 16)
    copy_numbers(x, X_new_twist, x, X_twist_c, 6)
    copy_numbers(x, X_new_dtwist, x, X_dtwist_c, 6)
    x[X_elbow_c] = x[X_new_elbow]
    x[X_delbow_c], x[X_ddelbow_c] = x[X_new_elbow + 1], x[X_new_elbow + 2]


@kernel
def moving_bit(x: Array, n: IntArray) -> int:
    """Error bit of a motion that is finished while it moves, -1 when it may end."""
    generator = n[N_generator]
    if generator <= JOINT_VELOCITY:
        for i in range(JOINTS):
            if abs(x[X_dq_d + i]) > x[X_acceleration + i] * DT + FINISH_SLACK:
                return JOINT_JUMP if generator == JOINT_POSITION else JOINT_JERK
    elif generator != NO_GENERATOR:
        linear, angular = 0.0, 0.0
        for r in range(3):
            linear += x[X_twist_c + r] ** 2
            angular += x[X_twist_c + 3 + r] ** 2
        fast = math.sqrt(linear) > x[X_linear_limits + 1] * DT + FINISH_SLACK
        if fast or math.sqrt(angular) > x[X_angular_limits + 1] * DT + FINISH_SLACK:
            return POSE_JUMP if generator == CARTESIAN_POSITION else POSE_JERK
    return -1


@kernel
def finish(x: Array, n: IntArray) -> None:
    """The last command has come: end with Success, or say that the arm still moves."""
    bit = moving_bit(x, n)
    if bit >= 0 and n[N_enforce] == 1:
        n[N_violations] += 1
        trip(x, n, bit)
        return
    end_motion(x, n, SUCCESS, MODE_IDLE)


@kernel
def accept(x: Array, n: IntArray) -> None:
    """Use the command of this cycle."""
    count_cycle(x, n, True)
    if not is_finite_command(x, n):
        end_motion(x, n, INPUT_ERROR, MODE_IDLE)
        return
    bit = propose(x, n)
    if bit >= 0:
        n[N_violations] += 1
        if n[N_enforce] == 1 or bit == FRAME_INVALID:
            trip(x, n, bit)
            return
    if n[N_controller] == EXTERNAL_CONTROLLER:
        copy_numbers(x, X_command + C_tau_J_d, x, X_tau_d, JOINTS)
    n[N_started] = 1
    if n[N_asynchronous] == 0:
        commit(x, n)
    alone = n[N_generator] == NO_GENERATOR
    flag = C_torque_command_finished if alone else C_motion_generation_finished
    if x[X_command + flag] != 0.0:
        n[N_finishing] = 1
    if n[N_finishing] == 1 and n[N_asynchronous] == 0:
        finish(x, n)


@kernel
def lose(x: Array, n: IntArray) -> None:
    """No command for this cycle: extrapolate, and abort after too many in a row."""
    count_cycle(x, n, False)
    too_many = n[N_lost_in_row] >= n[N_max_lost]
    if too_many and n[N_enforce] == 1:
        trip(x, n, COMMUNICATION_BIT)
        return
    if n[N_generator] == NO_GENERATOR or n[N_started] == 0:
        return
    if n[N_generator] <= JOINT_VELOCITY:
        extrapolate_joints(x, n, too_many)
    else:
        extrapolate_pose(x, n, too_many)
    commit(x, n)


@kernel
def inject(x: Array, n: IntArray) -> None:
    """Do once what was asked to happen in this cycle of the motion."""
    if n[N_inject_kind] <= 0 or n[N_motion_cycle] < n[N_inject_at]:
        return
    kind = n[N_inject_kind]
    n[N_inject_kind] = 0
    if kind == INJECT_REFLEX:
        trip(x, n, JOINT_REFLEX_BIT)
    elif kind == INJECT_USER_STOP:
        press_stop(x, n)
    elif kind == INJECT_COLLISION:
        x[X_blow + 2] = COLLISION_FORCE
        n[N_inject_kind], n[N_inject_at] = INJECTED_PUSH, COLLISION_CYCLES


@kernel
def release_injected(x: Array, n: IntArray) -> None:
    """Take an injected collision away again after its time, motion or not."""
    if n[N_inject_kind] != INJECTED_PUSH:
        return
    n[N_inject_at] -= 1
    if n[N_inject_at] <= 0:
        n[N_inject_kind], x[X_blow + 2] = 0, 0.0


@kernel
def cycle_motion(x: Array, n: IntArray) -> None:
    """One millisecond of a motion, from the one on whose state a client can answer."""
    n[N_motion_cycle] += 1
    inject(x, n)
    if n[N_moving] == 0 or n[N_id] == n[N_first_id]:
        return
    if n[N_have] == 1:
        accept(x, n)
    elif n[N_asynchronous] == 0:
        lose(x, n)
    if n[N_moving] == 1 and n[N_asynchronous] == 1 and n[N_started] == 1:
        arrived = plan_to_target(x, n)
        commit(x, n)
        if arrived and n[N_finishing] == 1:
            end_motion(x, n, SUCCESS, MODE_IDLE)
