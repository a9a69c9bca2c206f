"""Counting what a process holds: memory, open files, threads."""

import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["memory_mb", "no_leak"]

SETTLE_S = 20.0


def memory_mb() -> float:
    """Resident memory of this process, MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _held() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), threading.active_count()


@contextmanager
def no_leak(limit_mb: float = 20.0) -> Iterator[None]:
    """Fail when the block leaves files or threads behind, or more memory than that."""
    gc.collect()
    held, memory = _held(), memory_mb()
    yield
    deadline = time.monotonic() + SETTLE_S
    while any(now > before for now, before in zip(_held(), held, strict=True)):
        gc.collect()
        assert time.monotonic() < deadline, f"files and threads: {_held()}, before {held}"
        time.sleep(0.02)
    gc.collect()
    assert memory_mb() - memory < limit_mb
