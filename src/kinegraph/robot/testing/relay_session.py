"""One client's way through a relay, from its TCP connection to the end of it."""

import contextlib
import heapq
import itertools
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from kinegraph.robot.testing.faults import Direction, Faults
from kinegraph.robot.testing.pipeline import NO_ROW, DatagramPipeline
from kinegraph.robot.testing.record import DatagramLog, Ledger, TcpEntry
from kinegraph.robot.testing.relay_sockets import TcpStream, bound_udp, end, receive

__all__ = ["Device", "RelaySession"]

CONNECT_BYTES = 4
CHUNK = 1 << 16
WAITING_MAX = 1 << 20
DATAGRAMS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Device:
    """What tells one device's messages from another's.

    Attributes:
        port: TCP port.
        header_bytes: Of a TCP message.
        id_bytes: Of the id at the beginning of a state.
        start: (command, status) of a reply that starts a motion; None: there are none.
    """

    port: int
    header_bytes: int
    id_bytes: int
    start: tuple[int, int] | None


class RelaySession:
    """The five sockets of one client, less the one that listens.

    Args:
        number: Of the session, from 0.
        device: Arm or hand.
        client: Accepted connection; owned from now on.
        server: Connection to the robot; owned from now on.
        faults: What to do to the traffic.
        seed: Of what is left to chance.
        ledger: What is seen goes in there.

    Attributes:
        is_over: Whether both connections have ended.
        client_is_gone: Whether the client's connection was reset.
    """

    def __init__(
        self,
        number: int,
        device: Device,
        client: socket.socket,
        server: socket.socket,
        *,
        faults: Faults,
        seed: int,
        ledger: Ledger,
    ) -> None:
        self.number, self.is_over, self.client_is_gone = number, False, False
        self._device, self._ledger = device, ledger
        self._client, self._server = client, server
        self._up = TcpStream("client", server, device.header_bytes)
        self._down = TcpStream("server", client, device.header_bytes)
        own = server.getsockname()[0]
        self._to_server, self._to_client = bound_udp(own), bound_udp(own)
        self._client_udp: tuple[str, int] | None = None
        self._server_udp: tuple[str, int] | None = None
        self._first = bytearray()  # the Connect request as far as it has come
        self._buffer = bytearray(CHUNK)
        self._begun = time.monotonic()
        self._first_command: float | None = None
        self._frozen_until = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._event_numbers = itertools.count()
        counters = ledger.counters
        self.states = DatagramPipeline(
            faults.states, f"{seed}/{number}/s", self._send_state, counters["states"]
        )
        self.commands = DatagramPipeline(
            faults.commands, f"{seed}/{number}/c", self._send_command, counters["commands"]
        )
        self._faults = faults
        self._connected = False

    # --- what the relay's loop asks -------------------------------------------------------------

    def sockets(self) -> tuple[list[socket.socket], list[socket.socket]]:
        """Return the sockets to be read from and those to be written to."""
        reads = [self._to_server, self._to_client]
        writes = []
        if time.monotonic() >= self._frozen_until:
            if not self.client_is_gone and len(self._up.waiting) < WAITING_MAX:
                reads.append(self._client)
            if len(self._down.waiting) < WAITING_MAX:
                reads.append(self._server)
            writes = [stream.into for stream in self._streams() if stream.waiting]
        return reads, writes

    def _streams(self) -> list[TcpStream]:
        return [self._up] if self.client_is_gone else [self._up, self._down]

    def next_due(self) -> float:
        """Return when `run_due` has to be called next, s."""
        due = min(self.states.next_due, self.commands.next_due)
        if self._events:
            due = min(due, self._events[0][0])
        if self._frozen_until > time.monotonic():
            due = min(due, self._frozen_until)
        return due

    def run_due(self) -> None:
        """Do what its time has come for."""
        now = time.monotonic()
        while self._events and self._events[0][0] <= now:
            heapq.heappop(self._events)[2]()
        self.states.release(now)
        self.commands.release(now)

    def handle(self, readable: list[socket.socket], writable: list[socket.socket]) -> None:
        """Pass on what has come."""
        for stream in self._streams():
            if stream.into in writable:
                self._guarded(partial(stream.send, b""))
        # Replies before states: a client must not get a state before it was accepted.
        if self._server in readable:
            self._guarded(partial(self._pass, self._server, self._down))
        if self._client in readable and not self.client_is_gone:
            self._guarded(partial(self._pass, self._client, self._up))
        if not self.is_over and self._to_server in readable:
            self._take_states()
        if not self.is_over and self._to_client in readable:
            self._take_commands()

    # --- TCP ------------------------------------------------------------------------------------

    def _guarded(self, action: Callable[[], None]) -> None:
        if self.is_over:
            return
        try:
            action()
        except OSError:
            self.close(reset=True)

    def _pass(self, source: socket.socket, stream: TcpStream) -> None:
        data = source.recv(CHUNK)
        if not data:
            self._ledger.tcp.append(TcpEntry(self.number, stream.name, time.monotonic()))
            self.close()
            return
        now = time.monotonic()
        for message in stream.scanner.feed(data):
            self._ledger.tcp.append(TcpEntry(self.number, stream.name, now, *message))
        if stream is self._up and not self._connected:
            data = self._connect(data)
        if stream.into is self._client and self.client_is_gone:
            return
        stream.send(data)

    def _connect(self, data: bytes) -> bytes:
        """Collect the Connect request; put our port in the client's place."""
        head, first = self._device.header_bytes, self._first
        first += data
        size = int.from_bytes(first[head - 4 : head], "little") if len(first) >= head else 0
        if len(first) < head or (size == head + CONNECT_BYTES and len(first) < size):
            return b""
        self._connected, self._begun = True, time.monotonic()
        command = int.from_bytes(first[: head - 8], "little")
        if command == 0 and size == head + CONNECT_BYTES:
            port = slice(head + 2, head + 4)
            self._client_udp = (
                self._client.getpeername()[0],
                int.from_bytes(first[port], "little"),
            )
            first[port] = self._to_server.getsockname()[1].to_bytes(2, "little")
        return bytes(first)

    # --- datagrams ------------------------------------------------------------------------------

    def take_datagrams(self) -> None:
        """Pass on what has come."""
        if not self.is_over:
            self._take_states()
            self._take_commands()

    def _take_states(self) -> None:
        for _ in range(DATAGRAMS_AT_ONCE):
            size, sender = receive(self._to_server, self._buffer)
            if sender is None:
                return
            self._server_udp = sender
            self._take(self.states, self._ledger.states, size, self._device.id_bytes)

    def _take_commands(self) -> None:
        for _ in range(DATAGRAMS_AT_ONCE):
            size, sender = receive(self._to_client, self._buffer)
            if sender is None:
                return
            if self._first_command is None:
                self._first_command = time.monotonic()
                self._plan(self._first_command)
            self._take(self.commands, self._ledger.commands, size, self._device.id_bytes)

    def _take(self, pipeline: DatagramPipeline, log: DatagramLog, size: int, id_bytes: int) -> None:
        now = time.monotonic()
        data = bytes(memoryview(self._buffer)[:size])
        number = int.from_bytes(data[:id_bytes], "little") if size >= id_bytes else 0
        row = log.append(self.number, now, number)
        if now < self._frozen_until:
            pipeline.counters["received"] += 1
            pipeline.counters["frozen"] += 1
        else:
            pipeline.push(now, now - self._begun, data, row)

    def _send_state(self, data: bytes, row: int) -> None:
        self._send(self._to_client, self._client_udp, data, row, self._ledger.states, "states")

    def _send_command(self, data: bytes, row: int) -> None:
        self._send(self._to_server, self._server_udp, data, row, self._ledger.commands, "commands")

    def _send(
        self,
        sock: socket.socket,
        destination: tuple[str, int] | None,
        data: bytes,
        row: int,
        log: DatagramLog,
        direction: Direction,
    ) -> None:
        if destination is None:
            return
        now = time.monotonic()
        try:
            sock.sendto(data, destination)
        except OSError:
            self._ledger.counters[direction]["unsent"] += 1
            return
        self._ledger.counters[direction]["forwarded"] += 1
        if row != NO_ROW and log.went[row] != log.went[row]:
            log.went[row] = now

    # --- faults at a time -----------------------------------------------------------------------

    def _plan(self, start: float) -> None:
        faults = self._faults
        for burst in faults.bursts:
            self._at(start + burst.at, partial(self.lose, burst.count, burst.direction))
        for freeze in faults.freezes:
            self._at(start + freeze.at, partial(self.freeze, freeze.duration))
        if faults.tcp_rst is not None:
            self._at(start + faults.tcp_rst, self.reset_client)

    def _at(self, when: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._events, (when, next(self._event_numbers), action))

    def lose(self, count: int, direction: Direction) -> None:
        """Lose the next datagrams of a direction."""
        (self.states if direction == "states" else self.commands).to_lose += count

    def freeze(self, duration_s: float) -> None:
        """Let nothing pass for that long."""
        self._frozen_until = max(self._frozen_until, time.monotonic() + duration_s)
        self.states.lose_waiting()
        self.commands.lose_waiting()

    def reset_client(self) -> None:
        """Reset the client's TCP connection; datagrams still pass, the robot knows nothing."""
        if not self.client_is_gone:
            self.client_is_gone = True
            self._down.waiting.clear()
            end(self._client, reset=True)

    # --- the end --------------------------------------------------------------------------------

    def close(self, *, reset: bool = False) -> None:
        """Close all sockets.

        Args:
            reset: Whether the connections are reset, as they are by a peer that fails.
        """
        if self.is_over:
            return
        if not reset:
            self.take_datagrams()  # what has come before the end is still handed on
        self.is_over = True
        if not reset:
            for stream in self._streams():
                with contextlib.suppress(OSError):
                    stream.send(b"")
        if not self.client_is_gone:
            end(self._client, reset=reset)
        end(self._server, reset=reset)
        self._to_server.close()
        self._to_client.close()
