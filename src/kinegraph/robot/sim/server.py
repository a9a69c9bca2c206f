"""The command channel: one thread that serves TCP and tells clients how their motions ended."""

import logging
import os
import selectors
import socket
import threading
import time

import numpy as np

from kinegraph.robot.sim.codes_layout import (
    MOTION_STARTED,
    NOT_POSSIBLE,
    PENDING,
    R_CONNECT,
    R_DISCONNECT,
    R_RECOVER,
    R_STOP,
    SAFETY_REJECTED,
    STATUS_NAMES,
    WALLS,
)
from kinegraph.robot.sim.int_layout import (
    N_end_status,
    N_ended,
    N_recovered,
    N_recovery_status,
    N_safety,
    N_wall_active,
    N_wall_count,
    N_wall_id,
)
from kinegraph.robot.sim.mailbox import Mailbox
from kinegraph.robot.sim.memory import SimMemory
from kinegraph.robot.sim.payloads import SETTERS, read_arguments
from kinegraph.robot.sim.session import Session
from kinegraph.robot.wire.protocol import Protocol

__all__ = ["CommandServer"]

_LOG = logging.getLogger("kinegraph.robot.sim")
# Connections that have not sent their Connect: how many, how long.
MAX_SESSIONS, HANDSHAKE_S = 16, 2.0
TICK_S, WAITING_TICK_S = 0.5, 0.02
# How long a second client waits for the first to leave, and the status that then refuses it: one
# that no client knows, because the protocol has none for this (libfranka: "Protocol error during
# connection attempt"; without a reply it waits for ever).
QUEUE_S, OCCUPIED = 0.5, 2


