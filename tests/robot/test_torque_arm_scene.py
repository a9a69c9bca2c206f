"""Targets of any link of an arm that is no Franka, in the frames of its scene."""

import numpy as np
import pytest
from other_arms import ROBOTS, described, start_of
from scene_builders import at, make_joint

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm, describe_arm
from kinegraph.scene import Isometry3d, JointType, Link, parseURDFFile
from kinegraph.scene.errors import UnknownJointError, UnknownLinkError

pytestmark = pytest.mark.compiled

START = described("ur5").tip_pose(start_of("ur5"))
FINGER = at(0.0, 0.0, 0.12)
PLACE = START @ FINGER


def cell() -> tuple[SimulatedArm, ArmControl]:
    """A UR5 with a finger on a slide at its tool, and a part on a belt where the finger is."""
    graph = parseURDFFile(str(ROBOTS / "ur5.urdf"))
    base = graph.getRoot()
    belt = Isometry3d.from_rpy(PLACE.translation, (-np.pi / 2, 0.0, 0.0))  # z along the base's y
    for joint in (
        make_joint("belt", base, "part", JointType.PRISMATIC, belt),
        make_joint("slide", "tool0", "finger", JointType.PRISMATIC, FINGER),
    ):
        assert graph.addLink(Link(joint.child_link_name), joint)
    names = described("ur5").joint_names
    description = describe_arm(graph, "finger", joint_names=names)
    arm = SimulatedArm(description, start_of("ur5"))
    return arm, ArmControl(arm, description)


def test_a_link_follows_a_part_on_a_belt() -> None:
    _, control = cell()
    place = control.link_pose("part").inverse() @ control.link_pose("finger")
    with control.cartesian_targets(pace="stepped") as targets:
        targets.set_target(place, link="finger", frame="part")
        off, along = [], 0.0
        for k in range(150):
            # A belt that speeds up within the budgets, and tells every 10 ms where it is.
            speed = 0.1 * min(1.0, k / 40)
            control.set_joint("belt", along, velocity=speed)
            control.step(10)
            along += 10e-3 * speed
            control.set_joint("belt", along, velocity=speed)
            now = control.link_pose("part").inverse() @ control.link_pose("finger")
            off.append(np.linalg.norm(now.translation - place.translation))
    assert along > 0.1
    assert max(off) < 8e-3
    assert max(off[70:]) < 4e-3


def test_a_target_of_a_link_that_is_not_the_controlled_one() -> None:
    _, control = cell()
    with control.cartesian_targets(pace="stepped") as targets:
        flange = control.link_pose("tool0")
        targets.set_target(at(0.0, 0.03) @ flange, link="tool0")
        assert targets.wait()
        assert control.link_pose("tool0").isApprox(at(0.0, 0.03) @ flange, 2e-3)
        with pytest.raises(UnknownLinkError):
            targets.set_target(flange, frame="nowhere")
        with pytest.raises(InvalidArgumentError, match="at or below the flange"):
            targets.set_target(flange, link="part")


def test_a_tool_that_moves_takes_the_controlled_link_along() -> None:
    arm, control = cell()
    with control.cartesian_targets(pace="stepped") as targets:
        control.set_joint("slide", 0.02)
        control.step(2000)
        # The arm goes back by what the finger goes forth.
        assert targets.measured_pose().isApprox(PLACE, 2e-3)
        assert np.linalg.norm(control.link_pose("tool0").translation - START.translation) > 0.015
        with pytest.raises(InvalidArgumentError, match="the arm itself sets"):
            control.set_joint("elbow_joint", 0.0)
        with pytest.raises(UnknownJointError):
            control.set_joint("belts", 0.0)
    assert arm.is_braked
