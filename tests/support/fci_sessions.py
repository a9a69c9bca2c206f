"""Recorded FCI sessions: their datagrams, decoded states and motions."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared_cases import GOLDEN, shared_root

from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.messages import FrameReader, decode_request
from kinegraph.robot.wire.tables import PROTOCOLS


def session_paths() -> list[Path]:
    """Every recorded session of a robot: the golden parts, and the whole ones where they are."""
    paths = sorted((GOLDEN / "fci").glob("v*.jsonl"))
    root = shared_root()
    return paths + (sorted((root / "cases" / "fci").glob("v*.jsonl")) if root else [])


def records(path: Path) -> list[dict[str, Any]]:
    """The records of a session."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


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
