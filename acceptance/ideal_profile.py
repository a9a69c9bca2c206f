"""The move that a budget allows at best, from rest to rest."""

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["ideal_move", "phases"]

FINE = 10


def phases(distance: float, velocity: float, acceleration: float, jerk: float) -> tuple[float, ...]:
    """Durations of a jerk, of a whole speeding up, and of the travel at full speed, s."""
    ramp = math.sqrt(velocity / jerk)
    if ramp > acceleration / jerk:
        ramp = acceleration / jerk
    up = ramp + velocity / (jerk * ramp)
    if velocity * up <= distance:
        return ramp, up, distance / velocity - up
    ramp = min((distance / (2.0 * jerk)) ** (1.0 / 3.0), acceleration / jerk)
    if ramp < acceleration / jerk:
        return ramp, 2.0 * ramp, 0.0
    return ramp, 0.5 * ramp + math.sqrt(0.25 * ramp**2 + distance / acceleration), 0.0


def ideal_move(distance: float, budget: Sequence[float], count: int) -> np.ndarray:
    """Return (count,) how far it is at every millisecond.

    Args:
        distance: m or rad.
        budget: Largest velocity, acceleration and jerk, per s, s^2 and s^3.
        count: How many milliseconds.
    """
    velocity, acceleration, jerk = budget
    ramp, up, travel = phases(distance, velocity, acceleration, jerk)
    end = 2.0 * up + travel
    step = 1e-3 / FINE
    t = step * (np.arange(count * FINE) + 0.5)
    signs = [(0.0, 1), (ramp, -1), (up - ramp, -1), (up, 1)]
    signs += [(end - at, -sign) for at, sign in signs]
    slope = np.zeros_like(t)
    for at, sign in signs:
        slope += sign * np.clip(t - at, 0.0, None)
    speed = jerk * step * np.cumsum(slope)
    gone = np.concatenate([[0.0], step * np.cumsum(speed)])
    return np.asarray(gone[::FINE][:count])
