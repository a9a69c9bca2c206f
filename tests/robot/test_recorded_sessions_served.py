"""Every recorded session once more, with the simulated robot in the place of the recorded one.

It gets what the recorded clients sent (`tests/support/session_player.py` says what is changed on
the way), and answers each request with the recorded status in a message of the right size.

Not comparable, by name: numbers in the states, which are those of another arm; the URDF, which is
its own; the padding of two recorded simulators (one-byte replies of four bytes, a Connect reply of
eight), which is no part of the protocol; the frame of a virtual wall, where the scripted responder
sent numbers that are no transform. Limits are
enforced in the sessions about reflexes only: in the others some commands of the motions were left
out of the record, or the callbacks finish while the joint still moves, which the recorded responder
let pass; a robot ends such motions.
"""

import base64
from pathlib import Path

import numpy as np
import pytest
from fci_sessions import decode, records, session_paths, version_of
from recorded_server import steps_of
from robot_addresses import fresh_address
from session_player import SessionPlayer, recorded_states
from sim_client import SimClient

from kinegraph.robot import SimulatedRobot
from kinegraph.robot.wire.tables import PROTOCOLS
from kinegraph.scene import parseURDFString

pytestmark = pytest.mark.compiled

REFUSED, RANDOM, REFLEX = "refused", "random_states", "reflex"
WALL, LIBRARY = 7, b"\x7fELF not a library"
SESSIONS = [p for p in session_paths() if REFUSED not in p.name]


def name_of(path: Path) -> str:
    """Name of a session."""
    return path.name.split(".")[0]


def simulated(path: Path) -> SimulatedRobot:
    """A robot that can be what the recorded one was."""
    version = version_of(path)
    robot = SimulatedRobot(
        fresh_address(),
        fci=version,
        realtime=False,
        enforce=REFLEX in path.name,
        model_library=LIBRARY if version == 5 else b"",
    )
    if version == 5:
        set_wall(robot, path)
    return robot


def set_wall(robot: SimulatedRobot, path: Path) -> None:
    """Put up the wall that the recorded robot had."""
    for step in steps_of(path):
        if step.name == "GetCartesianLimit.Response":
            dtype = PROTOCOLS[5].dtype(step.name)
            wall = np.frombuffer(step.data[12:], dtype, count=1)[0]
            active = bool(wall["object_activation"])
            robot.set_virtual_wall(WALL, wall["object_world_size"], np.eye(4), active=active)


@pytest.mark.parametrize("path", SESSIONS, ids=name_of)
def test_robot_answers_every_request_as_recorded(path: Path) -> None:
    with (
        simulated(path) as robot,
        SessionPlayer(path, robot, injected="scripted" in path.name) as p,
    ):
        p.play()
        assert p.replies
        for name, recorded, got in p.replies:
            size = p.protocol.size(name)
            assert got[:1] == recorded[:1], name
            if name == "GetRobotModel.Response":
                assert parseURDFString(got[1:]).getName()
            elif name == "GetCartesianLimit.Response":
                frame = slice(1 + 3 * 8, 1 + 19 * 8)
                assert got[: frame.start] == recorded[: frame.start]
                assert got[frame.stop :] == recorded[frame.stop :]
            elif name == "LoadModelLibrary.Response":
                assert got == recorded
            else:
                assert len(got) == size <= len(recorded)
        assert p.shown == p.recorded_motions
        for recorded_errors, errors in p.errors:
            assert errors == recorded_errors
        commands = [r for r in records(path) if r.get("name") == "RobotCommand" and "b64" in r]
        assert p.answered == len(commands)


def test_robot_refuses_the_other_version_as_recorded() -> None:
    (path,) = (p for p in session_paths() if REFUSED in p.name)
    reply = next(r for r in records(path) if r.get("name") == "Connect.Response")
    with (
        SimulatedRobot(fresh_address(), fci=5, realtime=False) as robot,
        SimClient(robot.address, 10) as client,
    ):
        assert client.connect(10) == base64.b64decode(reply["b64"])[12:]


@pytest.mark.parametrize("path", [p for p in SESSIONS if RANDOM in p.name], ids=name_of)
def test_robot_sends_recorded_states_bit_for_bit(path: Path) -> None:
    version = version_of(path)
    dtype = PROTOCOLS[version].dtype("RobotState")
    with simulated(path) as robot, SimClient(robot.address, version) as client:
        client.connect()
        for datagram, _ in recorded_states(path):
            robot.override_state(decode(version, datagram).row)
            robot.step()
            client.state()
            got = np.frombuffer(client.datagram[: dtype.itemsize].tobytes(), dtype)[0].copy()
            wanted = np.frombuffer(datagram, dtype)[0]
            for name in ("message_id", "robot_mode"):  # its own clock; an unknown mode is Other
                got[name] = wanted[name]
            assert got.tobytes() == wanted.tobytes()
