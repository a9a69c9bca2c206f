"""Jacobians of every link of every golden robot, in both modes, from bases that move."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jacobian_judges import (
    Pinocchio,
    TesseractKdl,
    all_poses,
    by_differences,
    moved_poses,
    relative,
)
from kinematics_cases import meta, named, robot, robot_folders

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, StateSolver

SOLVERS = [OFKTStateSolver, KDLStateSolver]
FOLDERS = pytest.mark.parametrize("folder", robot_folders(), ids=named)
MODES = pytest.mark.parametrize("mimic", ["follow", "independent"])

# Central differences: rounding 1e-16 / 1e-6 of lengths of some metres, and a cubic term.
DIFFERENCES = 2e-8
ORACLES = 1e-12
STATES = 3


def followed(folder: Path, names: list[str], mimic: Any) -> tuple[Any, Any]:
    """What the solver's joints are to all joints: values = matrix @ q + offsets, (m, n), (m,)."""
    recorded = meta(folder)
    every = recorded["active_joint_names"]
    matrix, offsets = np.zeros((len(every), len(names))), np.zeros(len(every))
    rules = recorded["mimic"]["resolved"] if mimic == "follow" and "mimic" in recorded else {}
    for row, name in enumerate(every):
        master, factor, offset = rules.get(name, (name, 1.0, 0.0))
        matrix[row, names.index(master)], offsets[row] = factor, offset
    return matrix, offsets


@cache
def solver_of(folder: Path, kind: Any, mimic: Any) -> StateSolver:
    made: StateSolver = kind(robot(folder), mimic=mimic)
    return made


def values_of(solver: StateSolver) -> Any:
    """Values of some states, beyond the limits too."""
    rng = np.random.default_rng(17)
    return rng.uniform(-3.0, 3.0, (STATES, len(solver.getActiveJointNames())))


def close(found: Any, wanted: Any, tolerance: float, what: str) -> None:
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=what)


@FOLDERS
@MODES
@pytest.mark.parametrize("kind", SOLVERS)
def test_every_links_jacobian_is_the_derivative_of_its_pose(
    folder: Path, mimic: Any, kind: Any
) -> None:
    solver = solver_of(folder, kind, mimic)
    links = solver.getLinkNames()
    rng = np.random.default_rng(4)
    for q in values_of(solver):
        moved = moved_poses(solver, q)
        for place, link in enumerate(links):
            plain = by_differences(moved, place, 0, np.zeros(3))
            close(solver.getJacobian(q, link), plain, DIFFERENCES, link)
            base, point = int(rng.integers(len(links))), rng.uniform(-0.5, 0.5, 3)
            found = solver.getJacobian(q, link, link_point=point, base_link=links[base])
            wanted = by_differences(moved, place, base, point)
            close(found, wanted, DIFFERENCES, f"{link} in {links[base]}")


@FOLDERS
@MODES
@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize("judge", ["pinocchio", "tesseract"])
def test_every_links_jacobian_is_the_oracles(
    folder: Path, mimic: Any, kind: Any, judge: str
) -> None:
    solver, every = solver_of(folder, kind, mimic), meta(folder)["active_joint_names"]
    oracle: Any = (
        Pinocchio(folder, every) if judge == "pinocchio" else TesseractKdl(robot(folder), every)
    )
    links = solver.getLinkNames()
    matrix, offsets = followed(folder, solver.getActiveJointNames(), mimic)
    rng = np.random.default_rng(5)
    for q in values_of(solver):
        jacobians = oracle.jacobians(matrix @ q + offsets, links) @ matrix
        poses = all_poses(solver, q)
        for place, link in enumerate(links):
            close(solver.getJacobian(q, link), jacobians[place], ORACLES, link)
            base, point = int(rng.integers(len(links))), rng.uniform(-0.5, 0.5, 3)
            found = solver.getJacobian(q, link, link_point=point, base_link=links[base])
            wanted = relative(jacobians, poses, place, base, point)
            close(found, wanted, 10 * ORACLES, f"{link} in {links[base]}")


@FOLDERS
@MODES
def test_every_form_of_values_gives_the_same_relative_jacobian(folder: Path, mimic: Any) -> None:
    for kind in SOLVERS:
        solver: Any = solver_of(folder, kind, mimic)
        names, links = solver.getActiveJointNames(), solver.getLinkNames()
        rng = np.random.default_rng(6)
        q = values_of(solver)[0]
        turned = rng.permutation(len(names))
        shuffled = [names[i] for i in turned]
        for link, base in rng.choice(links, (5, 2)).tolist():
            more: Any = {"link_point": rng.uniform(-1.0, 1.0, 3), "base_link": base}
            wanted = solver.getJacobian(q, link, **more)
            for found in (
                solver.getJacobian(dict(zip(names, q.tolist(), strict=True)), link, **more),
                solver.getJacobian(shuffled, q[turned], link, **more),
                solver.getJacobian(shuffled, q[turned], link, {}, **more),
                solver.getJacobian(
                    joint_names=shuffled, joint_values=q[turned], link_name=link, **more
                ),
                solver.getJacobian(q[turned], link, joint_names=shuffled, **more),
            ):
                np.testing.assert_array_equal(found, wanted)


def test_the_robots_have_followers_on_both_sides_of_a_moved_base() -> None:
    solver = OFKTStateSolver(robot(robot_folders()[0]))
    assert [folder.name for folder in robot_folders()][:3] == ["fr3_hand", "synth_a", "ur5"]
    left, right = "fr3_leftfinger", "fr3_rightfinger"
    assert {left, right} <= set(solver.getLinkNames())
    q = np.linspace(0.1, 0.03, len(solver.getActiveJointNames()))
    found = solver.getJacobian(q, left, base_link=right)
    assert np.abs(found[:3, -1]).max() == pytest.approx(2.0)  # they part at twice the speed
    np.testing.assert_allclose(found[:, :-1], 0.0, atol=1e-14)
