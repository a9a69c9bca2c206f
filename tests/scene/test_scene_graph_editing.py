"""Edits one at a time; the numbers are those of the checklist in the specification, part F."""

import math
from typing import Any

import numpy as np
import pytest
from scene_builders import (
    at,
    check_invariants,
    five_links,
    make_graph,
    make_joint,
    parse_string,
    snapshot,
)

from kinegraph.scene import (
    AllowedCollisionMatrix,
    Inertial,
    JointLimits,
    JointMimic,
    JointType,
    Link,
    SceneGraph,
    Visual,
)

TWO_TURNS = 4 * math.pi


make_any_joint: Any = make_joint


def names(items: Any) -> list[str]:
    return [item.getName() for item in items]


@pytest.fixture
def graph() -> Any:
    graph = five_links()
    graph.addAllowedCollision("link_1", "link_2", "adjacent")
    graph.addAllowedCollision("link_4", "link_5", "never")
    return graph


def refused(graph: SceneGraph, edit: Any) -> bool:
    before = snapshot(graph)
    answer = edit()
    assert snapshot(graph) == before
    check_invariants(graph)
    return answer is False


def test_the_first_link_is_the_root_and_another_may_be_chosen(graph: Any) -> None:
    assert graph.getRoot() == "link_1"
    assert graph.setRoot("link_3") is True
    assert graph.getRoot() == "link_3"
    assert refused(graph, lambda: graph.setRoot("nope"))
    assert SceneGraph().getRoot() == ""


def test_clear_leaves_the_name_alone(graph: Any) -> None:
    graph.clear()
    assert graph.isEmpty()
    assert (graph.getLinks(), graph.getJoints(), graph.getRoot()) == ([], [], "")
    assert len(graph.getAllowedCollisionMatrix()) == 0
    assert graph.getName() == "five"
    check_invariants(graph)


def test_every_edit_raises_the_revision() -> None:
    graph = SceneGraph("g")
    edits: list[Any] = [
        lambda: graph.setName("h"),
        lambda: graph.addLink(Link("a")),
        lambda: graph.addLink(Link("b")),
        lambda: graph.addJoint(make_joint("j", "a", "b")),
        lambda: graph.addLink(Link("a"), True),
        lambda: graph.addLink(Link("c"), make_joint("k", "a", "c")),
        lambda: graph.changeJointOrigin("j", at(1)),
        lambda: graph.changeJointLimits("j", JointLimits()),
        lambda: graph.changeJointPositionLimits("j", -1, 1),
        lambda: graph.changeJointVelocityLimits("j", 1),
        lambda: graph.changeJointAccelerationLimits("j", 1),
        lambda: graph.changeJointJerkLimits("j", 1),
        lambda: graph.moveJoint("k", "b"),
        lambda: graph.moveLink(make_joint("m", "a", "c")),
        lambda: graph.setRoot("b"),
        lambda: graph.setLinkVisibility("a", False),
        lambda: graph.setLinkCollisionEnabled("a", False),
        lambda: graph.addAllowedCollision("a", "b", ""),
        lambda: graph.removeAllowedCollision("a", "b"),
        lambda: graph.clearAllowedCollisions(),
        lambda: graph.setAllowedCollisionMatrix(AllowedCollisionMatrix()),
        lambda: graph.insertSceneGraph(five_links()),
        lambda: graph.removeJoint("m"),
        lambda: graph.removeLink("c"),
        lambda: graph.clear(),
    ]
    for edit in edits:
        before = graph.revision
        assert edit() is not False
        assert graph.revision > before
        check_invariants(graph)


def test_links_and_joints_are_copied_in() -> None:
    graph: Any = SceneGraph()
    link, joint = Link("b"), make_any_joint("j", "a", "b")
    graph.addLink(Link("a"))
    graph.addLink(link, joint)
    link.addVisual(Visual())
    joint.limits.lower = -9
    joint.axis = (1, 0, 0)
    assert graph.getLink("b").visual == []
    assert graph.getJoint("j").limits.lower == -2
    assert graph.getJoint("j").axis.tolist() == [0, 0, 1]


