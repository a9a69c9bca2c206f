"""The client of a hand: a recorded session, every answer, states that are none, how it ends."""

import base64
import contextlib
import gc
import json
import math
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from printed_names import shown
from robot_addresses import fresh_address
from scripted_hand import ABORTED, FAIL, HEADER, SUCCESS, UNSUCCESSFUL, ScriptedHand, status
from shared_cases import GOLDEN
from waiting_for import wait_until

from kinegraph.robot import (
    CommandError,
    FrankaError,
    Gripper,
    GripperState,
    IncompatibleVersionError,
    InvalidArgumentError,
    InvalidOperationError,
    NetworkError,
    ProtocolError,
)
from kinegraph.robot.hand.receiver import StateReceiver

pytestmark = pytest.mark.compiled

SESSION = GOLDEN / "fci" / "gripper_pylibfranka_frankasim.jsonl"
RECORDS = [json.loads(line) for line in SESSION.read_text(encoding="utf-8").splitlines()]
STATE = GripperState(0.05, 0.08, True, 31, 7)


def recorded(direction: str, channel: str) -> list[bytes]:
    """Messages of the session in order."""
    return [
        base64.b64decode(record["b64"])
        for record in RECORDS
        if record["kind"] == "message"
        and (record["direction"], record["channel"]) == (direction, channel)
    ]


@pytest.fixture
def hand() -> Iterator[ScriptedHand]:
    with ScriptedHand(fresh_address()) as hand:
        yield hand


@pytest.fixture
def gripper(hand: ScriptedHand) -> Iterator[Gripper]:
    with Gripper(hand.address) as gripper:
        yield gripper


def next_state(hand: ScriptedHand, gripper: Gripper, datagram: bytes) -> GripperState:
    """The state that a datagram becomes."""
    stream = gripper.states(20.0)
    hand.send_state(datagram)
    return next(stream)


# --- the recorded session -----------------------------------------------------------------------


def test_a_recorded_session_gives_the_same_bytes_and_outcomes(hand: ScriptedHand) -> None:
    replies, datagrams = recorded("server_to_client", "tcp"), recorded("server_to_client", "udp")
    for name, reply in zip(("Connect", "Homing", "Move", "Grasp", "Grasp", "Stop"), replies,
                           strict=True):  # fmt: skip
        hand.replies[name].append(reply[HEADER.size :])
    shown: list[GripperState] = []
    with Gripper(hand.address) as gripper:
        calls: list[Callable[[], bool]] = [
            gripper.homing,
            lambda: gripper.move(0.06, 0.2),
            lambda: gripper.grasp(0.04, 0.1, 20.0, 0.006, 0.007),
            lambda: gripper.grasp(0.01, 0.1, 20.0, 0.005, 0.005),
            gripper.stop,
        ]
        results = []
        for datagram, call in zip(datagrams, [*calls, None], strict=True):
            shown.append(next_state(hand, gripper, datagram))
            if call is not None:
                results.append(call())
    values = [r["value"] for r in RECORDS if r["kind"] == "client_result" and "value" in r]
    assert results == values == [True, True, True, False, True]
    decoded = [record["state"] for record in RECORDS if record["kind"] == "decoded"]
    names = ("width", "max_width", "is_grasped", "temperature", "time")
    assert [{name: getattr(state, name) for name in names} for state in shown] == decoded
    expected = recorded("client_to_server", "tcp")
    assert hand.requests[1:] == expected[1:]
    assert hand.requests[0][:12] == expected[0][:12]  # the last two bytes are a free UDP port


def test_every_recorded_state_encodes_to_the_same_bytes() -> None:
    for datagram in recorded("server_to_client", "udp"):
        assert GripperState.from_wire(datagram).to_wire() == datagram


# --- answers ------------------------------------------------------------------------------------

ACTIONS: dict[str, Callable[[Gripper], bool]] = {
    "Homing": lambda gripper: gripper.homing(),
    "Move": lambda gripper: gripper.move(0.05, 0.1),
    "Grasp": lambda gripper: gripper.grasp(0.05, 0.1, 10.0),
    "Stop": lambda gripper: gripper.stop(),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_success_and_unsuccessful_are_true_and_false(
    hand: ScriptedHand, gripper: Gripper, name: str
) -> None:
    hand.replies[name] = [status(SUCCESS), status(UNSUCCESSFUL), status(SUCCESS, b"\0" * 6)]
    assert [ACTIONS[name](gripper) for _ in range(3)] == [True, False, True]


@pytest.mark.parametrize("name", ACTIONS)
@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (FAIL, CommandError, "libfranka gripper: Command failed!"),
        (ABORTED, CommandError, "libfranka gripper: Command aborted!"),
        (4, ProtocolError, "libfranka gripper: Unexpected response while handling command!"),
        (256, ProtocolError, "libfranka gripper: Unexpected response while handling command!"),
    ],
)
def test_other_answers_are_libfrankas_errors(
    hand: ScriptedHand, gripper: Gripper, name: str, number: int, kind: type[FrankaError], text: str
) -> None:
    hand.replies[name] = [status(number)]
    with pytest.raises(kind) as caught:
        ACTIONS[name](gripper)
    assert str(caught.value) == text
    assert caught.value.command == name
    assert ACTIONS[name](gripper)  # the connection goes on


