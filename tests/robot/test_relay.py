"""The relay between a client and a robot: what it hands on, harms and measures."""

import contextlib
import itertools
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from robot_addresses import fresh_address
from sim_client import HEADER, SimClient, readable
from waiting_for import SOON_S, wait_until

from kinegraph.robot.errors import InvalidArgumentError, NetworkError
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.testing import (
    Burst,
    DatagramFaults,
    Faults,
    Freeze,
    Relay,
    RelayRecord,
    TcpEntry,
    motion_times,
    relay_cost,
    relay_figures,
)
from kinegraph.robot.testing.pipeline import COUNTED, DatagramPipeline
from kinegraph.robot.testing.record import TcpScanner
from kinegraph.robot.wire import state_layout as layout

# --- the pipeline ---------------------------------------------------------------------------------


def sent_by(
    faults: DatagramFaults, count: int = 1000, seed: int = 1
) -> tuple[list[bytes], Counter[str]]:
    """What a pipeline lets out of numbered datagrams that come one a millisecond."""
    out: list[bytes] = []
    counters: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
    pipeline = DatagramPipeline(faults, seed, lambda data, row: out.append(data), counters)
    for number in range(count):
        now = 1e-3 * number
        pipeline.release(now)
        pipeline.push(now, now, struct.pack("<QQ", number, ~number & 2**64 - 1), number)
    while pipeline.next_due < float("inf"):
        pipeline.release(pipeline.next_due)
    return out, counters


def numbers(out: list[bytes]) -> list[int]:
    return [struct.unpack_from("<Q", data)[0] for data in out if len(data) >= 8]


def test_without_faults_everything_passes_in_order() -> None:
    out, counters = sent_by(DatagramFaults())
    assert numbers(out) == list(range(1000))
    assert counters["received"] == 1000
    assert sum(counters.values()) == 1000


def test_the_same_seed_does_the_same() -> None:
    faults = DatagramFaults(drop=0.1, dup=0.1, reorder=0.1, trunc=0.1, garbage=0.1, jitter=0.003)
    assert sent_by(faults) == sent_by(faults)
    assert sent_by(faults) != sent_by(faults, seed=2)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
def test_drops_come_at_their_rate(rate: float) -> None:
    out, counters = sent_by(DatagramFaults(drop=rate), 20_000)
    assert counters["dropped"] == 20_000 - len(out)
    assert counters["dropped"] / 20_000 == pytest.approx(rate, rel=0.15)
    assert numbers(out) == sorted(numbers(out))


def test_a_duplicate_comes_twice() -> None:
    out, counters = sent_by(DatagramFaults(dup=0.2))
    assert len(out) == 1000 + counters["duplicated"]
    assert set(Counter(numbers(out)).values()) == {1, 2}


def test_reordering_changes_places_with_the_next() -> None:
    out, counters = sent_by(DatagramFaults(reorder=0.2))
    found = numbers(out)
    assert sorted(found) == list(range(1000))
    assert max(abs(place - number) for place, number in enumerate(found)) == 1
    assert counters["reordered"] > 100


def test_the_last_one_held_goes_on_alone() -> None:
    out, counters = sent_by(DatagramFaults(reorder=1.0), 1)
    assert numbers(out) == [0]
    assert counters["reordered"] == 0


def test_truncation_leaves_a_beginning() -> None:
    out, counters = sent_by(DatagramFaults(trunc=0.2))
    short = [data for data in out if len(data) < 16]
    assert len(short) == counters["truncated"] > 100
    assert min(map(len, short)) == 0


def test_garbage_is_added() -> None:
    out, counters = sent_by(DatagramFaults(garbage=0.2))
    assert len(out) == 1000 + counters["garbage"]
    assert counters["garbage"] > 100
    assert max(map(len, out)) > 1000


def test_delay_and_jitter_make_late_and_may_overtake() -> None:
    out, counters = sent_by(DatagramFaults(delay=0.002, jitter=0.003))
    assert sorted(numbers(out)) == list(range(1000))
    assert numbers(out) != list(range(1000))
    assert counters["delayed"] == 1000


def test_only_some_may_be_late() -> None:
    out, counters = sent_by(DatagramFaults(delay=0.0025, late=0.2))
    assert sorted(numbers(out)) == list(range(1000))
    assert 150 < counters["delayed"] < 250


