"""Clones, copies and pickles of both solvers, of subclasses too."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kinematics_cases import plain_graph, up
from solver_kinds import current

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, StateSolver


def test_a_state_does_not_follow_the_solver(solver: StateSolver) -> None:
    state = solver.getState()
    pose = state.link_transforms["l3"]
    solver.setState({"j1": 1.0})
    assert state.joints["j1"] == 0.3
    assert state.link_transforms["l3"] == pose


@pytest.mark.parametrize("way", ["clone", "copy", "deepcopy", "pickle"])
def test_a_copy_is_equal_and_independent(solver: StateSolver, way: str) -> None:
    ways: dict[str, Callable[[StateSolver], StateSolver]] = {
        "clone": lambda s: s.clone(),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda s: pickle.loads(pickle.dumps(s)),
    }
    made = ways[way](solver)
    assert type(made) is type(solver)
    assert made.getState() == solver.getState()
    assert made.getLimits() == solver.getLimits()
    assert made.getActiveJointNames() == solver.getActiveJointNames()
    made.setState({"j1": 1.0})
    assert current(solver)["j1"] == 0.3
    solver.setState({"j1": 2.0})
    assert current(made)["j1"] == 1.0


def test_a_solver_does_not_follow_its_graph(solver: StateSolver) -> None:
    graph = plain_graph()
    made = type(solver)(graph)  # type: ignore[call-arg]
    pose = made.getLinkTransform("l3")
    graph.changeJointOrigin("j1", up(5.0))
    assert graph.removeLink("f")
    assert made.getLinkTransform("l3") == pose
    assert made.hasLinkName("f")
    again = type(solver)(graph)  # type: ignore[call-arg]
    assert np.asarray(again.getLinkTransform("l3"))[2, 3] == 7.0


class NamedOfkt(OFKTStateSolver):
    """With an attribute in `__dict__`."""

    label: Any


class SlottedKdl(KDLStateSolver):
    """With an attribute in a slot."""

    __slots__ = ("label", "unset")
    label: Any


@pytest.mark.parametrize("kind", [NamedOfkt, SlottedKdl])
def test_copies_of_a_subclass_have_what_it_adds(kind: Any) -> None:
    solver = kind(plain_graph())
    solver.label = ["mine"]
    for made in (solver.clone(), copy.copy(solver)):
        assert type(made) is kind
        assert made.label is solver.label
    for made in (copy.deepcopy(solver), pickle.loads(pickle.dumps(solver))):
        assert type(made) is kind
        assert made.label == ["mine"]
        assert made.label is not solver.label
        assert made.getState() == solver.getState()
    both = copy.deepcopy([solver, solver])
    assert both[0] is both[1]
