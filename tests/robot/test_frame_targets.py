"""Targets in the frames of a scene that moves, and another controlled link while a session runs."""

from collections.abc import Iterator

import numpy as np
import pytest
from robot_addresses import fresh_address
from stepped_network import SteppedNetwork, stepped_network
from waiting_for import wait_until

from kinegraph.cli.demo_scene import PART, TIP, box, build_scene
from kinegraph.robot import (
    CartesianOptions,
    InvalidArgumentError,
    InvalidOperationError,
    MotionLimits,
    Robot,
    RobotController,
    SceneRobot,
    SimulatedRobot,
)
from kinegraph.robot.control.record_layout import R_pose, R_target, R_velocity
from kinegraph.robot.control.targets import CartesianTargets
from kinegraph.scene import Isometry3d, Joint, JointLimits, JointType, UnknownLinkError
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

HOST = fresh_address()
OPTIONS = CartesianOptions(
    limits=MotionLimits(0.6, 2.0, 100.0), max_deviation=1.0, max_angular_deviation=3.0
)
BELT, FIXTURE, STEP_S, MOVES = "belt", "fixture", 0.02, 50


@pytest.fixture
def scene() -> Iterator[SceneRobot]:
    """The demo's scene with a belt that carries a fixture along y, 10 cm in front of the tip."""
    with (
        SimulatedRobot(host=HOST, lockstep_s=0.2) as sim,
        Robot(sim.address[0]) as robot,
        build_scene(robot) as built,
    ):
        add_belt(built)
        yield built


def add_belt(scene: SceneRobot) -> None:
    """Put the belt in, and make the scene's tool known to the robot."""
    belt = Joint(BELT)
    belt.type = JointType.PRISMATIC
    belt.axis = np.array([0.0, 1.0, 0.0])
    belt.limits = JointLimits(-1.0, 1.0, 10.0, 1.0, 1.0)
    belt.parent_link_name, belt.child_link_name = scene.arm.base_link, FIXTURE
    belt.parent_to_joint_origin_transform = scene.tip_pose() @ at(0.0, 0.0, -0.02)
    assert scene.addLink(box(FIXTURE, (0.05, 0.05, 0.05)), belt)
    scene.sync_tool()
    scene.sync_load()


@pytest.fixture
def arm(scene: SceneRobot) -> Iterator[CartesianTargets]:
    running = scene.cartesian_targets(OPTIONS)
    yield running
    running.cancel()


def at(x: float, y: float, z: float) -> Isometry3d:
    return Isometry3d.from_rpy((x, y, z), (0.0, 0.0, 0.0))


def run_belt(
    network: SteppedNetwork, scene: SceneRobot, arm: CartesianTargets, speed: float, *, told: bool
) -> Array:
    """Move the belt every 20 ms for a second of the robot's time; returns the records until then.

    The clock stands while it is moved.
    """
    begun, moves, records = arm.robot_time(), 0, []

    def move() -> None:
        nonlocal moves
        passed = arm.robot_time() - begun
        if moves < MOVES and passed > STEP_S * (moves + 1) - 1e-6:
            moves += 1
            scene.set_joint(BELT, speed * passed, speed if told else None)
            if moves == MOVES:
                records.append(arm.records().read()[0])

    network.before_state = move
    wait_until(lambda: bool(records))
    return records[0]


@pytest.mark.parametrize("told", [True, False], ids=["speed given", "speed by its moves"])
def test_a_target_in_a_moving_frame_is_tracked(told: bool) -> None:
    with stepped_network() as (network, robot), build_scene(robot) as scene:
        add_belt(scene)
        with scene.cartesian_targets(OPTIONS) as arm:
            track_a_belt(network, scene, arm, told)


def track_a_belt(
    network: SteppedNetwork, scene: SceneRobot, arm: CartesianTargets, told: bool
) -> None:
    arm.set_target(at(0.0, 0.0, 0.02), frame=FIXTURE)
    assert arm.wait(tolerance=2e-3, timeout_s=60.0)
    late = run_belt(network, scene, arm, 0.1, told=told)[-300:]
    away = late[:, R_pose + 12 : R_pose + 15] - late[:, R_target : R_target + 3]
    # Ahead by what the law's two low-passes of 10 Hz take: so the arm is on it.
    away -= 0.0328 * late[:, R_velocity : R_velocity + 3]
    assert np.median(np.linalg.norm(away, axis=1)) < 5e-4
    speed = np.linalg.norm(late[:, R_velocity : R_velocity + 3], axis=1)
    np.testing.assert_allclose(np.median(speed), 0.1, atol=0.01)
    # The belt has stopped; what was carried on is taken back.
    scene.set_joint(BELT, 0.1, 0.0)
    assert arm.wait(tolerance=2e-3, timeout_s=60.0)
    want = scene.relative_pose(scene.arm.base_link, FIXTURE) @ at(0.0, 0.0, 0.02)
    np.testing.assert_allclose(arm.target(), want.translation, atol=1e-9)


