"""Guards of sessions on the simulated robot."""

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot import (
    CartesianOptions,
    CartesianSent,
    ControlError,
    InvalidArgumentError,
    InvalidOperationError,
    JointOptions,
    MotionLimits,
    Robot,
    RobotController,
    RobotMode,
    RobotState,
    SceneRobot,
    SimulatedRobot,
    WorkspaceBox,
    records_from_rows,
)
from kinegraph.robot.control.guards.observation import Observation
from kinegraph.robot.control.record_layout import RECORD_FIELDS
from kinegraph.robot.loop.realtime import raise_as_far_as_possible
from kinegraph.robot.loop.ring_kernels import push
from kinegraph.robot.loop.rings import Ring
from kinegraph.robot.wire.state_layout import STATE_FIELDS, S_time

pytestmark = pytest.mark.compiled

HOST = fresh_address()
QUICK = MotionLimits(0.5, 2.0, 60.0)


@pytest.fixture(scope="module")
def scene() -> Iterator[SceneRobot]:
    """A robot for all tests of the file."""
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot, SceneRobot(robot) as built:
        yield built


def test_targets_outside_the_workspace_are_refused_however_they_come(scene: SceneRobot) -> None:
    here = scene.tip_pose().translation
    box = WorkspaceBox(here - 0.02, here + 0.02)
    away = WorkspaceBox(here + 0.1, here + 0.2)
    with pytest.raises(InvalidArgumentError, match=r"start.*outside the workspace"):
        scene.cartesian_targets(CartesianOptions(workspace=away))
    outside = here + np.array([0.0, 0.0, 0.03])
    with scene.cartesian_targets(CartesianOptions(workspace=box)) as arm:
        before = arm.target()
        for attempt in (
            lambda: arm.set_position(outside),
            lambda: arm.set_target(outside, arm.target_orientation()),
            lambda: arm.move_by([0.0, 0.0, 0.03]),
            lambda: arm.move_to(outside),
            lambda: arm.follow([here, outside], dt=0.01),
        ):
            with pytest.raises(InvalidArgumentError, match=r"z = .* outside the workspace"):
                attempt()
        np.testing.assert_array_equal(arm.target(), before)
        assert arm.move_to(here + np.array([0.0, 0.0, 0.01]))


def test_a_stale_target_ends_the_session_where_it_lands(scene: SceneRobot) -> None:
    options = CartesianOptions(max_target_age_s=0.2, limits=QUICK)
    arm = scene.cartesian_targets(options)
    start = arm.cycle_count
    wait_until(lambda: arm.cycle_count > start + 400)  # nothing ages before the first target
    assert arm.is_running
    arm.move_by([0.0, 0.0, 0.01])
    goal = arm.target()
    wait_until(lambda: not arm.is_running)
    with pytest.raises(ControlError, match=r"no new target for 0\.2 s"):
        arm.stop()
    records = records_from_rows(arm.records().read()[0])
    np.testing.assert_allclose(records["pose"][-1][12:15], goal, rtol=0, atol=1e-5)
    moved = np.flatnonzero((records["target"] != records["target"][0]).any(axis=1))
    assert len(records) - moved[0] > 200 + 250
    with pytest.raises(InvalidOperationError, match="has ended"):
        arm.set_position(goal)


def test_a_dry_run_computes_and_records_and_sends_nothing(scene: SceneRobot) -> None:
    before = scene.robot.counters.sent
    with scene.cartesian_targets(CartesianOptions(dry_run=True, limits=QUICK)) as arm:
        arm.move_by([0.0, 0.0, 0.02])
        first = arm.cycle_count
        wait_until(lambda: arm.cycle_count > first + 300)
        assert scene.robot.state.robot_mode is RobotMode.Idle
    records = records_from_rows(arm.records().read()[0])
    assert scene.robot.counters.sent == before
    assert len(records) == arm.cycle_count
    assert records["velocity"][:, 2].max() > 0.01
    assert np.abs(records["tau"][-1]).max() > 0.1
    # The connection is free for a real one.
    with scene.cartesian_targets(CartesianOptions(limits=QUICK)) as arm:
        assert arm.move_to(arm.target() + np.array([0.0, 0.0, 0.005]))


def test_joints_and_streamed_targets_run_dry_too(scene: SceneRobot) -> None:
    streamed = CartesianOptions(dry_run=True, backend=RobotController())
    before = scene.robot.counters.sent
    for start in (
        lambda: scene.joint_targets(JointOptions(dry_run=True)),
        lambda: scene.cartesian_targets(streamed),
    ):
        with start() as arm:
            first = arm.cycle_count
            wait_until(lambda: arm.cycle_count > first + 50)  # noqa: B023
        assert arm.records().read()[1] == 0
    assert scene.robot.counters.sent == before


