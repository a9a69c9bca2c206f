"""pinocchio's SE3 stands for a transform on the robot's side too."""

from typing import Any

import numpy as np
import pytest
from oracles import third_party
from robot_addresses import fresh_address

from kinegraph.cli.demo_scene import build_scene
from kinegraph.robot import CartesianPose, Robot, SimulatedRobot
from kinegraph.robot.wrenches import transform_wrench
from kinegraph.scene import Isometry3d

POSE = Isometry3d.from_rpy((0.4, -0.1, 0.3), (0.4, -0.5, 0.6))


def se3(pose: Isometry3d) -> Any:
    """The same transform as pinocchio's."""
    return third_party("pinocchio").SE3(pose.matrix.copy())


def test_se3_commands_a_cartesian_pose() -> None:
    assert list(CartesianPose(se3(POSE)).O_T_EE) == list(CartesianPose(POSE).O_T_EE)


def test_se3_moves_a_wrench() -> None:
    wrench = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
    expected = transform_wrench(POSE, wrench)
    np.testing.assert_array_equal(transform_wrench(se3(POSE), wrench), expected)


@pytest.mark.compiled
@pytest.mark.slow
def test_se3_sets_a_target() -> None:
    with (
        SimulatedRobot(host=fresh_address(), lockstep_s=0.2) as sim,
        Robot(sim.address[0]) as robot,
        build_scene(robot) as scene,
    ):
        scene.sync_tool()
        scene.sync_load()
        with scene.cartesian_targets() as arm:
            goal = Isometry3d.from_rpy((0.01, 0.0, 0.0), (0, 0, 0)) @ arm.target_pose()
            arm.set_pose(se3(goal))
            assert arm.target_pose().isApprox(goal, 1e-9)
            assert arm.wait(timeout_s=30.0)
