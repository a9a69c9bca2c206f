"""The datagrams of one direction on their way through a relay."""

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable

from kinegraph.robot.testing.faults import DatagramFaults

__all__ = ["COUNTED", "DatagramPipeline"]

COUNTED = (
    "received",
    "forwarded",
    "dropped",
    "burst",
    "frozen",
    "delayed",
    "duplicated",
    "reordered",
    "truncated",
    "garbage",
    "unsent",
)
"""What a relay counts; `unsent` could not be handed on because a socket took no more."""

# How long a datagram waits for the next one to change places with.
SWAP_S = 0.01
GARBAGE_BYTES = 1500
NEVER = float("inf")
NO_ROW = -1


class DatagramPipeline:
    """Takes datagrams in and lets them out: later, twice, in another order, cut, or not at all.

    Args:
        faults: What to do; may be replaced at any time.
        seed: Of all that is left to chance.
        send: Called with bytes and number of the row to let one out.
        counters: Counts go in there, by the names of `COUNTED`.

    Attributes:
        counters: As given.
        faults: As given.
        to_lose: Datagrams that are lost next, whatever the rates are.
    """

    def __init__(
        self,
        faults: DatagramFaults,
        seed: int | str,
        send: Callable[[bytes, int], None],
        counters: Counter[str],
    ) -> None:
        self.faults = faults
        self.counters = counters
        self.to_lose = 0
        self._send = send
        self._random = random.Random(seed)
        self._due: list[tuple[float, int, bytes, int]] = []
        self._numbers = itertools.count()
        self._held: tuple[float, list[tuple[bytes, int]]] | None = None

    def push(self, now: float, age: float, data: bytes, row: int) -> None:
        """Take a datagram in.

        Args:
            now: Time, s.
            age: Time since Connect, s.
            data: Its bytes.
            row: Number of its row in the record.
        """
        self.counters["received"] += 1
        if self.to_lose > 0:
            self.to_lose -= 1
            self.counters["burst"] += 1
        elif self._happens("drop", age):
            self.counters["dropped"] += 1
        else:
            self._forward(now, age, data, row)
        if self._happens("garbage", age):
            self.counters["garbage"] += 1
            size = self._random.randint(1, GARBAGE_BYTES)
            self._send(self._random.randbytes(size), NO_ROW)

    def _happens(self, fault: str, age: float) -> bool:
        rate = getattr(self.faults, fault)
        if rate <= 0.0 or age < self.faults.begins(fault):
            return False
        return bool(self._random.random() < rate)

    def _forward(self, now: float, age: float, data: bytes, row: int) -> None:
        if data and self._happens("trunc", age):
            self.counters["truncated"] += 1
            data, row = data[: self._random.randrange(len(data))], NO_ROW
        copies = [(data, row)]
        if self._happens("dup", age):
            self.counters["duplicated"] += 1
            copies *= 2
        if self._held is None and self._happens("reorder", age):
            self._held = (now + SWAP_S, copies)
            return
        if self._held is not None:
            self.counters["reordered"] += 1
            copies += self._take_held()
        for copy in copies:
            self._let_out(now + self._late(age), *copy, now)

    def _take_held(self) -> list[tuple[bytes, int]]:
        held, self._held = self._held, None
        return [] if held is None else held[1]

    def _late(self, age: float) -> float:
        faults, late = self.faults, 0.0
        if faults.late < 1.0 and self._random.random() >= faults.late:
            return late
        if faults.delay > 0.0 and age >= faults.begins("delay"):
            late += faults.delay
        if faults.jitter > 0.0 and age >= faults.begins("jitter"):
            late += self._random.uniform(0.0, faults.jitter)
        if late > 0.0:
            self.counters["delayed"] += 1
        return late

    def _let_out(self, due: float, data: bytes, row: int, now: float) -> None:
        if due <= now:
            self._send(data, row)
        else:
            heapq.heappush(self._due, (due, next(self._numbers), data, row))

    @property
    def next_due(self) -> float:
        """When `release` has to be called next, s; infinite when nothing waits."""
        due = self._due[0][0] if self._due else NEVER
        return due if self._held is None else min(due, self._held[0])

    def release(self, now: float) -> None:
        """Let out what is due."""
        while self._due and self._due[0][0] <= now:
            _, _, data, row = heapq.heappop(self._due)
            self._send(data, row)
        if self._held is not None and self._held[0] <= now:
            for data, row in self._take_held():
                self._send(data, row)

    def lose_waiting(self) -> None:
        """Lose what waits, as a network does that is cut."""
        self.counters["frozen"] += len(self._due) + len(self._take_held())
        self._due.clear()
