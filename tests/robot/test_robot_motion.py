"""Torque motions against a robot that does what the test says: start, finish, abort, stop."""

import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
import scripted_robot
from robot_addresses import fresh_address
from scripted_robot import IDLE, MOVE, ScriptedRobot
from waiting_for import SOON_S, wait_until

from kinegraph.robot.commands import Torques
from kinegraph.robot.errors import (
    CommandError,
    ControlError,
    FrankaError,
    InvalidArgumentError,
    InvalidOperationError,
    NetworkError,
    ProtocolError,
)
from kinegraph.robot.loop.callback import CompiledTorques
from kinegraph.robot.loop.loop_layout import Y_MESSAGE_ID
from kinegraph.robot.robot import Robot
from kinegraph.robot.state import RobotState
from kinegraph.robot.torque_session import TorqueSession
from kinegraph.robot.wire.state_layout import (
    C_dq_c,
    C_message_id,
    C_motion_generation_finished,
    C_tau_J_d,
    C_torque_command_finished,
    S_control_command_success_rate,
    S_controller_mode,
    S_dq,
    S_motion_generator_mode,
    S_q,
    S_tau_ext_hat_filtered,
    S_tau_J_d,
    S_time,
)
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

REFLEX_BIT = 6  # joint_reflex
NOTHING: dict[str, Torques] = {}


@numba.njit(nogil=True)
def hold(state: Array, period_s: float, torques: Array) -> int:
    for i in range(7):
        torques[i] = 0.25 * (i + 1)
    return 0


@numba.njit(nogil=True)
def finish_at_once(state: Array, period_s: float, torques: Array) -> int:
    torques[:] = 0.5
    return 1


@numba.njit(nogil=True)
def not_a_number(state: Array, period_s: float, torques: Array) -> int:
    torques[:] = 0.0
    torques[3] = math.nan
    return 0


@numba.njit(nogil=True)
def stumble(state: Array, period_s: float, torques: Array) -> int:
    torques[:] = 0.0
    if period_s > 0.0:
        raise ValueError("stumbled")
    return 0


@pytest.fixture
def scripted() -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address()) as robot:
        yield robot


@pytest.fixture
def robot(scripted: ScriptedRobot) -> Iterator[Robot]:
    with Robot(scripted.address, timeout_s=5.0) as client:
        yield client


def start(robot: Robot, callback: Any = hold, **options: Any) -> TorqueSession:
    options.setdefault("cutoff_frequency", 1000.0)
    return robot.start_session(CompiledTorques(callback), **options)


def moving(scripted: ScriptedRobot, commands: int) -> None:
    wait_until(lambda: len(scripted.commands) >= commands)


# --- start, run, finish -------------------------------------------------------------------------


