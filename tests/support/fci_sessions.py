"""Recorded FCI sessions: their datagrams, decoded states and motions."""

import base64
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from shared_cases import GOLDEN, shared_root

from kinegraph.robot.error_flags import MEMBER_NAMES, Errors
from kinegraph.robot.modes import RobotMode
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.messages import FrameReader, decode_request
from kinegraph.robot.wire.tables import PROTOCOLS

DERIVED = ("m_total", "F_x_Ctotal", "I_total")
MODES = {mode.name.lower(): mode for mode in RobotMode}


def session_paths() -> list[Path]:
    """Every recorded session of a robot: the golden ones, and others where there are any."""
    paths = sorted((GOLDEN / "fci").glob("v*.jsonl.gz"))
    known, root = {path.stem for path in paths}, shared_root()
    others = sorted((root / "cases" / "fci").glob("v*.jsonl")) if root else []
    return paths + [path for path in others if path.name not in known]


def records(path: Path) -> list[dict[str, Any]]:
    """The records of a session."""
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.decode("utf-8").splitlines()]


def version_of(path: Path) -> int:
    """Version that a session's states are in."""
    return 5 if path.name.startswith("v5") else 10


def decode(version: int, datagram: bytes) -> RobotState:
    """Decode a state of either version."""
    return RobotState.from_wire(datagram) if version == 10 else RobotState.from_wire_v5(datagram)


def decoded_states(path: Path) -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """The client's name, the datagram and what the client showed, for each decoded state."""
    datagrams: dict[int, bytes] = {}
    for record in records(path):
        if record["kind"] == "message" and record["name"] == "RobotState":
            datagrams[record["message_id"]] = base64.b64decode(record["b64"])
        elif record["kind"] == "decoded":
            yield record["by"], datagrams[record["message_id"]], record["state"]


def assert_shown(version: int, datagram: bytes, by: str, shown: dict[str, Any]) -> None:
    """Compare a state with what the recorded client showed of it."""
    state = decode(version, datagram)
    for name, value in shown.items():
        got = getattr(state, name)
        if name in ("current_errors", "last_motion_errors"):
            assert set(got) == _expected_errors(value, by, got)
        elif name == "robot_mode":
            assert got is MODES[value.removeprefix("k").replace("_", "").lower()]
        elif name == "time":
            assert got == (round(value * 1000) if by.startswith("franka-rs") else value)
        elif name in DERIVED and name != "m_total":
            np.testing.assert_allclose(got, value, rtol=0, atol=4e-15)
        else:
            np.testing.assert_array_equal(np.ravel(got), np.ravel(value), name)


def _expected_errors(names: list[str], by: str, got: Errors) -> set[str]:
    """The client's names in the printed spelling; panda-python lacks the last four flags."""
    printed = {MEMBER_NAMES.get(name, name) for name in names}
    hidden = set(Errors.NAMES[37:]) & set(got) if by.startswith("panda") else set()
    return printed | hidden


@dataclass
class Motion:
    """One recorded motion."""

    request: dict[str, Any]
    cycles: list[tuple[RobotState, bytes]] = field(default_factory=list)


def motions(path: Path) -> list[Motion]:
    """The motions of a session: each command with the state it answers."""
    version, found, states = version_of(path), [], {}
    for record in records(path):
        if record["kind"] != "message":
            continue
        data = base64.b64decode(record["b64"])
        if record["name"] == "Move.Request":
            (frame,) = FrameReader(PROTOCOLS[version]).feed(data)
            found.append(Motion(decode_request(PROTOCOLS[version], frame)[1]))
        elif record["name"] == "RobotState":
            states[record["message_id"]] = decode(version, data)
        elif record["name"] == "RobotCommand":
            found[-1].cycles.append((states[record["message_id"]], data))
    return found
