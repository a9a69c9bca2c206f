"""Waiting for what a thread or another process does, with a bound against hanging."""

import time
from collections.abc import Callable

__all__ = ["SOON_S", "wait_until"]

SOON_S = 20.0


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when the condition holds; fail when it does not within 20 s."""
    deadline = time.monotonic() + SOON_S
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.002)
