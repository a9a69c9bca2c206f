"""What a robot object and its motions share: the connection, the loop, the newest state."""

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegraph.robot.connection import Connection
from kinegraph.robot.drop_log import DropLog
from kinegraph.robot.errors import InvalidOperationError, NetworkError
from kinegraph.robot.loop.counters import read_counters
from kinegraph.robot.loop.loop_layout import (
    B_BAD_KIND,
    B_FOREIGN,
    B_LAST_ID,
    B_SHORT,
    BAD_SHORT,
)
from kinegraph.robot.loop.loop_thread import LoopThread
from kinegraph.robot.replies import check_status
from kinegraph.robot.wire.state_layout import STATE_SIZE, S_robot_mode
from kinegraph.scene.array_types import Array

if TYPE_CHECKING:
    from kinegraph.robot.session import MotionSession

__all__ = ["RobotLink"]

SILENCE_S = 1.0
RECOVERY_S = 60.0


class RobotLink:
    """One robot's connection and loop.

    Args:
        connection: Accepted connection.
        loop: Loop thread, not yet started.
        timeout_s: Limit for each reply, s.

    Attributes:
        connection: As given.
        loop: As given.
        timeout_s: As given.
        served_model: URDF that the robot served when the connection was made, None if it served
            none.
        watchers: Called with each session that is about to start; they must be quick and raise
            nothing.
    """

    def __init__(self, connection: Connection, loop: LoopThread, timeout_s: float) -> None:
        self.connection = connection
        self.loop = loop
        self.timeout_s = timeout_s
        self.served_model: str | None = None
        self.watchers: tuple[Callable[[MotionSession], None], ...] = ()
        self._drops = DropLog(lambda: read_counters(loop.memory.block), connection.host)
        self._closed = False
        self._process = os.getpid()
        # Reentrant: a handle that is collected meanwhile asks its session to stop.
        self._claiming = threading.RLock()
        self._closing = threading.RLock()
        self._session: MotionSession | None = None

    def open(self) -> None:
        """Start receiving and wait for the first state.

        Raises:
            NetworkError: No state within 1 s.
            RealtimeError: Priority or core were insisted on and could not be had.
        """
        self.connection.channel.on_close = self.loop.tcp_closed
        self.loop.start(self.connection.udp.fileno())
        self._drops.start()
        if not self.connection.channel.is_open:
            self.loop.tcp_closed()  # it closed before anybody listened
        self.wait_for_row(0, SILENCE_S)

    # --- states ---------------------------------------------------------------------------------

    def newest_row(self) -> Array:
        """Return (STATE_SIZE,) the newest state."""
        row = self.loop.states.latest()
        return np.zeros(STATE_SIZE) if row is None else row[:STATE_SIZE]

    def mode(self) -> int:
        """Return the robot's mode of the newest state."""
        return int(self.newest_row()[S_robot_mode])

    def wait_for_row(self, position: int, timeout_s: float) -> None:
        """Wait until more than `position` states have been received.

        Raises:
            NetworkError: No state in time, twenty bad datagrams in a row, or a closed connection.
            InvalidOperationError: The robot was closed.
        """
        states = self.loop.states

        def done() -> bool:
            self.check_open()
            return states.published > position or self.loop.bad_run

        done_in_time = self.loop.waiters.wait(done, timeout_s)
        if states.published > position:
            return
        if not done_in_time or self.loop.bad_run:
            raise self.silence()

    def silence(self) -> NetworkError:
        """Return the error of a second without a state, with what is known about the reason."""
        block = self.loop.memory.block
        address, port = self.connection.local_address
        short, foreign = int(block[B_SHORT]), int(block[B_FOREIGN])
        facts = {"local_address": address, "udp_port": port, "short": short, "foreign": foreign}
        if self.loop.bad_run:
            why = (
                "libfranka: incorrect object size: twenty UDP datagrams in a row are shorter than "
                "a state"
                if block[B_BAD_KIND] == BAD_SHORT
                else "twenty UDP datagrams in a row are not this robot's states"
            )
            return NetworkError(f"{why} ({short} short and {foreign} foreign ones so far)", **facts)
        if block[B_LAST_ID] < 0:
            return NetworkError(
                "libfranka: UDP receive: Timeout. The command port of "
                f"{self.connection.host} answers, but no state arrives at UDP port {port} of "
                f"{address}: a firewall, or the robot sends to another network interface"
                f" ({short} short and {foreign} foreign datagrams came)",
                **facts,
            )
        return NetworkError(
            "libfranka: UDP receive: Timeout. No new state for "
            f"{min(self.loop.state_age_s, 1e6):.1f} s at UDP port {port}",
            **facts,
        )

    def check_open(self) -> None:
        """Refuse to go on with a connection that is gone.

        Raises:
            InvalidOperationError: The robot was closed.
            NetworkError: The other side closed the connection, or it broke.
            ProtocolError: The other side sent what is no reply.
        """
        if not self.is_ours:
            raise self.of_another_process()
        if self._closed:
            raise InvalidOperationError("this robot has been closed")
        failure = self.connection.channel.failure
        if failure is not None:
            raise failure.anew()

    @property
    def is_ours(self) -> bool:
        """Whether this process made the connection; one that was forked later has no loop."""
        return os.getpid() == self._process

    def of_another_process(self) -> InvalidOperationError:
        """Return the error of what is used in a forked process."""
        return InvalidOperationError(
            f"this connection belongs to process {self._process}; a forked process needs its own "
            "Robot"
        )

    # --- commands -------------------------------------------------------------------------------

    def command(
        self, name: str, fields: dict[str, Any] | None = None, timeout_s: float = 0.0
    ) -> bytes:
        """Send a command, check its status, return the reply's payload.

        Raises:
            CommandError: The robot refused or aborted it.
            NetworkError: No reply in time, or the connection is gone.
            ProtocolError: The reply is none.
            InvalidOperationError: The version has no such command, or the robot was closed.
        """
        self.check_open()
        channel = self.connection.channel
        payload = channel.request(name, fields, timeout_s=timeout_s or self.timeout_s)
        check_status(channel.protocol, name, payload[0], self.mode)
        return payload

    # --- one motion at a time -------------------------------------------------------------------

    def claim(self, session: "MotionSession") -> None:
        """Make a session the only one.

        Raises:
            InvalidOperationError: Another one runs, or the robot was closed.
        """
        with self._claiming:
            self.check_open()
            if self.is_busy:
                raise self.busy()
            previous, self._session = self._session, session
            session.mark_claimed()
            for watcher in self.watchers:
                watcher(session)
        if previous is not None:
            previous.abandon()

    def release(self, session: "MotionSession") -> None:
        """Hold an ended session no longer, whose end nobody needs to be told any more."""
        with self._claiming:
            if self._session is session and not session.is_running:
                self._session = None

    def raise_flag(self, session: "MotionSession", flag: int) -> None:
        """Set a flag of the loop for a session, unless another one has taken its place."""
        if not self.is_ours:
            return
        with self._claiming:
            if self._session is session and session.is_running:
                self.loop.raise_flag(flag)

    def busy(self) -> InvalidOperationError:
        """Return the error of a second motion while one runs."""
        return InvalidOperationError(
            "libfranka robot: Cannot perform this operation while another control or read "
            "operation is running."
        )

    @property
    def is_busy(self) -> bool:
        """Whether a motion of this client runs."""
        return self._session is not None and self._session.is_running

    @property
    def session(self) -> "MotionSession | None":
        """The session that runs, or the last one as long as nobody has asked how it ended."""
        return self._session

    def close(self) -> None:
        """End a running motion, the loop and the connection; later calls do nothing."""
        if not self.is_ours:  # loop and robot are the parent's business, its lock may be held
            self._closed = True
            return
        with self._closing:
            if self._closed:
                return
            session = self._session
            if session is not None and session.is_running:
                session.cancel(quiet=True, preempts=True)
            self._closed = True
            ended = self.loop.close()
            self._drops.close()
            self.connection.close()
            if ended and session is not None:
                self.release(session)
