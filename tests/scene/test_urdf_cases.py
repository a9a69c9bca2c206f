"""Small URDF texts with upstream's verdict, and files of the reports."""

import json
import math
from typing import Any

import numpy as np
import pytest
from scene_builders import parse_file, parse_string
from shared_cases import GOLDEN

from kinegraph.scene import (
    Isometry3d,
    JointType,
    KinegraphError,
    SceneGraph,
    URDFError,
)

CASES = {c["name"]: c for c in json.loads((GOLDEN / "scene" / "urdf_cases.json").read_text())}
REPORTS = GOLDEN / "scene" / "reports"

# Where the specification decides otherwise than upstream.
ACCEPTED_BY_US = {
    "no_make_convex",
    "capsule_plain_tag",
    "cone_plain_tag",
    "one_link_no_joint",
    "limit_planar",
    "limit_missing_planar",
    "mesh_missing",
    "origin_tab",
}
REFUSED_BY_US = {
    "mimic_unknown_joint",
    "mimic_self",
    "limit_reversed",
    "inertial_negative_mass",
    "origin_wxyz_zero",
    "empty_link_name",
}
PARTS = {
    "limits": ("limits", {}),
    "mimic": ("mimic", {"joint": "joint_name"}),
    "dynamics": ("dynamics", {}),
    "safety": ("safety", {}),
    "calibration": ("calibration", {}),
}


@pytest.mark.parametrize("name", CASES)
def test_a_text_is_read_or_refused_as_upstream_does(name: Any) -> None:
    case = CASES[name]
    refused = ("error" in case and name not in ACCEPTED_BY_US) or name in REFUSED_BY_US
    if refused:
        with pytest.raises(URDFError) as error:
            parse_string(case["urdf"])
        assert str(error.value).startswith("<string>")
        return
    graph = parse_string(case["urdf"])
    if "result" in case:
        check_result(graph, case["result"])


def check_result(graph: SceneGraph, expected: dict[str, Any]) -> None:
    assert (graph.getName(), graph.getRoot()) == (expected["name"], expected["root"])
    assert [link.getName() for link in graph.getLinks()] == list(expected["links"])
    assert [joint.getName() for joint in graph.getJoints()] == list(expected["joints"])
    for name, about in expected["links"].items():
        check_link(graph.getLink(name), about)
    for name, about in expected["joints"].items():
        check_joint(graph.getJoint(name), about)


def check_joint(joint: Any, about: dict[str, Any]) -> None:
    assert joint.type.name.lower() == about["type"]
    assert (joint.parent_link_name, joint.child_link_name) == (about["parent"], about["child"])
    assert joint.axis.tolist() == about["axis"]
    origin = joint.parent_to_joint_origin_transform.matrix
    np.testing.assert_allclose(origin, about["origin"], atol=1e-15)
    for field, (attribute, renamed) in PARTS.items():
        part = getattr(joint, attribute)
        assert (part is None) == (field not in about)
        for key, value in about.get(field, {}).items():
            assert getattr(part, renamed.get(key, key)) == value


def check_link(link: Any, about: dict[str, Any]) -> None:
    assert len(link.collision) == about.get("collisions", 0)
    assert len(link.visual) == about.get("visuals", 0)
    types = [int(collision.geometry.getType()) for collision in link.collision]
    assert types == about.get("geometry_types", types)
    if "material" in about:
        material = link.visual[0].material
        assert material.getName() == about["material"]["name"]
        assert material.color.tolist() == about["material"]["color"]
        assert material.texture_filename == about["material"]["texture"]
    if "inertial" in about:
        for key, value in about["inertial"].items():
            np.testing.assert_allclose(getattr(link.inertial, key), value)


REFUSED_REPORTS = {
    "K18_lid_no_limit": ["hinge", "limit"],
    "K19_no_effort": ["close", "effort"],
    "K19_no_velocity": ["close", "velocity"],
    "K24_bad_mimic": ["finger_joint_2", "gripper"],
    "K38_commas": ["slew", "0,5"],
    "K40_boom_x": ["boom_joint", "${arm_len/2}"],
    "K50_two_parents": ["shared", "from_a", "from_b"],
    "K51_ring": ["crank_pin", "cycle"],
    "K51_ring_beside_root": ["crank_pin", "back_pin", "cycle"],
    "K51_self_loop": ["crank_pin", "cycle"],
    "K53_gone_link": ["hand_base_joint", "wrist_pitch"],
    "K54_duplicate_link": ["arm"],
    "K54_duplicate_joint": ["mount"],
}


@pytest.mark.parametrize("name", REFUSED_REPORTS)
def test_a_broken_file_is_refused_with_the_names_that_matter(name: Any) -> None:
    path = REPORTS / f"{name}.urdf"
    with pytest.raises(URDFError, match=f"{name}.urdf:[0-9]+: robot ") as error:
        parse_file(path)
    for base in (ValueError, RuntimeError, KinegraphError):
        assert issubclass(URDFError, base)
    for word in REFUSED_REPORTS[name]:
        assert word in str(error.value)
    assert error.value.file == str(path)
    assert path.read_text().splitlines()[(error.value.line or 0) - 1].strip().startswith("<")


