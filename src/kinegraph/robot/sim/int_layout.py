"""Where the simulated robot keeps its modes, flags and counters: one int64 array.

The compiled loop, the requests and the tests all address them by these offsets.
"""

from kinegraph.robot.field_offsets import offsets

__all__ = ["INT_OFFSETS", "INT_SIZE"]

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

INT_OFFSETS = offsets(INT_FIELDS)
INT_SIZE = sum(count for _, count in INT_FIELDS)

# The offsets that kernels use, as plain integers that numba freezes.
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
