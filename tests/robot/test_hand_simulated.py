"""The simulated hand: how its fingers move and what it answers, under the client."""

import base64
import contextlib
import json
import math
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_addresses import fresh_address
from scripted_hand import HEADER
from shared_cases import GOLDEN
from waiting_for import wait_until

from kinegraph.robot import (
    CommandError,
    Gripper,
    GripperState,
    InvalidArgumentError,
    InvalidOperationError,
    NetworkError,
    SimulatedHand,
)
from kinegraph.robot.hand.action import HandAction
from kinegraph.robot.hand.fingers import Fingers

pytestmark = pytest.mark.compiled

SESSION = GOLDEN / "fci" / "gripper_pylibfranka_frankasim.jsonl"
NEAR = 1e-9


@pytest.fixture
def hand() -> Iterator[SimulatedHand]:
    with SimulatedHand(fresh_address(), realtime=False) as hand:
        yield hand


@pytest.fixture
def gripper(hand: SimulatedHand) -> Iterator[Gripper]:
    with Gripper(hand.address[0]) as gripper:
        yield gripper


def begun(hand: SimulatedHand, action: HandAction) -> HandAction:
    """Wait until the hand has taken the action."""
    wait_until(lambda: hand.is_moving or action.done)
    return action


def ended(hand: SimulatedHand, action: HandAction) -> bool:
    """Step the hand until the action has ended."""
    begun(hand, action)
    for _ in range(100):
        hand.step(100)
        if not hand.is_moving:
            break
    return action.wait(10.0)


# --- moves --------------------------------------------------------------------------------------


def test_a_move_goes_at_its_speed_and_shows_in_the_states(
    hand: SimulatedHand, gripper: Gripper
) -> None:
    stream = gripper.states()
    action = begun(hand, gripper.start_move(0.03, 0.05))
    hand.step(1000)
    assert action.wait(10.0) is True
    widths = np.array([next(stream).width for _ in range(100)])
    expected = np.maximum(0.08 - 0.05 * 0.01 * np.arange(1, 101), 0.03)
    np.testing.assert_allclose(widths, expected, atol=1e-12)
    assert gripper.state == GripperState(0.03, 0.08, False, 30, 1000)


def test_the_speed_is_limited(hand: SimulatedHand, gripper: Gripper) -> None:
    begun(hand, gripper.start_move(0.0, 5.0))
    hand.step(100)
    assert math.isclose(hand.state.width, 0.07)


def test_a_move_to_where_the_fingers_are_ends_at_once(
    hand: SimulatedHand, gripper: Gripper
) -> None:
    assert ended(hand, gripper.start_move(0.08, 0.1))


def test_an_object_in_the_way_of_a_move_leaves_it_unsuccessful(
    hand: SimulatedHand, gripper: Gripper
) -> None:
    hand.object_width = 0.04
    assert ended(hand, gripper.start_move(0.02, 0.1)) is False
    assert (hand.state.width, hand.state.is_grasped) == (0.04, False)
    assert ended(hand, gripper.start_move(0.06, 0.1)) is True


REFUSED: list[Callable[[Gripper], bool]] = [
    lambda gripper: gripper.move(0.081, 0.1),
    lambda gripper: gripper.move(-0.001, 0.1),
    lambda gripper: gripper.move(0.05, 0.0),
    lambda gripper: gripper.move(0.05, -0.1),
    lambda gripper: gripper.grasp(0.09, 0.1, 10.0),
    lambda gripper: gripper.grasp(0.05, 0.0, 10.0),
    lambda gripper: gripper.grasp(0.05, 0.1, 0.0),
    lambda gripper: gripper.grasp(0.05, 0.1, -5.0),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_no_hand_can_do_fails_and_nothing_moves(
    hand: SimulatedHand, gripper: Gripper, call: Callable[[Gripper], bool]
) -> None:
    with pytest.raises(CommandError, match="libfranka gripper: Command failed!"):
        call(gripper)
    hand.step(100)
    assert hand.state.width == 0.08


def test_homing_closes_and_opens(hand: SimulatedHand, gripper: Gripper) -> None:
    stream = gripper.states()
    action = begun(hand, gripper.start_homing())
    hand.step(2000)
    assert action.wait(10.0)
    widths = [next(stream).width for _ in range(200)]
    assert min(widths) < NEAR
    assert widths[-1] == 0.08


# --- grasps -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("width", "inner", "outer", "held"),
    [
        (0.04, 0.005, 0.005, True),
        (0.044, 0.005, 0.005, True),
        (0.036, 0.005, 0.005, True),
        (0.046, 0.005, 0.005, False),  # narrower than the band
        (0.034, 0.005, 0.005, False),  # wider than the band
        (0.046, 0.007, 0.0, True),
        (0.034, 0.0, 0.007, True),
        (0.0, 0.08, 0.08, True),
    ],
)
def test_a_grasp_holds_an_object_within_its_band(
    hand: SimulatedHand, gripper: Gripper, width: float, inner: float, outer: float, held: bool
) -> None:
    hand.object_width = 0.04
    assert ended(hand, gripper.start_grasp(width, 0.1, 20.0, inner, outer)) is held
    assert (hand.state.width, hand.state.is_grasped) == (0.04, held)
    hand.step(500)
    assert hand.state.is_grasped is held