def test_a_zero_axis_is_kept_and_left_to_the_solvers() -> None:
    # Report K11: the solvers refuse it; on a fixed joint it means nothing.
    graph = parse_file(REPORTS / "K11_zero_axis_moving.urdf")
    assert graph.getJoint("tilt").axis.tolist() == [0, 0, 0]
    graph = parse_file(REPORTS / "K11_zero_axis_fixed.urdf")
    assert graph.getJoint("bolt").axis.tolist() == [1, 0, 0]


def test_an_axis_left_out_is_x() -> None:
    # Report K12.
    graph = parse_file(REPORTS / "K12_no_axis.urdf")
    assert [joint.axis.tolist() for joint in graph.getJoints()] == [[1, 0, 0]] * 2


def test_a_pitch_of_a_quarter_turn_keeps_roll_and_yaw() -> None:
    # Report K13, at turn = 0.35.
    graph = parse_file(REPORTS / "K13_upright.urdf")
    to_b, to_c, to_d = (joint.parent_to_joint_origin_transform for joint in graph.getJoints())
    b = [[0, 0.963558185417193, 0.267498828624587], [0, 0.267498828624587, -0.963558185417193]]
    c = [0.488296979680106, 0.671317452626538, -0.557583121547184, 0.1]
    d = [-0.654467271618417, 0.717356090899523, -0.238899203074645, 0.176909114313528]
    T = to_b * to_c * Isometry3d.from_rpy([0, 0, 0], [0, 0.35, 0])
    np.testing.assert_allclose(to_b.matrix[:2, :3], b, atol=1e-12)
    np.testing.assert_allclose(T.matrix[0], c, atol=1e-12)
    np.testing.assert_allclose((T * to_d).matrix[2], d, atol=1e-12)


def test_limits_of_a_continuous_joint_do_not_bound_it() -> None:
    # Report K17.
    joint = parse_file(REPORTS / "K17_free_wheel.urdf").getJoint("hub")
    assert joint.position_bounds == (-math.inf, math.inf)
    assert (joint.limits.velocity, joint.limits.effort) == (1.7, 9.0)
    assert (joint.limits.lower, joint.limits.upper) == (-1.5, 1.5)


def test_a_continuous_joint_needs_no_limit() -> None:
    # Report K18.
    joint = parse_file(REPORTS / "K18_knob.urdf").getJoint("knob_turn")
    assert joint.type is JointType.CONTINUOUS
    assert joint.limits.upper == 4 * math.pi
    assert (joint.limits.velocity, joint.limits.acceleration, joint.limits.jerk) == (0, 0, 0)


def test_a_link_and_a_joint_may_share_a_name() -> None:
    # Report K27.
    graph = parse_file(REPORTS / "K27_same_names.urdf")
    for name in ("forearm", "hand"):
        assert graph.getLink(name) is not None
        assert graph.getJoint(name) is not None


def test_numbers_do_not_depend_on_the_language_of_the_computer() -> None:
    # Report K38.
    joint = parse_file(REPORTS / "K38_points.urdf").getJoint("slew")
    assert joint.parent_to_joint_origin_transform.translation.tolist() == [0.5, 1.25, 0.125]
    limits = joint.limits
    assert (limits.lower, limits.upper, limits.effort, limits.velocity) == (-1.5, 1.5, 10.5, 0.75)


@pytest.mark.parametrize("name", ["K42_header", "K44_utf8_bom", "K44_utf16"])
def test_files_bytes_and_texts_give_the_same_graph(name: Any) -> None:
    path = REPORTS / f"{name}.urdf"
    encoding = "utf-16" if name.endswith("utf16") else "utf-8"
    graph = parse_file(path)
    assert parse_string(path.read_bytes()) == graph
    assert parse_string(bytearray(path.read_bytes())) == graph
    assert parse_string(path.read_bytes().decode(encoding)) == graph
    assert parse_file(str(path)) == graph


def test_mesh_names_are_kept_as_written() -> None:
    # Report K45.
    link = parse_file(REPORTS / "K45_meshes.urdf").getLink("body")
    visual, collision = link.visual[0].geometry, link.collision[0].geometry
    assert visual.filename == "package://rig_description/meshes/body.dae"
    assert visual.scale == (0.001, 0.001, 0.001)
    assert collision.filename == "meshes\\collision\\body hull.STL"


def test_links_and_joints_inside_other_elements_do_not_count(caplog: Any) -> None:
    # Report K46.
    graph = parse_file(REPORTS / "K46_nested.urdf")
    assert [link.getName() for link in graph.getLinks()] == ["base", "arm"]
    assert [joint.getName() for joint in graph.getJoints()] == ["turn"]
    kinds = ("transmission", "gazebo", "ros2_control", "v:vendor")
    assert len(caplog.records) == len(kinds)
    assert all(f"<{kind}>" in caplog.text for kind in kinds)
