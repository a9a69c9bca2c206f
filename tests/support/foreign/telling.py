"""What the scripts of all clients share: one JSON object a line, smooth motions, a script's start.

Runs in the virtual environments of the third-party programs: nothing of kinegraph is imported.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

HOST = sys.argv[1]
# What every motion to a target goes, and how far a stopped or dropped one would.
JOINT_STEP = (0.05, -0.05, 0.05, 0.08, -0.05, 0.05, 0.1)
PATH_M = 0.03


def say(**values: Any) -> None:
    """Print one line of the result."""
    sys.stdout.write(json.dumps(values, default=plain) + "\n")
    sys.stdout.flush()


def plain(value: Any) -> Any:
    """Arrays as lists, their numbers as numbers, everything else as text."""
    if hasattr(value, "__len__"):
        return list(value)
    return value.item() if hasattr(value, "item") else str(value)


def smooth(t: float, duration: float = 1.0) -> float:
    """Way from 0 to 1 with rest, and no acceleration, at both ends."""
    x = min(max(t / duration, 0.0), 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))


def smooth_rate(t: float, duration: float = 1.0) -> float:
    """Derivative of `smooth`, 1/s."""
    x = min(max(t / duration, 0.0), 1.0)
    return 30.0 * x * x * (1.0 - x) * (1.0 - x) / duration


def flags(errors: Any) -> list[str]:
    """Names of the errors that are set, of any client's `Errors`."""
    names = [name for name in dir(errors) if not name.startswith("_")]
    return sorted(name for name in names if getattr(errors, name) is True)


def refusals(calls: dict[str, Callable[[], Any]], kind: type[Exception]) -> dict[str, str]:
    """What each call was refused with; those that were taken are not there."""
    texts = {}
    for name, call in calls.items():
        try:
            call()
        except kind as problem:
            texts[name] = str(problem)
    return texts


def later(call: Callable[[], Any], seconds: float = 0.3) -> threading.Thread:
    """Let another thread call something while this one is busy."""

    def run() -> None:
        time.sleep(seconds)
        call()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def main(tasks: dict[str, Any]) -> None:
    """Run the task that the command line names: `script HOST TASK [ARGUMENT ...]`."""
    tasks[sys.argv[2]](*sys.argv[3:])
