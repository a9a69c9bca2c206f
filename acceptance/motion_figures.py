"""What a move came to: landing, lag, time, path and smoothness, from the states on the wire."""

import math
from typing import Any

import numpy as np
from ideal_profile import ideal_move
from shared_moves import BUDGET, ROW_S, ROWS, STEP_M, TURN_BUDGET, TURN_RAD, arc
from state_tap import Track

from kinegraph.robot.control.table_layout import ROTATION_AXIS_FACTOR

__all__ = ["figures_of"]

NEAR_M, NEAR_RAD = 1e-3, math.radians(0.3)
LAST_MS, BEFORE_MS = 200, 200
ROUGH_HZ = 20.0
SUCCESS_AFTER = 100


def figures_of(track: Track, move: dict[str, Any]) -> dict[str, float]:
    """Return the figures of a move; mm and degrees, ms, Nm/s.

    `near_ms` is when it came within a millimetre (0.3 degrees) of the end for good, measured from
    the last of its targets on; the move's whole time if it never did.
    """
    begin, end = move["begin_ms"], move["end_ms"]
    before = track.between(begin - BEFORE_MS, begin)
    during = track.between(begin, end)
    t = track.ms[during] - begin
    rest = np.eye(4)
    rest[:3, 3] = track.pose[before][:, :3, 3].mean(axis=0)
    rest[:3, :3] = track.pose[before][-1, :3, :3]
    place = track.pose[during][:, :3, 3] - rest[:3, 3]
    turned = np.array([rotation_vector(p[:3, :3] @ rest[:3, :3].T) for p in track.pose[during]])
    seen = _JUDGES[move["move"]](t, place, turned)
    success = track.success[during][SUCCESS_AFTER:]
    return seen | {
        "rough": roughness(t, track.tau[during]),
        "success_min": float(success.min()),
        "cpu_us": move["cpu_us"],
        "states": float(during.sum()),
    }


def step(t: np.ndarray, place: np.ndarray, turned: np.ndarray) -> dict[str, float]:
    """A step in x."""
    goal = np.array([STEP_M, 0.0, 0.0])
    budget = [value / math.sqrt(3.0) for value in BUDGET.values()]
    ideal = ideal_move(STEP_M, budget, int(t[-1]) + 2)[t.astype(int)]
    return {
        "land_mm": 1e3 * norm(place[t > t[-1] - LAST_MS].mean(axis=0) - goal),
        "lag_mm": 1e3 * float((ideal - place[:, 0]).max()),
        "over_mm": 1e3 * float(place[:, 0].max() - STEP_M),
        "cross_mm": 1e3 * float(np.linalg.norm(place[:, 1:], axis=1).max()),
        "first_ms": first(t, np.linalg.norm(place - goal, axis=1) < NEAR_M),
        "near_ms": for_good(t, np.linalg.norm(place - goal, axis=1) < NEAR_M),
        "turned_deg": math.degrees(np.linalg.norm(turned, axis=1).max()),
        "land_turned_deg": math.degrees(norm(turned[t > t[-1] - LAST_MS].mean(axis=0))),
    }


def turn(t: np.ndarray, place: np.ndarray, turned: np.ndarray) -> dict[str, float]:
    """A turn about z."""
    goal = np.array([0.0, 0.0, TURN_RAD])
    budget = [ROTATION_AXIS_FACTOR * value / math.sqrt(3.0) for value in TURN_BUDGET.values()]
    ideal = ideal_move(TURN_RAD, budget, int(t[-1]) + 2)[t.astype(int)]
    return {
        "land_deg": math.degrees(norm(turned[t > t[-1] - LAST_MS].mean(axis=0) - goal)),
        "lag_deg": math.degrees(float((ideal - turned[:, 2]).max())),
        "over_deg": math.degrees(float(turned[:, 2].max() - TURN_RAD)),
        "moved_mm": 1e3 * float(np.linalg.norm(place, axis=1).max()),
        "near_ms": for_good(t, np.linalg.norm(turned - goal, axis=1) < NEAR_RAD),
    }


def follow(t: np.ndarray, place: np.ndarray, turned: np.ndarray) -> dict[str, float]:
    """Half a circle as a chunk."""
    rows, at = arc(), 1e3 * ROW_S * np.arange(ROWS)
    wanted = np.stack([np.interp(t, at, rows[:, axis]) for axis in range(3)], axis=1)
    apart = np.linalg.norm(place - rows[-1], axis=1)
    return {
        "land_mm": 1e3 * norm(place[t > t[-1] - LAST_MS].mean(axis=0) - rows[-1]),
        "lag_mm": 1e3 * float(np.linalg.norm(place - wanted, axis=1).max()),
        "near_ms": for_good(t, apart < NEAR_M) - at[-1],
        "turned_deg": math.degrees(np.linalg.norm(turned, axis=1).max()),
    }


def push(t: np.ndarray, place: np.ndarray, turned: np.ndarray) -> dict[str, float]:
    """A push for a second and the release."""
    apart = np.linalg.norm(place, axis=1)
    return {
        "land_mm": 1e3 * norm(place[t > t[-1] - LAST_MS].mean(axis=0)),
        "pushed_mm": 1e3 * float(apart.max()),
        "near_ms": for_good(t, apart < NEAR_M),
        "turned_deg": math.degrees(np.linalg.norm(turned, axis=1).max()),
    }


_JUDGES = {"step": step, "turn": turn, "follow": follow, "push": push}


def norm(vector: np.ndarray) -> float:
    """Its length."""
    return float(np.linalg.norm(vector))


def first(t: np.ndarray, near: np.ndarray) -> float:
    """When it is near for the first time."""
    return float(t[np.argmax(near)]) if near.any() else float(t[-1])


def for_good(t: np.ndarray, near: np.ndarray) -> float:
    """From when on it is near to the end."""
    away = np.flatnonzero(~near)
    return float(t[away[-1]]) if len(away) else 0.0


def rotation_vector(matrix: np.ndarray) -> np.ndarray:
    """(3,) axis times angle of a rotation of less than half a turn."""
    sine = 0.5 * np.array([
        matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1],
    ])  # fmt: skip
    size = norm(sine)
    angle = math.atan2(size, 0.5 * (np.trace(matrix) - 1.0))
    return sine * (angle / size if size > 1e-12 else 1.0)


def roughness(t: np.ndarray, tau: np.ndarray) -> float:
    """RMS over time of the torques' derivative above 20 Hz, all joints together, Nm/s."""
    grid = np.arange(t[0], t[-1] + 0.5)
    even = np.stack([np.interp(grid, t, tau[:, joint]) for joint in range(tau.shape[1])], axis=1)
    rate = 1e3 * np.diff(even, axis=0)
    spectrum = np.fft.rfft(rate, axis=0)
    spectrum[np.fft.rfftfreq(len(rate), 1e-3) < ROUGH_HZ] = 0.0
    rough = np.fft.irfft(spectrum, len(rate), axis=0)
    return float(np.sqrt((rough**2).sum(axis=1).mean()))
