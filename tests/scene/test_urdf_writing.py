import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from lxml import etree
from odd_graphs import odd_trees
from scene_builders import (
    at,
    five_links,
    make_graph,
    make_joint,
    parse_file,
    parse_string,
    poses,
    trees,
)
from shared_cases import GOLDEN

from kinegraph.scene import (
    Isometry3d,
    JointCalibration,
    JointMimic,
    JointType,
    Link,
    Material,
    Plane,
    SceneGraph,
    Sphere,
    URDFError,
    Visual,
    writeURDFFile,
    writeURDFString,
)

BROKEN = ("K18_lid", "K19", "K24", "K38_commas", "K40", "K50", "K51", "K53", "K54")
FILES = sorted(GOLDEN.glob("kinematics/*/robot.urdf")) + [
    path for path in sorted(GOLDEN.glob("scene/reports/*.urdf")) if not path.name.startswith(BROKEN)
]
CASES = json.loads((GOLDEN / "scene" / "urdf_cases.json").read_text())


INERTIA = ("mass", "ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def bits(graph: SceneGraph) -> list[object]:
    """All names, orders and numbers, the latter bit for bit."""
    found: list[object] = [graph.getName(), graph.getRoot()]
    for link in graph.getLinks():
        found.append(link.getName())
        if link.inertial is not None:
            found += [getattr(link.inertial, name) for name in INERTIA]
            found.append(link.inertial.origin.matrix.tobytes())
        for visual in link.visual:
            material = visual.material
            found += [visual.name, visual.geometry, visual.origin.matrix.tobytes()]
            found += [material.getName(), material.color.tobytes(), material.texture_filename]
        for collision in link.collision:
            found += [collision.name, collision.geometry, collision.origin.matrix.tobytes()]
    for joint in graph.getJoints():
        parts = (joint.limits, joint.mimic, joint.dynamics, joint.safety, joint.calibration)
        found += [joint.getName(), joint.type, joint.parent_link_name, joint.child_link_name]
        found += [joint.axis.tobytes(), joint.parent_to_joint_origin_transform.matrix.tobytes()]
        found += [repr(part) for part in (*parts, joint.position_based_velocity_limits)]
    return found


def check_round_trip(graph: SceneGraph) -> str:
    text = writeURDFString(graph)
    again = parse_string(text)
    assert bits(again) == bits(graph)
    assert again == graph
    assert writeURDFString(again) == text
    return text


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_is_written_back_with_every_number(path: Any) -> None:
    text = check_round_trip(parse_file(path))
    assert "kinegraph:" not in text  # numbers read from a file need no words of our own
    etree.fromstring(text.encode())  # namespace-aware parsers take it


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_can_be_read_can_be_written(case: Any) -> None:
    try:
        graph = parse_string(case["urdf"])
    except URDFError:
        return
    check_round_trip(graph)


@pytest.mark.parametrize("axis", [(1, -0.0, 0), (1, 0, -0.0), (1, 0, 0), (-0.0, -0.0, -0.0)])
def test_a_negative_zero_comes_back(axis: Any) -> None:
    joint = make_joint("j", "a", "b")
    joint.axis = axis
    joint.calibration = JointCalibration(-0.0, -0.0, 0.0)
    check_round_trip(make_graph(joint))


@given(trees())
@settings(max_examples=100, deadline=None)
def test_random_trees_come_back_bit_for_bit(graph: Any) -> None:
    etree.fromstring(check_round_trip(graph).encode())


@given(odd_trees())
@settings(max_examples=100, deadline=None)
def test_odd_names_and_extreme_numbers_come_back_bit_for_bit(graph: Any) -> None:
    text = check_round_trip(graph)
    assert bits(parse_string(text.encode())) == bits(graph)
    etree.fromstring(text.encode())


@given(poses)
@settings(max_examples=200, deadline=None)
def test_any_rotation_comes_back_bit_for_bit(T: Any) -> None:
    again = Isometry3d(T.matrix)  # its angles are forgotten
    graph = make_graph(make_joint("j", "a", "b", JointType.FIXED, again))
    read = parse_string(writeURDFString(graph)).getJoint("j").parent_to_joint_origin_transform
    assert read.matrix.tobytes() == T.matrix.tobytes()


def test_other_readers_get_angles_and_ours_the_exact_rotation() -> None:
    T = Isometry3d.from_quaternion([1, 2, 3], [0.5, 0.5, 0.5, 0.5])
    T = T * Isometry3d.from_rpy([0, 0, 0], [0.1, 0.2, 0.3]) * T
    text = writeURDFString(make_graph(make_joint("j", "a", "b", JointType.FIXED, T)))
    assert 'xmlns:kinegraph="urn:kinegraph:urdf"' in text
    for element in etree.fromstring(text.encode()).iter("origin"):
        rpy = [float(number) for number in element.attrib["rpy"].split()]
        np.testing.assert_allclose(
            Isometry3d.from_rpy(T.translation, rpy).matrix, T.matrix, atol=1e-15
        )


def test_angles_changed_by_hand_win_over_the_exact_rotation() -> None:
    T = Isometry3d(Isometry3d.from_rpy([0, 0, 0], [0.1, 0.2, 0.3]) @ np.eye(4)) * at(0)
    T = T * Isometry3d.from_rpy([0, 0, 0], [0.3, -0.2, 0.7])
    text = writeURDFString(make_graph(make_joint("j", "a", "b", JointType.FIXED, T)))
    origin = next(etree.fromstring(text.encode()).iter("origin"))
    edited = text.replace(f'rpy="{origin.get("rpy")}"', 'rpy="1 0 0"')
    assert edited != text
    read = parse_string(edited).getJoint("j").parent_to_joint_origin_transform
    assert read == Isometry3d.from_rpy([0, 0, 0], [1, 0, 0])


def test_quaternions_are_written_as_they_were_read() -> None:
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">'
        '<parent link="a"/><child link="b"/><origin xyz="1 2 3" wxyz="1 2 3 4"/></joint></robot>'
    )
    assert 'wxyz="1.0 2.0 3.0 4.0"' in check_round_trip(parse_string(text))


