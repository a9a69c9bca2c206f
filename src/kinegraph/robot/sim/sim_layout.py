"""Where the simulated robot keeps its numbers: one float64 and one int64 array.

The compiled loop, the requests and the tests all address them by these offsets. Velocities and
accelerations are those of the last millisecond; poses are column-major as on the wire.
"""

from kinegraph.robot.field_offsets import offsets

__all__ = ["FLOAT_OFFSETS", "FLOAT_SIZE", "INT_OFFSETS", "INT_SIZE"]

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

INT_FIELDS: tuple[tuple[str, int], ...] = (
    # What is served.
    ("version", 1),
    ("enforce", 1),
    ("lockstep_ms", 1),
    ("max_lost", 1),
    ("true_load_known", 1),
    # The robot.
    ("id", 1),
    ("mode", 1),
    ("errors", 41),
    ("reason", 41),
    ("recovery", 1),
    ("user_stopped", 1),
    ("safety", 1),
    ("by_hand", 1),
    ("guiding", 7),
    ("wall_count", 1),
    ("wall_id", 8),
    ("wall_active", 8),
    ("wall_inside", 8),
    ("push_frame", 1),
    ("connected", 1),
    ("socket", 1),
    ("joint_collision", 7),
    ("cartesian_collision", 6),
    # The motion.
    ("moving", 1),
    ("generator", 1),
    ("controller", 1),
    ("asynchronous", 1),
    ("finishing", 1),
    ("first_id", 1),
    ("started", 1),
    ("have", 1),
    ("elbow_given", 1),
    ("elbow_sign", 1),
    # What the commands did.
    ("window", 100),
    ("window_at", 1),
    ("window_count", 1),
    ("lost_in_row", 1),
    # Events: number of motions ended and how the last did, the same of recoveries.
    ("ended", 1),
    ("end_status", 1),
    ("recovered", 1),
    ("recovery_status", 1),
    ("told_ended", 1),
    ("told_recovered", 1),
    # Requests: numbered, answered by the same number.
    ("request_number", 1),
    ("request_done", 1),
    ("request_kind", 1),
    ("request_status", 1),
    ("request_args", 8),
    # Counters.
    ("states_sent", 1),
    ("send_failures", 1),
    ("accepted", 1),
    ("lost", 1),
    ("late", 1),
    ("early", 1),
    ("duplicate", 1),
    ("malformed", 1),
    ("unasked", 1),
    ("violations", 1),
    ("slips", 1),
    ("cycles", 1),
    ("motions", 1),
    ("reflexes", 1),
    ("worst_lost_in_row", 1),
    # Where the parts of variable size stand in the float64 array: offset and size.
    ("arm", 2),
    ("chain", 2),
    ("work", 2),
    ("trace", 2),
    # Structures of system calls: a timespec, a pollfd, the number written to an eventfd.
    ("io_time", 2),
    ("io_poll", 1),
    ("io_one", 1),
    # Switches of the loop and of tests.
    ("stop", 1),
    ("event_pipe", 1),
    ("override", 1),
    ("trace_rows", 1),
    ("tracing", 1),
    ("inject_kind", 1),
    ("inject_at", 1),
    ("motion_cycle", 1),
    ("waits", 1),
    ("behind_ns", 1),
)
"""Numbers of the int64 array."""

FLOAT_OFFSETS = offsets(FLOAT_FIELDS)
FLOAT_SIZE = sum(count for _, count in FLOAT_FIELDS)
INT_OFFSETS = offsets(INT_FIELDS)
INT_SIZE = sum(count for _, count in INT_FIELDS)

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

