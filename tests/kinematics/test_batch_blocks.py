"""Batches are computed in blocks, where constants that are 0 or 1 are left out."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.kinematics import (
    OFKTStateSolver,
    jacobian,
    jacobians,
    link_pose,
    link_poses,
    plan_chain,
)
from kinegraph.kinematics.batch_layout import BLOCK
from kinegraph.kinematics.chain_layout import STEP_SIZE, STEPS, TURN
from kinegraph.scene import (
    Isometry3d,
    Joint,
    JointLimits,
    JointMimic,
    JointType,
    Link,
    NotFiniteError,
    SceneGraph,
    UnknownLinkError,
)

QUARTER = math.pi / 2
# Whole and general turns, and some beside a quarter turn: by a written file's last digit, by what
# is left out and by more than that.
ANGLES = (0.0, QUARTER, -QUARTER, math.pi, 1.570796326794897, QUARTER + 1e-9, 1e-9, 1e-5, 0.3, -2.1)
AXES = ((0, 0, 1), (0, 0, -1), (1, 0, 0), (0, -1, 0), (0.6, 0, 0.8))
SHIFTS = ((0, 0, 0), (0, 0, 0.3), (0.1, 0, 0), (0.1, -0.2, 0.3))
BATCH_CALLS: tuple[Callable[..., Any], ...] = (link_pose, jacobians)

joints = st.tuples(
    st.sampled_from(AXES),
    st.sampled_from(SHIFTS),
    st.tuples(*3 * [st.sampled_from(ANGLES)]),
    st.booleans(),
)


def arm(parts: Any, tool: Any = ((0, 0, 0), (0, 0, 0))) -> OFKTStateSolver:
    """A chain l0, l1, ... of joints j1, j2, ..., and a link "tip" fixed to its end."""
    graph = SceneGraph("arm")
    graph.addLink(Link("l0"))
    for k, (axis, shift, rpy, turns) in enumerate(parts, start=1):
        kind = JointType.REVOLUTE if turns else JointType.PRISMATIC
        hang(graph, f"j{k}", f"l{k - 1}", f"l{k}", kind, (shift, rpy), axis)
    hang(graph, "tool", f"l{len(parts)}", "tip", JointType.FIXED, tool, (0, 0, 1))
    return OFKTStateSolver(graph)


def hang(
    graph: SceneGraph,
    name: str,
    parent: str,
    child: str,
    kind: JointType,
    origin: Any,
    axis: Any,
    mimic: JointMimic | None = None,
) -> None:
    joint = Joint(name)
    joint.type, joint.axis = kind, np.array(axis, float)
    joint.parent_link_name, joint.child_link_name = parent, child
    joint.parent_to_joint_origin_transform = Isometry3d.from_rpy(*origin)
    joint.limits = JointLimits(-9.0, 9.0, 1.0, 1.0, 1.0, 1.0)
    joint.mimic = mimic
    graph.addLink(Link(child), joint)


def three_joints() -> OFKTStateSolver:
    part = ((0, 0, 1), (0.1, 0, 0.2), (QUARTER, 0, 0), True)
    return arm([part, part, part])


def rows(count: int, n: int, span: float = 4.0) -> Any:
    return np.random.default_rng(count).uniform(-span, span, (count, n))


@settings(deadline=None, max_examples=40)
@given(
    parts=st.lists(joints, min_size=1, max_size=5),
    tool=st.tuples(st.sampled_from(SHIFTS), st.tuples(*3 * [st.sampled_from(ANGLES)])),
    count=st.sampled_from((1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5)),
)
def test_a_batch_equals_the_tree_row_by_row(parts: Any, tool: Any, count: int) -> None:
    solver = arm(parts, tool)
    q = rows(count, len(parts))
    row = solver.getLinkNames().index("tip")
    poses, matrices = link_pose(solver, q, "tip"), jacobians(solver, q, "tip")
    for m in {0, count // 2, count - 1}:
        np.testing.assert_allclose(poses[m], link_poses(solver, q[m])[row], atol=1e-13)
        np.testing.assert_allclose(matrices[m], jacobian(solver, q[m], "tip"), atol=1e-13)


def test_a_quarter_turn_of_a_file_is_one() -> None:
    part = ((0, 0, 1), (0.3, 0, 0), (1.570796326794897, 0, 0), True)
    data = plan_chain(arm([part, part]), "tip").data
    for k in (STEPS, STEPS + STEP_SIZE):
        step = data[k : k + TURN]
        assert not ((step != 0.0) & (np.abs(step) < 1e-15)).any()


@pytest.mark.parametrize("span", [1e5, 3e5, 1e12])
def test_large_angles_are_right_in_blocks_with_small_ones(span: float) -> None:
    solver = three_joints()
    q = rows(3 * BLOCK, 3)
    q[BLOCK + 3] = span, -span, span / 3
    poses = link_pose(solver, q, "tip")
    for m in (0, BLOCK + 2, BLOCK + 3, BLOCK + 4, 2 * BLOCK):
        np.testing.assert_allclose(poses[m], link_pose(solver, q[m], "tip"), atol=1e-13)


def test_a_follower_may_turn_further_than_its_master() -> None:
    graph = SceneGraph("follower")
    graph.addLink(Link("l0"))
    hang(graph, "j1", "l0", "l1", JointType.REVOLUTE, ((0, 0, 0.1), (0, 0, 0)), (0, 0, 1))
    rule, origin = JointMimic(0.25, 1e4, "j1"), ((0.2, 0, 0), (0, 0, 0))
    hang(graph, "j2", "l1", "tip", JointType.REVOLUTE, origin, (0, 1, 0), rule)
    solver = OFKTStateSolver(graph)
    q = np.full((BLOCK, 1), 0.5)
    q[7] = 123.456  # turns the follower by more than can be reduced
    poses = link_pose(solver, q, "tip")
    for m in (6, 7, 8):
        np.testing.assert_allclose(poses[m], link_pose(solver, q[m], "tip"), atol=1e-12)


@pytest.mark.parametrize("call", BATCH_CALLS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, BLOCK, 9000])
def test_a_number_that_is_not_finite_is_named(call: Any, bad: float, row: int) -> None:
    solver = three_joints()
    q = rows(9001, 3)
    q[row, 1] = bad
    with pytest.raises(NotFiniteError, match=rf"'j2' in row {row} is"):
        call(solver, q, "tip")
    # Off the chain too.
    with pytest.raises(NotFiniteError, match=rf"'j2' in row {row} is"):
        call(solver, q, "l1")


@pytest.mark.parametrize("call", BATCH_CALLS)
def test_a_refused_batch_leaves_the_callers_array_alone(call: Any) -> None:
    solver = three_joints()
    q = rows(9001, 3)
    out = np.full_like(call(solver, q, "tip"), 7.0)
    q[9000, 2] = np.nan
    with pytest.raises(NotFiniteError):
        call(solver, q, "tip", out=out)
    assert (out == 7.0).all()


@pytest.mark.parametrize("call", BATCH_CALLS)
def test_numbers_are_looked_at_before_the_link(call: Any) -> None:
    solver = three_joints()
    with pytest.raises(NotFiniteError):
        call(solver, np.full((2, 3), np.nan), "nowhere")
    with pytest.raises(UnknownLinkError):
        call(solver, np.zeros((2, 3)), "nowhere")


def test_columns_off_the_chain_are_zero() -> None:
    solver = three_joints()
    out = np.full((BLOCK + 1, 6, 3), np.nan)
    matrices = jacobians(solver, rows(BLOCK + 1, 3), "l2", out=out)
    assert (matrices[:, :, 2] == 0.0).all()
    assert np.isfinite(matrices).all()
