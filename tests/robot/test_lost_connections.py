"""Networks that stand still, connections that are reset, robots and programs that are killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from robot_addresses import fresh_address
from scripted_robot import HEADER, ScriptedRobot
from sim_client import EXTERNAL, SimClient
from sim_process import sim_process
from waiting_for import SOON_S, wait_until

from kinegraph.robot.commands import Torques
from kinegraph.robot.control import CARTESIAN, CartesianOptions
from kinegraph.robot.errors import NetworkError, ProtocolError
from kinegraph.robot.loop.callback import CompiledTorques
from kinegraph.robot.recording.reading import read_run
from kinegraph.robot.robot import Robot
from kinegraph.robot.scene_robot import SceneRobot
from kinegraph.robot.sim.robot import SimulatedRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.testing import Faults, Freeze, Relay
from kinegraph.robot.wire.state_layout import S_O_T_EE, S_dq
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

WELL_UNDER_WAY = 50  # cycles

ROOT = Path(__file__).parents[2]


@numba.njit(nogil=True)
def damp(state: Array, period_s: float, torques: Array) -> int:
    for i in range(7):
        torques[i] = -2.0 * state[S_dq + i]
    return 0


@contextmanager
def through(
    faults: Faults | None = None, **options: Any
) -> Iterator[tuple[SimulatedRobot, Relay, Robot]]:
    """A robot in real time, a relay and a client."""
    with (
        SimulatedRobot(fresh_address(), **options) as sim,
        Relay(fresh_address(), sim.address[0], faults=faults) as relay,
        Robot(relay.address[0]) as robot,
    ):
        yield sim, relay, robot


def open_sockets() -> int:
    """Sockets that this process has open."""
    count = 0
    for entry in os.listdir("/proc/self/fd"):
        try:
            count += os.readlink(f"/proc/self/fd/{entry}").startswith("socket:")
        except OSError:
            continue
    return count


def loop_threads() -> set[threading.Thread]:
    """The loops of robots that are not closed."""
    return {thread for thread in threading.enumerate() if thread.name == "kinegraph-loop"}


# --- a network that stands still ------------------------------------------------------------------


@pytest.mark.parametrize("duration_s", [0.2, 0.9])
def test_a_short_freeze_is_survived_without_a_step(duration_s: float) -> None:
    for _ in range(5):
        with through(enforce=False, trace=8000) as (sim, relay, robot):
            try:
                landed = freeze_in_a_step(relay, robot, duration_s)
            except NetworkError:
                # Where the machine, too, stood still, states came no sooner than a second later.
                passed = relay.counters["states"]["forwarded"]
                wait_until(lambda: relay.counters["states"]["forwarded"] > passed)  # noqa: B023
                times = relay.record().t_forward
                assert np.diff(times[np.isfinite(times)]).max() > 0.95
                continue
            states, _ = sim.trace()
        assert relay.counters["states"]["frozen"] > 10
        np.testing.assert_allclose(landed, [0.0, 0.0, 0.05], atol=3e-3)
        height = states[:, S_O_T_EE + 14]
        assert np.abs(np.diff(height)).max() < 1e-3
        return
    pytest.fail("the machine stood still in each turn")


def freeze_in_a_step(relay: Relay, robot: Robot, duration_s: float) -> Array:
    """Freeze the network while the arm goes 5 cm up; returns how far it went, m."""
    # A robot that enforces nothing holds the last torque all the time. The reference's law asks for
    # little while it moves; the default one's feed-forward would carry the arm too far away.
    options = CartesianOptions(backend=CARTESIAN)
    with SceneRobot(robot) as scene, scene.cartesian_targets(options) as arm:
        start = arm.target()
        arm.set_position(start + np.array([0.0, 0.0, 0.05]))
        count = arm.cycle_count
        wait_until(lambda: arm.cycle_count > count + 200)
        relay.freeze(duration_s)
        assert arm.wait(timeout_s=60.0)
        return arm.measured_pose().translation - start


def test_a_long_freeze_is_a_network_error_and_the_robot_has_stopped_the_arm() -> None:
    with through(lockstep_s=0.02) as (sim, relay, robot):
        session = robot.start_session(CompiledTorques(damp))
        relay.freeze(2.5)
        with pytest.raises(NetworkError, match="UDP receive: Timeout"):
            session.wait(SOON_S)
        assert "communication_constraints_violation" in sim.reflex_reason
        wait_until(lambda: robot.counters.received > 0 and robot.state_age_s < 0.5)
        robot.automatic_error_recovery()
        robot.start_session(CompiledTorques(damp)).stop(SOON_S)


def test_a_planned_freeze_ends_a_python_loop_in_its_thread() -> None:
    faults = Faults(freezes=(Freeze(0.05, 2.5),))
    with (
        through(faults, lockstep_s=0.02) as (_, _, robot),
        pytest.raises(NetworkError, match="UDP receive: Timeout"),
    ):
        robot.control_torques(lambda state, period_s: Torques([0.0] * 7))


# --- a connection that is reset -------------------------------------------------------------------


def wait_in_a_session(robot: Robot, meanwhile: Callable[[], None]) -> None:
    session = robot.start_session(CompiledTorques(damp))
    wait_until(lambda: session.cycle_count > WELL_UNDER_WAY)
    meanwhile()
    session.wait(SOON_S)


def wait_in_a_compiled_callback(robot: Robot, meanwhile: Callable[[], None]) -> None:
    def wait_and_act() -> None:
        wait_until(lambda: robot.counters.sent > begun + WELL_UNDER_WAY)
        meanwhile()

    begun = robot.counters.sent
    other = threading.Thread(target=wait_and_act)
    other.start()
    try:
        robot.control_torques(damp)
    finally:
        other.join()


def wait_in_a_python_callback(robot: Robot, meanwhile: Callable[[], None]) -> None:
    count = 0

    def callback(state: RobotState, period_s: float) -> Torques:
        nonlocal count
        count += 1
        if count == 20:
            meanwhile()
        return Torques([0.0] * 7)

    robot.control_torques(callback)


def wait_in_a_target_block(robot: Robot, meanwhile: Callable[[], None]) -> None:
    with SceneRobot(robot) as scene, scene.cartesian_targets() as arm:
        arm.set_position(arm.target() + np.array([0.0, 0.0, 0.02]))
        wait_until(lambda: arm.cycle_count > WELL_UNDER_WAY)
        meanwhile()
        while True:
            arm.wait()


LOOPS = [
    wait_in_a_session,
    wait_in_a_compiled_callback,
    wait_in_a_python_callback,
    wait_in_a_target_block,
]


@pytest.mark.parametrize("loop", LOOPS)
def test_a_reset_is_a_network_error_although_states_flow(loop: Callable[..., None]) -> None:
    with through(lockstep_s=0.02) as (sim, relay, robot):
        with pytest.raises(NetworkError):
            loop(robot, relay.reset_tcp)
        passed = relay.counters["states"]["forwarded"]
        wait_until(lambda: relay.counters["states"]["forwarded"] > passed)
        wait_until(lambda: bool(sim.errors))  # the robot misses the commands and stops the arm
        assert sim.errors == ("communication_constraints_violation",)
        assert not robot.is_connected
        with pytest.raises(NetworkError):
            robot.stop()


def test_a_cut_of_both_connections_stops_the_arm() -> None:
    with through(lockstep_s=0.02) as (sim, relay, robot):
        session = robot.start_session(CompiledTorques(damp))
        relay.cut()
        with pytest.raises(NetworkError):
            session.wait(SOON_S)
        wait_until(lambda: not sim.has_client)
        with Robot(relay.address[0]) as again:
            again.automatic_error_recovery()
            again.start_session(CompiledTorques(damp)).stop(SOON_S)


# --- TCP closed in the middle of a command --------------------------------------------------------

REQUESTS: dict[str, Callable[[Robot], None]] = {
    "SetJointImpedance": lambda robot: robot.set_joint_impedance([3000.0] * 7),
    "SetLoad": lambda robot: robot.set_load(0.1, [0.0] * 3, np.eye(3) * 1e-3),
    "StopMove": lambda robot: robot.stop(),
    "AutomaticErrorRecovery": lambda robot: robot.automatic_error_recovery(),
    "Move": lambda robot: robot.control_torques(damp),
}


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("sent", [0, 5, 12])
def test_a_robot_that_hangs_up_within_its_reply_is_a_network_error(name: str, sent: int) -> None:
    with ScriptedRobot(fresh_address()) as scripted, Robot(scripted.address) as robot:
        scripted.unanswered.add(name)

        def hang_up() -> None:
            wait_until(lambda: scripted.count(name) > 0)
            number = next(n for request, n, _ in scripted.requests if request == name)
            reply = HEADER.pack(scripted.protocol.commands[name], number, 13) + b"\0"
            scripted.send_raw(reply[:sent])
            scripted.drop_client(keep_streaming=True)

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(NetworkError):
            REQUESTS[name](robot)
        thread.join(SOON_S)
        with pytest.raises(NetworkError):
            robot.read_once()


@pytest.mark.parametrize("name", REQUESTS)
def test_a_robot_that_never_replies_is_a_network_error_in_time(name: str) -> None:
    with ScriptedRobot(fresh_address()) as scripted:
        scripted.unanswered.update({name, "StopMove"})
        with Robot(scripted.address, timeout_s=1.0) as robot:
            limit = pytest.MonkeyPatch()
            with limit.context() as patch:
                patch.setattr("kinegraph.robot.robot.RECOVERY_S", 1.0)
                with pytest.raises(NetworkError, match=r"no reply to .* within 1 s"):
                    REQUESTS[name](robot)
            robot.read_once()  # states are another matter


@pytest.mark.parametrize(
    "sent", [b"\1", HEADER.pack(1, 9, 125), HEADER.pack(1, 9, 125) + b"\0" * 60]
)
def test_a_client_that_leaves_within_a_request_stops_its_arm(sent: bytes) -> None:
    with SimulatedRobot(fresh_address(), realtime=False) as sim:
        with SimClient(sim.address) as client:
            client.connect()
            client.move("None", EXTERNAL)
            sim.step(3)
            client.tcp.sendall(sent)
        wait_until(lambda: sim.step() or not sim.has_client)  # type: ignore[func-returns-value]
        home = sim.q
        sim.step(1000)
        np.testing.assert_allclose(sim.q, home, atol=1e-3)
        with SimClient(sim.address) as client:
            assert client.connect() == bytes([0, 10, 0])


# --- a robot that is killed -----------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.timeout(600.0)
@pytest.mark.parametrize(
    ("loop", "turns"),
    [
        (wait_in_a_session, 3),
        (wait_in_a_compiled_callback, 1),
        (wait_in_a_python_callback, 1),
        (wait_in_a_target_block, 3),
    ],
)
def test_a_killed_robot_is_a_network_error_and_the_next_one_works(
    loop: Callable[..., None], turns: int, tmp_path: Path
) -> None:
    host, sockets, others = fresh_address(), 0, loop_threads()
    for turn in range(turns):
        path = tmp_path / f"run-{turn}.log"
        with sim_process(host, "--lockstep", "0.2") as process:
            with pytest.raises(NetworkError), Robot(host) as robot, robot.record(path):
                loop(robot, process.kill)
            assert not robot.is_connected
            assert process.wait(SOON_S) == -signal.SIGKILL
            assert loop_threads() <= others
            if turn == 0:
                sockets = open_sockets()
            assert open_sockets() <= sockets
        run = read_run(path)
        assert len(run.states()) > 10
    with sim_process(host), Robot(host) as robot:
        robot.read_once()


# --- two clients, and one that is killed ----------------------------------------------------------


def test_a_second_client_is_refused_and_the_first_is_not_disturbed() -> None:
    with through(lockstep_s=5.0) as (sim, _, robot):
        session = robot.start_session(CompiledTorques(damp))
        with Relay(fresh_address(), sim.address[0]) as other:
            for _ in range(2):
                with pytest.raises((NetworkError, ProtocolError)):
                    Robot(other.address[0], timeout_s=10.0)
        count = session.cycle_count
        wait_until(lambda: session.cycle_count > count + 50)
        session.stop(SOON_S)
        assert sim.counters["lost"] == sim.counters["reflexes"] == 0


CLIENT = """
import sys
import numba
from kinegraph.robot import Robot
from kinegraph.robot.loop.callback import CompiledTorques

