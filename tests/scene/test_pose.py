import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scene_builders import points, poses

from kinegraph.scene import Isometry3d, KinegraphError, as_isometry
from kinegraph.scene.pose import wrap_matrices
from kinegraph.scene.vectors import is_approx


def rotation_about(axis: int, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[a, a] = R[b, b] = c
    R[b, a], R[a, b] = s, -s
    return R


@given(points, points)
def test_rpy_is_the_product_of_three_rotations_about_fixed_axes(p: Any, rpy: Any) -> None:
    T = Isometry3d.from_rpy(p, rpy)
    R = rotation_about(2, rpy[2]) @ rotation_about(1, rpy[1]) @ rotation_about(0, rpy[0])
    np.testing.assert_allclose(T.rotation, R, atol=1e-15)
    assert tuple(T.translation) == p
    assert tuple(T.matrix[3]) == (0, 0, 0, 1)


@given(poses)
def test_rpy_and_quaternion_give_the_same_rotation_back(T: Any) -> None:
    # Near a pitch of a quarter turn the two other angles are hardly separable: 1e-8.
    again = Isometry3d.from_rpy(T.translation, T.rpy)
    np.testing.assert_allclose(again.matrix, T.matrix, atol=1e-8)
    again = Isometry3d.from_quaternion(T.translation, T.quat_xyzw)
    np.testing.assert_allclose(again.matrix, T.matrix, atol=1e-14)
    assert T.quat_xyzw[3] >= 0


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("angle", [0.0, 1e-9, math.pi / 2, math.pi - 1e-9, math.pi, -2.0])
def test_a_quaternion_is_found_for_turns_of_any_size(axis: Any, angle: Any) -> None:
    rows = np.eye(4)
    rows[:3, :3] = rotation_about(axis, angle)
    x, y, z, w = Isometry3d(rows).quat_xyzw
    expected = np.zeros(3)
    expected[axis] = math.sin(angle / 2)
    sign = math.copysign(1, math.cos(angle / 2))
    np.testing.assert_allclose((x, y, z), sign * expected, atol=1e-15)
    np.testing.assert_allclose(w, abs(math.cos(angle / 2)), atol=1e-15)


@given(poses, poses, points)
@settings(max_examples=50)
def test_products_and_inverses_are_those_of_the_matrices(A: Any, B: Any, p: Any) -> None:
    np.testing.assert_allclose((A * B).matrix, A.matrix @ B.matrix, atol=1e-13)
    np.testing.assert_allclose((A @ B).matrix, A.matrix @ B.matrix, atol=1e-13)
    np.testing.assert_allclose(A.inverse().matrix @ A.matrix, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(A * p, (A.matrix @ [*p, 1])[:3], atol=1e-12)
    np.testing.assert_allclose(A @ [p, p], [A @ p, A @ p], atol=1e-13)


def test_a_4x4_array_counts_as_a_transform_on_either_side() -> None:
    T = Isometry3d.from_rpy([1, 2, 3], [0.1, 0.2, 0.3])
    assert (T @ np.eye(4)) == T
    assert isinstance(np.eye(4) @ T, Isometry3d)
    assert (np.eye(4) * T) == T
    with pytest.raises(ValueError, match=r"\(3,\) or \(N, 3\)"):
        T.__matmul__(np.zeros(4))


def test_column_major_numbers_come_back() -> None:
    T = Isometry3d.from_rpy([1, 2, 3], [0.1, 0.2, 0.3])
    assert T.to_column_major()[12:15].tolist() == [1, 2, 3]
    assert Isometry3d.from_column_major(T.to_column_major()) == T


def test_nothing_handed_out_can_change_a_transform() -> None:
    given_matrix = np.eye(4)
    transforms: list[Any] = [
        Isometry3d(given_matrix),
        Isometry3d.from_rpy([1, 2, 3], [0, 0, 1]),
        Isometry3d(),
        Isometry3d.Identity() * Isometry3d.from_rpy([1, 2, 3], [0, 0, 1]),
        Isometry3d.from_rpy([1, 2, 3], [0, 0, 1]).inverse(),
        Isometry3d.from_column_major(np.eye(4).ravel()),
        pickle.loads(pickle.dumps(Isometry3d(np.eye(4)))),
        *wrap_matrices(np.stack([np.eye(4)] * 3)),
        *wrap_matrices(np.stack([np.eye(4)] * 3)[1:]),
    ]
    for T in transforms:
        before = T.matrix.copy()
        for array in (T.matrix, T.translation, T.rotation, T.linear, np.asarray(T)):
            with pytest.raises(ValueError, match="read-only"):
                array += 1.0
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)
        T.quat_xyzw[:] = 9
        np.array(T)[:] = 9
        given_matrix[0, 3] = 9
        with pytest.raises(AttributeError):
            T.matrix = np.eye(4)
        with pytest.raises(AttributeError):
            del T._numbers
        assert (T.matrix == before).all()


def test_copies_pickles_and_hashes_keep_the_value() -> None:
    T = Isometry3d.from_rpy([1, 2, 3], [0.1, 0.2, 0.3])
    for again in (pickle.loads(pickle.dumps(T)), copy.copy(T), copy.deepcopy(T), Isometry3d(T)):
        assert again == T
        assert hash(again) == hash(T)
    assert Isometry3d(T.matrix) == T
    assert Isometry3d() != T
    assert (T == 3) is False


def test_is_approx_is_relative_to_the_size_of_the_matrices() -> None:
    far = Isometry3d.from_rpy([100, 0, 0], [0, 0, 0])
    assert far.isApprox(Isometry3d.from_rpy([100.0009, 0, 0], [0, 0, 0]))
    assert not far.isApprox(Isometry3d.from_rpy([100.0011, 0, 0], [0, 0, 0]))
    assert not Isometry3d().isApprox(Isometry3d.from_rpy([1e-4, 0, 0], [0, 0, 0]))
    assert Isometry3d().isApprox(Isometry3d.from_rpy([1e-4, 0, 0], [0, 0, 0]), 1e-3)
    assert far.isApprox(far.matrix)


def scaled() -> np.ndarray:
    return np.diag([2.0, 2, 2, 1])


def mirrored() -> np.ndarray:
    return np.diag([1.0, 1, -1, 1])


def sheared() -> np.ndarray:
    m = np.eye(4)
    m[0, 1] = 2e-6
    return m


def projective() -> np.ndarray:
    m = np.eye(4)
    m[3, 0] = 1e-3
    return m


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1e200, 0, 0], [2e200, 0, 0], False),
        ([1e200, 0, 0], [1.000001e200, 0, 0], True),
        ([1.7e308, 1.7e308, 0], [-1.7e308, 1.7e308, 0], False),
        ([1.7e308] * 3, [1.7e308] * 3, True),
        ([1e-200, 0, 0], [2e-200, 0, 0], False),
        ([1e-200, 0, 0], [1.000001e-200, 0, 0], True),
        ([0, 0, 0], [5e-324, 0, 0], False),
        ([0, 0, 0], [0, 0, 0], True),
        ([0, 0, 0], [1e300, 0, 0], False),
    ],
)
def test_numbers_whose_squares_no_float_holds_are_compared_too(
    a: Any, b: Any, expected: Any
) -> None:
    assert is_approx(np.array(a, float), np.array(b, float)) is expected
    assert is_approx(np.array(b, float), np.array(a, float)) is expected
    if max(a) > 1:
        T, other = (Isometry3d.from_rpy(xyz, [0, 0, 0]) for xyz in (a, b))
        assert T.isApprox(other) is expected


