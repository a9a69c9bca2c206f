"""States as real clients decoded them, and what decoding accepts."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fci_sessions import assert_shown, decode, decoded_states, session_paths, version_of
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot import ProtocolError, RobotMode, RobotState
from kinegraph.robot.wire.tables import PROTOCOLS

SIZES = {10: 1377, 5: 2373}
CASES = [
    pytest.param(path, index, id=f"{path.name} {index}")
    for path in session_paths()
    for index, _ in enumerate(decoded_states(path))
]


@pytest.mark.parametrize(("path", "index"), CASES)
def test_decoded_state_is_what_the_client_showed(path: Path, index: int) -> None:
    by, datagram, shown = list(decoded_states(path))[index]
    assert_shown(version_of(path), datagram, by, shown)


@pytest.mark.parametrize(("path", "index"), CASES)
def test_recorded_datagram_is_encoded_again_bit_for_bit(path: Path, index: int) -> None:
    _, datagram, _ = list(decoded_states(path))[index]
    version = version_of(path)
    state = decode(version, datagram)
    again = state.to_wire() if version == 10 else state.to_wire_v5()
    dtype = PROTOCOLS[version].dtype("RobotState")
    before, after = (np.frombuffer(data, dtype)[0].copy() for data in (datagram, again))
    after["robot_mode"] = before["robot_mode"]  # an unknown byte comes back as Other
    assert after.tobytes() == before.tobytes()


@pytest.mark.parametrize("version", [10, 5])
def test_any_buffer_and_a_record_decode_alike(version: int) -> None:
    record = np.zeros((), PROTOCOLS[version].dtype("RobotState"))
    record["q"], record["message_id"], record["robot_mode"] = np.arange(7), 12, 2
    data = record.tobytes()
    states = [
        decode(version, form)  # type: ignore[arg-type]
        for form in (data, bytearray(data), memoryview(data), record, record[()], data + b"tail")
    ]
    states.append(decode(version, np.frombuffer(data, np.uint8)))  # type: ignore[arg-type]
    assert all(state == states[0] for state in states)
    assert states[0].time == 12
    assert states[0].robot_mode is RobotMode.Move
    assert states[0].q.tolist() == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("version", [10, 5])
@settings(deadline=None)
@given(data=st.data())
def test_short_datagram_is_refused(version: int, data: st.DataObject) -> None:
    length = data.draw(st.integers(0, SIZES[version] - 1))
    with pytest.raises(ProtocolError, match="libfranka: incorrect object size") as caught:
        decode(version, bytes(length))
    assert (caught.value.expected, caught.value.received) == (SIZES[version], length)


def test_what_has_no_bytes_is_refused() -> None:
    with pytest.raises(ProtocolError, match="no bytes"):
        RobotState.from_wire("text")


@pytest.mark.parametrize("version", [10, 5])
@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_any_bytes_of_the_right_size_decode(version: int, data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 2**32 - 1))
    raw = np.random.default_rng(seed).integers(0, 256, SIZES[version], np.uint8)
    raw[:8] = np.frombuffer(np.uint64(seed).tobytes(), np.uint8)
    with np.errstate(all="ignore"):  # what numbers these are is nobody's matter
        state = decode(version, raw.tobytes())
    assert state.time == seed
    assert isinstance(state.robot_mode, RobotMode)
    record = np.frombuffer(raw.tobytes(), PROTOCOLS[version].dtype("RobotState"))[0]
    with np.errstate(invalid="ignore"):  # signalling NaN
        wanted = record["q"].astype(float)
    np.testing.assert_array_equal(state.q, wanted)
    assert state.current_errors.flags == tuple(bool(byte) for byte in record["errors"])


def test_non_finite_numbers_are_decoded_and_kept() -> None:
    state = RobotState().replace(q=[np.nan, np.inf, -np.inf, 0, 0, 0, 0])
    again = RobotState.from_wire_v5(state.to_wire_v5())
    np.testing.assert_array_equal(again.q, state.q)
    assert np.isnan(RobotState.from_json(state.to_json()).q[0])


def test_masses_are_added_as_the_version_adds_them() -> None:
    m, n = np.float32(0.1), np.float32(1.7)
    state = RobotState().replace(m_ee=float(m), m_load=float(n))
    v10 = RobotState.from_wire(state.to_wire()).m_total
    assert v10 == float(m + n)
    assert v10 != float(m) + float(n)
    assert RobotState.from_wire_v5(state.to_wire_v5()).m_total == float(m) + float(n)


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(("path", "index"), CASES)
def test_decoded_state_survives_every_form_of_storage(path: Path, index: int) -> None:
    _, datagram, _ = list(decoded_states(path))[index]
    state = decode(version_of(path), datagram)
    assert RobotState.from_dict(plain(state.to_dict())) == state
    assert RobotState.from_json(state.to_json()) == state
    assert RobotState.from_row(state.row) == state
