"""The robot's millisecond on the wire: commands in, states out, on absolute deadlines.

`serve` runs in a thread of its own and never needs the interpreter. A state that is more than
`SLIP_NS` late moves the deadlines of all later ones: sending the missed states in a burst would
leave a client no time to answer them. Robot time catches up with the clock by 50 us per state.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import load, store
from kinegraph.robot.loop.libc_kernels import (
    libc_clock_gettime,
    libc_clock_nanosleep,
    libc_poll,
    libc_recv,
    libc_send,
    libc_write,
)
from kinegraph.robot.sim.cycle_kernels import advance
from kinegraph.robot.sim.float_layout import (
    X_arriving,
    X_command,
    X_state,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.robot.sim.int_layout import (
    N_accepted,
    N_asynchronous,
    N_behind_ns,
    N_connected,
    N_duplicate,
    N_early,
    N_ended,
    N_event_pipe,
    N_first_id,
    N_have,
    N_id,
    N_io_one,
    N_io_poll,
    N_io_time,
    N_late,
    N_lockstep_ms,
    N_lost_in_row,
    N_malformed,
    N_moving,
    N_recovered,
    N_request_done,
    N_request_number,
    N_request_status,
    N_send_failures,
    N_slips,
    N_socket,
    N_started,
    N_states_sent,
    N_stop,
    N_told_ended,
    N_told_recovered,
    N_unasked,
    N_version,
    N_waits,
)
from kinegraph.robot.sim.part_kernels import part
from kinegraph.robot.sim.request_kernels import answer
from kinegraph.robot.wire.state_layout import COMMAND_SIZE, STATE_SIZE, C_message_id
from kinegraph.robot.wire.wire_kernels import decode_command, encode_state
from kinegraph.scene.array_types import Array, ByteArray, IntArray

__all__ = ["collect", "patience_ms", "serve"]

PERIOD_NS = NS_PER_MS = 1_000_000
# How long lockstep waits for the answer to the first state of a motion, and where none may come.
FIRST_MS, DOUBTFUL_MS = 5, 25
SLIP_NS = 500_000
CATCH_UP_NS, BACKLOG_NS = 50_000, 100_000_000
CLOCK_MONOTONIC, TIMER_ABSTIME, EINTR = 1, 1, 4
MSG_DONTWAIT, MSG_NOSIGNAL, POLLIN = 0x40, 0x4000, 1
DRAIN_MAX = 64  # datagrams of one cycle; a flood cannot hold the robot


@kernel
def take_datagram(x: Array, n: IntArray, datagram: ByteArray, length: int) -> None:
    """Sort one datagram: the command of this cycle, or one that is counted and dropped."""
    if decode_command(n[N_version], datagram, length, part(x, X_arriving, COMMAND_SIZE)) != 0:
        n[N_malformed] += 1
        return
    answered = x[X_arriving + C_message_id]
    if n[N_moving] == 0 or answered < n[N_first_id]:
        n[N_unasked] += 1  # of an earlier motion, or of none
    elif answered > n[N_id]:
        n[N_early] += 1
    elif answered < n[N_id] and n[N_asynchronous] == 0:
        n[N_late] += 1
    elif n[N_have] == 1:
        n[N_duplicate] += 1
    else:
        copy_numbers(x, X_arriving, x, X_command, COMMAND_SIZE)
        n[N_have] = 1
        n[N_accepted] += 1


@kernel
def collect(x: Array, n: IntArray, datagram: ByteArray) -> None:
    """Take what has come on the socket, without waiting."""
    if n[N_connected] == 0:
        return
    for _ in range(DRAIN_MAX):
        length = libc_recv(
            n[N_socket], datagram.ctypes.data, datagram.size, MSG_DONTWAIT | MSG_NOSIGNAL
        )
        # An error is none of ours: a client that is gone leaves "connection refused" behind.
        if length < 0:
            break
        take_datagram(x, n, datagram, length)


@kernel
def publish(x: Array, n: IntArray, datagram: ByteArray) -> None:
    """Send the newest state to the client."""
    if n[N_connected] == 0:
        return
    length = encode_state(n[N_version], part(x, X_state, STATE_SIZE), datagram)
    sent = libc_send(n[N_socket], datagram.ctypes.data, length, MSG_DONTWAIT | MSG_NOSIGNAL)
    if sent == length:
        n[N_states_sent] += 1
    else:
        n[N_send_failures] += 1


@kernel
def wake_python(x: Array, n: IntArray) -> None:
    """Make the thread that serves TCP look for events."""
    if n[N_event_pipe] >= 0:
        n[N_io_one] = 1
        libc_write(n[N_event_pipe], n.ctypes.data + 8 * N_io_one, 8)


@kernel
def tell_events(x: Array, n: IntArray) -> None:
    """Report motions and recoveries that have ended, after the state that shows it."""
    if n[N_told_ended] == n[N_ended] and n[N_told_recovered] == n[N_recovered]:
        return
    n[N_told_ended], n[N_told_recovered] = n[N_ended], n[N_recovered]
    wake_python(x, n)


@kernel
def answer_mailbox(x: Array, n: IntArray) -> None:
    """Answer the request in the mailbox, if there is a new one."""
    number = load(n, N_request_number)
    if number == n[N_request_done]:
        return
    n[N_request_status] = answer(x, n)
    store(n, N_request_done, number)


@kernel
def clock_ns(x: Array, n: IntArray) -> int:
    """CLOCK_MONOTONIC, ns."""
    libc_clock_gettime(CLOCK_MONOTONIC, n.ctypes.data + 8 * N_io_time)
    return int(n[N_io_time] * 1_000_000_000 + n[N_io_time + 1])


@kernel
def patience_ms(x: Array, n: IntArray) -> int:
    """How long a robot in lockstep waits for the answer to its newest state, ms.

    The whole time that was allowed only while commands come. A client need not answer the first
    state of a motion (libfranka waits for another one), and one that has lost a state answers the
    next.
    """
    idle = n[N_moving] == 0 or n[N_connected] == 0 or n[N_asynchronous] == 1
    if idle or n[N_have] == 1 or n[N_id] < n[N_first_id]:
        return 0
    limit = n[N_lockstep_ms]
    if n[N_id] == n[N_first_id]:
        limit = min(limit, FIRST_MS)
    elif n[N_started] == 0 or n[N_lost_in_row] > 0:
        limit = min(limit, DOUBTFUL_MS)
    return int(limit)


@kernel
def await_command(x: Array, n: IntArray, datagram: ByteArray) -> None:
    """In lockstep: wait for the command of this cycle, at most as long as was allowed."""
    began = clock_ns(x, n)
    while clock_ns(x, n) - began < patience_ms(x, n) * NS_PER_MS and load(n, N_stop) == 0:
        n[N_waits] += 1
        n[N_io_poll] = n[N_socket] | (POLLIN << 32)
        libc_poll(n.ctypes.data + 8 * N_io_poll, 1, 1)
        collect(x, n, datagram)
        answer_mailbox(x, n)


@kernel
def sleep_until(x: Array, n: IntArray, deadline: int) -> None:
    """Sleep until CLOCK_MONOTONIC has reached `deadline`."""
    n[N_io_time], n[N_io_time + 1] = deadline // 1_000_000_000, deadline % 1_000_000_000
    at = n.ctypes.data + 8 * N_io_time
    while libc_clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, at, 0) == EINTR:
        pass


@kernel
def await_millisecond(x: Array, n: IntArray, datagram: ByteArray, deadline: int) -> int:
    """Sleep until the deadline, wait for a command in lockstep; returns when it really was."""
    sleep_until(x, n, deadline)
    answer_mailbox(x, n)
    collect(x, n, datagram)
    await_command(x, n, datagram)
    now = clock_ns(x, n)
    if now - deadline <= SLIP_NS:
        return deadline
    n[N_slips] += 1
    if n[N_lockstep_ms] == 0:
        n[N_behind_ns] = min(BACKLOG_NS, n[N_behind_ns] + now - deadline)
    return now


@kernel
def next_period(n: IntArray) -> int:
    """Time to the next deadline, ns: a little short while robot time is behind the clock."""
    step = min(CATCH_UP_NS, n[N_behind_ns])
    n[N_behind_ns] -= step
    return int(PERIOD_NS - step)


@kernel
def serve(x: Array, n: IntArray, datagram: ByteArray, cycles: int) -> None:
    """Run the robot; the one entry of Python, so that all of it is compiled once.

    Args:
        x: The robot's numbers.
        n: The robot's integers.
        datagram: Bytes on their way in or out.
        cycles: Milliseconds to run with the clock held by the caller, 0 to answer the mailbox
            alone, negative to run in real time until the stop flag is set.
    """
    deadline, realtime = clock_ns(x, n), cycles < 0
    if cycles == 0:
        answer_mailbox(x, n)
        tell_events(x, n)
    while (realtime and load(n, N_stop) == 0) or cycles > 0:
        if realtime:
            deadline = await_millisecond(x, n, datagram, deadline + next_period(n))
        else:
            cycles -= 1
            collect(x, n, datagram)
        advance(x, n)
        publish(x, n, datagram)
        tell_events(x, n)
