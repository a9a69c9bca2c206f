"""What no client should send: the simulated robot drops it and serves the next one."""

import logging
import os
import socket
import struct
import threading
from typing import Any

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import HEADER, SimClient, drive, field
from waiting_for import wait_until

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Any:
    died = []
    monkeypatch.setattr(threading, "excepthook", lambda args: died.append(args.exc_value))
    with caplog.at_level(logging.ERROR), SimulatedRobot(fresh_address(), realtime=False) as robot:
        yield robot
    assert not died
    assert not caplog.records


def serves(robot: SimulatedRobot) -> None:
    """A client connects, gets a state and an answer."""
    with SimClient(robot.address) as client:
        assert client.connect() == bytes([0, 10, 0])
        robot.step()
        assert client.state()[layout.S_time] > 0
        assert client.request("StopMove") == "Success"


CONNECT = HEADER.pack(0, 0, 16) + struct.pack("<HH", 10, 5)
BEFORE_CONNECT = {
    "nothing": b"",
    "half a header": b"\0" * 5,
    "size 0": HEADER.pack(0, 0, 0),
    "size of 4 GiB": HEADER.pack(0, 0, 0xFFFFFFFF),
    "unknown command": HEADER.pack(77, 0, 12),
    "Move before Connect": HEADER.pack(1, 0, 125) + bytes(113),
    "short Connect": HEADER.pack(0, 0, 14) + b"\0\0",
    "long Connect": HEADER.pack(0, 0, 20) + bytes(8),
    "noise": bytes(range(256)) * 20,
}


@pytest.mark.parametrize("name", BEFORE_CONNECT)
def test_a_strange_beginning_does_not_keep_the_next_client_out(
    robot: SimulatedRobot, name: str
) -> None:
    with socket.create_connection(robot.address, timeout=10.0) as stranger:
        stranger.sendall(BEFORE_CONNECT[name])
        serves(robot)
    serves(robot)


AFTER_CONNECT = {
    "size 0": HEADER.pack(3, 1, 0),
    "size of 4 GiB": HEADER.pack(3, 1, 0xFFFFFFFF),
    "second Connect": HEADER.pack(0, 1, 16) + struct.pack("<HH", 10, 5),
    "noise": bytes(range(255, -1, -1)) * 20,
}


@pytest.mark.parametrize("name", AFTER_CONNECT)
def test_bytes_that_are_no_request_end_the_session(robot: SimulatedRobot, name: str) -> None:
    with SimClient(robot.address) as client:
        client.connect()
        client.tcp.sendall(AFTER_CONNECT[name])
        with pytest.raises(ConnectionError):
            client._exactly(1)
        serves(robot)


def test_unknown_commands_and_wrong_lengths_are_answered_and_survived(
    robot: SimulatedRobot,
) -> None:
    with SimClient(robot.address) as client:
        client.connect()
        for command in (12, 13, 99, 2**32 - 1):
            assert len(client.reply(client.send(command))) == 1
        assert client.reply(client.send(4, b"short")) == b"\2"  # SetJointImpedance
        assert client.reply(client.send(9, bytes(105))) == b"\2"  # SetLoad, one byte too long
        assert client.reply(client.send(1, b"")) == b"\7"  # Move
        assert client.request("StopMove") == "Success"


def test_a_request_may_come_in_pieces_and_many_at_once(robot: SimulatedRobot) -> None:
    with SimClient(robot.address) as client:
        client.connect()
        request = HEADER.pack(2, 7, 12)
        for byte in request[:-1]:
            client.tcp.sendall(bytes([byte]))
        client.tcp.sendall(request[-1:] + HEADER.pack(2, 8, 12) * 50)
        assert client.reply(7) == b"\0"
        assert [client.reply(8) for _ in range(50)] == [b"\0"] * 50


def test_a_client_that_resets_its_connection_ends_its_motion(robot: SimulatedRobot) -> None:
    with SimClient(robot.address) as client:
        client.connect()
        client.move("JointPosition")
        robot.step(2)
        linger = struct.pack("ii", 1, 0)
        client.tcp.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        client.tcp.close()
        serves(robot)
        assert field(robot.state, "robot_mode") == 1


def test_a_motion_survives_noise_on_its_socket(robot: SimulatedRobot) -> None:
    home, rng = robot.q, np.random.default_rng(5)

    def command(state: Array, cycle: Any) -> Any:
        for _ in range(3):
            noise = rng.integers(0, 256, rng.integers(0, 1500), np.uint8).tobytes()
            client.udp.sendto(noise, client.sender)
        return {"q_c": home}

    with SimClient(robot.address) as client:
        client.connect()
        client.move("JointPosition")
        robot.step()
        state = drive(robot, client, command, 500)
        counters = robot.counters
        assert field(state, "robot_mode") == 2
        assert counters["lost"] == 0
        assert counters["accepted"] == 500
        assert counters["malformed"] + counters["early"] + counters["unasked"] == 1500


def test_many_connections_without_a_word_do_not_keep_a_client_out(robot: SimulatedRobot) -> None:
    idle = [socket.create_connection(robot.address, timeout=10.0) for _ in range(10)]
    serves(robot)
    for connection in idle:
        connection.close()


def test_two_hundred_sessions_leave_no_sockets_behind(robot: SimulatedRobot) -> None:
    serves(robot)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(200):
        with SimClient(robot.address) as client:
            client.connect()
    serves(robot)
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before + 2)
