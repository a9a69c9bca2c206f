"""The rotation kernels below filter and limiter against numpy's SVD and plain formulas."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot import rotation_kernels as kernels
from kinegraph.scene.pose import Isometry3d

seeds = st.integers(0, 2**32 - 1)


def flat(block: Any) -> Any:
    """A column-major pose with a 3x3 block."""
    matrix = np.eye(4)
    matrix[:3, :3] = block
    return matrix.T.flatten()


def nearest(block: Any) -> Any:
    """The kernel's nearest rotation."""
    out, work = np.zeros(9), np.zeros(kernels.ROTATION_WORK)
    kernels.nearest_rotation(flat(block), 0, out, 0, work, 0)
    return out.reshape(3, 3)


def polar(block: Any) -> Any:
    """The nearest rotation by numpy's SVD."""
    left, _, right = np.linalg.svd(block)
    return left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right


def rotation(seed: int) -> Any:
    """Some rotation."""
    rng = np.random.default_rng(seed)
    return Isometry3d.from_rpy(np.zeros(3), rng.uniform(-math.pi, math.pi, 3)).linear


@settings(deadline=None)
@given(seeds, st.sampled_from([0.0, 1e-8, 1e-5, 1e-2, 0.3]))
def test_nearest_rotation_is_that_of_the_svd(seed: int, noise: float) -> None:
    block = rotation(seed) + noise * np.random.default_rng(seed).normal(size=(3, 3))
    values = np.linalg.svd(block)[1]
    if np.linalg.det(block) < 0 and values[1] - values[2] < 1e-3:
        return  # a reflection without a distinct smallest direction has no single answer
    np.testing.assert_allclose(nearest(block), polar(block), atol=1e-9 if noise > 0.1 else 1e-13)


@settings(deadline=None)
@given(seeds)
def test_reflections_and_singular_blocks_give_the_svds_rotation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = rotation(seed), rotation(seed + 1)
    sizes = np.array([3.0, 2.0, rng.choice([-1.0, 0.0])])
    block = left @ np.diag(sizes) @ right
    wanted = left @ right if sizes[2] else polar(block)
    np.testing.assert_allclose(nearest(block), wanted, atol=1e-12)


@pytest.mark.parametrize("block", [np.zeros((3, 3)), np.ones((3, 3)), np.diag([0.0, 2.0, 0.0])])
def test_blocks_without_an_answer_give_some_rotation(block: Any) -> None:
    out = nearest(block)
    np.testing.assert_allclose(out @ out.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(out) == pytest.approx(1.0)


@settings(deadline=None)
@given(seeds)
def test_quaternion_and_matrix_are_inverse(seed: int) -> None:
    wanted, quaternion, again = rotation(seed), np.zeros(4), np.zeros(9)
    kernels.quaternion_of_matrix(wanted.flatten(), 0, quaternion, 0)
    kernels.matrix_of_quaternion(quaternion, 0, again, 0)
    assert np.linalg.norm(quaternion) == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(again.reshape(3, 3), wanted, atol=1e-14)


@pytest.mark.parametrize("axis", range(3))
def test_half_turn_about_an_axis_has_angle_pi(axis: int) -> None:
    block = -np.eye(3)
    block[axis, axis] = 1.0
    vector = np.zeros(3)
    kernels.rotation_vector(block.flatten(), 0, vector, 0, np.zeros(4), 0)
    np.testing.assert_allclose(vector, math.pi * np.eye(3)[axis], atol=1e-15)


@settings(deadline=None)
@given(seeds, st.floats(1e-12, math.pi - 1e-6))
def test_rotation_vector_and_turn_are_inverse(seed: int, angle: float) -> None:
    axis = np.random.default_rng(seed).normal(size=3)
    axis *= angle / np.linalg.norm(axis)
    start, pose, vector = rotation(seed), np.zeros(16), np.zeros(3)
    kernels.turn(axis, 0, 1.0, start.flatten(), 0, pose, 0)
    step = pose.reshape(4, 4).T[:3, :3] @ start.T
    np.testing.assert_allclose(step @ step.T, np.eye(3), atol=1e-14)
    kernels.rotation_vector(step.flatten(), 0, vector, 0, np.zeros(4), 0)
    np.testing.assert_allclose(vector, axis, atol=1e-9)


@settings(deadline=None)
@given(seeds, st.floats(0, 1))
def test_interpolation_goes_part_of_the_angle_the_short_way(seed: int, part: float) -> None:
    work, vector, whole = np.zeros(8), np.zeros(3), np.zeros(3)
    a, b = rotation(seed), rotation(seed + 1)
    kernels.quaternion_of_matrix(a.flatten(), 0, work, 0)
    kernels.quaternion_of_matrix(b.flatten(), 0, work, 4)
    kernels.interpolate_quaternion(work, 0, 4, part)
    out = np.zeros(9)
    kernels.matrix_of_quaternion(work, 4, out, 0)
    kernels.rotation_vector((out.reshape(3, 3) @ a.T).flatten(), 0, vector, 0, np.zeros(4), 0)
    kernels.rotation_vector((b @ a.T).flatten(), 0, whole, 0, np.zeros(4), 0)
    if np.linalg.norm(whole) < math.pi - 1e-4:
        np.testing.assert_allclose(vector, part * whole, atol=1e-7)
