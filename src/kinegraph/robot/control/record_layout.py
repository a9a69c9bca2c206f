"""Where each number of a controller's record stands in its row of float64.

The fields and their names are those of `CartesianSent`. Joint fields have room for `MAX_JOINTS`
entries; the first n are in use.
"""

from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.field_offsets import offsets

RECORD_FIELDS: tuple[tuple[str, int], ...] = (
    ("pose", 16),
    ("orientation", 4),
    ("target", 3),
    ("target_orientation", 4),
    ("velocity", 3),
    ("acceleration", 3),
    ("angular_velocity", 3),
    ("angular_acceleration", 3),
    ("backstop_alteration", 1),
    ("backstop_angular_alteration", 1),
    ("q_goal", MAX_JOINTS),
    ("dq_goal", MAX_JOINTS),
    ("cap_scale", 1),
    ("pinned", MAX_JOINTS),
    ("tau", MAX_JOINTS),
    ("tau_envelope", MAX_JOINTS),
    ("tau_position", MAX_JOINTS),
    ("ik_error", 1),
    ("ik_passes", 1),
    ("stall_pressure", 1),
    ("stalled", 1),
    ("ik_step", 1),
    ("ik_step_clipped", 1),
    ("ik_blend", 1),
    ("held", 1),
    ("wall_age", 2),
    ("leash_alteration", 1),
    ("leash_angular_alteration", 1),
)
"""Fields in their order, with their numbers of entries."""

RECORD_OFFSETS = offsets(RECORD_FIELDS)
RECORD_SIZE = sum(count for _, count in RECORD_FIELDS)

# The offsets that kernels use, as plain integers that numba freezes.
R_pose = RECORD_OFFSETS["pose"]
R_orientation = RECORD_OFFSETS["orientation"]
R_target = RECORD_OFFSETS["target"]
R_target_orientation = RECORD_OFFSETS["target_orientation"]
R_velocity = RECORD_OFFSETS["velocity"]
R_acceleration = RECORD_OFFSETS["acceleration"]
R_angular_velocity = RECORD_OFFSETS["angular_velocity"]
R_angular_acceleration = RECORD_OFFSETS["angular_acceleration"]
R_backstop_alteration = RECORD_OFFSETS["backstop_alteration"]
R_backstop_angular_alteration = RECORD_OFFSETS["backstop_angular_alteration"]
R_q_goal = RECORD_OFFSETS["q_goal"]
R_dq_goal = RECORD_OFFSETS["dq_goal"]
R_cap_scale = RECORD_OFFSETS["cap_scale"]
R_pinned = RECORD_OFFSETS["pinned"]
R_tau = RECORD_OFFSETS["tau"]
R_tau_envelope = RECORD_OFFSETS["tau_envelope"]
R_tau_position = RECORD_OFFSETS["tau_position"]
R_ik_error = RECORD_OFFSETS["ik_error"]
R_ik_passes = RECORD_OFFSETS["ik_passes"]
R_stall_pressure = RECORD_OFFSETS["stall_pressure"]
R_stalled = RECORD_OFFSETS["stalled"]
R_ik_step = RECORD_OFFSETS["ik_step"]
R_ik_step_clipped = RECORD_OFFSETS["ik_step_clipped"]
R_ik_blend = RECORD_OFFSETS["ik_blend"]
R_held = RECORD_OFFSETS["held"]
R_wall_age = RECORD_OFFSETS["wall_age"]
R_leash_alteration = RECORD_OFFSETS["leash_alteration"]
R_leash_angular_alteration = RECORD_OFFSETS["leash_angular_alteration"]

JOINT_RECORD_FIELDS: tuple[tuple[str, int], ...] = (
    ("q", MAX_JOINTS),
    ("target", MAX_JOINTS),
    ("velocity", MAX_JOINTS),
    ("acceleration", MAX_JOINTS),
    ("backstop_alteration", 1),
    ("q_goal", MAX_JOINTS),
    ("dq_goal", MAX_JOINTS),
    ("cap_scale", 1),
    ("pinned", MAX_JOINTS),
    ("tau", MAX_JOINTS),
    ("tau_envelope", MAX_JOINTS),
    ("tau_position", MAX_JOINTS),
    ("leash_alteration", 1),
)
"""Fields of `JointSent` in their order, with their numbers of entries."""

JOINT_RECORD_OFFSETS = offsets(JOINT_RECORD_FIELDS)
JOINT_RECORD_SIZE = sum(count for _, count in JOINT_RECORD_FIELDS)

J_q = JOINT_RECORD_OFFSETS["q"]
J_target = JOINT_RECORD_OFFSETS["target"]
J_velocity = JOINT_RECORD_OFFSETS["velocity"]
J_acceleration = JOINT_RECORD_OFFSETS["acceleration"]
J_backstop_alteration = JOINT_RECORD_OFFSETS["backstop_alteration"]
J_q_goal = JOINT_RECORD_OFFSETS["q_goal"]
J_dq_goal = JOINT_RECORD_OFFSETS["dq_goal"]
J_cap_scale = JOINT_RECORD_OFFSETS["cap_scale"]
J_pinned = JOINT_RECORD_OFFSETS["pinned"]
J_tau = JOINT_RECORD_OFFSETS["tau"]
J_tau_envelope = JOINT_RECORD_OFFSETS["tau_envelope"]
J_tau_position = JOINT_RECORD_OFFSETS["tau_position"]
J_leash_alteration = JOINT_RECORD_OFFSETS["leash_alteration"]
