"""Edits of a solver's tree: what they return, and what they keep."""

import numpy as np
import pytest
from kinematics_cases import graph_of, gripper_graph, joint, plain_graph, up
from solver_kinds import snapshot

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import Isometry3d, Link


@pytest.fixture
def solver() -> OFKTStateSolver:
    made = OFKTStateSolver(plain_graph())
    made.setState({"j1": 0.3, "j2": -0.4}, {"jf": up(2.0)})
    return made


def test_an_added_link_comes_last_and_stands_at_zero(solver: OFKTStateSolver) -> None:
    new = joint("jx", "l1", "x", "prismatic", origin=up(), limits=(-0.5, 0.5, 1, 2, 3, 4))
    assert solver.addLink(Link("x"), new) is True
    assert solver.getLinkNames() == ["base", "l1", "l2", "l3", "f", "x"]
    assert solver.getJointNames() == ["j1", "j2", "j3", "jf", "jx"]
    assert solver.getActiveLinkNames() == ["l1", "l2", "l3", "x"]
    assert solver.getState().joints == {"j1": 0.3, "j2": -0.4, "jx": 0.0}
    limits = solver.getLimits()
    assert limits.joint_limits[-1].tolist() == [-0.5, 0.5]
    assert limits.jerk_limits[-1].tolist() == [-4.0, 4.0]


def test_a_moved_link_takes_what_is_below_it_along(solver: OFKTStateSolver) -> None:
    assert solver.moveLink(joint("j2", "f", "l2", origin=up(0.5)))
    assert solver.getLinkNames() == ["base", "l1", "l3", "f", "l2"]
    assert solver.getJointNames() == ["j1", "j3", "jf", "j2"]
    assert solver.getActiveJointNames() == ["j1"]
    assert np.asarray(solver.getLinkTransform("l3"))[2, 3] == 2.0 + 0.5 + 1.0
    assert solver.getActiveLinkNames() == ["l1"]


def test_removing_a_link_or_its_joint_takes_the_subtree(solver: OFKTStateSolver) -> None:
    other = solver.clone()
    assert solver.removeLink("l2")
    assert other.removeJoint("j2")
    assert snapshot_names(solver) == snapshot_names(other) == (["base", "l1", "f"], ["j1", "jf"])
    assert solver.getState() == other.getState()
    assert solver.getState().joints == {"j1": 0.3}
    assert solver.removeLink("l2") is False


def snapshot_names(solver: OFKTStateSolver) -> tuple[list[str], list[str]]:
    return solver.getLinkNames(), solver.getJointNames()


def test_a_joint_of_the_same_type_and_parent_is_replaced_in_place(solver: OFKTStateSolver) -> None:
    new = joint("j1", "base", "l1", "revolute", origin=up(3.0), axis=(0, 2, 0))
    new.limits.upper, new.limits.velocity = 1.5, 7.0  # type: ignore[union-attr]
    assert solver.replaceJoint(new)
    assert solver.getJointNames() == ["j1", "j2", "j3", "jf"]
    assert solver.getState().joints["j1"] == 0.3
    assert solver.getLimits().joint_limits[0].tolist() == [-2.0, 1.5]
    assert solver.getLimits().velocity_limits[0].tolist() == [-7.0, 7.0]
    np.testing.assert_allclose(
        solver.getLinkTransform("l1"), Isometry3d.from_rpy((0, 0, 3), (0, 0.3, 0)), atol=1e-15
    )


def test_a_joint_of_another_type_goes_to_the_end(solver: OFKTStateSolver) -> None:
    assert solver.replaceJoint(joint("j1", "base", "l1", "prismatic", origin=up()))
    assert solver.getLinkNames() == ["base", "l2", "l3", "f", "l1"]
    assert solver.getJointNames() == ["j2", "j3", "jf", "j1"]
    assert solver.getState().joints == {"j2": -0.4, "j1": 0.0}
    assert solver.getActiveLinkNames() == ["l1", "l2", "l3"]


