"""Orientations that callers hand in, and the rotation kernels."""

import numpy as np
import pytest
from control_rig import quaternion, turn
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot.control import (
    checked_pose,
    checked_quaternion,
    quaternion_xyzw,
    rotation_matrix,
)
from kinegraph.robot.control.rotation_kernels import nearest_rotation, relative_log, turn_by
from kinegraph.robot.errors import InvalidArgumentError

vectors = st.tuples(*[st.floats(-2.0, 2.0)] * 3).map(np.array)


def test_a_quaternion_is_x_y_z_w() -> None:
    q = np.array([0.104076429788888, 0.208152859577775, 0.312229289366663, 0.921060994002885])
    expected = [
        [0.718370515822368, -0.53183682629134, 0.448434378920104],
        [0.61849205219215, 0.783361935247975, -0.0617386408960336],
        [-0.318451540068889, 0.321704318598463, 0.891680967623988],
    ]
    rotation = rotation_matrix(q)
    assert rotation == pytest.approx(np.array(expected), abs=1e-12)
    assert quaternion_xyzw(rotation) == pytest.approx(q, abs=1e-12)


@pytest.mark.parametrize(
    "bad", [[0, 0, 0, 0], [0.2, 0.4, 0.6, 1.8], [0, 0, 0, 1.0011], [0, 0, 0, np.nan], [0, 0, 1]]
)
def test_no_unit_quaternion_is_refused(bad: list[float]) -> None:
    with pytest.raises(InvalidArgumentError, match="quaternion"):
        checked_quaternion(bad)


def test_a_quaternion_is_normalised_and_keeps_its_sign() -> None:
    q = checked_quaternion([0.0, 0.0, 0.0, -1.0009])
    assert q.tolist() == [0.0, 0.0, 0.0, -1.0]


@pytest.mark.parametrize("spoil", ["row", "scale", "mirror", "nan", "shape"])
def test_no_pose_is_refused(spoil: str) -> None:
    pose = np.eye(4)
    if spoil == "row":
        pose[3, 0] = 1e-5
    elif spoil == "scale":
        pose[:3, :3] *= 1.001
    elif spoil == "mirror":
        pose[0, 0] = -1.0
    elif spoil == "nan":
        pose[0, 3] = np.nan
    else:
        pose = np.eye(3)
    with pytest.raises(InvalidArgumentError, match="pose"):
        checked_pose(pose)


@settings(deadline=None)
@given(vectors, st.integers(0, 2**32 - 1))
def test_a_nearly_orthonormal_pose_gets_the_nearest_rotation(v: np.ndarray, seed: int) -> None:
    pose = np.eye(4)
    noisy = turn(*v) + np.random.default_rng(seed).uniform(-1e-4, 1e-4, (3, 3))
    pose[:3, :3] = noisy
    u, _, vt = np.linalg.svd(noisy)
    assert checked_pose(pose)[:3, :3] == pytest.approx(u @ vt, abs=1e-14)


@settings(deadline=None)
@given(vectors, vectors)
def test_the_relative_logarithm_is_undone_by_the_turn(a: np.ndarray, b: np.ndarray) -> None:
    rows = np.concatenate([turn(*a).ravel(), turn(*b).ravel(), np.zeros(9)])
    log = relative_log(rows, 0, rows, 9)
    assert np.linalg.norm(log) <= np.pi + 1e-12
    turn_by(*log, rows, 9, rows, 18)
    assert rows[18:] == pytest.approx(rows[:9], abs=1e-12)


@settings(deadline=None)
@given(st.tuples(*[st.floats(-1e-6, 1e-6)] * 3))
def test_tiny_turns_keep_their_digits(v: tuple[float, float, float]) -> None:
    rows = np.concatenate([np.eye(3).ravel(), np.zeros(9)])
    turn_by(*v, rows, 0, rows, 9)
    assert relative_log(rows, 9, rows, 0) == pytest.approx(v, rel=1e-9, abs=1e-22)


def test_half_a_turn_has_a_logarithm() -> None:
    for axis in np.eye(3):
        rows = np.concatenate([turn(*(np.pi * axis)).ravel(), np.eye(3).ravel()])
        assert np.abs(relative_log(rows, 0, rows, 9)) == pytest.approx(np.pi * axis, abs=1e-7)


@settings(deadline=None)
@given(vectors)
def test_quaternions_agree_with_an_eigenvector(v: np.ndarray) -> None:
    found, expected = quaternion_xyzw(turn(*v)), quaternion(turn(*v))
    assert min(np.abs(found - expected).max(), np.abs(found + expected).max()) < 1e-9


def test_a_million_turns_leave_a_rotation() -> None:
    rows = np.eye(3).ravel()
    for _ in range(20_000):
        turn_by(1e-3, -2e-3, 1.5e-3, rows, 0, rows, 0)
    r = rows.reshape(3, 3)
    assert r.T @ r == pytest.approx(np.eye(3), abs=1e-15)


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), -np.eye(3), np.full((3, 3), np.nan)])
def test_what_is_no_rotation_has_no_nearest_one(matrix: np.ndarray) -> None:
    assert not nearest_rotation(matrix.ravel(), 0)
