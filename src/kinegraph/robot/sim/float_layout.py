"""Where the simulated robot keeps its real numbers: one float64 array.

The compiled loop, the requests and the tests all address them by these offsets. Velocities and
accelerations are those of the last millisecond; poses are column-major as on the wire.
"""

from kinegraph.robot.field_offsets import offsets

__all__ = ["FLOAT_OFFSETS", "FLOAT_SIZE"]

FLOAT_FIELDS: tuple[tuple[str, int], ...] = (
    # Limits of the joints; the speed as a function of position (fci-protocol 12.3).
    ("lower", 7),
    ("upper", 7),
    ("speed", 7),
    ("speed_offset", 7),
    ("deceleration", 7),
    ("acceleration", 7),
    ("jerk", 7),
    ("torque", 7),
    ("power", 1),
    # Limits of the end effector and of the elbow: velocity, acceleration, jerk each.
    ("linear_limits", 3),
    ("angular_limits", 3),
    ("elbow_limits", 3),
    # The plant.
    ("armature", 7),
    ("coulomb", 7),
    ("viscous", 7),
    ("gravity", 3),
    ("no_gravity", 3),
    ("known_load", 13),
    ("true_load", 13),
    # What the setters set.
    ("stiffness", 7),
    ("cartesian_stiffness", 6),
    ("thresholds", 52),
    ("filters", 5),
    ("F_T_NE", 16),
    ("NE_T_EE", 16),
    ("F_T_EE", 16),
    ("EE_T_K", 16),
    ("ee_load", 13),
    ("ext_load", 13),
    # The arm: joints, and the torque that acts in the coming cycle.
    ("q", 7),
    ("dq", 7),
    ("ddq", 7),
    ("tau", 7),
    # Desired motion: joints, commanded pose, twist, its derivative, elbow, torque.
    ("q_d", 7),
    ("dq_d", 7),
    ("ddq_d", 7),
    ("track_q", 7),
    ("track_dq", 7),
    ("track_ddq", 7),
    ("pose_c", 16),
    ("twist_c", 6),
    ("dtwist_c", 6),
    ("elbow_c", 2),
    ("delbow_c", 2),
    ("ddelbow_c", 2),
    ("tau_d", 7),
    ("target", 7),
    ("async_speed", 7),
    # The candidate of this cycle, before it has passed the checks.
    ("new_q", 7),
    ("new_dq", 7),
    ("new_ddq", 7),
    ("new_pose", 16),
    ("new_twist", 6),
    ("new_dtwist", 6),
    ("new_elbow", 3),
    # From outside: a wrench and its point in the frame that `push_frame` says, an injected one at
    # the end effector in base axes, the sum of both there, joint torques. Walls: corner and frame.
    ("walls", 152),
    ("push", 6),
    ("push_point", 3),
    ("blow", 6),
    ("shove", 6),
    ("push_joints", 7),
    # Measurements.
    ("tau_J", 7),
    ("dtau_J", 7),
    ("tau_drive", 7),
    ("tau_ext_raw", 7),
    ("tau_ext", 7),
    ("wrench", 6),
    ("wrench_K", 6),
    ("K_pose", 16),
    # Scratch of one cycle.
    ("force", 6),
    ("damping", 6),
    ("feed", 7),
    ("null", 7),
    ("wanted", 7),
    ("spring", 7),
    ("damper", 7),
    ("rub", 7),
    ("effective", 7),
    ("net", 7),
    ("drive", 7),
    ("bias", 7),
    ("vector", 7),
    ("frame", 16),
    ("other_frame", 16),
    # The arguments of a request.
    ("request", 64),
    # Kinematics: flange, end effector and Jacobian at it, measured; the same elsewhere.
    ("pose", 16),
    ("ee", 16),
    ("jacobian", 42),
    ("other_pose", 16),
    ("other_jacobian", 42),
    ("mass", 49),
    ("solver", 56),
    # The body: transforms from link to link, frames of the links, capsules, their ends in the base.
    ("steps", 84),
    ("links", 96),
    ("capsules", 64),
    ("placed", 48),
    # Rows: the newest state, what a test sends in its place, commands.
    ("state", 420),
    ("override", 420),
    ("command", 49),
    ("arriving", 49),
)
"""Numbers of the float64 array."""

FLOAT_OFFSETS = offsets(FLOAT_FIELDS)
FLOAT_SIZE = sum(count for _, count in FLOAT_FIELDS)