def test_replacing_a_floating_joint_sets_its_value(solver: OFKTStateSolver) -> None:
    assert solver.replaceJoint(joint("jf", "base", "f", "floating", origin=up(7.0)))
    assert solver.getState().floating_joints == {"jf": up(7.0)}
    assert solver.getJointNames() == ["j1", "j2", "j3", "jf"]


def test_a_moved_joint_keeps_its_value_and_its_place_in_the_lists(solver: OFKTStateSolver) -> None:
    assert solver.moveJoint("j2", "f")
    assert solver.getLinkNames() == ["base", "l1", "l2", "l3", "f"]
    assert solver.getState().joints == {"j1": 0.3, "j2": -0.4}
    assert solver.getActiveLinkNames() == ["l1", "l2", "l3"]
    assert np.asarray(solver.getLinkTransform("l3"))[2, 3] == pytest.approx(4.0)


def test_a_moved_joint_becomes_the_last_child_even_of_its_own_parent(
    solver: OFKTStateSolver,
) -> None:
    assert solver.moveJoint("j1", "base")
    assert solver.getLinkNames() == ["base", "l1", "l2", "l3", "f"]
    assert solver.getStaticLinkNames() == ["base", "f"]
    assert solver.addLink(Link("g"), joint("jg", "base", "g", "revolute"))
    assert solver.moveJoint("j1", "base")
    assert solver.getActiveLinkNames() == ["g", "l1", "l2", "l3"]


def test_a_changed_origin_moves_all_below_it(solver: OFKTStateSolver) -> None:
    assert solver.changeJointOrigin("j1", np.asarray(up(5.0)))
    assert np.asarray(solver.getLinkTransform("l3"))[2, 3] == pytest.approx(7.0)
    assert solver.changeJointOrigin("jf", up(8.0))
    assert solver.getState().floating_joints["jf"] == up(8.0)


def test_limits_change_for_one_joint_only(solver: OFKTStateSolver) -> None:
    assert solver.changeJointPositionLimits("j2", -0.1, 0.1)
    assert solver.changeJointVelocityLimits("j2", 5)
    assert solver.changeJointAccelerationLimits("j2", 6.0)
    assert solver.changeJointJerkLimits("j2", np.float32(7.0))  # type: ignore[arg-type]
    limits = solver.getLimits()
    assert limits.joint_limits.tolist() == [[-2.0, 2.0], [-0.1, 0.1]]
    assert limits.velocity_limits.tolist() == [[-1.0, 1.0], [-5.0, 5.0]]
    assert limits.acceleration_limits.tolist() == [[-1.0, 1.0], [-6.0, 6.0]]
    assert limits.jerk_limits.tolist() == [[-1.0, 1.0], [-7.0, 7.0]]
    assert solver.getState().joints["j2"] == -0.4  # outside now, and not clamped


def test_nothing_can_be_drawn_from_infinite_limits(solver: OFKTStateSolver) -> None:
    assert solver.changeJointPositionLimits("j2", -np.inf, np.inf)
    with pytest.raises(ValueError, match="j2"):
        solver.getRandomState()
    assert solver.changeJointPositionLimits("j2", 0.25, 0.25)
    assert solver.getRandomState().joints["j2"] == 0.25
    assert solver.changeJointPositionLimits("j2", -1.7e308, 1.7e308)
    assert abs(solver.getRandomState(1).joints["j2"]) <= 1.7e308


