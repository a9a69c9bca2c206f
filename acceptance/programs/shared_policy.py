"""A slow, uneven policy that leads an arm around a circle: the same for every client."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

RADIUS_M, YAW_RAD = 0.04, np.deg2rad(15.0)
ROUND_S = 6.0
ROWS, ROW_S = 50, 0.02
SLOWEST_S, FASTEST_S = 1.0 / 6.0, 1.0 / 10.0
REST_S, SETTLED_S = 0.7, 2.0


def circle(t: Any) -> tuple[Any, Any]:
    """Place (..., 3), m, and yaw, rad, at times from the begin on, relative to the begin."""
    angle = 2.0 * np.pi * np.asarray(t) / ROUND_S
    place = [RADIUS_M * (np.cos(angle) - 1.0), RADIUS_M * np.sin(angle), 0.0 * angle]
    return np.stack(place, axis=-1), YAW_RAD * np.sin(angle)


def turned(quaternion: Any, yaw: float) -> Any:
    """A quaternion x, y, z, w turned about the base's z."""
    s, c = np.sin(0.5 * yaw), np.cos(0.5 * yaw)
    x, y, z, w = quaternion
    return np.array([c * x - s * y, c * y + s * x, c * z + s * w, c * w - s * z])


def led(seconds: float, decide: Callable[[float], None]) -> int:
    """Decide 6 to 10 times a second; returns how often.

    Args:
        seconds: For how long.
        decide: Is told the time since the begin.
    """
    rng = np.random.default_rng(8)
    begin, count = time.monotonic(), 0
    while (passed := time.monotonic() - begin) < seconds:
        decide(passed)
        count += 1
        time.sleep(rng.uniform(FASTEST_S, SLOWEST_S))
    return count


def policy(
    arm: Any,
    now_ms: Callable[[], float],
    seconds: float,
    decide: Callable[[float], None],
    hold: Callable[[], Any],
) -> Any:
    """Lead an arm and stop it; when that was, by the robot's time.

    Args:
        arm: The client's session.
        now_ms: The robot's time.
        seconds: For how long.
        decide: Sets targets; is told the time since the begin.
        hold: Makes the newest target the last, whatever chunk is under way, and returns its place.
    """
    time.sleep(REST_S)
    first, begin = np.array(arm.target()[:3]), now_ms()
    decisions = led(seconds, decide)
    end = now_ms()
    last = hold()
    called = time.monotonic()
    arm.stop()
    stop_s = time.monotonic() - called
    return {
        "begin_ms": begin, "end_ms": end, "decisions": decisions, "stop_s": stop_s,
        "moved": (last - first).tolist(),
    }  # fmt: skip
