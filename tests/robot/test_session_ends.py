"""Sessions that another call ends, and handles that nobody has any more."""

import gc
import os
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot import (
    CartesianOptions,
    ControlError,
    InvalidOperationError,
    JointOptions,
    JointPositions,
    RealtimeError,
    Robot,
    RobotController,
    RobotState,
    SimulatedRobot,
    Torques,
)
from kinegraph.robot.control.target_handle import TargetHandle
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop import realtime
from kinegraph.robot.session import MotionSession

pytestmark = pytest.mark.compiled

HOST = fresh_address()
STARTS: dict[str, Callable[[Robot], TargetHandle]] = {
    "poses": lambda robot: robot.start_cartesian_target_control(),
    "joints": lambda robot: robot.start_joint_target_control(),
    "streamed poses": lambda robot: robot.start_cartesian_target_control(
        CartesianOptions(backend=RobotController())
    ),
    "streamed joints": lambda robot: robot.start_joint_target_control(
        JointOptions(backend=RobotController())
    ),
    "dry": lambda robot: robot.start_joint_target_control(JointOptions(dry_run=True)),
}
SOME = ("poses", "streamed joints")
start_some = pytest.mark.parametrize("start", [STARTS[name] for name in SOME], ids=SOME)


@pytest.fixture(scope="module", autouse=True)
def sim() -> Iterator[SimulatedRobot]:
    with SimulatedRobot(HOST, lockstep_s=0.2) as robot:
        yield robot


@pytest.mark.parametrize(
    ("start", "end"),
    [
        *((start, Robot.close) for start in STARTS.values()),
        # A dry run is no motion of the robot's.
        *((start, Robot.stop) for name, start in STARTS.items() if name != "dry"),
    ],
    ids=[*STARTS, *(f"{name}, stopped" for name in STARTS if name != "dry")],
)
def test_a_session_that_another_call_ended_says_so_whenever_it_is_asked(
    start: Callable[[Robot], TargetHandle], end: Callable[[Robot], None]
) -> None:
    with Robot(HOST) as robot:
        arm = start(robot)
        end(robot)
        wait_until(lambda: not arm.is_running)
        for _ in range(2):
            with pytest.raises(ControlError, match="preempted"):
                arm.stop()


def after(cycles: int, arm: TargetHandle) -> None:
    """Wait for so many cycles of a session."""
    first = arm.cycle_count
    wait_until(lambda: arm.cycle_count > first + cycles)


def of_a_robot_that_is_dropped(
    start: Callable[[Robot], TargetHandle],
) -> tuple[weakref.ref[Robot], TargetHandle]:
    """A session of whose robot nobody else knows."""
    robot = Robot(HOST)
    return weakref.ref(robot), start(robot)


@start_some
def test_a_handle_keeps_its_robot_connected_until_its_session_is_over(
    start: Callable[[Robot], TargetHandle],
) -> None:
    seen, arm = of_a_robot_that_is_dropped(start)
    gc.collect()
    after(20, arm)
    arm.stop()
    assert len(arm.records().read()[0]) == arm.cycle_count
    del arm
    gc.collect()
    assert seen() is None


def left_alone(start: Callable[[Robot], TargetHandle]) -> tuple[RobotLink, MotionSession]:
    """A session whose robot and handle are dropped at once; it and its link alone are kept."""
    robot = Robot(HOST)
    arm, session = start(robot), robot.link.session
    after(20, arm)
    assert session is not None
    return robot.link, session


@start_some
def test_robot_and_handle_dropped_together_finish_the_motion_and_leave(
    start: Callable[[Robot], TargetHandle],
) -> None:
    link, session = left_alone(start)
    gc.collect()
    wait_until(lambda: not link.is_busy)
    wait_until(lambda: not link.connection.channel.is_open)
    assert session.wait()
    with Robot(HOST) as robot:
        assert np.abs(robot.read_once().dq).max() < 0.02
        assert not robot.state.last_motion_errors


@pytest.mark.parametrize(
    ("own", "asked"),
    [
        (20, [("FIFO", 50), ("FIFO", 20)]),
        (0, [("FIFO", 50), ("OTHER", 0)]),
        (None, [("FIFO", 50), ("FIFO", 99)]),
    ],
)
def test_a_sessions_priority_is_its_own(
    own: int | None, asked: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int]] = []

    def grant(_thread: int, policy: int, param: os.sched_param) -> None:
        name = "FIFO" if policy & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO else "OTHER"
        seen.append((name, param.sched_priority))

    with Robot(HOST, loop_priority=own) as robot:
        monkeypatch.setattr(os, "sched_setscheduler", grant)
        monkeypatch.setattr(os, "sched_getscheduler", lambda _: os.SCHED_FIFO)
        for options in (JointOptions(dry_run=True, realtime_priority=50), JointOptions()):
            robot.start_joint_target_control(options).stop()
    assert seen == asked


def test_a_priority_that_is_insisted_on_keeps_a_session_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[str] = []

    def refuse(_thread: int, *what: object) -> None:
        tried.append(type(what[0]).__name__)
        raise PermissionError

    wanted = JointOptions(realtime_priority=50, cpu=0)
    with Robot(HOST) as robot:
        monkeypatch.setattr(os, "sched_setscheduler", refuse)
        monkeypatch.setattr(os, "sched_setaffinity", refuse)
        monkeypatch.setattr(realtime, "has_realtime_kernel", lambda: True)
        with robot.start_joint_target_control(wanted) as arm:  # "ignore" goes on without
            assert arm.is_running
        monkeypatch.setattr(robot.link.loop, "_realtime", (80, None, True))
        with pytest.raises(RealtimeError, match=r"priority 50 .* core 0"):
            robot.start_joint_target_control(wanted)
        assert tried == ["int", "set"] * 2  # both, whatever the first one brought
        assert not robot.link.is_busy


def test_nothing_else_is_started_on_the_connection_while_a_session_runs() -> None:
    def still(state: RobotState, period_s: float) -> Torques:
        return Torques(np.zeros(7))

    def here(state: RobotState, period_s: float) -> JointPositions:
        return JointPositions(state.q_d)

    with Robot(HOST) as robot, robot.start_joint_target_control() as arm:
        starts: list[Callable[[], object]] = [
            lambda: robot.control_torques(still),
            lambda: robot.control_joint_positions(here),
            robot.start_torque_control,
            robot.start_joint_velocity_control,
            robot.start_cartesian_target_control,
            robot.start_joint_target_control,
        ]
        for another in starts:
            with pytest.raises(InvalidOperationError, match="while another control"):
                another()
        after(5, arm)
