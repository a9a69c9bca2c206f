"""Garbage on both channels, at client and robot: no hang, no crash, no leak.

Half of it is random bytes; the other half is what the protocol sends, with some bytes changed.
"""

import contextlib
import gc
import logging
import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial

import numba
import numpy as np
import pytest
from leaks import memory_mb, no_leak
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot, small_urdf
from sim_client import DEVIATIONS, EXTERNAL, HEADER, SimClient
from waiting_for import SOON_S, wait_until

from kinegraph.robot.command_channel import CommandChannel
from kinegraph.robot.errors import FrankaError
from kinegraph.robot.loop.callback import CompiledTorques
from kinegraph.robot.robot import Robot
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.tables import PROTOCOLS
from kinegraph.robot.wire.wire_kernels import encode_command, encode_state
from kinegraph.scene.array_types import Array

pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.timeout(900.0)]

DATAGRAMS, MESSAGES = 100_000, 10_000


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Load and compile what is loaded once, so that it does not count as a leak."""
    with SimulatedRobot(fresh_address(), lockstep_s=0.5) as sim, Robot(sim.address[0]) as robot:
        robot.start_session(CompiledTorques(damp)).stop(SOON_S)
    with SimulatedRobot(fresh_address(), realtime=False) as sim, SimClient(sim.address) as client:
        client.connect()
        sim.step()
    with ScriptedRobot(fresh_address()) as scripted, Robot(scripted.address) as robot:
        robot.read_once()


@numba.njit(nogil=True)
def damp(state: Array, period_s: float, torques: Array) -> int:
    for i in range(7):
        torques[i] = -2.0 * state[layout.S_dq + i]
    return 0


def changed(rng: random.Random, data: bytes, first: int = 0) -> bytes:
    """The same bytes with some of them changed, and sometimes cut or longer."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        byte = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
        found[rng.randrange(first, len(found))] = byte
    kind = rng.random()
    if kind < 0.05:
        return bytes(found[: rng.randrange(len(found))])
    return bytes(found) + rng.randbytes(rng.randrange(40)) if kind > 0.95 else bytes(found)


def noise(rng: random.Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 7, 8, rng.randrange(1500), 371, 1377)))


# --- the robot ------------------------------------------------------------------------------------


def command_bytes(version: int, number: float, q: Array) -> bytes:
    """A valid command that holds the arm."""
    row, packet = np.zeros(layout.COMMAND_SIZE), np.zeros(512, np.uint8)
    row[layout.C_message_id], row[layout.C_q_c : layout.C_q_c + 7] = number, q
    return packet[: encode_command(version, row, packet)].tobytes()


def hold_under_random_datagrams() -> None:
    rng = random.Random(1)
    with (
        SimulatedRobot(fresh_address(), realtime=False) as robot,
        SimClient(robot.address) as client,
    ):
        client.connect()
        client.move("JointPosition")
        robot.step()
        home, steps = robot.q, DATAGRAMS // 2 // 40
        for _ in range(steps):
            state = client.state()
            client.udp.sendto(command_bytes(10, state[layout.S_time], home), client.sender)
            for _ in range(40):
                client.udp.sendto(noise(rng), client.sender)
            robot.step()
        counters = robot.counters
        assert counters["lost"] == counters["reflexes"] == 0
        assert counters["accepted"] == steps
        dropped = sum(counters[k] for k in ("malformed", "unasked", "early", "late"))
        assert dropped == 40 * steps
        np.testing.assert_allclose(robot.q, home, atol=1e-5)


def test_the_robot_holds_its_motion_under_random_datagrams() -> None:
    with no_leak():
        hold_under_random_datagrams()


def live_through_changed_commands() -> None:
    rng = random.Random(2)
    with SimulatedRobot(fresh_address(), realtime=False) as robot:
        with SimClient(robot.address) as client:
            client.connect()
            robot.step()
            sent = motions = 0
            while sent < DATAGRAMS // 2:
                state = client.state() if sent == 0 else client.current()
                if robot.errors or state[layout.S_robot_mode] == 4:
                    number = client.post("AutomaticErrorRecovery")
                    while not client.waiting.get(number):
                        robot.step(20)
                        client.has_reply(number)
                    client.waiting.pop(number)
                number = client.post("Move", **moving(motions))
                client.reply(number)
                motions += 1
                robot.step(2)
                for _ in range(60):
                    data = command_bytes(10, float(robot.state[layout.S_time]), robot.q)
                    for _ in range(20):
                        client.udp.sendto(changed(rng, data, first=2), client.sender)
                    sent += 20
                    robot.step()
                client.request("StopMove")
                robot.step(50)
                assert np.isfinite(robot.q).all()
                assert np.isfinite(robot.state).all()
            assert robot.counters["motions"] > 5
        with SimClient(robot.address) as client:
            assert client.connect() == bytes([0, 10, 0])


def test_the_robot_lives_through_commands_with_changed_bytes() -> None:
    with no_leak():
        live_through_changed_commands()


