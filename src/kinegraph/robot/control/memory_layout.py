"""Where each number of the controller's memory stands.

All of a session's state and all scratch of a cycle. Zeros mean "before the first cycle". A
placement is 12 numbers, position and rotation (rows); a pose is 16, rows of a 4x4 matrix.
"""

from kinegraph.kinematics.dynamics_layout import dynamics_workspace
from kinegraph.robot.control.generator.generator_layout import GENERATOR_SIZE
from kinegraph.robot.control.table_layout import FILTER_SECTIONS, MAX_JOINTS
from kinegraph.robot.control.target_layout import TARGET_SIZE
from kinegraph.robot.field_offsets import offsets

FILTER_MEMORY = 2 * FILTER_SECTIONS * MAX_JOINTS

MEMORY_FIELDS: tuple[tuple[str, int], ...] = (
    # Session.
    ("started", 1),
    ("cycle", 1),
    ("deviated", 1),
    ("start", 12),
    ("robot_tool", 16),
    # Runner.
    ("target", 7),
    ("target_changed", 1),
    ("stop_cycles", 1),
    ("holding", 1),
    ("sent", 1),
    ("waited", 1),
    ("finished", 1),
    # Generator, a block of its own: see generator_layout.
    ("generator", GENERATOR_SIZE),
    # Leash: what it pulls toward, what it took off.
    ("reference", 12),
    ("leash_alteration", 1),
    ("leash_angular_alteration", 1),
    # Inverse kinematics.
    ("goal", MAX_JOINTS),
    ("goal_pose", 16),
    ("goal_jacobian", 6 * MAX_JOINTS),
    ("posture", MAX_JOINTS),
    ("active", MAX_JOINTS),
    ("active_position", MAX_JOINTS),
    ("blend_phase", 1),
    ("stalled", 1),
    ("quiet", 1),
    ("pinned", MAX_JOINTS),
    ("cut", 1),
    ("ik_error", 1),
    ("ik_passes", 1),
    ("ik_step", 1),
    ("ik_step_clipped", 1),
    ("ik_blend", 1),
    ("stall_pressure", 1),
    ("velocity_pressure", 1),
    ("goal_velocity", MAX_JOINTS),
    # Walls (translation, rotation): their normals, the joints that stand on them, their ages.
    ("wall_normal", 6),
    ("wall_joints", 2 * MAX_JOINTS),
    ("wall_age", 2),
    ("held", 1),
    # Restart of the generator for the next cycle, and landing against a wall.
    ("restart", 1),
    ("restart_velocity", 6),
    ("restart_acceleration", 6),
    ("cap_scale", 1),
    ("still", 1),
    ("closest", 6),
    ("blocked", 1),
    # Motions through the robot's controller: what was sent last and how it moved, the backstop.
    ("stream_sent", 12),
    ("stream_pose", 16),
    ("stream_twist", 6),
    ("stream_acceleration", 6),
    ("stream_time", 1),
    ("backstop_alteration", 1),
    ("backstop_angular_alteration", 1),
    ("stream_echo", 12),
    ("stream_from", 16),
    ("stream_limited", 16),
    # Joint interface: what the Cartesian one keeps as placements and by axes of the task.
    ("joint_target", MAX_JOINTS),
    ("joint_start", MAX_JOINTS),
    ("joint_reference", MAX_JOINTS),
    ("joint_anchor", MAX_JOINTS),
    ("joint_desired", MAX_JOINTS),
    ("joint_restart_velocity", MAX_JOINTS),
    ("joint_restart_acceleration", MAX_JOINTS),
    ("stream_joints", MAX_JOINTS),
    ("stream_joint_velocity", MAX_JOINTS),
    ("stream_joint_acceleration", MAX_JOINTS),
    # Feed-forward, friction, integral: see torques.
    ("rate", MAX_JOINTS),
    ("change", MAX_JOINTS),
    ("planned_rate", MAX_JOINTS),
    ("remainder", MAX_JOINTS),
    ("filtered_reference", FILTER_MEMORY),
    ("filtered_rate", FILTER_MEMORY),
    ("filtered_change", FILTER_MEMORY),
    ("filtered_friction", FILTER_MEMORY),
    ("share", MAX_JOINTS),
    ("against_friction", MAX_JOINTS),
    ("law_reference", MAX_JOINTS),
    ("law_rate", MAX_JOINTS),
    ("law_change", MAX_JOINTS),
    ("law_friction", MAX_JOINTS),
    ("free", 1),
    ("pinned_before", MAX_JOINTS),
    ("task_rate", 6),
    ("friction", MAX_JOINTS),
    ("dq_before", MAX_JOINTS),
    ("missed_change", MAX_JOINTS),
    ("unexplained", MAX_JOINTS),
    ("integral", 3),
    ("rested", 1),
    ("extra", MAX_JOINTS),
    ("feedback", MAX_JOINTS),
    ("half_feedback", MAX_JOINTS),
    ("soft_feedback", MAX_JOINTS),
    ("spring", 3),
    ("wall_shift", MAX_JOINTS),
    # Low-passes of what springs and integral force bear, and of the springs' share; how long that
    # has been calm, and whether a jolt ended it.
    ("borne", 3),
    ("sprung", 3),
    ("calm", 1),
    ("jolted", 1),
    # What friction was a while ago, for when a push is found to have been taken for it.
    ("known_friction", MAX_JOINTS),
    # Guards: the translational axes before their step, and what they may brake with.
    ("box_state", 9),
    ("box_velocity", 3),
    ("box_acceleration", 3),
    ("box_jerk", 3),
    # Targets, poses or joints, as given last: whether it moves, the cycles since then, and how much
    # of its velocity the generator goes along with.
    ("given", max(TARGET_SIZE, 2 * MAX_JOINTS + 1)),
    ("moving", 1),
    ("given_age", 1),
    ("along", 2),
    # Where the generator goes, and whether that is not the target itself; the search for it,
    # whether it has ended, and at the target.
    ("aim", 12),
    ("beyond", 1),
    ("sought", 1),
    ("found", 1),
    ("reach_q", MAX_JOINTS),
    ("reach_pose", 16),
    ("reach_jacobian", 6 * MAX_JOINTS),
    ("reach_active", MAX_JOINTS),
    ("reach_error", 1),
    ("reach_damping", 1),
    ("reach_weight", 1),
    ("reach_steps", 1),
    ("reach_mark", 1),
    ("least_left", 1),
    ("standstill", 1),
    ("pull", MAX_JOINTS),
    ("pulled", 1),
    # Inputs of the cycle.
    ("q", MAX_JOINTS),
    ("dq", MAX_JOINTS),
    ("load", 13),
    # Scratch: poses.
    ("pose", 16),
    ("jacobian", 6 * MAX_JOINTS),
    ("measured", 12),
    ("anchor", 12),
    ("desired", 12),
    ("robot_pose", 12),
    ("target_rotation", 9),
    ("out", 12),
    ("from_placement", 12),
    ("turn", 3),
    # Scratch: inverse kinematics.
    ("from", MAX_JOINTS),
    ("from_pose", 16),
    ("saved_active", MAX_JOINTS),
    ("saved_active_position", MAX_JOINTS),
    ("entry_active", MAX_JOINTS),
    ("box_lower", MAX_JOINTS),
    ("box_upper", MAX_JOINTS),
    ("speed_lower", MAX_JOINTS),
    ("speed_upper", MAX_JOINTS),
    ("pin_lower", MAX_JOINTS),
    ("pin_upper", MAX_JOINTS),
    ("room_lower", MAX_JOINTS),
    ("room_upper", MAX_JOINTS),
    ("bias", MAX_JOINTS),
    ("step", MAX_JOINTS),
    ("first_step", MAX_JOINTS),
    ("columns", 6 * MAX_JOINTS),
    ("stage_columns", 6 * MAX_JOINTS),
    ("error", 6),
    ("stage_error", 6),
    ("normal", 36),
    ("rhs", 6),
    ("solve_norm", 1),
    ("solve_clipped", 1),
    ("reach_columns", 6 * MAX_JOINTS),
    ("trial_q", MAX_JOINTS),
    ("trial_pose", 16),
    ("trial_jacobian", 6 * MAX_JOINTS),
    # Scratch: stall and restart.
    ("push", 6 * MAX_JOINTS),
    ("part", 6 * MAX_JOINTS),
    ("pushed", 6),
    ("wall", 6),
    ("withheld", 2),
    ("withheld_normal", 6),
    ("withheld_joints", 2 * MAX_JOINTS),
    ("plan", 3),
    ("went", 3),
    ("planned", 3),
    ("v_block", 3),
    ("a_block", 3),
    ("left", 6),
    # Scratch: torques.
    ("coriolis", MAX_JOINTS),
    ("law", MAX_JOINTS),
    ("tau", MAX_JOINTS),
    ("tau_envelope", MAX_JOINTS),
    ("tau_position", MAX_JOINTS),
    ("twist", 6),
    ("projected", MAX_JOINTS),
    ("projected_rate", MAX_JOINTS),
    ("work", dynamics_workspace(MAX_JOINTS)),
)
"""Fields in their order, with their numbers of entries."""

