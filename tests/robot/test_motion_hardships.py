"""Callback motions that go wrong: what is refused, what stops the robot, what the user hears."""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot
from waiting_for import wait_until

from kinegraph.robot.commands import (
    CartesianPose,
    CartesianVelocities,
    JointPositions,
    JointVelocities,
    Torques,
)
from kinegraph.robot.errors import (
    ControlError,
    FrankaError,
    InvalidArgumentError,
    InvalidOperationError,
    ProtocolError,
)
from kinegraph.robot.loop.interrupts import interrupts_held
from kinegraph.robot.robot import Robot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import (
    S_O_T_EE,
    C_dq_c,
    C_motion_generation_finished,
    C_O_T_EE_c,
    C_q_c,
    C_tau_J_d,
    C_torque_command_finished,
    S_elbow_c,
    S_O_T_EE_c,
    S_q_d,
    S_tau_J,
)
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

REST = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
ZEROS = [0.0] * 7


@pytest.fixture(params=[10, 5])
def scripted(request: pytest.FixtureRequest) -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address(), version=request.param) as robot:
        yield robot


@pytest.fixture
def robot(scripted: ScriptedRobot) -> Iterator[Robot]:
    with Robot(scripted.address, version=scripted.protocol.version, timeout_s=5.0) as client:
        yield client


def stay(state: RobotState, period_s: float) -> JointPositions:
    return JointPositions(REST)


def stay_as_pose(state: RobotState, period_s: float) -> CartesianPose:
    return CartesianPose(np.eye(4))


@numba.njit(nogil=True)
def compiled_stay(state: Array, period_s: float, out: Array) -> int:
    for i in range(7):
        out[i] = state[S_q_d + i]
    return 0


@numba.njit(nogil=True)
def compiled_pose(state: Array, period_s: float, out: Array) -> int:
    for i in range(16):
        out[i] = state[S_O_T_EE_c + i]
    return 0


@numba.njit(nogil=True)
def compiled_zeros(state: Array, period_s: float, out: Array) -> int:
    out[:] = 0.0
    return 0


@numba.njit(nogil=True)
def compiled_nan(state: Array, period_s: float, out: Array) -> int:
    out[:] = 0.0
    if period_s > 0.0:
        out[2] = math.nan
    return 0


@numba.njit(nogil=True)
def compiled_bad_elbow(state: Array, period_s: float, out: Array) -> int:
    for i in range(16):
        out[i] = state[S_O_T_EE_c + i]
    out[16], out[17] = 0.1, 0.5
    return 0


@numba.njit(nogil=True)
def compiled_stumble(state: Array, period_s: float, out: Array) -> int:
    if period_s > 0.0:
        raise ValueError("stumbled")
    for i in range(7):
        out[i] = state[S_q_d + i]
    return 0


def raised_by(call: Callable[[], object]) -> BaseException:
    """What a call raises."""
    try:
        call()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def stopped_once(scripted: ScriptedRobot) -> None:
    """The robot was told to stop, and serves the next motion."""
    wait_until(lambda: scripted.count("StopMove") == 1)
    assert scripted.clients == 1


# --- commands that are none ---------------------------------------------------------------------


def test_an_exception_in_a_callback_stops_the_robot(scripted: ScriptedRobot, robot: Robot) -> None:
    calls = 0

    def stumble(state: RobotState, period_s: float) -> JointPositions:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise LookupError("mine")
        return JointPositions(REST)

    with pytest.raises(LookupError, match="mine"):
        robot.control_joint_positions(stumble)
    stopped_once(scripted)
    robot.control_joint_positions(lambda state, period: JointPositions(REST, True))


WRONG: list[tuple[str, Callable[..., Any], str]] = [
    ("joint_positions", lambda s, p: JointVelocities(ZEROS), "JointVelocities instead of JointPos"),
    ("joint_velocities", lambda s, p: ZEROS, "list instead of JointVelocities"),
    ("cartesian_pose", lambda s, p: None, "NoneType instead of CartesianPose"),
    ("cartesian_velocities", lambda s, p: CartesianVelocities([math.inf] * 6), "infinite or NaN"),
    ("joint_positions", lambda s, p: JointPositions([math.nan] * 7), "infinite or NaN"),
    ("cartesian_pose", lambda s, p: CartesianPose(np.eye(4), elbow=[0.0, 2.0]), "Invalid elbow"),
    ("cartesian_pose", lambda s, p: CartesianPose(2.0 * np.eye(4)), "invalid transformation"),
    ("torques", lambda s, p: JointPositions(REST), "JointPositions instead of Torques"),
]


