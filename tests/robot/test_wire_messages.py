"""Framing of TCP messages."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fci_sessions import records, session_paths, version_of
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError, ProtocolError
from kinegraph.robot.wire.gripper_tables import GRIPPER
from kinegraph.robot.wire.messages import (
    Frame,
    FrameReader,
    decode_reply,
    decode_request,
    encode_reply,
    encode_request,
)
from kinegraph.robot.wire.protocol import Protocol
from kinegraph.robot.wire.tables import PROTOCOLS

V10, V5 = PROTOCOLS[10], PROTOCOLS[5]
CASES = [(p, c) for p in (V10, V5, GRIPPER) for c in p.commands]


def filled(protocol: Protocol, name: str) -> dict[str, Any]:
    """A different number in each entry of a message."""
    record = np.zeros((), protocol.dtype(name))
    at = 1
    for field in record.dtype.names or ():
        count = record[field].size
        record[field] = (np.arange(at, at + count) % 200).reshape(record[field].shape)
        at += count
    return {field: record[field].tolist() for field in record.dtype.names or ()}


@pytest.mark.parametrize(("protocol", "command"), CASES, ids=lambda x: getattr(x, "device", x))
def test_request_and_reply_come_back_as_they_were(protocol: Protocol, command: str) -> None:
    fields = filled(protocol, f"{command}.Request")
    (frame,) = FrameReader(protocol).feed(encode_request(protocol, command, 7, fields))
    assert (frame.command, frame.command_id) == (protocol.commands[command], 7)
    assert decode_request(protocol, frame) == (command, fields)
    rest = {k: v for k, v in filled(protocol, f"{command}.Response").items() if k != "status"}
    for status in protocol.status(command):
        (frame,) = FrameReader(protocol).feed(encode_reply(protocol, command, 9, status, rest))
        reply = decode_reply(protocol, frame)
        assert (reply.command, reply.status, dict(reply.fields)) == (command, status, rest)


def test_header_counts_itself() -> None:
    assert encode_request(V10, "StopMove", 3) == bytes([2, 0, 0, 0, 3, 0, 0, 0, 12, 0, 0, 0])
    assert encode_request(GRIPPER, "Stop", 3) == bytes([4, 0, 3, 0, 0, 0, 10, 0, 0, 0])


def test_reply_with_an_open_end_hands_out_the_rest() -> None:
    data = encode_reply(V10, "GetRobotModel", 1, tail=b"<robot/>")
    (frame,) = FrameReader(V10).feed(data)
    assert decode_reply(V10, frame).tail == b"<robot/>"
    with pytest.raises(InvalidArgumentError, match="no open end"):
        encode_reply(V10, "SetLoad", 1, tail=b"x")


def test_short_reply_is_refused_and_surplus_is_ignored() -> None:
    with pytest.raises(ProtocolError, match=r"Incorrect TCP message size.*Connect\.Response") as e:
        decode_reply(V10, Frame(0, 0, b"\x00\x0a"))
    assert (e.value.expected, e.value.received) == (3, 2)
    assert decode_reply(V10, Frame(0, 0, b"\x01\x05\x00junk")).fields == {"version": 5}
    assert decode_reply(V10, Frame(9, 0, b"\x00\x00\x00\x00")).status == "Success"


def test_unknown_status_is_refused_with_the_name_of_the_command() -> None:
    text = "libfranka: Unexpected response while handling Set EE to K command!"
    with pytest.raises(ProtocolError, match=text):
        decode_reply(V10, Frame(7, 0, b"\x09"))
    with pytest.raises(ProtocolError, match="Stop Move"):
        decode_reply(V5, Frame(2, 0, b"\x05"))


def test_unknown_command_is_refused() -> None:
    with pytest.raises(ProtocolError, match="command 13 is unknown to version 10"):
        decode_request(V10, Frame(13, 0, b""))


@pytest.mark.parametrize("size", [0, 11, 2**31])
def test_header_that_cannot_be_is_refused(size: int) -> None:
    header = np.array([1, 0, size], "<u4").tobytes()
    with pytest.raises(ProtocolError, match="Incorrect TCP message size"):
        FrameReader(V10).feed(header)


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), max_size=40))
def test_any_split_of_a_stream_gives_the_same_messages(cuts: list[int]) -> None:
    sent = [encode_request(V10, "SetLoad", i, filled(V10, "SetLoad.Request")) for i in range(3)]
    stream, reader, got = b"".join(sent), FrameReader(V10), []
    for cut in cuts:
        got += reader.feed(stream[:cut])
        stream = stream[cut:]
    got += reader.feed(stream)
    assert [frame.command_id for frame in got] == [0, 1, 2]
    assert reader.pending == 0


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_garbage_is_an_error_or_nothing(data: bytes) -> None:
    try:
        for frame in FrameReader(V10).feed(data):
            decode_reply(V10, frame)
    except ProtocolError:
        pass


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"K_theta": [1.0] * 6}, "K_theta"),
        ({"K_theta": ["a"] * 7}, "K_theta"),
        ({}, "lacks field 'K_theta'"),
        ({"K_theta": [1.0] * 7, "K": 1}, "no field 'K'"),
    ],
)
def test_fields_that_do_not_fit_are_refused(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        encode_request(V10, "SetJointImpedance", 0, fields)


def test_command_or_status_that_is_not_there_is_refused() -> None:
    with pytest.raises(InvalidOperationError, match="LoadModelLibrary"):
        encode_request(V10, "LoadModelLibrary", 0, {"architecture": 0, "system": 0})
    with pytest.raises(InvalidArgumentError, match="did you mean 'Success'"):
        encode_reply(V10, "Move", 0, "Succes")


@pytest.mark.parametrize(
    "path", session_paths(), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_recorded_messages_are_framed_and_encoded_again(path: Path) -> None:
    protocol = PROTOCOLS[version_of(path)]
    for record in records(path):
        if record.get("channel") != "tcp" or "truncated_to" in record:
            continue
        data = base64.b64decode(record["b64"])
        (frame,) = FrameReader(protocol).feed(data)
        name, direction = record["name"].split(".")
        if direction == "Request":
            command, fields = decode_request(protocol, frame)
            assert encode_request(protocol, command, frame.command_id, fields) == data
        else:
            assert decode_reply(protocol, frame).command == name
        assert command_of(frame, protocol) == name


def command_of(frame: Frame, protocol: Protocol) -> str:
    """Name of a frame's command."""
    return protocol.command_names[frame.command]