def test_without_an_object_the_fingers_close_and_nothing_is_held(
    hand: SimulatedHand, gripper: Gripper
) -> None:
    assert ended(hand, gripper.start_grasp(0.04, 0.1, 20.0)) is False
    assert (hand.state.width, hand.state.is_grasped) == (0.0, False)


def test_an_object_that_is_taken_away_is_no_longer_held(
    hand: SimulatedHand, gripper: Gripper
) -> None:
    hand.object_width = 0.04
    assert ended(hand, gripper.start_grasp(0.04, 0.1, 20.0))
    hand.object_width = None
    hand.step(1000)
    assert (hand.state.width, hand.state.is_grasped) == (0.0, False)
    with pytest.raises(InvalidArgumentError, match="does not fit"):
        hand.object_width = 0.04


def test_opening_lets_go(hand: SimulatedHand, gripper: Gripper) -> None:
    hand.object_width = 0.04
    assert ended(hand, gripper.start_grasp(0.04, 0.1, 20.0))
    action = begun(hand, gripper.start_move(0.07, 0.1))
    assert not hand.state.is_grasped
    hand.step(1000)
    assert action.wait(10.0)
    assert hand.state.width == 0.07


# --- stopping, and a newer action ---------------------------------------------------------------


def test_stop_from_another_thread_aborts_the_action(hand: SimulatedHand, gripper: Gripper) -> None:
    errors: list[CommandError] = []

    def move() -> None:
        try:
            gripper.move(0.0, 0.01)
        except CommandError as error:
            errors.append(error)

    thread = threading.Thread(target=move)
    thread.start()
    wait_until(lambda: hand.is_moving)
    hand.step(1000)
    assert gripper.stop() is True
    thread.join(10.0)
    assert [str(error) for error in errors] == ["libfranka gripper: Command aborted!"]
    hand.step(1000)
    assert math.isclose(hand.state.width, 0.07)
    assert gripper.stop() is True  # also when nothing goes on


def test_a_newer_action_aborts_the_one_that_goes_on(hand: SimulatedHand, gripper: Gripper) -> None:
    first = begun(hand, gripper.start_move(0.0, 0.01))
    hand.step(1000)
    second = gripper.start_move(0.08, 0.01)
    with pytest.raises(CommandError, match="aborted"):
        first.wait(10.0)
    hand.step(2000)
    assert second.wait(10.0)


def test_the_hand_stops_when_its_client_has_gone(hand: SimulatedHand) -> None:
    gripper = Gripper(hand.address[0])
    begun(hand, gripper.start_move(0.0, 0.01))
    gripper.close()
    wait_until(lambda: not hand.is_moving)
    assert hand.client_count == 0


def test_several_clients_see_the_same_states(hand: SimulatedHand, gripper: Gripper) -> None:
    with Gripper(hand.address[0]) as other:
        assert hand.client_count == 2
        streams = gripper.states(20.0), other.states(20.0)
        hand.step(10)
        assert next(streams[0]) == next(streams[1])


# --- the server ---------------------------------------------------------------------------------


