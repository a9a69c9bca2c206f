"""Where each number of the packed options stands: `CartesianOptions.packed` writes them.

A live session may write any of them between two cycles; nothing in the controller's memory is
derived from them.
"""

from kinegraph.robot.control.table_layout import FILTER_SECTIONS, MAX_JOINTS
from kinegraph.robot.field_offsets import offsets

OPTION_FIELDS: tuple[tuple[str, int], ...] = (
    ("n", 1),
    # Generator: limits of the six axes (position, then rotation) and the stop.
    ("axis_velocity", 6),
    ("axis_acceleration", 6),
    ("axis_jerk", 6),
    ("settle_tolerance", 1),
    ("settle_cycles", 1),
    ("dwell", 1),
    ("max_deviation", 1),
    ("max_angular_deviation", 1),
    # Leash.
    ("leash_translation", 1),
    ("leash_rotation", 1),
    # Inverse kinematics.
    ("ik_damping", 1),
    ("ik_nullspace_gain", 1),
    ("ik_iterations", 1),
    ("ik_tolerance", 1),
    ("ik_rotation_weight", 1),
    ("has_posture", 1),
    ("posture", MAX_JOINTS),
    # Law.
    ("cartesian_stiffness", 6),
    ("cartesian_damping", 6),
    ("joint_stiffness", MAX_JOINTS),
    ("joint_damping", MAX_JOINTS),
    ("project_joint_gains", 1),
    ("feedforward_gain", 1),
    ("feedforward_cutoff", 1),
    ("torque_limits", MAX_JOINTS),
    ("default_torque_limits", MAX_JOINTS),
    # Guard.
    ("joint_velocity_fraction", 1),
    ("velocity_barrier_fraction", 1),
    ("joint_position_margin", 1),
    # Arm: limits, the braking profile, and the speeds that the robot itself enforces.
    ("lower", MAX_JOINTS),
    ("upper", MAX_JOINTS),
    ("flat_velocity", MAX_JOINTS),
    ("braking_slope", MAX_JOINTS),
    ("braking_onset", MAX_JOINTS),
    ("position_dependent", 1),
    ("robot_velocity", MAX_JOINTS),
    ("robot_lower", MAX_JOINTS),
    ("robot_upper", MAX_JOINTS),
    ("robot_offset", MAX_JOINTS),
    ("robot_deceleration", MAX_JOINTS),
    # Whether the rates of what is sent are limited.
    ("limit_rate", 1),
    # Backstop of poses that the robot's controller follows: velocity, acceleration and jerk, of
    # the translation, then of the rotation; and of its joint positions.
    ("backstop", 6),
    # Joint interface: budget of each joint, and its leash.
    ("joint_velocity", MAX_JOINTS),
    ("joint_acceleration", MAX_JOINTS),
    ("joint_jerk", MAX_JOINTS),
    ("leash_joint", 1),
    ("backstop_acceleration", MAX_JOINTS),
    ("backstop_jerk", MAX_JOINTS),
    # Whether nothing is sent, so that the robot echoes nothing either.
    ("dry_run", 1),
    # Feed-forward from the generator, friction, integral, walls: beyond the reference.
    ("reference_sections", 5 * FILTER_SECTIONS),
    ("reference_delay", 1),
    ("feedback_cutoff", 1),
    ("feedforward_source", 1),
    ("acceleration_gain", 1),
    ("drive_inertia", MAX_JOINTS),
    ("friction_time", 1),
    ("friction_speed", 1),
    ("friction_limits", MAX_JOINTS),
    ("integral_force", 1),
    ("integral_time", 1),
    ("integral_window", 1),
    ("wall_depth", 1),
    ("max_lead", 1),
    # Guards: the workspace box, the force of the springs at the tool (0: no cap).
    ("has_box", 1),
    ("workspace_lower", 3),
    ("workspace_upper", 3),
    ("max_spring_force", 1),
)
"""Fields in their order, with their numbers of entries."""

OPTION_OFFSETS = offsets(OPTION_FIELDS)
OPTION_SIZE = sum(count for _, count in OPTION_FIELDS)

CUTOFF_OFF = 1000.0
"""Low-passes at this frequency or above, Hz, are off."""

