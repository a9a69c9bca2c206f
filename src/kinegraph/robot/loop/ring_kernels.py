"""Rings of rows and the target slot: one writer, readers that never hold it up.

A ring's head has two counters: rows published and rows begun. Row r stands in place r mod
capacity. A reader copies a row and then looks whether the writer has meanwhile begun the row that
takes the same place; then the copy may be torn and does not count.

The slot is a seqlock: its sequence is odd while a target is written, and 0 until the first.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import fence, load, store
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["copy_rows", "publish", "push", "read_slot"]

PUBLISHED = 0
BEGUN = 1
SLOT_TRIES = 3


@kernel
def begin_row(head: IntArray, capacity: int, width: int) -> int:
    """Announce the next row; returns where it starts in the ring."""
    row: int = head[PUBLISHED]
    store(head, BEGUN, row + 1)
    fence()
    return (row % capacity) * width


@kernel
def end_row(head: IntArray) -> None:
    """Publish the row that was begun."""
    store(head, PUBLISHED, head[PUBLISHED] + 1)


@kernel
def push(ring: Array, head: IntArray, width: int, row: Array) -> None:
    """Append one row.

    Args:
        ring: (capacity * width,) numbers.
        head: (2,) int64 counters.
        width: Numbers a row.
        row: (width,) numbers.
    """
    at = begin_row(head, ring.size // width, width)
    for i in range(width):
        ring[at + i] = row[i]
    end_row(head)


@kernel
def copy_rows(ring: Array, head: IntArray, width: int, start: int, out: Array) -> tuple[int, int]:
    """Copy rows from number `start` on, as many as there are and fit.

    Args:
        ring: (capacity * width,) numbers.
        head: (2,) int64 counters.
        width: Numbers a row.
        start: Number of the first row wanted.
        out: (n * width,) numbers.

    Returns:
        Number of the first row copied (larger than `start` when rows were overwritten before they
        could be read) and how many rows were copied.
    """
    capacity = ring.size // width
    room = out.size // width
    first = max(start, load(head, BEGUN) - capacity)
    while True:
        count = min(room, load(head, PUBLISHED) - first)
        if count <= 0:
            return first, 0
        for k in range(count):
            at = ((first + k) % capacity) * width
            for i in range(width):
                out[k * width + i] = ring[at + i]
        fence()
        oldest = load(head, BEGUN) - capacity
        if oldest <= first:
            return first, count
        # The writer has lapped the front of what was copied. It goes on meanwhile, so the next
        # try starts a little ahead of it.
        first = oldest + capacity // 8


@kernel
def publish(sequence: IntArray, slot: Array, values: Array) -> None:
    """Write a target. Writers must exclude each other."""
    number = sequence[0]
    store(sequence, 0, number + 1)
    fence()
    for i in range(slot.size):
        slot[i] = values[i]
    store(sequence, 0, number + 2)


@kernel
def read_slot(sequence: IntArray, slot: Array, out: Array) -> int:
    """Copy the newest target.

    Returns:
        1 copied; 0 never written; -1 no consistent copy in three tries, `out` may be torn.
    """
    for _ in range(SLOT_TRIES):
        before = load(sequence, 0)
        if before == 0:
            return 0
        if before & 1:
            continue
        for i in range(slot.size):
            out[i] = slot[i]
        fence()
        if load(sequence, 0) == before:
            return 1
    return -1
