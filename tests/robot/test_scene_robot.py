"""A scene, a robot and a controller on one graph, against the simulated robot."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.cli.demo_scene import PART, TIP, box, build_scene, fixed
from kinegraph.robot.control.options import CartesianOptions
from kinegraph.robot.control.record_layout import RECORD_OFFSETS, R_pose, R_target, R_velocity
from kinegraph.robot.errors import ControlError, InvalidArgumentError, InvalidOperationError
from kinegraph.robot.loop.loop_layout import B_CHAIN_CHANGES, CYCLE_FIELDS
from kinegraph.robot.robot import Robot
from kinegraph.robot.scene_robot import SceneRobot
from kinegraph.robot.sim.descriptions import description_text
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnknownLinkError
from kinegraph.scene.pose import Isometry3d
from kinegraph.scene.urdf import parseURDFString

pytestmark = pytest.mark.compiled

HOST = fresh_address()


def column(name: str) -> int:
    """Where a field of a cycle's row begins."""
    at = 0
    for field, count in CYCLE_FIELDS:
        if field == name:
            return at
        at += count
    raise KeyError(name)


@pytest.fixture
def sim() -> Iterator[SimulatedRobot]:
    """A robot that waits for its client's commands, so that a slow machine loses none."""
    with SimulatedRobot(host=HOST, lockstep_s=5.0) as robot:
        yield robot


@pytest.fixture
def robot(sim: SimulatedRobot) -> Iterator[Robot]:
    with Robot(sim.address[0]) as connected:
        yield connected


@pytest.fixture
def scene(robot: Robot) -> Iterator[SceneRobot]:
    with build_scene(robot) as built:
        yield built


@pytest.fixture
def ready(scene: SceneRobot) -> SceneRobot:
    """The scene, its tool's frame and mass known to the robot."""
    scene.sync_tool()
    scene.sync_load()
    return scene


def tip_by_the_plant(sim: SimulatedRobot, scene: SceneRobot) -> Array:
    """The controlled link by the plant's own kinematics and the scene's tool."""
    with scene.scene() as (_, solver):
        tool = solver.getRelativeLinkTransform(scene.arm.flange_link, scene.tip_link)
    return sim.flange_pose() @ tool.matrix


def test_a_step_of_5_cm_takes_858_generator_cycles_and_lands(
    sim: SimulatedRobot, ready: SceneRobot
) -> None:
    with ready.cartesian_targets() as arm:
        goal = arm.target() + np.array([0.05, 0.0, 0.0])
        arm.set_position(goal)
        assert arm.wait(timeout_s=30.0)
        time.sleep(0.3)
        landed = tip_by_the_plant(sim, ready)[:3, 3]
        records, lost = arm.records().read()
    assert lost == 0
    assert np.linalg.norm(landed - goal) < 1e-3
    begun = int(np.argmax(records[:, R_target] != records[0, R_target]))
    moving = np.abs(records[begun:, R_velocity]).max(axis=0)
    assert moving == pytest.approx(0.1166, abs=1e-3)
    at_goal = np.all(records[begun:, R_pose + 12 : R_pose + 15] == goal, axis=1)
    assert int(np.argmax(at_goal)) + 1 == 858
    assert at_goal[857:].all()


def test_no_clamp_and_no_rate_limiter_acts_on_a_step_of_5_cm(ready: SceneRobot) -> None:
    with ready.cartesian_targets() as arm:
        arm.set_position(arm.target() + np.array([0.05, 0.0, 0.0]))
        assert arm.wait(timeout_s=30.0)
        records, _ = arm.records().read()
        cycles, _ = arm.cycles().read()
    at = RECORD_OFFSETS["tau"]
    assert np.abs(records[:, at : at + 7]).max() < 15.0
    sent = cycles[:, column("tau_J_d") : column("tau_J_d") + 7]
    assert np.abs(np.diff(sent, axis=0)).max() < 0.9  # the limiter acts from 1 Nm a cycle on
    for name in ("tau_envelope", "tau_position"):
        at = RECORD_OFFSETS[name]
        assert not records[:, at : at + 7].any()


def test_a_turn_of_30_degrees_lands(sim: SimulatedRobot, ready: SceneRobot) -> None:
    half = np.deg2rad(15.0)
    turn = Isometry3d.from_quaternion((0, 0, 0), (0, 0, np.sin(half), np.cos(half)))
    # More than the default guard of 0.5 rad allows.
    with ready.cartesian_targets(CartesianOptions(max_angular_deviation=1.0)) as arm:
        start = arm.target_pose()
        goal = start.matrix.copy()
        goal[:3, :3] = turn.linear @ start.linear
        arm.set_pose(goal)
        assert arm.wait(tolerance=2e-3, timeout_s=30.0)
        np.testing.assert_allclose(tip_by_the_plant(sim, ready), goal, atol=2e-3)