def test_points_that_are_not_finite_are_refused() -> None:
    T = Isometry3d.from_rpy([1, 2, 3], [0, 0, 1])
    for bad in (math.nan, math.inf):
        for given_points in ([bad, 0, 0], [[0, 0, 0], [0, bad, 0]]):
            with pytest.raises(ValueError, match="not finite"):
                _ = T * np.array(given_points)


def test_another_type_of_number_needs_a_copy() -> None:
    T = Isometry3d()
    assert np.asarray(T, dtype=np.float32).dtype == np.float32
    with pytest.raises(TypeError, match="needs a copy"):
        T.__array__(np.float32, copy=False)
    assert T.__array__(np.float64, copy=False) is T.matrix


@pytest.mark.parametrize(
    "matrix", [scaled(), mirrored(), sheared(), projective(), 1e200 * scaled()]
)
def test_a_matrix_that_is_not_rigid_is_refused(matrix: Any) -> None:
    with pytest.raises(KinegraphError) as error:
        Isometry3d(matrix)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_refused(bad: Any) -> None:
    matrix = np.eye(4)
    matrix[0, 3] = bad
    makers: list[Any] = [
        lambda: Isometry3d(matrix),
        lambda: Isometry3d.from_rpy([bad, 0, 0], [0, 0, 0]),
        lambda: Isometry3d.from_rpy([0, 0, 0], [0, bad, 0]),
        lambda: Isometry3d.from_quaternion([0, 0, 0], [0, bad, 0, 1]),
    ]
    for make in makers:
        with pytest.raises(ValueError, match="not finite"):
            make()


@pytest.mark.parametrize("shape", [(3, 3), (16,), (4, 4, 1), (0,)])
def test_another_shape_is_refused(shape: Any) -> None:
    with pytest.raises(ValueError, match="4x4"):
        Isometry3d(np.zeros(shape))


@pytest.mark.parametrize("value", ["eye", object(), np.eye(4, dtype=complex), [["a"] * 4] * 4, {}])
def test_what_is_no_array_of_numbers_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError):
        Isometry3d(value)


@pytest.mark.parametrize("factor", [2.0, 0.0, 0.99])
def test_a_quaternion_must_have_unit_norm(factor: Any) -> None:
    xyzw = factor * np.array([0.104076429788888, 0.208152859577775, 0.312229289366663, 0.921060994])
    with pytest.raises(ValueError, match=r"quaternion.*norm"):
        Isometry3d.from_quaternion([0, 0, 0], xyzw)


def test_k78_a_quaternion_stands_in_the_order_x_y_z_w() -> None:
    xyzw = [0.104076429788888, 0.208152859577775, 0.312229289366663, 0.921060994002885]
    T = Isometry3d.from_quaternion([0, 0, 0], xyzw)
    expected = [
        [0.718370515822368, -0.53183682629134, 0.448434378920104],
        [0.61849205219215, 0.783361935247975, -0.0617386408960336],
        [-0.318451540068889, 0.321704318598463, 0.891680967623988],
    ]
    np.testing.assert_allclose(T.rotation, expected, atol=1e-12)
    np.testing.assert_allclose(T.quat_xyzw, xyzw, atol=1e-12)


def test_an_object_with_a_homogeneous_matrix_stands_for_a_transform() -> None:
    class SE3:
        homogeneous = Isometry3d.from_rpy([1, 0, 0], [0, 0, 1]).matrix

    assert as_isometry(SE3()) == Isometry3d(SE3.homogeneous)
    assert Isometry3d() @ SE3() == Isometry3d(SE3.homogeneous)


def test_integers_and_single_precision_are_taken() -> None:
    assert Isometry3d(np.eye(4, dtype=int)) == Isometry3d()
    assert Isometry3d(np.eye(4, dtype=np.float32)) == Isometry3d.Identity()
    assert np.asarray(Isometry3d(), dtype=np.float32).dtype == np.float32
