"""Serves a simulated hand: one thread for its connections, its clock and its states."""

import contextlib
import logging
import os
import selectors
import socket
import threading
import time
from collections.abc import Iterator

import numpy as np

from kinegraph.robot.errors import ProtocolError
from kinegraph.robot.hand.fingers import Fingers, Outcome
from kinegraph.robot.hand.state import GripperState
from kinegraph.robot.wire.gripper_tables import GRIPPER
from kinegraph.robot.wire.messages import Frame, FrameReader

__all__ = ["HandServer"]

_LOG = logging.getLogger("kinegraph.robot.hand")
MAX_SESSIONS, HANDSHAKE_S, SEND_LIMIT_S, IDLE_S = 16, 2.0, 1.0, 0.5
# No request of a hand is longer than fifty bytes.
MAX_REQUEST = 1 << 12


class _Session:
    """A connection, possibly before its Connect request."""

    def __init__(self, connection: socket.socket, peer: str) -> None:
        connection.settimeout(SEND_LIMIT_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.peer = peer
        self.opened = time.monotonic()
        self.states: socket.socket | None = None
        self.reader = FrameReader(GRIPPER)

    def frames(self) -> Iterator[Frame]:
        """Take what has arrived; raises when the client has gone or sends no requests."""
        data = self.connection.recv(1 << 14)
        if not data:
            raise ConnectionError("closed by the client")
        yield from self.reader.feed(data)
        if self.reader.pending > MAX_REQUEST:
            raise ProtocolError("a request that is too long")

    def reply(self, command: int, number: int, payload: bytes) -> None:
        size = GRIPPER.header.size + len(payload)
        self.connection.sendall(GRIPPER.header.pack(command, number, size) + payload)

    def close(self) -> None:
        self.connection.close()
        if self.states is not None:
            self.states.close()


class HandServer:
    """Serves the fingers; several clients may be connected, the newest action counts.

    Args:
        fingers: What moves.
        temperature: That the states report, degrees Celsius.
        listener: Listening TCP socket; states are sent from the same address.
        period_s: Time between two states, s.
        realtime: Whether the clock runs by itself.

    Attributes:
        malformed: Requests that were none.
    """

    def __init__(
        self,
        fingers: Fingers,
        temperature: int,
        listener: socket.socket,
        period_s: float,
        realtime: bool,
    ) -> None:
        self.malformed = 0
        self._fingers = fingers
        self._temperature = temperature
        self._listener = listener
        self._period_ms = max(round(1000.0 * period_s), 1)
        self._realtime = realtime
        self._clock_ms = 0
        self._sessions: dict[socket.socket, _Session] = {}
        self._acting: tuple[_Session, int, int] | None = None
        self._lock = threading.RLock()
        self._stopping = threading.Event()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._run, name="sim-hand", daemon=True)

    def start(self) -> None:
        """Serve in a thread."""
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; connections are closed."""
        self._stopping.set()
        os.eventfd_write(self._wake, 1)
        self._thread.join()
        for session in list(self._sessions.values()):
            self._drop(session, "the hand stops")
        self._selector.close()
        os.close(self._wake)

    @property
    def client_count(self) -> int:
        """Clients that are connected."""
        return sum(1 for session in list(self._sessions.values()) if session.states is not None)

    def state(self) -> GripperState:
        """The state now."""
        with self._lock:
            f = self._fingers
            return GripperState(
                f.width, f.max_width, f.is_grasped, self._temperature, self._clock_ms
            )

    def put_object(self, width: float | None) -> None:
        """Put an object between the fingers, or take it away."""
        with self._lock:
            self._fingers.put_object(width)

    def advance(self, milliseconds: int) -> None:
        """Let time pass; the states of that time are sent."""
        with self._lock:
            for _ in range(milliseconds):
                self._clock_ms += 1
                outcome = self._fingers.advance(0.001)
                if outcome is not None or self._clock_ms % self._period_ms == 0:
                    self._send_states()
                if outcome is not None:  # who gets the reply has had the state of the end
                    self._end_action(outcome)

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        begin, passed = time.monotonic(), 0
        while not self._stopping.is_set():
            wait_s = IDLE_S
            if self._realtime:
                due = begin + 0.001 * (passed + self._period_ms)
                wait_s = max(due - time.monotonic(), 0.0)
            ready = {key.fileobj for key, _ in self._selector.select(wait_s)}
            for session in [s for c, s in self._sessions.items() if c in ready]:
                self._serve(session)
            if self._listener in ready:
                self._accept()
            self._drop_silent()
            if self._realtime:
                elapsed = int(1000.0 * (time.monotonic() - begin)) - passed
                self.advance(min(elapsed, 1000))  # a machine that stood still stays behind
                passed += elapsed

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, address = self._listener.accept()
            if len(self._sessions) >= MAX_SESSIONS:
                connection.close()
                return
            self._sessions[connection] = _Session(connection, address[0])
            self._selector.register(connection, selectors.EVENT_READ)

    def _drop_silent(self) -> None:
        limit = time.monotonic() - HANDSHAKE_S
        for session in list(self._sessions.values()):
            if session.states is None and session.opened < limit:
                self._drop(session, "no Connect request")

    def _drop(self, session: _Session, why: str) -> None:
        with self._lock:
            if self._sessions.pop(session.connection, None) is None:
                return
            _LOG.info("hand: connection of %s closed: %s", session.peer, why)
            if self._acting is not None and self._acting[0] is session:
                self._fingers.stop()
                self._acting = None
            self._selector.unregister(session.connection)
            session.close()

    def _serve(self, session: _Session) -> None:
        try:
            for frame in session.frames():
                with self._lock:
                    self._answer(session, frame)
        except (OSError, ProtocolError) as problem:
            if isinstance(problem, ProtocolError):
                self.malformed += 1
            self._drop(session, str(problem))

    def _answer(self, session: _Session, frame: Frame) -> None:
        name = GRIPPER.command_names.get(frame.command, "")
        if name == "Connect":
            self._connect(session, frame)
        elif session.states is None:
            raise ProtocolError("a request before Connect")
        elif name == "Stop":
            self._abort()
            self._reply(session, frame.command, frame.command_id, "Success")
        elif not name or len(frame.payload) != GRIPPER.size(f"{name}.Request"):
            self.malformed += 1
            self._reply(session, frame.command, frame.command_id, "Fail")
        else:
            self._begin(session, name, frame)

    def _connect(self, session: _Session, frame: Frame) -> None:
        if session.states is not None or len(frame.payload) != GRIPPER.size("Connect.Request"):
            raise ProtocolError("a second Connect, or one of the wrong length")
        version, port = (int(part) for part in np.frombuffer(frame.payload, "<u2"))
        accepted = version == GRIPPER.version
        reply = np.zeros((), GRIPPER.dtype("Connect.Response"))
        reply["status"], reply["version"] = int(not accepted), GRIPPER.version
        if accepted:
            states = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            states.bind((self._listener.getsockname()[0], 0))
            states.connect((session.peer, port))
            states.setblocking(False)
            session.states = states
        session.reply(frame.command, frame.command_id, reply.tobytes())

    def _begin(self, session: _Session, name: str, frame: Frame) -> None:
        self._abort()  # the newer one counts
        fingers, values = self._fingers, np.frombuffer(frame.payload, "<f8").tolist()
        if name == "Homing":
            fingers.home()
            begun = True
        else:
            begun = (fingers.move if name == "Move" else fingers.grasp)(*values)
        if not begun:
            self._reply(session, frame.command, frame.command_id, "Fail")
            return
        self._acting = (session, frame.command, frame.command_id)

    def _abort(self) -> None:
        self._fingers.stop()
        self._end_action("Aborted")

    def _end_action(self, outcome: Outcome) -> None:
        acting, self._acting = self._acting, None
        if acting is None:
            return
        try:
            self._reply(*acting, outcome)
        except OSError as problem:
            self._drop(acting[0], str(problem))

    @staticmethod
    def _reply(session: _Session, command: int, number: int, outcome: Outcome) -> None:
        status = GRIPPER.statuses["Stop"][outcome]
        session.reply(command, number, status.to_bytes(2, "little"))

    def _send_states(self) -> None:
        datagram = self.state().to_wire()
        for session in list(self._sessions.values()):
            if session.states is not None:
                with contextlib.suppress(OSError):  # nobody listens, or the queue is full
                    session.states.send(datagram)
