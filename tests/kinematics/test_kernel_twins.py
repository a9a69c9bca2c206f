"""Kernels against slow numpy twins, compiled and uncompiled."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinematics_cases import small_robot

from kinegraph.kinematics import (
    OFKTStateSolver,
    chain_kernels,
    tree_kernels,
    trig_kernels,
    value_kernels,
)
from kinegraph.kinematics.tree_layout import (
    AXIS,
    COLUMN,
    KIND,
    MULTIPLIER,
    ORDER,
    PARENT,
    PLACE,
    ROTATION,
    SHIFT,
    SIZE,
    SLIDES,
    TRANSLATION,
    TURNS,
)

EDGES = [0.0, -0.0, 1e-300, math.pi / 4, math.pi / 2, math.pi, 1e5, 1.000001e5, -1e5, 1e300]


@given(st.one_of(st.floats(-10, 10), st.floats(-2e5, 2e5), st.sampled_from(EDGES)))
def test_sine_and_cosine_are_libms_to_two_units(angle: float) -> None:
    s, c = trig_kernels.sincos(angle)
    assert abs(s - math.sin(angle)) <= 2.3e-16
    assert abs(c - math.cos(angle)) <= 2.3e-16


@given(st.floats(-1e-3, 1e-3))
def test_a_small_sine_keeps_its_relative_precision(angle: float) -> None:
    assert trig_kernels.sincos(angle)[0] == pytest.approx(math.sin(angle), rel=4e-16, abs=5e-324)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_not_stored(bad: float) -> None:
    target = np.array([1.0, 2.0])
    assert value_kernels.store_values(np.array([0.0, bad]), target) == value_kernels.NOT_FINITE
    assert value_kernels.store_values(np.zeros(3), target) == value_kernels.WRONG_LENGTH
    assert target.tolist() == [1.0, 2.0]
    assert value_kernels.store_values(np.array([3.0, 4.0]), target) == 0
    assert target.tolist() == [3.0, 4.0]


def twin_poses(state: Any, q: Any) -> Any:
    """Poses of all links by 4x4 matrices."""
    tree, numbers = state.tree, state.numbers
    poses = np.zeros((tree.link_count, 4, 4))
    poses[0] = np.eye(4)
    for row in tree.layout[1:, ORDER]:
        n, (kind, column) = numbers[row], tree.layout[row, [KIND, COLUMN]]
        T, M = np.eye(4), np.eye(4)
        T[:3, :3] = n[ROTATION : ROTATION + 9].reshape(3, 3)
        T[:3, 3] = n[TRANSLATION : TRANSLATION + 3]
        x, y, z = axis = n[AXIS : AXIS + 3]
        if kind in (TURNS, SLIDES):
            value = n[MULTIPLIER] * q[column] + n[SHIFT]
            if kind == TURNS:
                K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                M[:3, :3] += np.sin(value) * K + (1 - np.cos(value)) * K @ K
            else:
                M[:3, 3] = value * axis
        poses[row] = poses[tree.layout[row, PARENT]] @ T @ M
    return poses


@pytest.mark.parametrize("name", ["fr3_hand", "synth_a", "ur5"])
def test_poses_of_trees_and_chains_equal_the_twins(name: str) -> None:
    solver = OFKTStateSolver(small_robot(name))
    state = solver.flat_state
    q = np.random.default_rng(2).uniform(-2, 2, state.tree.column_count)
    wanted = twin_poses(state, q)
    poses = np.empty((state.tree.link_count, 4, 4))
    tree_kernels.place_links(state.numbers, state.tree.layout, q, poses)
    np.testing.assert_allclose(poses, wanted, atol=1e-13)
    for row, link in enumerate(solver.getLinkNames()):
        pose = np.empty((4, 4))
        chain_kernels.chain_pose(state.chain(link), q, pose)
        np.testing.assert_allclose(pose, wanted[row], atol=1e-13)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 5)), max_size=30))
def test_depth_first_order_equals_the_twins(spec: list[tuple[int, int]]) -> None:
    count = len(spec) + 1
    layout = np.zeros((count, 9), np.int64)
    layout[0, PARENT] = -1
    layout[:, 2] = -1
    children: dict[int, list[int]] = {i: [] for i in range(count)}
    for i, (parent, rank) in enumerate(spec, 1):
        layout[i, PARENT], layout[i, 3] = parent % i, rank
        children[parent % i].append(i)
    order: list[int] = []

    def visit(row: int) -> int:
        order.append(row)
        size = 1 + sum(visit(c) for c in sorted(children[row], key=lambda c: layout[c, 3]))
        sizes[row] = size
        return size

    sizes: dict[int, int] = {}
    visit(0)
    active = np.empty(count, np.int64)
    work = np.empty((4, count), np.int64)
    work[3] = np.argsort(layout[:, 3], kind="stable")
    assert tree_kernels.index_tree(layout, work, active) == 0
    assert layout[:, ORDER].tolist() == order
    assert layout[order, PLACE].tolist() == list(range(count))
    assert layout[:, SIZE].tolist() == [sizes[i] for i in range(count)]
