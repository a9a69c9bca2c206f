"""What both solvers promise: class tree, aliases, names, poses, samples."""

from typing import Any

import numpy as np
import pytest
from kinematics_cases import plain_graph
from printed_names import shown
from solver_kinds import SOLVERS, current

from kinegraph.kinematics import KDLStateSolver, MutableStateSolver, OFKTStateSolver, StateSolver

ALIASES = [("setState", "setStateByMap"), ("setState", "setStateByNamesAndValues")]


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize(("name", "upstream_name"), ALIASES)
def test_upstream_name_is_the_same_function(kind: type, name: str, upstream_name: str) -> None:
    assert getattr(kind, upstream_name) is getattr(kind, name)


@pytest.mark.parametrize("kind", [StateSolver, MutableStateSolver])
def test_abstract_solvers_cannot_be_made(kind: type) -> None:
    with pytest.raises(TypeError):
        kind(plain_graph())


def test_the_class_tree_is_tesseracts() -> None:
    assert issubclass(OFKTStateSolver, MutableStateSolver)
    assert issubclass(MutableStateSolver, StateSolver)
    assert issubclass(KDLStateSolver, StateSolver)
    assert not issubclass(KDLStateSolver, MutableStateSolver)
    assert not hasattr(KDLStateSolver, "addLink")


def test_names_come_as_fresh_lists(solver: StateSolver) -> None:
    for names in (
        solver.getJointNames,
        solver.getActiveJointNames,
        solver.getFloatingJointNames,
        solver.getLinkNames,
        solver.getActiveLinkNames,
        solver.getStaticLinkNames,
    ):
        first = names()
        first.append("mine")
        assert "mine" not in names()


def test_link_activity_agrees_with_the_lists(solver: StateSolver) -> None:
    assert solver.getBaseLinkName() == "base"
    assert solver.getLinkNames() == ["base", "l1", "l2", "l3", "f"]
    assert solver.getActiveLinkNames() == ["l1", "l2", "l3"]
    assert solver.getStaticLinkNames() == ["base", "f"]
    for name in solver.getLinkNames():
        assert solver.isActiveLinkName(name) == (name in solver.getActiveLinkNames())
        assert solver.hasLinkName(name)
    assert not solver.isActiveLinkName("nope")
    assert not solver.hasLinkName("nope")


def test_transforms_of_links_agree_in_every_way(solver: StateSolver) -> None:
    state = solver.getState()
    listed = solver.getLinkTransforms()
    by_name = solver.getLinkTransforms(list(state.joints), list(state.joints.values()))
    for name, pose in zip(solver.getLinkNames(), listed, strict=True):
        assert pose == state.link_transforms[name] == by_name[name]
        np.testing.assert_allclose(solver.getLinkTransform(name), pose, atol=1e-15)
    for carrier, link in (("j1", "l1"), ("j3", "l3"), ("jf", "f")):
        assert state.joint_transforms[carrier] == state.link_transforms[link]


def test_relative_transforms_are_those_of_the_poses(solver: StateSolver) -> None:
    for first in solver.getLinkNames():
        for second in solver.getLinkNames():
            found = solver.getRelativeLinkTransform(first, second)
            wanted = solver.getLinkTransform(first).inverse() @ solver.getLinkTransform(second)
            np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_small_changes_are_not_lost(solver: StateSolver) -> None:
    solver.setState({"j1": 0.0, "j2": 0.0})
    first = np.asarray(solver.getLinkTransform("l3"))
    solver.setState({"j1": 1e-9})
    for pose in (solver.getLinkTransform("l3"), solver.getState().link_transforms["l3"]):
        assert np.asarray(pose)[1, 0] - first[1, 0] == pytest.approx(1e-9, rel=1e-6)
    assert np.asarray(solver.getState({"j1": 1e-11}).link_transforms["l3"])[1, 0] == 1e-11


def test_position_limits_are_not_enforced(solver: StateSolver) -> None:
    solver.setState({"j1": 50.0})
    assert current(solver)["j1"] == 50.0


def test_returned_matrices_share_nothing_with_the_solver(solver: StateSolver) -> None:
    wanted = np.array(solver.getLinkTransform("l3"))
    for pose in (solver.getLinkTransform("l3"), solver.getState().link_transforms["l3"]):
        with pytest.raises(ValueError, match="read-only"):
            pose.matrix[0, 3] = 9.0
        np.array(pose)[0, 3] = 9.0
    np.testing.assert_array_equal(solver.getLinkTransform("l3"), wanted)


def test_random_states_lie_within_the_limits_and_can_be_repeated(solver: StateSolver) -> None:
    before = solver.getState()
    states = [solver.getRandomState(7), solver.getRandomState(np.random.default_rng(7))]
    assert states[0] == states[1]
    assert solver.getRandomState() != solver.getRandomState()
    for _ in range(50):
        assert all(-2.0 <= value <= 2.0 for value in solver.getRandomState().joints.values())
    assert states[0] == solver.getState(states[0].joints)
    assert states[0] == solver.getRandomState(rng=np.int64(7))  # type: ignore[arg-type]
    assert solver.getState() == before


@pytest.mark.parametrize("rng", ["x", 1.5, True, [1, 2], np.random.RandomState(1), b"7"], ids=shown)
def test_a_source_of_chance_is_a_generator_or_a_seed(solver: StateSolver, rng: Any) -> None:
    with pytest.raises(TypeError, match="rng"):
        solver.getRandomState(rng)
    for seed in (-1, np.int64(-3)):
        with pytest.raises(ValueError, match="seed"):
            solver.getRandomState(seed)  # type: ignore[arg-type]
