from typing import Any

import pytest
from hypothesis import given, settings
from scene_builders import at, check_invariants, five_links, make_graph, make_joint, trees

from kinegraph.scene import AllowedCollisionMatrix, JointType, Link, SceneGraph, ShortestPath


def names(items: Any) -> list[str]:
    return [item.getName() for item in items]


def with_loops() -> Any:
    """Two ways from a to d: a-b-d of length 2, a-c-d of length 5; and a ring below."""
    return make_graph(
        make_joint("ab", "a", "b", JointType.FIXED, at(1)),
        make_joint("bd", "b", "d", JointType.FLOATING, at(1)),
        make_joint("ac", "a", "c", JointType.REVOLUTE, at(2)),
        make_joint("cd", "c", "d", JointType.REVOLUTE, at(3)),
        make_joint("de", "d", "e", JointType.REVOLUTE, at(1)),
    )


def test_children_and_parents_one_step_away() -> None:
    graph = five_links()
    assert graph.getAdjacentLinkNames("link_2") == ["link_3", "link_5"]
    assert graph.getInvAdjacentLinkNames("link_2") == ["link_1"]
    assert graph.getInvAdjacentLinkNames("link_1") == []
    graph = with_loops()
    graph.addJoint(make_joint("again", "a", "b"))
    assert graph.getAdjacentLinkNames("a") == ["b", "c"]
    assert graph.getInvAdjacentLinkNames("d") == ["b", "c"]


def test_descendants_of_links_and_joints_come_breadth_first() -> None:
    graph = five_links()
    assert graph.getLinkChildrenNames("link_1") == ["link_2", "link_3", "link_5", "link_4"]
    assert graph.getLinkChildrenNames("link_4") == []
    assert graph.getJointChildrenNames("joint_2") == ["link_3", "link_4"]
    assert graph.getJointChildrenNames("joint_1") == ["link_2", "link_3", "link_5", "link_4"]
    assert set(graph.getJointChildrenNames(["joint_3", "joint_4"])) == {"link_4", "link_5"}
    assert sorted(graph.getJointChildrenNames(["joint_1", "joint_4"])) == [
        f"link_{i}" for i in range(2, 6)
    ]
    assert graph.getJointChildrenNames([]) == []


def test_the_adjacency_map_names_the_nearest_link_above() -> None:
    assert five_links().getAdjacencyMap(["link_2", "link_3"]) == {
        "link_2": "link_2",
        "link_5": "link_2",
        "link_3": "link_3",
        "link_4": "link_3",
    }


def test_leaves_carry_no_joint_and_active_joints_have_a_value() -> None:
    graph = five_links()
    assert names(graph.getLeafLinks()) == ["link_4", "link_5"]
    assert names(graph.getActiveJoints()) == ["joint_2", "joint_4"]


def test_source_target_inbound_and_outbound_in_the_order_of_insertion() -> None:
    graph = with_loops()
    assert graph.getSourceLink("cd").getName() == "c"
    assert graph.getTargetLink("cd").getName() == "d"
    assert names(graph.getInboundJoints("d")) == ["bd", "cd"]
    assert names(graph.getOutboundJoints("a")) == ["ab", "ac"]


def test_a_tree_has_one_root_and_no_second_way() -> None:
    graph = five_links()
    assert graph.isTree()
    assert graph.isAcyclic()
    graph.addLink(Link("loose"))
    assert not graph.isTree()
    assert graph.isAcyclic()
    graph.removeLink("loose")
    assert graph.isTree()
    graph.addJoint(make_joint("second", "link_1", "link_5"))
    assert not graph.isTree()
    assert graph.isAcyclic()
    graph.removeJoint("second")
    graph.addJoint(make_joint("back", "link_5", "link_1"))
    assert not graph.isTree()
    assert not graph.isAcyclic()


def test_a_single_link_and_an_empty_graph_are_trees() -> None:
    graph = SceneGraph()
    assert graph.isTree()
    assert graph.isAcyclic()
    graph.addLink(Link("a"))
    assert graph.isTree()


def test_a_ring_beside_the_root_is_no_tree() -> None:
    graph = make_graph(make_joint("j", "b", "c"), make_joint("k", "c", "b"))
    graph.addLink(Link("a"))
    assert len(graph.getJoints()) == len(graph.getLinks()) - 1
    assert not graph.isTree()


def test_the_shortest_path_goes_both_ways_by_length() -> None:
    graph = with_loops()
    expected = ShortestPath(["a", "b", "d", "e"], ["ab", "bd", "de"], ["de"])
    assert graph.getShortestPath("a", "e") == expected
    back = graph.getShortestPath("e", "a")
    assert (back.links, back.joints) == (expected.links[::-1], expected.joints[::-1])
    graph.changeJointOrigin("bd", at(9))
    assert graph.getShortestPath("a", "d") == ShortestPath(
        ["a", "c", "d"], ["ac", "cd"], ["ac", "cd"]
    )
    assert graph.getShortestPath("c", "c") == ShortestPath(["c"], [], [])


def test_the_shorter_of_two_parallel_joints_is_taken() -> None:
    graph = make_graph(
        make_joint("long", "a", "b", JointType.FIXED, at(2)),
        make_joint("back", "b", "a", JointType.FIXED, at(0.5)),
        make_joint("short", "a", "b", JointType.FIXED, at(1)),
    )
    assert graph.getShortestPath("a", "b").joints == ["back"]
    graph.removeJoint("back")
    assert graph.getShortestPath("b", "a").joints == ["short"]


def test_no_way_between_two_links_is_an_error() -> None:
    graph = five_links()
    graph.addLink(Link("loose"))
    with pytest.raises(ValueError, match="'link_1' and 'loose' are not connected"):
        graph.getShortestPath("link_1", "loose")