def test_a_motion_answers_every_state_with_its_id_and_the_torques(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    session = start(robot)
    moving(scripted, 100)
    session.stop()
    # Where the robot's thread was late, several states went out at once and the newest counts.
    missed = len(set(scripted.shown) - scripted.answered)
    assert missed <= robot.counters.passed_over + 1
    ids = [int(row[C_message_id]) for row in scripted.commands]
    assert all(b > a for a, b in pairwise(ids))
    for row in scripted.commands:
        assert row[C_tau_J_d : C_tau_J_d + 7].tolist() == [0.25 * (i + 1) for i in range(7)]


def test_the_states_after_the_one_that_shows_the_motion_are_answered(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.lock_step_s = 5.0
    session = start(robot)
    moving(scripted, 20)
    session.stop()
    first = min(scripted.answered)
    assert first > scripted.shown[0]
    later = {number for number in scripted.shown if number > first}
    assert later - scripted.answered <= {scripted.shown[-1]}


def test_start_returns_after_the_first_cycle(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot)
    assert robot.counters.cycles >= 1
    assert session.is_running
    session.stop()
    assert not session.is_running


def test_a_session_is_started_once(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot)
    with pytest.raises(InvalidOperationError, match="started once"):
        session.start()
    session.stop()
    with pytest.raises(InvalidOperationError, match="started once"):
        session.start()


def test_the_period_is_zero_first_and_then_follows_the_ids(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    periods: list[float] = []

    def note(state: RobotState, period: float) -> Torques:
        periods.append(period)
        return Torques(np.zeros(7), len(periods) == 30)

    scripted.step = 2
    scripted.lock_step_s = 5.0
    robot.control_torques(note)
    assert periods[0] == 0.0
    assert periods[1:30] == pytest.approx([0.002] * 29, abs=1e-15)


def test_the_finished_command_is_sent_until_the_robot_is_idle(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.keeps_moving = True
    session = start(robot)
    moving(scripted, 10)
    session.request_stop()
    wait_until(lambda: scripted.commands[-1][C_torque_command_finished] == 1.0)
    at = len(scripted.commands)
    moving(scripted, at + 10)
    assert session.is_running
    scripted.later(lambda: scripted.leave(IDLE, 0))
    session.wait()
    flags = [row[C_torque_command_finished] for row in scripted.commands]
    first = flags.index(1.0)
    assert all(flags[first:])
    last = scripted.commands[first][C_tau_J_d : C_tau_J_d + 7].tolist()
    assert scripted.commands[-1][C_tau_J_d : C_tau_J_d + 7].tolist() == last
    assert not any(row[C_motion_generation_finished] for row in scripted.commands)


def test_success_may_come_before_the_idle_state(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.final_first = True
    session = start(robot)
    session.stop()
    assert session.error is None


def test_motion_started_after_the_finish_is_accepted(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.move_final = 1
    start(robot).stop()


def test_a_motion_that_finishes_in_its_first_cycle_sends_its_torques(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    robot.control_torques(finish_at_once, cutoff_frequency=1000.0)
    assert scripted.commands[0][C_torque_command_finished] == 1.0
    assert scripted.commands[0][C_tau_J_d] == 0.5


def test_motions_follow_each_other_on_one_connection(scripted: ScriptedRobot, robot: Robot) -> None:
    for _ in range(20):
        robot.control_torques(finish_at_once)
    assert scripted.count("Move") == 20
    assert scripted.count("StopMove") == 0
    robot.read_once()
    assert robot.counters.lost == 0


def test_states_are_streamed_without_a_gap_across_a_motion(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    stream = robot.states()
    session = start(robot)
    moving(scripted, 50)
    session.stop()
    robot.read_once()
    rows, lost = stream.reader.read()
    assert lost == 0
    assert (np.diff(rows[:, S_time]) == 1).all()


def test_the_cycles_of_a_session_are_logged(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot)
    moving(scripted, 50)
    session.stop()
    rows, lost = session.cycles().read()
    assert lost == 0
    logged = rows[:, Y_MESSAGE_ID].astype(int).tolist()
    assert logged == [int(row[C_message_id]) for row in scripted.commands]


def test_the_move_request_asks_for_torques_alone(scripted: ScriptedRobot, robot: Robot) -> None:
    start(robot).stop()
    payload = next(payload for name, _, payload in scripted.requests if name == "Move")
    record = np.frombuffer(payload, scripted.protocol.dtype("Move.Request"))[0]
    assert (record["controller_mode"], record["motion_generator_mode"]) == (2, 4)
    assert record["maximum_path_deviation.translation"] == 10.0
    assert record["maximum_goal_pose_deviation.rotation"] == 3.12
    assert record["use_async_motion_generator"] == 0


# --- the send path ------------------------------------------------------------------------------


def test_torques_are_filtered_against_the_echo(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.lock_step_s = 5.0
    session = start(robot, cutoff_frequency=100.0)
    moving(scripted, 2)
    session.stop()
    gain = 0.001 / (0.001 + 1.0 / (2.0 * math.pi * 100.0))
    assert gain == pytest.approx(0.385870, abs=1e-6)
    assert scripted.commands[0][C_tau_J_d] == pytest.approx(gain * 0.25, rel=1e-12)


def test_the_torque_rate_leaves_room_for_the_rounding_of_the_echo(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.row[S_tau_J_d : S_tau_J_d + 7] = 80.0
    scripted.lock_step_s = 5.0
    session = start(robot, limit_rate=True)
    moving(scripted, 1)
    session.stop()
    step = 80.0 - scripted.commands[0][C_tau_J_d]
    assert step == pytest.approx(0.999999 - 80.0 * 2.0**-23 / 2.0, abs=1e-12)


# --- refusals -----------------------------------------------------------------------------------

FIRST = [
    (2, CommandError, "Move command preempted!"),
    (3, CommandError, "Move command preempted due to activated safety function!"),
    (4, CommandError, "Move command rejected due to activated safety function!"),
    (5, CommandError, 'not possible in the current mode ("Idle")!'),
    (6, CommandError, "cannot start at singular pose!"),
    (7, CommandError, "maximum path deviation out of range!"),
    (8, CommandError, "Move command aborted: motion aborted by reflex!"),
    (9, CommandError, "Move command aborted: User Stop pressed!"),
    (10, CommandError, "invalid input provided!"),
    (11, CommandError, "Move command aborted!"),
    (12, ProtocolError, "Unexpected response while handling Move command!"),
]


@pytest.mark.parametrize(("status", "kind", "text"), FIRST)
def test_a_refused_move_raises_and_sends_nothing_more(
    scripted: ScriptedRobot, robot: Robot, status: int, kind: type[FrankaError], text: str
) -> None:
    scripted.move_first = status
    with pytest.raises(kind) as caught:
        start(robot)
    assert text in str(caught.value)
    assert scripted.count("StopMove") == 0
    scripted.move_first = 1
    start(robot).stop()


def test_a_refused_move_raises_the_same_for_a_python_callback(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.move_first = 6
    with pytest.raises(CommandError, match="singular pose"):
        robot.control_torques(lambda state, period: Torques(np.zeros(7)))
    assert scripted.count("StopMove") == 0


def test_a_second_motion_is_refused_while_one_runs(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot)
    with pytest.raises(InvalidOperationError, match="another control or read operation"):
        start(robot)
    with pytest.raises(InvalidOperationError, match="another control or read operation"):
        robot.control_torques(lambda state, period: Torques(np.zeros(7)))
    assert session.is_running
    session.stop()


def test_a_robot_that_shows_a_motion_already_is_not_started(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.row[S_controller_mode] = 2
    wait_until(lambda: robot.state.row[S_controller_mode] == 2)
    with pytest.raises(ControlError, match="Attempted to start multiple motions!"):
        start(robot)
    assert scripted.count("Move") == 0


@pytest.mark.parametrize("cutoff", [0.0, -1.0, math.nan, math.inf])
def test_a_cutoff_that_is_none_is_refused_before_anything_is_sent(
    scripted: ScriptedRobot, robot: Robot, cutoff: float
) -> None:
    with pytest.raises(InvalidArgumentError, match="cutoff_frequency"):
        start(robot, cutoff_frequency=cutoff)
    assert scripted.count("Move") == 0


def test_a_compiled_callback_that_returns_nothing_is_refused_before_anything_is_sent(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    @numba.njit
    def forgetful(state: Array, period_s: float, torques: Array) -> None:
        torques[0] = 0.1

    with pytest.raises(InvalidArgumentError, match="does not compile"):
        robot.control_torques(forgetful)
    assert scripted.count("Move") == 0


def test_a_callback_that_does_not_compile_is_refused_before_anything_is_sent(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    @numba.njit
    def one_argument(state: Array) -> int:
        return 0

    with pytest.raises(InvalidArgumentError, match="does not compile"):
        robot.control_torques(one_argument)
    assert scripted.count("Move") == 0


def test_a_motion_that_never_shows_in_the_states_ends_in_time(scripted: ScriptedRobot) -> None:
    scripted.shows_motion = False
    with (
        Robot(scripted.address, timeout_s=1.0) as robot,
        pytest.raises(ProtocolError, match="never show it: mode 1, generator 0 instead of 5"),
    ):
        start(robot)
    assert scripted.count("StopMove") == 1


def test_a_move_that_is_never_answered_ends_in_time(scripted: ScriptedRobot) -> None:
    scripted.unanswered.add("Move")
    with Robot(scripted.address, timeout_s=1.0) as robot:
        with pytest.raises(NetworkError, match="no reply to Move"):
            start(robot)
        with pytest.raises(NetworkError, match="no reply to Move"):
            robot.control_torques(lambda state, period: Torques(np.zeros(7)))
    assert scripted.count("StopMove") == 2


def test_a_slow_answer_to_move_without_states_meanwhile_is_no_error(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.delays["Move"] = 1.5

    def silent_while_starting() -> None:
        wait_until(lambda: scripted.count("Move") == 1)
        scripted.sends = False
        time.sleep(1.3)
        scripted.sends = True

    quiet = threading.Thread(target=silent_while_starting)
    quiet.start()
    start(robot).stop()
    quiet.join()


# --- the robot ends it --------------------------------------------------------------------------

RUNNING = [
    (0, ProtocolError, "Unexpected reply to a Move command"),
    (2, ControlError, "libfranka: Move command preempted!"),
    (3, ControlError, "preempted due to activated safety function!"),
    (5, ControlError, 'not possible in the current mode ("Reflex")!'),
    (8, ControlError, 'motion aborted by reflex! ["joint_reflex"]\ncontrol_command_success_rate:'),
    (9, ControlError, "User Stop pressed!"),
    (10, ControlError, "invalid input provided!"),
    (11, ControlError, "libfranka: Move command aborted!"),
    (12, ProtocolError, "Unexpected response while handling Move command!"),
]


@pytest.mark.parametrize(("status", "kind", "text"), RUNNING)
def test_a_motion_that_the_robot_leaves_raises_its_reply(
    scripted: ScriptedRobot, robot: Robot, status: int, kind: type[FrankaError], text: str
) -> None:
    scripted.abort_after, scripted.abort_error = 12, REFLEX_BIT
    scripted.move_final = status
    with pytest.raises(kind) as caught:
        robot.control_torques(hold)
    assert text in str(caught.value)
    wait_until(lambda: scripted.count("StopMove") == 1)


def test_an_abort_carries_the_reason_and_the_last_cycles(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.abort_after, scripted.abort_error, scripted.move_final = 80, REFLEX_BIT, 8
    scripted.lock_step_s = 5.0
    session = start(robot)
    with pytest.raises(ControlError) as caught:
        session.wait()
    error = caught.value
    assert list(error.reflex_reason) == ["joint_reflex"]
    assert error.status == "ReflexAborted"
    assert len(error.log) == 50
    sent = [cycle.command for cycle in error.log if cycle.command is not None]
    assert sent  # how many of the last fifty had one is the machine's doing
    assert error.log[-1].state.robot_mode.name == "Reflex"
    assert sent[-1][C_tau_J_d] == 0.25


def test_the_rate_in_an_abort_counts_the_states_lost_right_before_it(
    scripted: ScriptedRobot, robot: Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.row[S_control_command_success_rate] = 0.9
    scripted.abort_after, scripted.move_final = 30, 8
    scripted.lock_step_s = 5.0
    leave = scripted.leave

    def leave_after_a_gap(mode: int, status: int | None) -> None:
        scripted.message_id += 4
        leave(mode, status)

    monkeypatch.setattr(scripted, "leave", leave_after_a_gap)
    with pytest.raises(ControlError) as caught:
        robot.control_torques(hold)
    assert "control_command_success_rate: 0.864 packets lost in a row in the last sample: 4" in str(
        caught.value
    )


def test_an_error_after_the_finish_says_that_the_robot_still_moves(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.move_final = 8
    with pytest.raises(ControlError, match="Motion finished commanded, but the robot is still mov"):
        robot.control_torques(finish_at_once)


@pytest.mark.parametrize("final_first", [False, True])
def test_an_error_of_a_python_loop_is_raised_in_its_thread(
    scripted: ScriptedRobot, robot: Robot, final_first: bool
) -> None:
    scripted.abort_after, scripted.move_final, scripted.final_first = 12, 9, final_first
    with pytest.raises(ControlError, match="User Stop pressed!"):
        robot.control_torques(lambda state, period: Torques(np.zeros(7)))


def test_a_reply_without_an_end_in_the_states_ends_the_motion_too(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    session = start(robot)
    number = next(number for name, number, _ in scripted.requests if name == "Move")
    scripted.reply("Move", number, b"\x0b")
    with pytest.raises(ControlError, match="Move command aborted!"):
        session.wait(SOON_S)


def test_silence_in_a_motion_is_a_network_error(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot)
    scripted.sends = False
    with pytest.raises(NetworkError, match="UDP receive: Timeout"):
        session.wait(SOON_S)
    assert not session.is_running


def test_a_closed_connection_ends_a_motion_although_states_still_come(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    session = start(robot)
    scripted.drop_client(keep_streaming=True)
    with pytest.raises(NetworkError, match="server closed connection"):
        session.wait(SOON_S)


def test_twenty_bad_datagrams_in_a_row_end_a_motion(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot)
    scripted.mangle = lambda datagram: [datagram[:50]] * 20
    with pytest.raises(NetworkError, match="twenty UDP datagrams in a row"):
        session.wait(SOON_S)


def test_nineteen_bad_datagrams_in_a_row_do_not(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.mangle = lambda datagram: [datagram[:50]] * 9 + [datagram]
    session = start(robot)
    moving(scripted, 50)
    session.stop()


@pytest.mark.parametrize(
    ("index", "value", "name"),
    [(S_q + 2, math.nan, r"q\[2\]"), (S_dq, math.inf, r"dq\[0\]"), (0, math.nan, r"O_T_EE\[0\]")],
)
def test_a_state_with_a_control_input_that_is_no_number_never_reaches_a_command(
    scripted: ScriptedRobot, robot: Robot, index: int, value: float, name: str
) -> None:
    session = start(robot)
    scripted.row[index] = value
    with pytest.raises(ProtocolError, match=f"the robot's state has {name} = {value}"):
        session.wait(SOON_S)
    assert all(np.isfinite(row).all() for row in scripted.commands)
    wait_until(lambda: scripted.count("StopMove") == 1)


def test_a_state_that_is_no_number_elsewhere_does_not_matter(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.row[S_tau_ext_hat_filtered] = math.nan
    session = start(robot)
    moving(scripted, 20)
    session.stop()


# --- the client ends it -------------------------------------------------------------------------


def test_stop_from_another_thread_preempts(scripted: ScriptedRobot, robot: Robot) -> None:
    session = start(robot)
    threading.Timer(0.05, robot.stop).start()
    with pytest.raises(ControlError, match="Move command preempted!"):
        session.wait(SOON_S)
    robot.read_once()


def test_a_torque_that_is_no_number_is_not_sent_and_stops_the_motion(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    with pytest.raises(InvalidArgumentError, match="infinite or NaN: tau_J of joint 4"):
        robot.control_torques(not_a_number)
    assert scripted.commands == []
    wait_until(lambda: scripted.count("StopMove") == 1)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_compiled_callback_that_raises_stops_the_motion(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    with pytest.raises(ControlError, match="the compiled controller raised"):
        robot.control_torques(stumble)
    wait_until(lambda: scripted.count("StopMove") == 1)


def test_an_exception_in_a_python_callback_stops_the_motion_and_is_raised_again(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    with pytest.raises(KeyError, match="mine"):
        robot.control_torques(lambda state, period: NOTHING["mine"])
    assert scripted.count("StopMove") == 1
    start(robot).stop()


@pytest.mark.parametrize("answer", [None, [0.0] * 7, 3])
def test_a_python_callback_must_return_torques(
    scripted: ScriptedRobot, robot: Robot, answer: Any
) -> None:
    with pytest.raises(InvalidArgumentError, match="instead of Torques"):
        robot.control_torques(lambda state, period: answer)
    assert scripted.commands == []


def test_torques_that_are_no_numbers_cannot_be_returned(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    with pytest.raises(ValueError, match="NaN"):
        robot.control_torques(lambda state, period: Torques([math.nan] * 7))
    assert scripted.commands == []
    assert scripted.count("StopMove") == 1


def test_leaving_the_block_stops_the_motion(scripted: ScriptedRobot) -> None:
    with Robot(scripted.address) as robot:
        session = start(robot)
    assert scripted.count("StopMove") == 1
    assert not session.is_running
    assert session.error is None


def test_dropping_the_robot_stops_the_motion(scripted: ScriptedRobot) -> None:
    robot = Robot(scripted.address)
    session = start(robot)
    del robot
    assert not session.is_running
    assert scripted.count("StopMove") == 1


def test_an_error_that_nobody_asked_for_is_logged_when_the_next_motion_starts(
    scripted: ScriptedRobot, robot: Robot, caplog: pytest.LogCaptureFixture
) -> None:
    session = start(robot)
    robot.stop()
    wait_until(lambda: not session.is_running)
    start(robot).stop()
    assert "Move command preempted" in caplog.text


# --- beside a busy interpreter ------------------------------------------------------------------


@pytest.mark.slow
def test_a_python_thread_that_never_lets_go_costs_no_command() -> None:
    address, states = fresh_address(), 1500
    program = [sys.executable, scripted_robot.__file__, address, str(states), "0.5"]
    source = str(Path(__file__).parents[2] / "src")
    with subprocess.Popen(
        program, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": source}
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            with Robot(address) as robot:
                session = start(robot)
                interval = sys.getswitchinterval()
                # While this thread computes, no other one gets the interpreter: a loop that needed
                # it once would leave states unanswered for seconds.
                sys.setswitchinterval(1000.0)
                try:
                    before = session.cycle_count
                    while session.cycle_count < before + states - 200:
                        sum(range(1000))
                finally:
                    sys.setswitchinterval(interval)
                with pytest.raises(ControlError, match="preempted"):
                    session.wait(SOON_S)
            counted = json.loads(process.stdout.readline())
        finally:
            process.kill()
    assert counted["shown"] >= states
    assert counted["unanswered"] <= 1  # the state at which the robot left


# --- version 5 ----------------------------------------------------------------------------------


@pytest.fixture
def fer() -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address(), version=5) as robot:
        robot.connect_version = 5
        robot.statuses["Connect"] = [1, 0]
        yield robot


def test_torques_of_version_5_go_with_a_velocity_generator_at_rest(fer: ScriptedRobot) -> None:
    fer.lock_step_s = 5.0
    with Robot(fer.address) as robot:
        assert robot.version == 5
        session = start(robot)
        moving(fer, 20)
        session.stop()
        with pytest.raises(InvalidOperationError, match="Get Robot Model is not available"):
            robot.robot_model()
    payload = next(payload for name, _, payload in fer.requests if name == "Move")
    record = np.frombuffer(payload, fer.protocol.dtype("Move.Request"))[0]
    assert (record["controller_mode"], record["motion_generator_mode"]) == (2, 1)
    assert fer.commands[-1][C_motion_generation_finished] == 1.0
    assert not any(row[C_torque_command_finished] for row in fer.commands)
    assert not any(row[C_dq_c : C_dq_c + 7].any() for row in fer.commands)


def test_rate_and_filter_are_on_or_off_as_in_the_version(fer: ScriptedRobot) -> None:
    fer.lock_step_s = 5.0
    fer.row[S_tau_J_d : S_tau_J_d + 7] = 80.0
    with Robot(fer.address) as robot:
        session = start(robot)
        moving(fer, 2)
        session.stop()
    assert 80.0 - fer.commands[0][C_tau_J_d] == pytest.approx(0.999999, abs=1e-12)


def test_modes_of_the_running_motion_are_those_that_move_names(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    session = start(robot)
    row = robot.state.row
    assert (row[S_motion_generator_mode], row[S_controller_mode]) == (5, 2)
    assert robot.state.robot_mode.value == MOVE
    session.stop()
