"""Ending on a signal, as a process that serves does."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["until_signalled"]


@contextmanager
def until_signalled() -> Iterator[threading.Event]:
    """Give an event that SIGINT and SIGTERM set, for as long as the block lasts."""
    ended = threading.Event()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: ended.set()) for number in numbers]
    try:
        yield ended
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