def test_an_observer_gets_every_cycle_in_another_thread(scene: SceneRobot) -> None:
    seen: list[tuple[RobotState, CartesianSent]] = []
    threads = set()

    def observe(state: RobotState, sent: CartesianSent) -> None:
        threads.add(threading.current_thread().name)
        seen.append((state, sent))

    with scene.cartesian_targets(CartesianOptions(observer=observe, limits=QUICK)) as arm:
        arm.move_to(arm.target() - np.array([0.0, 0.0, 0.01]))
    assert arm.observation is not None
    assert (arm.observation.lost, arm.observation.error) == (0, None)
    assert threads == {"kinegraph-observer"}
    rows, _ = arm.records().read()
    assert len(seen) == arm.observation.calls == len(rows)
    assert [sent for _, sent in seen[::50]] == [CartesianSent.from_row(row) for row in rows[::50]]
    cycles, _ = arm.cycles().read()
    assert [state.time for state, _ in seen] == cycles[: len(seen), 0].tolist()


def test_an_observer_that_fails_or_is_slow_does_not_hold_up_the_motion(scene: SceneRobot) -> None:
    def stumble(state: RobotState, sent: CartesianSent) -> None:
        raise ValueError("stumbled")

    with scene.cartesian_targets(CartesianOptions(observer=stumble, limits=QUICK)) as arm:
        assert arm.move_to(arm.target() + np.array([0.0, 0.0, 0.01]))
    assert arm.observation is not None
    assert isinstance(arm.observation.error, ValueError)
    assert arm.observation.calls == 0


def test_rows_that_are_gone_before_their_turn_count_as_lost() -> None:
    states, records = Ring(8, STATE_FIELDS), Ring(16, RECORD_FIELDS)
    calls: list[float] = []
    observation = Observation(
        lambda state, _: calls.append(state.time), states, records, lambda: False, 7
    )
    row, state = np.zeros(records.width), np.zeros(states.width)
    for i in range(40):
        state[S_time] = i
        push(states.data, states.head, states.width, state)
        push(records.data, records.head, records.width, row)
    while observation.deliver():
        pass
    assert observation.calls == len(calls) > 0
    assert observation.calls + observation.lost == 40
    assert calls == list(range(40 - len(calls), 40))


@pytest.mark.parametrize("options", [CartesianOptions(), JointOptions()])
@pytest.mark.parametrize(
    "wrong",
    [
        {"max_target_age_s": 0.0},
        {"dry_run": "yes"},
        {"observer": 3},
        {"realtime_priority": 100},
        {"cpu": -1},
    ],
)
def test_what_no_session_can_have_is_refused(options: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(wrong))):
        replace(options, **wrong).validate()


def test_the_highest_priority_that_can_be_had_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def grant(_thread: int, _policy: int, param: os.sched_param) -> None:
        asked.append(param.sched_priority)
        if param.sched_priority > 40:
            raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", grant)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (40, 40))
    assert raise_as_far_as_possible(0) == 40
    assert asked == [99, 40]
    monkeypatch.setattr(resource, "getrlimit", lambda _: (50, 50))
    assert raise_as_far_as_possible(0) == 0


PROGRAM = """
import os, sys
import numpy as np
from kinegraph.robot import CartesianOptions, InvalidOperationError, MotionLimits, Robot, SceneRobot

options = CartesianOptions(limits=MotionLimits(0.5, 2.0, 60.0))
scene = SceneRobot(Robot(sys.argv[1]))
arm = scene.cartesian_targets(options)
child = os.fork()
if child == 0:
    try:
        arm.move_by([0.0, 0.0, 0.1])
    except InvalidOperationError as refused:
        print("child:", refused, flush=True)
    sys.exit()
assert os.waitpid(child, 0)[1] == 0
print("parent:", arm.move_to(arm.target() + np.array([0.0, 0.0, 0.01])), flush=True)
arm.move_by([0.0, 0.2, 0.0])
raise RuntimeError("a program that fails in the middle of a motion")
"""


def test_a_fork_leaves_the_motion_and_a_failing_program_ends_it_without_a_reflex() -> None:
    host = fresh_address()
    with SimulatedRobot(host, lockstep_s=0.2):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, host],
            capture_output=True,
            text=True,
            timeout=300.0,
            check=False,
        )
        assert "RuntimeError: a program that fails" in done.stderr
        assert "child: the session has ended" in done.stdout
        assert "parent: True" in done.stdout
        with Robot(host) as robot:
            state = robot.read_once()
            assert state.robot_mode is RobotMode.Idle
            assert not state.last_motion_errors
            assert np.abs(state.dq).max() < 0.01