def test_a_graph_is_inserted_with_its_prefix_and_only_once(solver: OFKTStateSolver) -> None:
    graph = gripper_graph()
    mount = joint("mount", "l3", "g_palm", origin=up(0.2))
    assert solver.insertSceneGraph(graph, mount, "g_") is True
    assert solver.getLinkNames()[5:] == ["g_palm", "g_left_finger", "g_right_finger", "g_tcp"]
    assert solver.getJointNames()[4:] == ["mount", "g_left", "g_right", "g_tcp_joint"]
    assert solver.getActiveJointNames() == ["j1", "j2", "g_left"]
    before = snapshot(solver)
    assert solver.insertSceneGraph(graph, mount, "g_") is False
    assert snapshot(solver) == before
    assert solver.insertSceneGraph(graph, joint("mount2", "base", "h_palm"), "h_") is True
    solver.setState({"g_left": 0.03, "h_left": 0.01})
    values = solver.getState().joints
    assert (values["g_right"], values["h_right"]) == (-0.03, -0.01)


def test_an_edit_of_the_graph_shows_in_the_next_insertion(solver: OFKTStateSolver) -> None:
    graph = gripper_graph()
    assert solver.insertSceneGraph(graph, joint("a", "base", "a_palm"), "a_")
    graph.changeJointOrigin("tcp_joint", up(0.5))
    assert solver.insertSceneGraph(graph, joint("b", "base", "b_palm"), "b_")
    assert np.asarray(solver.getLinkTransform("a_tcp"))[2, 3] == pytest.approx(0.1)
    assert np.asarray(solver.getLinkTransform("b_tcp"))[2, 3] == pytest.approx(0.5)


def test_a_very_long_prefix_works(solver: OFKTStateSolver) -> None:
    prefix = "p" * 1_000_000
    assert solver.insertSceneGraph(gripper_graph(), joint("a", "l3", prefix + "palm"), prefix)
    assert solver.hasLinkName(prefix + "tcp")


def test_a_graph_can_be_inserted_by_a_moving_joint(solver: OFKTStateSolver) -> None:
    mount = joint("turn", "l3", "palm", "continuous", limits=None)
    assert solver.insertSceneGraph(gripper_graph(), mount)
    assert solver.getActiveJointNames() == ["j1", "j2", "turn", "left"]
    assert solver.insertSceneGraph(
        graph_of("part"), joint("free", "tcp", "part", "floating", origin=up())
    )
    assert solver.getFloatingJointNames() == ["jf", "free"]


def test_values_survive_many_edits(solver: OFKTStateSolver) -> None:
    for number in range(20):
        prefix = f"g{number}_"
        mount = joint(f"mount{number}", "l3", prefix + "palm")
        assert solver.insertSceneGraph(gripper_graph(), mount, prefix)
        solver.setState({prefix + "left": 0.001 * number})
    for number in range(0, 20, 2):
        assert solver.removeLink(f"g{number}_palm")
    joints = solver.getState().joints
    assert joints["j1"] == 0.3
    assert [joints[f"g{n}_left"] for n in range(1, 20, 2)] == [0.001 * n for n in range(1, 20, 2)]
    assert solver.getState().floating_joints == {"jf": up(2.0)}


def test_the_revision_is_the_users_number(solver: OFKTStateSolver) -> None:
    assert solver.getRevision() == 0
    solver.setRevision(7)
    assert solver.removeLink("f")
    assert solver.getRevision() == 7
    assert solver.clone().getRevision() == 7


def test_a_clone_does_not_see_edits(solver: OFKTStateSolver) -> None:
    other = solver.clone()
    before = snapshot(other)
    assert solver.removeLink("l1")
    assert snapshot(other) == before
    assert other.addLink(Link("x"), joint("jx", "l3", "x"))
    assert not solver.hasLinkName("x")


def test_an_edited_solver_equals_one_of_the_edited_graph(solver: OFKTStateSolver) -> None:
    graph = plain_graph()
    new = joint("new", "f", "l2", "prismatic", origin=up())
    for owner in (graph, solver):
        assert owner.moveLink(new)
        assert owner.moveJoint("j1", "f")
    solver.setState({"j1": 0.5, "new": -0.25}, {"jf": up()})
    fresh = KDLStateSolver(graph)
    assert fresh.getState({"j1": 0.5, "new": -0.25}) == solver.getState()