# The offsets that kernels use, as plain integers that numba freezes.
O_n = OPTION_OFFSETS["n"]
O_axis_velocity = OPTION_OFFSETS["axis_velocity"]
O_axis_acceleration = OPTION_OFFSETS["axis_acceleration"]
O_axis_jerk = OPTION_OFFSETS["axis_jerk"]
O_settle_tolerance = OPTION_OFFSETS["settle_tolerance"]
O_settle_cycles = OPTION_OFFSETS["settle_cycles"]
O_dwell = OPTION_OFFSETS["dwell"]
O_max_deviation = OPTION_OFFSETS["max_deviation"]
O_max_angular_deviation = OPTION_OFFSETS["max_angular_deviation"]
O_leash_translation = OPTION_OFFSETS["leash_translation"]
O_leash_rotation = OPTION_OFFSETS["leash_rotation"]
O_ik_damping = OPTION_OFFSETS["ik_damping"]
O_ik_nullspace_gain = OPTION_OFFSETS["ik_nullspace_gain"]
O_ik_iterations = OPTION_OFFSETS["ik_iterations"]
O_ik_tolerance = OPTION_OFFSETS["ik_tolerance"]
O_ik_rotation_weight = OPTION_OFFSETS["ik_rotation_weight"]
O_has_posture = OPTION_OFFSETS["has_posture"]
O_posture = OPTION_OFFSETS["posture"]
O_cartesian_stiffness = OPTION_OFFSETS["cartesian_stiffness"]
O_cartesian_damping = OPTION_OFFSETS["cartesian_damping"]
O_joint_stiffness = OPTION_OFFSETS["joint_stiffness"]
O_joint_damping = OPTION_OFFSETS["joint_damping"]
O_project_joint_gains = OPTION_OFFSETS["project_joint_gains"]
O_feedforward_gain = OPTION_OFFSETS["feedforward_gain"]
O_feedforward_cutoff = OPTION_OFFSETS["feedforward_cutoff"]
O_torque_limits = OPTION_OFFSETS["torque_limits"]
O_default_torque_limits = OPTION_OFFSETS["default_torque_limits"]
O_joint_velocity_fraction = OPTION_OFFSETS["joint_velocity_fraction"]
O_velocity_barrier_fraction = OPTION_OFFSETS["velocity_barrier_fraction"]
O_joint_position_margin = OPTION_OFFSETS["joint_position_margin"]
O_lower = OPTION_OFFSETS["lower"]
O_upper = OPTION_OFFSETS["upper"]
O_flat_velocity = OPTION_OFFSETS["flat_velocity"]
O_braking_slope = OPTION_OFFSETS["braking_slope"]
O_braking_onset = OPTION_OFFSETS["braking_onset"]
O_position_dependent = OPTION_OFFSETS["position_dependent"]
O_robot_velocity = OPTION_OFFSETS["robot_velocity"]
O_robot_lower = OPTION_OFFSETS["robot_lower"]
O_robot_upper = OPTION_OFFSETS["robot_upper"]
O_robot_offset = OPTION_OFFSETS["robot_offset"]
O_robot_deceleration = OPTION_OFFSETS["robot_deceleration"]
O_limit_rate = OPTION_OFFSETS["limit_rate"]
O_backstop = OPTION_OFFSETS["backstop"]
O_joint_velocity = OPTION_OFFSETS["joint_velocity"]
O_joint_acceleration = OPTION_OFFSETS["joint_acceleration"]
O_joint_jerk = OPTION_OFFSETS["joint_jerk"]
O_leash_joint = OPTION_OFFSETS["leash_joint"]
O_backstop_acceleration = OPTION_OFFSETS["backstop_acceleration"]
O_backstop_jerk = OPTION_OFFSETS["backstop_jerk"]
O_dry_run = OPTION_OFFSETS["dry_run"]
O_reference_sections = OPTION_OFFSETS["reference_sections"]
O_reference_delay = OPTION_OFFSETS["reference_delay"]
O_feedback_cutoff = OPTION_OFFSETS["feedback_cutoff"]
O_feedforward_source = OPTION_OFFSETS["feedforward_source"]
O_acceleration_gain = OPTION_OFFSETS["acceleration_gain"]
O_drive_inertia = OPTION_OFFSETS["drive_inertia"]
O_friction_time = OPTION_OFFSETS["friction_time"]
O_friction_speed = OPTION_OFFSETS["friction_speed"]
O_friction_limits = OPTION_OFFSETS["friction_limits"]
O_integral_force = OPTION_OFFSETS["integral_force"]
O_integral_time = OPTION_OFFSETS["integral_time"]
O_integral_window = OPTION_OFFSETS["integral_window"]
O_max_lead = OPTION_OFFSETS["max_lead"]
O_wall_depth = OPTION_OFFSETS["wall_depth"]