@numba.njit(nogil=True)
def push(state, period_s, torques):
    for i in range(7):
        torques[i] = 0.0
    torques[6] = 0.3
    return 0

robot = Robot(sys.argv[1])
session = robot.start_session(CompiledTorques(push), limit_rate=True)
while session.cycle_count < 100:
    pass
print("moving", flush=True)
session.wait()
"""


@pytest.mark.slow
@pytest.mark.timeout(600.0)
@pytest.mark.parametrize("with_relay", [False, True])
def test_a_killed_program_leaves_an_arm_at_rest(with_relay: bool) -> None:
    with (
        SimulatedRobot(fresh_address(), lockstep_s=0.2) as sim,
        Relay(fresh_address(), sim.address[0]) as relay,
    ):
        host = relay.address[0] if with_relay else sim.address[0]
        for _ in range(3):
            words = [sys.executable, "-c", CLIENT, host]
            with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == "moving\n"
                process.kill()
            wait_until(lambda: not sim.has_client)
            wait_until(lambda: bool(np.abs(sim.dq).max() < 1e-3))
            rest = sim.q
            time.sleep(0.2)
            np.testing.assert_allclose(sim.q, rest, atol=1e-3)
            with Robot(host) as robot:
                if robot.read_once().current_errors:
                    robot.automatic_error_recovery()
                robot.start_session(CompiledTorques(damp)).stop(SOON_S)