def test_a_link_that_exists_is_replaced_only_when_allowed(graph: Any) -> None:
    link = Link("link_2")
    link.addVisual(Visual())
    order = names(graph.getLinks())
    assert refused(graph, lambda: graph.addLink(link))
    assert graph.addLink(link, replace_allowed=True)
    assert graph.addLink(link, True)
    assert len(graph.getLink("link_2").visual) == 1
    assert names(graph.getLinks()) == order
    assert names(graph.getInboundJoints("link_2")) == ["joint_1"]
    assert graph.isCollisionAllowed("link_1", "link_2")


def test_a_link_comes_with_its_joint_or_not_at_all(graph: Any) -> None:
    assert graph.addLink(Link("new"), make_joint("j", "link_1", "new"))
    assert names(graph.getInboundJoints("new")) == ["j"]
    for link, joint in (
        ("link_2", make_joint("k", "link_1", "link_2")),
        ("other", make_joint("joint_1", "link_1", "other")),
        ("other", make_joint("k", "nope", "other")),
        ("other", make_joint("k", "link_1", "new")),
        ("other", make_joint("k", "other", "other")),
    ):
        assert refused(graph, lambda link=link, joint=joint: graph.addLink(Link(link), joint))
    unlimited = make_joint("k", "link_1", "other")
    unlimited.limits = None
    assert refused(graph, lambda: graph.addLink(Link("other"), unlimited))


def test_removing_a_link_takes_its_joints_and_pairs(graph: Any) -> None:
    assert graph.removeLink("link_5")
    assert names(graph.getJoints()) == ["joint_1", "joint_2", "joint_3"]
    assert not graph.isCollisionAllowed("link_4", "link_5")
    assert graph.removeLink("link_2")
    assert names(graph.getLinks()) == ["link_1", "link_3", "link_4"]
    assert names(graph.getJoints()) == ["joint_3"]
    assert refused(graph, lambda: graph.removeLink("nope"))
    check_invariants(graph)


def test_removing_recursively_takes_everything_below(graph: Any) -> None:
    assert graph.removeLink("link_3", recursive=True)
    assert names(graph.getLinks()) == ["link_1", "link_2", "link_5"]
    assert graph.removeLink("link_2", True)
    assert names(graph.getLinks()) == ["link_1"]
    check_invariants(graph)


def test_removing_recursively_spares_links_that_another_joint_carries(graph: Any) -> None:
    graph.addJoint(make_joint("second", "link_1", "link_3"))
    assert graph.removeLink("link_2", True)
    assert names(graph.getLinks()) == ["link_1", "link_3", "link_4"]
    check_invariants(graph)


def test_removing_recursively_ends_on_a_cycle() -> None:
    graph = make_graph(
        make_joint("j", "a", "b"), make_joint("k", "b", "c"), make_joint("m", "c", "b")
    )
    assert graph.removeLink("b", True)
    assert names(graph.getLinks()) == ["a"]


def test_removing_the_root_finds_the_next_link_without_parent(graph: Any) -> None:
    graph.removeLink("link_1")
    assert graph.getRoot() == "link_2"
    graph.removeLink("link_2", True)
    assert graph.getRoot() == ""


def test_moving_a_link_replaces_all_joints_above_it(graph: Any) -> None:
    graph.addJoint(make_joint("second", "link_1", "link_3"))
    moved = make_joint("moved", "link_5", "link_3", JointType.FIXED)
    assert graph.moveLink(moved)
    assert names(graph.getInboundJoints("link_3")) == ["moved"]
    assert graph.getJoint("joint_2") is None
    assert graph.getJoint("second") is None
    assert graph.isTree()
    assert graph.moveLink(make_joint("moved", "link_1", "link_3"))
    assert graph.getJoint("moved").parent_link_name == "link_1"
    check_invariants(graph)


