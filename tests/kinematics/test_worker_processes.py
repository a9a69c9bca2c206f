"""Pickled solvers in other processes: spawned workers, and Dask's distributed scheduler."""

import contextlib
import importlib.util
import multiprocessing
import os
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import worker_tasks
from kinematics_cases import small_robot

from kinegraph.kinematics import (
    KDLStateSolver,
    KinematicGroup,
    OFKTStateSolver,
    jacobians,
    link_pose,
    plan_dynamics,
    plan_inverse,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(630)]

HANG_S = 600.0  # the first on a machine compiles what it needs
ROOT = Path(__file__).parents[2]
LINK = "fr3_hand_tcp"


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    """One new process that shares nothing with this one."""
    with multiprocessing.get_context("spawn").Pool(1) as workers:
        yield workers


@pytest.mark.parametrize("mimic", ["follow", "independent"])
@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_pickled_solver_gives_the_same_numbers_in_a_spawned_worker(
    pool: Any, kind: Any, mimic: str
) -> None:
    solver = kind(small_robot("fr3_hand"), mimic=mimic)
    rng = np.random.default_rng(4)
    solver.setState(rng.uniform(-1, 1, len(solver.getActiveJointNames())))
    q = rng.uniform(-1, 1, (50, len(solver.getActiveJointNames())))
    task = pool.apply_async(worker_tasks.poses_and_jacobians, (solver, q, LINK))
    process, poses, matrices, own = task.get(HANG_S)
    assert process != os.getpid()
    # Not to the last bit: the same kernel compiled in another process may round another way.
    np.testing.assert_allclose(poses, link_pose(solver, q, LINK), rtol=0, atol=1e-14)
    np.testing.assert_allclose(matrices, jacobians(solver, q, LINK), rtol=0, atol=1e-14)
    assert own == solver.getState()


def test_solver_that_a_worker_edited_comes_back_edited(pool: Any) -> None:
    solver = OFKTStateSolver(small_robot("fr3_hand"))
    edited = pool.apply_async(worker_tasks.edited, (solver, "fr3_hand")).get(HANG_S)
    assert LINK in solver.getLinkNames()
    assert edited.removeLink("fr3_hand") is False
    assert solver.removeLink("fr3_hand")
    assert edited.getLinkNames() == solver.getLinkNames()
    q = np.full(len(solver.getActiveJointNames()), 0.3)
    edited.setState(q)
    solver.setState(q)
    assert edited.getState() == solver.getState()


@pytest.mark.parametrize("start", ["spawn", "fork", "forkserver"])
def test_pickled_groups_and_plans_give_the_same_numbers_in_any_worker(start: str) -> None:
    if start not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {start} on this system")
    graph, link = small_robot("ur5"), "wrist_3_link"
    inverse = plan_inverse(graph, link)
    group = KinematicGroup("arm", inverse.joint_names, graph)
    limits = group.getLimits()
    limits.joint_limits[:] = (-3.0, 3.0)
    group.setLimits(limits)
    dynamics = plan_dynamics(graph, inverse.joint_names, link)
    q = np.random.default_rng(4).uniform(-3, 3, (6000, 6))  # enough for threads on both sides
    given = group, inverse, dynamics, link_pose(graph, q, link), q[::-1].copy(), link
    _, expected = worker_tasks.planned(*given)
    with warnings.catch_warnings():
        # Newer Pythons warn of every fork beside threads; none of ours runs now.
        warnings.simplefilter("ignore", DeprecationWarning)
        workers = multiprocessing.get_context(start).Pool(2)
    with workers:
        tasks = [workers.apply_async(worker_tasks.planned, given) for _ in range(2)]
        for task in tasks:
            process, results = task.get(HANG_S)
            assert process != os.getpid()
            for result, wanted in zip(results, expected, strict=True):
                np.testing.assert_array_equal(result, wanted)


@pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="distributed is not installed"
)
def test_batch_on_dasks_scheduler_agrees_with_the_local_one(tmp_path: Path) -> None:
    example = ROOT / "examples" / "batch_on_dask.py"
    with socket.socket() as taken:
        # Where Dask shows its dashboard unless told otherwise: taken by another cluster, maybe
        # that of another run of this test. Then it warns, which -W error makes an error.
        with contextlib.suppress(OSError):
            taken.bind(("0.0.0.0", 8787))
            taken.listen()
        done = subprocess.run(
            [sys.executable, "-W", "error", str(example)],
            capture_output=True,
            text=True,
            timeout=HANG_S,
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "on 2 workers" in done.stdout
    assert "largest difference from the local result: 0.0e+00 m" in done.stdout
    assert "here the same: True" in done.stdout
    assert done.stderr == ""
    assert list(tmp_path.iterdir()) == []
