"""Our client drives franky-sim and franka-sim as they are, beside libfranka on the same motions.

Where libfranka itself misses a target, ours may miss it by as much: franka-sim's own controller
stays 2 mrad off on joint 7, and the velocity modes of both run their physics by the wall clock.
"""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from landings import LANDED, missed
from our_client import KINDS, PATH_M, STIFFNESS, drive
from robot_addresses import fresh_address
from third_party import franky_assets, needs_peers, serving, tell

from kinegraph.robot import (
    CARTESIAN,
    CartesianOptions,
    CommandError,
    ControlError,
    ControllerMode,
    ImpedanceOptions,
    JointOptions,
    JointPositions,
    MotionLimits,
    Robot,
    RobotController,
    RobotMode,
    RobotState,
    SceneRobot,
    read_run,
    records_from_rows,
)

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]
# Coulomb friction of franky-sim's FR3, Nm, which keeps a spring from its end.
FRICTION = np.array([1.137, 1.137, 1.137, 0.763, 0.44, 0.248, 0.248])
TURNS = 6
BY_THE_WALL_CLOCK = ("JointVelocities", "CartesianVelocities")


def franka_sim(host: str, folder: Path, *options: str) -> Any:
    return serving(
        "franka-sim", "franka_sim_server.py", host, franky_assets(), str(folder), *options
    )


@pytest.fixture(scope="module", params=["franky-sim", "franka-sim"])
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """Address and name of a simulator; franka-sim's joints have no friction."""
    host = fresh_address()
    if request.param == "franky-sim":
        with serving("franky-sim", "franky_sim_server.py", host):
            yield host, "franky-sim"
        return
    with franka_sim(host, tmp_path_factory.mktemp("franka-sim"), "frictionless"):
        yield host, "franka-sim"


@pytest.fixture(scope="module")
def strict_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a franka-sim that ends motions which break a rule, with friction."""
    host = fresh_address()
    with franka_sim(host, tmp_path_factory.mktemp("franka-sim"), "enforce"):
        yield host


def test_states_come_for_ten_seconds(server: tuple[str, str], tmp_path: Path) -> None:
    host, _ = server
    with Robot(host) as robot:
        begin = robot.read_once().time
        with robot.record(tmp_path / "run.log"):
            while robot.read_once().time < begin + 10_000:
                time.sleep(0.1)
    run = read_run(tmp_path / "run.log")
    steps = np.diff(run.table("states")["time"])
    assert (steps >= 1.0).all()
    assert len(steps) >= 0.99 * 10_000
    assert not any(run.lost.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_motion_goes_as_well_as_with_libfranka(
    server: tuple[str, str], kind: str, tmp_path: Path
) -> None:
    host, name = server
    task = ("torques",) if kind == "Torques" else ("lands", kind, "JointImpedance")
    rates: list[float] = []
    # These servers do not wait: a machine that stands still spoils the rate of whom it meets.
    while len(rates) < TURNS and max(rates, default=0.0) < 0.99:
        log = tmp_path / f"run-{len(rates)}.log"
        ours = drive(host, kind, ControllerMode.JointImpedance, 1.0, log)
        theirs = tell("v10", "pylibfranka_client.py", host, *task, "-1")
        rates.append(ours["rate"] / theirs["rate"])
        assert ours["mode"] == theirs["mode"] == "Idle"
        assert ours["errors"] == []
        off = np.abs(missed(ours, kind))
        if kind == "Torques":
            rubbing = FRICTION / STIFFNESS if name == "franky-sim" else 0.0
            assert (off <= LANDED + rubbing).all(), off
        elif kind not in BY_THE_WALL_CLOCK:
            assert (off <= LANDED + np.abs(missed(theirs, kind, -1.0))).all(), off
    assert max(rates) >= 0.99, rates


def test_setters_are_taken(server: tuple[str, str]) -> None:
    host, name = server
    turn = np.array([[0.0, -1, 0, 0.01], [1, 0, 0, 0.02], [0, 0, 1, 0.1], [0, 0, 0, 1]])
    with Robot(host) as robot:
        seven, six = [30.0] * 7, [40.0] * 6
        robot.set_collision_behavior(seven, seven, six, six)
        robot.set_joint_impedance([3000.0] * 7)
        robot.set_cartesian_impedance([1500.0] * 3 + [100.0] * 3)
        robot.set_K(turn)
        robot.set_load(0.1, [0.0, 0.0, 0.03], np.diag([1e-3] * 3))
        robot.set_load(0.0, [0.0, 0.0, 0.0], np.zeros((3, 3)))
        if name != "franky-sim":  # whose server ends with a KeyError
            robot.set_guiding_mode([True] * 6, True)
        robot.automatic_error_recovery()
        robot.stop()
        assert robot.read_once().robot_mode == RobotMode.Idle


def test_a_stop_from_another_thread_preempts_the_motion(server: tuple[str, str]) -> None:
    def hold(state: RobotState, period_s: float) -> JointPositions:
        moving.set()
        return JointPositions(state.q_d)

    def stop() -> None:
        moving.wait()
        robot.stop()

    host, _ = server
    moving = threading.Event()
    with Robot(host) as robot:
        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(ControlError, match="preempted"):
            robot.control_joint_positions(hold)
        stopper.join()
        assert robot.read_once().robot_mode == RobotMode.Idle


def test_a_jump_is_a_reflex_that_recovery_ends(strict_server: str, tmp_path: Path) -> None:
    def jump(state: RobotState, period_s: float) -> JointPositions:
        cycles.append(period_s)
        return JointPositions(state.q_d + 0.3 * (len(cycles) > 10) * np.eye(7)[3])

    cycles: list[float] = []
    name = "joint_motion_generator_velocity_discontinuity"
    with Robot(strict_server) as robot:
        with pytest.raises(ControlError, match=name) as ended:
            robot.control_joint_positions(jump, cutoff_frequency=1000.0)
        assert len(ended.value.log) > 0
        state = robot.read_once()
        assert state.robot_mode == RobotMode.Reflex
        assert name in state.current_errors
        with pytest.raises(CommandError):
            robot.control_joint_positions(jump)
        robot.automatic_error_recovery()
        assert robot.read_once().robot_mode == RobotMode.Idle
    mode = ControllerMode.JointImpedance
    again = drive(strict_server, "JointPositions", mode, 1.0, tmp_path / "run.log")
    assert again["mode"] == "Idle"
    assert again["errors"] == []


def pass_time(robot: Robot, duration_ms: float) -> None:
    """Wait by the robot's clock: on a busy machine its physics fall behind the wall's."""
    end = robot.state.time + duration_ms
    while robot.state.time < end:
        time.sleep(0.01)


def step_in_x(host: str, law: ImpedanceOptions) -> float:
    """Let our target controller go 3 cm; returns how far the arm is three seconds later, m."""
    options = CartesianOptions(backend=law)
    with (
        Robot(host, loop_priority=80) as robot,
        SceneRobot(robot) as scene,
        scene.cartesian_targets(options) as arm,
    ):
        pass_time(robot, 500.0)
        begin = arm.measured_pose().translation
        arm.set_position(begin + np.array([PATH_M, 0.0, 0.0]))
        pass_time(robot, 3000.0)
        return float((arm.measured_pose().translation - begin)[0])


def follow_by_its_controller(host: str) -> None:
    """Let the server's own controller follow our generator 3 cm far; it lands, nothing is cut."""
    options = CartesianOptions(limits=MotionLimits(0.5, 2.0, 60.0), backend=RobotController())
    with Robot(host, loop_priority=80) as robot, SceneRobot(robot) as scene:
        scene.sync_tool()
        with scene.cartesian_targets(options) as arm:
            start = arm.measured_pose().translation
            arm.move_by([PATH_M, 0.0, 0.0])
            pass_time(robot, 1200.0)
            way = arm.measured_pose().translation - start
            records = records_from_rows(arm.records().read()[0])
        assert np.abs(way - [PATH_M, 0.0, 0.0]).max() <= LANDED
        assert np.abs(records["pose"][-1, 12:15] - arm.target()).max() <= 1e-7
        assert not records["backstop_alteration"].any()
        with scene.joint_targets(JointOptions(backend=RobotController())) as joints:
            step = np.array([0.05, -0.05, 0.05, 0.08, -0.05, 0.05, 0.0])
            q = joints.move_by(step)
            pass_time(robot, 1200.0)
            assert np.abs(joints.measured() - q).max() <= LANDED + 2e-3  # franka-sim's joint 7
            assert np.abs(robot.state.q_d - q).max() <= 1e-6
        assert robot.read_once().robot_mode == RobotMode.Idle


