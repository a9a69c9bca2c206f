"""Where the known clients fail their users, and this one must not.

A state that is read after a pause is new; a bad datagram is dropped, counted and logged; a closed
connection is noticed although states still come; an error of a loop is raised where the loop is
used. Twenty bad datagrams in a row, and ids that do not rise: test_loop_states.py,
test_robot_motion.py and test_reactions.py.
"""

import logging
import socket
import threading
import time
from collections.abc import Iterator

import numba
import numpy as np
import pytest
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot
from waiting_for import wait_until

from kinegraph.robot import (
    CompiledTorques,
    ControlError,
    JointPositions,
    NetworkError,
    Robot,
    RobotState,
    Torques,
)

pytestmark = pytest.mark.compiled

# Hang bounds: ten and a hundred times the 5 ms and 100 ms that hold on an idle machine, where the
# benchmarks measure them.
OLD_MS, NOTICED_S = 50, 10.0


@numba.njit
def still(state, period_s, torques):  # type: ignore[no-untyped-def]
    """No torques, for ever."""
    torques[:] = 0.0
    return 0


@pytest.fixture
def scripted() -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address()) as robot:
        yield robot


@pytest.fixture
def robot(scripted: ScriptedRobot) -> Iterator[Robot]:
    with Robot(scripted.address) as client:
        yield client


def pause(robot: Robot, until_ms: float) -> None:
    """Read nothing until such a state has come."""
    wait_until(lambda: robot.state.time > until_ms)


def test_state_after_a_pause_of_three_seconds_is_new(scripted: ScriptedRobot, robot: Robot) -> None:
    begun = robot.read_once().time
    pause(robot, begun + 3000)
    assert robot.read_once().time > begun + 3000
    wait_until(lambda: scripted.message_id - robot.state.time <= OLD_MS)
    wait_until(lambda: robot.state_age_s < OLD_MS / 1000)
    assert robot.counters.lost == 0


def test_motion_after_a_pause_starts_from_a_new_state(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    begun, seen = robot.read_once().time, []
    pause(robot, begun + 1000)

    def first(state: RobotState, period_s: float) -> JointPositions:
        seen.append(state.time)
        return JointPositions(state.q_d, motion_finished=True)

    robot.control_joint_positions(first)
    assert seen[0] > begun + 1000


KINDS = {
    "short": ("short", "1 shorter than a state"),
    "old": ("stale", "1 older than the newest state or sent twice"),
    "foreign": ("foreign", "1 of another sender"),
    "odd": ("strange", "1 with an id that cannot be the next"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("running", [False, True])
def test_one_bad_datagram_is_dropped_counted_and_logged(
    scripted: ScriptedRobot,
    robot: Robot,
    caplog: pytest.LogCaptureFixture,
    kind: str,
    running: bool,
) -> None:
    counter, text = KINDS[kind]
    session = robot.start_session(CompiledTorques(still)) if running else None
    kept: list[bytes] = []
    scripted.mangle = lambda datagram: kept.append(datagram) or [datagram]  # type: ignore[func-returns-value]
    wait_until(lambda: len(kept) > 2)
    datagram = kept[-1]
    with caplog.at_level(logging.WARNING, "kinegraph.robot"):
        if kind == "foreign":
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
                other.bind(("127.0.16.77", 0))
                scripted.send_datagram(datagram, other)
        else:
            odd = np.uint64(2**62).tobytes() + datagram[8:]
            bad = {"short": datagram[:-4], "old": kept[0], "odd": odd}[kind]
            scripted.later(lambda: scripted.send_datagram(bad))
        wait_until(lambda: getattr(robot.counters, counter) == 1)
        wait_until(lambda: text in caplog.text)
    assert scripted.address in caplog.text
    before = robot.read_once().time
    wait_until(lambda: robot.read_once().time > before + 20)
    if session is not None:
        assert session.is_running
        session.cancel()


def test_flood_of_bad_datagrams_does_not_flood_the_log(
    scripted: ScriptedRobot, robot: Robot, caplog: pytest.LogCaptureFixture
) -> None:
    scripted.mangle = lambda datagram: [datagram, datagram[:-1]]
    start = robot.counters.short
    with caplog.at_level(logging.WARNING, "kinegraph.robot"):
        wait_until(lambda: robot.counters.short >= start + 2000)
        robot.close()
    lines = [record for record in caplog.records if "dropped" in record.getMessage()]
    assert 1 <= len(lines) <= 12
    told = sum(int(str(line.args[1]).split()[0]) for line in lines if isinstance(line.args, tuple))
    assert told >= 2000


def test_closed_connection_is_noticed_although_states_flow(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    session = robot.start_session(CompiledTorques(still))
    scripted.drop_client(keep_streaming=True)
    start = time.monotonic()
    with pytest.raises(NetworkError, match="server closed connection"):
        session.wait(NOTICED_S)
    assert time.monotonic() - start < NOTICED_S
    with pytest.raises(NetworkError, match="server closed connection"):
        robot.read_once()
    with pytest.raises(NetworkError, match="server closed connection"):
        robot.control_torques(still)


def test_error_of_a_loop_is_raised_in_the_thread_that_uses_it(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.abort_after, scripted.move_final = 20, 8
    raised: list[tuple[int, BaseException]] = []

    def use() -> None:
        try:
            robot.control_torques(lambda *_: Torques(np.zeros(7)))
        except ControlError as error:
            raised.append((threading.get_ident(), error))

    user = threading.Thread(target=use)
    user.start()
    user.join(60.0)
    assert [thread for thread, _ in raised] == [user.ident]
    # Compiled: in the thread that waits, and in each that waits later.
    session = robot.start_session(CompiledTorques(still))
    for _ in range(2):
        with pytest.raises(ControlError, match="reflex"):
            session.wait()
    assert isinstance(session.error, ControlError)
