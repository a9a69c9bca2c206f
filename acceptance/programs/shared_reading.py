"""Reading states with a client of others: the same calls, whichever library it is."""

import time
from collections.abc import Callable
from typing import Any

Milliseconds = Callable[[Any], int]
"""Robot's time of a state, ms; the libraries give it in different forms."""


def fresh(robot: Any) -> Any:
    """The state of now: what waited in the socket's buffer goes first."""
    for _ in range(150):
        robot.read_once()
    return robot.read_once()


def timed_states(robot: Any, count: int, milliseconds: Milliseconds) -> Any:
    """States one after the other: when each came and what time it says."""
    fresh(robot)
    at, ms = [], []
    for _ in range(count):
        state = robot.read_once()
        at.append(1e6 * time.perf_counter())
        ms.append(milliseconds(state))
    return {"at_us": at, "ms": ms}


def age_after_pause(robot: Any, seconds: float, milliseconds: Milliseconds) -> Any:
    """Age of the state that comes after a pause, by the age of the one before it."""
    state = fresh(robot)
    begun, since = time.perf_counter(), milliseconds(state)
    time.sleep(seconds)
    state = robot.read_once()
    passed = 1e3 * (time.perf_counter() - begun)
    return {"age_ms": passed - (milliseconds(state) - since)}
