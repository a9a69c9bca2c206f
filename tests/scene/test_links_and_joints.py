import copy
import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest
from printed_names import shown
from scene_builders import at, make_graph, make_joint

from kinegraph import scene
from kinegraph.scene import (
    Box,
    Collision,
    Inertial,
    Isometry3d,
    Joint,
    JointCalibration,
    JointDynamics,
    JointLimits,
    JointMimic,
    JointSafety,
    JointType,
    Link,
    Material,
    PositionBasedVelocityLimits,
    Sphere,
    Visual,
)

PARTS: list[Any] = [
    JointLimits(-1, 2, 3, 4, 5, 6),
    JointMimic(0.5, -2.0, "master"),
    JointDynamics(1, 2),
    JointSafety(1, -1, 2, 3),
    JointCalibration(1, 2, 3),
    PositionBasedVelocityLimits(0.1, 2.5),
]


def whole_joint() -> Any:
    joint: Any = make_joint("j", "a", "b", JointType.PRISMATIC, at(1, 2, 3))
    joint.limits, joint.mimic, joint.dynamics = (part.clone() for part in PARTS[:3])
    joint.safety, joint.calibration = PARTS[3].clone(), PARTS[4].clone()
    joint.position_based_velocity_limits = PARTS[5].clone()
    return joint


def whole_link() -> Any:
    link: Any = Link("l")
    link.inertial = Inertial()
    link.inertial.mass, link.inertial.ixx = 2.0, 0.5
    for name, shape in (("one", Sphere(1)), ("two", Box(1, 2, 3))):
        visual, collision = Visual(), Collision()
        visual.name = collision.name = name
        visual.geometry = collision.geometry = shape
        link.addVisual(visual)
        link.addCollision(collision)
    link.visible = False
    link.collision_enabled = False
    return link


def test_joint_types_have_upstreams_numbers_and_module_names() -> None:
    order = ["UNKNOWN", "REVOLUTE", "CONTINUOUS", "PRISMATIC", "FLOATING", "PLANAR", "FIXED"]
    assert [kind.name for kind in JointType] == order
    assert [int(kind) for kind in JointType] == list(range(7))
    assert all(getattr(scene, f"JointType_{kind.name}") is kind for kind in JointType)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_a_part_compares_by_its_numbers_and_clears_to_its_defaults(part: Any) -> None:
    twin = part.clone()
    assert twin == part
    assert twin is not part
    for name in part.__dataclass_fields__:
        changed = part.clone()
        value = getattr(part, name)
        setattr(changed, name, value + (1e-3 if not isinstance(value, str) else "x"))
        assert changed != part
        if not isinstance(value, str):
            setattr(changed, name, value + 9e-7)
            assert changed == part
    twin.clear()
    assert twin == type(part)()
    assert (part == 3) is False
    assert type(part).__name__ in repr(part)
    with pytest.raises(TypeError):
        hash(part)


def test_parts_of_other_classes_are_never_equal() -> None:
    assert JointDynamics(0, 0) != PositionBasedVelocityLimits(0, 0)


def test_a_mimic_rule_follows_one_to_one_by_default() -> None:
    assert (JointMimic().offset, JointMimic().multiplier, JointMimic().joint_name) == (0, 1, "")


def test_large_numbers_compare_relatively() -> None:
    assert JointDynamics(1e20, 0) == JointDynamics(1e20 * (1 + 2e-16), 0)
    assert JointDynamics(1e20, 0) != JointDynamics(1e20 * (1 + 1e-15), 0)


def test_a_new_joint_has_the_defaults() -> None:
    joint = Joint("j")
    assert joint.type is JointType.UNKNOWN
    assert joint.axis.tolist() == [1, 0, 0]
    assert (joint.parent_link_name, joint.child_link_name) == ("", "")
    assert joint.parent_to_joint_origin_transform == Isometry3d()
    parts = (joint.limits, joint.mimic, joint.dynamics, joint.safety, joint.calibration)
    assert parts == (None,) * 5
    changed = whole_joint()
    changed.clear()
    assert changed == joint
    assert changed.getName() == "j"


