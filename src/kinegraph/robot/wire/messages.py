"""TCP messages: framing, requests and replies, as typed values and back.

Every message is a header (command, command id, size with header) and a payload. A reply that is
shorter than its structure is an error, the surplus of a longer one is ignored: two simulators pad.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from kinegraph.robot.errors import InvalidArgumentError, ProtocolError
from kinegraph.robot.wire.protocol import Message, Protocol, title
from kinegraph.scene.errors import suggestion

__all__ = [
    "Frame",
    "FrameReader",
    "Reply",
    "decode_reply",
    "decode_request",
    "encode_reply",
    "encode_request",
]

MAX_MESSAGE_SIZE = 64 * 1024 * 1024
"""A header that announces more is taken for garbage; a model library has about 2 MB."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message as it was framed.

    Attributes:
        command: Number of the command.
        command_id: Number of the request.
        payload: What follows the header.
    """

    command: int
    command_id: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """A decoded reply.

    Attributes:
        command: Name of the command.
        status: Name of the status byte.
        fields: The other fields by name.
        tail: What follows the structure where the message has an open end (URDF, library).
    """

    command: str
    status: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    tail: bytes = b""


class FrameReader:
    """Puts the pieces that a stream delivers together to messages.

    Args:
        protocol: Whose header it is.
    """

    def __init__(self, protocol: Protocol) -> None:
        self._header = protocol.dtype("CommandHeader")
        self._buffer = bytearray()

    @property
    def pending(self) -> int:
        """Bytes of a message that is not complete yet."""
        return len(self._buffer)

    def feed(self, data: bytes) -> list[Frame]:
        """Take some bytes and return the messages that are now complete.

        Raises:
            ProtocolError: A header announces fewer bytes than itself, or more than 64 MB.
        """
        self._buffer += data
        return list(self._frames())

    def _frames(self) -> Iterator[Frame]:
        head = self._header.itemsize
        while len(self._buffer) >= head:
            command, number, size = np.frombuffer(bytes(self._buffer[:head]), self._header)[0]
            if not head <= size <= MAX_MESSAGE_SIZE:
                raise ProtocolError(
                    f"libfranka: Incorrect TCP message size. The header of command {command} says "
                    f"{size} bytes",
                    command=int(command),
                    size=int(size),
                )
            if len(self._buffer) < size:
                return
            payload = bytes(self._buffer[head : int(size)])
            del self._buffer[: int(size)]
            yield Frame(int(command), int(number), payload)


def encode_request(
    protocol: Protocol, command: str, command_id: int, fields: Mapping[str, Any] | None = None
) -> bytes:
    """Return a request with its header.

    Args:
        protocol: Of the connection.
        command: Name, for instance `SetLoad`.
        command_id: Number of the request.
        fields: Values by field name, arrays flat and column-major.

    Raises:
        InvalidOperationError: This version has no such command.
        InvalidArgumentError: Fields are missing or unknown, or do not fit. Also a `ValueError`.
    """
    payload = _pack(protocol.message(f"{command}.Request"), fields or {})
    return _framed(protocol, command, command_id, payload)


def encode_reply(
    protocol: Protocol,
    command: str,
    command_id: int,
    status: str = "Success",
    fields: Mapping[str, Any] | None = None,
    tail: bytes = b"",
) -> bytes:
    """Return a reply with its header.

    Raises:
        InvalidOperationError: This version has no such command.
        InvalidArgumentError: The command has no such status, or as `encode_request`. Also a
            `ValueError`.
    """
    known = protocol.status(command)
    if status not in known:
        raise InvalidArgumentError(f"{command} has no status {status!r}{suggestion(status, known)}")
    message = protocol.message(f"{command}.Response")
    if tail and message.tail is None:
        raise InvalidArgumentError(f"a reply to {command} has no open end")
    payload = _pack(message, {"status": known[status], **(fields or {})}) + tail
    return _framed(protocol, command, command_id, payload)


def decode_request(protocol: Protocol, frame: Frame) -> tuple[str, dict[str, Any]]:
    """Return the name of a request's command and its fields.

    Raises:
        ProtocolError: The command is unknown, or the payload shorter than its structure.
    """
    command = _command_name(protocol, frame)
    fields, _ = _unpack(protocol.message(f"{command}.Request"), frame.payload)
    return command, fields


def decode_reply(protocol: Protocol, frame: Frame) -> Reply:
    """Return a reply as values.

    Raises:
        ProtocolError: The command or the status is unknown, or the payload is shorter than its
            structure.
    """
    command = _command_name(protocol, frame)
    fields, tail = _unpack(protocol.message(f"{command}.Response"), frame.payload)
    status = fields.pop("status")
    name = protocol.status_names[command].get(status)
    if name is None:
        raise ProtocolError(
            f"libfranka: Unexpected response while handling {title(command)} command!",
            command=command,
            status=status,
        )
    return Reply(command, name, MappingProxyType(fields), tail)


def _command_name(protocol: Protocol, frame: Frame) -> str:
    name = protocol.command_names.get(frame.command)
    if name is None:
        raise ProtocolError(
            f"libfranka: command {frame.command} is unknown to version {protocol.version}",
            command=frame.command,
        )
    return name


def _framed(protocol: Protocol, command: str, command_id: int, payload: bytes) -> bytes:
    header = np.zeros((), protocol.dtype("CommandHeader"))
    header["command"] = protocol.command(command)
    header["command_id"] = command_id
    header["size"] = header.nbytes + len(payload)
    return header.tobytes() + payload


def _pack(message: Message, fields: Mapping[str, Any]) -> bytes:
    names = tuple(message.dtype.names or ())
    for name in fields:
        if name not in names:
            raise InvalidArgumentError(f"{message.name} has no field {name!r}", field=name)
    record = np.zeros((), message.dtype)
    for name in names:
        if name not in fields:
            raise InvalidArgumentError(f"{message.name} lacks field {name!r}", field=name)
        try:
            values = np.asarray(fields[name])
            if values.shape != record[name].shape:
                raise ValueError(f"shape {values.shape} instead of {record[name].shape}")
            record[name] = values
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidArgumentError(f"{message.name}, field {name}: {error}") from error
    return record.tobytes()


def _unpack(message: Message, payload: bytes) -> tuple[dict[str, Any], bytes]:
    if len(payload) < message.size:
        raise ProtocolError(
            f"libfranka: Incorrect TCP message size. {message.name} has {message.size} bytes, "
            f"{len(payload)} came",
            message_name=message.name,
            expected=message.size,
            received=len(payload),
        )
    if not message.fields:
        return {}, payload if message.tail else b""
    record = np.frombuffer(payload, message.dtype, count=1)[0]
    fields = {name: record[name].tolist() for name, _, _ in message.fields}
    return fields, payload[message.size :] if message.tail else b""