@pytest.mark.parametrize(("kind", "callback", "text"), WRONG)
def test_what_cannot_be_sent_stops_the_robot(
    scripted: ScriptedRobot, robot: Robot, kind: str, callback: Any, text: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        getattr(robot, f"control_{kind}")(callback)
    stopped_once(scripted)
    assert scripted.commands == []


COMPILED_WRONG: list[tuple[str, Any, type[FrankaError], str]] = [
    ("joint_positions", compiled_nan, InvalidArgumentError, "infinite or NaN"),
    ("joint_velocities", compiled_nan, InvalidArgumentError, "infinite or NaN"),
    ("cartesian_velocities", compiled_nan, InvalidArgumentError, "infinite or NaN"),
    ("cartesian_pose", compiled_zeros, InvalidArgumentError, "invalid transformation"),
    ("cartesian_pose", compiled_bad_elbow, InvalidArgumentError, "Invalid elbow"),
    ("joint_positions", compiled_stumble, ControlError, "raised an exception"),
]


@pytest.mark.parametrize(("kind", "callback", "error", "text"), COMPILED_WRONG)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_compiled_callback_must_not_give_stops_the_robot(
    scripted: ScriptedRobot,
    robot: Robot,
    kind: str,
    callback: Any,
    error: type[FrankaError],
    text: str,
) -> None:
    with pytest.raises(error, match=text):
        getattr(robot, f"control_{kind}")(callback, limit_rate=False, cutoff_frequency=1000.0)
    stopped_once(scripted)
    assert all(np.isfinite(row).all() for row in scripted.commands)


def test_callbacks_are_checked_before_anything_is_sent(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    with pytest.raises(InvalidArgumentError, match="3 cannot be called"):
        robot.control_joint_positions(3)
    with pytest.raises(InvalidArgumentError, match="both have to be of one sort"):
        robot.control_joint_positions(stay, torques=compiled_zeros)
    with pytest.raises(InvalidArgumentError, match="does not compile"):
        robot.control_joint_positions(numba.njit(lambda state: 0))
    with pytest.raises(InvalidArgumentError, match="cutoff_frequency"):
        robot.control_cartesian_pose(stay_as_pose, cutoff_frequency=0.0)
    with pytest.raises(InvalidArgumentError, match="limit_rate"):
        robot.control_cartesian_pose(stay_as_pose, limit_rate="yes")  # type: ignore[arg-type]
    assert scripted.count("Move") == 0


# --- states that are none -----------------------------------------------------------------------

BAD_STATES = [
    ("O_T_EE", S_O_T_EE, math.nan),
    ("O_T_EE", S_O_T_EE + 5, 1.1),
    ("O_T_EE_c", S_O_T_EE_c + 1, 0.3),
    ("O_T_EE_c", S_O_T_EE_c + 15, 0.0),
    ("elbow_c", S_elbow_c, math.inf),
    ("tau_J", S_tau_J + 2, math.nan),
]


@pytest.mark.parametrize("sort", ["python", "compiled", "steps"])
@pytest.mark.parametrize(("field", "at", "value"), BAD_STATES)
def test_a_state_that_is_none_ends_a_cartesian_motion(
    scripted: ScriptedRobot, robot: Robot, field: str, at: int, value: float, sort: str
) -> None:
    def spoil() -> None:
        scripted.row[at] = value

    once_moving(scripted, lambda: scripted.later(spoil))

    def run() -> None:
        if sort == "python":
            robot.control_cartesian_pose(stay_as_pose)
        elif sort == "compiled":
            robot.control_cartesian_pose(compiled_pose)
        else:
            with robot.start_cartesian_pose_control() as control:
                while True:
                    control.read_once()
                    control.write_once(CartesianPose(np.eye(4)))

    error = raised_by(run)
    assert isinstance(error, ProtocolError)
    assert error.facts["field"].partition("[")[0] == field
    assert f"has {field}" in str(error) or f"has a {field}" in str(error)
    assert all(np.isfinite(row).all() for row in scripted.commands)
    wait_until(lambda: scripted.count("StopMove") >= 1)


def test_a_pose_that_is_none_does_not_matter_to_a_joint_motion(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.row[S_O_T_EE_c : S_O_T_EE_c + 16] = 0.0
    robot.control_joint_positions(lambda state, period: JointPositions(REST, True))
    assert len(scripted.commands) >= 1


# --- stopping -----------------------------------------------------------------------------------


def once_moving(scripted: ScriptedRobot, action: Callable[[], object]) -> None:
    """Do something from another thread when the robot has got twenty commands more."""
    at = len(scripted.commands) + 20

    def wait_and_act() -> None:
        wait_until(lambda: len(scripted.commands) >= at)
        action()

    threading.Thread(target=wait_and_act, daemon=True).start()


@pytest.mark.parametrize("callback", [stay, compiled_stay], ids=["python", "compiled"])
def test_ctrl_c_stops_the_robot(scripted: ScriptedRobot, robot: Robot, callback: Any) -> None:
    once_moving(scripted, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        robot.control_joint_positions(callback)
    stopped_once(scripted)


@pytest.mark.parametrize("callback", [stay, compiled_stay], ids=["python", "compiled"])
def test_stop_from_another_thread_preempts(
    scripted: ScriptedRobot, robot: Robot, callback: Any
) -> None:
    once_moving(scripted, robot.stop)
    with pytest.raises(ControlError, match=r"^libfranka: Move command preempted!$"):
        robot.control_joint_positions(callback)


@pytest.mark.parametrize("callback", [stay, compiled_stay], ids=["python", "compiled"])
def test_closing_the_robot_ends_the_motion(
    scripted: ScriptedRobot, robot: Robot, callback: Any
) -> None:
    once_moving(scripted, robot.close)
    with pytest.raises(ControlError, match="preempted! The robot was closed"):
        robot.control_joint_positions(callback)
    wait_until(lambda: scripted.count("StopMove") >= 1)


def test_a_second_motion_is_refused_while_one_runs(scripted: ScriptedRobot, robot: Robot) -> None:
    refused: list[BaseException] = []

    def callback(state: RobotState, period_s: float) -> JointPositions:
        if not refused:
            refused.append(raised_by(lambda: robot.control_cartesian_pose(stay_as_pose)))
        return JointPositions(REST, True)

    robot.control_joint_positions(callback)
    assert isinstance(refused[0], InvalidOperationError)


def test_an_abort_carries_the_last_fifty_states_and_commands(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    aborted = scripted.protocol.statuses["Move"]["ReflexAborted"]
    scripted.abort_after, scripted.abort_error, scripted.move_final = 80, 14, aborted
    scripted.lock_step_s = 5.0
    with pytest.raises(ControlError) as caught:
        robot.control_joint_positions(stay)
    assert '["joint_motion_generator_velocity_discontinuity"]' in str(caught.value)
    log = caught.value.log
    assert len(log) == 50
    assert log[-1].command is None  # the state in which the robot had left
    assert [i for i, cycle in enumerate(log[:-1]) if cycle.command is None] == []
    assert log[-2].command[C_q_c + 3] == pytest.approx(REST[3])
    assert log[-1].state.time == log[-2].state.time + 1


def test_ctrl_c_during_a_compilation_counts_at_its_end() -> None:
    done = []

    def compile_something() -> None:
        with interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
            done.append(True)

    with pytest.raises(KeyboardInterrupt):
        compile_something()
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- both halves --------------------------------------------------------------------------------


def test_the_second_callback_rests_in_the_cycle_in_which_the_first_finishes(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    """Version 10 asks for the torques first, version 5 for the motion; see libfranka's loops."""
    scripted.lock_step_s = 5.0
    asked: list[str] = []
    torques_first = scripted.protocol.version == 10

    def motion(state: RobotState, period_s: float) -> JointVelocities:
        asked.append("motion")
        number = asked.count("motion")
        return JointVelocities([0.01 * number] + [0.0] * 6, not torques_first and number == 5)

    def torques(state: RobotState, period_s: float) -> Torques:
        asked.append("torques")
        number = asked.count("torques")
        return Torques([0.1 * number] + [0.0] * 6, torques_first and number == 5)

    robot.control_joint_velocities(
        motion, torques=torques, limit_rate=False, cutoff_frequency=1000.0
    )
    order = ["torques", "motion"] if torques_first else ["motion", "torques"]
    assert asked == order * 4 + order[:1]
    sent = [(row[C_dq_c], row[C_tau_J_d]) for row in scripted.commands[:5]]
    assert sent[3] == (pytest.approx(0.04), pytest.approx(0.4))
    last = (0.04, 0.5) if torques_first else (0.05, 0.4)
    assert sent[4] == (pytest.approx(last[0]), pytest.approx(last[1]))
    # A generator ends the motion, whoever said so.
    assert scripted.commands[4][C_motion_generation_finished] == 1.0
    assert scripted.commands[4][C_torque_command_finished] == 0.0


@numba.njit(nogil=True)
def counting_motion(state: Array, period_s: float, out: Array, memory: Array) -> int:
    memory[0] += 1.0
    out[0] = 0.01 * memory[0]
    return int(memory[0] == 7.0)


@numba.njit(nogil=True)
def counting_torques(state: Array, period_s: float, out: Array, memory: Array) -> int:
    memory[0] += 1.0
    out[0] = 0.1 * memory[0]
    return int(memory[0] == 5.0)


def test_compiled_callbacks_keep_the_same_order(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.lock_step_s = 5.0
    for _ in range(2):  # the memory of the callbacks is empty at every start
        scripted.commands.clear()
        robot.control_joint_velocities(
            counting_motion, torques=counting_torques, limit_rate=False, cutoff_frequency=1000.0
        )
        sent = [(row[C_dq_c], row[C_tau_J_d]) for row in scripted.commands[:5]]
        assert sent[3] == (pytest.approx(0.04), pytest.approx(0.4))
        last = 0.04 if scripted.protocol.version == 10 else 0.05
        assert sent[4] == (pytest.approx(last), pytest.approx(0.5))
        assert scripted.commands[4][C_motion_generation_finished] == 1.0


def test_a_motion_whose_torques_finish_at_once_stays_where_it_is(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    robot.control_cartesian_pose(
        lambda state, period: CartesianPose(np.eye(4), motion_finished=True),
        torques=lambda state, period: Torques([0.5] * 7, True),
        limit_rate=False,
        cutoff_frequency=1000.0,
    )
    command = scripted.commands[0]
    assert command[C_O_T_EE_c : C_O_T_EE_c + 16].tolist() == np.eye(4).ravel().tolist()
    assert command[C_tau_J_d] == (0.5 if scripted.protocol.version == 10 else 0.0)


def test_only_what_the_motion_uses_is_sent(scripted: ScriptedRobot, robot: Robot) -> None:
    robot.control_joint_positions(lambda state, period: JointPositions(REST, True))
    command = scripted.commands[0].copy()
    assert command[C_q_c + 1] == pytest.approx(REST[1], abs=1e-6)
    command[C_q_c : C_q_c + 7] = 0.0
    command[C_motion_generation_finished] = 0.0
    assert not command[1:].any()


# --- against a robot that judges ----------------------------------------------------------------


@pytest.mark.parametrize("version", [10, 5])
def test_a_jump_ends_in_a_reflex_and_recovers(version: int) -> None:
    jumps = {"joint_positions": JointPositions, "joint_velocities": JointVelocities}
    with (
        SimulatedRobot(fresh_address(), fci=version, lockstep_s=2.0, max_lost=2000) as simulated,
        Robot(simulated.address[0]) as robot,
    ):
        for kind, command in jumps.items():
            held = 0

            def jump(state: RobotState, period_s: float, command: Any = command) -> Any:
                nonlocal held
                held += state.control_command_success_rate > 0.0
                rest = state.q_d if command is JointPositions else np.zeros(7)
                return command(rest + (0.0 if held < 20 else 0.3))

            with pytest.raises(ControlError) as caught:
                getattr(robot, f"control_{kind}")(jump, limit_rate=False, cutoff_frequency=1000.0)
            assert "motion aborted by reflex!" in str(caught.value)
            assert "joint_motion_generator" in str(caught.value)
            assert "control_command_success_rate: " in str(caught.value)
            with pytest.raises(FrankaError, match="not possible in the current mode"):
                robot.control_joint_positions(stay)
            robot.automatic_error_recovery()
            robot.control_joint_positions(lambda state, period: JointPositions(state.q_d, True))