def test_a_joint_clone_is_deep_and_may_be_renamed() -> None:
    joint = whole_joint()
    twin = joint.clone()
    assert twin == joint
    twin.limits.lower = -9
    twin.mimic.joint_name = "other"
    assert joint.limits.lower == -1
    assert joint.mimic.joint_name == "master"
    renamed = joint.clone("k")
    assert renamed.getName() == "k"
    assert renamed != joint
    names = (renamed.parent_link_name, renamed.child_link_name, renamed.mimic.joint_name)
    assert names == ("a", "b", "master")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("type", JointType.REVOLUTE),
        ("axis", (0, 1, 0)),
        ("parent_link_name", "x"),
        ("child_link_name", "x"),
        ("parent_to_joint_origin_transform", at(1, 2, 3.1)),
        ("limits", None),
        ("mimic", None),
        ("dynamics", None),
        ("safety", None),
        ("calibration", None),
        ("position_based_velocity_limits", None),
        ("limits", JointLimits()),
    ],
)
def test_joints_differ_when_any_field_differs(field: Any, value: Any) -> None:
    changed = whole_joint()
    setattr(changed, field, value)
    assert changed != whole_joint()


def test_a_joints_axis_and_origin_are_checked_and_copied() -> None:
    joint = Joint("j")
    axis = np.array([0.0, 3, 4])
    joint.axis = axis
    axis[:] = 0
    assert joint.axis.tolist() == [0, 3, 4]
    with pytest.raises(ValueError, match="read-only"):
        joint.axis[0] = 1
    joint.parent_to_joint_origin_transform = np.eye(4)
    for bad in ([0, 0], [0, 0, math.nan], [[0, 0, 1]]):
        with pytest.raises(ValueError, match="axis of joint 'j'"):
            joint.axis = bad
    with pytest.raises(ValueError, match="origin of joint 'j'"):
        joint.parent_to_joint_origin_transform = np.zeros((4, 4))
    with pytest.raises(TypeError):
        joint.axis = "0 0 1"
    assert joint.axis.tolist() == [0, 3, 4]


def test_position_bounds_do_not_bound_a_continuous_joint() -> None:
    joint = whole_joint()
    assert joint.position_bounds == (-1, 2)
    joint.type = JointType.CONTINUOUS
    assert joint.position_bounds == (-math.inf, math.inf)
    joint.type = JointType.FIXED
    assert joint.position_bounds == (0, 0)
    joint.type, joint.limits = JointType.PLANAR, None
    assert joint.position_bounds == (-math.inf, math.inf)


def test_each_visual_has_a_default_material_of_its_own() -> None:
    one, other = Visual(), Visual()
    assert one.material is not other.material
    assert one.material == other.material
    assert one.material.color.tolist() == [0.5, 0.5, 0.5, 1]
    one.material.color = (1, 0, 0, 1)
    assert one.material != other.material
    assert one != other
    assert other.material.color.tolist() == [0.5, 0.5, 0.5, 1]


def test_a_materials_name_is_fixed_and_may_be_empty() -> None:
    material: Any = Material("")
    no_name: Any = None
    assert material.getName() == ""
    material.texture_filename = "t.png"
    assert material.clone() == material
    material.clear()
    assert material == Material("")
    with pytest.raises(AttributeError):
        material.name = "x"
    with pytest.raises(TypeError):
        Material(no_name)


def test_a_link_clone_keeps_flags_and_copies_shapes() -> None:
    link = whole_link()
    twin = link.clone()
    assert twin == link
    assert (twin.visible, twin.collision_enabled) == (False, False)
    assert twin.visual[0].geometry is link.visual[0].geometry
    twin.visual[0].name = "other"
    twin.inertial.mass = 9
    twin.collision.clear()
    assert link == whole_link()
    assert link.clone("k").getName() == "k"


def test_links_compare_shapes_without_regard_to_order() -> None:
    link, twin = whole_link(), whole_link()
    twin.visual.reverse()
    twin.collision = twin.collision[::-1]
    assert twin == link
    twin.addVisual(Visual())
    assert twin != link
    twin = whole_link()
    twin.visual[0].origin = at(1)
    assert twin != link
    twin = whole_link()
    twin.collision[1].name = "one"
    assert twin != link
    twin = whole_link()
    twin.inertial = None
    assert twin != link


def test_clearing_a_link_empties_it_and_keeps_its_flags() -> None:
    link = whole_link()
    link.clear()
    assert (link.inertial, link.visual, link.collision) == (None, [], [])
    assert link.visible is False
    link = whole_link()
    link.clearVisual()
    link.clearCollision()
    assert (link.visual, link.collision) == ([], [])


