"""Inverse kernels against slow numpy twins, compiled and uncompiled."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inverse_twin import Twin, error_rates, errors
from kinematics_cases import small_robot

from kinegraph.kinematics import (
    InverseOptions,
    OFKTStateSolver,
    inverse_error_kernels,
    inverse_kinematics,
    inverse_layout,
    inverse_step_kernels,
    inverse_target_kernels,
    plan_chain,
    plan_inverse,
)
from kinegraph.kinematics.inverse_problem import settings_of
from kinegraph.scene import Isometry3d

SEEDS = st.integers(0, 2**32 - 1)
UR5 = OFKTStateSolver(small_robot("ur5"))
TIP = "wrist_3_link"
CHAIN = plan_chain(UR5, TIP)
PLAN = plan_inverse(UR5, TIP)


def problem(seed: int, weights: Any = (1.0,) * 6) -> tuple[Any, Any, Any, Any]:
    """Working memory with a target in it, values, the target and settings."""
    rng = np.random.default_rng(seed)
    target = CHAIN.pose(rng.uniform(-3, 3, 6))
    if seed % 7 == 0:  # half a turn away
        target[:3, :3] = target[:3, :3] @ np.diag((1.0, -1.0, -1.0))
    q = rng.uniform(-3, 3, 6)
    work = np.full(inverse_layout.inverse_workspace(6, 1), np.nan)
    work[:6] = q
    inverse_target_kernels.orient_targets(PLAN.data, target.reshape(-1), 0, work)
    return work, q, target, settings_of(InverseOptions(weights=weights), 1)


def evaluated(work: Any, given_settings: Any) -> tuple[Any, Any, tuple[float, float, float]]:
    """Residual (6), Jacobian (6, n) and what the kernel returns."""
    found = inverse_error_kernels.evaluate(PLAN.data, given_settings, work, 0, 0)
    at = inverse_error_kernels.residual_place(6, 6, 0)
    return work[at : at + 6], work[at + 6 : at + 42].reshape(6, 6).T, found


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_residual_and_jacobian_are_those_of_the_twin(seed: int) -> None:
    weights = np.array((1.0, 2.0, 0.5, 1.0, 0.0, 3.0))
    work, q, target, chosen = problem(seed, tuple(weights))
    weights /= weights.max()  # only the ratios count
    r, J, (cost, position, rotation) = evaluated(work, chosen)
    pose, jacobian = CHAIN.pose_and_jacobian(q)
    twin = errors(pose, target)
    tolerance = 1e-9 if np.linalg.norm(twin[3:]) < 3.0 else 1e-6  # the twin's axis near pi
    np.testing.assert_allclose(r, weights * twin, atol=tolerance)
    rates = weights[:, None] * error_rates(pose, jacobian, target)
    np.testing.assert_allclose(J, rates, atol=10 * tolerance)
    assert cost == pytest.approx(r @ r / 2)
    assert position == pytest.approx(np.linalg.norm(twin[:3]))
    assert rotation == pytest.approx(np.hypot(twin[3], twin[5]), abs=tolerance)


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_jacobian_is_the_finite_difference_of_the_residual(seed: int) -> None:
    work, q, _, chosen = problem(seed)
    r, J = (part.copy() for part in evaluated(work, chosen)[:2])
    if np.linalg.norm(r[3:]) > 3.0:  # the rotation vector jumps at half a turn
        return
    h = 1e-6
    for i in range(6):
        both = []
        for side in (-h, h):
            work[:6] = q
            work[i] += side
            both.append(evaluated(work, chosen)[0].copy())
        np.testing.assert_allclose(-(both[1] - both[0]) / (2 * h), J[:, i], atol=2e-8 * 10)


@given(SEEDS, st.floats(1e-6, 1.0))
@settings(max_examples=60, deadline=None)
def test_boxed_step_is_the_twins(seed: int, damping: float) -> None:
    work, q, target, chosen = problem(seed)
    rng = np.random.default_rng(seed)
    room = np.where(rng.random((6, 2)) < 0.3, 0.0, rng.uniform(0, 1, (6, 2)))
    box = np.column_stack((q - room[:, 0], q + room[:, 1], np.zeros(6)))
    evaluated(work, chosen)
    inverse_step_kernels.build_normal(work, 6, 6, 0)
    assert inverse_step_kernels.boxed_step(box.reshape(-1), work, 6, damping)
    twin = Twin(CHAIN, box, target, np.ones(6))
    d = twin.step(q, *twin.residual(q), damping)
    step = work[6 * inverse_layout.STEP : 6 * inverse_layout.STEP + 6]
    np.testing.assert_allclose(step, d, atol=1e-6 * max(1.0, 1e-3 / damping))
    trial = work[6 * inverse_layout.TRIAL : 6 * inverse_layout.TRIAL + 6]
    assert ((trial >= box[:, 0]) & (trial <= box[:, 1])).all()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("iterations", [1, 2, 4])
def test_an_attempt_takes_the_steps_of_the_twin(seed: int, iterations: int) -> None:
    _, q, target, _ = problem(seed + 7 * (seed % 7 == 0) + 1)
    box = np.column_stack((q - 0.4, q + 0.8))
    plan = plan_inverse(UR5, TIP, bounds=box)
    once = InverseOptions(max_iterations=iterations, max_attempts=1, nearest_steps=0)
    found = inverse_kinematics(plan, target, q, options=once)
    if found.iterations == iterations:
        twin = Twin(CHAIN, box, target, np.ones(6)).run(q, iterations)
        np.testing.assert_allclose(found.q, twin, atol=1e-8)


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_a_target_a_little_off_means_the_nearest_rotation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    target = Isometry3d.from_rpy((1.0, 2.0, 3.0), rng.uniform(-3, 3, 3)).matrix.copy()
    target[:3, :3] += rng.uniform(-1e-4, 1e-4, (3, 3))
    work = np.zeros(inverse_layout.inverse_workspace(6, 1))
    inverse_target_kernels.orient_targets(PLAN.data, target.reshape(-1), 0, work)
    U, _, V = np.linalg.svd(target[:3, :3])
    np.testing.assert_allclose(work[-12:-3].reshape(3, 3), U @ V, atol=1e-14)
    assert work[-3:].tolist() == [1.0, 2.0, 3.0]
