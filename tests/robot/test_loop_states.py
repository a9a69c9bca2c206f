"""What the loop accepts as a state, and what it says when none comes."""

import _thread
import gc
import os
import socket
import struct
import threading
from collections.abc import Iterator
from itertools import pairwise

import pytest
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot
from waiting_for import SOON_S, wait_until

from kinegraph.robot.errors import InvalidOperationError, NetworkError
from kinegraph.robot.loop.loop_layout import B_LAST_ID
from kinegraph.robot.modes import RobotMode
from kinegraph.robot.robot import Robot
from kinegraph.robot.wire.state_layout import S_robot_mode, S_time

pytestmark = pytest.mark.compiled


@pytest.fixture
def scripted() -> Iterator[ScriptedRobot]:
    with ScriptedRobot(fresh_address()) as robot:
        yield robot


@pytest.fixture
def robot(scripted: ScriptedRobot) -> Iterator[Robot]:
    with Robot(scripted.address) as client:
        yield client


def read_on(robot: Robot, timeout_s: float = 1.0) -> None:
    """Read states until that raises."""
    while True:
        robot.read_once(timeout_s)


def next_states(robot: Robot, count: int) -> list[int]:
    stream = robot.states()
    return [int(stream.read_rows(1)[0, S_time]) for _ in range(count)]


def test_states_come_one_by_one_without_gaps(robot: Robot) -> None:
    ids = next_states(robot, 300)
    assert ids == list(range(ids[0], ids[0] + 300))
    assert robot.counters.lost == 0