def test_their_own_controllers_follow_our_targets(server: tuple[str, str]) -> None:
    follow_by_its_controller(server[0])


def test_streamed_targets_break_no_rule(strict_server: str) -> None:
    follow_by_its_controller(strict_server)


def test_joint_targets_land_by_the_controllers_own_torques(server: tuple[str, str]) -> None:
    host, _ = server
    steps = np.zeros((2, 7))
    steps[0, 3], steps[1, [0, 6]] = 0.1, 0.2
    with Robot(host) as robot, robot.start_joint_target_control() as arm:
        for step in steps:
            arm.move_by(step)
            assert arm.wait(tolerance=2e-3)
        arm.move_by(-steps.sum(axis=0))
        assert arm.wait(tolerance=2e-3)


def test_the_target_controller_lands_where_nothing_rubs(tmp_path: Path) -> None:
    host = fresh_address()
    with franka_sim(host, tmp_path, "frictionless"):
        assert step_in_x(host, ImpedanceOptions()) == pytest.approx(PATH_M, abs=LANDED)


def test_where_joints_rub_springs_alone_land_as_near_as_franka_rs_and_the_default_law_on_it(
    tmp_path: Path,
) -> None:
    """The friction of the joints stretches the springs of both by some millimetres."""
    off: dict[str, float] = {}
    for name, step in (
        ("springs", lambda host: step_in_x(host, CARTESIAN)),
        ("default", lambda host: step_in_x(host, ImpedanceOptions())),
        ("theirs", lambda host: tell("v10", "franka_rs_client.py", host, "steps", "impedance")),
    ):
        host, folder = fresh_address(), tmp_path / name
        folder.mkdir()
        with franka_sim(host, folder):  # a fresh one, for the way depends on where it begins
            said: Any = step(host)
        off[name] = abs(PATH_M - (said["moved"][0] if isinstance(said, dict) else said))
    assert off["theirs"] > LANDED  # else there is nothing that rubs
    assert off["springs"] <= 1.2 * off["theirs"] + 5e-5
    assert off["default"] <= 3e-4
