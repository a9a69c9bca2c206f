"""Ctrl-C at any place of a session, and calls that come when they must not."""

import contextlib
import linecache
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from racing import race
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot import (
    CartesianOptions,
    InvalidOperationError,
    JointOptions,
    Robot,
    RobotMode,
    SceneRobot,
    SimulatedRobot,
)
from kinegraph.robot import session as session_module
from kinegraph.robot.control import target_handle
from kinegraph.robot.joined import controlling
from kinegraph.robot.loop import loop_thread

pytestmark = pytest.mark.compiled

HOST = fresh_address()
TRACED = {str(Path(m.__file__ or "")) for m in (session_module, controlling, loop_thread)}
TRACED.add(str(Path(target_handle.__file__)))
# A signal is not handled between a block and the leaving of its lock, where tracing would be.
NEVER = ("with ", "async with ", "finally", "@", "def ", "class ")
# An interrupt in a finalizer is passed over by the interpreter, whatever is in it.
FINALIZERS = ("leave", "request_stop", "raise_flag")
PLACES = 24


@pytest.fixture(scope="module")
def scene() -> Iterator[SceneRobot]:
    """A robot for all tests of the file."""
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot, SceneRobot(robot) as built:
        with built.cartesian_targets(tool="scene"):
            pass  # compiles
        yield built


def interrupted(run: Callable[[], object], at: int) -> int:
    """Run with a KeyboardInterrupt at a line of the session's files; the lines that there were."""
    passed = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal passed
        if frame.f_code.co_filename not in TRACED or frame.f_code.co_name in FINALIZERS:
            return None
        text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip()
        if event == "line" and not text.startswith(NEVER):
            passed += 1
            if passed == at:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return passed


def test_an_interrupt_at_any_line_of_a_session_leaves_no_motion(scene: SceneRobot) -> None:
    robot = scene.robot

    def run() -> None:
        with scene.cartesian_targets(tool="scene") as arm:
            arm.move_by([0.0, 0.0, 1e-4])

    # With the waiting left out a session has some hundred lines; waiting repeats a few of them.
    lines = min(interrupted(run, 0), 400)
    for at in np.linspace(1, lines, PLACES).astype(int).tolist():
        with contextlib.suppress(KeyboardInterrupt):
            interrupted(run, at)
        # At once; but a handle that nobody had yet got lands when it is dropped.
        wait_until(lambda: not robot.link.is_busy)
        wait_until(lambda: robot.state.robot_mode is not RobotMode.Move)
        assert robot.state.robot_mode is RobotMode.Idle, at
        assert not robot.state.current_errors, at
    with scene.cartesian_targets(tool="scene") as arm:
        assert arm.wait()


def test_an_interrupt_while_it_lands_ends_the_motion(
    scene: SceneRobot, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = scene.cartesian_targets(tool="scene")
    arm.move_by([0.0, 0.0, 0.05])

    def press(timeout_s: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as pressed:
        pressed.setattr(arm._session, "stop", press)
        with pytest.raises(KeyboardInterrupt), arm:
            pass
    assert not arm.is_running
    wait_until(lambda: scene.robot.state.robot_mode is RobotMode.Idle)
    assert not scene.robot.state.current_errors


def test_of_six_threads_that_start_one_gets_the_session(scene: SceneRobot) -> None:
    got, refused = race(scene.joint_targets, 6)
    assert (len(got), len(refused)) == (1, 5)
    got[0].stop()


def test_an_ended_session_tells_its_own_cycles_and_stops_no_other(scene: SceneRobot) -> None:
    with scene.joint_targets() as ended:
        pass
    count = ended.cycle_count
    with scene.joint_targets(JointOptions(dry_run=True)) as arm:
        ended.stop()
        ended.cancel()
        with pytest.raises(InvalidOperationError, match="started once"):
            arm.start()
        assert arm.is_running
        wait_until(lambda: arm.cycle_count > 1)
        assert ended.cycle_count == count == len(ended.records().read()[0])


def test_an_observer_may_end_its_session_and_exit(scene: SceneRobot) -> None:
    ready = threading.Event()
    box: list[Any] = []

    def observe(state: Any, sent: Any) -> None:
        ready.wait()
        box[0].stop()
        sys.exit(3)

    arm = scene.cartesian_targets(CartesianOptions(observer=observe), tool="scene")
    box.append(arm)
    ready.set()
    wait_until(lambda: not arm.is_running)
    arm.stop()
    assert arm.observation is not None
    assert isinstance(arm.observation.error, SystemExit)


def test_an_observer_that_hangs_is_told_and_holds_nobody_up(
    scene: SceneRobot, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(target_handle, "OBSERVED_S", 0.05)
    release = threading.Event()
    options = CartesianOptions(observer=lambda state, sent: release.wait() and None)
    with scene.cartesian_targets(options, tool="scene"):
        pass
    assert "still at cycle" in caplog.text
    release.set()
