"""The state that the robot publishes."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import (
    ERROR_COUNT,
    EXTERNAL_CONTROLLER,
    OTHER_CONTROLLER,
)
from kinegraph.robot.sim.float_layout import (
    X_EE_T_K,
    X_F_T_EE,
    X_F_T_NE,
    X_NE_T_EE,
    X_ddelbow_c,
    X_ddq_d,
    X_delbow_c,
    X_dq,
    X_dq_d,
    X_dtau_J,
    X_dtwist_c,
    X_ee_load,
    X_elbow_c,
    X_ext_load,
    X_gravity,
    X_jacobian,
    X_override,
    X_pose_c,
    X_q,
    X_q_d,
    X_state,
    X_tau_d,
    X_tau_drive,
    X_tau_ext,
    X_tau_J,
    X_twist_c,
    X_wrench,
    X_wrench_K,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.robot.sim.int_layout import (
    N_controller,
    N_errors,
    N_generator,
    N_id,
    N_mode,
    N_moving,
    N_override,
    N_reason,
)
from kinegraph.robot.sim.motion_kernels import success_rate
from kinegraph.robot.sim.part_kernels import part
from kinegraph.robot.wire.state_layout import (
    S_EE_T_K,
    S_F_T_EE,
    S_F_T_NE,
    S_NE_T_EE,
    STATE_SIZE,
    S_control_command_success_rate,
    S_controller_mode,
    S_current_errors,
    S_ddelbow_c,
    S_ddq_d,
    S_delbow_c,
    S_dq,
    S_dq_d,
    S_dtau_J,
    S_dtheta,
    S_elbow,
    S_elbow_c,
    S_elbow_d,
    S_F_x_Cee,
    S_F_x_Cload,
    S_I_ee,
    S_I_load,
    S_K_F_ext_hat_K,
    S_last_motion_errors,
    S_m_ee,
    S_m_load,
    S_motion_generator_mode,
    S_O_ddP_EE_c,
    S_O_ddP_O,
    S_O_dP_EE_c,
    S_O_dP_EE_d,
    S_O_F_ext_hat_K,
    S_O_T_EE_c,
    S_O_T_EE_d,
    S_q,
    S_q_d,
    S_robot_mode,
    S_tau_ext_hat_filtered,
    S_tau_J,
    S_tau_J_d,
    S_theta,
    S_time,
)
from kinegraph.robot.wire.wire_kernels import combine_loads
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["report"]

JOINTS = 7
# Stiffness of the gears, Nm/rad: the motor stands a few mrad ahead of the joint.
GEAR_STIFFNESS = 14250.0


@kernel
def report_tool(x: Array, n: IntArray) -> None:
    """Frames and masses as they were set."""
    copy_numbers(x, X_F_T_EE, x, X_state + S_F_T_EE, 16)
    copy_numbers(x, X_F_T_NE, x, X_state + S_F_T_NE, 16)
    copy_numbers(x, X_NE_T_EE, x, X_state + S_NE_T_EE, 16)
    copy_numbers(x, X_EE_T_K, x, X_state + S_EE_T_K, 16)
    x[X_state + S_m_ee], x[X_state + S_m_load] = x[X_ee_load], x[X_ext_load]
    copy_numbers(x, X_ee_load + 1, x, X_state + S_F_x_Cee, 3)
    copy_numbers(x, X_ext_load + 1, x, X_state + S_F_x_Cload, 3)
    copy_numbers(x, X_ee_load + 4, x, X_state + S_I_ee, 9)
    copy_numbers(x, X_ext_load + 4, x, X_state + S_I_load, 9)
    combine_loads(part(x, X_state, STATE_SIZE), x[X_ee_load] + x[X_ext_load])
    copy_numbers(x, X_gravity, x, X_state + S_O_ddP_O, 3)


@kernel
def report_joints(x: Array, n: IntArray) -> None:
    """Positions, velocities and torques, measured and desired; without a motion none is desired."""
    moving = n[N_moving] == 1
    external = moving and n[N_controller] == EXTERNAL_CONTROLLER
    for i in range(JOINTS):
        torque = x[X_tau_J + i]
        x[X_state + S_q + i], x[X_state + S_dq + i] = x[X_q + i], x[X_dq + i]
        x[X_state + S_q_d + i] = x[X_q_d + i]
        x[X_state + S_dq_d + i] = x[X_dq_d + i] if moving else 0.0
        x[X_state + S_ddq_d + i] = x[X_ddq_d + i] if moving else 0.0
        x[X_state + S_tau_J + i], x[X_state + S_dtau_J + i] = torque, x[X_dtau_J + i]
        drive = x[X_tau_drive + i] if moving else 0.0
        x[X_state + S_tau_J_d + i] = x[X_tau_d + i] if external else drive
        x[X_state + S_tau_ext_hat_filtered + i] = x[X_tau_ext + i]
        x[X_state + S_theta + i] = x[X_q + i] + torque / GEAR_STIFFNESS
        x[X_state + S_dtheta + i] = x[X_dq + i] + x[X_dtau_J + i] / GEAR_STIFFNESS
    copy_numbers(x, X_wrench, x, X_state + S_O_F_ext_hat_K, 6)
    copy_numbers(x, X_wrench_K, x, X_state + S_K_F_ext_hat_K, 6)


@kernel
def report_elbow(x: Array, q: int, out: int) -> None:
    """Position of joint 3 and sign of joint 4."""
    x[out], x[out + 1] = x[q + 2], -1.0 if x[q + 3] < 0.0 else 1.0


@kernel
def report_end_effector(x: Array, n: IntArray) -> None:
    """Commanded pose, twist and elbow; O_T_EE and O_T_EE_d stand there already."""
    cartesian = n[N_moving] == 1 and (n[N_generator] == 2 or n[N_generator] == 3)
    if cartesian:
        copy_numbers(x, X_pose_c, x, X_state + S_O_T_EE_c, 16)
    else:
        copy_numbers(x, X_state + S_O_T_EE_d, x, X_state + S_O_T_EE_c, 16)
    copy_numbers(x, X_twist_c, x, X_state + S_O_dP_EE_c, 6)
    copy_numbers(x, X_dtwist_c, x, X_state + S_O_ddP_EE_c, 6)
    for r in range(6):
        total = 0.0
        for i in range(JOINTS):
            total += x[X_jacobian + JOINTS * r + i] * x[X_state + S_dq_d + i]
        x[X_state + S_O_dP_EE_d + r] = total
    report_elbow(x, X_q, X_state + S_elbow)
    report_elbow(x, X_q_d, X_state + S_elbow_d)
    copy_numbers(x, X_elbow_c, x, X_state + S_elbow_c, 2)
    copy_numbers(x, X_delbow_c, x, X_state + S_delbow_c, 2)
    copy_numbers(x, X_ddelbow_c, x, X_state + S_ddelbow_c, 2)


@kernel
def report_modes(x: Array, n: IntArray) -> None:
    """Modes, errors, success rate and the message id."""
    moving = n[N_moving] == 1
    for i in range(ERROR_COUNT):
        x[X_state + S_current_errors + i] = n[N_errors + i]
        x[X_state + S_last_motion_errors + i] = n[N_reason + i]
    x[X_state + S_control_command_success_rate] = success_rate(x, n) if moving else 0.0
    x[X_state + S_robot_mode] = n[N_mode]
    x[X_state + S_motion_generator_mode] = n[N_generator] + 1 if moving else 0
    x[X_state + S_controller_mode] = n[N_controller] if moving else OTHER_CONTROLLER
    x[X_state + S_time] = n[N_id]


@kernel
def report(x: Array, n: IntArray) -> None:
    """Fill the state row, or copy the one that a test has put in its place."""
    report_tool(x, n)
    report_joints(x, n)
    report_end_effector(x, n)
    report_modes(x, n)
    if n[N_override] == 1:
        time = x[X_state + S_time]
        copy_numbers(x, X_override, x, X_state, STATE_SIZE)
        x[X_state + S_time] = time
