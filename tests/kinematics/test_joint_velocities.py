"""Joint velocities for a twist, near singular poses above all."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import both_solvers, close, expected, load

from kinegraph.kinematics import joint_velocities
from kinegraph.scene.errors import KinegraphError, NotFiniteError

FINITE = st.floats(-10.0, 10.0)


@both_solvers
def test_k92_a_singular_pose_slows_the_joints_instead_of_making_them_explode(kind: Any) -> None:
    solver, wanted = load("K92", kind), expected("K92")
    direction = 0.1 * np.array([np.cos(0.3), np.sin(0.3)])
    for s2, answer in zip(wanted["s2"], wanted["damped_lambda_0.05"], strict=True):
        J = solver.getJacobian({"s1": 0.3, "s2": s2}, "tip")[:2]
        speeds = joint_velocities(J, direction, damping=0.05)
        close(speeds, answer)
        assert (np.abs(joint_velocities(J, direction, 0.0, [2.0, 2.0])) <= 2.0).all()


def random_jacobian(seed: int, rows: int, n: int) -> Any:
    return np.random.default_rng(seed).normal(size=(rows, n))


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 9), st.floats(1e-3, 10.0))
def test_the_result_solves_the_damped_normal_equations(
    seed: int, rows: int, n: int, damping: float
) -> None:
    J = random_jacobian(seed, rows, n)
    v = np.random.default_rng(seed + 1).normal(size=rows)
    speeds = joint_velocities(J, v, damping)
    left = (J.T @ J + damping**2 * np.eye(n)) @ speeds
    np.testing.assert_allclose(left, J.T @ v, atol=1e-10)
    assert np.linalg.norm(speeds) <= np.linalg.norm(v) / (2.0 * damping) * (1.0 + 1e-12)


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 9))
def test_without_damping_it_is_the_shortest_of_the_best_solutions(
    seed: int, rows: int, n: int
) -> None:
    J = random_jacobian(seed, rows, n)
    v = np.random.default_rng(seed + 1).normal(size=rows)
    np.testing.assert_allclose(
        joint_velocities(J, v, 0.0), np.linalg.pinv(J) @ v, rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize("damping", [0.0, 1e-300, 1e-160, 0.05, 1e160, 1e300])
@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-160, 1.0, 1e150])
def test_no_size_of_numbers_makes_the_result_infinite_where_it_is_not(
    damping: float, size: float
) -> None:
    speeds = joint_velocities(np.diag([size, 1.0]), [size, 1.0], damping)
    assert np.isfinite(speeds).all()


@given(st.lists(FINITE, min_size=6, max_size=6), st.floats(0.01, 5.0))
def test_limits_shrink_all_velocities_by_one_factor(twist: list[float], limit: float) -> None:
    J = random_jacobian(3, 6, 7)
    free = joint_velocities(J, twist)
    held = joint_velocities(J, twist, velocity_limits=np.full(7, limit))
    assert (np.abs(held) <= limit * (1.0 + 1e-12)).all()
    factor = max(1.0, np.abs(free).max() / limit)
    np.testing.assert_allclose(held * factor, free, atol=1e-12)


def test_an_infinite_limit_is_none() -> None:
    J = random_jacobian(3, 6, 7)
    free = joint_velocities(J, np.ones(6))
    held = joint_velocities(J, np.ones(6), velocity_limits=np.full(7, np.inf))
    assert held.tolist() == free.tolist()


@pytest.mark.parametrize(
    ("jacobian", "twist", "damping"),
    [
        (np.full((6, 7), 1e308), np.ones(6), 0.05),
        (np.eye(6) * 1e-310, np.ones(6), 0.0),
        (np.eye(6) * 1e-300, np.full(6, 1e300), 0.0),
    ],
)
def test_what_no_float_can_hold_is_refused_without_a_warning(
    jacobian: Any, twist: Any, damping: float
) -> None:
    with pytest.raises(NotFiniteError, match="no float can hold"):
        joint_velocities(jacobian, twist, damping)


def test_the_largest_numbers_pass_where_the_result_is_one() -> None:
    assert np.isfinite(joint_velocities(np.ones((6, 7)), np.full(6, 1e307))).all()


def test_no_joints_and_no_rows_give_no_velocities() -> None:
    assert joint_velocities(np.zeros((6, 0)), np.zeros(6)).shape == (0,)
    assert joint_velocities(np.zeros((0, 3)), []).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (([1.0, 2.0], [1.0]), "jacobian"),
        ((np.zeros((2, 2, 2)), [1.0, 2.0]), "(2, 2, 2)"),
        ((np.eye(2), [1.0]), "twist"),
        ((np.eye(2), [1.0, float("nan")]), "twist"),
        ((np.full((2, 2), np.inf), [1.0, 1.0]), "Jacobian"),
        ((np.eye(2), [1.0, 1.0], -0.1), "damping"),
        ((np.eye(2), [1.0, 1.0], float("nan")), "damping"),
        ((np.eye(2), [1.0, 1.0], 0.1, [1.0]), "velocity_limits"),
        ((np.eye(2), [1.0, 1.0], 0.1, [1.0, 0.0]), "limits"),
        ((np.eye(2), [1.0, 1.0], 0.1, [1.0, -1.0]), "limits"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(arguments: Any, word: str) -> None:
    with pytest.raises((ValueError, TypeError), match="joint_velocities") as caught:
        joint_velocities(*arguments)
    assert isinstance(caught.value, KinegraphError)
    assert word.lower() in str(caught.value).lower()
