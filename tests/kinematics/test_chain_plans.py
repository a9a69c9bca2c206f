"""Compiled chains: any base, named and frozen joints, followers."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinematics_cases import graph_of, gripper_graph, joint, small_robot, up
from random_scenes import trees

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, plan_chain
from kinegraph.scene import SceneGraph


def test_without_names_the_joints_on_the_path_are_columns() -> None:
    graph = small_robot("fr3_hand")
    plan = plan_chain(graph, "fr3_link8", base_link="fr3_link0")
    assert plan.joint_names == tuple(f"fr3_joint{i}" for i in range(1, 8))
    assert plan.n == plan.data[0] == 7
    assert (plan.base_link, plan.tip_link) == ("fr3_link0", "fr3_link8")


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_pose_and_jacobian_are_the_solvers(kind: Any) -> None:
    solver = kind(small_robot("fr3_hand"))
    names = [f"fr3_joint{i}" for i in range(7, 0, -1)]
    plan = plan_chain(solver, "fr3_hand_tcp", names)
    q = np.linspace(-1.0, 1.0, 7)
    pose, J = plan.pose_and_jacobian(q)
    state = solver.getState(names, q)
    np.testing.assert_allclose(pose, state.link_transforms["fr3_hand_tcp"], atol=1e-14)
    np.testing.assert_array_equal(plan.pose(q), pose)
    wanted = solver.getJacobian(names, q, "fr3_hand_tcp")
    columns = [solver.getActiveJointNames().index(name) for name in names]
    np.testing.assert_allclose(J, wanted[:, columns], atol=1e-14)


def test_joints_that_are_not_named_are_frozen_where_they_stand() -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    names = solver.getActiveJointNames()
    solver.setState(np.linspace(-1.0, 1.0, 6))
    plan = plan_chain(solver, "tool0", names[2:4])
    pose = plan.pose(np.array([0.3, -0.2]))
    wanted = solver.getState(names[2:4], [0.3, -0.2]).link_transforms["tool0"]
    np.testing.assert_allclose(pose, wanted, atol=1e-14)
    solver.setState(np.zeros(6))
    np.testing.assert_array_equal(plan.pose(np.array([0.3, -0.2])), pose)


def test_a_graph_freezes_joints_at_zero() -> None:
    graph = small_robot("ur5")
    plan = plan_chain(graph, "tool0", [])
    assert plan.n == 0
    np.testing.assert_allclose(
        plan.pose(np.zeros(0)), OFKTStateSolver(graph).getLinkTransform("tool0"), atol=1e-15
    )


def test_followers_move_with_their_master() -> None:
    solver = OFKTStateSolver(gripper_graph())
    plan = plan_chain(solver, "right_finger", ["left"], base_link="left_finger")
    pose, J = plan.pose_and_jacobian(np.array([0.03]))
    np.testing.assert_allclose(pose[:3, 3], [0.0, -0.06, 0.0], atol=1e-15)
    np.testing.assert_allclose(J[:, 0], [0, -2, 0, 0, 0, 0], atol=1e-15)
    assert plan_chain(solver, "right_finger").joint_names == ("left",)


def test_named_joints_off_the_path_have_zero_columns() -> None:
    plan = plan_chain(small_robot("ur5"), "shoulder_link", ["elbow_joint", "shoulder_pan_joint"])
    _, J = plan.pose_and_jacobian(np.array([0.5, 0.5]))
    np.testing.assert_array_equal(J[:, 0], np.zeros(6))
    assert J[5, 1] == pytest.approx(1.0)


def test_floating_values_are_the_solvers() -> None:
    solver = OFKTStateSolver(
        graph_of("base", joint("jf", "base", "f", "floating"), joint("j", "f", "l", "revolute"))
    )
    solver.setState({"jf": up(2.0)})
    assert plan_chain(solver, "l").pose(np.zeros(1))[2, 3] == 2.0


def test_mistakes_are_refused() -> None:
    solver = OFKTStateSolver(gripper_graph())
    with pytest.raises(KeyError, match="nope"):
        plan_chain(solver, "nope")
    with pytest.raises(KeyError, match="nope"):
        plan_chain(solver, "tcp", base_link="nope")
    with pytest.raises(ValueError, match="right"):
        plan_chain(solver, "tcp", ["right"])
    with pytest.raises(ValueError, match="left"):
        plan_chain(solver, "tcp", ["left", "left"])
    with pytest.raises(TypeError):
        plan_chain(None, "tcp")  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(trees(largest=15), st.data())
def test_any_two_links_have_the_relative_pose(graph: SceneGraph, data: Any) -> None:
    solver = OFKTStateSolver(graph)
    names = solver.getLinkNames()
    base, tip = data.draw(st.sampled_from(names)), data.draw(st.sampled_from(names))
    plan = plan_chain(solver, tip, base_link=base)
    q = np.array(data.draw(st.lists(st.floats(-3, 3), min_size=plan.n, max_size=plan.n)))
    poses = solver.getState(plan.joint_names, q).link_transforms
    pose, J = plan.pose_and_jacobian(q)
    np.testing.assert_allclose(pose, poses[base].inverse() @ poses[tip], atol=1e-12)
    wanted = solver.getJacobian(plan.joint_names, q, tip, base_link=base)
    columns = [solver.getActiveJointNames().index(name) for name in plan.joint_names]
    np.testing.assert_allclose(J, wanted[:, columns], atol=1e-12)
