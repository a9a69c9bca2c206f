"""A scene, a robot and a controller when things go wrong, or happen in an odd order."""

import gc
import logging
import os
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from printed_names import shown
from robot_addresses import fresh_address

from kinegraph.cli.demo_scene import PART, TIP, build_scene, fixed
from kinegraph.robot.arm_in_scene import find_arm
from kinegraph.robot.commands import Torques
from kinegraph.robot.errors import (
    ControlError,
    FrankaError,
    InvalidArgumentError,
    InvalidOperationError,
    ProtocolError,
)
from kinegraph.robot.recording.recorder import Recorder
from kinegraph.robot.robot import Robot
from kinegraph.robot.scene_robot import SceneRobot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import STATE_SIZE, S_q
from kinegraph.scene.urdf import parseURDFString

pytestmark = pytest.mark.compiled

CELL = """<robot name="cell"><link name="world"/><link name="lift"/>
<joint name="up" type="prismatic"><parent link="world"/><child link="lift"/><axis xyz="0 0 1"/>
<limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>"""


@pytest.fixture
def sim() -> Iterator[SimulatedRobot]:
    with SimulatedRobot(host=fresh_address(), lockstep_s=0.2) as robot:
        yield robot


@pytest.fixture
def robot(sim: SimulatedRobot) -> Iterator[Robot]:
    with Robot(sim.address[0]) as connected:
        yield connected


@pytest.fixture
def scene(robot: Robot) -> Iterator[SceneRobot]:
    with build_scene(robot) as built:
        built.sync_tool()
        built.sync_load()
        yield built


def within(seconds: float, what: object) -> bool:
    """Wait for a condition."""
    end = time.monotonic() + seconds
    while not what():  # type: ignore[operator]
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def move_tool(scene: SceneRobot, by: float) -> None:
    """Move the controlled link along the tool's z by changing its joint's origin."""
    with scene.scene() as (graph, _):
        joint = graph.getInboundJoints(TIP)[0]
        origin = joint.parent_to_joint_origin_transform.matrix.copy()
        name = joint.getName()
    origin[2, 3] += by
    assert scene.changeJointOrigin(name, origin)


# --- one session, one scene -------------------------------------------------------------------


def test_a_refused_second_session_leaves_the_first_one_in_charge(scene: SceneRobot) -> None:
    with scene.cartesian_targets() as arm:
        with pytest.raises(InvalidOperationError, match="while another control"):
            scene.cartesian_targets()
        before = arm.measured_pose().translation
        move_tool(scene, 0.004)
        moved = np.linalg.norm(arm.measured_pose().translation - before)
        assert moved == pytest.approx(0.004, abs=1e-4)


def test_a_handle_that_is_dropped_finishes_its_motion(scene: SceneRobot, robot: Robot) -> None:
    scene.cartesian_targets()
    gc.collect()
    assert within(10.0, lambda: not robot.link.is_busy)
    assert robot.link.session is not None
    assert robot.link.session.error is None


def test_liveness_comes_between_the_orientation_and_finiteness(scene: SceneRobot) -> None:
    arm = scene.cartesian_targets()
    nothings: list[Any] = [None, [1.0], [np.nan] * 3, [10**400] * 3]
    for nothing in nothings:
        with pytest.raises(InvalidArgumentError):
            arm.set_position(nothing)
    arm.stop()
    skewed, infinite = np.eye(4), np.eye(4)
    skewed[0, 1], infinite[0, 3] = 0.1, np.nan
    with pytest.raises(InvalidArgumentError):
        arm.set_pose(skewed)
    with pytest.raises(InvalidArgumentError):
        arm.set_target([np.nan] * 3, [0, 0, 0, 2.0])
    with pytest.raises(InvalidOperationError):
        arm.set_pose(infinite)
    with pytest.raises(InvalidOperationError):
        arm.set_position([np.nan] * 3)


@pytest.mark.parametrize("timeout_s", [np.nan, -1.0, "a", None])
def test_a_wait_without_a_time_is_refused_and_nothing_is_stopped(
    scene: SceneRobot, timeout_s: object
) -> None:
    with scene.cartesian_targets() as arm:
        with pytest.raises(InvalidArgumentError):
            arm.wait(timeout_s=timeout_s)  # type: ignore[arg-type]
        if timeout_s is not None:
            with pytest.raises(InvalidArgumentError):
                arm.stop(timeout_s)  # type: ignore[arg-type]
        time.sleep(0.4)
        assert arm.is_running


def test_a_mass_is_reported_by_whatever_edit_attaches_it(
    scene: SceneRobot, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "kinegraph.robot"), scene.cartesian_targets():
        assert not caplog.records
        assert scene.moveLink(fixed("grasp", TIP, PART))
        assert "0.02 kg" in caplog.text
        assert "sag" in caplog.text
        caplog.clear()
        move_tool(scene, 1e-4)
        assert not caplog.records


def test_a_scene_can_be_followed_again(robot: Robot) -> None:
    scene = build_scene(robot)
    for _ in range(2):
        with scene:
            before = scene.states_received
            assert within(5.0, lambda seen=before: scene.states_received > seen)


