"""Where each number of a robot state and of a command stands in the loop's flat arrays.

The loop, the rings and `RobotState` share one form of a state: a row of float64, decoded from
whichever version the robot speaks. The offsets are compile-time constants of the kernels.
"""

from kinegraph.robot.field_offsets import offsets

STATE_FIELDS: tuple[tuple[str, int], ...] = (
    ("O_T_EE", 16),
    ("O_T_EE_d", 16),
    ("F_T_EE", 16),
    ("F_T_NE", 16),
    ("NE_T_EE", 16),
    ("EE_T_K", 16),
    ("m_ee", 1),
    ("I_ee", 9),
    ("F_x_Cee", 3),
    ("m_load", 1),
    ("I_load", 9),
    ("F_x_Cload", 3),
    ("m_total", 1),
    ("I_total", 9),
    ("F_x_Ctotal", 3),
    ("elbow", 2),
    ("elbow_d", 2),
    ("elbow_c", 2),
    ("delbow_c", 2),
    ("ddelbow_c", 2),
    ("tau_J", 7),
    ("tau_J_d", 7),
    ("dtau_J", 7),
    ("q", 7),
    ("q_d", 7),
    ("dq", 7),
    ("dq_d", 7),
    ("ddq_d", 7),
    ("joint_contact", 7),
    ("cartesian_contact", 6),
    ("joint_collision", 7),
    ("cartesian_collision", 6),
    ("tau_ext_hat_filtered", 7),
    ("O_F_ext_hat_K", 6),
    ("K_F_ext_hat_K", 6),
    ("O_dP_EE_d", 6),
    ("O_ddP_O", 3),
    ("O_T_EE_c", 16),
    ("O_dP_EE_c", 6),
    ("O_ddP_EE_c", 6),
    ("theta", 7),
    ("dtheta", 7),
    ("accelerometer_top", 18),
    ("accelerometer_bottom", 18),
    ("current_errors", 41),
    ("last_motion_errors", 41),
    ("control_command_success_rate", 1),
    ("robot_mode", 1),
    ("time", 1),
    # What steers the client's own state machine and is no part of the public state.
    ("motion_generator_mode", 1),
    ("controller_mode", 1),
)
"""Fields in the order of the public state, with their numbers of entries; `time` is in ms."""

COMMAND_FIELDS: tuple[tuple[str, int], ...] = (
    ("message_id", 1),
    ("q_c", 7),
    ("dq_c", 7),
    ("O_T_EE_c", 16),
    ("O_dP_EE_c", 6),
    ("elbow_c", 2),
    ("valid_elbow", 1),
    ("motion_generation_finished", 1),
    ("tau_J_d", 7),
    ("torque_command_finished", 1),
)
"""Fields of a robot command with their numbers of entries."""

STATE_OFFSETS = offsets(STATE_FIELDS)
STATE_SIZE = sum(count for _, count in STATE_FIELDS)
COMMAND_OFFSETS = offsets(COMMAND_FIELDS)
COMMAND_SIZE = sum(count for _, count in COMMAND_FIELDS)

# The offsets that kernels use, as plain integers that numba freezes.
S_O_T_EE = STATE_OFFSETS["O_T_EE"]
S_O_T_EE_d = STATE_OFFSETS["O_T_EE_d"]
S_F_T_EE = STATE_OFFSETS["F_T_EE"]
S_F_T_NE = STATE_OFFSETS["F_T_NE"]
S_NE_T_EE = STATE_OFFSETS["NE_T_EE"]
S_EE_T_K = STATE_OFFSETS["EE_T_K"]
S_m_ee = STATE_OFFSETS["m_ee"]
S_I_ee = STATE_OFFSETS["I_ee"]
S_F_x_Cee = STATE_OFFSETS["F_x_Cee"]
S_m_load = STATE_OFFSETS["m_load"]
S_I_load = STATE_OFFSETS["I_load"]
S_F_x_Cload = STATE_OFFSETS["F_x_Cload"]
S_m_total = STATE_OFFSETS["m_total"]
S_I_total = STATE_OFFSETS["I_total"]
S_F_x_Ctotal = STATE_OFFSETS["F_x_Ctotal"]
S_elbow = STATE_OFFSETS["elbow"]
S_elbow_d = STATE_OFFSETS["elbow_d"]
S_elbow_c = STATE_OFFSETS["elbow_c"]
S_delbow_c = STATE_OFFSETS["delbow_c"]
S_ddelbow_c = STATE_OFFSETS["ddelbow_c"]
S_tau_J = STATE_OFFSETS["tau_J"]
S_tau_J_d = STATE_OFFSETS["tau_J_d"]
S_dtau_J = STATE_OFFSETS["dtau_J"]
S_q = STATE_OFFSETS["q"]
S_q_d = STATE_OFFSETS["q_d"]
S_dq = STATE_OFFSETS["dq"]
S_dq_d = STATE_OFFSETS["dq_d"]
S_ddq_d = STATE_OFFSETS["ddq_d"]
S_joint_contact = STATE_OFFSETS["joint_contact"]
S_cartesian_contact = STATE_OFFSETS["cartesian_contact"]
S_joint_collision = STATE_OFFSETS["joint_collision"]
S_cartesian_collision = STATE_OFFSETS["cartesian_collision"]
S_tau_ext_hat_filtered = STATE_OFFSETS["tau_ext_hat_filtered"]
S_O_F_ext_hat_K = STATE_OFFSETS["O_F_ext_hat_K"]
S_K_F_ext_hat_K = STATE_OFFSETS["K_F_ext_hat_K"]
S_O_dP_EE_d = STATE_OFFSETS["O_dP_EE_d"]
S_O_ddP_O = STATE_OFFSETS["O_ddP_O"]
S_O_T_EE_c = STATE_OFFSETS["O_T_EE_c"]
S_O_dP_EE_c = STATE_OFFSETS["O_dP_EE_c"]
S_O_ddP_EE_c = STATE_OFFSETS["O_ddP_EE_c"]
S_theta = STATE_OFFSETS["theta"]
S_dtheta = STATE_OFFSETS["dtheta"]
S_accelerometer_top = STATE_OFFSETS["accelerometer_top"]
S_accelerometer_bottom = STATE_OFFSETS["accelerometer_bottom"]
S_current_errors = STATE_OFFSETS["current_errors"]
S_last_motion_errors = STATE_OFFSETS["last_motion_errors"]
S_control_command_success_rate = STATE_OFFSETS["control_command_success_rate"]
S_robot_mode = STATE_OFFSETS["robot_mode"]
S_time = STATE_OFFSETS["time"]
S_motion_generator_mode = STATE_OFFSETS["motion_generator_mode"]
S_controller_mode = STATE_OFFSETS["controller_mode"]
C_message_id = COMMAND_OFFSETS["message_id"]
C_q_c = COMMAND_OFFSETS["q_c"]
C_dq_c = COMMAND_OFFSETS["dq_c"]
C_O_T_EE_c = COMMAND_OFFSETS["O_T_EE_c"]
C_O_dP_EE_c = COMMAND_OFFSETS["O_dP_EE_c"]
C_elbow_c = COMMAND_OFFSETS["elbow_c"]
C_valid_elbow = COMMAND_OFFSETS["valid_elbow"]
C_motion_generation_finished = COMMAND_OFFSETS["motion_generation_finished"]
C_tau_J_d = COMMAND_OFFSETS["tau_J_d"]
C_torque_command_finished = COMMAND_OFFSETS["torque_command_finished"]
