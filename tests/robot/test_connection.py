"""Handshake, versions and replies of the command channel, without any state."""

import logging
import os
import socket
import struct
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from robot_addresses import fresh_address

from kinegraph.robot.connection import Connection, open_connection
from kinegraph.robot.errors import (
    FrankaError,
    IncompatibleVersionError,
    InvalidArgumentError,
    InvalidOperationError,
    NetworkError,
    ProtocolError,
)
from kinegraph.robot.wire.tables import PROTOCOLS

HEADER = struct.Struct("<III")
CONNECT = b"\0" + struct.pack("<H", 10)
# A hang bound, not an expectation.
SOON_S = 20.0
GONE = r"server closed connection|TCP receive"

Handler = Callable[[socket.socket], object]


def read(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = client.recv(count - len(data))
        if not piece:
            raise ConnectionError
        data += piece
    return data


def request(client: socket.socket) -> tuple[int, int, bytes]:
    command, number, size = HEADER.unpack(read(client, 12))
    return command, number, read(client, size - 12)


def reply(client: socket.socket, command: int, number: int, payload: bytes) -> None:
    client.sendall(HEADER.pack(command, number, 12 + len(payload)) + payload)


@contextmanager
def server(*handlers: Handler) -> Iterator[str]:
    """Serve one client after the other, each by its handler, which then hangs up."""
    address = fresh_address()
    listener = socket.create_server((address, 1337))
    listener.settimeout(SOON_S)

    def serve() -> None:
        for handler in handlers:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client:
                client.settimeout(SOON_S)
                with suppress(OSError):
                    handler(client)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        listener.close()
        thread.join(SOON_S)


def accept(client: socket.socket, payload: bytes = CONNECT) -> None:
    command, number, _ = request(client)
    reply(client, command, number, payload)


def then(*steps: Handler) -> Handler:
    def handler(client: socket.socket) -> None:
        for step in steps:
            step(client)

    return handler


def until_closed(client: socket.socket) -> None:
    while client.recv(4096):
        pass


def answer(payload: bytes) -> Handler:
    def handler(client: socket.socket) -> None:
        command, number, _ = request(client)
        reply(client, command, number, payload)

    return handler


@contextmanager
def connected(*steps: Handler) -> Iterator[Connection]:
    with server(then(accept, *steps)) as address:
        connection = open_connection(address)
        try:
            yield connection
        finally:
            connection.close()


# --- connecting --------------------------------------------------------------------------------


def test_the_request_announces_version_and_port() -> None:
    seen = []

    def note(client: socket.socket) -> None:
        command, number, payload = request(client)
        seen.append((command, number, payload))
        reply(client, command, number, CONNECT)
        until_closed(client)

    with server(note) as address:
        connection = open_connection(address)
        port = connection.local_address[1]
        assert seen == [(0, 0, struct.pack("<HH", 10, port))]
        assert connection.local_address[0] != "0.0.0.0"
        assert (connection.version, connection.server_version) == (10, 10)
        connection.close()


def test_a_robot_of_version_5_is_asked_again_in_its_own_version() -> None:
    announced = []

    def refuse(client: socket.socket) -> None:
        command, number, payload = request(client)
        announced.append(struct.unpack("<HH", payload)[0])
        reply(client, command, number, b"\1" + struct.pack("<H", 5))

    def take(client: socket.socket) -> None:
        command, number, payload = request(client)
        announced.append(struct.unpack("<HH", payload)[0])
        reply(client, command, number, b"\0" + struct.pack("<H", 5))
        until_closed(client)

    with server(refuse, take) as address:
        connection = open_connection(address)
        assert connection.version == 5
        assert announced == [10, 5]
        connection.close()


def test_a_pinned_version_is_not_given_up() -> None:
    with (
        server(answer(b"\1" + struct.pack("<H", 5))) as address,
        pytest.raises(IncompatibleVersionError) as caught,
    ):
        open_connection(address, version=10)
    assert (caught.value.server_version, caught.value.library_version) == (5, 10)


def test_a_version_that_nobody_speaks_names_both() -> None:
    with (
        server(answer(b"\1" + struct.pack("<H", 42))) as address,
        pytest.raises(IncompatibleVersionError, match=r"42.*10"),
    ):
        open_connection(address)


def test_a_version_of_the_caller_that_nobody_speaks_is_refused_at_once() -> None:
    with pytest.raises(InvalidArgumentError, match="5, 10"):
        open_connection("127.0.0.1", version=7)


@pytest.mark.parametrize("payload", [b"\0" + struct.pack("<H", 7), b"\0\0\n\0\n\0\0\0"])
def test_an_odd_version_in_a_success_only_warns(
    payload: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), server(then(answer(payload), until_closed)) as address:
        connection = open_connection(address)
        assert connection.version == 10
        connection.close()
    assert "calls its own version" in caplog.text


def test_a_status_that_connect_does_not_have_is_a_protocol_error() -> None:
    with (
        server(answer(b"\7" + struct.pack("<H", 10))) as address,
        pytest.raises(ProtocolError, match="Protocol error during connection attempt"),
    ):
        open_connection(address)


def test_a_truncated_connect_reply_is_a_protocol_error() -> None:
    with (
        server(answer(b"\0")) as address,
        pytest.raises(ProtocolError, match="Incorrect TCP message size"),
    ):
        open_connection(address)


def test_a_connect_that_is_never_answered_ends_in_time() -> None:
    with (
        server(until_closed) as address,
        pytest.raises(NetworkError, match=r"no reply to Connect within 0\.2 s"),
    ):
        open_connection(address, timeout_s=0.2)


def test_a_server_that_hangs_up_is_named() -> None:
    with server(lambda client: None) as address, pytest.raises(NetworkError, match=GONE):
        open_connection(address)


def test_nobody_at_the_port_points_at_the_fci_feature() -> None:
    with pytest.raises(NetworkError, match="Connection to FCI refused"):
        open_connection(fresh_address())


def test_a_host_without_an_address_is_a_network_error() -> None:
    with pytest.raises(NetworkError, match="Connection error"):
        open_connection("no such host")


# --- replies -----------------------------------------------------------------------------------


def test_replies_may_come_in_any_order() -> None:
    def swapped(client: socket.socket) -> None:
        first, second = request(client), request(client)
        reply(client, second[0], second[1], b"\2")
        reply(client, first[0], first[1], b"\1")
        until_closed(client)

    with connected(swapped) as connection:
        one = connection.channel.send("StopMove")
        two = connection.channel.send("AutomaticErrorRecovery")
        assert (one.number, two.number) == (1, 2)
        assert (one.status(SOON_S), two.status(SOON_S)) == (1, 2)


def test_a_command_may_be_answered_twice() -> None:
    def twice(client: socket.socket) -> None:
        command, number, _ = request(client)
        reply(client, command, number, b"\1")
        reply(client, command, number, b"\0")
        until_closed(client)

    counts: list[int] = []
    with connected(twice) as connection:
        move = connection.channel.send("Move", on_reply=counts.append)
        assert [move.status(SOON_S), move.status(SOON_S)] == [1, 0]
        assert counts == [1, 2]
        assert move.poll() is None


def test_a_padded_reply_is_accepted_and_an_empty_one_is_not() -> None:
    with connected(answer(b"\0\0\0\0"), answer(b""), until_closed) as connection:
        assert connection.channel.request("StopMove", timeout_s=SOON_S)[0] == 0
        with pytest.raises(ProtocolError, match="Incorrect TCP message size"):
            connection.channel.request("StopMove", timeout_s=SOON_S)


def test_a_reply_that_nobody_waits_for_is_dropped() -> None:
    def chatty(client: socket.socket) -> None:
        command, number, _ = request(client)
        reply(client, command, 999, b"\1\2\3")
        reply(client, command, number, b"\0")
        until_closed(client)

    with connected(chatty) as connection:
        assert connection.channel.request("StopMove", timeout_s=SOON_S) == b"\0"
        assert connection.channel.dropped == 1


def test_a_late_reply_after_the_limit_does_no_harm() -> None:
    go = threading.Event()

    def late(client: socket.socket) -> None:
        command, number, _ = request(client)
        go.wait(SOON_S)
        reply(client, command, number, b"\1")
        until_closed(client)

    with connected(late) as connection:
        with pytest.raises(NetworkError, match="no reply to Stop Move"):
            connection.channel.request("StopMove", timeout_s=0.1)
        go.set()
        deadline = time.monotonic() + SOON_S
        while not connection.channel.dropped:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        assert connection.channel.is_open


@pytest.mark.parametrize("size", [0, 11, 12 + (1 << 16) + 1, (1 << 32) - 1])
def test_a_size_that_no_reply_has_ends_the_connection_without_an_allocation(size: int) -> None:
    def hostile(client: socket.socket) -> None:
        command, number, _ = request(client)
        client.sendall(HEADER.pack(command, number, size))
        until_closed(client)

    with connected(hostile) as connection:
        with pytest.raises(ProtocolError, match=f"a reply of {size} bytes"):
            connection.channel.request("StopMove", timeout_s=SOON_S)
        assert not connection.channel.is_open


def test_a_long_model_arrives_whole() -> None:
    text = bytes(range(256)) * 4000
    with connected(answer(b"\0" + text), until_closed) as connection:
        payload = connection.channel.request("GetRobotModel", timeout_s=SOON_S)
        assert payload[1:] == text


def test_a_model_of_200_mb_is_refused() -> None:
    def huge(client: socket.socket) -> None:
        command, number, _ = request(client)
        client.sendall(HEADER.pack(command, number, 200_000_000) + b"\0" * 1000)
        until_closed(client)

    with connected(huge) as connection, pytest.raises(ProtocolError, match="200000000"):
        connection.channel.request("GetRobotModel", timeout_s=SOON_S)


def test_a_connection_that_closes_ends_every_wait() -> None:
    closed = threading.Event()
    with connected(request) as connection:
        connection.channel.on_close = closed.set
        with pytest.raises(NetworkError, match=GONE):
            connection.channel.request("StopMove", timeout_s=SOON_S)
        assert closed.wait(SOON_S)
        with pytest.raises(NetworkError):
            connection.channel.send("StopMove")


def test_half_a_header_and_then_the_end_is_a_closed_connection() -> None:
    def half(client: socket.socket) -> None:
        request(client)
        client.sendall(b"\0\0\0\0\0")

    with connected(half) as connection, pytest.raises(NetworkError):
        connection.channel.request("StopMove", timeout_s=SOON_S)


def test_random_bytes_end_in_an_error_of_ours_and_never_in_another() -> None:
    random = np.random.default_rng(5)
    for _ in range(30):
        noise = random.integers(0, 256, 200, dtype=np.uint8).tobytes()

        def noisy(client: socket.socket, noise: bytes = noise) -> None:
            request(client)
            client.sendall(noise)

        with connected(noisy) as connection, pytest.raises(FrankaError):
            connection.channel.request("StopMove", timeout_s=SOON_S)


def test_a_command_of_the_other_version_is_refused_before_it_is_sent() -> None:
    with (
        connected(until_closed) as connection,
        pytest.raises(InvalidOperationError, match="Set Filters is not available"),
    ):
        connection.channel.send("SetFilters")


def test_a_forked_process_cannot_use_the_connection_and_does_not_hold_it_open() -> None:
    with connected(until_closed) as connection:
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads run: that is the point
            child = os.fork()
        if child == 0:
            try:
                connection.channel.send("StopMove")
            except InvalidOperationError:
                os.write(writing, b"refused")
            connection.close()
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            assert pipe.read() == b"refused"
        assert os.waitpid(child, 0)[1] == 0
        assert connection.channel.is_open


def test_both_versions_have_the_commands_that_the_client_sends() -> None:
    shared = {"Connect", "Move", "StopMove", "SetLoad", "AutomaticErrorRecovery"}
    assert all(shared <= set(protocol.commands) for protocol in PROTOCOLS.values())
