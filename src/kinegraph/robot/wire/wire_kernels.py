"""Datagrams to rows and back, for both versions, without allocation.

Return values of the decoders: 0 the row is filled; 1 the datagram is shorter than the structure;
2 there is no such version. A longer datagram is accepted and its tail ignored. A row is written
only when the result is 0.
"""

import numpy as np

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.wire.byte_kernels import (
    load_f4,
    load_f8,
    load_u8,
    store_f4,
    store_f8,
    store_u8,
)
from kinegraph.robot.wire.datagram_layout import (
    COMMAND_FLAGS_V5,
    COMMAND_FLAGS_V10,
    COMMAND_ID,
    COMMAND_NUMBERS,
    COMMAND_SIZE_V5,
    COMMAND_SIZE_V10,
    LAST_ROBOT_MODE,
    MODES_V5,
    MODES_V10,
    ROBOT_MODE_V5,
    ROBOT_MODE_V10,
    STATE_FLAGS_V5,
    STATE_FLAGS_V10,
    STATE_ID,
    STATE_NUMBERS_V5,
    STATE_NUMBERS_V10,
    STATE_SIZE_V5,
    STATE_SIZE_V10,
)
from kinegraph.robot.wire.state_layout import (
    COMMAND_SIZE,
    S_accelerometer_bottom,
    S_accelerometer_top,
    S_controller_mode,
    S_F_x_Cee,
    S_F_x_Cload,
    S_F_x_Ctotal,
    S_I_ee,
    S_I_load,
    S_I_total,
    S_m_ee,
    S_m_load,
    S_m_total,
    S_motion_generator_mode,
    S_robot_mode,
)
from kinegraph.scene.array_types import Array, ByteArray, IntArray

__all__ = ["combine_loads", "decode_command", "decode_state", "encode_command", "encode_state"]


@kernel
def read_flags(datagram: ByteArray, runs: IntArray, row: Array) -> None:
    """Any nonzero byte is a set flag."""
    for run in range(runs.shape[0]):
        source, target, count = runs[run, 0], runs[run, 1], runs[run, 2]
        for i in range(count):
            row[target + i] = 1.0 if datagram[source + i] != 0 else 0.0


@kernel
def write_flags(row: Array, runs: IntArray, datagram: ByteArray) -> None:
    """Set flags are written as 1."""
    for run in range(runs.shape[0]):
        source, target, count = runs[run, 0], runs[run, 1], runs[run, 2]
        for i in range(count):
            datagram[source + i] = 1 if row[target + i] != 0.0 else 0


@kernel
def read_f8(datagram: ByteArray, runs: IntArray, row: Array) -> None:
    """Copy binary64 numbers."""
    for run in range(runs.shape[0]):
        source, target, count = runs[run, 0], runs[run, 1], runs[run, 2]
        for i in range(count):
            row[target + i] = load_f8(datagram, source + 8 * i)


@kernel
def write_f8(row: Array, runs: IntArray, datagram: ByteArray) -> None:
    """Copy binary64 numbers."""
    for run in range(runs.shape[0]):
        source, target, count = runs[run, 0], runs[run, 1], runs[run, 2]
        for i in range(count):
            store_f8(datagram, source + 8 * i, row[target + i])


@kernel
def add_parallel(matrix: Array, at: int, mass: float, row: Array, centre: int, sign: float) -> None:
    """Add `sign` times mass (|c|^2 1 - c c^T), the shift of an inertia by `centre`."""
    x, y, z = row[centre], row[centre + 1], row[centre + 2]
    weight = sign * mass
    matrix[at] += weight * (y * y + z * z)
    matrix[at + 4] += weight * (x * x + z * z)
    matrix[at + 8] += weight * (x * x + y * y)
    matrix[at + 1] -= weight * x * y
    matrix[at + 3] -= weight * x * y
    matrix[at + 2] -= weight * x * z
    matrix[at + 6] -= weight * x * z
    matrix[at + 5] -= weight * y * z
    matrix[at + 7] -= weight * y * z


@kernel
def combine_loads(state: Array, total_mass: float) -> None:
    """Fill `m_total`, `F_x_Ctotal`, `I_total` of a row from its end effector and load.

    fci-protocol 11.2, with S(v) S(v) = v v^T - |v|^2 1.

    Args:
        state: (STATE_SIZE,) row, changed in place.
        total_mass: The sum of both masses as the version forms it, kg.
    """
    m, n = state[S_m_ee], state[S_m_load]
    state[S_m_total] = total_mass
    total = m + n
    for i in range(3):
        moment = m * state[S_F_x_Cee + i] + n * state[S_F_x_Cload + i]
        state[S_F_x_Ctotal + i] = moment / total if total > 0.0 else 0.0
    for i in range(9):
        state[S_I_total + i] = 0.0
    if total_mass == 0.0:
        return
    if m != 0.0:
        for i in range(9):
            state[S_I_total + i] += state[S_I_ee + i]
        add_parallel(state, S_I_total, m, state, S_F_x_Cee, 1.0)
    if n != 0.0:
        for i in range(9):
            state[S_I_total + i] += state[S_I_load + i]
        add_parallel(state, S_I_total, n, state, S_F_x_Cload, 1.0)
    add_parallel(state, S_I_total, total_mass, state, S_F_x_Ctotal, -1.0)


@kernel
def read_modes(datagram: ByteArray, modes: int, robot_mode: int, state: Array) -> None:
    """Copy the three mode bytes; a robot mode that nobody knows is Other."""
    state[S_motion_generator_mode] = datagram[modes]
    state[S_controller_mode] = datagram[modes + 1]
    mode = datagram[robot_mode]
    state[S_robot_mode] = mode if mode <= LAST_ROBOT_MODE else 0


