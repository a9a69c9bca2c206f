"""The simulated robot in real time, in its own thread and as the command `kinegraph sim`."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import SimClient, field, served

from kinegraph.cli.main import main
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout

pytestmark = pytest.mark.compiled

START_LIMIT_S = 240.0


def start_process(*arguments: str) -> tuple[subprocess.Popen[str], list[str]]:
    """Start the command and wait until it serves; returns what it printed until then."""
    command = [sys.executable, "-m", "kinegraph.cli.main", "sim", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    guard = threading.Timer(START_LIMIT_S, process.kill)
    guard.start()
    lines: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if "serving" in line:
            break
    guard.cancel()
    return process, lines


def end(process: subprocess.Popen[str], number: signal.Signals) -> str:
    process.send_signal(number)
    text, _ = process.communicate(timeout=30.0)
    return text


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_and_ends_cleanly(number: signal.Signals) -> None:
    host = fresh_address()
    process, lines = start_process("--host", host, "--port", "1337", "--friction")
    try:
        assert lines[-1] == f"kinegraph sim: serving FCI 10 on {host}:1337\n"
        with SimClient((host, 1337)) as client:
            assert client.connect()[0] == 0
            first = client.state()[layout.S_time]
            while client.state()[layout.S_time] < first + 50:
                pass
        text = end(process, number)
        assert process.returncode == 0
        assert "Traceback" not in text
        assert "states_sent" in text
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_two_processes_on_one_address_are_an_error_with_the_address() -> None:
    host = fresh_address()
    with SimulatedRobot(host, realtime=False):
        process, lines = start_process("--host", host)
        assert process.wait(30.0) == 1
        assert f"{host}:1337" in lines[-1]
        process.communicate()


@pytest.mark.parametrize(
    "arguments",
    [["--fci", "9"], ["--q", "1,2"], ["--inject", "nothing@2s"], ["--true-load", "1"]],
    ids=" ".join,
)
def test_wrong_options_end_with_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sim", *arguments])
    assert ended.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "sim" in capsys.readouterr().out


def test_the_loop_runs_beside_a_busy_python_thread() -> None:
    """The loop never needs the interpreter: a thread that computes takes no state away."""
    stop = threading.Event()

    def compute() -> None:
        while not stop.is_set():
            sum(i * i for i in range(1000))

    busy = threading.Thread(target=compute)
    with SimulatedRobot(fresh_address()) as robot, SimClient(robot.address) as client:
        client.connect()
        busy.start()
        try:
            before, begun = robot.counters["cycles"], time.monotonic()
            time.sleep(1.0)
            rate = (robot.counters["cycles"] - before) / (time.monotonic() - begun)
        finally:
            stop.set()
            busy.join()
    assert rate > 100.0  # a hang bound: with the interpreter it would be some ten per second


def test_in_real_time_requests_and_a_motion_work() -> None:
    with served(realtime=True, lockstep_s=5.0) as (robot, client):
        assert client.request("SetJointImpedance", K_theta=2000.0) == "Success"
        move = client.move("JointPosition")
        home, ends = robot.q, False
        last = None
        for cycle in range(300):
            state = client.state()
            ends = cycle >= 200
            last = state[layout.S_time]
            client.command(last, q_c=home, motion_generation_finished=float(ends))
            if field(state, "robot_mode") == 1 and cycle > 200:
                break
        assert client.ended(move) == "Success"
        np.testing.assert_allclose(robot.q, home, atol=1e-5)
        assert robot.counters["reflexes"] == 0


def test_a_stopped_robot_answers_no_more() -> None:
    robot = SimulatedRobot(fresh_address()).start()
    with SimClient(robot.address) as client:
        client.connect()
        robot.stop()
        with pytest.raises((ConnectionError, OSError)):
            client.request("StopMove")
    robot.stop()  # once more does nothing
