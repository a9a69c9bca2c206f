"""Fixtures for pytest, wherever kinegraph is installed; nothing is imported until one is used.

Three fixtures, each new for every test and closed after it:

- `simulated_robot`: a `SimulatedRobot` on a loopback address of its own. Its clock waits for the
  commands of its client (`lockstep_s=5.0`), so that a busy machine loses none.
- `robot_relay`: a `Relay` in front of it.
- `connected_robot`: a `Robot` that is connected to it, through the relay if the test has that.

Two markers change them: `@pytest.mark.simulated_robot(fci=5, enforce=False)` takes any argument of
`SimulatedRobot`; `@pytest.mark.robot_faults(Faults(...), seed=1)` gives the relay its faults.
"""

import itertools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kinegraph.robot import Robot, SimulatedRobot
    from kinegraph.robot.testing import Relay

__all__ = ["connected_robot", "robot_relay", "simulated_robot"]

LOCKSTEP_S = 5.0
MARKERS = (
    "simulated_robot(**options): arguments of the SimulatedRobot of the fixtures of kinegraph",
    "robot_faults(faults, seed=0): faults and seed of the Relay of the fixtures of kinegraph",
)

_numbers = itertools.count()


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


def _address() -> str:
    """A loopback address of this process that was not handed out before."""
    process, (block, last) = os.getpid(), divmod(next(_numbers), 250)
    return f"127.{120 + process % 80}.{(process // 80 + block) % 256}.{1 + last}"


@pytest.fixture
def simulated_robot(request: pytest.FixtureRequest) -> "Iterator[SimulatedRobot]":
    """A simulated robot that is served on an address of its own."""
    from kinegraph.robot import SimulatedRobot

    options: dict[str, Any] = {"host": _address(), "lockstep_s": LOCKSTEP_S}
    for marker in reversed(list(request.node.iter_markers("simulated_robot"))):
        options |= marker.kwargs
    with SimulatedRobot(**options) as robot:
        yield robot


@pytest.fixture
def robot_relay(
    request: pytest.FixtureRequest, simulated_robot: "SimulatedRobot"
) -> "Iterator[Relay]":
    """A relay in front of the simulated robot, without faults unless the test is marked."""
    from kinegraph.robot.testing import Relay

    host, port = simulated_robot.address
    marker = request.node.get_closest_marker("robot_faults")
    faults = marker.args[0] if marker is not None and marker.args else None
    seed = marker.kwargs.get("seed", 0) if marker is not None else 0
    with Relay(_address(), host, server_port=port, faults=faults, seed=seed) as relay:
        yield relay


@pytest.fixture
def connected_robot(
    request: pytest.FixtureRequest, simulated_robot: "SimulatedRobot"
) -> "Iterator[Robot]":
    """A client that is connected to the simulated robot, through the relay if there is one."""
    from kinegraph.robot import Robot

    address = simulated_robot.address
    if "robot_relay" in request.fixturenames:
        address = request.getfixturevalue("robot_relay").address
    host, port = address
    with Robot(host, port=port, version=simulated_robot.fci_version) as robot:
        yield robot
