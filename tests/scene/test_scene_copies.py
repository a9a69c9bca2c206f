"""Copies of a graph and what it hands out: no way leads back into it."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scene_builders import at, check_invariants, five_links, make_graph, make_joint, snapshot

from kinegraph.scene import AllowedCollisionMatrix, Inertial, JointLimits, Link
from kinegraph.scene.errors import InvalidNameError, KinegraphError, NotFiniteError, WrongTypeError

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda graph: graph.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda graph: pickle.loads(pickle.dumps(graph)),
}


def scene() -> Any:
    graph = five_links()
    graph.addAllowedCollision("link_1", "link_2", "they touch")
    graph.setLinkVisibility("link_3", False)
    return graph


EDITS: list[Callable[[Any], Any]] = [
    lambda graph: graph.changeJointOrigin("joint_4", at(9)),
    lambda graph: graph.changeJointVelocityLimits("joint_4", 9.0),
    lambda graph: graph.setLinkVisibility("link_2", False),
    lambda graph: graph.setLinkCollisionEnabled("link_2", False),
    lambda graph: graph.addAllowedCollision("link_1", "link_2", "another reason"),
    lambda graph: graph.clearAllowedCollisions(),
    lambda graph: graph.moveJoint("joint_4", "link_3"),
    lambda graph: graph.removeLink("link_3", True),
    lambda graph: graph.addLink(Link("new"), make_joint("new", "link_1", "new")),
    lambda graph: graph.setName("other"),
]


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("edit", EDITS)
def test_edits_of_a_copy_stay_in_the_copy_and_those_of_the_original_there(
    how: str, edit: Callable[[Any], Any]
) -> None:
    graph = scene()
    before = snapshot(graph)
    other = COPIES[how](graph)
    assert snapshot(other) == before
    assert other.revision == graph.revision
    edit(other)
    assert snapshot(graph) == before
    assert snapshot(other) != before
    check_invariants(graph)
    check_invariants(other)
    third = COPIES[how](graph)
    edit(graph)
    assert snapshot(third) == before


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_collision_matrix_has_pairs_of_its_own(how: str) -> None:
    matrix = AllowedCollisionMatrix()
    matrix.addAllowedCollision("a", "b", "")
    other = COPIES[how](matrix)
    other.addAllowedCollision("c", "d", "")
    assert len(matrix) == 1
    assert len(other) == 2


def test_what_is_done_to_the_networkx_graph_changes_no_answer() -> None:
    graph = scene()
    graph.networkx().edges["link_1", "link_2", "joint_1"]["weight"] = 100.0
    graph.networkx().remove_node("link_5")
    graph.networkx().add_edge("link_4", "link_1", key="back", weight=0.0)
    assert graph.getShortestPath("link_1", "link_5").joints == ["joint_1", "joint_4"]
    assert graph.getShortestPath("link_1", "link_4").joints == ["joint_1", "joint_2", "joint_3"]
    assert graph.isAcyclic()


def test_links_that_can_be_gone_through_only_once_are_all_seen() -> None:
    graph = scene()
    names = ["link_2", "link_3"]
    assert graph.getAdjacencyMap(iter(names)) == graph.getAdjacencyMap(names) != {}
    assert graph.getJointChildrenNames(iter(["joint_2"])) == graph.getJointChildrenNames("joint_2")


@pytest.mark.parametrize("field", ["lower", "upper", "effort", "velocity", "acceleration", "jerk"])
def test_infinite_limits_equal_themselves_and_nothing_else(field: str) -> None:
    limits = JointLimits()
    setattr(limits, field, float("inf"))
    assert limits == limits.clone()
    assert limits != JointLimits()
    other = limits.clone()
    setattr(other, field, float("-inf"))
    assert limits != other
    setattr(other, field, float("nan"))
    assert limits != other
    assert other != other.clone()


@pytest.mark.parametrize("matrix", [None, "acm", {}, 1, np.zeros(3), Link("a")])
def test_only_a_collision_matrix_is_one(matrix: Any) -> None:
    graph = scene()
    before = snapshot(graph)
    with pytest.raises(WrongTypeError):
        graph.setAllowedCollisionMatrix(matrix)
    with pytest.raises(WrongTypeError):
        graph.getAllowedCollisionMatrix().insertAllowedCollisionMatrix(matrix)
    assert snapshot(graph) == before


@pytest.mark.parametrize("name", [None, 1, np.zeros(3), ["a"], ""])
def test_pairs_are_removed_by_names_only(name: Any) -> None:
    graph = scene()
    before = snapshot(graph)
    with pytest.raises((WrongTypeError, InvalidNameError)):
        graph.removeAllowedCollision(name)
    assert snapshot(graph) == before


@pytest.mark.parametrize(
    ("number", "error"),
    [
        pytest.param(10**5000, NotFiniteError, id="5000 digits"),
        (-(10**400), NotFiniteError),
        (np.longdouble("inf"), NotFiniteError),
        (1j, WrongTypeError),
        (np.complex128(1), WrongTypeError),
        (np.bool_(True), WrongTypeError),
        (np.array([1.0, 2.0]), TypeError),
    ],
)
def test_numbers_of_a_joint_and_a_link_are_real_and_finite(
    number: Any, error: type[Exception]
) -> None:
    graph = scene()
    before = snapshot(graph)
    with pytest.raises(error):
        graph.changeJointVelocityLimits("joint_4", number)
    with pytest.raises(error):
        graph.changeJointPositionLimits("joint_4", 0.0, number)
    link = Link("heavy")
    link.inertial = Inertial()
    link.inertial.mass = number
    with pytest.raises(error):
        graph.addLink(link)
    assert snapshot(graph) == before


def test_masked_and_too_large_numbers_are_no_axis_and_no_origin() -> None:
    joint = make_joint("j", "a", "b")
    before = joint.clone()
    with pytest.raises(WrongTypeError):
        joint.axis = np.ma.array([0.0, 0.0, 1.0], mask=[True, False, False])
    with pytest.raises(WrongTypeError):
        joint.parent_to_joint_origin_transform = np.ma.array(np.eye(4), mask=np.eye(4) > 0)
    huge = np.eye(4, dtype=np.longdouble)
    huge[0, 3] = np.longdouble("inf")
    if float(np.finfo(np.longdouble).max) == float("inf"):  # longer than a float
        huge[0, 3] = np.finfo(np.longdouble).max
    with pytest.raises(NotFiniteError):
        joint.parent_to_joint_origin_transform = huge
    assert joint == before


def test_a_picture_of_any_names_can_be_saved(tmp_path: Path) -> None:
    graph = make_graph(make_joint("j\ud800", 'a"b', "\udfff\n"))
    graph.saveDOT(tmp_path / "graph.dot")
    text = (tmp_path / "graph.dot").read_text(encoding="utf-8")
    assert '"a\\"b"' in text
    with pytest.raises(KinegraphError):
        graph.getSourceLink("j")