N_version = INT_OFFSETS["version"]
N_enforce = INT_OFFSETS["enforce"]
N_lockstep_ms = INT_OFFSETS["lockstep_ms"]
N_max_lost = INT_OFFSETS["max_lost"]
N_true_load_known = INT_OFFSETS["true_load_known"]
N_id = INT_OFFSETS["id"]
N_mode = INT_OFFSETS["mode"]
N_errors = INT_OFFSETS["errors"]
N_reason = INT_OFFSETS["reason"]
N_recovery = INT_OFFSETS["recovery"]
N_user_stopped = INT_OFFSETS["user_stopped"]
N_safety = INT_OFFSETS["safety"]
N_by_hand = INT_OFFSETS["by_hand"]
N_guiding = INT_OFFSETS["guiding"]
N_wall_count = INT_OFFSETS["wall_count"]
N_wall_id = INT_OFFSETS["wall_id"]
N_wall_active = INT_OFFSETS["wall_active"]
N_wall_inside = INT_OFFSETS["wall_inside"]
N_push_frame = INT_OFFSETS["push_frame"]
N_connected = INT_OFFSETS["connected"]
N_socket = INT_OFFSETS["socket"]
N_joint_collision = INT_OFFSETS["joint_collision"]
N_cartesian_collision = INT_OFFSETS["cartesian_collision"]
N_moving = INT_OFFSETS["moving"]
N_generator = INT_OFFSETS["generator"]
N_controller = INT_OFFSETS["controller"]
N_asynchronous = INT_OFFSETS["asynchronous"]
N_finishing = INT_OFFSETS["finishing"]
N_first_id = INT_OFFSETS["first_id"]
N_started = INT_OFFSETS["started"]
N_have = INT_OFFSETS["have"]
N_elbow_given = INT_OFFSETS["elbow_given"]
N_elbow_sign = INT_OFFSETS["elbow_sign"]
N_window = INT_OFFSETS["window"]
N_window_at = INT_OFFSETS["window_at"]
N_window_count = INT_OFFSETS["window_count"]
N_lost_in_row = INT_OFFSETS["lost_in_row"]
N_ended = INT_OFFSETS["ended"]
N_end_status = INT_OFFSETS["end_status"]
N_recovered = INT_OFFSETS["recovered"]
N_recovery_status = INT_OFFSETS["recovery_status"]
N_told_ended = INT_OFFSETS["told_ended"]
N_told_recovered = INT_OFFSETS["told_recovered"]
N_request_number = INT_OFFSETS["request_number"]
N_request_done = INT_OFFSETS["request_done"]
N_request_kind = INT_OFFSETS["request_kind"]
N_request_status = INT_OFFSETS["request_status"]
N_request_args = INT_OFFSETS["request_args"]
N_states_sent = INT_OFFSETS["states_sent"]
N_send_failures = INT_OFFSETS["send_failures"]
N_accepted = INT_OFFSETS["accepted"]
N_lost = INT_OFFSETS["lost"]
N_late = INT_OFFSETS["late"]
N_early = INT_OFFSETS["early"]
N_duplicate = INT_OFFSETS["duplicate"]
N_malformed = INT_OFFSETS["malformed"]
N_unasked = INT_OFFSETS["unasked"]
N_violations = INT_OFFSETS["violations"]
N_slips = INT_OFFSETS["slips"]
N_cycles = INT_OFFSETS["cycles"]
N_motions = INT_OFFSETS["motions"]
N_reflexes = INT_OFFSETS["reflexes"]
N_worst_lost_in_row = INT_OFFSETS["worst_lost_in_row"]
N_arm = INT_OFFSETS["arm"]
N_chain = INT_OFFSETS["chain"]
N_work = INT_OFFSETS["work"]
N_trace = INT_OFFSETS["trace"]
N_io_time = INT_OFFSETS["io_time"]
N_io_poll = INT_OFFSETS["io_poll"]
N_io_one = INT_OFFSETS["io_one"]
N_stop = INT_OFFSETS["stop"]
N_event_pipe = INT_OFFSETS["event_pipe"]
N_override = INT_OFFSETS["override"]
N_tracing = INT_OFFSETS["tracing"]
N_trace_rows = INT_OFFSETS["trace_rows"]
N_inject_kind = INT_OFFSETS["inject_kind"]
N_inject_at = INT_OFFSETS["inject_at"]
N_motion_cycle = INT_OFFSETS["motion_cycle"]
N_waits = INT_OFFSETS["waits"]
N_behind_ns = INT_OFFSETS["behind_ns"]