@pytest.mark.parametrize(
    ("name", "parent", "child"),
    [
        ("m", "nope", "link_3"),
        ("m", "link_1", "nope"),
        ("joint_4", "link_1", "link_3"),
        ("m", "link_3", "link_3"),
        ("m", "link_4", "link_3"),
    ],
)
def test_a_move_that_does_not_fit_changes_nothing(
    graph: Any, name: Any, parent: Any, child: Any
) -> None:
    assert refused(graph, lambda: graph.moveLink(make_joint(name, parent, child)))


def test_a_joint_needs_two_links_a_free_name_and_limits(graph: Any) -> None:
    unlimited = make_joint("k", "link_1", "link_3")
    unlimited.limits = None
    for joint in (
        make_joint("k", "nope", "link_1"),
        make_joint("k", "link_1", "nope"),
        make_joint("joint_1", "link_1", "link_3"),
        make_joint("k", "link_1", "link_1"),
        unlimited,
    ):
        assert refused(graph, lambda joint=joint: graph.addJoint(joint))
    for kind in (JointType.PRISMATIC, JointType.PLANAR, JointType.UNKNOWN):
        unlimited.type = kind
        assert refused(graph, lambda: graph.addJoint(unlimited))
    for kind in (JointType.FIXED, JointType.FLOATING):
        joint = make_joint(f"k{kind}", "link_1", "link_3", kind)
        assert graph.addJoint(joint)


def test_a_continuous_joint_gets_the_limits_that_it_lacks() -> None:
    graph = make_graph(make_joint("a", "x", "y"))
    joint = make_joint("none", "x", "y", JointType.CONTINUOUS)
    joint.limits = None
    equal = make_joint("equal", "x", "y", JointType.CONTINUOUS)
    equal.limits = JointLimits(0.5, 0.500009, 3, 4, 5, 6)
    own = make_joint("own", "x", "y", JointType.CONTINUOUS)
    assert graph.addJoint(joint)
    assert graph.addJoint(equal)
    assert graph.addJoint(own)
    assert graph.getJointLimits("none") == JointLimits(-TWO_TURNS, TWO_TURNS, 0, 2, 1, 1000)
    assert graph.getJointLimits("equal") == JointLimits(-TWO_TURNS, TWO_TURNS, 3, 4, 5, 6)
    assert graph.getJointLimits("own") == own.limits
    assert joint.limits is None


def test_removing_a_joint_leaves_its_child(graph: Any) -> None:
    assert graph.removeJoint("joint_2")
    assert names(graph.getLinks()) == [f"link_{i}" for i in range(1, 6)]
    assert not graph.isTree()
    assert refused(graph, lambda: graph.removeJoint("nope"))
    check_invariants(graph)


def test_removing_a_joint_recursively_takes_the_subtree_if_nothing_else_carries_it(
    graph: Any,
) -> None:
    graph.addJoint(make_joint("second", "link_1", "link_5"))
    assert graph.removeJoint("joint_4", recursive=True)
    assert graph.getLink("link_5") is not None
    assert graph.removeJoint("joint_2", True)
    assert names(graph.getLinks()) == ["link_1", "link_2", "link_5"]
    check_invariants(graph)


def test_a_moved_joint_is_the_last_of_its_new_parent(graph: Any) -> None:
    assert graph.moveJoint("joint_2", "link_1")
    assert graph.getJoint("joint_2").parent_link_name == "link_1"
    assert names(graph.getOutboundJoints("link_1")) == ["joint_1", "joint_2"]
    assert graph.moveJoint("joint_1", "link_1")
    assert names(graph.getOutboundJoints("link_1")) == ["joint_2", "joint_1"]
    check_invariants(graph)


@pytest.mark.parametrize(
    ("joint", "link"),
    [("nope", "link_1"), ("joint_1", "nope"), ("joint_2", "link_3"), ("joint_2", "link_4")],
)
def test_a_joint_is_not_moved_to_nowhere_or_below_itself(graph: Any, joint: Any, link: Any) -> None:
    assert refused(graph, lambda: graph.moveJoint(joint, link))


