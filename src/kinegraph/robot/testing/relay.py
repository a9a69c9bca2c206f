"""The relay: stands between a client and a robot, harms the traffic on request and measures it."""

import contextlib
import logging
import os
import select
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal

from kinegraph.robot.argument_checks import check_duration, check_host, check_whole
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.listening import open_listener
from kinegraph.robot.testing.faults import DIRECTIONS, Direction, Faults
from kinegraph.robot.testing.figures import relay_figures
from kinegraph.robot.testing.pipeline import COUNTED
from kinegraph.robot.testing.record import Ledger, RelayRecord
from kinegraph.robot.testing.relay_session import Device, RelaySession

__all__ = ["DEVICES", "Relay"]

_LOG = logging.getLogger("kinegraph.robot.testing")
_CONNECT_S = 3.0
_TICK_S = 0.5
_STOP_S = 10.0

DEVICES = {
    "arm": Device(port=1337, header_bytes=12, id_bytes=8, start=(1, 1)),
    "hand": Device(port=1338, header_bytes=10, id_bytes=4, start=None),
}


class Relay:
    """Stands between a client and a robot, of either version, one client at a time.

    Clients connect to the relay as if it were the robot. It puts its own UDP port into their
    Connect request, so that states and commands pass through it too. One thread does all; it costs
    some ten microseconds a datagram.

    Use it as a context manager, or call `start` and `stop`.

    Args:
        listen: IPv4 address of the relay.
        server: IPv4 address of the robot.
        device: `"arm"` (port 1337) or `"hand"` (port 1338, headers of 10 bytes).
        faults: What to do to the traffic; None: nothing.
        seed: Of all that is left to chance.
        port: TCP port to listen on, 0 for any free one; None: the device's.
        server_port: TCP port of the robot; None: the device's.
        priority: SCHED_FIFO priority of the thread, None for ordinary scheduling.

    Raises:
        InvalidArgumentError: A value that makes no relay. Also a `ValueError`.
    """

    def __init__(
        self,
        listen: str = "127.0.0.51",
        server: str = "127.0.0.21",
        *,
        device: Literal["arm", "hand"] = "arm",
        faults: Faults | None = None,
        seed: int = 0,
        port: int | None = None,
        server_port: int | None = None,
        priority: int | None = None,
    ) -> None:
        if not isinstance(device, str) or device not in DEVICES:
            raise InvalidArgumentError(f"device is {device!r}; it is one of 'arm', 'hand'")
        self._device = DEVICES[device]
        port = self._device.port if port is None else port
        server_port = self._device.port if server_port is None else server_port
        for name, host in (("listen", listen), ("server", server)):
            check_host(name, host)
        if not isinstance(faults, Faults | None):
            raise InvalidArgumentError(f"faults: {faults!r:.200} is no Faults", field="faults")
        check_whole("port", port, 0, 65535)
        check_whole("server_port", server_port, 1, 65535)
        if priority is not None:
            check_whole("priority", priority, 1, 99)
        self._listen: tuple[str, int] = (listen, port)
        self._server = (server, server_port)
        self._faults, self._seed, self._priority = faults or Faults(), seed, priority
        self._ledger = Ledger({name: Counter(dict.fromkeys(COUNTED, 0)) for name in DIRECTIONS})
        self._session: RelaySession | None = None
        self._sessions = 0
        self._actions: deque[Callable[[], None]] = deque()
        self._stopping = False
        self._listener: socket.socket | None = None
        self._wake_fd = -1
        self._thread: threading.Thread | None = None

    # --- life -----------------------------------------------------------------------------------

    def start(self) -> "Relay":
        """Listen and pass on in a thread. Returns the relay.

        Raises:
            NetworkError: The address cannot be had.
            InvalidOperationError: It runs already.
        """
        if self._thread is not None:
            raise InvalidOperationError("the relay runs already")
        listener = open_listener(*self._listen)
        listener.setblocking(False)
        self._listener, self._listen = listener, listener.getsockname()
        self._wake_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="kinegraph-relay", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Close all connections and the thread; what was seen stays. Once more does nothing."""
        thread = self._thread
        if thread is None or self._listener is None:
            return
        self._stopping = True
        os.eventfd_write(self._wake_fd, 1)
        thread.join(_STOP_S)
        self._listener.close()
        os.close(self._wake_fd)
        self._thread, self._listener, self._wake_fd = None, None, -1

    def __enter__(self) -> "Relay":
        return self.start() if self._thread is None else self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def address(self) -> tuple[str, int]:
        """IPv4 address and port that clients connect to."""
        return self._listen

    # --- faults on request ----------------------------------------------------------------------

    @property
    def faults(self) -> Faults:
        """What is done to the traffic. Set it to change the faults of datagrams at once.

        Bursts, freezes and the TCP reset of new faults begin with the next client.
        """
        return self._faults

    @faults.setter
    def faults(self, faults: Faults) -> None:
        self._faults = faults

        def change(session: RelaySession) -> None:
            session.states.faults, session.commands.faults = faults.states, faults.commands

        self._do(change)

    def lose(self, count: int, direction: Direction) -> None:
        """Lose the next datagrams of a direction, from now on.

        Raises:
            InvalidArgumentError: No such number or direction. Also a `ValueError`.
        """
        check_whole("count", count, 0, 2**31 - 1)
        if direction not in DIRECTIONS:
            raise InvalidArgumentError(f"direction is {direction!r}; 'states' or 'commands'")
        self._do(lambda session: session.lose(count, direction))

    def freeze(self, duration_s: float) -> None:
        """Let nothing pass for that long, from now on.

        Raises:
            InvalidArgumentError: No time. Also a `ValueError`.
        """
        check_duration("duration_s", duration_s)
        self._do(lambda session: session.freeze(duration_s))

    def reset_tcp(self) -> None:
        """Reset the client's TCP connection now; datagrams still pass."""
        self._do(RelaySession.reset_client)

    def cut(self) -> None:
        """Reset both TCP connections and close all sockets of the client that is there now."""
        self._do(lambda session: session.close(reset=True))

    def _do(self, action: Callable[[RelaySession], None]) -> None:
        done = threading.Event()

        def run() -> None:
            if self._session is not None:
                action(self._session)
            done.set()

        if self._thread is None:
            return
        self._actions.append(run)
        os.eventfd_write(self._wake_fd, 1)
        done.wait(_STOP_S)  # what comes after the call meets the fault

    # --- what was seen --------------------------------------------------------------------------

    @property
    def sessions(self) -> int:
        """Clients that have connected so far."""
        return self._sessions

    @property
    def counters(self) -> dict[Direction, Counter[str]]:
        """What was done to the datagrams so far, by direction and name; see `COUNTED`."""
        return {name: Counter(counts) for name, counts in self._ledger.counters.items()}

    def record(self) -> RelayRecord:
        """Return a copy of all that was seen so far."""
        states, commands = self._ledger.states.snapshot(), self._ledger.commands.snapshot()
        return RelayRecord(
            t_state=states[1],
            state_id=states[3],
            t_forward=states[2],
            state_session=states[0],
            t_command=commands[1],
            command_id=commands[3],
            t_command_forward=commands[2],
            command_session=commands[0],
            counters=self.counters,
            tcp=tuple(self._ledger.tcp.copy()),
            status_of_start=self._device.start,
        )

    def figures(self) -> dict[str, Any]:
        """Return what follows from the record so far, see `relay_figures`."""
        return relay_figures(self.record())

    # --- the thread -----------------------------------------------------------------------------

    def _run(self) -> None:
        if self._priority is not None:
            from kinegraph.robot.loop.realtime import raise_thread

            raise_thread(self._priority, None, enforce=False)
        try:
            while not self._stopping:
                self._turn()
        except Exception:
            _LOG.exception("the relay ends")
        finally:
            if self._session is not None:
                self._session.close()
                self._session = None

    def _turn(self) -> None:
        session, listener = self._session, self._listener
        reads: list[Any] = [self._wake_fd]
        writes: list[Any] = []
        wait_s = _TICK_S
        if session is None or session.client_is_gone:
            reads.append(listener)
        if session is not None:
            session_reads, writes = session.sockets()
            reads += session_reads
            wait_s = min(max(session.next_due() - time.monotonic(), 0.0), _TICK_S)
        readable, writable, _ = select.select(reads, writes, [], wait_s)
        if self._wake_fd in readable:
            os.eventfd_read(self._wake_fd)
            while self._actions:
                self._actions.popleft()()
        if session is not None and not session.is_over:
            session.run_due()
            session.handle(readable, writable)
        if session is not None and session.is_over:
            self._session = None
        if listener in readable:
            self._accept()

    def _accept(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
        try:
            client, _ = self._listener.accept()  # type: ignore[union-attr]
        except OSError:
            return
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            server.bind((self._listen[0], 0))
            server.settimeout(_CONNECT_S)
            server.connect(self._server)
        except OSError as problem:
            _LOG.info("the robot at %s:%d cannot be reached: %s", *self._server, problem)
            server.close()
            client.close()
            return
        for sock in (client, server):
            sock.setblocking(False)
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._session = RelaySession(
            self._sessions,
            self._device,
            client,
            server,
            faults=self._faults,
            seed=self._seed,
            ledger=self._ledger,
        )
        self._sessions += 1
