"""What a protocol is made of: messages as packed types, commands, status bytes, enumerations."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.wire.datagram_layout import Row
from kinegraph.scene.errors import suggestion

__all__ = ["STATUS", "Message", "Protocol", "messages", "numbered", "title"]


@dataclass(frozen=True)
class Message:
    """The layout of one message.

    Attributes:
        name: As in the layout files, for instance `Move.Request`.
        fields: Name, type and number of entries, in the order of the bytes, without padding.
        tail: Name of the bytes that follow the fields up to the end of the message, if there are.
    """

    name: str
    fields: tuple[Row, ...]
    tail: str | None = None

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The packed little-endian numpy type of the fields."""
        return np.dtype([_column(*field) for field in self.fields])

    @property
    def size(self) -> int:
        """Bytes of the fields, without the tail."""
        return self.dtype.itemsize


_NUMPY_TYPES = {"u1": "u1", "bool": "u1"}


def _column(name: str, kind: str, count: int) -> tuple[Any, ...]:
    code = _NUMPY_TYPES.get(kind, f"<{kind}")
    if count == 1:
        return name, code
    if name.startswith("accelerometer"):
        return name, code, (6, 3)  # the only rows; matrices stay flat, column-major
    return name, code, (count,)


@dataclass(frozen=True)
class Protocol:
    """What one device of one version speaks.

    Attributes:
        device: `robot`, `gripper` or `vacuum_gripper`.
        version: Version that the Connect request announces.
        tcp_port: Port of the commands.
        commands: Id of each command by name.
        enums: Numbers of the enumerations in messages, by enumeration and name.
        messages: Layout of each message by name.
        statuses: Status bytes of each command, by command and name.
    """

    device: str
    version: int
    tcp_port: int
    commands: Mapping[str, int]
    statuses: Mapping[str, Mapping[str, int]]
    enums: Mapping[str, Mapping[str, int]]
    messages: Mapping[str, Message]

    @cached_property
    def header(self) -> struct.Struct:
        """What precedes every payload: command, its id, size of the whole message."""
        codes = {2: "H", 4: "I"}
        layout = self.dtype("CommandHeader")
        sizes = [layout[name].itemsize for name in layout.names or ()]
        return struct.Struct("<" + "".join(codes[size] for size in sizes))

    @cached_property
    def command_names(self) -> Mapping[int, str]:
        """Name of each command by id."""
        return MappingProxyType({number: name for name, number in self.commands.items()})

    @cached_property
    def status_names(self) -> Mapping[str, Mapping[int, str]]:
        """Name of each status byte, by command and number."""
        return MappingProxyType(
            {
                command: MappingProxyType({number: name for name, number in table.items()})
                for command, table in self.statuses.items()
            }
        )

    def command(self, name: str) -> int:
        """Return the id of a command.

        Raises:
            InvalidOperationError: This version has no such command.
        """
        if name not in self.commands:
            raise InvalidOperationError(
                f"libfranka: {_TITLES.get(name, name)} is not available on FCI version "
                f"{self.version}.{'' if name in _TITLES else suggestion(name, self.commands)}",
                command=name,
                version=self.version,
            )
        return self.commands[name]

    def status(self, command: str) -> Mapping[str, int]:
        """Return the status bytes of a command by name.

        Raises:
            InvalidOperationError: This version has no such command.
        """
        self.command(command)
        return self.statuses[command]

    def message(self, name: str) -> Message:
        """Return the layout of a message.

        Raises:
            InvalidOperationError: This version has no such message.
        """
        if name not in self.messages:
            raise InvalidOperationError(
                f"libfranka: {name} is not available on FCI version {self.version}."
                f"{suggestion(name, self.messages)}",
                message_name=name,
                version=self.version,
            )
        return self.messages[name]

    def dtype(self, message_name: str) -> np.dtype[Any]:
        """Return the packed numpy type of a message, for instance of `RobotState`."""
        return self.message(message_name).dtype

    def size(self, message_name: str) -> int:
        """Return the bytes of a message, without an open tail."""
        return self.message(message_name).size


def title(command: str) -> str:
    """Return the name of a command as libfranka's error texts have it: `Set EE to K`."""
    return _TITLES[command]


_TITLES = {
    "Connect": "Connect",
    "Move": "Move",
    "StopMove": "Stop Move",
    "GetCartesianLimit": "Get Cartesian Limit",
    "SetCollisionBehavior": "Set Collision Behavior",
    "SetJointImpedance": "Set Joint Impedance",
    "SetCartesianImpedance": "Set Cartesian Impedance",
    "SetGuidingMode": "Set Guiding Mode",
    "SetEEToK": "Set EE to K",
    "SetNEToEE": "Set NE to EE",
    "SetLoad": "Set Load",
    "SetFilters": "Set Filters",
    "AutomaticErrorRecovery": "Automatic Error Recovery",
    "GetRobotModel": "Get Robot Model",
    "LoadModelLibrary": "Load Model Library",
    "Homing": "Homing",
    "Grasp": "Grasp",
    "Stop": "Stop",
    "Vacuum": "Vacuum",
    "DropOff": "Drop Off",
}


def numbered(*names: str) -> Mapping[str, int]:
    """Return names with the numbers 0, 1, 2, ..."""
    return MappingProxyType({name: number for number, name in enumerate(names)})


STATUS: tuple[Row, ...] = (("status", "u1", 1),)


def messages(
    rows: Mapping[str, tuple[Row, ...]], tails: Mapping[str, str], plain_replies: tuple[str, ...]
) -> Mapping[str, Message]:
    """Messages by name; each of `plain_replies` is answered by a status byte alone."""
    replies = {f"{name}.Response": STATUS for name in plain_replies}
    both = {**rows, **replies}
    return MappingProxyType(
        {name: Message(name, fields, tails.get(name)) for name, fields in both.items()}
    )
