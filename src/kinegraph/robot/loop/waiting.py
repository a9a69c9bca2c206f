"""Waiting in Python for something that the compiled loop does.

A waiter is an eventfd. It is announced in a list that the loop looks at after every state and
whenever a phase changes; the loop takes it off the list and writes to it. Nothing is written while
nobody waits, and Ctrl-C works, because the wait itself is Python's.
"""

import contextlib
import os
import select
import threading
import time
import weakref
from collections.abc import Callable, Iterator

import numpy as np

from kinegraph.robot.loop.atomic_kernels import atomic_store
from kinegraph.robot.loop.loop_layout import WAITERS
from kinegraph.scene.array_types import IntArray

__all__ = ["Waiters"]

_SLICE_S = 0.1
_CROWDED_S = 0.001


class Waiters:
    """The eventfds of one loop's waiting threads.

    Attributes:
        slots: (WAITERS,) int64 list that the loop looks at; -1 is an empty place.
    """

    def __init__(self) -> None:
        self.slots: IntArray = np.full(WAITERS, -1, dtype=np.int64)
        # Place -> its eventfd, made when a place is first taken: most programs need one or two.
        # Closed with this object, not before: the loop may be about to write to one.
        self._fds: dict[int, int] = {}
        weakref.finalize(self, _close_all, self._fds)
        self._free = list(range(WAITERS))
        self._lock = threading.Lock()

    def wait(self, done: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until `done()` is true.

        `done` is asked after every state, and at least ten times a second.

        Returns:
            What `done()` says at the end.
        """
        if done():
            return True
        deadline = time.monotonic() + timeout_s
        with self._place() as place:
            while True:
                if place is not None:
                    atomic_store(self.slots, place, self._fds[place])
                if done():  # asked after the announcement, so that nothing slips through
                    return True
                left = deadline - time.monotonic()
                if left <= 0.0:
                    return False
                self._sleep(place, min(left, _SLICE_S))

    def _sleep(self, place: int | None, seconds: float) -> None:
        if place is None:  # more threads wait than there are places: look again soon
            time.sleep(min(seconds, _CROWDED_S))
            return
        fd = self._fds[place]
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        poll.poll(max(seconds * 1000.0, 1.0))
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(fd)

    @contextlib.contextmanager
    def _place(self) -> Iterator[int | None]:
        with self._lock:
            place = self._free[-1] if self._free else None
            if place is not None:
                if place not in self._fds:
                    self._fds[place] = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
                self._free.pop()
        try:
            yield place
        finally:
            if place is not None:
                atomic_store(self.slots, place, -1)
                with self._lock:
                    self._free.append(place)


def _close_all(fds: dict[int, int]) -> None:
    for fd in fds.values():
        os.close(fd)
