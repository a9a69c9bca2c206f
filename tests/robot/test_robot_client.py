"""The client's commands: settings, stop, recovery, the served model, arguments."""

import os
import subprocess
import sys
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from scripted_robot import LIMITS, ScriptedRobot, small_urdf
from waiting_for import wait_until

from kinegraph.robot.errors import (
    CommandError,
    InvalidArgumentError,
    InvalidOperationError,
    ModelError,
    NetworkError,
    ProtocolError,
    RealtimeError,
)
from kinegraph.robot.limits import JointVelocityTable
from kinegraph.robot.loop.realtime import has_realtime_kernel
from kinegraph.robot.robot import Robot
from kinegraph.robot.wire.state_layout import S_robot_mode
from kinegraph.scene.pose import Isometry3d

pytestmark = pytest.mark.compiled

SEVEN, SIX = np.linspace(10.0, 70.0, 7), np.linspace(1.0, 6.0, 6)
TURN = np.array([[0.0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]])


@pytest.fixture
def scripted() -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address()) as robot:
        yield robot


@pytest.fixture
def robot(scripted: ScriptedRobot) -> Iterator[Robot]:
    with Robot(scripted.address, timeout_s=5.0) as client:
        yield client


def payload(scripted: ScriptedRobot, name: str) -> Any:
    data = [payload for request, _, payload in scripted.requests if request == name][-1]
    return np.frombuffer(data, scripted.protocol.dtype(f"{name}.Request"))[0]


# --- settings -----------------------------------------------------------------------------------


def test_impedances_go_out_as_given(scripted: ScriptedRobot, robot: Robot) -> None:
    robot.set_joint_impedance(SEVEN)
    robot.set_cartesian_impedance(SIX.tolist())
    assert payload(scripted, "SetJointImpedance")["K_theta"].tolist() == SEVEN.tolist()
    assert payload(scripted, "SetCartesianImpedance")["K_x"].tolist() == SIX.tolist()


def test_four_thresholds_hold_for_both_phases(scripted: ScriptedRobot, robot: Robot) -> None:
    robot.set_collision_behavior(SEVEN, SEVEN + 1, SIX, SIX + 1)
    sent = payload(scripted, "SetCollisionBehavior")
    for phase in ("acceleration", "nominal"):
        assert sent[f"upper_torque_thresholds_{phase}"].tolist() == (SEVEN + 1).tolist()
        assert sent[f"lower_force_thresholds_{phase}"].tolist() == SIX.tolist()


def test_thresholds_while_accelerating_may_differ(scripted: ScriptedRobot, robot: Robot) -> None:
    robot.set_collision_behavior(
        SEVEN, SEVEN, SIX, SIX, upper_force_thresholds_acceleration=SIX * 2.0
    )
    sent = payload(scripted, "SetCollisionBehavior")
    assert sent["upper_force_thresholds_acceleration"].tolist() == (SIX * 2.0).tolist()
    assert sent["upper_force_thresholds_nominal"].tolist() == SIX.tolist()
    assert sent["lower_force_thresholds_acceleration"].tolist() == SIX.tolist()


@pytest.mark.parametrize(
    "form", [lambda m: m, Isometry3d, lambda m: m.T.ravel(), np.ndarray.tolist]
)
def test_frames_are_taken_in_every_form_and_sent_column_major(
    scripted: ScriptedRobot, robot: Robot, form: Callable[[np.ndarray], object]
) -> None:
    robot.set_EE(form(TURN))
    robot.set_K(form(TURN))
    assert payload(scripted, "SetNEToEE")["NE_T_EE"].tolist() == TURN.T.ravel().tolist()
    assert payload(scripted, "SetEEToK")["EE_T_K"].tolist() == TURN.T.ravel().tolist()


