"""The moves that target controllers are compared by: the same for every client."""

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

STEP_M = 0.05
TURN_RAD = np.deg2rad(20.0)
ROWS, ROW_S, RADIUS_M = 20, 0.1, 0.03
BUDGET = {"max_velocity": 0.3, "max_acceleration": 0.5, "max_jerk": 20.0}
TURN_BUDGET = {"max_velocity": 0.5, "max_acceleration": 1.0, "max_jerk": 20.0}
# Seconds that each move is looked at.
MOVES = {"step": 3.0, "turn": 3.5, "follow": 4.0, "push": 3.5}
REST_S, BACK_S = 0.7, 2.5
# A tool on the flange, of which the robot knows nothing: its place, m, and its turn about y, rad.
TOOL_AT, TOOL_TILT = (0.05, 0.0, 0.15), np.deg2rad(30.0)


def arc() -> Any:
    """Rows of half a circle, relative to its begin: (ROWS, 3) m; slow at both ends."""
    share = np.linspace(0.0, 1.0, ROWS)
    angle = np.pi * share**2 * (3.0 - 2.0 * share)
    zero = np.zeros(ROWS)
    return RADIUS_M * np.stack([1.0 - np.cos(angle), np.sin(angle), zero], axis=1)


def tool_pose() -> Any:
    """(4, 4) of the tool on the flange."""
    c, s = np.cos(TOOL_TILT), np.sin(TOOL_TILT)
    x, y, z = TOOL_AT
    return np.array([[c, 0.0, s, x], [0.0, 1.0, 0.0, y], [-s, 0.0, c, z], [0.0, 0.0, 0.0, 1.0]])


def cpu_s() -> float:
    """CPU seconds of this process so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def looked_at(name: str, now_ms: Callable[[], float], start: Callable[[], None]) -> Any:
    """Start a move and wait; when it began and ended by the robot's time, CPU per cycle.

    Args:
        name: Of the move.
        now_ms: The robot's time.
        start: Sets the target, or targets.
    """
    time.sleep(REST_S)
    used, begin = cpu_s(), now_ms()
    if name == "push":
        sys.stdout.write("push\n")
        sys.stdout.flush()
    start()
    while now_ms() - begin < 1e3 * MOVES[name]:
        time.sleep(0.25)
    end = now_ms()
    return {
        "move": name, "begin_ms": begin, "end_ms": end,
        "cpu_us": 1e6 * (cpu_s() - used) / (end - begin),
    }  # fmt: skip