def test_a_pose_that_strays_too_far_ends_the_session_with_its_reason(ready: SceneRobot) -> None:
    arm = ready.cartesian_targets(CartesianOptions(max_deviation=0.02))
    arm.set_position(arm.target() + np.array([0.05, 0.0, 0.0]))
    with pytest.raises(ControlError, match="strayed"):
        arm.wait(timeout_s=30.0)
    with pytest.raises(ControlError, match="strayed"):
        arm.stop()


def test_an_attached_part_follows_the_tool_and_never_jumps(ready: SceneRobot) -> None:
    with ready.cartesian_targets() as arm:
        with ready.scene() as (_, solver):
            before = solver.getLinkTransform(PART)
            assert ready.attach(PART, TIP)
            np.testing.assert_allclose(
                solver.getLinkTransform(PART).matrix, before.matrix, atol=1e-12
            )
            grasp = solver.getRelativeLinkTransform(TIP, PART)
        arm.set_position(arm.target() + np.array([0.0, 0.04, 0.02]))
        while not arm.at_rest():
            held = ready.relative_pose(TIP, PART)
            np.testing.assert_allclose(held.matrix, grasp.matrix, atol=1e-9)
        assert arm.wait(timeout_s=30.0)
        moved = ready.link_pose(PART).translation - before.translation
        np.testing.assert_allclose(moved, (0.0, 0.04, 0.02), atol=2e-3)
        with ready.scene() as (_, solver):
            there = solver.getLinkTransform(PART)
            assert ready.attach(PART, "table")
            np.testing.assert_allclose(
                solver.getLinkTransform(PART).matrix, there.matrix, atol=1e-12
            )


def test_the_tip_may_be_moved_in_the_scene_while_the_loop_runs(ready: SceneRobot) -> None:
    with ready.cartesian_targets(tool="scene") as arm:
        block = ready.robot.link.loop.memory.block
        changes = int(block[B_CHAIN_CHANGES])
        with ready.scene() as (graph, solver):
            joint = graph.getInboundJoints(TIP)[0]
            origin = joint.parent_to_joint_origin_transform
            pose = solver.getRelativeLinkTransform(ready.arm.base_link, TIP)
        longer = Isometry3d.from_rpy((0.0, 0.0, 0.02), (0.0, 0.0, 0.0))
        assert ready.changeJointOrigin(joint.getName(), origin @ longer)
        wait_until(lambda: int(block[B_CHAIN_CHANGES]) == changes + 1)
        seen = arm.cycle_count
        wait_until(lambda: arm.cycle_count > seen + 5)
        assert arm.is_running
        np.testing.assert_allclose(ready.tip_pose().matrix, (pose @ longer).matrix, atol=1e-3)
        desired = arm.records().read()[0][-1, R_pose : R_pose + 16].reshape(4, 4).T
        np.testing.assert_allclose(desired, (pose @ longer).matrix, atol=1e-3)


def test_live_poses_follow_the_robot(sim: SimulatedRobot, ready: SceneRobot) -> None:
    with ready.cartesian_targets() as arm:
        arm.set_position(arm.target() + np.array([0.0, 0.0, 0.05]))
        assert arm.wait(timeout_s=30.0)
    time.sleep(0.2)
    np.testing.assert_allclose(ready.link_pose(TIP).matrix, tip_by_the_plant(sim, ready), atol=1e-6)
    assert ready.states_received > 500
    assert ready.states_missed == 0


def test_a_frame_that_is_not_the_robots_is_refused_and_can_be_set(scene: SceneRobot) -> None:
    with pytest.raises(InvalidOperationError, match="sync_tool") as caught:
        scene.cartesian_targets()
    assert caught.value.mismatch.distance == pytest.approx(0.135, abs=1e-3)
    scene.sync_tool()
    assert not scene.tool_mismatch().matters
    with scene.cartesian_targets() as arm:
        assert arm.is_running


def test_a_tip_behind_a_moving_joint_cannot_be_set(scene: SceneRobot) -> None:
    with scene.scene() as (graph, _):
        joint = next(
            j
            for j in graph.getActiveJoints()
            if "finger" in j.child_link_name or "slide" in j.getName()
        )
    scene.set_tip_link(joint.child_link_name)
    with pytest.raises(InvalidOperationError, match=joint.getName()):
        scene.sync_tool()
    with scene.cartesian_targets(tool="scene") as arm:
        assert arm.is_running


def test_the_robot_learns_the_mass_of_the_scene(scene: SceneRobot) -> None:
    load = scene.sync_load()
    state = scene.robot.read_once()
    assert load.mass == pytest.approx(0.7)
    assert state.m_total == pytest.approx(0.7, rel=1e-6)
    np.testing.assert_allclose(state.F_x_Ctotal, load.center, atol=1e-7)
    np.testing.assert_allclose(np.reshape(state.I_total, (3, 3)), load.inertia, atol=1e-8)
    assert scene.unknown_mass() == pytest.approx(0.0, abs=1e-6)


