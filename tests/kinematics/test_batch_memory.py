"""What batches need beside values and results, as tracemalloc counts it: numpy tells it all."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kinematics_cases import small_robot

from kinegraph.kinematics import (
    InverseOptions,
    OFKTStateSolver,
    inverse_kinematics,
    jacobians,
    link_pose,
    link_poses,
    plan_inverse,
)

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

SOLVER = OFKTStateSolver(small_robot("fr3_hand"))
TIP = "fr3_hand_tcp"
N = 200_000
MOST_MB = 4.0
"""Two threads of less than 2 MB each; the values are 12.8 MB, in single precision half of it."""


def peak_mb(call: Callable[[], object]) -> float:
    """The most memory that a call holds at once, beside what was there."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def memory_map(q: Any, folder: Path) -> Any:
    """A file that cannot be written to, as an array."""
    path = folder / "q.bin"
    q.tofile(path)
    return np.memmap(path, dtype=q.dtype, mode="r", shape=q.shape)


LAYOUTS: dict[str, Callable[[Any, Path], Any]] = {
    "plain": lambda q, _: q,
    "single precision": lambda q, _: q.astype(np.float32),
    "fortran": lambda q, _: np.asfortranarray(q),
    "big-endian": lambda q, _: q.astype(">f8"),
    "every second column": lambda q, _: np.repeat(q, 2, axis=1)[:, ::2],
    "backwards": lambda q, _: q[::-1],
    "memory map": memory_map,
}
CALLS: dict[str, tuple[Callable[[Any, Any], Any], int, tuple[int, ...]]] = {
    "link_pose": (lambda q, out: link_pose(SOLVER, q, TIP, out=out), N, (4, 4)),
    "jacobians": (lambda q, out: jacobians(SOLVER, q, TIP, out=out), N, (6, 8)),
    "body": (lambda q, out: jacobians(SOLVER, q, TIP, "body", out=out), N, (6, 8)),
    "spatial": (lambda q, out: jacobians(SOLVER, q, TIP, "spatial", out=out), N, (6, 8)),
    "link_poses": (lambda q, out: link_poses(SOLVER, q, out=out), N // 5, (26, 4, 4)),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_batches_need_little_beside_the_results(name: str, layout: str, tmp_path: Path) -> None:
    call, count, shape = CALLS[name]
    q = np.random.default_rng(2).uniform(-1, 1, (count, 8))
    given = LAYOUTS[layout](q, tmp_path)
    out = np.empty((count, *shape))
    call(given[:9000], out[:9000])  # compiles
    assert peak_mb(lambda: call(given, out)) < MOST_MB
    rows = np.random.default_rng(3).integers(0, count, 50)
    expected = call(np.ascontiguousarray(given[rows], np.float64), None)
    np.testing.assert_array_equal(out[rows], expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_bad_number_in_any_layout_changes_nothing(layout: str, tmp_path: Path) -> None:
    q = np.zeros((N, 8))
    q[N - 2, 3] = np.nan
    given, out = LAYOUTS[layout](q, tmp_path), np.full((N, 4, 4), 7.0)
    row = 1 if layout == "backwards" else N - 2
    with pytest.raises(ValueError, match=f"'fr3_joint4' in row {row} is nan"):
        link_pose(SOLVER, given, TIP, out=out)
    assert (out == 7.0).all()


@pytest.mark.parametrize("layout", ["plain", "single precision", "fortran", "backwards"])
def test_inverse_kinematics_needs_little_beside_the_results(layout: str, tmp_path: Path) -> None:
    plan = plan_inverse(SOLVER, TIP)
    names = SOLVER.getActiveJointNames()
    columns = [names.index(name) for name in plan.joint_names]
    q = np.random.default_rng(2).uniform(-1, 1, (N, 8))
    targets, seeds = LAYOUTS[layout](link_pose(SOLVER, q, TIP), tmp_path), q[:, columns]
    out = np.empty(seeds.shape)
    options = InverseOptions(max_iterations=1, max_attempts=1)

    def solve(rows: int) -> object:
        part = slice(0, rows)
        return inverse_kinematics(plan, targets[part], seeds[part], options=options, out=out[part])

    solve(100)
    results_mb = N * (2 + 3) * 8 / 2**20  # errors and counts
    assert peak_mb(lambda: solve(N)) < MOST_MB + results_mb
