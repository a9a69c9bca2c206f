"""Floating joints: their value is a transform that replaces the origin."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kinematics_cases import graph_of, joint, plain_graph, up

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import Isometry3d

POSE = Isometry3d.from_rpy((1.0, -2.0, 0.5), (0.3, 0.2, -0.7))


@pytest.fixture
def solver() -> OFKTStateSolver:
    return OFKTStateSolver(
        graph_of(
            "base",
            joint("jf", "base", "f", "floating", origin=up(3.0)),
            joint("turn", "f", "l", "revolute", origin=up()),
            joint("jg", "l", "g", "floating", origin=up()),
        )
    )


def test_the_initial_value_is_the_origin(solver: OFKTStateSolver) -> None:
    assert solver.getState().floating_joints == {"jf": up(3.0), "jg": up()}
    assert np.asarray(solver.getLinkTransform("g"))[2, 3] == 5.0


def test_the_value_replaces_the_origin(solver: OFKTStateSolver) -> None:
    solver.setState({"jf": POSE})
    assert solver.getLinkTransform("f").isApprox(POSE, 1e-15)
    assert solver.getState().link_transforms["f"] == POSE
    assert solver.getState().floating_joints == {"jf": POSE, "jg": up()}


@pytest.mark.parametrize(
    "call",
    [
        lambda s: s.setState({"jf": POSE}),
        lambda s: s.setState({"jf": POSE.matrix}),
        lambda s: s.setState(floating_joint_values={"jf": POSE}),
        lambda s: s.setState([0.4], {"jf": POSE}),
        lambda s: s.setState(np.array([0.4]), {"jf": POSE}),
        lambda s: s.setState(np.array([0.4]), floating_joint_values={"jf": POSE}),
        lambda s: s.setState({"turn": 0.4}, {"jf": POSE}),
        lambda s: s.setState(["turn"], [0.4], {"jf": POSE}),
        lambda s: s.setState({}, {"jf": POSE}),
    ],
)
def test_every_form_sets_floating_values(solver: OFKTStateSolver, call: Any) -> None:
    solver.setState({"turn": 0.4})
    call(solver)
    state = solver.getState()
    assert (state.joints, state.floating_joints["jf"]) == ({"turn": 0.4}, POSE)
    wanted = POSE @ up() @ Isometry3d.from_rpy((0, 0, 0), (0, 0, 0.4)) @ up()
    np.testing.assert_allclose(state.link_transforms["g"], wanted, atol=1e-15)


def test_queries_with_floating_values_change_nothing(solver: OFKTStateSolver) -> None:
    before = solver.getState()
    probe = solver.getState({"jf": POSE})
    assert probe.floating_joints["jf"] == POSE
    assert solver.getState([0.0], {"jf": POSE}) == probe
    assert solver.getLinkTransforms(["turn"], [0.0], {"jf": POSE}) == probe.link_transforms
    solver.getJacobian([0.0], "g", {"jf": POSE})
    assert solver.getState() == before


def test_floating_values_take_part_in_the_jacobian(solver: OFKTStateSolver) -> None:
    given = solver.getJacobian([0.4], "g", {"jf": POSE, "jg": POSE})
    solver.setState({"jf": POSE, "jg": POSE})
    np.testing.assert_allclose(solver.getJacobian([0.4], "g"), given, atol=1e-15)
    axis = POSE.rotation[:, 2]
    np.testing.assert_allclose(given[3:, 0], axis, atol=1e-15)


def test_poses_follow_one_changed_floating_joint(solver: OFKTStateSolver) -> None:
    solver.getState()  # all poses are up to date now
    solver.setState({"jg": POSE})
    poses = solver.getState().link_transforms
    np.testing.assert_allclose(poses["g"], up(4.0) @ POSE, atol=1e-15)
    np.testing.assert_allclose(solver.getLinkTransform("g"), poses["g"], atol=1e-15)


def test_an_empty_dict_by_keyword_is_the_floating_form(solver: OFKTStateSolver) -> None:
    before = solver.getState()
    solver.setState(floating_joint_values={})
    assert solver.getState(floating_joint_values={}) == before


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (np.full((4, 4), np.nan), ValueError),
        (np.diag([2.0, 2.0, 2.0, 1.0]), ValueError),
        (np.diag([1.0, 1.0, -1.0, 1.0]), ValueError),
        (np.eye(4) + np.eye(4)[::-1] * 1e-3, ValueError),
        (np.eye(3), TypeError),
        (0.5, TypeError),
        ("up", TypeError),
        (None, TypeError),
    ],
)
def test_a_value_that_is_no_rigid_transform_is_refused(
    solver: OFKTStateSolver, value: Any, error: type[Exception]
) -> None:
    before = solver.getState()
    for call in (
        lambda: solver.setState([0.5], {"jf": value}),
        lambda: solver.setState(floating_joint_values={"jf": value}),
        lambda: solver.getState([0.5], {"jf": value}),
    ):
        with pytest.raises(error, match="jf"):
            call()
    assert solver.getState() == before


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_unknown_floating_names_are_named_and_nothing_changes(kind: Any) -> None:
    solver = kind(plain_graph())
    before = solver.getState()
    calls: list[Callable[[], Any]] = [
        lambda: solver.setState([0.5, 0.5], {"nope": POSE, "jf": POSE, "j1": POSE}),
        lambda: solver.setState(np.array([0.5, 0.5]), {"nope": POSE, "j1": POSE}),
        lambda: solver.setState({"j1": 0.5}, {"nope": POSE, "j1": POSE}),
        lambda: solver.setState({"nope": POSE, "j1": POSE}),
        lambda: solver.getState({"nope": POSE, "j1": POSE}),
        lambda: solver.getState(["j1"], [0.5], {"nope": POSE, "j1": POSE}),
        lambda: solver.getJacobian([0.5, 0.5], "l3", {"nope": POSE, "j1": POSE}),
        lambda: solver.getLinkTransforms(["j1"], [0.5], {"nope": POSE, "j1": POSE}),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="nope, j1"):
            call()
    assert solver.getState() == before


def test_kdl_refuses_floating_values_alone() -> None:
    solver = KDLStateSolver(plain_graph())
    with pytest.raises(RuntimeError, match="not supported"):
        solver.setState({"jf": POSE})
    with pytest.raises(RuntimeError, match="not supported"):
        solver.getState(floating_joint_values={"jf": POSE})
    solver.setState(floating_joint_values={})


def test_kdl_ignores_floating_values_beside_joint_values() -> None:
    solver = KDLStateSolver(plain_graph())
    solver.setState({"j1": 0.5}, {"jf": POSE})
    assert solver.getState().joints["j1"] == 0.5
    assert solver.getState().floating_joints == {"jf": up()}
    assert solver.getState({"j1": 0.5}, {"jf": POSE}) == solver.getState()


def test_floating_values_survive_copies_and_edits(solver: OFKTStateSolver) -> None:
    solver.setState({"jf": POSE})
    assert solver.clone().getState() == solver.getState()
    assert pickle.loads(pickle.dumps(solver)).getState() == solver.getState()
    assert solver.moveJoint("turn", "base")
    assert solver.removeLink("g")
    assert solver.getState().floating_joints == {"jf": POSE}
    other = solver.clone()
    other.setState({"jf": up()})
    assert solver.getState().floating_joints == {"jf": POSE}


def test_links_below_a_floating_joint_alone_are_static(solver: OFKTStateSolver) -> None:
    assert solver.getStaticLinkNames() == ["base", "f"]
    assert solver.getActiveLinkNames() == ["l", "g"]


def test_a_pinocchio_transform_is_taken(solver: OFKTStateSolver) -> None:
    from oracles import third_party

    pin = third_party("pinocchio")
    solver.setState({"jf": pin.SE3(POSE.rotation, POSE.translation)})
    assert solver.getState().floating_joints["jf"] == POSE