class Raw:
    """A client of bytes."""

    def __init__(self, hand: SimulatedHand) -> None:
        self.tcp = socket.create_connection(hand.address)
        self.tcp.settimeout(10.0)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((hand.address[0], 0))
        self.udp.settimeout(10.0)

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *_: object) -> None:
        self.tcp.close()
        self.udp.close()

    def ask(self, command: int, number: int, payload: bytes = b"") -> bytes:
        """The whole reply to a request."""
        self.tcp.sendall(HEADER.pack(command, number, HEADER.size + len(payload)) + payload)
        return self.receive()

    def receive(self) -> bytes:
        """One message."""
        header = self.tcp.recv(HEADER.size, socket.MSG_WAITALL)
        if len(header) < HEADER.size:
            raise EOFError
        size = HEADER.unpack(header)[2] - HEADER.size
        return header + self.tcp.recv(size, socket.MSG_WAITALL)

    def connect(self, version: int = 3) -> bytes:
        """The reply to Connect."""
        return self.ask(0, 0, struct.pack("<HH", version, self.udp.getsockname()[1]))


def test_the_recorded_clients_bytes_get_the_recorded_replies() -> None:
    records = [json.loads(line) for line in SESSION.read_text(encoding="utf-8").splitlines()]
    messages = [record for record in records if record["kind"] == "message"]
    with (
        SimulatedHand(fresh_address(), object_width=0.04, realtime=False) as hand,
        Raw(hand) as client,
    ):
        for record in messages:
            data = base64.b64decode(record["b64"])
            if record["name"] == "Connect.Request":
                data = data[:-2] + struct.pack("<H", client.udp.getsockname()[1])
            if record["direction"] == "client_to_server":
                client.tcp.sendall(data)
                if record["name"] in ("Homing.Request", "Move.Request", "Grasp.Request"):
                    wait_until(lambda: hand.is_moving)
            elif record["channel"] == "tcp":
                hand.step(3000)
                assert client.receive() == data, record["name"]
            elif record["message_id"] <= 5:  # franka-sim opens when it is told to stop
                expected = GripperState.from_wire(data)
                shown = hand.state
                assert abs(shown.width - expected.width) < NEAR
                assert shown.is_grasped == expected.is_grasped
                assert (shown.max_width, shown.temperature) == (0.08, 30)


def test_another_version_is_refused_with_ours_and_gets_no_states(hand: SimulatedHand) -> None:
    with Raw(hand) as client:
        assert client.connect(version=2) == HEADER.pack(0, 0, 14) + b"\1\0\3\0"
        hand.step(50)
        client.udp.settimeout(0.05)
        with pytest.raises(TimeoutError):
            client.udp.recv(100)
        assert client.connect() == HEADER.pack(0, 0, 14) + b"\0\0\3\0"  # and may try again


def test_unknown_commands_and_wrong_lengths_are_answered_and_survived(hand: SimulatedHand) -> None:
    with Raw(hand) as client:
        client.connect()
        fail = b"\1\0"
        for command, payload in ((9, b""), (999, b"x" * 100), (3, b"\0" * 15), (2, b""), (1, b"x")):
            assert client.ask(command, 7, payload) == HEADER.pack(command, 7, 12) + fail
        assert client.ask(4, 8) == HEADER.pack(4, 8, 12) + b"\0\0"
    assert hand.malformed == 5


