"""Commands that do not come, come late, twice, or from nowhere."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import EXTERNAL, SimClient, drive, field, served

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])


@pytest.fixture
def robot() -> Any:
    with SimulatedRobot(fresh_address(), realtime=False, trace=500) as robot:
        yield robot


@pytest.fixture
def client(robot: SimulatedRobot) -> Any:
    with SimClient(robot.address) as client:
        client.connect()
        robot.step()
        yield client


def hold(*_: Any) -> Any:
    return {"q_c": HOME}


def test_nineteen_lost_in_a_row_are_survived_and_twenty_are_not(
    robot: SimulatedRobot, client: SimClient
) -> None:
    move = client.move("JointPosition")
    robot.step()
    drive(robot, client, hold, 10)
    drive(robot, client, lambda *_: None, 19)
    state = drive(robot, client, hold, 1)
    assert field(state, "robot_mode") == 2
    assert not client.has_reply(move)
    drive(robot, client, lambda *_: None, 19)
    state = drive(robot, client, lambda *_: None, 1)
    assert list(np.flatnonzero(field(state, "current_errors"))) == [25]
    assert client.ended(move) == "ReflexAborted"
    assert robot.counters["lost"] == 39
    assert robot.counters["worst_lost_in_row"] == 20


def test_a_motion_that_is_never_answered_ends_too(robot: SimulatedRobot, client: SimClient) -> None:
    move = client.move("None", EXTERNAL)
    robot.step(22)
    assert client.ended(move) == "ReflexAborted"
    assert robot.errors == ("communication_constraints_violation",)


def test_without_enforcement_silence_holds_the_arm(client: SimClient) -> None:
    with served(enforce=False) as (robot, client):
        move = client.move("JointPosition")
        robot.step()
        drive(robot, client, hold, 5)
        robot.step(200)
        assert not client.has_reply(move)
        np.testing.assert_allclose(robot.q, HOME, atol=1e-5)


def test_the_success_rate_is_the_share_of_the_last_hundred(
    robot: SimulatedRobot, client: SimClient
) -> None:
    client.move("JointPosition")
    robot.step()
    state = drive(robot, client, hold, 100)
    assert field(state, "control_command_success_rate") == 1.0
    state = drive(robot, client, lambda _, k: None if k % 10 == 0 else hold(), 100)
    np.testing.assert_allclose(field(state, "control_command_success_rate"), 0.9, atol=1e-6)
    state = drive(robot, client, hold, 100)
    assert field(state, "control_command_success_rate") == 1.0
    client.request("StopMove")
    robot.step()
    assert field(client.state(), "control_command_success_rate") == 0.0


def test_a_lost_position_is_extrapolated_with_constant_acceleration(
    robot: SimulatedRobot, client: SimClient
) -> None:
    client.move("JointPosition")
    robot.step()
    path = [HOME + 2.0 * (k * 1e-3) ** 3 for k in range(60)]
    drive(robot, client, lambda _, k: {"q_c": path[k]}, 60)
    before = robot.state
    state = drive(robot, client, lambda *_: None, 1)
    q, dq, ddq = (field(before, name) for name in ("q_d", "dq_d", "ddq_d"))
    speed = dq + 1e-3 * ddq
    np.testing.assert_allclose(field(robot.state, "ddq_d"), ddq, rtol=1e-6)
    np.testing.assert_allclose(field(robot.state, "dq_d"), speed, atol=1e-12)
    np.testing.assert_allclose(field(robot.state, "q_d"), q + 1e-3 * speed, atol=1e-15)
    assert field(state, "robot_mode") == 2


def test_a_lost_twist_is_extrapolated_with_constant_acceleration(
    robot: SimulatedRobot, client: SimClient
) -> None:
    client.move("CartesianVelocity")
    robot.step()
    twist = np.eye(6)[2]
    drive(robot, client, lambda _, k: {"O_dP_EE_c": 1e-5 * k * k * twist}, 40)
    before = robot.state
    drive(robot, client, lambda *_: None, 1)
    change = field(before, "O_ddP_EE_c")
    expected = field(before, "O_dP_EE_c") + 1e-3 * change
    np.testing.assert_allclose(field(robot.state, "O_dP_EE_c"), expected, atol=1e-12)
    moved = field(robot.state, "O_T_EE_c")[14] - field(before, "O_T_EE_c")[14]
    np.testing.assert_allclose(moved, 1e-3 * expected[2], atol=1e-12)


def test_a_lost_elbow_is_extrapolated_with_constant_acceleration(
    robot: SimulatedRobot, client: SimClient
) -> None:
    client.move("CartesianVelocity")
    robot.step()
    elbow = [0.6 * (k * 1e-3) ** 3 for k in range(60)]
    part = {"O_dP_EE_c": np.zeros(6), "valid_elbow": 1.0}
    drive(robot, client, lambda _, k: {**part, "elbow_c": [elbow[k], -1.0]}, 60)
    before = robot.state
    state = drive(robot, client, lambda *_: None, 1)
    at, speed, change = (field(before, name)[0] for name in ("elbow_c", "delbow_c", "ddelbow_c"))
    assert change > 0.1
    np.testing.assert_allclose(field(robot.state, "ddelbow_c")[0], change, rtol=1e-6)
    expected = at + 1e-3 * (speed + 1e-3 * change)
    np.testing.assert_allclose(field(robot.state, "elbow_c")[0], expected, atol=1e-15)
    assert field(state, "robot_mode") == 2


def test_a_lost_torque_is_used_again(robot: SimulatedRobot, client: SimClient) -> None:
    client.move("None", EXTERNAL)
    robot.step()
    tau = 0.5 * np.eye(7)[6]
    drive(robot, client, lambda *_: {"tau_J_d": tau}, 5)
    state = drive(robot, client, lambda *_: None, 5)
    np.testing.assert_allclose(field(state, "tau_J_d"), tau)


def test_stale_future_double_and_short_commands_are_counted_and_change_nothing(
    robot: SimulatedRobot, client: SimClient
) -> None:
    client.move("JointPosition")
    robot.step()
    state = drive(robot, client, hold, 10)
    now = state[layout.S_time]
    wrong = {"q_c": HOME + 1.0, "motion_generation_finished": 1.0}
    client.command(now - 1, **wrong)
    client.command(now + 1, **wrong)
    client.command(2.0**62, **wrong)
    client.udp.sendto(b"\1" * 100, client.sender)
    client.udp.sendto(b"", client.sender)
    client.command(now, q_c=HOME)
    client.command(now, **wrong)
    robot.step()
    counters = robot.counters
    kinds = ("late", "early", "malformed", "duplicate", "lost", "violations")
    assert [counters[kind] for kind in kinds] == [1, 2, 2, 1, 0, 0]
    state = drive(robot, client, hold, 20)
    assert field(state, "robot_mode") == 2
    assert field(state, "control_command_success_rate") == 1.0


def test_a_longer_command_is_taken_and_its_tail_ignored(
    robot: SimulatedRobot, client: SimClient
) -> None:
    client.move("JointPosition")
    robot.step()
    state = client.state()
    packet = np.zeros(600, np.uint8)
    row = np.zeros(layout.COMMAND_SIZE)
    row[0], row[1:8] = state[layout.S_time], HOME
    from kinegraph.robot.wire.wire_kernels import encode_command

    encode_command(10, row, packet)
    client.udp.sendto(packet.tobytes(), client.sender)
    robot.step()
    assert robot.counters["accepted"] == 1


def test_datagrams_of_strangers_are_not_heard(robot: SimulatedRobot, client: SimClient) -> None:
    import socket

    client.move("JointPosition")
    robot.step()
    drive(robot, client, hold, 5)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for _ in range(10):
            stranger.sendto(b"\0" * 371, client.sender)
    drive(robot, client, hold, 5)
    counters = robot.counters
    assert counters["malformed"] == counters["late"] == counters["lost"] == 0


@contextmanager
def stepping(robot: SimulatedRobot, cycles: int) -> Iterator[None]:
    """The clock is stepped by another thread meanwhile."""
    steps = threading.Thread(target=robot.step, args=(cycles,))
    steps.start()
    yield
    steps.join(20.0)
    assert not steps.is_alive()


def test_in_lockstep_commands_of_a_slow_network_are_in_time_from_the_first_on() -> None:
    with served(lockstep_s=20.0) as (robot, client):
        client.move("JointPosition")
        with stepping(robot, 40):
            state, answered = client.state(), 0
            while answered < 30:
                threading.Event().wait(0.003)
                client.command(state[layout.S_time], q_c=HOME)
                answered += field(state, "robot_mode")[0] == 2
                state = client.state()
            client.request("StopMove")
        counters = robot.counters
        assert counters["lost"] <= 1  # the one that StopMove came before
        assert counters["accepted"] >= 28
        assert not robot.errors


def test_in_lockstep_a_lost_command_does_not_make_the_next_ones_late() -> None:
    with served(lockstep_s=0.2) as (robot, client):
        client.move("JointPosition")
        robot.step()
        drive(robot, client, hold, 1)
        with stepping(robot, 40):
            state = client.current()
            while state[layout.S_time] < 35:
                threading.Event().wait(0.003)
                if state[layout.S_time] % 5 != 4:  # that one is lost on the way
                    client.command(state[layout.S_time], q_c=HOME)
                state = client.state()
            client.request("StopMove")
        counters = robot.counters
        assert counters["lost"] <= 7
        assert counters["late"] == 0
        assert counters["accepted"] >= 20


def test_in_lockstep_silence_ends_a_motion_all_the_same() -> None:
    with served(lockstep_s=0.05) as (robot, client):
        move = client.move("JointPosition")
        robot.step()
        drive(robot, client, hold, 2)
        robot.step(21)
        assert client.ended(move) == "ReflexAborted"
        assert robot.counters["worst_lost_in_row"] == 20


def test_in_lockstep_a_slow_client_loses_nothing() -> None:
    with served(lockstep_s=20.0) as (robot, client):
        client.move("JointPosition")
        robot.step()
        drive(robot, client, hold, 1)
        with stepping(robot, 40):
            for cycle in range(40):
                state = client.current() if cycle == 0 else client.state()
                threading.Event().wait(0.005)
                client.command(state[layout.S_time], q_c=HOME)
        counters = robot.counters
        assert (counters["accepted"], counters["lost"]) == (41, 0)
