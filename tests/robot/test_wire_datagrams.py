"""Datagrams to rows and back, against numpy's own reading of the packed types."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot.wire import wire_kernels
from kinegraph.robot.wire.state_layout import (
    COMMAND_FIELDS,
    COMMAND_OFFSETS,
    COMMAND_SIZE,
    STATE_FIELDS,
    STATE_OFFSETS,
    STATE_SIZE,
)
from kinegraph.robot.wire.tables import PROTOCOLS

VERSIONS = [10, 5]
WIRE_NAMES = {
    "current_errors": "errors",
    "last_motion_errors": "reflex_reason",
    "time": "message_id",
}
DERIVED = ("m_total", "I_total", "F_x_Ctotal")


def random_state(version: int, seed: int) -> np.ndarray[Any, Any]:
    """A record whose every entry has a value of its own."""
    rng = np.random.default_rng(seed)
    record = np.zeros((), PROTOCOLS[version].dtype("RobotState"))
    for name in record.dtype.names or ():
        kind = record.dtype[name].base.kind
        shape = record[name].shape
        record[name] = rng.normal(size=shape) if kind == "f" else rng.integers(0, 2, shape)
    record["message_id"] = rng.integers(0, 2**53)
    record["robot_mode"], record["motion_generator_mode"] = rng.integers(0, 7), rng.integers(0, 6)
    record["m_ee"], record["m_load"] = rng.uniform(0.1, 2, 2)
    return record


def buffer(record: np.ndarray[Any, Any], room: int = 0) -> np.ndarray[Any, Any]:
    """The bytes of a record, in a longer buffer."""
    return np.frombuffer(bytearray(record.tobytes() + bytes(room)), np.uint8)


def field(row: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """One field of a state row."""
    start = STATE_OFFSETS[name]
    return row[start : start + dict(STATE_FIELDS)[name]]


def total_twin(record: np.ndarray[Any, Any], version: int) -> dict[str, Any]:
    """Total load by the formula as it is written, with skew matrices."""
    m, n = (np.float64(record[name]) for name in ("m_ee", "m_load"))
    c, d = (record[name].astype(float) for name in ("F_x_Cee", "F_x_Cload"))
    inertia, other = (record[name].astype(float).reshape(3, 3) for name in ("I_ee", "I_load"))
    total = np.float64(np.float32(m) + np.float32(n)) if version == 10 else m + n
    centre = (m * c + n * d) / (m + n) if m + n > 0 else np.zeros(3)

    def skew(v: Any) -> Any:
        return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])

    inertia, other = inertia * (m != 0), other * (n != 0)
    whole = inertia - m * skew(c) @ skew(c) + other - n * skew(d) @ skew(d)
    whole = whole + total * skew(centre) @ skew(centre)
    return {"m_total": total, "F_x_Ctotal": centre, "I_total": whole.ravel() * (total != 0)}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("seed", range(5))
def test_every_number_of_a_state_lands_in_its_place(version: int, seed: int) -> None:
    record, row = random_state(version, seed), np.full(STATE_SIZE, np.nan)
    data = buffer(record, room=3)
    assert wire_kernels.decode_state(version, data, len(data), row) == 0
    for name, _ in STATE_FIELDS:
        wire_name = WIRE_NAMES.get(name, name)
        if name in DERIVED:
            twin = total_twin(record, version)[name]
            np.testing.assert_allclose(field(row, name), twin, rtol=0, atol=1e-14)
        elif wire_name in (record.dtype.names or ()):
            np.testing.assert_array_equal(field(row, name), np.ravel(record[wire_name]), name)
        else:
            assert version == 5
            assert name.startswith("accelerometer")
            assert not field(row, name).any()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("seed", range(3))
def test_encoding_is_the_inverse_bit_for_bit(version: int, seed: int) -> None:
    record, row = random_state(version, seed), np.zeros(STATE_SIZE)
    data, again = buffer(record), np.full(record.nbytes + 2, 255, np.uint8)
    wire_kernels.decode_state(version, data, len(data), row)
    assert wire_kernels.encode_state(version, row, again) == record.nbytes
    assert again[: record.nbytes].tobytes() == record.tobytes()
    assert again[record.nbytes :].tolist() == [255, 255]


def test_version_ten_rounds_to_binary32() -> None:
    row, again = np.zeros(STATE_SIZE), np.zeros(STATE_SIZE)
    row[:] = np.random.default_rng(1).normal(size=STATE_SIZE)
    row[STATE_OFFSETS["time"]] = 2.0**53
    for name in ("robot_mode", "motion_generator_mode", "controller_mode"):
        row[STATE_OFFSETS[name]] = 2
    datagram = np.zeros(1377, np.uint8)
    wire_kernels.encode_state(10, row, datagram)
    wire_kernels.decode_state(10, datagram, 1377, again)
    np.testing.assert_array_equal(field(again, "O_T_EE"), field(row, "O_T_EE").astype(np.float32))
    assert field(again, "time")[0] == 2.0**53


@pytest.mark.parametrize("version", VERSIONS)
@settings(deadline=None)
@given(data=st.data())
def test_short_datagram_changes_nothing(version: int, data: st.DataObject) -> None:
    size = PROTOCOLS[version].size("RobotState")
    length = data.draw(st.integers(0, size - 1))
    row = np.full(STATE_SIZE, 7.0)
    assert wire_kernels.decode_state(version, np.zeros(size, np.uint8), length, row) == 1
    assert (row == 7.0).all()


def test_unknown_version_is_told() -> None:
    data, row, command = (
        np.zeros(2400, np.uint8),
        np.full(STATE_SIZE, 7.0),
        np.full(COMMAND_SIZE, 7.0),
    )
    assert wire_kernels.decode_state(7, data, 2400, row) == 2
    assert wire_kernels.encode_state(7, row, data) == 0
    assert wire_kernels.decode_command(7, data, 2400, command) == 2
    assert wire_kernels.encode_command(7, command, data) == 0
    assert (row == 7.0).all()
    assert (command == 7.0).all()
    assert not data.any()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("mode", [7, 9, 255])
def test_unknown_robot_mode_is_other(version: int, mode: int) -> None:
    record, row = random_state(version, 0), np.zeros(STATE_SIZE)
    record["robot_mode"], record["controller_mode"] = mode, 200
    wire_kernels.decode_state(version, buffer(record), record.nbytes, row)
    assert field(row, "robot_mode")[0] == 0
    assert field(row, "controller_mode")[0] == 200


@pytest.mark.parametrize("version", VERSIONS)
def test_any_nonzero_byte_is_a_set_flag(version: int) -> None:
    record, row = random_state(version, 0), np.zeros(STATE_SIZE)
    record["errors"] = np.arange(41) * 6 % 256
    wire_kernels.decode_state(version, buffer(record), record.nbytes, row)
    np.testing.assert_array_equal(field(row, "current_errors"), np.arange(41) > 0)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("m_ee", "m_load"), [(0.7, 0.0), (0.0, 1.2), (0.0, 0.0), (0.3, -0.3)])
def test_body_without_mass_does_not_count(version: int, m_ee: float, m_load: float) -> None:
    record, row = random_state(version, 2), np.zeros(STATE_SIZE)
    record["m_ee"], record["m_load"] = m_ee, m_load
    wire_kernels.decode_state(version, buffer(record), record.nbytes, row)
    for name, twin in total_twin(record, version).items():
        np.testing.assert_allclose(field(row, name), twin, rtol=0, atol=1e-14)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("seed", range(3))
def test_command_goes_there_and_back(version: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    row, again = rng.normal(size=COMMAND_SIZE), np.full(COMMAND_SIZE, np.nan)
    row[COMMAND_OFFSETS["message_id"]] = rng.integers(0, 2**53)
    flags = ("valid_elbow", "motion_generation_finished", "torque_command_finished")
    for name in flags:
        row[COMMAND_OFFSETS[name]] = rng.integers(0, 2)
    datagram = np.zeros(400, np.uint8)
    size = wire_kernels.encode_command(version, row, datagram)
    assert size == PROTOCOLS[version].size("RobotCommand")
    record = datagram[:size].view(PROTOCOLS[version].dtype("RobotCommand"))[0]
    for name, count in COMMAND_FIELDS:
        values = row[COMMAND_OFFSETS[name] : COMMAND_OFFSETS[name] + count]
        (wire_name,) = [n for n in record.dtype.names if n.rpartition(".")[2] == name] or [None]
        if wire_name is not None:
            np.testing.assert_array_equal(values, np.ravel(record[wire_name]))
    assert wire_kernels.decode_command(version, datagram, size, again) == 0
    if version == 5:
        row[COMMAND_OFFSETS["torque_command_finished"]] = 0
    np.testing.assert_array_equal(again, row)
    assert wire_kernels.decode_command(version, datagram, size - 1, again) == 1


@settings(deadline=None)
@given(st.floats(width=64, allow_nan=False), st.integers(0, 7))
def test_loads_and_stores_at_odd_addresses(value: float, at: int) -> None:
    data = np.zeros(16, np.uint8)
    store_double(data, at, value)
    assert load_double(data, at) == value


def store_double(data: np.ndarray[Any, Any], at: int, value: float) -> None:
    """Store through numpy."""
    data[at : at + 8] = np.frombuffer(np.float64(value).tobytes(), np.uint8)


def load_double(data: np.ndarray[Any, Any], at: int) -> float:
    """Load through the kernel."""
    out = np.zeros(1)
    wire_kernels.read_f8(data, np.array([[at, 0, 1]]), out)
    return float(out[0])