def moving(number: int) -> dict[str, object]:
    """Fields of a Move, another generator each time."""
    enums = PROTOCOLS[10].enums
    generators = list(enums["MoveMotionGeneratorMode"])
    name = generators[number % len(generators)]
    controller = EXTERNAL if name == "None" else "JointImpedance"
    return {
        **DEVIATIONS,
        "motion_generator_mode": enums["MoveMotionGeneratorMode"][name],
        "controller_mode": enums["MoveControllerMode"][controller],
    }


def fuzzed_request(rng: random.Random) -> bytes:
    """A request that may be right, wrong or none."""
    protocol, kind = PROTOCOLS[10], rng.random()
    if kind < 0.02:
        return rng.randbytes(rng.randrange(1, 200))
    command = rng.randrange(16) if kind < 0.9 else rng.randrange(2**32)
    name = protocol.command_names.get(command, "")
    size = protocol.size(f"{name}.Request") if name and rng.random() < 0.8 else rng.randrange(500)
    payload = rng.randbytes(size) if rng.random() < 0.7 else bytes(size)
    return HEADER.pack(command, rng.randrange(2**32), HEADER.size + len(payload)) + payload


def test_the_robot_serves_on_after_random_requests(caplog: pytest.LogCaptureFixture) -> None:
    rng = random.Random(3)
    with no_leak(), SimulatedRobot(fresh_address(), realtime=False) as robot:
        sent = sessions = 0
        with caplog.at_level(logging.ERROR):
            while sent < MESSAGES:
                sessions += 1
                with SimClient(robot.address) as client:
                    if rng.random() < 0.9:
                        client.connect()
                    try:
                        for _ in range(100):
                            sent += 1
                            client.tcp.sendall(fuzzed_request(rng))
                            client.tcp.setblocking(False)
                            discard(client.tcp)
                            client.tcp.setblocking(True)
                            if sent % 20 == 0:
                                robot.step()
                    except OSError:
                        continue  # the robot has hung up, as it must on bytes that are no request
        robot.step()
        assert not caplog.records
        with SimClient(robot.address) as client:
            assert client.connect() == bytes([0, 10, 0])
            robot.step()
            assert client.request("StopMove") == "Success"
        assert sessions >= 100


def discard(sock: socket.socket) -> None:
    """Read what is there."""
    try:
        while not sock.recv(1 << 16):
            raise ConnectionError
    except BlockingIOError:
        return


# --- the client -----------------------------------------------------------------------------------


def handled(robot: Robot) -> int:
    counters = robot.counters
    return sum(
        (counters.received, counters.stale, counters.short, counters.foreign, counters.strange)
    )


def has_handled(robot: Robot, count: int) -> bool:
    return handled(robot) >= count


def shower(scripted: ScriptedRobot, robot: Robot, data: list[bytes]) -> None:
    """Send datagrams no faster than the client takes them."""
    for start in range(0, len(data), 500):
        before, batch = handled(robot), data[start : start + 500]
        for datagram in batch:
            scripted.send_datagram(datagram)
        wait_until(partial(has_handled, robot, before + len(batch)))


def state_bytes(scripted: ScriptedRobot, number: int) -> bytes:
    row, packet = scripted.row.copy(), np.zeros(4096, np.uint8)
    row[layout.S_time] = number
    return packet[: encode_state(10, row, packet)].tobytes()


