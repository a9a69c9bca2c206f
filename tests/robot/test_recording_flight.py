"""The flight recorder beside a simulated robot: what went on is in the file, whatever ended it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from waiting_for import wait_until

from kinegraph.robot import (
    CartesianVelocities,
    FlightRecorder,
    InvalidArgumentError,
    InvalidOperationError,
    JointSent,
    JointVelocities,
    RecordedRun,
    Robot,
    RobotState,
    SceneRobot,
    SimulatedRobot,
    Torques,
    read_run,
    records_from_rows,
)

pytestmark = pytest.mark.compiled


@pytest.fixture
def sim() -> Iterator[SimulatedRobot]:
    with SimulatedRobot(fresh_address(), lockstep_s=0.5) as server:
        yield server


@pytest.fixture
def robot(sim: SimulatedRobot) -> Iterator[Robot]:
    with Robot(sim.address[0], timeout_s=10.0) as client:
        yield client


def torque_motion(robot: Robot, cycles: int) -> list[RobotState]:
    seen: list[RobotState] = []

    def callback(state: RobotState, _: float) -> Torques:
        seen.append(state)
        torques = Torques([0.0] * 7)
        torques.motion_finished = len(seen) >= cycles
        return torques

    robot.control_torques(callback)
    return seen


def assert_no_gap(run: RecordedRun) -> None:
    assert set(run.lost.values()) == {0}
    for name, field in (("states", "time"), ("cycles", "number")):
        steps = np.diff(run.table(name)[field])
        assert (steps == 1.0).all() if name == "cycles" else (steps >= 1.0).all()


def test_states_commands_and_messages_of_a_session_are_all_there(
    robot: Robot, tmp_path: Path
) -> None:
    with robot.record(tmp_path / "run", {"operator": "nobody"}) as recorder:
        robot.read_once()  # may have come before
        first = robot.read_once()
        robot.set_load(0.1, [0.0, 0.0, 0.05], [0.0] * 9)
        recorder.note("now it moves", force=3.5)
        seen = torque_motion(robot, 60)
        last = robot.read_once()
    run = read_run(tmp_path / "run")
    assert run.complete
    assert_no_gap(run)
    states = run.states()
    times = run.table("states")["time"]
    for state in (first, *seen, last):
        assert states[int(np.flatnonzero(times == state.time)[0])] == state
    cycles = run.table("cycles")
    np.testing.assert_array_equal(cycles["state_id"][:60], [state.time for state in seen])
    assert cycles["torque_command_finished"][59] == 1.0
    assert np.isin(cycles["state_id"], times).all()
    talk = [(e.what, e.facts["command"]) for e in run.events if e.what in ("request", "reply")]
    assert talk[:3] == [("request", "SetLoad"), ("reply", "SetLoad"), ("request", "Move")]
    replies = [e.facts for e in run.events if e.what == "reply"]
    assert [facts["fields"]["status"] for facts in replies] == [
        "Success",
        "MotionStarted",
        "Success",
    ]
    request = next(e.facts for e in run.events if e.what == "request")
    assert request["fields"]["m_load"] == 0.1
    assert request["id"] == replies[0]["id"]
    note = next(e for e in run.events if e.what == "note")
    assert dict(note.facts) == {"text": "now it moves", "force": 3.5}
    assert run.events[0].at_ns < note.at_ns < run.events[-1].at_ns


def test_motions_of_all_kinds_and_step_by_step_are_recorded(robot: Robot, tmp_path: Path) -> None:
    counts = []
    with robot.record(tmp_path / "run"):
        for loop, command in (
            (robot.control_joint_velocities, JointVelocities([0.0] * 7)),
            (robot.control_cartesian_velocities, CartesianVelocities([0.0] * 6)),
        ):
            asked: list[int] = []

            def callback(
                state: RobotState, _: float, command: Any = command, asked: list[int] = asked
            ) -> Any:
                asked.append(state.time)
                command.motion_finished = len(asked) >= 15
                return command

            loop(callback)
            counts.append(len(asked))
        with robot.start_torque_control() as control:
            for k in range(15):
                control.read_once()
                control.write_once(Torques([0.0] * 7, motion_finished=k == 14))
    run = read_run(tmp_path / "run")
    assert_no_gap(run)
    cycles = run.table("cycles")
    assert counts == [15, 15]
    assert np.sum(cycles["motion_generation_finished"] == 0.0) >= 14 + 14 + 15
    assert cycles["torque_command_finished"][-1] == 1.0
    assert np.isin(cycles["state_id"], run.table("states")["time"]).all()
    motions = [event.facts["session"] for event in run.events if event.what == "motion"]
    assert motions == [0, 1, 2]


def test_a_run_says_what_it_is(robot: Robot, sim: SimulatedRobot, tmp_path: Path) -> None:
    with robot.record(tmp_path / "run", {"operator": "nobody"}):
        robot.read_once()  # may have come before
        robot.read_once()
    run = read_run(tmp_path / "run")
    assert run.notes == {"operator": "nobody"}
    assert run.about["host"] == sim.address[0]
    assert run.about["fci_version"] == robot.version
    assert run.about["kinegraph"]
    assert run.about["started_at"].endswith("+00:00")
    assert run.robot_model == robot.robot_model()
    assert -1.0 < run.time_s()[0] < 60.0


def test_the_records_of_all_motions_are_told_apart_and_belong_to_commands(
    robot: Robot, tmp_path: Path
) -> None:
    counts = []
    with robot.record(tmp_path / "run"), SceneRobot(robot) as scene:
        scene.sync_tool()
        for step in (0.01, -0.01):
            with scene.cartesian_targets() as arm:
                arm.set_position(arm.target() + np.array([0.0, 0.0, step]))
                arm.wait()
            counts.append(arm.cycle_count)
    run = read_run(tmp_path / "run")
    assert_no_gap(run)
    records, cycles = run.table("records"), run.table("cycles")
    assert [int(np.sum(records["session"] == k)) for k in (0, 1)] == counts
    sent = cycles[np.searchsorted(cycles["number"], records["cycle"])]
    np.testing.assert_array_equal(sent["number"], records["cycle"])
    # The commands are the records' torques, behind the filter: they hang together.
    assert np.abs(sent["tau_J_d"] - records["tau"][:, :7]).max() < 5.0
    typed = run.records()
    assert typed["held"].dtype == np.bool_
    np.testing.assert_array_equal(typed["tau"], records["tau"][:, :7])
    motions = [e.facts["session"] for e in run.events if e.what == "motion"]
    assert motions == [0, 1]
    ended = [e.facts["session"] for e in run.events if e.what == "motion ended"]
    assert ended == [0, 1]


def test_joint_targets_have_a_table_of_their_own(robot: Robot, tmp_path: Path) -> None:
    with robot.record(tmp_path / "joints.run"), robot.start_joint_target_control() as arm:
        arm.move_by([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.02])
        assert arm.wait()
    rows, lost = arm.records().read()
    run = read_run(tmp_path / "joints.run")
    recorded = run.records(name="joint_records")
    assert lost == 0
    np.testing.assert_array_equal(recorded, records_from_rows(rows, kind=JointSent))
    assert len(run.records()) == 0


def test_a_recorder_that_comes_late_begins_in_the_motion(robot: Robot, tmp_path: Path) -> None:
    with SceneRobot(robot) as scene:
        scene.sync_tool()
        with scene.cartesian_targets() as arm, robot.record(tmp_path / "run"):
            before = arm.cycle_count
            wait_until(lambda: arm.cycle_count > before + 20)
    run = read_run(tmp_path / "run")
    assert len(run.table("records")) >= 20
    assert len(run.table("records")) <= len(run.table("cycles")) + 1
    assert [e.facts["begun_before"] for e in run.events if e.what == "motion"] == [True]


def test_two_recorders_record_the_same(robot: Robot, tmp_path: Path) -> None:
    with robot.record(tmp_path / "a"), robot.record(tmp_path / "b"):
        torque_motion(robot, 20)
    a, b = read_run(tmp_path / "a"), read_run(tmp_path / "b")
    np.testing.assert_array_equal(a.table("cycles"), b.table("cycles"))


def test_a_connection_that_is_lost_is_in_the_file(
    robot: Robot, sim: SimulatedRobot, tmp_path: Path
) -> None:
    with robot.record(tmp_path / "run"):
        robot.read_once()
        sim.stop()
        wait_until(lambda: not robot.is_connected)
    run = read_run(tmp_path / "run")
    assert run.complete
    assert "disconnected" in [event.what for event in run.events]


def test_wrong_arguments_are_refused_before_a_file_is_made(robot: Robot, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="notes"):
        robot.record(tmp_path / "run", {"what": object()})
    assert not (tmp_path / "run").exists()
    with pytest.raises(OSError, match="nothing"):
        robot.record(tmp_path / "nothing" / "run").start()
    recorder = FlightRecorder(robot, tmp_path / "run")
    with recorder:
        with pytest.raises(InvalidArgumentError, match="note"):
            recorder.note(3)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgumentError, match="JSON"):
            recorder.note("x", what=b"bytes")
    with pytest.raises(InvalidOperationError):
        recorder.start()


SESSION = """
import sys, time
from kinegraph.robot import Robot, Torques
path, host = sys.argv[1:]
with Robot(host) as robot, robot.record(path) as recorder:
    recorder.note("begun")
    n = 0
    def callback(state, period):
        global n
        n += 1
        if n % 100 == 0:
            print(int(state.time), time.monotonic_ns(), flush=True)
        return Torques([0.0] * 7)
    robot.control_torques(callback)
"""


def test_a_process_that_is_killed_in_a_motion_leaves_all_but_the_last_second(
    sim: SimulatedRobot, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", SESSION, str(tmp_path / "run"), sim.address[0]]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        lines = [child.stdout.readline().split() for _ in range(20)]
    finally:
        child.kill()
        killed_ns = time.monotonic_ns()
        child.wait(10)
        child.stdout.close()  # type: ignore[union-attr]
    run = read_run(tmp_path / "run")
    assert not run.complete
    assert_no_gap(run)
    assert run.events[0].facts["text"] == "begun"
    answered = run.table("cycles")["state_id"]
    kept = [int(word) for word, at_ns in lines if int(at_ns) < killed_ns - 1_000_000_000]
    assert np.isin(kept, answered).all()
    assert len(run.table("states")) >= len(run.table("cycles"))
