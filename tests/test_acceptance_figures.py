"""Figures of the acceptance bars: what a perfect and what a spoilt move come to."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ideal_profile import ideal_move, phases
from motion_figures import figures_of, roughness
from shared_moves import BUDGET, MOVES, ROW_S, ROWS, STEP_M, TURN_BUDGET, TURN_RAD, arc

REST_MS = 300
STEP_BUDGET = [value / math.sqrt(3.0) for value in BUDGET.values()]


@pytest.mark.parametrize("distance", [1e-4, 2e-3, 0.05, 0.3, 2.0])
def test_an_ideal_move_arrives_within_its_budget(distance: float) -> None:
    speed, acceleration, jerk = STEP_BUDGET
    _, up, travel = phases(distance, *STEP_BUDGET)
    count = int(1e3 * (2.0 * up + travel)) + 10
    gone = ideal_move(distance, STEP_BUDGET, count)
    assert gone[-1] == pytest.approx(distance, abs=1e-6)
    assert (np.diff(gone) >= -1e-12).all()
    assert np.diff(gone).max() * 1e3 <= speed + 1e-6
    assert np.abs(np.diff(gone, 2)).max() * 1e6 <= acceleration + 1e-6
    assert np.abs(np.diff(gone, 3)).max() * 1e9 <= jerk * 1.001


def test_the_ideal_step_takes_what_its_description_says() -> None:
    _, up, travel = phases(STEP_M, *STEP_BUDGET)
    assert 2.0 * up + travel == pytest.approx(0.857, abs=1e-3)


def track(place: np.ndarray, angle: np.ndarray | float = 0.0) -> Any:
    """What a robot reports that rests first and then goes along places (n, 3), turned about z."""
    rest = np.zeros((REST_MS, 3))
    places = np.concatenate([rest, place]) + np.array([0.4, 0.1, 0.5])
    angles = np.concatenate([np.zeros(REST_MS), np.broadcast_to(angle, len(place))])
    pose = np.tile(np.eye(4), (len(places), 1, 1))
    pose[:, :3, 3] = places
    pose[:, 0, 0] = pose[:, 1, 1] = np.cos(angles)
    pose[:, 1, 0] = np.sin(angles)
    pose[:, 0, 1] = -pose[:, 1, 0]
    ms = 1000.0 + np.arange(len(places))
    return SimpleNamespace(
        ms=ms,
        pose=pose,
        tau=np.zeros((len(places), 7)),
        success=np.ones(len(places)),
        between=lambda begin, end: (ms >= begin) & (ms < end),
    )


def judged(name: str, place: np.ndarray, angle: np.ndarray | float = 0.0) -> dict[str, float]:
    begin = 1000.0 + REST_MS
    move = {"move": name, "begin_ms": begin, "end_ms": begin + len(place), "cpu_us": 1.0}
    return figures_of(track(place, angle), move)


def test_a_perfect_step_has_neither_lag_nor_error_and_a_late_one_has_its_lag() -> None:
    count = int(1e3 * MOVES["step"])
    place = np.zeros((count, 3))
    place[:, 0] = ideal_move(STEP_M, STEP_BUDGET, count)
    seen = judged("step", place)
    for figure in ("land_mm", "lag_mm", "over_mm", "cross_mm"):
        assert seen[figure] == pytest.approx(0.0, abs=1e-3), figure
    assert seen["first_ms"] == pytest.approx(764, abs=2)
    late = np.roll(place, 50, axis=0)
    late[:50] = 0.0
    spoilt = judged("step", late + np.array([0.0, 3e-4, 0.0]) * (late[:, :1] > 0.01))
    assert spoilt["lag_mm"] == pytest.approx(50 * np.diff(place[:, 0]).max() * 1e3, rel=0.02)
    assert spoilt["land_mm"] == pytest.approx(0.3, abs=1e-3)
    assert spoilt["cross_mm"] == pytest.approx(0.3, abs=1e-3)


def test_a_turn_and_a_chunk_are_judged_by_their_own_ideal() -> None:
    count = int(1e3 * MOVES["turn"])
    budget = [0.99 * value / math.sqrt(3.0) for value in TURN_BUDGET.values()]
    angle = ideal_move(TURN_RAD, budget, count)
    seen = judged("turn", np.zeros((count, 3)), angle)
    assert seen["lag_deg"] == pytest.approx(0.0, abs=1e-3)
    assert seen["land_deg"] == pytest.approx(0.0, abs=1e-3)
    t = np.arange(int(1e3 * MOVES["follow"]))
    rows, at = arc(), 1e3 * ROW_S * np.arange(ROWS)
    place = np.stack([np.interp(t, at, rows[:, axis]) for axis in range(3)], axis=1)
    seen = judged("follow", place)
    assert seen["lag_mm"] == pytest.approx(0.0, abs=1e-9)
    assert seen["near_ms"] < 0.0


def test_roughness_is_what_shakes_above_20_hertz() -> None:
    t = np.arange(4000.0)
    slow, fast = np.zeros((4000, 7)), np.zeros((4000, 7))
    slow[:, 2] = np.sin(2.0 * np.pi * 5e-3 * t)
    fast[:, 2] = np.sin(2.0 * np.pi * 50e-3 * t)
    assert roughness(t, slow) < 0.05
    expected = 1e3 * 2.0 * math.sin(math.pi * 0.05) / math.sqrt(2.0)
    assert roughness(t, fast) == pytest.approx(expected, rel=0.02)
