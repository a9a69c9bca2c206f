"""Where each number of the loop's shared memory stands.

Python and the compiled loop share a few flat arrays. The int64 *block* holds flags that Python
writes, the loop's own state and its counters; every other array is a row or a ring of rows.
"""

from typing import Any, NamedTuple

import numpy as np

from kinegraph.robot.wire.state_layout import (
    COMMAND_FIELDS,
    COMMAND_SIZE,
    STATE_FIELDS,
    STATE_OFFSETS,
    STATE_SIZE,
)

# --- the block: written by Python ------------------------------------------------------------
B_STOP = 0  # the controller is to come to its end by itself
B_END = 1  # leave the session at once
B_TCP_CLOSED = 2  # the command channel is gone
B_MOVE_REPLIED = 3  # the running Move has got its second reply
B_CHAIN_ACTIVE = 4  # which of the two chain rows is the newest
B_LIMIT_FROM = 5  # from when the silence limit counts, ns; 0: it does not
B_SLICE_NS = 6  # longest wait inside one receive, ns; 0: as long as the limits allow

# --- the block: written by the loop ----------------------------------------------------------
B_PHASE = 8
B_END_CODE = 9
B_FAULT = 10  # what the end code is about: a state index, a joint, an errno, a controller's code
B_CHAIN_IN_USE = 11
B_LAST_ID = 12  # newest accepted message id, -1 before the first
B_LAST_GOOD_NS = 13  # when it came, 0 before the first
B_SENDER = 14  # family, port and address of the robot's datagrams, 0 before the first
B_BAD_RUN = 15  # bad datagrams in a row
B_BAD_KIND = 16  # what the last bad one was
B_FAILED_SENDS = 17  # failed sends in a row
B_PREVIOUS_ID = 18  # id answered in the cycle before, -1 before the first
B_RECEIVED_NS = 19  # when the datagram of this cycle was taken
B_PERIOD_MS = 20  # id step of this cycle
B_STARTED_NS = 21  # when this cycle's computation began
B_REPLIED_STATES = 22  # states seen since the second Move reply came
B_FINISHED_NS = 23  # when the finished command was first sent

# --- the block: settings of a session and of the connection ----------------------------------
B_VERSION = 32
B_UDP_FD = 33
B_WAKE_FD = 34
B_STATE_BYTES = 35
B_GENERATOR = 36  # generator that the states of the motion show
B_CONTROLLER = 37  # controller that they show
B_MOTION = 38  # motion that the commands carry, numbered as the generators of states; 0 none
B_TORQUES = 39  # whether the commands carry torques
B_FIRST_RULE = 40  # whether the first pose or positions of a motion are their own reference
B_FINISH_MS = 41  # how long a finished command is repeated

# --- the block: counters ---------------------------------------------------------------------
B_RECEIVED = 48
B_LOST = 49  # ids that never came
B_STALE = 50
B_SHORT = 51
B_FOREIGN = 52
B_STRANGE_ID = 53  # right size and sender, but an id that no robot would send next
B_SENT = 54
B_SEND_FAILURES = 55
B_TORN = 56  # target reads that were given up for one cycle
B_CYCLES = 57  # control cycles of this session
B_LATE_STATES = 58  # states that were passed over unanswered in a control session
B_CHAIN_CHANGES = 59
B_FINISHED_SENDS = 60  # commands sent with the finished flag in this session
B_SHOWN = 61  # whether a state has shown the motion
BLOCK_SIZE = 64

# --- the watch of a target session: two settings, then what the loop counts ----------------------
W_MAX_AGE = 0  # cycles after which a target is stale, 0: never
W_DRY_RUN = 1  # nothing is sent
W_SEQUENCE = 2  # of the slot, of the newest target that was seen
W_AGE = 3  # cycles since it was first seen
W_STALE = 4  # a target was stale: the session lands and ends
WATCH_SIZE = 5

# --- phases ----------------------------------------------------------------------------------
PHASE_IDLE = 0
PHASE_STREAM = 1
PHASE_WAIT = 2  # Move is on its way: states are read, nothing is sent
PHASE_RUNNING = 3
PHASE_FINISHING = 4  # the finished command is repeated until the robot is idle
PHASE_ENDED = 5

