"""Rings and the target slot as Python sees them."""

import threading
from collections.abc import Sequence

import numpy as np

from kinegraph.robot.argument_checks import check_whole
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.loop.ring_kernels import copy_rows, publish, read_slot
from kinegraph.scene.array_types import Array

__all__ = ["Ring", "RingReader", "TargetSlot"]

MOST_ROWS = 2**63 - 1


class Ring:
    """A ring of rows of float64 that the loop appends to.

    Args:
        rows: Capacity.
        fields: Names of a row's fields, with their numbers of entries.

    Attributes:
        data: (rows * width,) the rows; the loop's side writes here.
        head: (2,) int64: rows published, rows begun.
        width: Numbers a row.
        fields: As given.
    """

    __slots__ = ("data", "fields", "head", "width")

    def __init__(self, rows: int, fields: Sequence[tuple[str, int]]) -> None:
        self.fields = tuple(fields)
        self.width = sum(count for _, count in self.fields)
        self.data = np.empty(rows * self.width)
        self.data.fill(0.0)  # touched now: the loop must not meet a page fault
        self.head = np.zeros(2, dtype=np.int64)

    @property
    def capacity(self) -> int:
        """Rows that the ring holds."""
        return self.data.size // self.width

    @property
    def published(self) -> int:
        """Rows appended so far."""
        return int(self.head[0])

    def latest(self) -> Array | None:
        """Return a copy of the newest row, None before the first."""
        return self.newest()[1]

    def newest(self) -> tuple[int, Array | None]:
        """Return how many rows there were when the newest was copied, and the copy of it."""
        row = np.empty(self.width)
        while (published := self.published) > 0:
            number, count = copy_rows(self.data, self.head, self.width, published - 1, row)
            if count:
                return number + 1, row
        return 0, None

    def last(self, rows: int) -> Array:
        """Return copies of the newest rows, oldest first.

        Args:
            rows: How many at most.

        Returns:
            (n, width), n at most `rows`.

        Raises:
            InvalidArgumentError: No number of rows. Also a `ValueError`.
        """
        check_whole("rows", rows, 0, MOST_ROWS)
        start = max(self.published - min(rows, self.capacity - 1), 0)
        return self.reader(start).read(rows)[0]

    def reader(self, start: int | None = None) -> "RingReader":
        """Return a reader that begins at row number `start`, or with the next row."""
        return RingReader(self, self.published if start is None else start)


class RingReader:
    """Reads a ring's rows in order; knows how many were overwritten before it came.

    Attributes:
        position: Number of the next row.
        lost: Rows overwritten before they were read, in all.
    """

    __slots__ = ("lost", "position", "ring")

    def __init__(self, ring: Ring, position: int) -> None:
        self.ring = ring
        self.position = position
        self.lost = 0

    @property
    def fields(self) -> Sequence[tuple[str, int]]:
        """Names of a row's fields, with their numbers of entries."""
        return self.ring.fields

    @property
    def waiting(self) -> int:
        """Rows published and not yet read."""
        return self.ring.published - self.position

    def read(self, rows: int | None = None) -> tuple[Array, int]:
        """Return the rows that are there, without waiting.

        Args:
            rows: How many at most; None all.

        Returns:
            (n, width) copies, n may be 0; and how many rows were lost right before them.

        Raises:
            InvalidArgumentError: No number of rows. Also a `ValueError`.
        """
        if rows is not None:
            check_whole("rows", rows, 0, MOST_ROWS)
        ring = self.ring
        room = min(max(self.waiting, 0), ring.capacity)
        if rows is not None:
            room = min(room, rows)
        out = np.empty(room * ring.width)
        first, count = copy_rows(ring.data, ring.head, ring.width, self.position, out)
        lost = first - self.position
        self.lost += lost
        self.position = first + count
        return out[: count * ring.width].reshape(count, ring.width), lost


class TargetSlot:
    """A seqlock of one target: the newest value replaces the others, readers never wait.

    Args:
        size: Numbers of a target.

    Attributes:
        sequence: (1,) int64; odd while a target is written, 0 before the first.
        values: (size,) the published target.
        lock: Held by a writer; a read-modify-write holds it throughout.
    """

    __slots__ = ("lock", "sequence", "values")

    def __init__(self, size: int) -> None:
        self.sequence = np.zeros(1, dtype=np.int64)
        self.values = np.zeros(size)
        self.lock = threading.RLock()

    def publish(self, values: Array) -> None:
        """Publish a target.

        Args:
            values: (size,) finite numbers, checked by the caller.

        Raises:
            InvalidArgumentError: Another number of them. Also a `ValueError`.
        """
        row = np.ascontiguousarray(values, dtype=np.float64)
        if row.shape != self.values.shape:
            raise InvalidArgumentError(f"target: shape {row.shape}, not {self.values.shape}")
        with self.lock:
            publish(self.sequence, self.values, row)

    def read(self) -> Array | None:
        """Return a copy of the newest target, None before the first."""
        out = np.empty(self.values.size)
        while (got := read_slot(self.sequence, self.values, out)) < 0:
            pass  # a writer holds the slot for nanoseconds only
        return out if got == 1 else None
