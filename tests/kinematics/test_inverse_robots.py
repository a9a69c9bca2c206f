"""Inverse kinematics of every golden robot: there and back."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inverse_robots import inverse_problem, longest_chain, pose_errors, random_values
from kinematics_cases import named, robot_folders

from kinegraph.kinematics import (
    InverseOptions,
    InverseStatus,
    inverse_kinematics,
    link_pose,
    plan_chain,
    plan_inverse,
)

FOLDERS = robot_folders()
COUNT = 300
every_robot = pytest.mark.parametrize("folder", FOLDERS, ids=named)


def within(plan: Any, q: Any) -> bool:
    """Whether all values keep the bounds exactly."""
    return bool(((q >= plan.bounds[:, 0]) & (q <= plan.bounds[:, 1])).all())


@every_robot
def test_poses_of_random_values_are_reached_from_the_middle(folder: Path) -> None:
    solver, plan, _, targets = inverse_problem(folder, COUNT)
    middle = np.clip(plan.bounds, -3.0, 3.0).mean(axis=1)
    found = inverse_kinematics(plan, targets, middle)
    assert found.converged.mean() >= 0.99
    assert within(plan, found.q)
    solver.setState(np.zeros(len(solver.getActiveJointNames())))
    for q, target in zip(found.q[found.converged], targets[found.converged], strict=True):
        state = solver.getState(list(plan.joint_names), q)
        distance, angle = pose_errors(state.link_transforms[plan.tip_links[0]].matrix, target)
        assert distance <= 1e-9 + 1e-13
        assert angle <= 1e-9 + 1e-13


@every_robot
def test_a_near_seed_leads_to_a_solution_no_further_than_the_known_one(folder: Path) -> None:
    _, plan, q, targets = inverse_problem(folder, COUNT)
    offset = 0.1 * np.random.default_rng(1).normal(size=q.shape) / np.sqrt(plan.n)
    seeds = np.clip(q + offset, *plan.bounds.T)
    found = inverse_kinematics(plan, targets, seeds)
    assert found.converged.all()
    known = np.linalg.norm(q - seeds, axis=1)
    assert (np.linalg.norm(found.q - seeds, axis=1) <= 1.01 * known + 1e-6).mean() >= 0.95


@every_robot
def test_a_seed_that_is_a_solution_is_returned_as_it_is(folder: Path) -> None:
    _, plan, q, targets = inverse_problem(folder, 20)
    found = inverse_kinematics(plan, targets, q)
    assert (found.q == q).all()
    assert found.converged.all()
    assert (found.attempts == 1).all()


@every_robot
def test_targets_out_of_reach_are_told_apart(folder: Path) -> None:
    _, plan, _, targets = inverse_problem(folder, 30)
    targets[:, :3, 3] += 30.0 * np.random.default_rng(2).choice((-1.0, 1.0), (30, 3))
    position = InverseOptions(max_attempts=5, weights=(1, 1, 1, 0, 0, 0))
    for options in (InverseOptions(max_attempts=5), position):
        found = inverse_kinematics(plan, targets, options=options)
        assert not found.converged.any()
        assert (found.status == InverseStatus.UNREACHABLE).mean() >= 0.99
        assert (found.attempts == 5).all()
        assert (found.position_error > 1.0).all()
        assert within(plan, found.q)


@every_robot
def test_a_row_of_a_batch_is_what_it_is_alone(folder: Path) -> None:
    _, plan, q, targets = inverse_problem(folder, 100)
    seeds = q[::-1].copy()
    many = inverse_kinematics(plan, targets, seeds)
    for row in range(0, 100, 9):
        one = inverse_kinematics(plan, targets[row], seeds[row])
        assert (one.q == many.q[row]).all()
        assert one.position_error == many.position_error[row]
        assert one.rotation_error == many.rotation_error[row]
        assert (one.iterations, one.attempts, one.status) == (
            many.iterations[row],
            many.attempts[row],
            many.status[row],
        )


@every_robot
def test_reported_errors_are_those_of_the_values(folder: Path) -> None:
    solver, plan, q, targets = inverse_problem(folder, 40)
    few = InverseOptions(max_iterations=3, max_attempts=1)
    found = inverse_kinematics(plan, targets, q[::-1].copy(), options=few)
    chain = plan_chain(solver, plan.tip_links[0], plan.joint_names)
    for row in range(40):
        distance, angle = pose_errors(chain.pose(found.q[row]), targets[row])
        assert found.position_error[row] == pytest.approx(distance, abs=1e-13)
        assert found.rotation_error[row] == pytest.approx(angle, abs=1e-12)


@every_robot
def test_a_frame_that_moves_is_a_frame_for_targets(folder: Path) -> None:
    solver, tip = longest_chain(folder)
    chain = plan_chain(solver, tip)
    if chain.n < 3:
        return
    tree = solver.flat_state.tree
    base = tree.link_names[tree.joint_rows[chain.joint_names[1]]]
    plan = plan_inverse(solver, tip, base_link=base)
    assert plan.joint_names != chain.joint_names
    q = random_values(plan, 20)
    relative = plan_chain(solver, tip, plan.joint_names, base)
    targets = np.array([relative.pose(row) for row in q])
    found = inverse_kinematics(plan, targets)
    assert found.converged.mean() >= 0.9
    for row in np.flatnonzero(found.converged):
        assert max(pose_errors(relative.pose(found.q[row]), targets[row])) <= 1.001e-9


def test_large_batches_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from kinegraph.kinematics import shares

    folder = next(path for path in FOLDERS if path.name == "ur5")
    solver, plan, _, _ = inverse_problem(folder, 1)
    q = random_values(plan, 500)
    names = solver.getActiveJointNames()
    assert tuple(names) == plan.joint_names
    targets = link_pose(solver, q, plan.tip_links[0])
    results = []
    for count in (1, 2, 7):
        monkeypatch.setattr(shares, "processors", lambda count=count: count)
        results.append(inverse_kinematics(plan, targets, np.zeros(6)))
    for other in results[1:]:
        assert (other.q == results[0].q).all()
        assert (other.iterations == results[0].iterations).all()
