"""The curve through a chunk's rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegraph.robot.control.chunk_curves import smooth_poses, smooth_vectors
from kinegraph.robot.control.rotation import rotation_matrix

numbers = st.floats(-1.0, 1.0)
chunks = st.lists(st.tuples(numbers, numbers, numbers), min_size=2, max_size=12).map(np.array)
times = st.floats(0.0101, 0.25)
parts_of = st.tuples(chunks, times)


def quaternions(vectors: np.ndarray) -> np.ndarray:
    """Quaternions x, y, z, w of rotation vectors."""
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.hstack([0.5 * np.sinc(0.5 * angle / np.pi) * vectors, np.cos(0.5 * angle)])


@given(parts_of)
def test_each_row_is_met_at_its_time_and_the_last_one_held(chunk: tuple[np.ndarray, float]) -> None:
    rows, dt = chunk
    fine, part = smooth_vectors(rows, dt)
    parts = round(dt / part)
    assert part <= 0.01 + 1e-12
    assert part * parts == pytest.approx(dt)
    np.testing.assert_array_equal(fine[::parts], rows)
    np.testing.assert_array_equal(fine[-parts:], np.repeat(rows[-1:], parts, axis=0))


@given(parts_of)
def test_it_stays_between_two_rows(chunk: tuple[np.ndarray, float]) -> None:
    rows, dt = chunk
    fine, part = smooth_vectors(rows, dt)
    parts = round(dt / part)
    for k in range(len(rows) - 1):
        between = fine[k * parts : (k + 1) * parts]
        lower, upper = np.minimum(*rows[k : k + 2]), np.maximum(*rows[k : k + 2])
        assert (between >= lower - 1e-12).all()
        assert (between <= upper + 1e-12).all()


def test_its_velocity_does_not_jump_at_the_rows() -> None:
    angle = np.linspace(0.0, np.pi, 20)
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    straight = np.abs(np.diff(rows, n=2, axis=0) / 0.1).max()
    fine, part = smooth_vectors(rows, 0.1)
    jumps = np.abs(np.diff(fine[:-10], n=2, axis=0) / part).max()
    assert jumps < 0.35 * straight


@given(chunks, chunks, times)
def test_poses_meet_their_rows_and_turn_the_short_way(
    places: np.ndarray, turns: np.ndarray, dt: float
) -> None:
    count = min(len(places), len(turns))
    poses = np.hstack([places[:count], quaternions(turns[:count])])
    fine, part = smooth_poses(poses, dt)
    parts = round(dt / part)
    np.testing.assert_array_equal(fine[::parts], poses)
    np.testing.assert_allclose(fine[:, :3], smooth_vectors(places[:count], dt)[0], atol=1e-12)
    assert np.linalg.norm(fine[:, 3:], axis=1) == pytest.approx(1.0, abs=1e-9)
    for k in range(count - 1):
        ends = [rotation_matrix(q) for q in poses[k : k + 2, 3:]]
        whole = np.trace(ends[0].T @ ends[1])
        for q in fine[k * parts : (k + 1) * parts, 3:]:
            # No farther from the row than the next row is.
            assert np.trace(ends[0].T @ rotation_matrix(q)) >= whole - 1e-9


@pytest.mark.parametrize("dt", [0.001, 0.01, 0.3])
def test_rows_that_are_near_or_far_apart_stay_as_they_are(dt: float) -> None:
    rows = np.arange(6.0).reshape(3, 2)
    same, time = smooth_vectors(rows, dt)
    assert same is rows
    assert time == dt


def test_one_row_is_one_row() -> None:
    rows = np.array([[1.0, 2.0]])
    assert smooth_vectors(rows, 0.1)[0] is rows
