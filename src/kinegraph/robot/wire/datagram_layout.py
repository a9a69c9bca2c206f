"""Field by field, the two datagrams of both versions, and how they map to the loop's rows.

`tables.py` builds the packed numpy types from these tables; the kernels freeze the copy runs that
are derived from the same tables, so that no offset is written down twice.
"""

import numpy as np

from kinegraph.robot.wire.state_layout import (
    COMMAND_OFFSETS,
    STATE_OFFSETS,
    C_message_id,
    S_time,
)

Row = tuple[str, str, int]
"""Name, type as in the layout files (`f8`, `f4`, `u1`, ..., `bool`), number of entries."""

ITEM_SIZES = {"f8": 8, "f4": 4, "u8": 8, "u4": 4, "u2": 2, "u1": 1, "i4": 4, "i8": 8, "bool": 1}

# The robot's numbers: binary32 in version 10, binary64 in version 5.
_NUMBERS: tuple[tuple[str, int], ...] = (
    ("O_T_EE", 16),
    ("O_T_EE_d", 16),
    ("F_T_EE", 16),
    ("EE_T_K", 16),
    ("F_T_NE", 16),
    ("NE_T_EE", 16),
    ("m_ee", 1),
    ("I_ee", 9),
    ("F_x_Cee", 3),
    ("m_load", 1),
    ("I_load", 9),
    ("F_x_Cload", 3),
    ("elbow", 2),
    ("elbow_d", 2),
    ("tau_J", 7),
    ("tau_J_d", 7),
    ("dtau_J", 7),
    ("q", 7),
    ("q_d", 7),
    ("dq", 7),
    ("dq_d", 7),
    ("ddq_d", 7),
    ("joint_contact", 7),
    ("cartesian_contact", 6),
    ("joint_collision", 7),
    ("cartesian_collision", 6),
    ("tau_ext_hat_filtered", 7),
    ("O_F_ext_hat_K", 6),
    ("K_F_ext_hat_K", 6),
    ("O_dP_EE_d", 6),
    ("O_ddP_O", 3),
    ("elbow_c", 2),
    ("delbow_c", 2),
    ("ddelbow_c", 2),
    ("O_T_EE_c", 16),
    ("O_dP_EE_c", 6),
    ("O_ddP_EE_c", 6),
    ("theta", 7),
    ("dtheta", 7),
)
_ACCELEROMETERS: tuple[tuple[str, int], ...] = (
    ("accelerometer_top", 18),
    ("accelerometer_bottom", 18),
)

MOTION_COMMAND: tuple[Row, ...] = (
    ("q_c", "f8", 7),
    ("dq_c", "f8", 7),
    ("O_T_EE_c", "f8", 16),
    ("O_dP_EE_c", "f8", 6),
    ("elbow_c", "f8", 2),
    ("valid_elbow", "bool", 1),
    ("motion_generation_finished", "bool", 1),
)


def _state(number: str, numbers: tuple[tuple[str, int], ...]) -> tuple[Row, ...]:
    return (
        ("message_id", "u8", 1),
        *((name, number, count) for name, count in numbers),
        ("motion_generator_mode", "u1", 1),
        ("controller_mode", "u1", 1),
        ("errors", "bool", 41),
        ("reflex_reason", "bool", 41),
        ("robot_mode", "u1", 1),
        ("control_command_success_rate", number, 1),
    )


def _command(controller: tuple[Row, ...]) -> tuple[Row, ...]:
    return (
        ("message_id", "u8", 1),
        *((f"motion.{name}", kind, count) for name, kind, count in MOTION_COMMAND),
        *((f"control.{name}", kind, count) for name, kind, count in controller),
    )


CONTROLLER_COMMAND_V10: tuple[Row, ...] = (
    ("tau_J_d", "f8", 7),
    ("torque_command_finished", "bool", 1),
)
CONTROLLER_COMMAND_V5: tuple[Row, ...] = (("tau_J_d", "f8", 7),)

STATE_V10 = _state("f4", _NUMBERS + _ACCELEROMETERS)
STATE_V5 = _state("f8", _NUMBERS)
COMMAND_V10 = _command(CONTROLLER_COMMAND_V10)
COMMAND_V5 = _command(CONTROLLER_COMMAND_V5)


def size_of(rows: tuple[Row, ...]) -> int:
    """Bytes of a packed structure."""
    return sum(ITEM_SIZES[kind] * count for _, kind, count in rows)


def offset_of(rows: tuple[Row, ...], name: str) -> int:
    """Byte at which a field of a packed structure begins."""
    at = 0
    for field, kind, count in rows:
        if field == name:
            return at
        at += ITEM_SIZES[kind] * count
    raise KeyError(name)


# Where the wire and the rows name the same thing differently.
_ROW_NAMES = {"errors": "current_errors", "reflex_reason": "last_motion_errors"}


def _runs(
    rows: tuple[Row, ...], kinds: tuple[str, ...], offsets: dict[str, int]
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """(n, 3): byte in the datagram, entry in the row, count; neighbours in both are merged."""
    runs: list[list[int]] = []
    for name, kind, count in rows:
        if kind not in kinds:
            continue
        field = name.rpartition(".")[2]
        source, target = offset_of(rows, name), offsets[_ROW_NAMES.get(field, field)]
        last = runs[-1] if runs else [0, 0, 0]
        if (
            last[2]
            and source == last[0] + last[2] * ITEM_SIZES[kind]
            and target == last[1] + last[2]
        ):
            last[2] += count
        else:
            runs.append([source, target, count])
    return np.array(runs, dtype=np.int64)


STATE_SIZE_V10 = size_of(STATE_V10)
STATE_SIZE_V5 = size_of(STATE_V5)
COMMAND_SIZE_V10 = size_of(COMMAND_V10)
COMMAND_SIZE_V5 = size_of(COMMAND_V5)

# What the kernels copy: numbers by runs, then flags byte by byte.
STATE_NUMBERS_V10 = _runs(STATE_V10, ("f4",), STATE_OFFSETS)
STATE_NUMBERS_V5 = _runs(STATE_V5, ("f8",), STATE_OFFSETS)
STATE_FLAGS_V10 = _runs(STATE_V10, ("bool",), STATE_OFFSETS)
STATE_FLAGS_V5 = _runs(STATE_V5, ("bool",), STATE_OFFSETS)
COMMAND_NUMBERS = _runs(COMMAND_V10, ("f8",), COMMAND_OFFSETS)
COMMAND_FLAGS_V10 = _runs(COMMAND_V10, ("bool",), COMMAND_OFFSETS)
COMMAND_FLAGS_V5 = _runs(COMMAND_V5, ("bool",), COMMAND_OFFSETS)

MODES_V10 = offset_of(STATE_V10, "motion_generator_mode")
MODES_V5 = offset_of(STATE_V5, "motion_generator_mode")
ROBOT_MODE_V10 = offset_of(STATE_V10, "robot_mode")
ROBOT_MODE_V5 = offset_of(STATE_V5, "robot_mode")

# `message_id` stands first in both datagrams; in the rows it is the time of the state.
STATE_ID = S_time
COMMAND_ID = C_message_id

LAST_ROBOT_MODE = 6
"""Mode bytes above this one are unknown and read as Other."""
