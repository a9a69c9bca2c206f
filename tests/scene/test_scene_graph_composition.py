import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from scene_builders import (
    check_invariants,
    five_links,
    make_graph,
    make_joint,
    parse_file,
    snapshot,
    trees,
)
from shared_cases import GOLDEN

from kinegraph.scene import JointLimits, JointMimic, JointType, Link, SceneGraph

REPORTS = GOLDEN / "scene" / "reports"


def names(items: Any) -> list[str]:
    return [item.getName() for item in items]


def tool() -> Any:
    follower = make_joint("right", "palm", "right_finger", JointType.PRISMATIC)
    follower.mimic = JointMimic(0, -1, "left")
    graph = make_graph(
        make_joint("left", "palm", "left_finger", JointType.PRISMATIC), follower, name="tool"
    )
    graph.addAllowedCollision("palm", "left_finger", "adjacent")
    graph.setLinkVisibility("palm", False)
    graph.setLinkCollisionEnabled("left_finger", False)
    return graph


def refused(graph: SceneGraph, insert: Any) -> bool:
    before = snapshot(graph)
    answer = insert()
    assert snapshot(graph) == before
    return answer is False


@pytest.mark.parametrize("prefix", ["", "t_"])
def test_into_an_empty_graph_everything_comes_with_its_root(prefix: Any) -> None:
    inserted = tool()
    inserted.setRoot("palm")
    graph: Any = SceneGraph("cell")
    assert graph.insertSceneGraph(inserted, prefix)
    assert graph.getRoot() == f"{prefix}palm"
    assert graph.getName() == "cell"
    assert names(graph.getLinks()) == [prefix + name for name in names(inserted.getLinks())]
    assert names(graph.getJoints()) == [f"{prefix}left", f"{prefix}right"]
    assert graph.isCollisionAllowed(f"{prefix}left_finger", f"{prefix}palm")
    assert not graph.getLinkVisibility(f"{prefix}palm")
    assert not graph.getLinkCollisionEnabled(f"{prefix}left_finger")
    assert graph.getJoint(f"{prefix}right").mimic.joint_name == f"{prefix}left"
    assert graph.isTree()
    check_invariants(graph)


def test_the_root_travels_even_when_it_is_not_the_first_link() -> None:
    inserted = SceneGraph()
    inserted.addLink(Link("child"))
    inserted.addLink(Link("top"))
    inserted.addJoint(make_joint("j", "top", "child"))
    inserted.setRoot("top")
    graph = SceneGraph()
    graph.insertSceneGraph(inserted, "p_")
    assert graph.getRoot() == "p_top"


def test_without_a_joint_the_graphs_stand_side_by_side() -> None:
    graph = five_links()
    graph.addAllowedCollision("link_1", "link_2", "")
    assert graph.insertSceneGraph(graph.clone(), prefix="p_")
    assert (len(graph.getLinks()), len(graph.getJoints())) == (10, 8)
    assert len(graph.getAllowedCollisionMatrix()) == 2
    assert graph.getRoot() == "link_1"
    assert not graph.isTree()
    assert graph.isAcyclic()


def test_a_graph_can_be_inserted_into_itself() -> None:
    graph = five_links()
    assert refused(graph, lambda: graph.insertSceneGraph(graph))
    assert graph.insertSceneGraph(graph, make_joint("mount", "link_4", "p_link_1"), "p_")
    assert graph.isTree()
    assert (len(graph.getLinks()), len(graph.getJoints())) == (10, 9)


def test_with_a_joint_the_result_is_a_tree() -> None:
    graph = five_links()
    mount = make_joint("mount", "link_4", "t_palm", JointType.FIXED)
    inserted = tool()
    assert graph.insertSceneGraph(inserted, mount, "t_")
    assert graph.isTree()
    assert names(graph.getJoints())[-3:] == ["t_left", "t_right", "mount"]
    assert inserted == tool()
    check_invariants(graph)


def test_prefix_and_joint_may_be_given_by_name() -> None:
    graph = five_links()
    mount = make_joint("mount", "link_4", "t_palm")
    assert graph.insertSceneGraph(scene_graph=tool(), joint=mount, prefix="t_")
    assert SceneGraph().insertSceneGraph(tool(), prefix="t_")


@pytest.mark.parametrize(
    ("name", "parent", "child", "prefix"),
    [
        ("m", "nope", "t_palm", "t_"),  # unknown parent
        ("m", "link_1", "palm", "t_"),  # child without the prefix
        ("m", "link_1", "x_palm", "t_"),  # as long, but not the prefix
        ("m", "link_1", "t_nope", "t_"),  # no such link in the tool
        ("m", "link_1", "t_left_finger", "t_"),  # not the tool's root
        ("joint_1", "link_1", "t_palm", "t_"),  # name taken here
        ("t_left", "link_1", "t_palm", "t_"),  # name taken by an inserted joint
        ("m", "t_palm", "t_palm", "t_"),  # parent is an inserted link
        ("m", "link_1", "p", "longer than the child's name"),
    ],
)
def test_a_joint_that_does_not_fit_changes_nothing(
    name: Any, parent: Any, child: Any, prefix: Any
) -> None:
    graph = five_links()
    mount = make_joint(name, parent, child)
    assert refused(graph, lambda: graph.insertSceneGraph(tool(), mount, prefix))


def test_names_that_are_taken_change_nothing() -> None:
    graph = five_links()
    graph.insertSceneGraph(tool(), "t_")
    assert refused(graph, lambda: graph.insertSceneGraph(tool(), "t_"))
    other = make_graph(make_joint("joint_1", "x", "y"))
    assert refused(graph, lambda: graph.insertSceneGraph(other))
    assert refused(graph, lambda: graph.insertSceneGraph(other, make_joint("m", "link_1", "x")))