@pytest.mark.parametrize("name", ACTIONS)
def test_a_reply_that_is_too_short_is_a_protocol_error(
    hand: ScriptedHand, gripper: Gripper, name: str
) -> None:
    hand.replies[name] = [b"\0"]
    with pytest.raises(ProtocolError, match="Incorrect TCP message size"):
        ACTIONS[name](gripper)


def test_the_order_of_a_grasps_numbers(hand: ScriptedHand, gripper: Gripper) -> None:
    gripper.grasp(0.05, 0.1, 10.0, 0.01, 0.02)
    gripper.grasp(0.05, 0.1, 10.0)
    import struct

    sent = [struct.unpack("<5d", request[HEADER.size :]) for request in hand.requests[1:]]
    assert sent == [(0.05, 0.01, 0.02, 0.1, 10.0), (0.05, 0.005, 0.005, 0.1, 10.0)]


BAD = [math.nan, math.inf, "wide", None, True, [0.1]]


@pytest.mark.parametrize("bad", BAD, ids=shown)
def test_what_is_no_finite_number_is_not_sent(
    hand: ScriptedHand, gripper: Gripper, bad: Any
) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: gripper.move(bad, 0.1),
        lambda: gripper.move(0.1, bad),
        lambda: gripper.grasp(bad, 0.1, 10.0),
        lambda: gripper.grasp(0.1, bad, 10.0),
        lambda: gripper.grasp(0.1, 0.1, bad),
        lambda: gripper.grasp(0.1, 0.1, 10.0, bad),
        lambda: gripper.grasp(0.1, 0.1, 10.0, 0.1, bad),
    ]
    for call in calls:
        with pytest.raises(InvalidArgumentError):
            call()
    assert len(hand.requests) == 1


def test_an_action_that_is_not_answered_ends_in_time(hand: ScriptedHand) -> None:
    hand.unanswered = {"Move", "Stop"}
    with Gripper(hand.address, timeout_s=1.0) as gripper:
        with pytest.raises(NetworkError, match=r"no reply to Move within 1 s"):
            gripper.move(0.05, 0.1)
        with pytest.raises(NetworkError, match=r"no reply to Stop within 1 s"):
            gripper.stop()


# --- handles ------------------------------------------------------------------------------------


def test_an_action_can_be_polled_and_waited_for_by_many(
    hand: ScriptedHand, gripper: Gripper
) -> None:
    hand.unanswered = {"Move"}
    action = gripper.start_move(0.05, 0.1)
    hand.await_request("Move")
    assert (action.command, action.done) == ("Move", False)
    with pytest.raises(NetworkError, match=r"within 0\.01 s"):
        action.wait(0.01)
    results: list[bool] = []
    threads = [threading.Thread(target=lambda: results.append(action.wait())) for _ in range(4)]
    for thread in threads:
        thread.start()
    hand.send_raw(HEADER.pack(3, 1, 12) + status(UNSUCCESSFUL))
    for thread in threads:
        thread.join(10.0)
    assert results == [False] * 4
    assert action.done
    assert action.wait() is False
    assert repr(action) == "HandAction(Move, done)"


def test_an_actions_error_is_raised_by_each_wait(hand: ScriptedHand, gripper: Gripper) -> None:
    hand.replies["Homing"] = [status(ABORTED)]
    action = gripper.start_homing()
    wait_until(lambda: action.done)
    for _ in range(2):
        with pytest.raises(CommandError, match="aborted") as caught:
            action.wait()
        assert caught.value.status == "Aborted"


def test_two_actions_at_a_time_get_their_own_replies(hand: ScriptedHand, gripper: Gripper) -> None:
    hand.unanswered = {"Move", "Grasp"}
    move, grasp = gripper.start_move(0.05, 0.1), gripper.start_grasp(0.05, 0.1, 5.0)
    hand.await_request("Grasp")
    hand.send_raw(HEADER.pack(2, 2, 12) + status(SUCCESS) + HEADER.pack(3, 1, 12) + status(ABORTED))
    assert grasp.wait(10.0)
    with pytest.raises(CommandError, match="aborted"):
        move.wait(10.0)


