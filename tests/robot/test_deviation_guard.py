"""The guard of the distance from the start: what is said before it acts, and when it has."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from other_arms import described, start_of

from kinegraph.robot.control import CARTESIAN, CartesianOptions, JointOptions, MotionLimits
from kinegraph.robot.errors import ControlError, InvalidArgumentError
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm, cartesian_law, joint_law
from kinegraph.scene import Isometry3d

pytestmark = pytest.mark.compiled

UR5 = described("ur5")
NEAR = CartesianOptions(
    limits=MotionLimits(0.5, 2.0, 60.0),
    rotation_limits=MotionLimits(2.0, 8.0, 100.0),
    backend=cartesian_law(UR5.table, CARTESIAN),
    max_deviation=0.02,
    max_angular_deviation=0.1,
)
BENT = JointOptions(backend=joint_law(UR5.table), max_deviation=0.1)
UP = np.array([0.0, 0.0, 0.04])
TURN = [0.0, 0.0, 0.0, 0.0, 0.0, 0.2]
STEP = np.array([0.0, 0.0, 0.0, 0.2, 0.0, 0.0])


def control() -> ArmControl:
    """An arm at its start."""
    return ArmControl(SimulatedArm(UR5, start_of("ur5")), UR5)


@pytest.mark.parametrize(
    ("go", "field"),
    [
        (lambda arm: arm.move_to(arm.target() + UP), "distance"),
        (lambda arm: arm.follow([arm.target() + UP], 60.0), "distance"),
        (lambda arm: asyncio.run(arm.move_to_async(arm.target() + UP)), "distance"),
        (lambda arm: arm.move_by(TURN) and arm.wait(), "angle"),
    ],
    ids=["move_to", "follow", "async", "turn"],
)
def test_a_pose_that_strayed_is_told_with_its_numbers_and_those_allowed(
    go: Callable[[Any], object], field: str
) -> None:
    arm = control().cartesian_targets(NEAR, pace="stepped")
    with pytest.raises(ControlError, match=r"strayed.*options is 0\.02 m") as end:
        go(arm)
    assert end.value.__context__ is None  # nothing of ours stands above it
    allowed = {"distance": 0.02, "angle": 0.1}[field]
    assert allowed < getattr(end.value, field) < 2.0 * allowed
    with pytest.raises(ControlError, match="strayed"):
        arm.stop()


def test_a_joint_that_strayed_is_told_by_its_number() -> None:
    arm = control().joint_targets(BENT, pace="stepped")
    with pytest.raises(ControlError, match=r"joint 4 strayed.*max_deviation.*0\.1 rad") as end:
        arm.move_to(arm.target() + STEP)
    assert end.value.joint == 4
    assert 0.1 < end.value.distance < 0.2
    with pytest.raises(ControlError, match="strayed"):
        arm.stop()


FAR: list[Callable[[Any], object]] = [
    lambda arm: arm.set_position(arm.target() + UP),
    lambda arm: arm.set_pose(arm.target_pose() @ Isometry3d.from_rpy((0, 0, 0), (0, 0, 0.2))),
    lambda arm: arm.move_by(TURN),
    lambda arm: arm.set_target(
        arm.target_pose() @ Isometry3d.from_rpy(UP, (0, 0, 0)), link="tool0"
    ),
]


@pytest.mark.parametrize("go", FAR, ids=["position", "pose", "turn", "link"])
def test_a_target_beyond_the_guard_is_logged_once(
    go: Callable[[Any], object], caplog: pytest.LogCaptureFixture
) -> None:
    with control().cartesian_targets(NEAR, pace="stepped") as arm:
        start = arm.target_pose()
        with caplog.at_level(logging.WARNING, "kinegraph.robot"):
            arm.move_by([0.0, 0.0, 0.019])
            arm.move_by([0.0, 0.0, -0.019, 0.0, 0.0, 0.09])
            assert caplog.messages == []
            arm.set_pose(start)
            go(arm)
            go(arm)
        (message,) = caplog.messages
        assert "max_deviation of its options is 0.02 m, max_angular_deviation 0.1 rad" in message
        arm.set_pose(start)


def test_a_joint_target_beyond_the_guard_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with control().joint_targets(BENT, pace="stepped") as arm:
        start = arm.target()
        with caplog.at_level(logging.WARNING, "kinegraph.robot"):
            arm.set_joints(start + 0.09)
            assert caplog.messages == []
            arm.set_joints(start + STEP)
            arm.set_joints(start + STEP)
        (message,) = caplog.messages
        assert "the target of joint 4 is 0.2 rad from the start" in message
        arm.set_joints(start)


def test_joint_targets_on_their_bounds_are_taken_and_beyond_refused() -> None:
    with control().joint_targets(BENT, pace="stepped") as arm:
        start = arm.target()
        for bound, outward in zip(arm.bounds(), (-1.0, 1.0), strict=True):
            for joint in range(6):
                q = start.copy()
                q[joint] = bound[joint]
                arm.set_joints(q)
                q[joint] += outward * 1e-6
                with pytest.raises(InvalidArgumentError, match=f"joint {joint + 1} "):
                    arm.set_joints(q)
        arm.set_joints(np.clip(start, *arm.bounds()))
        np.testing.assert_array_equal(arm.target(), start)


def test_a_position_alone_is_no_target_of_a_link() -> None:
    with control().cartesian_targets(NEAR, pace="stepped") as arm:
        for link, frame in ((None, None), ("tool0", None), (None, "base")):
            with pytest.raises(InvalidArgumentError, match="quat_xyzw"):
                arm.set_target(arm.target(), link=link, frame=frame)
        with pytest.raises(InvalidArgumentError, match="set_position keeps"):
            arm.set_pose(arm.target())
