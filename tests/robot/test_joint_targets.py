"""Joint target sessions, and sessions without a scene, against the simulated robot."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address

from kinegraph.robot import (
    CartesianOptions,
    ControlError,
    ControllerMode,
    InvalidArgumentError,
    InvalidOperationError,
    JointLimits,
    JointOptions,
    JointSent,
    JointTargets,
    Robot,
    RobotController,
    SceneRobot,
    SimulatedRobot,
    TuningUpdate,
    description_text,
    records_from_rows,
)
from kinegraph.robot.control import arm_table
from kinegraph.scene import Isometry3d, parseURDFString

pytestmark = pytest.mark.compiled

HOST = fresh_address()


@pytest.fixture(params=[5, 10])
def robot(request: pytest.FixtureRequest) -> Iterator[Robot]:
    """A robot that checks every command, with a tool on it."""
    with (
        SimulatedRobot(HOST, fci=request.param, lockstep_s=0.2, enforce=True),
        Robot(HOST, version=request.param) as client,
    ):
        yield client


@pytest.fixture
def quick(robot: Robot) -> JointOptions:
    """Half of what the arm can do."""
    return JointOptions(limits=JointLimits.share_of(arm_table(robot.version), 0.5))


@pytest.fixture
def arm(robot: Robot, quick: JointOptions) -> Iterator[JointTargets]:
    """A running session."""
    running = robot.start_joint_target_control(quick)
    yield running
    running.cancel()


def test_targets_are_reached_and_every_cycle_leaves_a_record(
    robot: Robot, quick: JointOptions
) -> None:
    with robot.start_joint_target_control(quick) as arm:
        start = arm.target()
        assert start == pytest.approx(robot.state.q, abs=1e-4)
        goal = start + np.array([0.1, -0.05, 0.05, 0.1, -0.1, 0.1, 0.2])
        arm.set_joints(goal)
        assert arm.wait()
        assert arm.at_rest()
        assert arm.state().q == pytest.approx(goal, abs=1e-3)
        back = arm.move_by(start - goal)
        assert back == pytest.approx(start, abs=1e-12)
        assert arm.move_to(start)
    rows, lost = arm.records().read()
    sent = records_from_rows(rows, kind=JointSent)
    assert lost == 0
    assert len(sent) == arm.cycle_count
    assert np.all(sent["cap_scale"] == 1.0)
    assert np.all(sent["tau_envelope"] == 0.0)
    assert np.array_equal(sent["q"], sent["q_goal"])
    assert np.array_equal(JointSent.from_row(rows[-1]).target, arm.target())
    assert not robot.state.last_motion_errors


def test_a_chunk_is_followed_and_an_event_loop_stays_free(arm: JointTargets) -> None:
    start = arm.target()
    chunk = start + 0.05 * np.sin(np.linspace(0.0, np.pi, 11))[:, None]

    async def there_and_back() -> bool:
        followed = await arm.follow_async(chunk, dt=0.02)
        return followed and await arm.move_to_async(start)

    assert arm.follow(chunk, dt=0.02)
    assert asyncio.run(there_and_back())
    assert arm.missing() < 1e-3


def test_bad_targets_are_refused_and_change_nothing(arm: JointTargets) -> None:
    before = arm.target()
    inside = before.copy()
    inside[3] = -4.0
    bad: list[Any] = [[1, 2], "up", None, np.full(7, np.nan), inside, before + 100.0]
    for q in bad:
        for call in (arm.set_joints, arm.move_to, lambda q: arm.follow([before, q], 0.1)):
            with pytest.raises(InvalidArgumentError):
                call(q)
    with pytest.raises(InvalidArgumentError, match="joint 4"):
        arm.set_joints(inside)
    with pytest.raises(InvalidArgumentError, match="joint 1"):
        arm.move_by([9.0, 0, 0, 0, 0, 0, 0])
    assert np.array_equal(arm.target(), before)
    arm.cancel()
    for q, kind in ((before, InvalidOperationError), (inside, InvalidArgumentError)):
        with pytest.raises(kind):
            arm.set_joints(q)
    with pytest.raises(InvalidOperationError):
        arm.set_joints(np.full(7, np.nan))


def test_what_is_missing_when_the_time_is_up(arm: JointTargets) -> None:
    goal = arm.target()
    goal[5] += 0.3
    with pytest.raises(ControlError, match=r"joint 6 is .* mrad off.*under way") as caught:
        arm.move_to(goal, timeout_s=0.0)
    # It was asked where the arm is under way: between its start and where it is now.
    assert abs(goal[5] - arm.measured()[5]) - 5e-3 <= caught.value.distance <= 0.3 + 5e-3
    assert np.array_equal(arm.target(), goal)


def test_an_arm_that_strays_ends_the_session(robot: Robot, quick: JointOptions) -> None:
    close = JointOptions(limits=quick.limits, max_deviation=0.05)
    arm = robot.start_joint_target_control(close)
    step = np.zeros(7)
    step[0] = 0.2
    with pytest.raises(ControlError, match="max_deviation"):
        arm.move_to(arm.target() + step)
    assert not arm.is_running


def test_the_robots_own_controller_follows_joint_targets(robot: Robot, quick: JointOptions) -> None:
    by_robot = replace(quick, backend=RobotController())
    with robot.start_joint_target_control(by_robot) as arm:
        assert robot.state.controller_mode is ControllerMode.JointImpedance
        assert arm.move_to(arm.target() + 0.05, tolerance=1e-3)
    rows, _ = arm.records().read()
    sent = records_from_rows(rows, kind=JointSent)
    assert np.all(sent["tau"] == 0.0)
    assert np.abs(sent["backstop_alteration"]).max() == 0.0
    assert not robot.state.last_motion_errors


def test_joint_targets_cannot_be_tuned(arm: JointTargets) -> None:
    with pytest.raises(InvalidOperationError):
        arm.tuning()
    with pytest.raises(InvalidOperationError):
        arm.tune(TuningUpdate(cartesian_stiffness=500.0))


def test_one_session_at_a_time(arm: JointTargets, robot: Robot) -> None:
    for start in (robot.start_joint_target_control, robot.start_cartesian_target_control):
        with pytest.raises(InvalidOperationError):
            start()
    for call in (lambda: arm.tune(TuningUpdate(ik_damping=0.1)), arm.tuning):
        with pytest.raises(InvalidOperationError, match="cannot be tuned"):
            call()
    assert arm.is_running


def test_the_end_effector_is_controlled_without_a_scene(robot: Robot) -> None:
    robot.set_EE(Isometry3d.from_rpy((0.0, 0.0, 0.12), (0.0, 0.0, -0.5)).to_column_major())
    robot.set_load(0.5, [0.0, 0.0, 0.05], np.zeros(9))
    with robot.start_cartesian_target_control(CartesianOptions()) as arm:
        tip = robot.state.isometry("O_T_EE")
        assert arm.target() == pytest.approx(tip.translation, abs=1e-4)
        step = np.array([0.0, 0.0, 0.02])
        assert arm.move_to(arm.target() + step, tolerance=5e-3)
        moved = robot.state.isometry("O_T_EE").translation - tip.translation
        assert moved == pytest.approx(step, abs=5e-3)


def test_the_joints_of_a_scene_are_controlled(robot: Robot) -> None:
    graph = parseURDFString(description_text({5: "fer", 10: "fr3"}[robot.version]))
    with SceneRobot(robot, graph) as scene, scene.joint_targets() as arm:
        start = arm.target()
        step = np.zeros(7)
        step[6] = 0.05
        arm.move_by(step)
        assert arm.wait()
        assert scene.robot.state.q[6] - start[6] == pytest.approx(0.05, abs=2e-3)
        with pytest.raises(InvalidArgumentError, match="JointOptions"):
            scene.joint_targets(CartesianOptions())  # type: ignore[arg-type]