# The offsets that kernels use, as plain integers that numba freezes.
X_lower = FLOAT_OFFSETS["lower"]
X_upper = FLOAT_OFFSETS["upper"]
X_speed = FLOAT_OFFSETS["speed"]
X_speed_offset = FLOAT_OFFSETS["speed_offset"]
X_deceleration = FLOAT_OFFSETS["deceleration"]
X_acceleration = FLOAT_OFFSETS["acceleration"]
X_jerk = FLOAT_OFFSETS["jerk"]
X_torque = FLOAT_OFFSETS["torque"]
X_linear_limits = FLOAT_OFFSETS["linear_limits"]
X_angular_limits = FLOAT_OFFSETS["angular_limits"]
X_elbow_limits = FLOAT_OFFSETS["elbow_limits"]
X_power = FLOAT_OFFSETS["power"]
X_armature = FLOAT_OFFSETS["armature"]
X_coulomb = FLOAT_OFFSETS["coulomb"]
X_viscous = FLOAT_OFFSETS["viscous"]
X_gravity = FLOAT_OFFSETS["gravity"]
X_no_gravity = FLOAT_OFFSETS["no_gravity"]
X_known_load = FLOAT_OFFSETS["known_load"]
X_true_load = FLOAT_OFFSETS["true_load"]
X_stiffness = FLOAT_OFFSETS["stiffness"]
X_cartesian_stiffness = FLOAT_OFFSETS["cartesian_stiffness"]
X_thresholds = FLOAT_OFFSETS["thresholds"]
X_filters = FLOAT_OFFSETS["filters"]
X_F_T_NE = FLOAT_OFFSETS["F_T_NE"]
X_NE_T_EE = FLOAT_OFFSETS["NE_T_EE"]
X_F_T_EE = FLOAT_OFFSETS["F_T_EE"]
X_EE_T_K = FLOAT_OFFSETS["EE_T_K"]
X_ee_load = FLOAT_OFFSETS["ee_load"]
X_ext_load = FLOAT_OFFSETS["ext_load"]
X_q = FLOAT_OFFSETS["q"]
X_dq = FLOAT_OFFSETS["dq"]
X_ddq = FLOAT_OFFSETS["ddq"]
X_tau = FLOAT_OFFSETS["tau"]
X_q_d = FLOAT_OFFSETS["q_d"]
X_dq_d = FLOAT_OFFSETS["dq_d"]
X_ddq_d = FLOAT_OFFSETS["ddq_d"]
X_track_q = FLOAT_OFFSETS["track_q"]
X_track_dq = FLOAT_OFFSETS["track_dq"]
X_track_ddq = FLOAT_OFFSETS["track_ddq"]
X_pose_c = FLOAT_OFFSETS["pose_c"]
X_twist_c = FLOAT_OFFSETS["twist_c"]
X_dtwist_c = FLOAT_OFFSETS["dtwist_c"]
X_elbow_c = FLOAT_OFFSETS["elbow_c"]
X_delbow_c = FLOAT_OFFSETS["delbow_c"]
X_ddelbow_c = FLOAT_OFFSETS["ddelbow_c"]
X_tau_d = FLOAT_OFFSETS["tau_d"]
X_target = FLOAT_OFFSETS["target"]
X_async_speed = FLOAT_OFFSETS["async_speed"]
X_new_q = FLOAT_OFFSETS["new_q"]
X_new_dq = FLOAT_OFFSETS["new_dq"]
X_new_ddq = FLOAT_OFFSETS["new_ddq"]
X_new_pose = FLOAT_OFFSETS["new_pose"]
X_new_twist = FLOAT_OFFSETS["new_twist"]
X_new_dtwist = FLOAT_OFFSETS["new_dtwist"]
X_new_elbow = FLOAT_OFFSETS["new_elbow"]
X_walls = FLOAT_OFFSETS["walls"]
X_push = FLOAT_OFFSETS["push"]
X_push_point = FLOAT_OFFSETS["push_point"]
X_blow = FLOAT_OFFSETS["blow"]
X_shove = FLOAT_OFFSETS["shove"]
X_push_joints = FLOAT_OFFSETS["push_joints"]
X_tau_J = FLOAT_OFFSETS["tau_J"]
X_dtau_J = FLOAT_OFFSETS["dtau_J"]
X_tau_drive = FLOAT_OFFSETS["tau_drive"]
X_tau_ext_raw = FLOAT_OFFSETS["tau_ext_raw"]
X_tau_ext = FLOAT_OFFSETS["tau_ext"]
X_wrench = FLOAT_OFFSETS["wrench"]
X_wrench_K = FLOAT_OFFSETS["wrench_K"]
X_K_pose = FLOAT_OFFSETS["K_pose"]
X_damping = FLOAT_OFFSETS["damping"]
X_feed = FLOAT_OFFSETS["feed"]
X_force = FLOAT_OFFSETS["force"]
X_null = FLOAT_OFFSETS["null"]
X_wanted = FLOAT_OFFSETS["wanted"]
X_spring = FLOAT_OFFSETS["spring"]
X_damper = FLOAT_OFFSETS["damper"]
X_rub = FLOAT_OFFSETS["rub"]
X_effective = FLOAT_OFFSETS["effective"]
X_net = FLOAT_OFFSETS["net"]
X_drive = FLOAT_OFFSETS["drive"]
X_bias = FLOAT_OFFSETS["bias"]
X_vector = FLOAT_OFFSETS["vector"]
X_frame = FLOAT_OFFSETS["frame"]
X_other_frame = FLOAT_OFFSETS["other_frame"]
X_request = FLOAT_OFFSETS["request"]
X_ee = FLOAT_OFFSETS["ee"]
X_pose = FLOAT_OFFSETS["pose"]
X_jacobian = FLOAT_OFFSETS["jacobian"]
X_other_pose = FLOAT_OFFSETS["other_pose"]
X_other_jacobian = FLOAT_OFFSETS["other_jacobian"]
X_mass = FLOAT_OFFSETS["mass"]
X_solver = FLOAT_OFFSETS["solver"]
X_steps = FLOAT_OFFSETS["steps"]
X_links = FLOAT_OFFSETS["links"]
X_capsules = FLOAT_OFFSETS["capsules"]
X_placed = FLOAT_OFFSETS["placed"]
X_state = FLOAT_OFFSETS["state"]
X_override = FLOAT_OFFSETS["override"]
X_command = FLOAT_OFFSETS["command"]
X_arriving = FLOAT_OFFSETS["arriving"]
