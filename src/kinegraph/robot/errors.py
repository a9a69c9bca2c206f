"""The errors of the robot side, libfranka's classes with their facts.

::

    KinegraphError
    └── FrankaError                  also RuntimeError
        ├── NetworkError             kind "network"
        ├── ProtocolError            kind "protocol"
        ├── IncompatibleVersionError kind "incompatible_version"
        ├── CommandError             kind "command"
        ├── ControlError             kind "control"
        ├── RealtimeError            kind "realtime"
        ├── InvalidOperationError    kind "invalid_operation"
        ├── InvalidArgumentError     kind "invalid_argument", also ValueError
        └── ModelError               kind "model"
"""

from typing import Any, ClassVar, TypeVar

from kinegraph.scene.errors import KinegraphError

__all__ = [
    "CommandError",
    "ControlError",
    "FrankaError",
    "IncompatibleVersionError",
    "InvalidArgumentError",
    "InvalidOperationError",
    "ModelError",
    "NetworkError",
    "ProtocolError",
    "RealtimeError",
]

F = TypeVar("F", bound="FrankaError")


class FrankaError(KinegraphError, RuntimeError):
    """Base of the robot side's errors.

    Attributes:
        kind: One word for the class of the error, the same in every language's client.
        facts: What is known about it, also reachable as attributes.
    """

    kind: ClassVar[str] = "franka"

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.facts = facts

    def __getattr__(self, name: str) -> Any:
        """Return the fact of that name."""
        facts = self.__dict__.get("facts", {})
        if name in facts:
            return facts[name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def anew(self: F) -> F:
        """Return the same error without a traceback.

        What keeps an error raises it anew each time: the frames in the traceback of one that was
        raised hold whoever keeps it, and both would wait for the garbage collector.
        """
        error = type(self)(str(self), **self.facts)
        error.__cause__ = self.__cause__
        return error


class NetworkError(FrankaError):
    """The connection could not be made, or was lost."""

    kind = "network"


class ProtocolError(FrankaError):
    """The other side sent what the protocol does not allow."""

    kind = "protocol"


class IncompatibleVersionError(FrankaError):
    """Robot and client speak different versions.

    Attributes:
        server_version: Version of the robot.
        library_version: Version that this client announced.
    """

    kind = "incompatible_version"


class CommandError(FrankaError):
    """The robot refused or aborted a command."""

    kind = "command"


class ControlError(FrankaError):
    """A motion ended otherwise than asked for."""

    kind = "control"


class RealtimeError(FrankaError):
    """Realtime priority or a core could not be had although it was insisted on."""

    kind = "realtime"


class InvalidOperationError(FrankaError):
    """The call does not fit what is going on."""

    kind = "invalid_operation"


class InvalidArgumentError(FrankaError, ValueError):
    """A value that no robot would take."""

    kind = "invalid_argument"


class ModelError(FrankaError):
    """The robot's model cannot be loaded or evaluated."""

    kind = "model"
