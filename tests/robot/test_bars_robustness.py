"""Bars of the acceptance of the simulated robot: what no client should do to it (A9)."""

import logging
import random
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from children import PROGRAMS, Child
from oracles import ALL_INSTALL
from raw_client import RawClient, accepted_within_s
from robot_addresses import fresh_address
from server_robustness import OPENINGS
from waiting_for import wait_until

from kinegraph.robot.sim import SimulatedRobot

pytestmark = [pytest.mark.compiled, pytest.mark.slow]
CYCLES = 3000


@pytest.fixture
def robot(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[SimulatedRobot]:
    """Waits for each command of a motion; nothing in it may raise or log an error."""
    died: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: died.append(args.exc_value))
    with caplog.at_level(logging.ERROR), SimulatedRobot(fresh_address(), lockstep_s=5.0) as robot:
        yield robot
    assert not died
    assert not caplog.records


def begin_to_be_used(client: RawClient, robot: SimulatedRobot) -> int:
    """Answer states until an answer was used; returns how many it took.

    For the first ones of a motion no robot waits long. From then on it does, and none can be late.
    """
    tries = 0
    while robot.counters["accepted"] == 0:
        client.hold_on(1)
        tries += 1
        time.sleep(0.005)
    return tries


def test_a9_1_every_valid_command_is_used_beside_bad_ones(robot: SimulatedRobot) -> None:
    with RawClient(robot.address[0]) as client:
        client.connect()
        client.state()
        client.start_joint_motion()
        tries = begin_to_be_used(client, robot)
        sent = client.hold(CYCLES, random.Random(3))
        assert client.end_of_motion() == 0
    assert min(sent.values()) > 10
    counters = robot.counters
    assert CYCLES + 1 <= counters["accepted"] <= CYCLES + tries
    assert counters["lost"] == 0
    assert counters["malformed"] >= sent["truncated"]
    assert counters["duplicate"] >= 1
    assert counters["reflexes"] == 0


@pytest.mark.parametrize("name", OPENINGS)
def test_a9_2_a_bad_beginning_keeps_nobody_out(robot: SimulatedRobot, name: str) -> None:
    with socket.create_connection(robot.address, timeout=10.0) as stranger:
        stranger.sendall(OPENINGS[name])
    assert accepted_within_s(robot.address[0]) < 10.0


def test_a9_3_a_second_client_is_refused_and_the_first_goes_on(robot: SimulatedRobot) -> None:
    host = robot.address[0]
    with RawClient(host) as first:
        first.connect()
        first.state()
        first.start_joint_motion()
        with RawClient(host) as second:
            second.request(0, struct.pack("<HH", 10, second.udp.getsockname()[1]))
            answer, end = "nothing", time.monotonic() + 20.0
            while answer == "nothing" and time.monotonic() < end:
                first.hold_on(10)
                answer = second.refusal()
        first.hold(100)
        assert first.end_of_motion() == 0
    assert answer == "refused"
    assert robot.counters["lost"] == 0


@pytest.mark.skipif(not ALL_INSTALL, reason="pylibfranka has no wheel here")
def test_a9_4_the_arm_stops_when_a_client_is_killed_in_its_motion(robot: SimulatedRobot) -> None:
    host = robot.address[0]
    program = str(PROGRAMS / "libfranka_motions.py")
    for _ in range(5):
        with Child([sys.executable, program, host, "hold_until_killed"]) as client:
            client.wait_for("moving", 120.0)
            begun = robot.q
            wait_until(lambda begun=begun: np.abs(robot.q - begun).max() > 0.01)  # type: ignore[misc]
            client.process.kill()
        assert accepted_within_s(host) < 10.0
        wait_until(lambda: np.abs(robot.dq).max() < 1e-4)
        rest = robot.q
        time.sleep(0.3)
        assert np.abs(robot.q - rest).max() < 1e-3
        assert robot.errors == ()
