"""The probe of franka-sim takes a simulated robot of ours for one that serves."""

import subprocess

import pytest
from robot_addresses import fresh_address
from third_party import environment, needs_peers, peer_program

from kinegraph.robot.sim import SimulatedRobot

pytestmark = [pytest.mark.compiled, pytest.mark.slow, needs_peers]


def test_the_probe_is_served() -> None:
    with SimulatedRobot(fresh_address()) as robot:
        command = [peer_program("franka-sim", "franka-sim-check"), "--host", robot.address[0]]
        done = subprocess.run(
            [*command, "--timeout", "30"],
            capture_output=True,
            text=True,
            timeout=60.0,
            check=False,
            env=environment(),
        )
    assert done.returncode == 0, done.stdout + done.stderr