def test_a_new_origin_changes_the_weight_of_the_edge(graph: Any) -> None:
    assert graph.networkx()["link_1"]["link_2"]["joint_1"]["weight"] == 1
    assert graph.changeJointOrigin("joint_1", at(3, 4))
    assert graph.getJoint("joint_1").parent_to_joint_origin_transform == at(3, 4)
    assert graph.networkx()["link_1"]["link_2"]["joint_1"]["weight"] == 5
    assert graph.changeJointOrigin("joint_1", at(1).matrix)
    assert refused(graph, lambda: graph.changeJointOrigin("nope", at(1)))


def test_limits_are_changed_one_by_one_or_together(graph: Any) -> None:
    given = JointLimits(-1, 1, 2, 3, 4, 5)
    assert graph.changeJointLimits("joint_4", given)
    given.lower = -9
    assert graph.changeJointPositionLimits("joint_4", -0.5, 0.5)
    assert graph.changeJointVelocityLimits("joint_4", 30)
    assert graph.changeJointAccelerationLimits("joint_4", 40)
    assert graph.changeJointJerkLimits("joint_4", 50)
    assert graph.getJointLimits("joint_4") == JointLimits(-0.5, 0.5, 2, 30, 40, 50)
    handed_out = graph.getJointLimits("joint_4")
    handed_out.lower = -7
    assert graph.getJointLimits("joint_4").lower == -0.5


@pytest.mark.parametrize("joint", ["nope", "joint_1", "joint_3"])
def test_limits_of_unknown_fixed_and_floating_joints_are_not_changed(
    graph: Any, joint: Any
) -> None:
    for edit in (
        lambda: graph.changeJointLimits(joint, JointLimits(-1, 1, 1, 1, 1, 1)),
        lambda: graph.changeJointPositionLimits(joint, -1, 1),
        lambda: graph.changeJointVelocityLimits(joint, 1),
        lambda: graph.changeJointAccelerationLimits(joint, 1),
        lambda: graph.changeJointJerkLimits(joint, 1),
    ):
        assert refused(graph, edit)
    assert graph.getJointLimits(joint) is None


def test_limits_are_made_where_there_are_none() -> None:

    planar = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="planar">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    graph = parse_string(planar)
    assert graph.getJointLimits("j") is None
    assert graph.changeJointVelocityLimits("j", 3)
    assert graph.getJointLimits("j") == JointLimits(velocity=3)


@pytest.mark.parametrize(
    "edit",
    [
        lambda g: g.changeJointPositionLimits("joint_4", 1, -1),
        lambda g: g.changeJointPositionLimits("joint_4", math.nan, 1),
        lambda g: g.changeJointPositionLimits("joint_4", -math.inf, math.inf),
        lambda g: g.changeJointVelocityLimits("joint_4", -1),
        lambda g: g.changeJointAccelerationLimits("joint_4", math.nan),
        lambda g: g.changeJointJerkLimits("joint_4", -1e-9),
        lambda g: g.changeJointLimits("joint_4", JointLimits(0, 0, -1)),
        lambda g: g.changeJointOrigin("joint_4", 2 * at(0).matrix),
        lambda g: g.changeJointOrigin("joint_4", math.nan * at(0).matrix),
        lambda g: g.addLink(Link("x"), limited(JointLimits(1, 0))),
        lambda g: g.addJoint(limited(JointLimits(0, math.nan))),
        lambda g: g.moveLink(limited(JointLimits(0, 1, velocity=-1))),
    ],
)
def test_impossible_numbers_raise_and_change_nothing(graph: Any, edit: Any) -> None:
    before = snapshot(graph)
    with pytest.raises(ValueError, match=r"joint|changeJointOrigin"):
        edit(graph)
    assert snapshot(graph) == before


def limited(limits: JointLimits) -> Any:
    joint = make_joint("bad", "link_1", "x")
    joint.limits = limits
    return joint


