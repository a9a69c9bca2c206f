"""Between the values of a state's fields and the entries of its row, for editing and for texts."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.error_flags import Errors
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.modes import ControllerMode, MotionGeneratorMode, RobotMode
from kinegraph.robot.state_fields import SHAPES
from kinegraph.robot.wire.state_layout import (
    STATE_FIELDS,
    STATE_OFFSETS,
    STATE_SIZE,
    S_controller_mode,
    S_motion_generator_mode,
    S_O_ddP_O,
)
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import suggestion

__all__ = ["HIDDEN_FIELDS", "PUBLIC_FIELDS", "TRANSFORMS", "default_row", "write_field"]

HIDDEN_FIELDS = ("motion_generator_mode", "controller_mode")
"""What steers the client's state machine; no part of the public state, so not of its texts."""

PUBLIC_FIELDS: tuple[str, ...] = tuple(
    name for name, _ in STATE_FIELDS if name not in HIDDEN_FIELDS
)
"""The 49 fields of a state, in order."""

TRANSFORMS: tuple[str, ...] = tuple(name for name, count in STATE_FIELDS if count == 16)
"""Fields that are a pose or a transform, column-major."""

_ENUMS: dict[str, type[RobotMode] | type[MotionGeneratorMode] | type[ControllerMode]] = {
    "robot_mode": RobotMode,
    "motion_generator_mode": MotionGeneratorMode,
    "controller_mode": ControllerMode,
}
_ERRORS = ("current_errors", "last_motion_errors")
_GRAVITY = -9.81
MAX_TIME = 2**53
"""Ids above this cannot be kept exactly in a row; a robot counts 285 000 years up to there."""


def default_row() -> Array:
    """Return the row of a state that nothing is known of: identities, gravity, mode Other."""
    row = np.zeros(STATE_SIZE)
    for name in TRANSFORMS:
        start = STATE_OFFSETS[name]
        row[start : start + 16 : 5] = 1.0
    row[S_O_ddP_O + 2] = _GRAVITY
    row[S_motion_generator_mode] = MotionGeneratorMode.Idle.value
    row[S_controller_mode] = ControllerMode.Other.value
    return row


def check_names(names: Iterable[str]) -> None:
    """Refuse names that are not fields.

    Raises:
        InvalidArgumentError: A name is not a field; it says which is the nearest.
    """
    for name in names:
        if not isinstance(name, str) or name not in SHAPES:
            raise InvalidArgumentError(
                f"a RobotState has no field {name!r}{suggestion(str(name), SHAPES)}", field=name
            )


def check_complete(data: Mapping[str, Any]) -> None:
    """Refuse a mapping that lacks fields of the public state.

    Raises:
        InvalidArgumentError: A field is missing.
    """
    missing = [name for name in PUBLIC_FIELDS if name not in data]
    if missing:
        raise InvalidArgumentError(f"fields are missing: {', '.join(missing)}", fields=missing)


def write_field(row: Array, name: str, value: Any) -> None:
    """Write one field into a row.

    Non-finite numbers are taken: a state says what was received.

    Raises:
        InvalidArgumentError: The value does not fit the field.
    """
    start = STATE_OFFSETS[name]
    if name in _ERRORS:
        row[start : start + 41] = _flags(value)
    elif name in _ENUMS:
        row[start] = _enum_byte(name, value)
    elif name == "time":
        row[start] = _milliseconds(value)
    else:
        shape = SHAPES[name]
        row[start : start + max(1, int(np.prod(shape)))] = _flat(name, value, shape)


def _flags(value: Any) -> tuple[bool, ...]:
    return (value if isinstance(value, Errors) else Errors(value)).flags


def _enum_byte(name: str, value: Any) -> int:
    kind = _ENUMS[name]
    if isinstance(value, kind):
        return int(value.value)
    if isinstance(value, str) and value in kind.__members__:
        return int(kind[value].value)
    if isinstance(value, int | np.integer) and 0 <= int(value) <= max(m.value for m in kind):
        return int(value)
    raise InvalidArgumentError(f"{name}: {value!r} is none of {', '.join(kind.__members__)}")


def _milliseconds(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InvalidArgumentError(f"time: whole milliseconds are needed, not {value!r}")
    if not 0 <= int(value) <= MAX_TIME:
        raise InvalidArgumentError(f"time: {value} ms is outside 0 to 2^53")
    return int(value)


def _flat(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    array = as_numbers(name, getattr(value, "homogeneous", value))
    if name in TRANSFORMS and array.shape == (4, 4):
        return array.T.ravel()
    if array.shape != shape and array.shape != (int(np.prod(shape)),):
        raise InvalidArgumentError(f"{name} has shape {array.shape}, {shape} is needed")
    return array.ravel()
