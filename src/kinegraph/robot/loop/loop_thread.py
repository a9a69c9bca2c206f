"""The thread on which a robot's compiled sessions run, one after the other.

By default it runs the stream session, so that states are received from the connection's first
moment to its last. A motion takes its place for as long as it runs. The sockets' buffers bridge
the moments in between, and ids go on across sessions, because all sessions share one memory.
"""

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from kinegraph.kinematics.announcing import announce_compiling
from kinegraph.robot.conversion_kernels import CONVERSION_WORK
from kinegraph.robot.errors import FrankaError, NetworkError
from kinegraph.robot.limits import RateLimits, rate_limits
from kinegraph.robot.loop.atomic_kernels import atomic_load, atomic_store
from kinegraph.robot.loop.loop_layout import (
    B_BAD_RUN,
    B_END,
    B_LAST_GOOD_NS,
    B_LAST_ID,
    B_LIMIT_FROM,
    B_MOVE_REPLIED,
    B_PHASE,
    B_PREVIOUS_ID,
    B_SLICE_NS,
    B_STATE_BYTES,
    B_STOP,
    B_TCP_CLOSED,
    B_UDP_FD,
    B_VERSION,
    B_WAKE_FD,
    BAD_RUN_MAX,
    BLOCK_SIZE,
    CYCLE_FIELDS,
    DATAGRAM_BYTES,
    END_SOCKET,
    I_ONE,
    IO_SIZE,
    JOINTS,
    MOTION_SIZE,
    PACKET_BYTES,
    PHASE_FINISHING,
    PHASE_WAIT,
    SETTINGS_SIZE,
    STATE_ROW_FIELDS,
    LoopMemory,
)
from kinegraph.robot.loop.realtime import lower_thread, raise_as_far_as_possible, raise_thread
from kinegraph.robot.loop.rings import Ring
from kinegraph.robot.loop.session_kernels import stream_session
from kinegraph.robot.loop.waiting import Waiters
from kinegraph.robot.wire.protocol import Protocol
from kinegraph.robot.wire.state_layout import COMMAND_SIZE, STATE_SIZE
from kinegraph.robot.wire.tables import PROTOCOLS

__all__ = ["LoopThread", "Program", "warm_up"]

_LOG = logging.getLogger("kinegraph.robot")
_SWITCH_S = 5.0
_JOIN_S = 2.0
_RETRY_S = 0.1

STATE_ROWS = 4096
CYCLE_FACTOR = 4


def _nothing(_: Any) -> int:
    return 0


@dataclass(eq=False, slots=True)
class Program:
    """A session to be run on the loop thread.

    Attributes:
        run: Runs it and returns the end code; for compiled sessions the compiled function.
        on_end: Called on the loop thread with the end code.
        ended: Set after `on_end`.
        code: The end code, None while it runs.
    """

    run: Callable[[LoopMemory], int] = _nothing
    on_end: Callable[[int], object] = _nothing
    ended: threading.Event = field(default_factory=threading.Event)
    code: int | None = None

    def finish(self) -> None:
        """Count as ended, and hold no longer what ran: whoever waits may hold this."""
        self.run = self.on_end = _nothing
        self.ended.set()