# --- states -------------------------------------------------------------------------------------


def numbered(time_ms: int, width: float = 0.05) -> bytes:
    return GripperState(width, 0.08, False, 30, time_ms).to_wire()


def test_state_is_the_newest_one_and_reading_waits_for_the_next(
    hand: ScriptedHand, gripper: Gripper
) -> None:
    for number in range(1, 6):
        hand.send_state(numbered(number))
    wait_until(lambda: gripper.state.time == 5)
    with pytest.raises(NetworkError, match="Timeout"):
        gripper.read_once(0.01)
    found: list[GripperState] = []
    thread = threading.Thread(target=lambda: found.append(gripper.read_once(20.0)))
    thread.start()
    number = 5
    while thread.is_alive():
        number += 1
        hand.send_state(numbered(number))
        thread.join(0.01)
    assert 5 < found[0].time <= number


def test_reading_does_not_depend_on_when_the_receiving_thread_gets_its_turn(
    hand: ScriptedHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, take = threading.Event(), StateReceiver.take

    def receive_late(states: StateReceiver[GripperState]) -> None:
        turn.wait()
        states._drain()

    def take_while_another_comes(
        states: StateReceiver[GripperState], after: int, timeout_s: float
    ) -> tuple[int, GripperState]:
        hand.send_state(numbered(4))
        turn.set()
        return take(states, after, timeout_s)

    monkeypatch.setattr(StateReceiver, "_receive", receive_late)
    monkeypatch.setattr(StateReceiver, "take", take_while_another_comes)
    with Gripper(hand.address) as gripper:
        for number in range(1, 4):
            hand.send_state(numbered(number))
        assert gripper.read_once(20.0).time == 4


def test_iteration_gives_every_state_from_its_beginning_on(
    hand: ScriptedHand, gripper: Gripper
) -> None:
    assert next_state(hand, gripper, numbered(1)).time == 1
    stream = gripper.states()
    for number in range(2, 200):
        hand.send_state(numbered(number))
    assert [next(stream).time for _ in range(198)] == list(range(2, 200))
    with pytest.raises(NetworkError, match="Timeout"):
        next(gripper.states(0.01))


def test_bad_datagrams_are_dropped_and_counted(hand: ScriptedHand, gripper: Gripper) -> None:
    assert next_state(hand, gripper, numbered(10)).time == 10
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.bind((hand.address, 0))
        for datagram, sender in [
            (b"", None), (numbered(11)[:22], None), (numbered(12), stranger),
            (numbered(10), None), (numbered(9), None), (numbered(13) + b"tail", None),
        ]:  # fmt: skip
            hand.send_state(datagram, sender)
        wait_until(lambda: gripper.state.time == 13)
    assert gripper.dropped == 5


def test_twenty_bad_datagrams_in_a_row_are_an_error_and_a_good_one_ends_it(
    hand: ScriptedHand, gripper: Gripper
) -> None:
    for _ in range(20):
        hand.send_state(b"short")
    with pytest.raises(NetworkError, match="twenty UDP datagrams in a row"):
        gripper.read_once(10.0)

    def good_one() -> bool:
        with contextlib.suppress(NetworkError):
            return gripper.state.time == 1
        return False

    hand.send_state(numbered(1))
    wait_until(good_one)
    assert gripper.dropped == 20


def test_the_counter_may_wrap(hand: ScriptedHand, gripper: Gripper) -> None:
    assert next_state(hand, gripper, numbered(2**32 - 2)).time == 2**32 - 2
    assert next_state(hand, gripper, numbered(3)).time == 3


def test_a_state_is_frozen_comparable_and_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(STATE)) == STATE
    assert GripperState.from_wire(STATE.to_wire() + b"more") == STATE
    assert GripperState(0.05, 0.08, True, 31, 8) != STATE
    with pytest.raises(AttributeError):
        STATE.width = 1.0  # type: ignore[misc]
    with pytest.raises(ProtocolError, match="incorrect object size"):
        GripperState.from_wire(STATE.to_wire()[:-1])
    assert GripperState.from_wire(STATE.to_wire()[:20] + b"\x07" + STATE.to_wire()[21:]).is_grasped


# --- connecting and ending ----------------------------------------------------------------------


def test_another_version_is_told(hand: ScriptedHand) -> None:
    hand.replies["Connect"] = [b"\1\0\2\0"]
    with pytest.raises(IncompatibleVersionError, match="server version: 2, library version: 3"):
        Gripper(hand.address)