def live_through_datagrams() -> None:
    rng = random.Random(4)
    with ScriptedRobot(fresh_address()) as scripted, Robot(scripted.address) as robot:
        scripted.sends = False
        for _ in range(DATAGRAMS // 2 // 2500):
            number = int(robot.state.time) + 1
            shower(
                scripted,
                robot,
                [
                    noise(rng)
                    if rng.random() < 0.5
                    else changed(rng, state_bytes(scripted, number), first=rng.choice((0, 8)))
                    for _ in range(2500)
                ],
            )
            assert isinstance(robot.state, RobotState)
            robot.state.to_dict()
        assert robot.counters.short > 10_000
        scripted.message_id = int(robot.state.time)
        scripted.sends = True
        wait_until(lambda: robot.state_age_s < 0.5 and robot.counters.received > 0)
        robot.read_once()


def test_the_client_lives_through_datagrams() -> None:
    with no_leak():
        live_through_datagrams()


def move_under_datagrams() -> None:
    rng, ends = random.Random(5), Counter[str]()
    with ScriptedRobot(fresh_address()) as scripted:
        scripted.lock_step_s = 0.001
        with Robot(scripted.address, timeout_s=0.5) as robot:
            controller, sent = CompiledTorques(damp), 0
            while sent < DATAGRAMS // 2:
                sent += 2500
                ends[one_motion(scripted, robot, controller, rng)] += 1
                later = int(robot.state.time)
                scripted.later(lambda n=later: restart(scripted, n))  # type: ignore[misc]
                wait_until(
                    lambda: robot.state.robot_mode.name == "Idle" and robot.state_age_s < 0.5
                )
        sends = np.array([row for row in scripted.commands])
    assert len(sends)
    assert np.isfinite(sends).all()
    assert sum(ends.values()) == DATAGRAMS // 2 // 2500
    assert set(ends) <= {"none", "network", "protocol", "control", "command"}


def test_a_motion_under_datagrams_ends_in_an_error_of_ours_or_goes_on() -> None:
    with no_leak():
        move_under_datagrams()


def is_idle(robot: Robot) -> bool:
    return robot.state.robot_mode.name == "Idle" and robot.state_age_s < 0.5


def restart(scripted: ScriptedRobot, number: int) -> None:
    scripted.message_id = max(scripted.message_id, number)
    scripted.leave(1, None)


def one_motion(
    scripted: ScriptedRobot, robot: Robot, controller: CompiledTorques, rng: random.Random
) -> str:
    """Run a motion under 2500 datagrams; returns how it ended."""
    try:
        session = robot.start_session(controller)
        number = int(robot.state.time)
        template = state_bytes(scripted, number)
        for _ in range(2500):
            keep = rng.random()
            data = noise(rng) if keep < 0.5 else changed(rng, template, first=8)
            scripted.send_datagram(data)
        session.stop(SOON_S)
    except FrankaError as error:
        return error.kind
    return "none"


def fuzzed_reply(rng: random.Random, command: int, number: int) -> bytes:
    """A reply that may be right, wrong or none."""
    kind = rng.random()
    if kind < 0.03:
        return rng.randbytes(rng.randrange(1, 40))
    if kind < 0.5:
        command, number = rng.randrange(2**32), rng.randrange(2**32)
    payload = rng.randbytes(rng.choice((0, 1, 1, 1, 3, 200)))
    size = HEADER.size + len(payload)
    return HEADER.pack(command, number, rng.choice((size,) * 30 + (0, 2**32 - 1))) + payload


def test_the_command_channel_lives_through_random_replies() -> None:
    rng, ends, sent = random.Random(6), Counter[str](), 0
    with no_leak():
        while sent < MESSAGES:
            ours, theirs = socket.socketpair()
            channel = CommandChannel(ours, PROTOCOLS[10])
            with theirs:
                while channel.is_open and sent < MESSAGES:
                    sent += 10
                    ends[outcome(partial(exchange_once, channel, theirs, rng))] += 1
            channel.close()
    assert set(ends) <= {"none", "network", "protocol"}
    assert ends["none"] > 10
    assert ends["protocol"] > 0


def exchange_once(channel: CommandChannel, theirs: socket.socket, rng: random.Random) -> None:
    """Send a request, answer it by ten messages, take a reply."""
    exchange = channel.send("StopMove")
    theirs.recv(1 << 16)
    with contextlib.suppress(OSError):
        for _ in range(10):
            theirs.sendall(fuzzed_reply(rng, 2, exchange.number))
    try:
        exchange.status(0.1)
    finally:
        exchange.forget()


def outcome(action: Callable[[], object]) -> str:
    try:
        action()
    except FrankaError as error:
        return error.kind
    return "none"


def test_connecting_to_servers_of_garbage_ends_in_an_error_of_ours() -> None:
    rng, ends = random.Random(7), Counter[str]()
    host, urdf = fresh_address(), small_urdf().encode()
    listener = socket.create_server((host, 1337))
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                client.settimeout(1.0)
                try:
                    client.recv(4096)
                    reply = HEADER.pack(0, 0, 15) + struct.pack("<BH", 0, 10)
                    client.sendall(changed(rng, reply) if rng.random() < 0.8 else reply)
                    client.sendall(HEADER.pack(11, 1, 13 + len(urdf)) + b"\0" + changed(rng, urdf))
                    client.recv(4096)
                except OSError:
                    continue

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    try:
        for _ in range(25):  # what is loaded and set up once is no leak
            ends[outcome(lambda: Robot(host, timeout_s=0.2))] += 1
        with no_leak():
            for _ in range(15):
                ends[outcome(lambda: Robot(host, timeout_s=0.2))] += 1
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        server.join(SOON_S)
    assert set(ends) <= {"network", "protocol", "incompatible_version", "command", "model"}


def test_a_connection_that_fails_holds_nothing_until_the_garbage_collector_comes() -> None:
    host = fresh_address()
    listener = socket.create_server((host, 1337))
    accepted = HEADER.pack(0, 0, 15) + struct.pack("<BH", 0, 10)

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client, contextlib.suppress(OSError):
                client.recv(4096)
                client.sendall(accepted)

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    gc.collect()
    gc.disable()
    try:
        for _ in range(4):
            assert outcome(lambda: Robot(host, timeout_s=0.2)) == "network"
        memory = memory_mb()
        for _ in range(8):  # the loop's memory is 20 MB
            outcome(lambda: Robot(host, timeout_s=0.2))
        assert memory_mb() - memory < 50.0
    finally:
        gc.enable()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        server.join(SOON_S)
