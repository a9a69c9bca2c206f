"""The descriptors behind the fields of `RobotState`: views of its row, made when asked for."""

from typing import TYPE_CHECKING, Generic, TypeVar, overload

from kinegraph.robot.error_flags import Errors
from kinegraph.robot.modes import ControllerMode, MotionGeneratorMode, RobotMode
from kinegraph.robot.wire.state_layout import STATE_FIELDS, STATE_OFFSETS
from kinegraph.scene.array_types import Array

if TYPE_CHECKING:
    from kinegraph.robot.state import RobotState

__all__ = [
    "SHAPES",
    "Field",
    "controller",
    "errors",
    "generator",
    "milliseconds",
    "mode",
    "number",
    "table",
    "vector",
]

T = TypeVar("T")

SHAPES: dict[str, tuple[int, ...]] = {
    name: (6, 3) if name.startswith("accelerometer") else (count,) if count > 1 else ()
    for name, count in STATE_FIELDS
}
"""Shape of each field as a program sees it."""


class Field(Generic[T]):
    """One field of a `RobotState`.

    Reading it from an instance gives the value; from the class, the descriptor with its text.

    Attributes:
        name: Name of the field.
        start: Its first entry in the row.
        stop: One past its last entry.
    """

    name: str
    start: int
    stop: int

    def __init__(self, text: str) -> None:
        self.__doc__ = text

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        self.start = STATE_OFFSETS[name]
        self.stop = self.start + dict(STATE_FIELDS)[name]

    @overload
    def __get__(self, state: None, owner: type) -> "Field[T]": ...
    @overload
    def __get__(self, state: "RobotState", owner: type) -> T: ...
    def __get__(self, state: "RobotState | None", owner: type) -> "Field[T] | T":
        return self if state is None else self.read(state._row)

    def read(self, row: Array) -> T:
        """Return the value in a row."""
        raise NotImplementedError


class _Vector(Field[Array]):
    def read(self, row: Array) -> Array:
        return row[self.start : self.stop]


class _Table(Field[Array]):
    def read(self, row: Array) -> Array:
        return row[self.start : self.stop].reshape(6, 3)


class _Number(Field[float]):
    def read(self, row: Array) -> float:
        return float(row[self.start])


class _Time(Field[int]):
    def read(self, row: Array) -> int:
        return int(row[self.start])


class _Errors(Field[Errors]):
    def read(self, row: Array) -> Errors:
        return Errors.from_flags(row[self.start : self.stop])


class _Mode(Field[RobotMode]):
    def read(self, row: Array) -> RobotMode:
        return RobotMode.from_byte(int(row[self.start]))


class _Generator(Field[MotionGeneratorMode | int]):
    def read(self, row: Array) -> MotionGeneratorMode | int:
        byte = int(row[self.start])
        return MotionGeneratorMode(byte) if byte <= 5 else byte


class _Controller(Field[ControllerMode | int]):
    def read(self, row: Array) -> ControllerMode | int:
        byte = int(row[self.start])
        return ControllerMode(byte) if byte <= 3 else byte


# What `state.py` writes its fields with; each takes the field's documentation.
def vector(text: str) -> Field[Array]:
    """Several numbers, a read-only view."""
    return _Vector(text)


def table(text: str) -> Field[Array]:
    """Six rows of three numbers, a read-only view."""
    return _Table(text)


def number(text: str) -> Field[float]:
    """One number."""
    return _Number(text)


def milliseconds(text: str) -> Field[int]:
    """Whole milliseconds."""
    return _Time(text)


def errors(text: str) -> Field[Errors]:
    """The 41 flags."""
    return _Errors(text)


def mode(text: str) -> Field[RobotMode]:
    """The robot's mode."""
    return _Mode(text)


def generator(text: str) -> Field[MotionGeneratorMode | int]:
    """The running motion generator; a byte that nobody knows stays a number."""
    return _Generator(text)


def controller(text: str) -> Field[ControllerMode | int]:
    """The running controller; a byte that nobody knows stays a number."""
    return _Controller(text)
