"""Sessions whose motion the robot's own controller follows, against the simulated robot."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot import (
    CartesianOptions,
    ControlError,
    ControllerMode,
    InvalidOperationError,
    JointOptions,
    JointSent,
    MotionLimits,
    Robot,
    RobotController,
    SceneRobot,
    SimulatedRobot,
    description_text,
    records_from_rows,
)
from kinegraph.robot.control.joint_targets import JointTargets
from kinegraph.robot.control.targets import CartesianTargets
from kinegraph.robot.loop.loop_layout import CYCLE_FIELDS
from kinegraph.robot.wire.state_layout import S_O_T_EE_c, S_q_d
from kinegraph.scene import Isometry3d, parseURDFString
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

HOST = fresh_address()
LIMITS = MotionLimits(0.5, 2.0, 60.0)
ARMS = {5: "fer", 10: "fr3"}


def options(mode: ControllerMode = ControllerMode.CartesianImpedance) -> CartesianOptions:
    """Quick, and followed by the robot."""
    return CartesianOptions(
        limits=LIMITS,
        rotation_limits=MotionLimits(1.0, 4.0, 100.0),
        backend=RobotController(),
        controller_mode=mode,
    )


@pytest.fixture(params=ARMS)
def scene(request: pytest.FixtureRequest) -> Iterator[SceneRobot]:
    """A robot that checks every command, at its flange."""
    with (
        SimulatedRobot(HOST, fci=request.param, lockstep_s=0.2, enforce=True),
        Robot(HOST, version=request.param) as robot,
        SceneRobot(robot, parseURDFString(description_text(ARMS[request.param]))) as built,
    ):
        yield built


def commands(arm: CartesianTargets | JointTargets, name: str) -> Array:
    """What was sent in each cycle, repetitions of the last command among it."""
    at = 0
    for field, count in CYCLE_FIELDS:
        if field == name:
            rows, lost = arm.cycles().read()
            assert lost == 0
            return rows[:, at : at + count]
        at += count
    raise KeyError(name)


@pytest.mark.parametrize("mode", [ControllerMode.JointImpedance, ControllerMode.CartesianImpedance])
def test_the_robots_controller_follows_and_lands(scene: SceneRobot, mode: ControllerMode) -> None:
    states = scene.robot.link.loop.states.reader()
    with scene.cartesian_targets(options(mode)) as arm:
        assert scene.robot.state.controller_mode is mode
        start = arm.target_pose()
        goal = Isometry3d.from_rpy((0.02, -0.01, 0.03), (0.0, 0.0, 0.0)) @ start
        turn = Isometry3d.from_rpy((0.0, 0.0, 0.0), (0.0, 0.1, 0.2))
        arm.set_pose(goal @ turn)
        assert arm.wait(tolerance=5e-3)
        arm.move_by([0.0, 0.01, 0.0])
        aim = arm.target_pose()
    assert not scene.robot.state.last_motion_errors
    sent = commands(arm, "O_T_EE_c")
    records = records_from_rows(arm.records().read()[0])
    np.testing.assert_array_equal(records["pose"], sent[: len(records)])
    assert (sent[len(records) - 251 :] == sent[-1]).all()
    echoes = states.read()[0][:, S_O_T_EE_c : S_O_T_EE_c + 16]
    assert (echoes == sent[-1]).all(axis=1).any()
    assert np.abs(sent[-1][12:15] - aim.translation).max() < 1e-6
    assert not records["backstop_alteration"].any()
    assert not records["tau"].any()


def test_a_chunk_is_followed(scene: SceneRobot) -> None:
    with scene.cartesian_targets(options()) as arm:
        angle = np.linspace(0.0, 2.0 * np.pi, 26)
        circle = 0.02 * np.stack([np.cos(angle) - 1.0, np.sin(angle), 0.0 * angle], axis=1)
        start = arm.target()
        assert arm.follow(start + circle, dt=0.04)
        assert arm.wait(tolerance=5e-3)
        sent = commands(arm, "O_T_EE_c")
    assert np.linalg.norm(sent[:, 12:15] - start, axis=1).max() > 0.035
    assert not records_from_rows(arm.records().read()[0])["backstop_alteration"].any()


def test_a_dry_run_computes_the_whole_motion_and_sends_nothing(scene: SceneRobot) -> None:
    sent, still = scene.robot.counters.sent, scene.robot.state.q
    with scene.cartesian_targets(replace(options(), dry_run=True)) as arm:
        goal = arm.move_by([0.03, 0.0, 0.02])
        wait_until(arm.at_rest)
    records = records_from_rows(arm.records().read()[0])  # the last is the first of a hold
    np.testing.assert_allclose(records["pose"][-1, 12:15], goal.translation, rtol=0, atol=1e-5)
    assert scene.robot.counters.sent == sent
    np.testing.assert_allclose(scene.robot.state.q, still, rtol=0, atol=1e-6)


def test_a_pose_that_strays_is_told_at_the_end(scene: SceneRobot) -> None:
    tight = CartesianOptions(limits=LIMITS, backend=RobotController(), max_deviation=0.01)
    arm = scene.cartesian_targets(tight)
    arm.move_by([0.05, 0.0, 0.0])
    with pytest.raises(ControlError, match="strayed"):
        arm.move_to(arm.target_pose())


def test_what_the_robots_controller_cannot_do_is_refused(scene: SceneRobot) -> None:
    with pytest.raises(InvalidOperationError, match="sync_tool"):
        scene.cartesian_targets(options(), tool="scene")
    with scene.cartesian_targets(options()) as arm:
        before = arm.measured_pose()
        with pytest.raises(InvalidOperationError, match="stays where it is"):
            scene.changeJointOrigin(
                scene_joint(scene), Isometry3d.from_rpy((0.0, 0.0, 0.2), (0.0, 0.0, 0.0))
            )
        assert arm.measured_pose().isApprox(before, 1e-3)


def scene_joint(scene: SceneRobot) -> str:
    """The joint that carries the controlled link."""
    with scene.scene() as (graph, _):
        return graph.getInboundJoints(scene.tip_link)[0].getName()


@pytest.mark.parametrize("mode", [ControllerMode.JointImpedance, ControllerMode.CartesianImpedance])
def test_joint_targets_are_followed_and_landed_on(scene: SceneRobot, mode: ControllerMode) -> None:
    quick = JointOptions(backend=RobotController(), controller_mode=mode)
    states = scene.robot.link.loop.states.reader()
    with scene.joint_targets(quick) as arm:
        assert scene.robot.state.controller_mode is mode
        arm.move_by([0.1, -0.05, 0.1, 0.1, -0.1, 0.1, 0.2])
        assert arm.wait(tolerance=5e-3)
        aim = arm.move_by([-0.05, 0.0, 0.0, 0.05, 0.0, 0.0, -0.1])
    assert not scene.robot.state.last_motion_errors
    sent = commands(arm, "q_c")
    records = records_from_rows(arm.records().read()[0], kind=JointSent)
    np.testing.assert_array_equal(records["q"], sent[: len(records)])
    assert (sent[len(records) - 251 :] == sent[-1]).all()
    assert (states.read()[0][:, S_q_d : S_q_d + 7] == sent[-1]).all(axis=1).any()
    assert np.abs(sent[-1] - aim).max() < 1e-6
    assert not records["backstop_alteration"].any()
    assert not records["tau"].any()
