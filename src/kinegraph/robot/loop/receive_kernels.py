"""What the loop accepts as a state, and waiting for the next one.

Old ids are dropped and counted, short and foreign datagrams too; twenty bad ones in a row, or a
second without a new state while a motion runs, are an error. A longer datagram's tail is ignored.
Every accepted state goes into the ring; the newest one is the one to answer.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import load
from kinegraph.robot.loop.loop_layout import (
    B_BAD_KIND,
    B_BAD_RUN,
    B_END,
    B_FAULT,
    B_FOREIGN,
    B_LAST_GOOD_NS,
    B_LAST_ID,
    B_LIMIT_FROM,
    B_LOST,
    B_RECEIVED,
    B_RECEIVED_NS,
    B_SENDER,
    B_SHORT,
    B_SLICE_NS,
    B_STALE,
    B_STATE_BYTES,
    B_STRANGE_ID,
    B_TCP_CLOSED,
    B_VERSION,
    BAD_FOREIGN,
    BAD_ID,
    BAD_RUN_MAX,
    BAD_SHORT,
    DRAIN_MAX,
    END_BAD_DATAGRAMS,
    END_REQUESTED,
    END_SILENT,
    END_SOCKET,
    END_TCP_CLOSED,
    I_ADDRESS,
    I_PEER,
    ID_MAX,
    ID_STEP_MAX,
    R_RECEIVED_NS,
    SILENCE_NS,
    STATE_ROW,
    LoopMemory,
)
from kinegraph.robot.loop.ring_kernels import begin_row, end_row
from kinegraph.robot.loop.socket_kernels import monotonic_ns, notify, receive, wait_readable
from kinegraph.robot.wire.byte_kernels import load_u8
from kinegraph.robot.wire.state_layout import STATE_SIZE
from kinegraph.robot.wire.wire_kernels import decode_state
from kinegraph.scene.array_types import ByteArray, IntArray

__all__ = ["receive_states"]

ACCEPTED = 0
STALE = -1
POLL_MS_MAX = 200
# sockaddr_in: family, port and address are its first eight bytes, the rest is padding.


@kernel
def judge(block: IntArray, io: IntArray, datagram: ByteArray, length: int) -> int:
    """Say what a datagram is: `ACCEPTED`, `STALE` or one of the kinds of bad ones."""
    if length < block[B_STATE_BYTES]:
        return BAD_SHORT
    sender = block[B_SENDER]
    if sender != 0 and io[I_ADDRESS] != sender:
        return BAD_FOREIGN
    number = load_u8(datagram, 0)
    last = block[B_LAST_ID]
    # A u8 beyond int64 reads as negative.
    if number < 0 or number > ID_MAX:
        return BAD_ID
    if last >= 0 and number > last + ID_STEP_MAX:
        return BAD_ID
    return ACCEPTED if number > last else STALE


@kernel
def count_bad(block: IntArray, kind: int) -> None:
    """Count a bad datagram."""
    if kind == BAD_SHORT:
        block[B_SHORT] += 1
    elif kind == BAD_FOREIGN:
        block[B_FOREIGN] += 1
    else:
        block[B_STRANGE_ID] += 1
    block[B_BAD_RUN] += 1
    block[B_BAD_KIND] = kind


@kernel
def accept(memory: LoopMemory, length: int) -> None:
    """Decode the datagram as the newest state and append it to the ring."""
    block, io = memory.block, memory.io
    now = monotonic_ns(io)
    decode_state(block[B_VERSION], memory.datagram, length, memory.state)
    number = load_u8(memory.datagram, 0)
    if block[B_LAST_ID] >= 0:
        block[B_LOST] += number - block[B_LAST_ID] - 1
    if block[B_SENDER] == 0:
        block[B_SENDER] = io[I_ADDRESS]
        io[I_PEER] = io[I_ADDRESS]
        io[I_PEER + 1] = 0
    block[B_LAST_ID] = number
    block[B_LAST_GOOD_NS] = now
    block[B_RECEIVED_NS] = now
    block[B_BAD_RUN] = 0
    block[B_RECEIVED] += 1
    at = begin_row(memory.states_head, memory.states.size // STATE_ROW, STATE_ROW)
    for i in range(STATE_SIZE):
        memory.states[at + i] = memory.state[i]
    memory.states[at + R_RECEIVED_NS] = now
    end_row(memory.states_head)


@kernel
def drain(memory: LoopMemory) -> int:
    """Take what the socket holds.

    Returns:
        Number of states accepted, or the negative end code.
    """
    block = memory.block
    accepted = 0
    for _ in range(DRAIN_MAX):
        length = receive(block, memory.io, memory.datagram)
        if length == -1:
            break
        if length < 0:
            block[B_FAULT] = -length - 1
            return -END_SOCKET
        verdict = judge(block, memory.io, memory.datagram, length)
        if verdict == ACCEPTED:
            accept(memory, length)
            accepted += 1
        elif verdict == STALE:
            block[B_STALE] += 1
        else:
            count_bad(block, verdict)
            if block[B_BAD_RUN] >= BAD_RUN_MAX and block[B_LIMIT_FROM] != 0:
                block[B_FAULT] = verdict
                return -END_BAD_DATAGRAMS
    return accepted


@kernel
def wait_ms(block: IntArray, now: int, slice_from: int) -> int:
    """How long the next wait may take, ms; 0 when the limit of silence is over, -1 the slice's."""
    wait = POLL_MS_MAX * 1_000_000
    limit_from = load(block, B_LIMIT_FROM)
    if limit_from != 0:
        left = SILENCE_NS - (now - max(limit_from, block[B_LAST_GOOD_NS]))
        if left <= 0:
            return 0
        wait = min(wait, left)
    if block[B_SLICE_NS] != 0:
        left = block[B_SLICE_NS] - (now - slice_from)
        if left <= 0:
            return -1
        wait = min(wait, left)
    return (wait + 999_999) // 1_000_000


@kernel
def receive_states(memory: LoopMemory) -> int:
    """Wait for a state that is newer than the newest; take all that are there.

    Returns:
        Number of states accepted, at least 1; or the negative end code; or 0 when the slice that
        the caller allowed is over.
    """
    block, io = memory.block, memory.io
    slice_from = monotonic_ns(io)
    now = slice_from
    while True:
        if load(block, B_END) != 0:
            return -END_REQUESTED
        if load(block, B_TCP_CLOSED) != 0:
            return -END_TCP_CLOSED
        timeout = wait_ms(block, now, slice_from)
        readable = wait_readable(block, io, max(timeout, 0))
        if readable < 0:
            block[B_FAULT] = -readable
            return -END_SOCKET
        if readable == 1:
            accepted = drain(memory)
            if accepted != 0:
                notify(io, memory.waiters)
                return accepted
        elif timeout <= 0:
            return -END_SILENT if timeout == 0 else 0
        now = monotonic_ns(io)