def test_the_layout_of_the_text() -> None:
    graph = make_graph(
        make_joint("j", "a", "b", JointType.REVOLUTE, at(0.1, -2, 1e-9)), name='<"&>'
    )
    assert writeURDFString(graph) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<robot name="&lt;&quot;&amp;&gt;" xmlns:tesseract="http://ros.org/wiki/tesseract"'
        ' tesseract:make_convex="false">\n'
        '  <link name="a"/>\n'
        '  <link name="b"/>\n'
        '  <joint name="j" type="revolute">\n'
        '    <parent link="a"/>\n'
        '    <child link="b"/>\n'
        '    <origin xyz="0.1 -2.0 1e-09"/>\n'
        '    <axis xyz="0.0 0.0 1.0"/>\n'
        '    <limit lower="-2.0" upper="2.0" effort="10.0" velocity="1.0" acceleration="0.5"'
        ' jerk="1000.0"/>\n'
        "  </joint>\n"
        "</robot>\n"
    )


def test_materials_are_shared_by_name_unless_they_differ() -> None:
    graph, shared, other = SceneGraph("m"), Material("red"), Material("two")
    shared.color = (1, 0, 0, 1)
    link = Link("a")
    for material in (shared, shared, other, Material("two"), Material()):
        visual = Visual()
        visual.geometry, visual.material = Sphere(1), material.clone()
        link.addVisual(visual)
    link.visual[2].material.color = (0, 0, 1, 1)
    graph.addLink(link)
    text = check_round_trip(graph)
    assert text.count('<material name="red"/>') == 2
    assert text.count('rgba="1.0 0.0 0.0 1.0"') == 1
    assert text.count('<material name="two">') == 2
    assert "default_tesseract_material" not in text


def test_floating_and_planar_joints_are_written() -> None:
    graph = five_links()
    check_round_trip(graph)
    floating = graph.getJoint("joint_3").clone()
    assert floating.type is JointType.FLOATING


def test_axis_and_limits_of_a_joint_without_value_are_left_out() -> None:
    joint = make_joint("j", "a", "b")
    joint.type = JointType.FIXED
    text = writeURDFString(make_graph(joint))
    assert "<axis" not in text
    assert "<limit" not in text