def test_an_odd_version_and_padding_in_a_success_are_taken(hand: ScriptedHand) -> None:
    hand.replies["Connect"] = [b"\0\0\0\x0a" + b"\0" * 4]
    with Gripper(hand.address) as gripper:
        assert gripper.server_version == 2560
        assert gripper.homing()
    hand.replies["Connect"] = [b"\7\0\3\0"]
    with pytest.raises(ProtocolError, match="connection attempt"):
        Gripper(hand.address)


def test_nobody_there_and_nobody_answering() -> None:
    with pytest.raises(NetworkError, match="refused"):
        Gripper(fresh_address())
    address = fresh_address()
    with ScriptedHand(address) as silent:
        silent.unanswered = {"Connect"}
        with pytest.raises(NetworkError, match="no reply to Connect"):
            Gripper(address, timeout_s=0.2)


@pytest.mark.parametrize(
    "arguments",
    [
        {"host": ""}, {"host": 7}, {"timeout_s": 0.0}, {"timeout_s": -1.0}, {"timeout_s": math.nan},
        {"timeout_s": math.inf}, {"timeout_s": "long"}, {"port": 0}, {"port": 65536},
    ],
    ids=str,
)  # fmt: skip
def test_arguments_that_can_be_none_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        Gripper(**{"host": "127.0.0.1", **arguments})


def test_a_lost_connection_ends_whoever_waits(hand: ScriptedHand, gripper: Gripper) -> None:
    hand.unanswered = {"Move"}
    next_state(hand, gripper, numbered(1))
    action = gripper.start_move(0.05, 0.1)
    stream = gripper.states(60.0)
    errors: list[FrankaError] = []

    def wait(call: Callable[[], Any]) -> None:
        try:
            call()
        except FrankaError as error:
            errors.append(error)

    threads = [
        threading.Thread(target=wait, args=(call,))
        for call in (action.wait, lambda: next(stream), lambda: gripper.read_once(60.0))
    ]
    for thread in threads:
        thread.start()
    hand.await_request("Move")
    hand.drop_client()
    for thread in threads:
        thread.join(10.0)
    assert [type(error) for error in errors] == [NetworkError] * 3
    assert not gripper.is_connected
    for call in (gripper.homing, gripper.stop, lambda: gripper.state):
        with pytest.raises(NetworkError, match="server closed connection"):
            call()


def test_a_reply_that_is_garbage_ends_the_connection(hand: ScriptedHand, gripper: Gripper) -> None:
    gripper.stop()
    hand.send_raw(b"\xff" * 64)
    wait_until(lambda: not gripper.is_connected)
    with pytest.raises(ProtocolError, match="Incorrect TCP message size"):
        gripper.homing()


def test_a_closed_gripper_refuses_everything_and_closes_twice(hand: ScriptedHand) -> None:
    gripper = Gripper(hand.address)
    gripper.close()
    gripper.close()
    assert not gripper.is_connected
    for call in (gripper.homing, gripper.stop, gripper.read_once, lambda: gripper.state):
        with pytest.raises(InvalidOperationError, match="closed"):
            call()


def test_dropping_the_last_reference_closes_the_connection(hand: ScriptedHand) -> None:
    before = set(threading.enumerate())
    gripper = Gripper(hand.address)
    assert gripper.stop()
    assert set(threading.enumerate()) - before
    del gripper
    gc.collect()
    wait_until(lambda: set(threading.enumerate()) <= before)


def test_a_forked_process_cannot_use_it(gripper: Gripper) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads run: that is the point
        child = os.fork()
    if child == 0:
        code = 1
        try:
            gripper.start_homing()
        except InvalidOperationError:
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert gripper.stop()


INTERRUPTED = """
import sys
from kinegraph.robot import Gripper
gripper = Gripper(sys.argv[1])
sys.stdout.write("waiting\\n")
sys.stdout.flush()
try:
    gripper.move(0.05, 0.1)
except KeyboardInterrupt:
    sys.stdout.write("interrupted\\n")
"""


def test_ctrl_c_ends_the_waiting_and_stops_the_hand(hand: ScriptedHand) -> None:
    hand.unanswered = {"Move"}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", INTERRUPTED, hand.address], stdout=subprocess.PIPE, text=True
    ) as child:
        hand.await_request("Move", 60.0)
        child.send_signal(signal.SIGINT)
        hand.await_request("Stop")
        out, _ = child.communicate(timeout=60.0)
    assert out.splitlines() == ["waiting", "interrupted"]