@pytest.mark.parametrize("cls", [Link, Joint])
def test_names_are_non_empty_texts(cls: Any) -> None:
    with pytest.raises(ValueError, match="empty"):
        cls("")
    for bad in (None, 3, b"x"):
        with pytest.raises(TypeError, match="must be a str"):
            cls(bad)
    with pytest.raises(ValueError, match="empty"):
        cls("x").clone("")


@pytest.mark.parametrize(
    "value", [whole_joint(), whole_link(), Visual(), Material("m"), Inertial(), *PARTS], ids=shown
)
def test_elements_survive_pickling_and_copying(value: Any) -> None:
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.deepcopy(value) == value
    assert copy.copy(value) == value


def test_what_a_graph_hands_out_cannot_be_edited() -> None:
    graph = make_graph(make_joint("j", "a", "b"))
    graph.addLink(whole_link())
    joint, link = graph.getJoint("j"), graph.getLink("l")
    for owner, field, value in (
        (joint, "type", JointType.FIXED),
        (joint, "axis", (0, 1, 0)),
        (joint, "parent_to_joint_origin_transform", at(1)),
        (joint.limits, "lower", -9),
        (link, "visible", True),
        (link, "inertial", None),
        (link.inertial, "mass", 9),
        (link.visual[0], "origin", at(1)),
        (link.visual[0].material, "color", (1, 1, 1, 1)),
    ):
        before = getattr(owner, field)
        with pytest.raises(AttributeError, match="belongs to a scene graph"):
            setattr(owner, field, value)
        assert getattr(owner, field) is before
    for edit in (link.clearVisual, link.clear, lambda: link.addCollision(Collision())):
        with pytest.raises(AttributeError, match="belongs to a scene graph"):
            edit()
    link.visual.clear()
    assert len(link.visual) == 2


def test_clones_and_copies_of_what_a_graph_hands_out_can_be_edited() -> None:
    graph = make_graph(make_joint("j", "a", "b"))
    graph.addLink(whole_link())
    for twin in (graph.getJoint("j").clone(), copy.deepcopy(graph.getJoint("j"))):
        twin.limits.lower = -9
        twin.type = JointType.FIXED
        assert type(twin) is Joint
    for twin in (graph.getLink("l").clone(), pickle.loads(pickle.dumps(graph.getLink("l")))):
        twin.inertial.mass = 7
        twin.visual[0].material.color = (1, 1, 1, 1)
        assert type(twin) is Link
    replaced = dataclasses.replace(graph.getJoint("j").limits, lower=-1)
    replaced.upper = 9
    assert replaced == JointLimits(-1, 9, 10, 1, 0.5, 1000)
    assert type(graph.getLink("l"))("new").visual == []
    assert graph.getJoint("j").limits.lower == -2
    assert isinstance(graph.getLink("l"), Link)
    assert graph.getLink("l") == whole_link()


def test_elements_show_what_they_are() -> None:
    graph = make_graph(make_joint("j", "a", "b"))
    graph.addAllowedCollision("a", "b", "")
    assert repr(graph.getJoint("j")) == "Joint('j', REVOLUTE, 'a' -> 'b')"
    assert repr(graph.getLink("a")) == "Link('a', 0 visuals, 0 collisions)"
    assert repr(graph) == "SceneGraph('graph', root='a', 2 links, 1 joints)"
    assert repr(graph.getAllowedCollisionMatrix()) == "AllowedCollisionMatrix(1 pairs)"
    assert repr(at(1, 2, 3)) == "Isometry3d(xyz=(1, 2, 3), rpy=(0, 0, 0))"
    assert "Sphere" in repr(whole_link().visual[0])


def test_elements_are_unequal_to_anything_else() -> None:
    for element in (whole_joint(), whole_link(), Visual(), Collision(), Inertial(), Material("m")):
        assert (element == "something else") is False
        assert element != 3


def test_a_sealed_attribute_cannot_be_deleted() -> None:
    joint = make_graph(make_joint("j", "a", "b")).getJoint("j")
    with pytest.raises(AttributeError, match="belongs to a scene graph"):
        del joint.limits
    assert joint.limits is not None
