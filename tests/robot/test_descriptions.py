"""The descriptions that come with the package."""

import re

import numpy as np
import pytest
from lxml import etree

from kinegraph.kinematics.chain import plan_chain
from kinegraph.robot.sim.descriptions import (
    DESCRIPTION_NAMES,
    description_path,
    description_text,
)
from kinegraph.scene import Joint, JointType, SceneGraph, parseURDFString
from kinegraph.scene.errors import UnknownNameError

# cartesian-control 1.3.
FR3 = {
    "lower": [-2.7501, -1.7918, -2.9065, -3.0481, -2.8101, 0.54092, -3.0196],
    "upper": [2.7501, 1.7918, 2.9065, -0.1458, 2.8101, 4.5205, 3.0196],
    "velocity": [2.62, 2.62, 2.62, 2.62, 5.26, 4.18, 5.26],
    "effort": [87.0] * 4 + [12.0] * 3,
}
FER = {
    "lower": [-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973],
    "upper": [2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973],
    "velocity": [2.175] * 4 + [2.61] * 3,
    "effort": [87.0] * 4 + [12.0] * 3,
}
OFFSETS = [0.6599, 0.2517, 0.2, 0.3533, 0.5757, 0.4878, 0.4628]
DECELERATIONS = [6.0, 2.585, 3.5, 4.0, 17.0, 5.5, 17.0]


def joint_of(graph: SceneGraph, name: str) -> Joint:
    joint = graph.getJoint(name)
    assert joint is not None
    return joint


@pytest.mark.parametrize(("name", "limits"), [("fr3", FR3), ("fer", FER)])
def test_an_arm_has_seven_joints_with_the_limits_of_the_table(
    name: str, limits: dict[str, list[float]]
) -> None:
    graph = parseURDFString(description_text(name))
    joints = [joint_of(graph, f"{name}_joint{i}") for i in range(1, 8)]
    for field, values in limits.items():
        assert [getattr(joint.limits, field) for joint in joints] == values
    assert [joint.type for joint in graph.getJoints()] == [JointType.REVOLUTE] * 7 + [
        JointType.FIXED
    ]
    assert [link.getName() for link in graph.getLinks()] == [f"{name}_link{i}" for i in range(9)]


def test_the_fr3_has_what_libfranka_reads_at_connect() -> None:
    joints = etree.fromstring(description_text("fr3").encode()).findall("joint")
    for i in range(1, 8):
        matching = [joint for joint in joints if f"joint{i}" in joint.attrib["name"]]
        assert len(matching) == 1
        (extra,) = matching[0].findall("position_based_velocity_limits")
        assert float(extra.attrib["velocity_offset"]) == OFFSETS[i - 1]
        assert float(extra.attrib["deceleration_limit"]) == DECELERATIONS[i - 1]


@pytest.mark.parametrize("name", ["fr3", "fer"])
def test_the_stretched_arm_is_as_long_as_its_denavit_hartenberg_table(name: str) -> None:
    pose = plan_chain(parseURDFString(description_text(name)), f"{name}_link8").pose(np.zeros(7))
    expected = np.diag([1.0, -1.0, -1.0, 1.0])
    expected[:3, 3] = [0.088, 0.0, 0.333 + 0.316 + 0.384 - 0.107]
    np.testing.assert_allclose(pose, expected, atol=1e-12)


def test_the_gripper_is_a_tool_of_ten_links_with_one_driven_and_one_following_finger() -> None:
    graph = parseURDFString(description_text("gripper"))
    moving = {joint.getName(): joint for joint in graph.getJoints() if joint.type != 6}
    assert graph.getRoot() == "palm"
    assert len(graph.getLinks()) == 10
    assert sorted(moving) == ["left_slide", "right_slide"]
    rule = moving["right_slide"].mimic
    assert rule is not None
    assert rule.joint_name == "left_slide"
    assert moving["left_slide"].mimic is None
    assert not [name for name in moving if re.search("joint[1-7]", name)]


def test_the_fingers_meet_in_the_middle_at_the_tip() -> None:
    graph = parseURDFString(description_text("gripper"))
    tip = plan_chain(graph, "tip").pose(np.zeros(0))
    assert 0.12 <= tip[2, 3] <= 0.16
    for opening in (0.0, 0.03):
        left, right = (
            plan_chain(graph, f"{side}_pad", ["left_slide"]).pose(np.array([opening]))
            for side in ("left", "right")
        )
        np.testing.assert_allclose(left[:3, 3], tip[:3, 3] + [0.0, opening, 0.0], atol=1e-12)
        np.testing.assert_allclose(right[:3, 3], tip[:3, 3] - [0.0, opening, 0.0], atol=1e-12)


@pytest.mark.parametrize("name", DESCRIPTION_NAMES)
def test_every_inertial_is_that_of_a_body_that_could_exist(name: str) -> None:
    total = 0.0
    for link in parseURDFString(description_text(name)).getLinks():
        if (i := link.inertial) is None:
            continue
        total += i.mass
        moments = np.linalg.eigvalsh(
            [[i.ixx, i.ixy, i.ixz], [i.ixy, i.iyy, i.iyz], [i.ixz, i.iyz, i.izz]]
        )
        assert i.mass > 0.0
        assert moments[0] > 0.0
        assert moments[0] + moments[1] >= moments[2]
    expected = {"fr3": 17.891, "fer": 16.692, "gripper": 0.7, "hand": 0.73}
    assert total == pytest.approx(expected[name], abs=1e-3)


@pytest.mark.parametrize("name", DESCRIPTION_NAMES)
def test_path_and_text_are_the_same_description(name: str) -> None:
    with description_path(name) as path:
        assert path.read_text(encoding="utf-8") == description_text(name)


def test_an_unknown_description_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'gripper'"):
        description_text("griper")