def test_what_carries_the_arm_cannot_be_removed(robot: Robot) -> None:
    cell = parseURDFString(CELL)
    arm = parseURDFString(robot.robot_model())
    assert cell.insertSceneGraph(arm, fixed("mount", "lift", arm.getRoot(), (0.3, 0.2, 0.1)))
    with SceneRobot(robot, cell) as scene:
        alone = SceneRobot(robot).tip_pose().matrix
        for link in ("lift", scene.arm.base_link, "fr3_link5", "fr3_link8"):
            with pytest.raises(InvalidOperationError, match=link):
                scene.removeLink(link)
        scene.set_joint("up", 0.5)
        np.testing.assert_array_equal(scene.tip_pose().matrix, alone)
        assert scene.link_pose("fr3_link8").translation[2] == pytest.approx(alone[2, 3] + 0.6)


def test_base_flange_and_joints_must_belong_together(robot: Robot) -> None:
    graph = parseURDFString(robot.robot_model())
    names = [f"fr3_joint{i}" for i in range(1, 8)]
    wrong: list[dict[str, object]] = [
        {"flange_link": "fr3_link3"},
        {"flange_link": "fr3_link0"},
        {"base_link": "fr3_link4"},
        {"base_link": "fr3_link8"},
        {"joint_names": [names[0]] * 7},
        {"joint_names": [*names[:6], "fr3_joint8"]},
        {"joint_names": [names[1], names[0], *names[2:]]},
        {"joint_names": 5},
    ]
    for arguments in wrong:
        with pytest.raises(InvalidArgumentError, match=next(iter(arguments))):
            find_arm(graph, **arguments)  # type: ignore[arg-type]


# --- states that are none ---------------------------------------------------------------------


def test_a_scene_survives_states_that_are_not_finite(
    sim: SimulatedRobot, robot: Robot, scene: SceneRobot
) -> None:
    row = np.zeros(STATE_SIZE)
    row[S_q : S_q + 7] = (0.0, -0.785, np.nan, -2.356, 0.0, 1.571, 0.785)
    sim.override_state(row)
    assert within(5.0, lambda: np.isnan(robot.state.q).any())
    with pytest.raises(ProtocolError, match=r"q\[2\]"):
        scene.link_pose(TIP)
    sim.override_state(None)

    def follows() -> bool:
        try:
            return bool(np.isfinite(scene.link_pose(TIP).matrix).all())
        except FrankaError:
            return False

    assert within(5.0, follows)


def test_a_scene_of_a_closed_robot_has_no_poses(robot: Robot) -> None:
    scene = build_scene(robot)
    robot.close()
    with pytest.raises(InvalidOperationError, match="closed"):
        scene.link_pose(TIP)


# --- ends of a motion -------------------------------------------------------------------------


def test_closing_the_robot_is_an_error_for_those_who_wait(robot: Robot) -> None:
    begun = threading.Event()

    def callback(state: RobotState, period_s: float) -> Torques:
        begun.set()
        return Torques(np.zeros(7))

    def close() -> None:
        begun.wait()
        robot.close()

    closer = threading.Thread(target=close)
    closer.start()
    with pytest.raises(ControlError, match="closed"):
        robot.control_torques(callback)
    closer.join()


def test_a_motion_can_be_started_right_after_one_that_failed(robot: Robot) -> None:
    numba = pytest.importorskip("numba")

    @numba.njit
    def bad(state, period_s, torques):  # type: ignore[no-untyped-def]
        torques[0] = np.nan
        return 0

    for _ in range(5):
        with pytest.raises(InvalidArgumentError, match="NaN"):
            robot.control_torques(bad)


class Raising:
    """A controller that runs into an exception."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def prepare(self, memory: object) -> None:
        """Nothing to do."""

    def run(self, memory: object) -> int:
        """Fail as told."""
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]

    def explain(self, fault: int) -> FrankaError:
        """Not asked."""
        raise AssertionError


@pytest.mark.parametrize("answer", [RuntimeError("boom"), None, "x", 77], ids=shown)
def test_the_loop_outlives_a_controller_that_raises(robot: Robot, answer: object) -> None:
    with pytest.raises(ControlError, match="controller"):
        robot.start_session(Raising(answer)).wait(10.0)
    robot.read_once()
    assert robot.link.loop.waiters.wait(lambda: robot.state.robot_mode.name != "Move", 5.0)


def test_a_forked_process_leaves_at_once_and_touches_nothing(
    scene: SceneRobot, robot: Robot
) -> None:
    with scene.cartesian_targets() as arm:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                begun = time.monotonic()
                refused = 0
                for call in (
                    robot.read_once,
                    robot.stop,
                    arm.wait,
                    lambda: arm.set_position([0] * 3),
                ):
                    try:
                        call()
                    except InvalidOperationError:
                        refused += 1
                robot.close()
                code = 0 if refused == 4 and time.monotonic() - begun < 2.0 else 2 + refused
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert arm.is_running


# --- records ----------------------------------------------------------------------------------


class Ones:
    """A source of rows."""

    fields = (("a", 1), ("b", 3))

    def read(self) -> tuple[np.ndarray, int]:
        """A thousand rows each time."""
        return np.ones((1000, 4)), 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_told_and_no_file_stays_open() -> None:
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    recorder = Recorder("/dev/full", {"t": Ones()})
    with pytest.raises(OSError, match="space"):
        recorder.start()
    recorder.stop()
    assert len(os.listdir("/proc/self/fd")) <= before
