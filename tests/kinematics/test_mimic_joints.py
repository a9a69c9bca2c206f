"""Mimic joints that follow, and the same ones as ordinary joints."""

from typing import Any

import numpy as np
import pytest
from kinematics_cases import graph_of, gripper_graph, joint, up

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import JointMimic, Link, SceneGraph

SLIDE: dict[str, Any] = {"kind": "prismatic", "axis": (0, 1, 0)}


def chain_graph() -> SceneGraph:
    """a leads b = 2 a + 0.1, which leads c = -3 b + 0.2; c is a sliding joint below b."""
    return graph_of(
        "base",
        joint("c_first", "base", "l0", "revolute", origin=up()),
        joint("a", "l0", "l1", "revolute", origin=up()),
        joint("b", "l1", "l2", "revolute", origin=up(), mimic=("a", 2.0, 0.1)),
        joint("c", "l2", "l3", origin=up(), mimic=("b", -3.0, 0.2), **SLIDE),
    )


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_chains_of_followers_are_resolved(kind: Any) -> None:
    solver = kind(chain_graph())
    assert solver.getActiveJointNames() == ["c_first", "a"]
    assert solver.getJointNames() == ["c_first", "a", "b", "c"]
    assert solver.getActiveLinkNames() == ["l0", "l1", "l2", "l3"]
    state = solver.getState({"a": 0.5})
    assert state.joints == pytest.approx({"c_first": 0, "a": 0.5, "b": 1.1, "c": -3.1})
    independent = kind(chain_graph(), mimic="independent")
    assert len(independent.getLimits().joint_limits) == 4
    assert independent.getState(state.joints) == state


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_a_masters_column_sums_what_its_followers_add(kind: Any) -> None:
    following, independent = kind(chain_graph()), kind(chain_graph(), mimic="independent")
    values = following.getState({"c_first": 0.3, "a": -0.7}).joints
    each = independent.getJacobian(values, "l3")
    column = dict(zip(independent.getActiveJointNames(), each.T, strict=True))
    wanted = column["a"] + 2.0 * column["b"] - 6.0 * column["c"]
    found = following.getJacobian({"c_first": 0.3, "a": -0.7}, "l3")
    np.testing.assert_allclose(found[:, 1], wanted, atol=1e-14)


def test_naming_a_follower_is_refused_and_says_whom_it_follows() -> None:
    solver = OFKTStateSolver(gripper_graph())
    before = solver.getState()
    with pytest.raises(ValueError, match="right follows left"):
        solver.setState({"left": 0.01, "right": 0.01})
    assert solver.getState() == before


def test_a_vector_for_all_joints_is_refused_and_names_the_followers() -> None:
    with pytest.raises(ValueError, match=r"length 2 .* 1 .*right"):
        OFKTStateSolver(gripper_graph()).setState(np.zeros(2))


def test_sampling_draws_masters_only() -> None:
    state = OFKTStateSolver(gripper_graph()).getRandomState(1)
    assert 0.0 <= state.joints["left"] <= 0.04
    assert state.joints["right"] == -state.joints["left"]


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        (("nope", 1.0, 0.0), "nope"),
        (("left", 1.0, 0.0), "left -> left"),
        (("tcp_joint", 1.0, 0.0), "tcp_joint"),
        (("right", 1.0, 0.0), "left -> right -> left"),
    ],
    ids=["unknown", "itself", "fixed", "circle"],
)
@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_rules_that_lead_nowhere_are_refused(kind: Any, rule: Any, part: str) -> None:
    graph = graph_of(
        "palm",
        joint("left", "palm", "l", origin=up(), mimic=rule, **SLIDE),
        joint("right", "palm", "r", origin=up(), mimic=("left", -1.0, 0.0), **SLIDE),
        joint("tcp_joint", "palm", "tcp"),
    )
    with pytest.raises(ValueError, match=part):
        kind(graph)
    assert kind(graph, mimic="independent").getActiveJointNames() == ["left", "right"]


@pytest.fixture
def solver() -> OFKTStateSolver:
    made = OFKTStateSolver(gripper_graph())
    made.setState({"left": 0.03})
    return made


def test_a_master_cannot_leave_its_follower_behind(solver: OFKTStateSolver) -> None:
    before = solver.getState()
    assert solver.removeLink("left_finger") is False
    assert solver.removeJoint("left") is False
    assert solver.moveLink(joint("other", "tcp", "left_finger", **SLIDE)) is False
    assert solver.replaceJoint(joint("left", "palm", "left_finger")) is False
    assert solver.getState() == before
    assert solver.removeJoint("right") is True
    assert solver.removeJoint("left") is True


def test_a_follower_travels_with_its_rule(solver: OFKTStateSolver) -> None:
    assert solver.moveJoint("right", "tcp")
    assert solver.getState().joints["right"] == -0.03
    new = joint("right", "left_finger", "right_finger", mimic=("left", 0.5, 0.0), **SLIDE)
    assert solver.moveLink(new)
    assert solver.getState().joints["right"] == 0.015


def test_a_moved_master_keeps_its_followers(solver: OFKTStateSolver) -> None:
    assert solver.moveLink(joint("left", "tcp", "left_finger", **SLIDE))
    assert solver.getState().joints == {"left": 0.0, "right": 0.0}
    solver.setState([0.02])
    assert solver.getState().joints == {"left": 0.02, "right": -0.02}


def test_a_follower_can_become_free_and_a_free_joint_a_follower(solver: OFKTStateSolver) -> None:
    assert solver.replaceJoint(joint("right", "palm", "right_finger", **SLIDE))
    assert solver.getActiveJointNames() == ["left", "right"]
    assert solver.getState().joints == {"left": 0.03, "right": -0.03}
    back = joint("right", "palm", "right_finger", mimic=("left", 2.0, 0.0), **SLIDE)
    assert solver.replaceJoint(back)
    assert solver.getActiveJointNames() == ["left"]
    assert solver.getState().joints["right"] == 0.06


def test_a_change_that_would_close_a_circle_is_refused(solver: OFKTStateSolver) -> None:
    before = solver.getState()
    with pytest.raises(ValueError, match="left"):
        solver.replaceJoint(
            joint("left", "palm", "left_finger", mimic=("right", 1.0, 0.0), **SLIDE)
        )
    with pytest.raises(ValueError, match="nope"):
        solver.addLink(Link("x"), joint("x", "palm", "x", mimic=("nope", 1.0, 0.0), **SLIDE))
    assert solver.getState() == before


def test_added_and_attaching_joints_may_follow(solver: OFKTStateSolver) -> None:
    assert solver.addLink(Link("x"), joint("x", "palm", "x", mimic=("right", 1.0, 0.5), **SLIDE))
    assert solver.getState().joints["x"] == 0.47
    mount = joint("mount", "tcp", "g_palm", "revolute")
    mount.mimic = JointMimic(0.0, 10.0, "left")
    assert solver.insertSceneGraph(gripper_graph(), mount, "g_")
    assert solver.getActiveJointNames() == ["left", "g_left"]
    solver.setState({"left": 0.01, "g_left": 0.02})
    joints = solver.getState().joints
    assert joints["mount"] == 0.1
    assert joints["g_right"] == -0.02


def test_a_mimic_rule_of_a_fixed_joint_does_not_matter() -> None:
    fixed = joint("jx", "base", "x", mimic=("nope", 1.0, 0.0))
    assert OFKTStateSolver(graph_of("base", fixed)).getActiveJointNames() == []