# --- end codes (0 goes on) ---------------------------------------------------------------------
END_REQUESTED = 1  # Python asked for it
END_FINISHED = 2  # the finished command was sent and the robot is idle
END_LEFT = 3  # the robot left the motion by itself
END_MOVE_REPLIED = 4  # Move was answered for the second time, the states show no motion
END_SILENT = 5  # no new state for a second
END_BAD_DATAGRAMS = 6
END_TCP_CLOSED = 7
END_NOT_FINITE = 8  # a control input of a state is NaN or infinite
END_CONTROLLER = 9  # the controller reported a fault
END_TORQUE_NOT_FINITE = 10
END_SOCKET = 11
END_NEVER_IDLE = 12  # finished was sent, the robot stays in the motion
END_REFUSED = 13  # a motion that cannot be sent; the fault is the conversion's code
END_NO_POSE = 14  # a pose of the state that the motion refers to is none

# --- kinds of bad datagrams --------------------------------------------------------------------
BAD_SHORT = 1
BAD_FOREIGN = 2
BAD_ID = 3

# --- halves of a command ------------------------------------------------------------------------
HALF_TORQUES = 1
HALF_MOTION = 2
BOTH_HALVES = HALF_TORQUES | HALF_MOTION

# --- limits ------------------------------------------------------------------------------------
SILENCE_NS = 1_000_000_000
REPLIED_STATES_MAX = 1000
BAD_RUN_MAX = 20
FAILED_SENDS_MAX = 20
DRAIN_MAX = 256  # datagrams taken in one go, so that a flood cannot hold the loop
ID_STEP_MAX = 100_000_000  # a longer step forward (a day) is no state of this session
ID_MAX = 1 << 53  # a row holds the id as float64

# --- rows --------------------------------------------------------------------------------------
STATE_ROW = STATE_SIZE + 1  # a state and when it was received
R_RECEIVED_NS = STATE_SIZE

Y_MESSAGE_ID = 0
Y_RECEIVED_NS = 1
Y_SENT_NS = 2
Y_COMPUTE_NS = 3  # from the datagram taken to the command encoded
Y_PERIOD_MS = 4
Y_LOST = 5  # states lost or passed over before this cycle
Y_PHASE = 6
Y_SUCCESS_RATE = 7
Y_COMMAND = 8  # the command row as sent
CYCLE_ROW = Y_COMMAND + COMMAND_SIZE

# --- control inputs: what a controller may compute torques from ----------------------------------
CONTROL_INPUTS = (
    ("O_T_EE", 16),
    ("F_T_EE", 16),
    ("EE_T_K", 16),
    ("m_total", 1),
    ("I_total", 9),
    ("F_x_Ctotal", 3),
    ("tau_J", 7),
    ("tau_J_d", 7),
    ("q", 7),
    ("q_d", 7),
    ("dq", 7),
    ("dq_d", 7),
    ("ddq_d", 7),
    ("O_T_EE_c", 16),
    ("O_dP_EE_c", 6),
    ("O_ddP_EE_c", 6),
    ("elbow_c", 2),
    ("delbow_c", 2),
    ("ddelbow_c", 2),
)
CONTROL_INPUT_RUNS = np.array(
    [(STATE_OFFSETS[name], count) for name, count in CONTROL_INPUTS], dtype=np.int64
)

# --- send path ---------------------------------------------------------------------------------
P_CUTOFF = 0  # Hz; 1000 and more: no filter
P_LIMIT_RATE = 1  # 0 or 1
P_ECHO_EPS = 2  # relative rounding of the robot's echo of the torques; 0 in version 5
SETTINGS_SIZE = 3

# --- io: what system calls read and write ------------------------------------------------------
I_POLL = 0  # two pollfd
I_TIME = 2  # timespec
I_ADDRESS = 4  # sockaddr_in of the last datagram
I_ADDRESS_LENGTH = 6
I_ONE = 7  # the number that is written to an eventfd
I_COUNT = 8  # where an eventfd's count is read to
I_PEER = 10  # sockaddr_in that commands go to
IO_SIZE = 12

WAITERS = 16
DATAGRAM_BYTES = 4096
PACKET_BYTES = 512
JOINTS = 7
MOTION_SIZE = 18  # the most that a motion has: a pose and an elbow


