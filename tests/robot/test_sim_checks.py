"""What the simulated robot refuses: error bits, their precedence, reflex and recovery."""

from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import DEVIATIONS, EXTERNAL, SimClient, drive, field, served

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.error_bits import ERROR_NAMES
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled


def bits(state: Array) -> list[int]:
    return [int(bit) for bit in np.flatnonzero(field(state, "current_errors"))]


def started(
    robot: SimulatedRobot, client: SimClient, generator: str, controller: str = "JointImpedance"
) -> Any:
    number = client.move(generator, controller)
    robot.step()
    return number


HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
ONE = np.eye(7)


def pose_of(robot: SimulatedRobot) -> Array:
    return robot.end_effector_pose().ravel(order="F")


def shifted(pose: Array, dx: float) -> Array:
    moved: Array = pose + dx * np.eye(16)[12]
    return moved


def joints(*values: float) -> list[dict[str, Any]]:
    return [{"q_c": HOME + value * ONE[3]} for value in values]


def rates(*values: float) -> list[dict[str, Any]]:
    return [{"dq_c": value * ONE[3]} for value in values]


def twists(*values: float) -> list[dict[str, Any]]:
    return [{"O_dP_EE_c": value * np.eye(6)[0]} for value in values]


def torques(*values: float) -> list[dict[str, Any]]:
    return [{"tau_J_d": value * ONE[6]} for value in values]


def ramp(top: float, count: int) -> list[float]:
    """A rise to `top` and a stay there, within jerk limits when it takes long enough."""
    return [top * 0.5 * (1 - np.cos(np.pi * min(1.0, k / count))) for k in range(2 * count)]


CASES = {
    "position step": ("JointPosition", joints(0.0, 0.0, 0.05), 14),
    "position jerk": ("JointPosition", joints(0.0, 0.0, 9e-6), 15),
    "position start": ("JointPosition", joints(0.2), 11),
    "position start outranks the jump": ("JointPosition", joints(0.3), 11),
    "velocity step": ("JointVelocity", rates(0.0, 0.0, 0.02), 15),
    "velocity jerk": ("JointVelocity", rates(0.0, 0.0, 0.008), 15),
    "velocity start": ("JointVelocity", rates(0.1), 14),
    "velocity envelope": ("JointVelocity", rates(*ramp(2.7, 900)), 13),
    "Cartesian velocity step": ("CartesianVelocity", twists(0.0, 0.0, 0.025), 20),
    "Cartesian velocity jerk": ("CartesianVelocity", twists(0.0, 0.0, 0.008), 20),
    "torque step": ("None", torques(0.0, 0.0, 10.0), 32),
    "torque range": ("None", torques(*np.arange(0.0, 13.0, 0.9)), 34),
}


@pytest.mark.parametrize("name", CASES)
def test_a_signal_that_no_robot_follows_is_named_within_the_cycle(name: str) -> None:
    generator, given, bit = CASES[name]
    commands = list(given)
    controller = EXTERNAL if generator == "None" else "JointImpedance"
    with served() as (robot, client):
        move = started(robot, client, generator, controller)
        state = client.current()
        while commands and not bits(state):
            state = drive(robot, client, lambda *_: commands.pop(0), 1)
        assert bits(state) == [bit]
        assert list(np.flatnonzero(field(state, "last_motion_errors"))) == [bit]
        assert field(state, "robot_mode") == 4
        assert field(state, "motion_generator_mode") == 0
        assert client.ended(move) == "ReflexAborted"
        if name in ("velocity envelope", "torque range"):
            assert len(commands) < len(given) - 2
        else:
            assert not commands  # the last one, and none before it


CARTESIAN = {
    "pose step of 1 cm": (lambda pose: [pose, pose, shifted(pose, 0.01)], 19),
    "pose jerk": (lambda pose: [pose, pose, shifted(pose, 7e-6)], 20),
    "pose start": (lambda pose: [shifted(pose, 0.1)], 16),
    "frame": (lambda pose: [pose, pose * 1.1], 31),
}