def test_another_target_ends_the_frames_hold(scene: SceneRobot, arm: CartesianTargets) -> None:
    arm.set_target(at(0.0, 0.0, 0.02), frame=FIXTURE)
    arm.move_by([0.0, 0.0, 0.01])
    before = arm.target()
    scene.set_joint(BELT, 0.05)
    np.testing.assert_array_equal(arm.target(), before)
    arm.set_target((0.0, 0.0, 0.02), (0.0, 0.0, 0.0, 1.0), frame=FIXTURE)
    placed = scene.relative_pose(scene.arm.base_link, FIXTURE) @ at(0.0, 0.0, 0.02)
    np.testing.assert_allclose(arm.target_pose().matrix, placed.matrix, atol=1e-9)
    # An edit takes the target along as a joint does; a jump has no velocity.
    origin = scene.relative_pose(scene.arm.base_link, FIXTURE)
    scene.changeJointOrigin(BELT, at(0.02, 0.0, 0.0) @ origin)
    moved = scene.relative_pose(scene.arm.base_link, FIXTURE) @ at(0.0, 0.0, 0.02)
    np.testing.assert_allclose(arm.target_pose().matrix, moved.matrix, atol=1e-9)
    assert scene.removeLink(FIXTURE)
    np.testing.assert_allclose(arm.target_pose().matrix, moved.matrix, atol=1e-9)
    with pytest.raises(UnknownLinkError):
        arm.set_target(at(0, 0, 0), frame=FIXTURE)


def test_the_speed_of_a_joint_elsewhere_does_not_count(
    scene: SceneRobot, arm: CartesianTargets
) -> None:
    arm.set_target(at(0.0, 0.0, 0.02), frame=FIXTURE)
    scene.set_joint(BELT, 0.0, 0.05)
    given = arm.target()
    wait_until(lambda: float(np.linalg.norm(arm.target() - given)) > 1e-3)
    scene.set_joint(BELT, 0.0, 0.0)
    scene.set_joint("gripper/left_slide", 0.01, 0.02)
    np.testing.assert_allclose(arm.target(), given, atol=1e-9)
    scene.changeJointOrigin(BELT, scene.relative_pose(scene.arm.base_link, FIXTURE))
    np.testing.assert_allclose(arm.target(), given, atol=1e-9)
    with pytest.raises(InvalidArgumentError, match="velocity"):
        scene.set_joint(BELT, 0.1, np.nan)


def test_any_link_below_the_flange_may_be_sent(scene: SceneRobot, arm: CartesianTargets) -> None:
    hand = scene.relative_pose(scene.arm.base_link, "gripper/palm") @ at(0.0, 0.0, 0.03)
    arm.set_target(hand, link="gripper/palm")
    assert arm.wait(tolerance=2e-3, timeout_s=30.0)
    seen = scene.relative_pose(scene.arm.base_link, "gripper/palm")
    np.testing.assert_allclose(seen.matrix, hand.matrix, atol=3e-3)
    with pytest.raises(InvalidArgumentError, match="at or below the flange"):
        arm.set_target(hand, link=PART)
    with pytest.raises(UnknownLinkError):
        arm.set_target(hand, link="gripper/thumb")
    with pytest.raises(InvalidArgumentError):
        arm.set_target(np.full((4, 4), np.nan), frame=FIXTURE)


def test_a_frame_on_the_arm_is_taken_as_it_stands(scene: SceneRobot, arm: CartesianTargets) -> None:
    arm.set_target(at(0.0, 0.0, 0.02), frame=TIP)
    before = arm.target()
    assert arm.wait(tolerance=2e-3, timeout_s=30.0)
    scene.set_joint(BELT, 0.02)
    np.testing.assert_array_equal(arm.target(), before)


def test_another_controlled_link_takes_the_target_over_and_the_arm_stays(
    scene: SceneRobot, arm: CartesianTargets
) -> None:
    q = np.array(arm.state().q)
    step = scene.relative_pose(TIP, "gripper/palm")
    before = arm.target_pose()
    scene.set_tip_link("gripper/palm")
    np.testing.assert_allclose(arm.target_pose().matrix, (before @ step).matrix, atol=1e-12)
    cycles = arm.cycle_count
    wait_until(lambda: arm.cycle_count > cycles + 300)
    assert np.abs(np.array(arm.state().q) - q).max() < 1e-3
    np.testing.assert_allclose(
        arm.measured_pose().matrix,
        scene.relative_pose(scene.arm.base_link, "gripper/palm").matrix,
        atol=1e-3,
    )
    arm.set_target(at(0.0, 0.0, 0.02), frame=FIXTURE)
    there = arm.target_pose()
    scene.set_tip_link(TIP)
    assert arm.is_running
    # The same target, of the link that was controlled when it was set.
    np.testing.assert_allclose((arm.target_pose() @ step).matrix, there.matrix, atol=1e-9)


def test_the_robots_own_controller_keeps_its_link(scene: SceneRobot) -> None:
    options = CartesianOptions(backend=RobotController())
    with scene.cartesian_targets(options) as arm:
        before = arm.target_pose()
        with pytest.raises(InvalidOperationError, match="own end effector"):
            scene.set_tip_link("gripper/palm")
        assert scene.tip_link == TIP
        assert arm.target_pose() == before