def test_mimic_rules_and_order_survive_a_moved_joint() -> None:
    graph = five_links()
    follower = make_joint("follower", "link_1", "six", JointType.REVOLUTE)
    follower.mimic = JointMimic(0.1, -2, "joint_4")
    graph.addLink(Link("six"), follower)
    graph.moveJoint("joint_2", "link_1")
    check_round_trip(graph)
    again = parse_string(writeURDFString(graph))
    for link in graph.getLinks():
        mine = [joint.getName() for joint in graph.getOutboundJoints(link.getName())]
        assert [j.getName() for j in again.getOutboundJoints(link.getName())] == mine


def unwritable() -> dict[str, Any]:
    unknown = make_joint("j", "a", "b", JointType.UNKNOWN)
    first, second = make_joint("first", "a", "b"), make_joint("second", "b", "c")
    first.mimic, second.mimic = JointMimic(0, 1, "second"), JointMimic(0, 1, "first")
    lost = make_joint("lost", "a", "b")
    lost.mimic = JointMimic(0, 1, "nobody")
    plane, nothing, root, two = Link("a"), Link("a"), five_links(), five_links()
    for link, shape in ((plane, Plane(0, 0, 1, 0)), (nothing, None)):
        visual = Visual()
        visual.geometry = shape
        link.addVisual(visual)
    graphs = [SceneGraph("plane"), SceneGraph("nothing"), SceneGraph("control")]
    for graph, link in zip(graphs, (plane, nothing, Link("a\x01b")), strict=True):
        graph.addLink(link)
    root.setRoot("link_2")
    two.addLink(Link("loose"))
    return {
        "None": None,
        "an empty graph": SceneGraph("empty"),
        "a joint of type UNKNOWN": make_graph(unknown),
        "closes a circle of mimic rules": make_graph(first, second),
        "'lost' mimics 'nobody', which is a joint that does not exist": make_graph(lost),
        "Plane": graphs[0],
        "no geometry": graphs[1],
        "XML cannot hold": graphs[2],
        "is below another link": root,
        "not a tree": two,
    }


@pytest.mark.parametrize("what", unwritable())
def test_what_urdf_cannot_hold_is_refused(what: Any, tmp_path: Any) -> None:
    graph = unwritable()[what]
    words = {"an empty graph": "empty", "a joint of type UNKNOWN": "UNKNOWN"}.get(what, what)
    with pytest.raises(URDFError, match=words):
        writeURDFString(graph)
    with pytest.raises(RuntimeError):
        writeURDFFile(graph, tmp_path, "x")
    assert list(tmp_path.rglob("*.urdf")) == []


def test_a_file_is_written_below_the_package(tmp_path: Any) -> None:
    graph = five_links()
    writeURDFFile(graph, tmp_path / "new" / "package")
    writeURDFFile(graph, str(tmp_path), "other")
    for path in (tmp_path / "new" / "package" / "urdf" / "five.urdf", tmp_path / "urdf/other.urdf"):
        assert parse_file(path) == graph
        assert [file.name for file in path.parent.iterdir()] == [path.name]
    graph.setName("changed")
    writeURDFFile(graph, tmp_path, "other")
    assert parse_file(tmp_path / "urdf" / "other.urdf").getName() == "changed"


@pytest.mark.parametrize("name", ["../x", "a/b", "a\\b", "a\0b"])
def test_a_file_stays_where_it_belongs(name: Any, tmp_path: Any) -> None:
    with pytest.raises(URDFError, match="no file name"):
        writeURDFFile(five_links(), tmp_path, name)
    packages: list[Any] = ["", None]
    for package in packages:
        with pytest.raises(URDFError, match="path is empty"):
            writeURDFFile(five_links(), package)
    graph = five_links()
    graph.setName("")
    with pytest.raises(URDFError, match="give a urdf_name"):
        writeURDFFile(graph, tmp_path)


def test_a_file_that_cannot_be_written_is_a_urdf_error(tmp_path: Any) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(URDFError, match="cannot be written"):
        writeURDFFile(five_links(), blocked)
