"""What both solvers are made of, and what they refuse."""

from typing import Any

import numpy as np
import pytest
from kinematics_cases import graph_of, joint, plain_graph, small_robot, up
from solver_kinds import SOLVERS

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import SceneGraph


def test_a_new_solver_stands_at_zero() -> None:
    assert (
        OFKTStateSolver(small_robot("ur5"))
        .getState()
        .getJointValues(OFKTStateSolver(small_robot("ur5")).getActiveJointNames())
        .tolist()
        == [0.0] * 6
    )


def not_a_tree(case: str) -> SceneGraph:
    graph = graph_of("base", joint("j", "base", "l"))
    if case == "empty":
        return SceneGraph("empty")
    if case == "root below another link":
        graph.setRoot("l")
    else:
        from kinegraph.scene import Link

        graph.addLink(Link("m"))
        if case == "cycle":
            graph.addLink(Link("n"))
            graph.addJoint(joint("mn", "m", "n"))
            graph.addJoint(joint("nm", "n", "m"))
        if case == "two parents":
            graph.addJoint(joint("bm", "base", "m"))
            graph.addJoint(joint("lm", "l", "m"))
    return graph


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize(
    "case", ["empty", "root below another link", "loose link", "cycle", "two parents"]
)
def test_what_is_no_tree_is_refused(kind: Any, case: str) -> None:
    with pytest.raises(RuntimeError):
        kind(not_a_tree(case))


@pytest.mark.parametrize("kind", SOLVERS)
def test_one_link_is_a_tree(kind: Any) -> None:
    made = kind(graph_of("only"))
    assert made.getLinkNames() == ["only"]
    assert made.getJointNames() == []
    np.testing.assert_array_equal(made.getLinkTransform("only"), np.eye(4))


@pytest.mark.parametrize("kind", SOLVERS)
def test_joints_that_no_solver_takes_are_refused(kind: Any) -> None:
    for bad, error, part in (
        (joint("jx", "base", "x", "planar"), RuntimeError, "jx"),
        (joint("jx", "base", "x", "unknown"), RuntimeError, "jx"),
        (joint("jx", "base", "x", "revolute", axis=(0, 0, 0)), ValueError, "axis"),
        (joint("jx", "base", "x", "prismatic", axis=(0, 0, 0)), ValueError, "jx"),
    ):
        from kinegraph.scene.joint_parts import JointLimits

        bad.limits = JointLimits(-1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
        with pytest.raises(error, match=part):
            kind(graph_of("base", bad))


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_zero_axis_of_a_fixed_joint_does_not_matter(kind: Any) -> None:
    made = kind(graph_of("base", joint("jx", "base", "x", axis=(0, 0, 0), origin=up())))
    assert np.asarray(made.getLinkTransform("x"))[2, 3] == 1.0


@pytest.mark.parametrize("kind", SOLVERS)
def test_wrong_constructor_arguments_are_refused(kind: Any) -> None:
    with pytest.raises(TypeError):
        kind(None)
    with pytest.raises(ValueError, match="follow"):
        kind(plain_graph(), mimic="copy")


def test_a_continuous_joint_without_limits_gets_defaults() -> None:
    graph = graph_of("base", joint("c", "base", "l", "continuous", limits=None))
    bound = 4 * np.pi
    limits = OFKTStateSolver(graph).getLimits()
    np.testing.assert_array_equal(limits.joint_limits, [[-bound, bound]])
    np.testing.assert_array_equal(limits.velocity_limits, [[-2.0, 2.0]])
    np.testing.assert_array_equal(limits.jerk_limits, [[-1000.0, 1000.0]])


def test_kdl_sorts_columns_by_child_link_in_byte_order() -> None:
    graph = graph_of(
        "base",
        joint("a", "base", "\u00e9", "revolute"),
        joint("b", "base", "z", "revolute"),
        joint("c", "base", "B", "revolute"),
        joint("d", "base", "a", "revolute"),
    )
    assert KDLStateSolver(graph).getActiveJointNames() == ["c", "d", "b", "a"]
    assert OFKTStateSolver(graph).getActiveJointNames() == ["a", "b", "c", "d"]


def test_a_prefix_stands_before_every_name() -> None:
    plain, prefixed = OFKTStateSolver(small_robot()), OFKTStateSolver(small_robot(), "left/")
    for names in ("getLinkNames", "getJointNames", "getActiveJointNames", "getFloatingJointNames"):
        assert getattr(prefixed, names)() == ["left/" + name for name in getattr(plain, names)()]
    q = np.linspace(-1.0, 1.0, len(plain.getActiveJointNames()))
    np.testing.assert_array_equal(
        prefixed.getState(q).link_transforms["left/" + plain.getLinkNames()[-1]],
        plain.getState(q).link_transforms[plain.getLinkNames()[-1]],
    )
    assert OFKTStateSolver("root", "p_").getBaseLinkName() == "p_root"