def test_faults_begin_when_they_are_told_to() -> None:
    _, counters = sent_by(DatagramFaults(drop=1.0, after=0.5))
    assert counters["dropped"] == 500
    _, counters = sent_by(DatagramFaults(drop=1.0, dup=1.0, after={"drop": 0.9}))
    assert (counters["dropped"], counters["duplicated"]) == (100, 900)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (DatagramFaults, {"drop": 1.5}),
        (DatagramFaults, {"dup": float("nan")}),
        (DatagramFaults, {"delay": -1.0}),
        (DatagramFaults, {"delay": float("inf")}),
        (DatagramFaults, {"after": {"dorp": 1.0}}),
        (DatagramFaults, {"trunc": True}),
        (Burst, {"at": 0.0, "count": 0, "direction": "states"}),
        (Burst, {"at": 0.0, "count": 1, "direction": "up"}),
        (Freeze, {"at": float("nan"), "duration": 1.0}),
        (Faults, {"tcp_rst": -1.0}),
        (Relay, {"device": "leg"}),
        (Relay, {"port": -1}),
        (Relay, {"server": ""}),
        (Relay, {"priority": 100}),
    ],
)
def test_what_is_no_fault_is_refused(kind: type, values: dict[str, object]) -> None:
    with pytest.raises(InvalidArgumentError):
        kind(**values)


# --- the scanner of TCP messages ------------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 3, 12, 13, 1000])
def test_messages_are_found_in_pieces_of_any_size(piece: int) -> None:
    messages = [
        (2, 5, b""),
        (1, 6, b"\1"),
        (11, 7, b"\0" + bytes(3000)),
        (2, 8, b""),
        (9, 9, b"\3"),
    ]
    data = b"".join(HEADER.pack(c, n, 12 + len(p)) + p for c, n, p in messages)
    scanner = TcpScanner(12, replies=True)
    found = [m for k in range(0, len(data), piece) for m in scanner.feed(data[k : k + piece])]
    assert found == [(c, n, 12 + len(p), p[0] if p else None) for c, n, p in messages]


def test_a_size_below_a_header_does_not_stop_the_scanner() -> None:
    scanner = TcpScanner(12, replies=False)
    data = HEADER.pack(3, 0, 0) + HEADER.pack(4, 1, 12)
    assert scanner.feed(data) == [(3, 0, 0, None), (4, 1, 12, None)]


# --- figures --------------------------------------------------------------------------------------


def record_of(
    states: list[tuple[float, int, float]], commands: list[tuple[float, int]], tcp: list[TcpEntry]
) -> RelayRecord:
    came = np.array(states)
    asked = np.array(commands)
    return RelayRecord(
        t_state=came[:, 0],
        state_id=came[:, 1].astype(np.uint64),
        t_forward=came[:, 2],
        state_session=np.zeros(len(came), np.int64),
        t_command=asked[:, 0],
        command_id=asked[:, 1].astype(np.uint64),
        t_command_forward=asked[:, 0],
        command_session=np.zeros(len(asked), np.int64),
        counters={"states": Counter(), "commands": Counter()},
        tcp=tuple(tcp),
    )


def test_figures_of_a_small_record() -> None:
    nan = float("nan")
    # State 3 is lost on the way, 5 comes late (after 6), 8 is missing at the robot already.
    went = {1: 1.0001, 2: 2.0001, 3: nan, 4: 4.0001, 5: 6.0002, 6: 6.0001, 7: 7.0001, 9: 9.0001}
    states = [(float(k), k, t) for k, t in went.items()]
    commands = [(1.0002, 1), (2.0002, 2), (2.0003, 2), (6.0003, 6), (6.0004, 4), (7.0002, 99)]
    commands += [(9.0002, 9)]
    tcp = [
        TcpEntry(0, "client", 0.9, 1, 5, 125),
        TcpEntry(0, "server", 1.5, 1, 5, 13, 1),
        TcpEntry(0, "server", 9.5, 1, 5, 13, 0),
        TcpEntry(0, "client", 9.9),
    ]
    record = record_of(states, commands, tcp)
    assert motion_times(record) == [(0, 0.9, 9.5)]
    figures = relay_figures(record)
    assert figures["states"]["missing_ids"] == 1
    assert figures["states"]["number"] == 8
    assert figures["motions"] == {
        "number": 1,
        "answered": 5,  # 1, 2, 4, 6, 9
        "unanswered": 2,  # 5, 7; nobody could answer 3
        "duplicates": 1,
        "stale": 1,
        "unknown": 1,
    }
    assert figures["response"]["count"] == 5
    assert figures["response"]["p50_us"] == pytest.approx(100.0, abs=0.2)
    json.dumps(figures)


def test_a_motion_that_no_reply_ends_ends_with_its_connection() -> None:
    began = TcpEntry(0, "server", 1.0, 1, 5, 13, 1)
    states, commands = [(0.0, 1, 0.0)], [(0.0, 1)]
    assert motion_times(record_of(states, commands, [began])) == [(0, 1.0, float("inf"))]
    tcp = [began, TcpEntry(0, "server", 3.0)]
    assert motion_times(record_of(states, commands, tcp)) == [(0, 1.0, 3.0)]