class LoopMemory(NamedTuple):
    """All that one robot's loop works on; the kernels take it as one argument.

    Attributes:
        block: (BLOCK_SIZE,) int64 flags, settings and counters.
        io: (IO_SIZE,) int64 structures of the system calls.
        waiters: (WAITERS,) int64 eventfds to be written to when a state has come; -1 none.
        datagram: (DATAGRAM_BYTES,) uint8 last datagram.
        packet: (PACKET_BYTES,) uint8 last command datagram.
        state: (STATE_SIZE,) newest state.
        command: (COMMAND_SIZE,) last command.
        torques: (7,) output of the controller, Nm.
        motion: (MOTION_SIZE,) wanted motion: q or dq (7), O_T_EE (16) and elbow (2), O_dP_EE (6)
            and elbow (2); zeros for no elbow.
        work: Scratch of the conversion of a motion.
        settings: (SETTINGS_SIZE,) send path.
        limits: Rate limits, the array of a `RateLimits`.
        states: Ring of STATE_ROW numbers a row.
        states_head: (2,) rows published, rows begun.
        cycles: Ring of CYCLE_ROW numbers a row.
        cycles_head: (2,) rows published, rows begun.
    """

    block: Any
    io: Any
    waiters: Any
    datagram: Any
    packet: Any
    state: Any
    command: Any
    torques: Any
    motion: Any
    work: Any
    settings: Any
    limits: Any
    states: Any
    states_head: Any
    cycles: Any
    cycles_head: Any


def rehearsal(memory: LoopMemory) -> LoopMemory:
    """Return memory on which a session leaves at once, apart from the loop that runs.

    Running a session on it compiles and touches all that it needs; nothing is received or sent.
    """
    apart = (
        "block",
        "io",
        "waiters",
        "state",
        "command",
        "torques",
        "motion",
        "work",
        "datagram",
        "packet",
    )
    copies = {name: getattr(memory, name).copy() for name in apart}
    copies["waiters"][:] = -1
    copies["block"][B_END] = 1
    return memory._replace(**copies)


class TargetMemory(NamedTuple):
    """What a target session adds.

    Attributes:
        sequence: (1,) int64 of the slot; odd while it is written, 0 never written.
        slot: (target size,) published target.
        fresh: (target size,) what is read from the slot, torn or not.
        target: (target size,) the last consistent target.
        chain_0: First row of chain data.
        chain_1: Second row of chain data.
        options: The controller's options.
        arm: The arm's limits and dynamics.
        memory: The controller's own memory.
        anchor: (2,) where the record holds the first target, and its numbers; the rest is zero.
        record: (record size,) record of the last cycle.
        records: Ring of records.
        records_head: (2,) rows published, rows begun.
        tuning_sequence: (1,) int64 of the slot of tuned numbers; 0: they are not tuned.
        tuning_slot: (words,) published numbers.
        tuning: The loop's own row of them, see `tuning_layout`.
        watch: (WATCH_SIZE,) int64: age of the target, and whether nothing is sent.
        observed: Ring of the states that were answered; shorter than one: nobody observes.
        observed_head: (2,) rows published, rows begun.
    """

    sequence: Any
    slot: Any
    fresh: Any
    target: Any
    chain_0: Any
    chain_1: Any
    options: Any
    arm: Any
    memory: Any
    anchor: Any
    record: Any
    records: Any
    records_head: Any
    tuning_sequence: Any
    tuning_slot: Any
    tuning: Any
    watch: Any
    observed: Any
    observed_head: Any


STATE_ROW_FIELDS: tuple[tuple[str, int], ...] = (*STATE_FIELDS, ("received_ns", 1))
"""Fields of a row in the ring of states."""

CYCLE_FIELDS: tuple[tuple[str, int], ...] = (
    ("state_id", 1),
    ("received_ns", 1),
    ("sent_ns", 1),
    ("compute_ns", 1),
    ("period_ms", 1),
    ("lost_states", 1),
    ("phase", 1),
    ("control_command_success_rate", 1),
    *COMMAND_FIELDS,
)
"""Fields of a row in the ring of cycles."""
