"""What a relay has seen: datagrams with their times, and the messages of the TCP connection."""

from array import array
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegraph.robot.testing.faults import Direction
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["DatagramLog", "Ledger", "RelayRecord", "TcpEntry", "TcpScanner"]

NAN = float("nan")


@dataclass(frozen=True, slots=True)
class TcpEntry:
    """One message, or the end of a connection.

    Attributes:
        session: Number of the client, from 0.
        direction: `"client"` or `"server"`: who sent it.
        time: When its header was complete, s, of `time.monotonic`.
        command: Number of the command; None: the end of the connection.
        command_id: Number of the request.
        size: Bytes of the whole message as its header says.
        status: First status byte of a reply; None for requests and empty messages.
    """

    session: int
    direction: str
    time: float
    command: int | None = None
    command_id: int | None = None
    size: int | None = None
    status: int | None = None


class DatagramLog:
    """Times and ids of the datagrams of one direction, in the order in which they came."""

    def __init__(self) -> None:
        self.session = array("q")
        self.came = array("d")
        self.went = array("d")
        self.id = array("Q")

    def append(self, session: int, came: float, number: int) -> int:
        """Take a datagram down; returns its row."""
        self.session.append(session)
        self.came.append(came)
        self.went.append(NAN)
        self.id.append(number)  # the last: a row without it is not there yet
        return len(self.id) - 1

    def snapshot(self) -> tuple[IntArray, Array, Array, Any]:
        """Return copies of session, arrival, departure and id, shape (n,) each."""
        columns: list[Any] = [np.frombuffer(self.id.tobytes(), np.uint64)]
        for values, kind in ((self.went, float), (self.came, float), (self.session, np.int64)):
            columns.append(np.frombuffer(values.tobytes(), kind)[: len(columns[0])])
        number, went, came, session = columns
        return session, came, went, number


class Ledger:
    """Where the sessions of a relay write down what they see."""

    def __init__(self, counters: dict[Direction, Counter[str]]) -> None:
        self.states = DatagramLog()
        self.commands = DatagramLog()
        self.tcp: list[TcpEntry] = []
        self.counters = counters


@dataclass(frozen=True, slots=True, eq=False)
class RelayRecord:
    """What a relay has seen so far. Times in s of `time.monotonic`.

    Attributes:
        t_state: (n,): when each state came from the robot.
        state_id: (n,): its message id; 0 where the datagram was too short for one.
        t_forward: (n,): when it was first handed on whole; NaN: never.
        state_session: (n,): number of the client, from 0.
        t_command: (m,): when each command came from the client.
        command_id: (m,): id of the state that it answers.
        t_command_forward: (m,): when it was first handed on whole; NaN: never.
        command_session: (m,): number of the client.
        counters: What was done to the datagrams, by direction and name.
        tcp: Messages of the TCP connections.
        status_of_start: (command, status) of a reply that starts a motion; None: there is none.
    """

    t_state: Array
    state_id: Any
    t_forward: Array
    state_session: IntArray
    t_command: Array
    command_id: Any
    t_command_forward: Array
    command_session: IntArray
    counters: dict[Direction, Counter[str]]
    tcp: tuple[TcpEntry, ...]
    status_of_start: tuple[int, int] | None = (1, 1)


class TcpScanner:
    """Finds the messages in a stream of bytes that passes by.

    Args:
        header_bytes: 12 for the arm, 10 for the hand.
        replies: Whether messages have a status.
    """

    def __init__(self, header_bytes: int, *, replies: bool) -> None:
        self._command_bytes = header_bytes - 8
        self._header_bytes = header_bytes
        self._replies = replies
        self._head = b""
        self._skip = 0

    def feed(self, data: bytes) -> list[tuple[int, int, int, int | None]]:
        """Return (command, id, size, status) of the messages that begin in `data`.

        What makes no message, because its size is below that of a header, counts as a header
        without payload.
        """
        found = []
        while data:
            skipped = data[self._skip :]
            self._skip -= len(data) - len(skipped)
            missing = self._missing()
            self._head, data = self._head + skipped[:missing], skipped[missing:]
            if self._missing() == 0 and self._head:
                found.append(self._parse())
        return found

    def _missing(self) -> int:
        if len(self._head) < self._header_bytes:
            return self._header_bytes - len(self._head)
        has_payload = self._size() > self._header_bytes  # an empty message has no status
        return int(self._replies and has_payload) + self._header_bytes - len(self._head)

    def _size(self) -> int:
        return int.from_bytes(self._head[self._header_bytes - 4 : self._header_bytes], "little")

    def _parse(self) -> tuple[int, int, int, int | None]:
        at, head = self._command_bytes, self._head
        command = int.from_bytes(head[:at], "little")
        number = int.from_bytes(head[at : at + 4], "little")
        status = head[self._header_bytes] if len(head) > self._header_bytes else None
        size = self._size()
        self._skip = max(size - len(head), 0)
        self._head = b""
        return command, number, size, status