@kernel
def write_modes(state: Array, modes: int, robot_mode: int, datagram: ByteArray) -> None:
    """Copy the three mode bytes."""
    datagram[modes] = np.uint8(int(state[S_motion_generator_mode]))
    datagram[modes + 1] = np.uint8(int(state[S_controller_mode]))
    datagram[robot_mode] = np.uint8(int(state[S_robot_mode]))


@kernel
def decode_state_v10(datagram: ByteArray, state: Array) -> None:
    """Fill a row from a datagram of version 10: binary32 numbers, masses summed in binary32."""
    runs = STATE_NUMBERS_V10
    for run in range(runs.shape[0]):
        source, target, count = runs[run, 0], runs[run, 1], runs[run, 2]
        for i in range(count):
            state[target + i] = load_f4(datagram, source + 4 * i)
    read_flags(datagram, STATE_FLAGS_V10, state)
    read_modes(datagram, MODES_V10, ROBOT_MODE_V10, state)
    total = np.float32(state[S_m_ee]) + np.float32(state[S_m_load])
    combine_loads(state, np.float64(total))


@kernel
def decode_state_v5(datagram: ByteArray, state: Array) -> None:
    """Fill a row from a datagram of version 5, which has no accelerometers."""
    read_f8(datagram, STATE_NUMBERS_V5, state)
    read_flags(datagram, STATE_FLAGS_V5, state)
    read_modes(datagram, MODES_V5, ROBOT_MODE_V5, state)
    for i in range(18):
        state[S_accelerometer_top + i] = 0.0
        state[S_accelerometer_bottom + i] = 0.0
    combine_loads(state, state[S_m_ee] + state[S_m_load])


@kernel
def decode_state(version: int, datagram: ByteArray, length: int, state: Array) -> int:
    """Decode one RobotState datagram.

    Args:
        version: 10 or 5.
        datagram: Bytes, uint8; may be longer than what was received.
        length: Number of bytes received.
        state: (STATE_SIZE,) row to fill.

    Returns:
        0 on success; 1 when `length` is less than the structure; 2 for another version.
    """
    if version == 10:
        if length < STATE_SIZE_V10:
            return 1
        decode_state_v10(datagram, state)
    elif version == 5:
        if length < STATE_SIZE_V5:
            return 1
        decode_state_v5(datagram, state)
    else:
        return 2
    state[STATE_ID] = load_u8(datagram, 0)
    return 0


@kernel
def encode_state(version: int, state: Array, datagram: ByteArray) -> int:
    """Encode a row as a RobotState datagram; the derived load values are not part of it.

    Args:
        version: 10 (numbers are rounded to binary32) or 5.
        state: (STATE_SIZE,) row.
        datagram: Bytes, uint8, at least the size of the structure.

    Returns:
        Bytes written, 0 for another version.
    """
    if version == 10:
        runs = STATE_NUMBERS_V10
        for run in range(runs.shape[0]):
            target, source, count = runs[run, 0], runs[run, 1], runs[run, 2]
            for i in range(count):
                store_f4(datagram, target + 4 * i, state[source + i])
        write_flags(state, STATE_FLAGS_V10, datagram)
        write_modes(state, MODES_V10, ROBOT_MODE_V10, datagram)
    elif version == 5:
        write_f8(state, STATE_NUMBERS_V5, datagram)
        write_flags(state, STATE_FLAGS_V5, datagram)
        write_modes(state, MODES_V5, ROBOT_MODE_V5, datagram)
    else:
        return 0
    store_u8(datagram, 0, np.int64(state[STATE_ID]))
    return STATE_SIZE_V10 if version == 10 else STATE_SIZE_V5


@kernel
def encode_command(version: int, command: Array, datagram: ByteArray) -> int:
    """Encode a command row as a RobotCommand datagram.

    Args:
        version: 10 or 5; 5 has no `torque_command_finished`.
        command: (COMMAND_SIZE,) row.
        datagram: Bytes, uint8, at least the size of the structure.

    Returns:
        Bytes written, 0 for another version.
    """
    if version != 10 and version != 5:
        return 0
    store_u8(datagram, 0, np.int64(command[COMMAND_ID]))
    write_f8(command, COMMAND_NUMBERS, datagram)
    if version == 5:
        write_flags(command, COMMAND_FLAGS_V5, datagram)
        return COMMAND_SIZE_V5
    write_flags(command, COMMAND_FLAGS_V10, datagram)
    return COMMAND_SIZE_V10


@kernel
def decode_command(version: int, datagram: ByteArray, length: int, command: Array) -> int:
    """Decode one RobotCommand datagram.

    Args:
        version: 10 or 5; with 5 `torque_command_finished` of the row is 0.
        datagram: Bytes, uint8.
        length: Number of bytes received.
        command: (COMMAND_SIZE,) row to fill.

    Returns:
        0 on success; 1 when `length` is less than the structure; 2 for another version.
    """
    if version != 10 and version != 5:
        return 2
    if length < (COMMAND_SIZE_V10 if version == 10 else COMMAND_SIZE_V5):
        return 1
    command[COMMAND_SIZE - 1] = 0.0
    command[COMMAND_ID] = load_u8(datagram, 0)
    read_f8(datagram, COMMAND_NUMBERS, command)
    if version == 5:
        read_flags(datagram, COMMAND_FLAGS_V5, command)
    else:
        read_flags(datagram, COMMAND_FLAGS_V10, command)
    return 0