MEMORY_OFFSETS = offsets(MEMORY_FIELDS)
MEMORY_SIZE = sum(count for _, count in MEMORY_FIELDS)

# The offsets that kernels use, as plain integers that numba freezes.
M_started = MEMORY_OFFSETS["started"]
M_cycle = MEMORY_OFFSETS["cycle"]
M_deviated = MEMORY_OFFSETS["deviated"]
M_start = MEMORY_OFFSETS["start"]
M_robot_tool = MEMORY_OFFSETS["robot_tool"]
M_target = MEMORY_OFFSETS["target"]
M_target_changed = MEMORY_OFFSETS["target_changed"]
M_stop_cycles = MEMORY_OFFSETS["stop_cycles"]
M_holding = MEMORY_OFFSETS["holding"]
M_sent = MEMORY_OFFSETS["sent"]
M_waited = MEMORY_OFFSETS["waited"]
M_finished = MEMORY_OFFSETS["finished"]
M_generator = MEMORY_OFFSETS["generator"]
M_reference = MEMORY_OFFSETS["reference"]
M_leash_alteration = MEMORY_OFFSETS["leash_alteration"]
M_leash_angular_alteration = MEMORY_OFFSETS["leash_angular_alteration"]
M_goal = MEMORY_OFFSETS["goal"]
M_goal_pose = MEMORY_OFFSETS["goal_pose"]
M_goal_jacobian = MEMORY_OFFSETS["goal_jacobian"]
M_posture = MEMORY_OFFSETS["posture"]
M_active = MEMORY_OFFSETS["active"]
M_active_position = MEMORY_OFFSETS["active_position"]
M_blend_phase = MEMORY_OFFSETS["blend_phase"]
M_stalled = MEMORY_OFFSETS["stalled"]
M_quiet = MEMORY_OFFSETS["quiet"]
M_pinned = MEMORY_OFFSETS["pinned"]
M_cut = MEMORY_OFFSETS["cut"]
M_ik_error = MEMORY_OFFSETS["ik_error"]
M_ik_passes = MEMORY_OFFSETS["ik_passes"]
M_ik_step = MEMORY_OFFSETS["ik_step"]
M_ik_step_clipped = MEMORY_OFFSETS["ik_step_clipped"]
M_ik_blend = MEMORY_OFFSETS["ik_blend"]
M_stall_pressure = MEMORY_OFFSETS["stall_pressure"]
M_velocity_pressure = MEMORY_OFFSETS["velocity_pressure"]
M_goal_velocity = MEMORY_OFFSETS["goal_velocity"]
M_wall_normal = MEMORY_OFFSETS["wall_normal"]
M_wall_joints = MEMORY_OFFSETS["wall_joints"]
M_wall_age = MEMORY_OFFSETS["wall_age"]
M_held = MEMORY_OFFSETS["held"]
M_restart = MEMORY_OFFSETS["restart"]
M_restart_velocity = MEMORY_OFFSETS["restart_velocity"]
M_restart_acceleration = MEMORY_OFFSETS["restart_acceleration"]
M_cap_scale = MEMORY_OFFSETS["cap_scale"]
M_still = MEMORY_OFFSETS["still"]
M_closest = MEMORY_OFFSETS["closest"]
M_blocked = MEMORY_OFFSETS["blocked"]
M_stream_sent = MEMORY_OFFSETS["stream_sent"]
M_stream_pose = MEMORY_OFFSETS["stream_pose"]
M_stream_twist = MEMORY_OFFSETS["stream_twist"]
M_stream_acceleration = MEMORY_OFFSETS["stream_acceleration"]
M_stream_time = MEMORY_OFFSETS["stream_time"]
M_backstop_alteration = MEMORY_OFFSETS["backstop_alteration"]
M_backstop_angular_alteration = MEMORY_OFFSETS["backstop_angular_alteration"]
M_stream_echo = MEMORY_OFFSETS["stream_echo"]
M_stream_from = MEMORY_OFFSETS["stream_from"]
M_stream_limited = MEMORY_OFFSETS["stream_limited"]
M_joint_target = MEMORY_OFFSETS["joint_target"]
M_joint_start = MEMORY_OFFSETS["joint_start"]
M_joint_reference = MEMORY_OFFSETS["joint_reference"]
M_joint_anchor = MEMORY_OFFSETS["joint_anchor"]
M_joint_desired = MEMORY_OFFSETS["joint_desired"]
M_joint_restart_velocity = MEMORY_OFFSETS["joint_restart_velocity"]
M_joint_restart_acceleration = MEMORY_OFFSETS["joint_restart_acceleration"]
M_stream_joints = MEMORY_OFFSETS["stream_joints"]
M_stream_joint_velocity = MEMORY_OFFSETS["stream_joint_velocity"]
M_stream_joint_acceleration = MEMORY_OFFSETS["stream_joint_acceleration"]
M_given = MEMORY_OFFSETS["given"]
M_moving = MEMORY_OFFSETS["moving"]
M_given_age = MEMORY_OFFSETS["given_age"]
M_along = MEMORY_OFFSETS["along"]
M_q = MEMORY_OFFSETS["q"]
M_dq = MEMORY_OFFSETS["dq"]
M_load = MEMORY_OFFSETS["load"]
M_pose = MEMORY_OFFSETS["pose"]
M_jacobian = MEMORY_OFFSETS["jacobian"]
M_measured = MEMORY_OFFSETS["measured"]
M_anchor = MEMORY_OFFSETS["anchor"]
M_desired = MEMORY_OFFSETS["desired"]
M_robot_pose = MEMORY_OFFSETS["robot_pose"]
M_target_rotation = MEMORY_OFFSETS["target_rotation"]
M_out = MEMORY_OFFSETS["out"]
M_from_placement = MEMORY_OFFSETS["from_placement"]
M_turn = MEMORY_OFFSETS["turn"]
M_from = MEMORY_OFFSETS["from"]
M_from_pose = MEMORY_OFFSETS["from_pose"]
M_saved_active = MEMORY_OFFSETS["saved_active"]
M_saved_active_position = MEMORY_OFFSETS["saved_active_position"]
M_entry_active = MEMORY_OFFSETS["entry_active"]
M_box_lower = MEMORY_OFFSETS["box_lower"]
M_box_upper = MEMORY_OFFSETS["box_upper"]
M_speed_lower = MEMORY_OFFSETS["speed_lower"]
M_speed_upper = MEMORY_OFFSETS["speed_upper"]
M_pin_lower = MEMORY_OFFSETS["pin_lower"]
M_pin_upper = MEMORY_OFFSETS["pin_upper"]
M_room_lower = MEMORY_OFFSETS["room_lower"]
M_room_upper = MEMORY_OFFSETS["room_upper"]
M_bias = MEMORY_OFFSETS["bias"]
M_step = MEMORY_OFFSETS["step"]
M_first_step = MEMORY_OFFSETS["first_step"]
M_columns = MEMORY_OFFSETS["columns"]
M_stage_columns = MEMORY_OFFSETS["stage_columns"]
M_error = MEMORY_OFFSETS["error"]
M_stage_error = MEMORY_OFFSETS["stage_error"]
M_normal = MEMORY_OFFSETS["normal"]
M_rhs = MEMORY_OFFSETS["rhs"]
M_solve_norm = MEMORY_OFFSETS["solve_norm"]
M_solve_clipped = MEMORY_OFFSETS["solve_clipped"]
M_push = MEMORY_OFFSETS["push"]
M_part = MEMORY_OFFSETS["part"]
M_pushed = MEMORY_OFFSETS["pushed"]
M_wall = MEMORY_OFFSETS["wall"]
M_withheld = MEMORY_OFFSETS["withheld"]
M_withheld_normal = MEMORY_OFFSETS["withheld_normal"]
M_withheld_joints = MEMORY_OFFSETS["withheld_joints"]
M_plan = MEMORY_OFFSETS["plan"]
M_went = MEMORY_OFFSETS["went"]
M_planned = MEMORY_OFFSETS["planned"]
M_v_block = MEMORY_OFFSETS["v_block"]
M_a_block = MEMORY_OFFSETS["a_block"]
M_left = MEMORY_OFFSETS["left"]
M_coriolis = MEMORY_OFFSETS["coriolis"]
M_law = MEMORY_OFFSETS["law"]
M_tau = MEMORY_OFFSETS["tau"]
M_tau_envelope = MEMORY_OFFSETS["tau_envelope"]
M_tau_position = MEMORY_OFFSETS["tau_position"]
M_twist = MEMORY_OFFSETS["twist"]
M_projected = MEMORY_OFFSETS["projected"]
M_projected_rate = MEMORY_OFFSETS["projected_rate"]
M_work = MEMORY_OFFSETS["work"]
