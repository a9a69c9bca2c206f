"""The SceneGraph rows of the table of what upstream does with bad input."""

from typing import Any

import pytest
from scene_builders import make_graph, make_joint, snapshot

from kinegraph.scene import Link


@pytest.fixture
def graph() -> Any:
    return make_graph(make_joint("j1", "base", "l1"), make_joint("j2", "l1", "l2"))


ANSWERED: dict[str, Any] = {
    "getLink of an unknown name": (lambda g: g.getLink("nope"), None),
    "addJoint self-parent (parent = child)": (
        lambda g: g.addJoint(make_joint("jx", "l1", "l1")),
        False,
    ),
    "addJoint a second time with the same name": (
        lambda g: g.addJoint(make_joint("j1", "base", "l1")),
        False,
    ),
    "setRoot to an unknown link": (lambda g: g.setRoot("nope"), False),
}

RAISED: dict[str, Any] = {
    "getInboundJoints of an unknown link": (lambda g: g.getInboundJoints("nope"), KeyError),
    "getLinkVisibility of an unknown link": (lambda g: g.getLinkVisibility("nope"), KeyError),
    "addLink empty name": (lambda g: g.addLink(Link("")), ValueError),
}


@pytest.mark.parametrize("row", ANSWERED)
def test_a_call_with_names_that_do_not_fit_is_answered(graph: Any, row: Any) -> None:
    call, expected = ANSWERED[row]
    before = snapshot(graph)
    assert call(graph) is expected
    assert snapshot(graph) == before


@pytest.mark.parametrize("row", RAISED)
def test_a_malformed_call_raises(graph: Any, row: Any) -> None:
    call, error = RAISED[row]
    before = snapshot(graph)
    with pytest.raises(error):
        call(graph)
    assert snapshot(graph) == before


def test_no_path_is_told_apart_from_a_path_to_itself(graph: Any) -> None:
    graph.addLink(Link("loose"))
    with pytest.raises(ValueError, match="loose"):
        graph.getShortestPath("base", "loose")
    assert graph.getShortestPath("base", "base").links == ["base"]


def test_a_root_below_another_link_is_accepted_here(graph: Any) -> None:
    # The solvers refuse it.
    assert graph.setRoot("l1") is True
    assert graph.getRoot() == "l1"