@pytest.mark.parametrize("name", CARTESIAN)
def test_a_pose_that_no_robot_follows_is_named(name: str) -> None:
    make: Any
    make, bit = CARTESIAN[name]
    with served() as (robot, client):
        move = started(robot, client, "CartesianPosition")
        poses = make(pose_of(robot))
        state = drive(robot, client, lambda _, k: {"O_T_EE_c": poses[k]}, len(poses))
        assert bits(state) == [bit]
        assert client.ended(move) == "ReflexAborted"


ELBOWS = {
    "elbow step": ([0.0, 0.0, 0.05], -1.0, 17),
    "elbow sign": ([0.0], 1.0, 21),
    "elbow start": ([0.2], -1.0, 22),
}


@pytest.mark.parametrize("name", ELBOWS)
def test_an_elbow_that_no_robot_follows_is_named(name: str) -> None:
    values, sign, bit = ELBOWS[name]
    with served() as (robot, client):
        started(robot, client, "CartesianPosition")
        pose = pose_of(robot)

        def command(_: Any, k: Any) -> Any:
            return {"O_T_EE_c": pose, "elbow_c": [values[k], sign], "valid_elbow": 1.0}

        assert bits(drive(robot, client, command, len(values))) == [bit]


def test_a_cartesian_motion_through_a_joint_limit_is_named_on_the_joint_side() -> None:
    near = HOME.copy()
    near[3] = -0.25  # nearly stretched: x moves joint 4 fast
    with served(q=near) as (robot, client):
        started(robot, client, "CartesianVelocity")
        axis = robot.end_effector_pose()[:3, 3]
        axis = np.append(axis - [0, 0, 0.333], np.zeros(3))
        axis /= np.linalg.norm(axis)
        speeds, state = ramp(0.6, 700), client.current()
        while speeds and not bits(state):
            twist = speeds.pop(0) * axis
            state = drive(robot, client, lambda *_: {"O_dP_EE_c": twist}, 1)  # noqa: B023
        assert set(bits(state)) <= {0, 28, 29, 30}
        assert bits(state)


@pytest.mark.parametrize(("version", "bit"), [(10, 13), (5, 12)])
def test_creeping_out_of_the_range_breaks_the_envelope_or_in_version_5_the_range(
    version: int, bit: int
) -> None:
    start = HOME.copy()
    start[6] = 2.88
    with served(fci=version, q=start) as (robot, client):
        started(robot, client, "JointPosition")
        state = client.state()
        for k in range(4000):
            way = 5e-8 * min(k, 1000) ** 2 + 1e-4 * max(0, k - 1000)
            client.command(state[layout.S_time], q_c=start + way * ONE[6])
            robot.step()
            state = client.state()
            if bits(state):
                break
        assert bits(state) == [bit]


def test_a_target_outside_the_range_is_bit_0_in_version_10() -> None:
    with served() as (robot, client):
        move = client.move("JointPosition", use_async_motion_generator=1)
        robot.step()
        drive(robot, client, lambda *_: {"q_c": HOME + 4.0 * ONE[0]}, 1)
        assert robot.errors == ("joint_position_limits_violation",)
        assert client.ended(move) == "ReflexAborted"


def test_without_enforcement_violations_are_counted_and_nothing_stops() -> None:
    with served(enforce=False) as (robot, client):
        move = started(robot, client, "JointPosition")
        steps = [HOME, HOME, HOME + 0.05, HOME + 0.05]
        state = drive(robot, client, lambda _, k: {"q_c": steps[k]}, 4)
        drive(robot, client, lambda *_: {"q_c": steps[-1]}, 1000)
        assert bits(state) == []
        assert not client.has_reply(move)
        assert robot.counters["violations"] > 0
        np.testing.assert_allclose(robot.q, HOME + 0.05, atol=1e-3)


