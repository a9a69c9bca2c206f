"""The command that goes out, as a row of the loop with names."""

from typing import Any

import numpy as np

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.wire.state_layout import COMMAND_FIELDS, COMMAND_OFFSETS, COMMAND_SIZE
from kinegraph.scene.array_types import Array

__all__ = ["ControllerCommand", "MotionGeneratorCommand", "command_row"]

_COUNTS = dict(COMMAND_FIELDS)


class _CommandView:
    """Named fields over one row of numbers; what is written through them lands in the row.

    Attributes:
        row: (COMMAND_SIZE,) float64, see `wire/state_layout.py`.
    """

    __slots__ = ("row",)

    FIELDS: tuple[str, ...] = ()

    def __init__(self, row: Array | None = None) -> None:
        self.row = np.zeros(COMMAND_SIZE) if row is None else command_row(row)

    def clear(self) -> None:
        """Set every field of this half to zero."""
        for name in self.FIELDS:
            start = COMMAND_OFFSETS[name]
            self.row[start : start + _COUNTS[name]] = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields: lists, and flags as bool."""
        values = {name: getattr(self, name) for name in self.FIELDS}
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in values.items()
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # it can be written to

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in self.to_dict().items())
        return f"{type(self).__name__}({fields})"


def _numbers(name: str, text: str) -> property:
    start, stop = COMMAND_OFFSETS[name], COMMAND_OFFSETS[name] + _COUNTS[name]

    def read(command: _CommandView) -> Array:
        return command.row[start:stop]

    def write(command: _CommandView, value: Any) -> None:
        array = np.asarray(value, dtype=np.float64)
        if array.shape != (stop - start,):
            raise InvalidArgumentError(f"{name} needs {stop - start} numbers, not {array.shape}")
        command.row[start:stop] = array

    return property(read, write, doc=text)


def _flag(name: str, text: str) -> property:
    at = COMMAND_OFFSETS[name]

    def read(command: _CommandView) -> bool:
        return bool(command.row[at])

    def write(command: _CommandView, value: bool) -> None:
        command.row[at] = 1.0 if value else 0.0

    return property(read, write, doc=text)


class MotionGeneratorCommand(_CommandView):
    """The half of a command that a motion generator reads."""

    __slots__ = ()

    FIELDS = (
        "q_c",
        "dq_c",
        "O_T_EE_c",
        "O_dP_EE_c",
        "elbow_c",
        "valid_elbow",
        "motion_generation_finished",
    )
    q_c = _numbers("q_c", "(7,) rad.")
    dq_c = _numbers("dq_c", "(7,) rad/s.")
    O_T_EE_c = _numbers("O_T_EE_c", "(16,) column-major, m.")
    O_dP_EE_c = _numbers("O_dP_EE_c", "(6,) linear then angular, m/s and rad/s.")
    elbow_c = _numbers("elbow_c", "(2,) position of joint 3, rad, and sign of joint 4.")
    valid_elbow = _flag("valid_elbow", "Whether `elbow_c` counts.")
    motion_generation_finished = _flag("motion_generation_finished", "Ends the motion.")


class ControllerCommand(_CommandView):
    """The half of a command that carries torques."""

    __slots__ = ()

    FIELDS = ("tau_J_d", "torque_command_finished")
    tau_J_d = _numbers("tau_J_d", "(7,) Nm, without gravity and friction.")
    torque_command_finished = _flag("torque_command_finished", "Ends a torque motion (v10).")


def command_row(command: Any) -> Array:
    """Return the row behind a command.

    Args:
        command: `MotionGeneratorCommand`, `ControllerCommand`, or (COMMAND_SIZE,) float64 row.

    Raises:
        InvalidArgumentError: Something else, or a row that cannot be written to. Also a
            `ValueError`.
    """
    row = command.row if isinstance(command, _CommandView) else command
    good = isinstance(row, np.ndarray) and row.dtype == np.float64 and row.flags.c_contiguous
    if not good or row.shape != (COMMAND_SIZE,) or not row.flags.writeable:
        raise InvalidArgumentError(
            f"a command is filled into a MotionGeneratorCommand, a ControllerCommand or a writable "
            f"float64 row of {COMMAND_SIZE}, not into {type(command).__name__}"
        )
    return row