# --- the relay ------------------------------------------------------------------------------------


@contextlib.contextmanager
def relayed(
    faults: Faults | None = None, **options: object
) -> Iterator[tuple[SimulatedRobot, Relay]]:
    """A simulated robot whose clock is stepped by hand, behind a relay."""
    with (
        SimulatedRobot(fresh_address(), realtime=False) as robot,
        Relay(fresh_address(), robot.address[0], faults=faults) as relay,
    ):
        yield robot, relay


def forwarded(relay: Relay, commands: int) -> bool:
    return bool(relay.figures()["counters"]["commands"]["forwarded"] >= commands)


@pytest.mark.compiled
def test_a_motion_through_the_relay_is_seen_by_it() -> None:
    with relayed() as (robot, relay), SimClient(relay.address) as client:
        assert client.connect() == bytes([0, 10, 0])
        robot.step()
        client.state()
        move = client.move("JointPosition")
        robot.step()
        home = robot.q
        for cycle in range(30):
            state = client.state()
            client.command(
                state[layout.S_time], q_c=home, motion_generation_finished=float(cycle == 29)
            )
            wait_until(partial(forwarded, relay, cycle + 1))
            robot.step()
        assert client.ended(move) == "Success"
        assert robot.counters["lost"] == 0
        record, figures = relay.record(), relay.figures()
    assert (np.diff(record.state_id.astype(int)) == 1).all()
    assert np.isfinite(record.t_forward).all()
    assert figures["motions"]["answered"] == len(record.command_id) == 30
    assert figures["motions"]["unanswered"] == figures["motions"]["stale"] == 0
    assert [entry.command for entry in record.tcp][:3] == [0, 0, 1]


@pytest.mark.compiled
def test_clients_come_one_after_the_other() -> None:
    with relayed() as (robot, relay):
        for _ in range(5):
            with SimClient(relay.address) as client:
                client.connect()
                robot.step()
                client.state()
        wait_until(lambda: relay.figures()["tcp_closed_by"]["client"] == 5)
        assert relay.sessions == 5


@pytest.mark.compiled
def test_a_refused_version_passes() -> None:
    with relayed() as (_, relay), SimClient(relay.address) as client:
        assert client.connect(version=7) == bytes([1, 10, 0])


def test_an_address_that_is_taken_is_refused() -> None:
    with Relay(fresh_address()) as relay:
        with pytest.raises(NetworkError, match="cannot listen"):
            Relay(*relay.address[:1]).start()
        relay.stop()
        relay.stop()


def test_no_robot_closes_the_client() -> None:
    with Relay(fresh_address(), fresh_address()) as relay:
        with socket.create_connection(relay.address, timeout=SOON_S) as client:
            assert client.recv(1) == b""
        with socket.create_connection(relay.address, timeout=SOON_S) as client:
            assert client.recv(1) == b""


