"""Every recorded session once more, with our client in the place of the recorded one.

The server plays what the recorded robot sent (`tests/support/recorded_server.py` says what it
cannot), the calls are those of the recorded client. Its bytes, the values that it gets and how each
call ends are the recorded ones.
"""

from pathlib import Path

import numpy as np
import pytest
from fci_sessions import decode, session_paths, version_of
from recorded_server import RecordedServer, Step
from robot_addresses import fresh_address
from session_calls import SessionCalls

from kinegraph.robot import IncompatibleVersionError, Robot, RobotState
from kinegraph.robot.wire.state_layout import STATE_SIZE

pytestmark = pytest.mark.compiled

REFUSED = "refused"
SESSIONS = [p for p in session_paths() if REFUSED not in p.name]


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name.split(".")[0])
def test_session_is_repeated_byte_for_byte(path: Path) -> None:
    with RecordedServer(fresh_address(), path) as server:
        with Robot(server.address, version=version_of(path)) as robot:
            server.newest = lambda: robot.state.time
            reader = robot.link.loop.states.reader(0)
            calls = SessionCalls(path)
            calls.make(robot)
            sent, repeated = states_of(server)
            await_states(robot, sent)
            assert calls.left == []
        server.await_end()
        assert server.failure is None
        rows, lost = reader.read()
        assert lost == 0
        assert robot.counters.stale == repeated
        check_states(version_of(path), rows, sent)
        assert len(server.inexact(1e-15)) == len(server.mismatches) <= 1


def states_of(server: RecordedServer) -> tuple[list[Step], int]:
    """The states that are sent, and how many of all come again: one simulator repeats some."""
    found = {
        int.from_bytes(step.data[:8], "little"): step
        for step in reversed(server.steps)
        if step.kind == "state"
    }
    count = sum(step.kind == "state" for step in server.steps)
    return [found[number] for number in sorted(found)], count - len(found)


def await_states(robot: Robot, sent: list[Step]) -> None:
    """Wait until the last state has come."""
    version = robot.version
    last = decode(version, sent[-1].data).time
    while robot.state.time < last:
        robot.read_once()


def check_states(version: int, rows: np.ndarray, sent: list[Step]) -> None:
    """Compare the states that the client has received with the datagrams."""
    assert len(rows) == len(sent)
    for row, step in zip(rows, sent, strict=True):
        assert RobotState.from_row(row[:STATE_SIZE]) == decode(version, step.data)


def test_session_of_another_version_ends_as_recorded() -> None:
    (path,) = (p for p in session_paths() if REFUSED in p.name)
    outcome = SessionCalls(path).results[0]
    with (
        RecordedServer(fresh_address(), path) as server,
        pytest.raises(IncompatibleVersionError) as caught,
    ):
        Robot(server.address, version=10)
    assert server.failure is None
    assert not server.mismatches
    assert str(caught.value).split(" kinegraph")[0] == outcome["text"].split(" Please")[0]
    assert (caught.value.server_version, caught.value.library_version) == (5, 10)