def test_read_once_returns_each_state_once_and_none_that_is_old(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    robot.read_once()
    seen = scripted.message_id
    wait_until(lambda: robot.state.time > seen + 300)  # a pause of the program
    times = [int(robot.read_once().row[S_time]) for _ in range(500)]
    assert times[0] > seen + 300
    assert all(b > a for a, b in pairwise(times))


def test_late_and_repeated_states_are_dropped_and_counted(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    kept: list[bytes] = []

    def repeat_and_delay(datagram: bytes) -> list[bytes]:
        kept.append(datagram)
        return [datagram, datagram, kept[0]]

    scripted.mangle = repeat_and_delay
    ids = next_states(robot, 50)
    scripted.sends = False
    assert ids == list(range(ids[0], ids[0] + 50))
    wait_until(lambda: robot.counters.stale == 2 * len(kept))


def test_the_newest_of_reordered_states_is_kept(scripted: ScriptedRobot, robot: Robot) -> None:
    held: list[bytes] = []

    def swap_pairs(datagram: bytes) -> list[bytes]:
        held.append(datagram)
        return [held.pop(), held.pop()] if len(held) == 2 else []

    scripted.mangle = swap_pairs
    ids = next_states(robot, 50)
    assert all(b > a for a, b in pairwise(ids))
    wait_until(lambda: robot.counters.stale > 0 and robot.counters.lost > 0)


def test_short_datagrams_are_dropped_and_long_ones_accepted(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    seen: list[bytes] = []

    def cut_and_lengthen(datagram: bytes) -> list[bytes]:
        seen.append(datagram)
        return [datagram[:-1], b"", datagram[:5], datagram + b"tail"]

    scripted.mangle = cut_and_lengthen
    ids = next_states(robot, 30)
    scripted.sends = False
    assert ids == list(range(ids[0], ids[0] + 30))
    wait_until(lambda: robot.counters.short == 3 * len(seen))


def test_datagrams_of_another_sender_are_dropped(scripted: ScriptedRobot, robot: Robot) -> None:
    seen: list[bytes] = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind((scripted.address, 0))

        def beside(datagram: bytes) -> list[bytes]:
            seen.append(datagram)
            false = bytearray(datagram)
            struct.pack_into("<Q", false, 0, scripted.message_id + 50)
            scripted.send_datagram(bytes(false), other)
            return [datagram]

        scripted.mangle = beside
        ids = next_states(robot, 30)
        scripted.sends = False
        wait_until(lambda: robot.counters.foreign == len(seen))
    assert ids == list(range(ids[0], ids[0] + 30))


def test_states_may_come_from_another_address_than_the_commands() -> None:
    elsewhere = fresh_address()
    with ScriptedRobot(fresh_address(), states_from=elsewhere) as scripted:
        assert scripted.udp.getsockname()[0] == elsewhere
        with Robot(scripted.address) as robot:
            assert robot.read_once().robot_mode is RobotMode.Idle


def test_ids_that_no_robot_would_send_next_are_dropped(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    garbage: list[bytes] = []

    def with_garbage(datagram: bytes) -> list[bytes]:
        for number in (2**63 + 5, 2**60, scripted.message_id + 10**9):
            false = bytearray(datagram)
            struct.pack_into("<Q", false, 0, number)
            garbage.append(bytes(false))
        return [*garbage[-3:], datagram]

    scripted.mangle = with_garbage
    ids = next_states(robot, 30)
    scripted.sends = False
    assert ids == list(range(ids[0], ids[0] + 30))
    wait_until(lambda: robot.counters.strange == len(garbage))


def test_a_first_id_of_zero_is_a_state() -> None:
    with ScriptedRobot(fresh_address()) as scripted:
        scripted.message_id = -1
        scripted.sends = False
        scripted.mangle = lambda datagram: [datagram] if scripted.message_id == 0 else []

        def send_once_somebody_listens() -> None:
            wait_until(lambda: scripted.destination is not None)
            scripted.sends = True

        sender = threading.Thread(target=send_once_somebody_listens)
        sender.start()
        with Robot(scripted.address, timeout_s=5.0) as robot:
            assert robot.link.loop.memory.block[B_LAST_ID] == 0
        sender.join()


def test_lost_states_are_counted(scripted: ScriptedRobot, robot: Robot) -> None:
    before = robot.counters.lost
    scripted.step = 3
    wait_until(lambda: robot.counters.lost > before)
    ids = next_states(robot, 40)
    assert ids == list(range(ids[0], ids[0] + 3 * 40, 3))
    assert robot.counters.lost - before >= 2 * 38


def test_an_unknown_mode_is_other(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.row[S_robot_mode] = 255
    wait_until(lambda: robot.state.robot_mode is RobotMode.Other)


def test_twenty_short_datagrams_in_a_row_are_an_error_and_the_next_state_mends_it(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.mangle = lambda datagram: [datagram[:100]]
    wait_until(lambda: robot.link.loop.bad_run)
    with pytest.raises(NetworkError, match="incorrect object size"):
        read_on(robot)
    scripted.mangle = lambda datagram: [datagram]
    wait_until(lambda: not robot.link.loop.bad_run)
    robot.read_once()


def test_silence_is_an_error_that_names_the_port_and_passes(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    robot.read_once()
    scripted.sends = False
    port = robot.link.connection.local_address[1]
    with pytest.raises(NetworkError, match=f"UDP receive: Timeout.*{port}"):
        read_on(robot, 0.3)
    scripted.sends = True
    robot.read_once(timeout_s=5.0)


def test_ids_that_do_not_rise_are_silence(scripted: ScriptedRobot, robot: Robot) -> None:
    scripted.step = 0
    with pytest.raises(NetworkError, match="UDP receive: Timeout"):
        read_on(robot, 0.3)


def test_a_robot_that_never_sends_a_state_points_at_the_firewall() -> None:
    with ScriptedRobot(fresh_address()) as scripted:
        scripted.sends = False
        with pytest.raises(NetworkError, match=r"UDP port \d+ .*firewall") as caught:
            Robot(scripted.address)
        assert caught.value.udp_port > 0


def test_a_closed_connection_is_an_error_although_states_still_come(
    scripted: ScriptedRobot, robot: Robot
) -> None:
    scripted.drop_client(keep_streaming=True)
    with pytest.raises(NetworkError, match="server closed connection"):
        read_on(robot, 5.0)
    assert not robot.is_connected


def test_every_waiting_thread_gets_a_state(scripted: ScriptedRobot, robot: Robot) -> None:
    got: list[int] = []

    def read() -> None:
        stream = robot.states(timeout_s=SOON_S)
        got.extend(int(stream.read_rows(1)[0, S_time]) for _ in range(20))

    threads = [threading.Thread(target=read) for _ in range(24)]  # more than there are places
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON_S)
    assert len(got) == 24 * 20


def test_waiting_ends_with_ctrl_c(scripted: ScriptedRobot, robot: Robot) -> None:
    robot.read_once()
    scripted.sends = False
    timer = threading.Timer(0.3, _thread.interrupt_main)

    def read_interrupted() -> None:
        timer.start()
        read_on(robot, 60.0)

    with pytest.raises(KeyboardInterrupt):
        read_interrupted()
    timer.join()


def test_a_closed_robot_refuses_reads_and_ends_those_that_wait(
    scripted: ScriptedRobot,
) -> None:
    robot = Robot(scripted.address)
    scripted.sends = False
    threading.Timer(0.2, robot.close).start()
    with pytest.raises(InvalidOperationError, match="closed"):
        read_on(robot, 30.0)
    with pytest.raises(InvalidOperationError, match="closed"):
        next(robot.states())
    robot.close()


def test_a_closed_robot_that_is_kept_holds_few_descriptors() -> None:
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    kept = []
    for _ in range(5):
        with ScriptedRobot(fresh_address()) as scripted, Robot(scripted.address) as robot:
            robot.read_once()
        kept.append(robot)
    assert len(os.listdir("/proc/self/fd")) - before <= 4 * len(kept)