class CommandServer:
    """Serves the commands of one robot. One client owns the robot at a time.

    Args:
        mailbox: Way to the loop.
        memory: The robot's memory; only events are read from it here.
        protocol: Protocol of the version served.
        urdf: Text that GetRobotModel hands out.
        listener: Listening TCP socket; states are sent from the same address.
        events: eventfd that the loop writes to.
        library: Shared object that LoadModelLibrary hands out; empty for its Error.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        memory: SimMemory,
        protocol: Protocol,
        urdf: str,
        listener: socket.socket,
        events: int,
        library: bytes = b"",
    ) -> None:
        self._library = library
        self._mailbox = mailbox
        self._memory = memory
        self._protocol = protocol
        self._urdf = urdf.encode()
        self._listener = listener
        self._events = events
        self._sessions: dict[socket.socket, Session] = {}
        self._owner: Session | None = None
        self._ended = int(memory.n[N_ended])
        self._recovered = int(memory.n[N_recovered])
        self._stopping = threading.Event()
        self._selector = selectors.DefaultSelector()
        self._thread = threading.Thread(target=self._run, name="sim-commands", daemon=True)

    def start(self) -> None:
        """Serve in a thread."""
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._events, selectors.EVENT_READ)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; connections are closed."""
        self._stopping.set()
        os.eventfd_write(self._events, 1)
        self._thread.join()
        self._selector.close()

    @property
    def has_client(self) -> bool:
        """Whether a client owns the robot."""
        return self._owner is not None

    def drop_client(self) -> None:
        """Cut the owner's connection, as a robot does that loses its network."""
        owner = self._owner
        if owner is not None:
            owner.connection.shutdown(socket.SHUT_RDWR)

    def _run(self) -> None:
        while not self._stopping.is_set():
            waiting = [s for s in self._sessions.values() if s.waiting is not None]
            tick = WAITING_TICK_S if waiting else TICK_S
            ready = {key.fileobj for key, _ in self._selector.select(tick)}
            # Clients before the listener: who has gone makes room for who comes.
            for session in [s for c, s in self._sessions.items() if c in ready]:
                self._serve(session)
            if self._events in ready:
                os.eventfd_read(self._events)
            self._tell_events()
            for session in waiting:
                self._admit(session)
            if self._listener in ready:
                self._accept()
            self._drop_silent()
        for session in list(self._sessions.values()):
            self._drop(session, "the robot stops")

    def _accept(self) -> None:
        try:
            connection, address = self._listener.accept()
        except OSError:
            return
        if len(self._sessions) >= MAX_SESSIONS:
            connection.close()
            return
        self._sessions[connection] = Session(connection, address[0])
        self._selector.register(connection, selectors.EVENT_READ)

    def _drop_silent(self) -> None:
        limit = time.monotonic() - HANDSHAKE_S
        for session in list(self._sessions.values()):
            if session is not self._owner and session.opened < limit:
                self._drop(session, "no Connect request")

    def _drop(self, session: Session, why: str) -> None:
        if session.connection not in self._sessions:
            return
        _LOG.info("connection of %s closed: %s", session.peer, why)
        if session is self._owner:
            self._owner = None
            self._mailbox.ask(R_DISCONNECT)
        self._sessions.pop(session.connection, None)
        self._selector.unregister(session.connection)
        session.close()

    def _serve(self, session: Session) -> None:
        if not session.receive():
            self._drop(session, "by the client")
            return
        try:
            for request in session.requests():
                self._answer(session, *request)
        except (OSError, ValueError) as problem:
            self._drop(session, str(problem))

    def _answer(self, session: Session, command: int, number: int, payload: bytes) -> None:
        name = self._protocol.command_names.get(command, "")
        if name == "Connect":
            self._connect(session, command, number, payload)
            return
        if session is not self._owner:
            raise ValueError("a request before Connect")
        if name == "Move":
            self._move(session, command, number, payload)
        elif name in SETTERS:
            session.reply(command, number, self._status(name, self._set(name, payload)))
        elif name == "StopMove":
            session.reply(command, number, self._status(name, self._mailbox.ask(R_STOP)))
            self._tell_events()
        elif name == "AutomaticErrorRecovery":
            self._recover(session, command, number)
        else:
            session.reply(command, number, self._other_reply(name, payload))

    def _status(self, command: str, status: int) -> bytes:
        return bytes([self._protocol.status(command)[STATUS_NAMES[status]]])

    def _connect(self, session: Session, command: int, number: int, payload: bytes) -> None:
        if session is self._owner or session.waiting is not None or len(payload) != 4:
            raise ValueError("a second Connect, or one of the wrong length")
        version, port = (int(part) for part in np.frombuffer(payload, "<u2"))
        if version != self._protocol.version:
            session.reply(command, number, self._connect_reply(1))
        elif self._owner is not None:
            session.waiting = (command, number, payload)
            session.waits_until = time.monotonic() + QUEUE_S
        else:
            self._own(session, command, number, port)

    def _connect_reply(self, status: int) -> bytes:
        reply = np.zeros(1, self._protocol.dtype("Connect.Response"))
        reply["status"], reply["version"] = status, self._protocol.version
        return reply.tobytes()

    def _own(self, session: Session, command: int, number: int, port: int) -> None:
        states = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        session.states = states
        states.bind((self._listener.getsockname()[0], 0))
        states.connect((session.peer, port))
        states.setblocking(False)
        with self._mailbox.lock:  # who steps the clock after the reply gets a state
            session.reply(command, number, self._connect_reply(0))
            self._owner = session
            self._mailbox.ask(R_CONNECT, (), (states.fileno(),))
        _LOG.info("client %s connected, states go to port %d", session.peer, port)

    def _admit(self, session: Session) -> None:
        """Let a client that waits come in when the owner has gone, refuse it after its time."""
        if session.waiting is None or session.connection not in self._sessions:
            return
        command, number, payload = session.waiting
        try:
            if self._owner is None:
                session.waiting = None
                self._own(session, command, number, int(np.frombuffer(payload, "<u2")[1]))
            elif time.monotonic() >= session.waits_until:
                session.waiting = None
                session.reply(command, number, self._connect_reply(OCCUPIED))
                self._drop(session, "another client owns the robot")
        except OSError as problem:
            self._drop(session, str(problem))

    def _set(self, name: str, payload: bytes) -> int:
        arguments = read_arguments(self._protocol, name, payload)
        if arguments is None:
            return STATUS_NAMES.index("InvalidArgumentRejected")
        return self._mailbox.ask(arguments.kind, arguments.numbers, arguments.flags)

    def _move(self, session: Session, command: int, number: int, payload: bytes) -> None:
        self._tell_events()  # a motion that has just ended is told before the next begins
        status = self._set("Move", payload)
        if status == MOTION_STARTED:
            if session.move is not None:  # it ended between the two lines above
                self._ended += 1
                self._reply_move(session, int(self._memory.n[N_end_status]))
            # Whatever has ended from here on is this motion, and is told after this reply.
            session.move = number
        session.reply(command, number, self._status("Move", status))

    def _recover(self, session: Session, command: int, number: int) -> None:
        if session.recovery is not None:
            session.reply(command, number, self._status("AutomaticErrorRecovery", NOT_POSSIBLE))
            return
        status = self._mailbox.ask(R_RECOVER)
        if status == PENDING:
            session.recovery = number
            return
        session.reply(command, number, self._status("AutomaticErrorRecovery", status))

    def _wall(self, payload: bytes) -> bytes:
        """Reply with the virtual wall of an id; one that nobody has set up is not active."""
        reply = np.zeros(1, self._protocol.dtype("GetCartesianLimit.Response"))
        reply["object_frame"] = np.eye(4).ravel()
        if len(payload) != 4:
            reply["status"] = 2
            return reply.tobytes()
        wall = int(np.frombuffer(payload, "<i4")[0])
        with self._mailbox.lock:
            n = self._memory.n
            for slot in range(int(n[N_wall_count])):
                if n[N_wall_id + slot] == wall:
                    numbers = self._memory.part("walls", 19 * WALLS)[19 * slot : 19 * slot + 19]
                    reply["object_world_size"], reply["object_frame"] = numbers[:3], numbers[3:]
                    reply["object_activation"] = n[N_wall_active + slot] != 0
        return reply.tobytes()

    def _other_reply(self, name: str, payload: bytes) -> bytes:
        if name == "GetRobotModel" and self._memory.n[N_safety] == 1:
            return self._status(name, SAFETY_REJECTED)
        if name == "GetRobotModel":
            return b"\0" + self._urdf
        if name == "GetCartesianLimit":
            return self._wall(payload)
        # The architecture and system of the library's clients: x86-64, Linux.
        if name == "LoadModelLibrary" and self._library and payload == bytes(2):
            return b"\0" + self._library
        return b"\1"

    def _tell_events(self) -> None:
        n = self._memory.n
        ended, recovered = int(n[N_ended]), int(n[N_recovered])
        owner = self._owner
        try:
            if ended != self._ended:
                self._ended = ended
                self._reply_move(owner, int(n[N_end_status]))
            if recovered != self._recovered:
                self._recovered = recovered
                self._reply_recovery(owner, int(n[N_recovery_status]))
        except OSError as problem:
            if owner is not None:
                self._drop(owner, str(problem))

    def _reply_move(self, owner: Session | None, status: int) -> None:
        if owner is not None and owner.move is not None:
            number, owner.move = owner.move, None
            command = self._protocol.command("Move")
            owner.reply(command, number, self._status("Move", status))

    def _reply_recovery(self, owner: Session | None, status: int) -> None:
        if owner is not None and owner.recovery is not None:
            number, owner.recovery = owner.recovery, None
            name = "AutomaticErrorRecovery"
            owner.reply(self._protocol.command(name), number, self._status(name, status))