@pytest.mark.parametrize(
    "data",
    [
        HEADER.pack(1, 0, 10),  # before Connect
        HEADER.pack(0, 0, 9),
        HEADER.pack(0, 0, 0),
        HEADER.pack(0, 0, 2**32 - 1),
        HEADER.pack(0, 0, 1 << 20) + b"x" * 8192,
        HEADER.pack(0, 0, 12) + b"\3\0",
        b"\xff" * 100,
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_garbage_ends_its_connection_alone(
    hand: SimulatedHand, gripper: Gripper, data: bytes
) -> None:
    with Raw(hand) as client:
        client.tcp.sendall(data)
        with contextlib.suppress(ConnectionResetError):
            assert client.tcp.recv(100) == b""
    assert gripper.stop()


def test_a_second_connect_ends_the_connection(hand: SimulatedHand) -> None:
    with Raw(hand) as client:
        client.connect()
        with pytest.raises((EOFError, ConnectionResetError)):
            client.connect()


def test_a_fuzz_of_messages_leaves_the_hand_serving(hand: SimulatedHand) -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        with Raw(hand) as client:
            if rng.random() < 0.5:
                client.connect()
            try:
                for _ in range(int(rng.integers(1, 6))):
                    body = rng.bytes(int(rng.integers(0, 60)))
                    size = int(rng.choice([len(body) + 10, int(rng.integers(0, 100))]))
                    client.tcp.sendall(HEADER.pack(int(rng.integers(0, 7)), 1, size) + body)
            except OSError:
                continue
    hand.step(3000)
    with Gripper(hand.address[0]) as gripper:
        assert ended(hand, gripper.start_move(0.05, 0.1))


def test_one_who_says_nothing_is_dropped_and_many_are_refused(hand: SimulatedHand) -> None:
    many = [socket.create_connection(hand.address) for _ in range(20)]
    for connection in many:
        connection.settimeout(30.0)
        assert connection.recv(1) == b""
        connection.close()


def test_it_starts_again_and_refuses_to_start_twice() -> None:
    hand = SimulatedHand(fresh_address(), realtime=False)
    with pytest.raises(InvalidOperationError, match="call start"):
        hand.step()
    for _ in range(2):
        with hand:
            with pytest.raises(InvalidOperationError, match="runs already"):
                hand.start()
            with Gripper(hand.address[0]) as gripper:
                assert gripper.stop()
    with SimulatedHand(hand.address[0]), pytest.raises(NetworkError, match="cannot listen"):
        SimulatedHand(hand.address[0]).start()


def test_in_real_time_the_clock_runs_by_itself() -> None:
    with SimulatedHand(fresh_address(), object_width=0.03) as hand:
        with pytest.raises(InvalidOperationError, match="runs by itself"):
            hand.step()
        with Gripper(hand.address[0]) as gripper:
            assert gripper.move(0.05, 0.1)
            assert gripper.grasp(0.03, 0.1, 10.0)
            assert gripper.read_once().is_grasped
            times = [state.time for state, _ in zip(gripper.states(), range(20), strict=False)]
        assert (np.diff(times) == 10).all()


BAD: list[dict[str, Any]] = [
    {"host": ""}, {"port": -1}, {"port": 65536}, {"max_width": 0.0}, {"max_width": math.nan},
    {"max_width": math.inf}, {"width": 0.09}, {"width": -0.01}, {"width": math.nan},
    {"object_width": 0.0}, {"object_width": 0.09}, {"object_width": math.nan}, {"temperature": -1},
    {"temperature": 70000}, {"period_s": 0.0}, {"period_s": 2.0}, {"period_s": math.nan},
]  # fmt: skip


@pytest.mark.parametrize("arguments", BAD, ids=str)
def test_values_that_make_no_hand_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        SimulatedHand(**arguments)


# --- the fingers alone --------------------------------------------------------------------------

widths = st.floats(0.0, 0.08)
steps = st.floats(0.0, 0.2)


@given(start=widths, target=widths, speed=st.floats(1e-3, 1.0), times=st.lists(steps, max_size=40))
@settings(max_examples=200)
def test_fingers_never_leave_their_range_nor_outrun_their_speed(
    start: float, target: float, speed: float, times: list[float]
) -> None:
    fingers = Fingers(0.08, start)
    assert fingers.move(target, speed)
    for seconds in times:
        before = fingers.width
        fingers.advance(seconds)
        assert 0.0 <= fingers.width <= 0.08
        assert abs(fingers.width - before) <= min(speed, 0.1) * seconds + 1e-8
        assert min(before, target) - NEAR <= fingers.width <= max(before, target) + NEAR


@given(
    thing=st.floats(1e-3, 0.08),
    width=widths,
    inner=st.floats(0.0, 0.02),
    outer=st.floats(0.0, 0.02),
)
@settings(max_examples=200)
def test_grasped_is_what_libfranka_documents(
    thing: float, width: float, inner: float, outer: float
) -> None:
    fingers = Fingers()
    fingers.put_object(thing)
    assert fingers.grasp(width, inner, outer, 0.1, 10.0)
    outcomes = [fingers.advance(0.1) for _ in range(12)]
    assert fingers.width == thing
    held = width - inner < thing < width + outer
    assert fingers.is_grasped is held
    assert [o for o in outcomes if o] == ["Success" if held else "Unsuccessful"]
