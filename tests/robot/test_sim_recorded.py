"""Runs of the simulated robot on disk: every cycle, with the command that was used in it."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import SimClient, drive, served

from kinegraph.robot import read_run
from kinegraph.robot.wire import state_layout as layout

pytestmark = pytest.mark.compiled

HOME = np.array([0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4])
START_LIMIT_S = 240.0


@pytest.mark.parametrize("version", [10, 5])
def test_every_cycle_of_a_run_is_recorded_with_its_command(tmp_path: Path, version: int) -> None:
    path = tmp_path / "run.log"
    with served(fci=version) as (robot, client), robot.record(path, {"what": "a test"}):
        client.move("JointPosition")
        robot.step()
        begin = robot.state[layout.S_time]
        drive(robot, client, lambda _, k: None if k == 3 else {"q_c": HOME + 1e-9 * k}, 50)
    run = read_run(path)
    states, commands = run.tables["states"], run.tables["commands"]
    assert run.complete
    assert (run.lost["states"], run.lost["commands"]) == (0, 0)
    assert (run.notes, run.about["fci_version"]) == ({"what": "a test"}, version)
    assert len(states) == len(commands) == 51
    np.testing.assert_array_equal(np.diff(states["time"]), 1.0)
    used = commands[states["time"] > begin]
    assert np.isnan(used["q_c"][3]).all()
    np.testing.assert_array_equal(used["message_id"][[0, 1, 49]], begin + np.array([0, 1, 49]))
    np.testing.assert_allclose(used["q_c"][49], HOME + 49e-9, rtol=1e-12)
    assert run.states()[-1].time == states["time"][-1]


def test_what_was_overwritten_before_it_was_read_is_counted(tmp_path: Path) -> None:
    from kinegraph.robot.sim.recorded import CycleRows

    with served() as (robot, _):
        robot.record(tmp_path / "never.log")
        rows = CycleRows(robot._memory, commands=False)
        robot.step(5000)
        read, lost = rows.read()
        assert len(read) + lost == 5000
        assert len(read) == 4095
        np.testing.assert_array_equal(np.diff(read[:, layout.S_time]), 1.0)
        assert rows.read()[0].shape == (0, layout.STATE_SIZE)


@pytest.mark.slow
def test_a_run_survives_the_kill_of_its_robot(tmp_path: Path) -> None:
    path, host = tmp_path / "run.log", fresh_address()
    command = [sys.executable, "-m", "kinegraph.cli.main", "sim", "--host", host]
    with subprocess.Popen(
        [*command, "--record", str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert "serving" in process.stdout.readline()
            with SimClient((host, 1337)) as client:
                client.connect()
                first = client.state()[layout.S_time]
                while client.state()[layout.S_time] < first + 1500:
                    pass
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(START_LIMIT_S)
    run = read_run(path)
    assert not run.complete
    times = run.tables["states"]["time"]
    np.testing.assert_array_equal(np.diff(times), 1.0)
    assert times[-1] > first + 500  # the last second may be missing