def test_missing_and_impossible_limits_are_noticed_before_anything_changes() -> None:
    graph = five_links()
    mount = make_joint("mount", "link_4", "t_palm")
    mount.limits = None
    assert refused(graph, lambda: graph.insertSceneGraph(tool(), mount, "t_"))
    mount.limits = JointLimits(1, -1)
    before = snapshot(graph)
    with pytest.raises(ValueError, match="lower limit"):
        graph.insertSceneGraph(tool(), mount, "t_")
    assert snapshot(graph) == before
    mount.type, mount.limits = JointType.CONTINUOUS, None
    assert graph.insertSceneGraph(tool(), mount, "t_")
    assert graph.getJointLimits("mount").velocity == 2


def test_an_empty_graph_has_no_root_to_attach() -> None:
    graph = five_links()
    mount = make_joint("m", "link_1", "t_")
    assert refused(graph, lambda: graph.insertSceneGraph(SceneGraph(), mount, "t_"))
    assert graph.insertSceneGraph(SceneGraph(), "t_")


def test_a_prefix_may_be_as_long_as_it_likes() -> None:
    graph, prefix = five_links(), "p" * 1_000_000
    mount = make_joint("mount", "link_1", prefix + "palm")
    assert graph.insertSceneGraph(tool(), mount, prefix)
    assert graph.getLink(prefix + "palm") is not None


def test_one_gripper_can_be_mounted_twice() -> None:
    # Report K55.
    cell, grip = (parse_file(REPORTS / f"K55_{name}.urdf") for name in ("cell", "grip"))
    left = make_joint("mount_l", "flange", "left_palm", JointType.FIXED)
    right = make_joint("mount_r", "table", "right_palm", JointType.FIXED)
    assert cell.insertSceneGraph(grip, left, "left_")
    assert cell.insertSceneGraph(grip, right, "right_")
    assert sorted(names(cell.getActiveJoints())) == ["axis_1", "left_open", "right_open"]
    assert cell.isTree()


def test_a_second_insertion_with_clashing_names_is_refused() -> None:
    # Report K56.
    cell, grip = (parse_file(REPORTS / f"K56_{name}.urdf") for name in ("cell", "grip"))
    assert cell.insertSceneGraph(grip, make_joint("mount_1", "flange", "palm", JointType.FIXED))
    again = make_joint("mount_2", "table", "palm", JointType.FIXED)
    assert refused(cell, lambda: cell.insertSceneGraph(grip, again))
    third = make_joint("mount_1", "table", "b_palm", JointType.FIXED)
    assert refused(cell, lambda: cell.insertSceneGraph(grip, third, "b_"))


def test_pairs_alone_count_as_a_change_too() -> None:
    graph, pairs = five_links(), SceneGraph("pairs")
    pairs.addAllowedCollision("a", "b", "why")
    before = graph.revision
    assert graph.insertSceneGraph(pairs, "p_")
    assert graph.isCollisionAllowed("p_a", "p_b")
    assert graph.revision > before


@given(trees(), trees(4))
@settings(max_examples=30, deadline=None)
def test_random_trees_join_to_trees(graph: Any, other: Any) -> None:
    prefix = "/".join(names(graph.getLinks())) + "/"
    mount = make_joint("mount", names(graph.getLinks())[-1], prefix + other.getRoot())
    links = names(graph.getLinks()) + [prefix + name for name in names(other.getLinks())]
    assert graph.insertSceneGraph(other, mount, prefix)
    assert names(graph.getLinks()) == links
    assert graph.isTree()
    check_invariants(graph)
    for joint in other.getJoints():
        twin = graph.getJoint(prefix + joint.getName())
        assert twin.parent_to_joint_origin_transform == joint.parent_to_joint_origin_transform
        assert twin.limits == joint.limits


@given(trees())
@settings(max_examples=30, deadline=None)
def test_clones_pickles_and_copies_are_equal_and_independent(graph: Any) -> None:
    graph.addAllowedCollision("a", "b", "r")
    graph.setLinkVisibility(graph.getRoot(), False)
    for twin in (graph.clone(), pickle.loads(pickle.dumps(graph)), copy.deepcopy(graph)):
        assert snapshot(twin) == snapshot(graph)
        assert twin == graph
        check_invariants(twin)
        assert twin.addLink(Link("a link of its own"))
        assert twin != graph
        twin.removeLink("a link of its own")
        twin.setLinkVisibility(graph.getRoot(), True)
        twin.removeAllowedCollision("a")
        assert not graph.getLinkVisibility(graph.getRoot())
        assert graph.isCollisionAllowed("a", "b")


def test_what_was_compiled_stays_behind() -> None:
    graph = five_links()
    graph._compiled = (graph.revision, object())
    assert graph.clone()._compiled is None
    assert pickle.loads(pickle.dumps(graph))._compiled is None


def test_equality_looks_at_links_joints_and_pairs_only() -> None:
    graph, other = five_links(), SceneGraph("other name")
    for link in reversed(graph.getLinks()):
        other.addLink(link)
    for joint in reversed(graph.getJoints()):
        other.addJoint(joint)
    assert other.getRoot() != graph.getRoot()
    assert other == graph
    other.addAllowedCollision("a", "b", "")
    assert other != graph
    other = five_links()
    other.changeJointVelocityLimits("joint_4", 9)
    assert other != graph
    other = five_links()
    other.addLink(Link("link_6"))
    assert other != graph
    assert (graph == "graph") is False
    with pytest.raises(TypeError):
        hash(graph)