@pytest.mark.parametrize(
    "call",
    [
        lambda g: g.getInboundJoints("linc_2"),
        lambda g: g.getOutboundJoints("linc_2"),
        lambda g: g.getAdjacentLinkNames("linc_2"),
        lambda g: g.getInvAdjacentLinkNames("linc_2"),
        lambda g: g.getLinkChildrenNames("linc_2"),
        lambda g: g.getAdjacencyMap(["link_1", "linc_2"]),
        lambda g: g.getShortestPath("linc_2", "link_1"),
        lambda g: g.getShortestPath("link_1", "linc_2"),
        lambda g: g.getSourceLink("joynt_2"),
        lambda g: g.getTargetLink("joynt_2"),
        lambda g: g.getJointChildrenNames("joynt_2"),
        lambda g: g.getJointChildrenNames(["joint_1", "joynt_2"]),
    ],
)
def test_unknown_names_are_key_errors_that_suggest_a_name(call: Any) -> None:
    with pytest.raises(KeyError, match=r"2'; did you mean '(link|joint)_2'\?"):
        call(five_links())


def test_unknown_names_give_none_where_none_is_an_answer() -> None:
    graph = five_links()
    assert graph.getLink("nope") is graph.getJoint("nope") is graph.getJointLimits("nope") is None


def test_the_graph_as_networkx_keeps_orders_names_and_lengths() -> None:
    graph = five_links()
    nx_graph = graph.networkx()
    assert list(nx_graph.nodes) == names(graph.getLinks())
    assert sorted(key for *_, key in nx_graph.edges(keys=True)) == names(graph.getJoints())
    assert nx_graph.edges["link_1", "link_2", "joint_1"]["weight"] == 1
    assert graph.networkx() is nx_graph
    graph.addLink(Link("new"))
    assert "new" in graph.networkx()


def test_lists_handed_out_are_the_callers_own() -> None:
    graph = five_links()
    for items in (graph.getLinks(), graph.getJoints(), graph.getOutboundJoints("link_2")):
        items.clear()
    graph.getAllowedCollisionMatrix().addAllowedCollision("a", "b", "")
    assert len(graph.getLinks()) == 5
    assert len(graph.getOutboundJoints("link_2")) == 2
    assert not graph.isCollisionAllowed("a", "b")


def test_dot_text_has_an_edge_per_joint_and_quotes_names(tmp_path: Any) -> None:
    graph = five_links()
    graph.addLink(Link('say "hi"'), make_joint("j\\k", "link_1", 'say "hi"'))
    graph.saveDOT(tmp_path / "graph.dot")
    text = (tmp_path / "graph.dot").read_text(encoding="utf-8")
    assert text.count("->") == 5
    assert '"link_3" -> "link_4" [label="joint_3\\n(Floating)"]' in text
    assert '"link_1" -> "say \\"hi\\"" [label="j\\\\k\\n(Revolute)"]' in text
    for kind in ("Fixed", "Planar"):
        assert f"\\n({kind})" in text
    with pytest.raises(OSError, match="directory"):
        graph.saveDOT(tmp_path)


def test_allowed_collisions_are_unordered_pairs() -> None:
    acm = AllowedCollisionMatrix()
    acm.addAllowedCollision("b", "a", "first")
    acm.addAllowedCollision("a", "b", "second")
    acm.addAllowedCollision("a", "a", "itself")
    acm.addAllowedCollision("c", "b", "")
    assert acm.getAllAllowedCollisions() == {
        ("a", "b"): "second",
        ("a", "a"): "itself",
        ("b", "c"): "",
    }
    assert acm.isCollisionAllowed("b", "a")
    assert not acm.isCollisionAllowed("a", "c")
    acm.removeAllowedCollision("b", "a")
    assert not acm.isCollisionAllowed("a", "b")
    acm.removeAllowedCollision("nope", "a")
    acm.removeAllowedCollision("b")
    assert list(acm.getAllAllowedCollisions()) == [("a", "a")]
    other = AllowedCollisionMatrix()
    assert other != acm
    other.addAllowedCollision("a", "a", "mine")
    other.insertAllowedCollisionMatrix(acm)
    assert other == acm
    acm.clearAllowedCollisions()
    assert len(acm) == 0
    assert len(other) == 1


def test_a_graph_takes_a_copy_of_a_matrix() -> None:
    graph, acm = five_links(), AllowedCollisionMatrix()
    acm.addAllowedCollision("link_1", "link_9", "not there yet")
    graph.setAllowedCollisionMatrix(acm)
    acm.clearAllowedCollisions()
    assert graph.isCollisionAllowed("link_9", "link_1")
    graph.removeAllowedCollision("link_9")
    assert not graph.isCollisionAllowed("link_9", "link_1")
    graph.addAllowedCollision("link_1", "link_2", "")
    graph.clearAllowedCollisions()
    assert graph.getAllowedCollisionMatrix() == AllowedCollisionMatrix()


@given(trees())
@settings(max_examples=40, deadline=None)
def test_random_trees_are_trees_whose_descendants_add_up(graph: Any) -> None:
    check_invariants(graph)
    assert graph.isTree()
    assert graph.isAcyclic()
    everything = {graph.getRoot(), *graph.getLinkChildrenNames(graph.getRoot())}
    assert everything == {link.getName() for link in graph.getLinks()}
    for joint in graph.getJoints():
        path = graph.getShortestPath(graph.getRoot(), joint.child_link_name)
        assert path.joints[-1] == joint.getName()
        assert set(path.links) <= everything
    leaves = {link.getName() for link in graph.getLeafLinks()}
    assert all((name in leaves) == (not graph.getLinkChildrenNames(name)) for name in everything)