def test_an_unknown_mass_is_reported_with_the_sag(
    ready: SceneRobot, caplog: pytest.LogCaptureFixture
) -> None:
    with ready.cartesian_targets():
        ready.attach(PART, TIP)
    assert any("sag" in record.getMessage() for record in caplog.records)


def test_a_refused_edit_changes_neither_graph_nor_solver(scene: SceneRobot) -> None:
    with scene.scene() as (graph, solver):
        links, state = solver.getLinkNames(), solver.getState()
        revision = graph.revision
        gripper = parseURDFString(description_text("gripper"))
        mount = fixed("again", scene.arm.flange_link, "gripper/palm")
        assert not scene.insertSceneGraph(gripper, mount, "gripper/")
        assert not scene.addLink(box("table", (1, 1, 1)), fixed("x", "table", "table"))
        assert not scene.removeLink("nothing")
        assert solver.getLinkNames() == links
        assert solver.getState() == state
        assert graph.revision == revision


def test_graph_and_solver_stay_in_step(scene: SceneRobot) -> None:
    assert scene.removeLink("part_2")
    assert scene.attach(PART, TIP)
    with scene.scene() as (graph, solver):
        assert {link.getName() for link in graph.getLinks()} == set(solver.getLinkNames())
        assert {joint.getName() for joint in graph.getJoints()} == set(solver.getJointNames())


def test_the_arm_cannot_be_taken_out_of_the_scene(scene: SceneRobot) -> None:
    with pytest.raises(InvalidOperationError, match="arm"):
        scene.removeLink("fr3_link4")
    with pytest.raises(InvalidOperationError, match="carries"):
        scene.removeLink("gripper/palm")


def test_names_that_are_not_there_are_refused(robot: Robot) -> None:
    with pytest.raises(UnknownLinkError, match="fr3_link8"):
        SceneRobot(robot, tip_link="fr3_link88")
    with pytest.raises(InvalidArgumentError, match="fr3_joint7"):
        SceneRobot(robot, joint_names=[f"fr3_joint{i}" for i in (1, 2, 3, 4, 5, 6, 77)])
    with pytest.raises(InvalidArgumentError, match="not below"):
        SceneRobot(robot, joint_names=[f"fr3_joint{i}" for i in (2, 1, 3, 4, 5, 6, 7)])
    with pytest.raises(InvalidArgumentError, match="flange"):
        SceneRobot(robot, tip_link="fr3_link3")


def test_bad_targets_are_refused_and_change_nothing(ready: SceneRobot) -> None:
    with ready.cartesian_targets() as arm:
        before = arm.target_pose()
        positions: list[Any] = [[np.nan, 0, 0], [1, 2], "abc", [[1, 2, 3]]]
        for position in positions:
            with pytest.raises(InvalidArgumentError):
                arm.set_position(position)
        for bad in ([0, 0, 0, 0], [0, 0, 0, 2], [1, 0, 0], [np.inf, 0, 0, 1]):
            with pytest.raises(InvalidArgumentError):
                arm.set_orientation(bad)
        for matrix in (np.eye(3), 2 * np.eye(4), np.full((4, 4), np.nan)):
            with pytest.raises(InvalidArgumentError):
                arm.set_pose(matrix)
        assert arm.target_pose() == before
    with pytest.raises(InvalidOperationError, match="has ended"):
        arm.set_position([0.4, 0.0, 0.4])
    assert arm.target_pose() == before


def test_a_second_session_is_refused_while_one_runs(ready: SceneRobot) -> None:
    with ready.cartesian_targets() as arm:
        with pytest.raises(InvalidOperationError, match="while another control"):
            ready.cartesian_targets()
        assert arm.is_running


def test_stop_from_elsewhere_preempts_the_session(ready: SceneRobot) -> None:
    arm = ready.cartesian_targets()
    ready.robot.stop()
    with pytest.raises(ControlError, match="preempted"):
        arm.stop()


def test_an_exception_in_the_block_ends_the_motion(sim: SimulatedRobot, ready: SceneRobot) -> None:
    arm = ready.cartesian_targets()

    def job() -> None:
        with arm:
            arm.set_position(arm.target() + np.array([0.1, 0.0, 0.0]))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        job()
    assert not arm.is_running
    with ready.cartesian_targets() as again:
        assert again.is_running


def test_a_busy_thread_does_not_stop_the_loop(sim: SimulatedRobot, ready: SceneRobot) -> None:
    done = threading.Event()

    def compute() -> None:
        total = 0
        while not done.is_set():
            for i in range(1000):
                total += i * i

    busy = threading.Thread(target=compute)
    with ready.cartesian_targets() as arm:
        before = arm.cycle_count
        lost = sim.counters["lost"]
        busy.start()
        try:
            arm.set_position(arm.target() + np.array([0.05, 0.0, 0.0]))
            assert arm.wait(timeout_s=30.0)
        finally:
            done.set()
            busy.join()
        assert arm.cycle_count - before > 800
        assert sim.counters["lost"] - lost == 0