def test_a_motion_finished_while_moving_is_a_discontinuity() -> None:
    with served() as (robot, client):
        move = started(robot, client, "JointVelocity")
        speeds = ramp(0.5, 200)
        drive(robot, client, lambda _, k: {"dq_c": speeds[k] * ONE[3]}, 300)
        last = {"dq_c": 0.5 * ONE[3], "motion_generation_finished": 1.0}
        state = drive(robot, client, lambda *_: last, 1)
        assert bits(state) == [15]
        assert client.ended(move) == "ReflexAborted"


def test_values_that_are_no_numbers_abort_the_motion_as_an_input_error() -> None:
    with served() as (robot, client):
        move = started(robot, client, "None", EXTERNAL)
        drive(robot, client, lambda *_: {"tau_J_d": np.full(7, np.nan)}, 1)
        assert client.ended(move) == "InputErrorAborted"
        assert np.isfinite(robot.state).all()


def test_recovery_clears_the_errors_and_keeps_the_reason() -> None:
    with served() as (robot, client):
        started(robot, client, "JointPosition")
        drive(robot, client, lambda _, k: joints(0.0, 0.05)[k], 2)
        assert client.request("StopMove") == "Success"
        assert client.request("Move", **DEVIATIONS) == "CommandNotPossibleRejected"
        number = client.post("AutomaticErrorRecovery")
        robot.step(500)
        assert client.status("AutomaticErrorRecovery", client.reply(number)) == "Success"
        robot.step()
        state = robot.state
        assert field(state, "robot_mode") == 1
        assert bits(state) == []
        assert robot.reflex_reason == ("joint_motion_generator_velocity_discontinuity",)
        started(robot, client, "JointPosition")
        assert not robot.reflex_reason


def test_recovery_of_a_moving_arm_waits_until_it_rests() -> None:
    with served() as (robot, client):
        started(robot, client, "JointVelocity")
        speeds = ramp(1.0, 400)
        drive(robot, client, lambda _, k: {"dq_c": speeds[k] * ONE[0]}, 500)
        robot.inject_reflex("joint_reflex")
        number = client.post("AutomaticErrorRecovery")
        assert not client.has_reply(number)
        robot.step()
        assert field(client.state(), "robot_mode") == 6
        robot.step(699)
        assert client.status("AutomaticErrorRecovery", client.reply(number)) == "Success"
        assert np.abs(robot.dq).max() < 0.02


@pytest.mark.parametrize("name", ERROR_NAMES)
def test_every_error_can_be_injected(name: str) -> None:
    robot = SimulatedRobot(fresh_address(), realtime=False)
    robot.inject_reflex(name)
    robot.step()
    assert robot.errors == robot.reflex_reason == (name,)


def test_an_error_that_does_not_exist_names_the_nearest() -> None:
    robot = SimulatedRobot(fresh_address(), realtime=False)
    with pytest.raises(InvalidArgumentError, match="joint_reflex"):
        robot.inject_reflex("joint_reflexx")


def test_the_user_stop_aborts_and_blocks_until_released() -> None:
    with served() as (robot, client):
        move = started(robot, client, "None", EXTERNAL)
        robot.press_user_stop()
        assert client.ended(move) == "EmergencyAborted"
        robot.step()
        assert field(client.state(), "robot_mode") == 5
        assert client.request("Move", **DEVIATIONS) == "CommandNotPossibleRejected"
        assert client.request("AutomaticErrorRecovery") == "EmergencyAborted"
        robot.release_user_stop()
        started(robot, client, "JointPosition")


@pytest.mark.parametrize("what", ["reflex", "user-stop", "collision"])
def test_what_is_injected_happens_that_long_into_the_motion(what: str) -> None:
    ends = {"reflex": 6, "collision": 7}
    with served() as (robot, client):
        robot.inject(what, 0.05)
        move = started(robot, client, "JointPosition")
        drive(robot, client, lambda *_: {"q_c": HOME}, 45)
        assert not client.has_reply(move)
        state = drive(robot, client, lambda *_: {"q_c": HOME}, 40)
        if what == "user-stop":
            assert client.ended(move) == "EmergencyAborted"
        else:
            assert client.ended(move) == "ReflexAborted"
            assert bits(state)[0] in (6, ends[what])