@pytest.mark.parametrize(
    "edit",
    [
        lambda g: g.addLink("link"),
        lambda g: g.addLink(Link("x"), 3),
        lambda g: g.addLink(Link("x"), "joint"),
        lambda g: g.addJoint(None),
        lambda g: g.moveLink(None),
        lambda g: g.changeJointLimits("joint_4", None),
        lambda g: g.changeJointVelocityLimits("joint_4", "fast"),
        lambda g: g.changeJointVelocityLimits("joint_4", True),
        lambda g: g.changeJointOrigin("joint_4", None),
        lambda g: g.insertSceneGraph(None),
        lambda g: g.insertSceneGraph(five_links(), 3),
        lambda g: g.insertSceneGraph(five_links(), prefix=3),
        lambda g: g.setName(3),
        lambda g: g.addAllowedCollision(1, "a", ""),
        lambda g: g.addJoint(typed("revolute")),
        lambda g: g.addJoint(typed(1)),
    ],
)
def test_wrong_types_raise_and_change_nothing(graph: Any, edit: Any) -> None:
    before = snapshot(graph)
    with pytest.raises(TypeError):
        edit(graph)
    assert snapshot(graph) == before


def typed(kind: Any) -> Any:
    joint = make_joint("bad", "link_1", "link_4")
    joint.type = kind
    return joint


def test_visibility_and_collision_flags_belong_to_links(graph: Any) -> None:
    graph.setLinkVisibility("link_2", False)
    graph.setLinkCollisionEnabled("link_3", False)
    assert not graph.getLinkVisibility("link_2")
    assert graph.getLinkVisibility("link_3")
    assert not graph.getLinkCollisionEnabled("link_3")
    assert graph.getLink("link_2").visible is False
    calls: list[Any] = [
        lambda: graph.setLinkVisibility("nope", True),
        lambda: graph.getLinkVisibility("nope"),
        lambda: graph.setLinkCollisionEnabled("nope", True),
        lambda: graph.getLinkCollisionEnabled("link_22"),
    ]
    for call in calls:
        with pytest.raises(KeyError, match=r"nope|did you mean 'link_2'"):
            call()


def heavy(mass: Any) -> Link:
    link = Link("heavy")
    link.inertial = Inertial()
    link.inertial.mass = mass
    return link


def shaped(shape: Any) -> Link:
    link = Link("shaped")
    visual = Visual()
    visual.geometry = shape
    link.addVisual(visual)
    return link


@pytest.mark.parametrize("mass", [-1, math.nan, math.inf])
def test_a_link_with_an_impossible_mass_is_refused(graph: Any, mass: Any) -> None:
    before = snapshot(graph)
    with pytest.raises(ValueError, match="link 'heavy'"):
        graph.addLink(heavy(mass))
    assert snapshot(graph) == before


def test_parts_of_wrong_types_are_refused(graph: Any) -> None:
    wrong_part = make_any_joint("k", "link_1", "link_4")
    wrong_name = make_any_joint("k", "link_1", "x")
    wrong_part.limits = JointMimic()
    wrong_name.child_link_name = None
    before = snapshot(graph)
    edits: list[Any] = [
        lambda: graph.addLink(heavy("2 kg")),
        lambda: graph.addLink(shaped("a box")),
        lambda: graph.addJoint(wrong_part),
        lambda: graph.addJoint(wrong_name),
    ]
    for edit in edits:
        with pytest.raises(TypeError, match=r"link|joint"):
            edit()
    assert snapshot(graph) == before


def test_numbers_are_stored_as_floats() -> None:
    joint = make_any_joint("j", "a", "b")
    joint.limits = JointLimits(-1, 1, 2, 3, 4, 5)
    setattr(joint.limits, "lower", np.float32(-1))  # noqa: B010  typed as float
    joint.mimic = JointMimic(1, 2, "x")
    graph = make_graph(joint)
    graph.changeJointVelocityLimits("j", 7)
    stored = graph.getJoint("j")
    assert {type(v) for v in (stored.limits.lower, stored.limits.velocity)} == {float}
    assert type(stored.mimic.offset) is float