def test_a_load_is_sent_with_its_inertia_column_major(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    inertia = np.arange(9.0).reshape(3, 3)
    robot.set_load(0.5, [0.0, 0.01, 0.02], inertia)
    sent = payload(scripted, "SetLoad")
    assert float(sent["m_load"]) == 0.5
    assert sent["F_x_Cload"].tolist() == [0.0, 0.01, 0.02]
    assert sent["I_load"].tolist() == inertia.T.ravel().tolist()
    robot.set_load(0.5, [0.0, 0.01, 0.02], np.arange(9.0))
    assert payload(scripted, "SetLoad")["I_load"].tolist() == list(range(9))


def test_guiding_flags_are_sent_as_bytes(scripted: ScriptedRobot, robot: Robot) -> None:
    robot.set_guiding_mode([True, False, True, False, False, True], True)
    sent = payload(scripted, "SetGuidingMode")
    assert sent["guiding_mode"].tolist() == [1, 0, 1, 0, 0, 1]
    assert sent["nullspace"] == 1


BAD: list[Callable[[Robot], None]] = [
    lambda robot: robot.set_joint_impedance([1.0] * 6),
    lambda robot: robot.set_joint_impedance([np.nan] * 7),
    lambda robot: robot.set_cartesian_impedance([[1.0] * 6]),
    lambda robot: robot.set_cartesian_impedance("stiff"),
    lambda robot: robot.set_collision_behavior(SEVEN, SEVEN, SIX, [np.inf] * 6),
    lambda robot: robot.set_collision_behavior(SEVEN, SEVEN, SEVEN, SIX),
    lambda robot: robot.set_EE(TURN.ravel()),  # row-major
    lambda robot: robot.set_EE(np.diag([1.0, 1.0, 1.1, 1.0])),
    lambda robot: robot.set_K(np.full((4, 4), np.nan)),
    lambda robot: robot.set_load(np.nan, [0, 0, 0], np.zeros(9)),
    lambda robot: robot.set_load(1.0, [0, 0], np.zeros(9)),
    lambda robot: robot.set_load(1.0, [0, 0, 0], np.zeros((2, 3))),
    lambda robot: robot.set_guiding_mode([True] * 5, True),
    lambda robot: robot.set_guiding_mode([0, 1, 0, 1, 0, 2], True),
    lambda robot: robot.set_guiding_mode([[1], [1, 0]], True),  # type: ignore[list-item]
]


@pytest.mark.parametrize("call", BAD)
def test_bad_arguments_are_refused_before_anything_is_sent(
    scripted: ScriptedRobot, robot: Robot, call: Callable[[Robot], None]
) -> None:
    before = len(scripted.requests)
    with pytest.raises(InvalidArgumentError) as caught:
        call(robot)
    assert isinstance(caught.value, ValueError)
    assert len(scripted.requests) == before


CALLS: dict[str, Callable[[Robot], None]] = {
    "SetCollisionBehavior": lambda r: r.set_collision_behavior(SEVEN, SEVEN, SIX, SIX),
    "SetJointImpedance": lambda r: r.set_joint_impedance(SEVEN),
    "SetCartesianImpedance": lambda r: r.set_cartesian_impedance(SIX),
    "SetEEToK": lambda r: r.set_K(np.eye(4)),
    "SetNEToEE": lambda r: r.set_EE(np.eye(4)),
    "SetLoad": lambda r: r.set_load(0.0, np.zeros(3), np.zeros(9)),
    "SetGuidingMode": lambda r: r.set_guiding_mode([False] * 6, False),
    "AutomaticErrorRecovery": lambda r: r.automatic_error_recovery(),
    "StopMove": lambda r: r.stop(),
}
SAFETY = "due to activated safety function! Please disable all safety functions."
STATUSES = [
    (
        "SetLoad",
        1,
        "libfranka: Set Load command rejected: command not possible in the current mode",
    ),
    ("SetJointImpedance", 2, "libfranka: Set Joint Impedance command rejected: invalid argument!"),
    ("SetNEToEE", 3, f"libfranka: Set NE to EE command rejected {SAFETY} "),
    ("StopMove", 2, f"libfranka: Move command rejected {SAFETY}"),
    ("StopMove", 3, "libfranka: Stop Move command aborted: User Stop pressed!"),
    ("StopMove", 4, "libfranka: Stop Move command aborted: motion aborted by reflex!"),
    ("StopMove", 5, "libfranka: Stop Move command rejected: command not possible in the current"),
    ("AutomaticErrorRecovery", 2, f"libfranka: Move command rejected {SAFETY}"),
    ("AutomaticErrorRecovery", 3, "Recovery command rejected: manual error recovery required!"),
    ("AutomaticErrorRecovery", 6, "libfranka: Automatic Error Recovery command aborted!"),
]


@pytest.mark.parametrize(("command", "status", "text"), STATUSES)
def test_a_refusal_is_a_command_error_with_its_reason(
    scripted: ScriptedRobot, robot: Robot, command: str, status: int, text: str
) -> None:
    scripted.statuses[command] = [status]
    with pytest.raises(CommandError) as caught:
        CALLS[command](robot)
    assert text in str(caught.value)
    CALLS[command](robot)


def test_an_undefined_status_is_a_protocol_error(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.statuses["SetEEToK"] = [4]
    with pytest.raises(ProtocolError, match="while handling Set EE to K command!"):
        robot.set_K(np.eye(4))


def test_closed_brakes_are_asked_for(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.row[S_robot_mode] = 0
    while robot.read_once().robot_mode.name != "Other":
        pass
    scripted.statuses["SetLoad"] = [1]
    with pytest.raises(CommandError, match=r'"Other".*Did you open the brakes'):
        CALLS["SetLoad"](robot)


def test_a_command_that_is_never_answered_ends_in_time(scripted: ScriptedRobot) -> None:
    scripted.unanswered.add("SetLoad")
    with Robot(scripted.address, timeout_s=1.0) as robot:
        with pytest.raises(NetworkError, match=r"no reply to Set Load within 1 s"):
            CALLS["SetLoad"](robot)
        robot.read_once()


# --- the served model ---------------------------------------------------------------------------


def test_the_served_model_gives_the_velocity_limits(scripted: ScriptedRobot, robot: Robot) -> None:
    assert robot.robot_model() == scripted.urdf
    table = robot.rate_limits.joint_velocity
    assert isinstance(table, JointVelocityTable)
    assert table.max_velocity.tolist() == [float(row[2]) for row in LIMITS]
    assert table.lower_position.tolist() == [float(row[0]) for row in LIMITS]
    assert robot.link.loop.memory.limits.tolist() == robot.rate_limits.array.tolist()


@pytest.mark.parametrize(
    ("urdf", "text"),
    [
        ("", "cannot be used"),
        ("<robot", "cannot be used"),
        ('<robot name="fr3"><link name="a"/></robot>', "joint1"),
        (
            small_urdf().replace("position_based_velocity_limits", "other"),
            "position_based_velocity",
        ),
    ],
)
def test_a_model_without_the_limits_ends_the_connection(urdf: str, text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            ScriptedRobot(fresh_address(), urdf=urdf) as scripted,
            pytest.raises(ModelError, match=text),
        ):
            Robot(scripted.address)


def test_a_mobile_base_has_no_arm_limits() -> None:
    urdf = '<robot name="tmr_base"><link name="a"/></robot>'
    with ScriptedRobot(fresh_address(), urdf=urdf) as scripted, Robot(scripted.address) as robot:
        assert robot.robot_model() == urdf


def test_a_refused_model_ends_the_connection(scripted: ScriptedRobot) -> None:
    scripted.statuses["GetRobotModel"] = [1]
    with pytest.raises(CommandError, match=r'Get Robot Model command rejected.*"Idle"'):
        Robot(scripted.address)
    Robot(scripted.address).close()


# --- the connection -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"realtime": "always"}, "realtime"),
        ({"timeout_s": 0.0}, "timeout_s"),
        ({"timeout_s": float("nan")}, "timeout_s"),
        ({"loop_priority": 100}, "loop_priority"),
        ({"version": 9}, "version"),
    ],
)
def test_bad_arguments_make_no_connection(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=name):
        Robot("127.0.0.1", **arguments)


@pytest.mark.skipif(has_realtime_kernel(), reason="the kernel is a realtime kernel")
def test_an_enforced_realtime_kernel_that_is_none_is_an_error(scripted: ScriptedRobot) -> None:
    with pytest.raises(RealtimeError, match="realtime capabilities"):
        Robot(scripted.address, realtime="enforce")


def test_a_priority_that_cannot_be_had_is_ignored_with_one_warning(
    scripted: ScriptedRobot, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(2):
        with Robot(scripted.address, loop_cpu=4095) as robot:
            robot.read_once()
    assert caplog.text.count("core 4095 cannot be had") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="FIFO priorities need a privilege")
def test_the_loop_thread_gets_its_priority(scripted: ScriptedRobot) -> None:
    with Robot(scripted.address, loop_priority=11) as robot:
        thread = robot.link.loop.native_id
        assert os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO
        assert os.sched_getparam(thread).sched_priority == 11


def test_a_closed_robot_refuses_commands(robot: Robot) -> None:
    robot.close()
    assert not robot.is_connected
    with pytest.raises(InvalidOperationError, match="closed"):
        robot.set_joint_impedance(SEVEN)
    with pytest.raises(InvalidOperationError, match="closed"):
        robot.stop()


def test_a_lost_connection_is_an_error_of_every_command(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.drop_client()
    while robot.is_connected:
        time.sleep(0.005)
    with pytest.raises(NetworkError):
        robot.set_joint_impedance(SEVEN)


def test_connections_can_be_made_again_and_again(scripted: ScriptedRobot) -> None:
    for _ in range(20):
        with Robot(scripted.address) as robot:
            robot.read_once()
    descriptors = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        with Robot(scripted.address) as robot:
            robot.read_once()
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= descriptors + 2)


def test_a_program_that_ends_without_closing_stops_its_motion(scripted: ScriptedRobot) -> None:
    program = textwrap.dedent(
        f"""
        import numba
        from kinegraph.robot.loop.callback import CompiledTorques
        from kinegraph.robot.robot import Robot

        @numba.njit
        def hold(state, period_s, torques):
            torques[:] = 0.0
            return 0

        robot = Robot("{scripted.address}")
        session = robot.start_session(CompiledTorques(hold))
        raise SystemExit(7)
        """
    )
    source = str(Path(__file__).parents[2] / "src")
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": source}, timeout=240, check=False
    )
    assert done.returncode == 7
    assert scripted.count("StopMove") == 1