def test_the_hand_has_a_header_of_ten_bytes() -> None:
    listener = socket.create_server((fresh_address(), 0))
    host, port = listener.getsockname()
    header = struct.Struct("<HII")
    with (
        listener,
        Relay(fresh_address(), host, device="hand", port=0, server_port=port) as relay,
        socket.create_connection(relay.address, timeout=SOON_S) as client,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(SOON_S)
        client.sendall(header.pack(0, 0, 14) + struct.pack("<HH", 3, udp.getsockname()[1]))
        server, _ = listener.accept()
        with server:
            server.settimeout(SOON_S)
            request = server.recv(100)
            assert request[:12] == header.pack(0, 0, 14) + struct.pack("<H", 3)
            states_to = struct.unpack("<H", request[12:])[0]
            assert states_to != udp.getsockname()[1]
            server.sendall(header.pack(0, 0, 14) + struct.pack("<HH", 0, 3))
            assert len(client.recv(100)) == 14
            state = struct.pack("<I", 77) + bytes(19)
            udp2 = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            with udp2:
                udp2.sendto(state, (relay.address[0], states_to))
                assert udp.recv(100) == state
        assert client.recv(1) == b""
        record = relay.record()
    assert record.state_id.tolist() == [77]
    assert [(e.direction, e.command, e.status) for e in record.tcp] == [
        ("client", 0, None),
        ("server", 0, 0),
        ("server", None, None),
    ]


def quiet(client: SimClient) -> bool:
    """Whether no state comes for a while."""
    client.udp.settimeout(0.2)
    try:
        client.udp.recv(4096)
    except TimeoutError:
        return True
    return False


@pytest.mark.compiled
def test_losses_freezes_and_resets_on_request() -> None:
    with relayed() as (robot, relay), SimClient(relay.address) as client:
        client.connect()
        relay.lose(3, "states")
        robot.step(3)
        assert quiet(client)
        robot.step()
        assert client.state()[layout.S_time] == 4.0
        relay.freeze(2.0)
        robot.step()
        number = client.post("StopMove")
        assert quiet(client)
        assert client.reply(number) == b"\0"  # TCP waits, datagrams are lost
        robot.step()
        assert client.state()[layout.S_time] == 6.0
        relay.faults = Faults(states=DatagramFaults(drop=1.0))
        robot.step()
        assert quiet(client)
        relay.faults = Faults()
        relay.reset_tcp()
        with pytest.raises(ConnectionResetError):
            client.tcp.recv(1)
        robot.step()
        assert client.state()[layout.S_time] == 8.0  # datagrams go on
        counters = relay.figures()["counters"]["states"]
        assert (counters["burst"], counters["frozen"], counters["dropped"]) == (3, 1, 1)
        with SimClient(relay.address) as other:  # makes the relay close what is left of the first
            other.connect()


@pytest.mark.compiled
def test_planned_bursts_freezes_and_resets_count_from_the_first_command() -> None:
    faults = Faults(bursts=(Burst(0.0, 2, "states"), Burst(0.0, 1, "commands")), tcp_rst=0.0)
    with relayed(faults) as (robot, relay), SimClient(relay.address) as client:
        client.connect()
        robot.step()
        client.state()
        client.command(1.0)
        with pytest.raises(ConnectionResetError):
            client.tcp.recv(1)
        robot.step(3)
        assert client.state()[layout.S_time] == 4.0
        assert relay.figures()["counters"]["commands"]["burst"] in (0, 1)


@pytest.mark.compiled
def test_a_cut_ends_both_connections() -> None:
    with relayed() as (robot, relay), SimClient(relay.address) as client:
        client.connect()
        client.move("JointPosition")
        robot.step()
        relay.cut()
        with pytest.raises(ConnectionResetError):
            client.tcp.recv(1)
        wait_until(lambda: robot.step() or not robot.has_client)  # type: ignore[func-returns-value]


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.compiled
def test_two_hundred_sessions_leave_no_sockets_behind() -> None:
    with relayed() as (robot, relay):
        counts = []
        for _ in range(200):
            with SimClient(relay.address) as client:
                client.connect()
            counts.append(open_files())
        wait_until(lambda: open_files() <= min(counts[:6]) + 8)
        del robot


def test_the_cost_of_the_relay_is_measured_by_an_echo() -> None:
    cost = relay_cost(fresh_address(), fresh_address(), seconds=0.2)
    assert cost["count"] > 10
    assert 0.0 < cost["p50_us"] <= cost["max_us"]
    with pytest.raises(InvalidArgumentError):
        relay_cost(seconds=0.0)
    with pytest.raises(NetworkError, match="cannot listen"):
        relay_cost(fresh_address(), "192.0.2.1", seconds=0.2)


# --- the command ----------------------------------------------------------------------------------


@pytest.mark.compiled
def test_the_command_prints_figures_at_its_end(tmp_path: object) -> None:
    with SimulatedRobot(fresh_address(), realtime=False) as robot:
        address = fresh_address()
        arrays = f"{tmp_path}/relay.npz"
        words = [sys.executable, "-m", "kinegraph.cli.main", "relay", "--listen", address]
        words += ["--server", robot.address[0], "--states-drop", "0.5", "--seed", "3"]
        words += [
            "--burst",
            "0.1,3,commands",
            "--freeze",
            "5,0.1",
            "--echo",
            "0.1",
            "--arrays",
            arrays,
        ]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            assert process.stdout is not None
            assert address.encode() in process.stderr.readline()
            with SimClient((address, 1337)) as client:
                client.connect()
                for _ in itertools.repeat(None, 40):
                    robot.step()
                # The relay has had all once it has handed on the last.
                while client.state()[layout.S_time] < robot.state[layout.S_time]:
                    if not readable(client.udp, 0.2):
                        robot.step()
                sent = robot.counters["states_sent"]
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=SOON_S)
        assert process.returncode == 0
    assert json.loads(out)["echo"]["count"] > 0
    figures = json.loads(out)["arm"]
    assert figures["states"]["number"] == figures["counters"]["states"]["received"] == sent >= 40
    assert 0.1 < figures["counters"]["states"]["dropped"] / sent < 0.9
    with np.load(arrays) as file:
        assert file["arm_t_state"].shape == (sent,)


@pytest.mark.parametrize("words", [["--drop", "2"], ["--listen", "256.1.1.1"]])
def test_the_command_refuses_nonsense(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from kinegraph.cli.main import main

    assert main(["relay", "--duration", "0", *words]) == 1
    assert "kinegraph relay:" in capsys.readouterr().err
