"""Rings and the target slot: nothing torn, nothing lost unnoticed."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from numba import njit

from kinegraph.robot.loop.ring_kernels import (
    BEGUN,
    copy_rows,
    publish,
    push,
    read_slot,
)
from kinegraph.robot.loop.rings import Ring, TargetSlot
from kinegraph.scene.array_types import Array, IntArray

pytestmark = pytest.mark.compiled

PUBLISHES = 200_000


@njit(nogil=True)
def publish_many(sequence: IntArray, slot: Array, count: int) -> None:
    values = np.empty(slot.size)
    for k in range(1, count + 1):
        values[:] = k
        publish(sequence, slot, values)


@njit(nogil=True)
def read_until(sequence: IntArray, slot: Array, last: float) -> tuple[int, int, int, int]:
    """Read until the last value; returns reads, mixed values, backward steps, given-up reads."""
    out = np.zeros(slot.size)
    newest = 0.0
    reads = mixed = backward = given_up = 0
    while newest < last:
        got = read_slot(sequence, slot, out)
        if got < 0:
            given_up += 1
        if got <= 0:
            continue
        reads += 1
        for i in range(1, out.size):
            mixed += out[i] != out[0]
        backward += out[0] < newest
        newest = out[0]
    return reads, mixed, backward, given_up


@njit(nogil=True)
def push_many(data: Array, head: IntArray, width: int, count: int) -> None:
    row = np.empty(width)
    for k in range(count):
        row[:] = k
        push(data, head, width, row)


def newest(slot: TargetSlot) -> Array:
    values = slot.read()
    assert values is not None
    return values


def in_thread(function: Callable[..., None], *args: object) -> threading.Thread:
    thread = threading.Thread(target=function, args=args)
    thread.start()
    return thread


def test_a_busy_reader_never_sees_a_torn_target() -> None:
    slot = TargetSlot(500)  # long, so that a reader without the check is soon caught out
    publish_many(slot.sequence, slot.values, 0)
    read_until(slot.sequence, slot.values, 0)
    writer = in_thread(publish_many, slot.sequence, slot.values, PUBLISHES)
    reads, mixed, backward, _ = read_until(slot.sequence, slot.values, PUBLISHES)
    writer.join()
    assert (mixed, backward) == (0, 0)
    assert reads > 0
    assert newest(slot).tolist() == [PUBLISHES] * 500


def test_a_target_that_was_never_written_reads_as_such() -> None:
    slot = TargetSlot(7)
    assert slot.read() is None
    assert read_slot(slot.sequence, slot.values, np.zeros(7)) == 0


def test_a_target_under_writing_is_given_up_after_three_tries() -> None:
    slot = TargetSlot(7)
    slot.publish(np.arange(7.0))
    slot.sequence[0] += 1
    assert read_slot(slot.sequence, slot.values, np.zeros(7)) == -1
    slot.sequence[0] += 1
    assert read_slot(slot.sequence, slot.values, np.zeros(7)) == 1


def test_python_writers_of_one_target_do_not_lose_each_others_part() -> None:
    slot = TargetSlot(2)
    slot.publish(np.zeros(2))

    def count_up(entry: int) -> None:
        for _ in range(2000):
            with slot.lock:
                values = newest(slot)
                values[entry] += 1.0
                slot.publish(values)

    threads = [in_thread(count_up, entry) for entry in (0, 1)]
    for thread in threads:
        thread.join()
    assert newest(slot).tolist() == [2000.0, 2000.0]


def fill(ring: Ring, count: int) -> None:
    push_many(ring.data, ring.head, ring.width, count)


def test_a_reader_in_time_gets_every_row_in_order() -> None:
    ring = Ring(8, [("a", 3)])
    reader = ring.reader(0)
    fill(ring, 5)
    rows, lost = reader.read()
    assert rows.tolist() == [[float(k)] * 3 for k in range(5)]
    assert (lost, reader.waiting) == (0, 0)


def test_a_late_reader_learns_how_many_rows_it_lost() -> None:
    ring = Ring(8, [("a", 3)])
    reader = ring.reader(0)
    fill(ring, 20)
    rows, lost = reader.read()
    assert rows[:, 0].tolist() == [float(k) for k in range(lost, 20)]
    assert lost == 12
    assert reader.lost == 12
    assert reader.read()[0].shape == (0, 3)


def test_a_row_whose_place_is_being_rewritten_does_not_count() -> None:
    ring = Ring(8, [("a", 3)])
    fill(ring, 8)
    ring.head[BEGUN] = 9  # row 8 is on its way into the place of row 0
    out = np.empty(8 * 3)
    first, count = copy_rows(ring.data, ring.head, 3, 0, out)
    assert (first, count) == (1, 7)


def test_a_limited_read_takes_the_oldest_rows() -> None:
    ring = Ring(8, [("a", 1)])
    reader = ring.reader(0)
    fill(ring, 6)
    assert reader.read(2)[0].ravel().tolist() == [0.0, 1.0]
    assert reader.read(2)[0].ravel().tolist() == [2.0, 3.0]
    assert ring.last(2).ravel().tolist() == [4.0, 5.0]
    latest = ring.latest()
    assert latest is not None
    assert latest.tolist() == [5.0]


def test_an_empty_ring_has_no_rows() -> None:
    ring = Ring(8, [("a", 1)])
    assert ring.latest() is None
    assert ring.last(3).shape == (0, 1)
    assert ring.reader().read()[1] == 0


def test_rows_read_beside_a_busy_writer_are_whole_and_all_accounted_for() -> None:
    ring = Ring(64, [("a", 40)])
    fill(ring, 0)
    reader = ring.reader(0)
    writer = in_thread(push_many, ring.data, ring.head, ring.width, PUBLISHES)
    seen = []
    while writer.is_alive() or reader.waiting:
        rows, _ = reader.read()
        assert (rows == rows[:, :1]).all()
        seen.append(rows[:, 0].copy())
    numbers = np.concatenate(seen)
    assert (np.diff(numbers) > 0).all()
    assert numbers.size + reader.lost == PUBLISHES