class LoopThread:
    """Owner of the loop's memory and of its thread.

    Args:
        protocol: Of the connection.
        limits: Rate limits of the robot.
        priority: FIFO priority of the thread; 0: ordinary; None: ordinary until it is raised.
        cpu: Core of the thread, None: any.
        enforce: Whether priority, core and realtime kernel are insisted on.
        rows: States that the ring keeps; it keeps four times as many cycles.

    Attributes:
        memory: What the kernels work on.
        states: Ring of received states, see `STATE_ROW_FIELDS`.
        cycles: Ring of control cycles, see `CYCLE_FIELDS`.
        waiters: For threads that wait for the loop.
    """

    def __init__(
        self,
        protocol: Protocol,
        limits: RateLimits,
        *,
        priority: int | None = None,
        cpu: int | None = None,
        enforce: bool = False,
        rows: int = STATE_ROWS,
    ) -> None:
        self.states = Ring(rows, STATE_ROW_FIELDS)
        self.cycles = Ring(CYCLE_FACTOR * rows, CYCLE_FIELDS)
        self.waiters = Waiters()
        self._wake_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        weakref.finalize(self, os.close, self._wake_fd)
        self.memory = self._make_memory(protocol, limits)
        self._realtime = (priority, cpu, enforce)
        self._lock = threading.Lock()
        self._next: Program | None = None
        self._current: Program | None = None
        self._closing = False
        self._raised: FrankaError | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._main, name="kinegraph-loop", daemon=True)

    def _make_memory(self, protocol: Protocol, limits: RateLimits) -> LoopMemory:
        block = np.zeros(BLOCK_SIZE, dtype=np.int64)
        block[B_VERSION] = protocol.version
        block[B_WAKE_FD] = self._wake_fd
        block[B_STATE_BYTES] = protocol.size("RobotState")
        block[B_LAST_ID] = block[B_PREVIOUS_ID] = block[B_UDP_FD] = -1
        io = np.zeros(IO_SIZE, dtype=np.int64)
        io[I_ONE] = 1
        return LoopMemory(
            block=block,
            io=io,
            waiters=self.waiters.slots,
            datagram=np.zeros(DATAGRAM_BYTES, dtype=np.uint8),
            packet=np.zeros(PACKET_BYTES, dtype=np.uint8),
            state=np.zeros(STATE_SIZE),
            command=np.zeros(COMMAND_SIZE),
            torques=np.zeros(JOINTS),
            motion=np.zeros(MOTION_SIZE),
            work=np.zeros(CONVERSION_WORK),
            settings=np.zeros(SETTINGS_SIZE),
            limits=limits.array.copy(),
            states=self.states.data,
            states_head=self.states.head,
            cycles=self.cycles.data,
            cycles_head=self.cycles.head,
        )

    def start(self, udp_fd: int) -> None:
        """Start receiving from a socket.

        Raises:
            RealtimeError: Priority or core were insisted on and could not be had.
        """
        self.memory.block[B_UDP_FD] = udp_fd
        self._thread.start()
        self._ready.wait(_SWITCH_S)
        if self._raised is not None:
            raise self._raised

    def _main(self) -> None:
        priority, cpu, enforce = self._realtime
        try:
            raise_thread(priority or None, cpu, enforce=enforce)
        except FrankaError as error:
            self._raised = error
            self._ready.set()
            return
        self._ready.set()
        while (program := self._take()) is not None:
            program.code = program.run(self.memory)
            try:
                program.on_end(program.code)
            except Exception:
                _LOG.exception("the end of a session could not be handled")
            program.finish()
            if self.memory.block[B_TCP_CLOSED]:
                return  # the robot is gone; nothing can be received or started any more
            if program.code == END_SOCKET:
                time.sleep(_RETRY_S)

    def _take(self) -> Program | None:
        with self._lock:
            if self._closing:
                return None
            atomic_store(self.memory.block, B_END, 0)
            program, self._next = self._next, None
            self._current = program
        if program is not None:
            return program
        atomic_store(self.memory.block, B_LIMIT_FROM, 0)
        atomic_store(self.memory.block, B_SLICE_NS, 0)
        return Program(stream_session)

    def switch_to(self, program: Program) -> None:
        """Run a program in the stream's place; returns when it has begun to receive.

        Raises:
            NetworkError: The thread does not take it up.
        """
        block = self.memory.block
        with self._lock:
            for flag in (B_STOP, B_MOVE_REPLIED, B_LIMIT_FROM, B_SLICE_NS):
                atomic_store(block, flag, 0)
            self._next = program
            atomic_store(block, B_END, 1)
        self.wake()
        if not self.waiters.wait(lambda: self._has_begun(program), _SWITCH_S):
            raise NetworkError(f"the loop thread did not take up a motion in {_SWITCH_S:g} s")

    def drop(self, program: Program) -> None:
        """End a program that runs; one that has not had its turn yet never runs."""
        with self._lock:
            if self._next is program:
                self._next = None
            runs = self._current is program
            if runs:  # a flag that was raised before its turn would have been taken for another's
                atomic_store(self.memory.block, B_END, 1)
        if not runs:
            program.finish()
        self.wake()

    def _has_begun(self, program: Program) -> bool:
        # The phase of the stream that is being replaced lies outside, before and after its end.
        phase = atomic_load(self.memory.block, B_PHASE)
        return program.code is not None or PHASE_WAIT <= phase <= PHASE_FINISHING

    def set_realtime(self, priority: int | None, cpu: int | None) -> None:
        """Give the running thread another FIFO priority and core.

        Args:
            priority: 1 to 99; None: what the thread was made with, else the highest that can
                be had.
            cpu: Number of the core; None: what it has.

        Raises:
            RealtimeError: They are insisted on and could not be had.
        """
        thread = self._thread.native_id
        if thread is None:
            return
        own, _, enforce = self._realtime
        if priority is None and own is None:
            raise_as_far_as_possible(thread)
        elif priority is None and own == 0:
            lower_thread(thread)
        wanted = own if priority is None else priority
        if wanted or cpu is not None:
            raise_thread(wanted or None, cpu, enforce=enforce, thread=thread)

    def wake(self) -> None:
        """Make the loop look at its flags now."""
        os.eventfd_write(self._wake_fd, 1)

    def raise_flag(self, flag: int) -> None:
        """Set a flag of the block and make the loop look at it."""
        atomic_store(self.memory.block, flag, 1)
        self.wake()

    def tcp_closed(self) -> None:
        """Tell the loop that the command channel is gone."""
        if not self._closing:
            self.raise_flag(B_TCP_CLOSED)

    def close(self) -> bool:
        """End the session that runs, and the thread.

        Returns:
            Whether the thread has ended; one that hangs in a user's controller cannot be ended.
        """
        with self._lock:
            self._closing = True
            self._next = None
            atomic_store(self.memory.block, B_END, 1)
        self.wake()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(_JOIN_S)
        if self._thread.is_alive():
            _LOG.error("the loop thread does not end; a controller in it hangs")
            return False
        return True

    @property
    def native_id(self) -> int:
        """The system's id of the thread."""
        return self._thread.native_id or 0

    @property
    def state_age_s(self) -> float:
        """Time since the newest state was received, s; infinite before the first."""
        received = int(self.memory.block[B_LAST_GOOD_NS])
        return (time.monotonic_ns() - received) * 1e-9 if received else float("inf")

    @property
    def bad_run(self) -> bool:
        """Whether the last twenty datagrams were all bad."""
        return bool(self.memory.block[B_BAD_RUN] >= BAD_RUN_MAX)


@cache
def warm_up() -> None:
    """Compile what a connection needs before it is made; later calls do nothing.

    A robot streams states from its first reply on, so nothing may be compiled after it.
    """
    loop = LoopThread(PROTOCOLS[10], rate_limits(10), rows=64)
    with announce_compiling("the loop that receives states"):
        atomic_store(loop.memory.block, B_END, 1)
        stream_session(loop.memory)
        atomic_load(loop.memory.block, B_END)
        loop.states.latest()
    loop.states.last(1)
