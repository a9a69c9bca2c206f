"""Copies the parts of the shared FCI material that the tests rely on.

Origin: `spec/fci_layout_v*.json`, `cases/fci_compute.json`, `cases/fci/*` of the shared
folder (recorded from libfranka 0.21.3, libfranka 0.9.2 and franka-rs 0.4.0). Run it with that
folder as argument.
"""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
COPIES = (
    "spec/fci_layout_v10.json",
    "spec/fci_layout_v5.json",
    "cases/fci_compute.json",
    "cases/fci/reactions_v10.json",
    "cases/fci/reactions_v5.json",
)
DECODED = {  # session: how many of its decoded states are kept
    "v10_frankars_random_states": 2,
    "v10_pylibfranka_random_states": 3,
    "v5_panda_random_states": 3,
}
MOTIONS = {  # session: (command ids of its Move requests, commands kept of each motion)
    "v10_libfranka_scripted_callbacks": ((5, 6), 6),
    "v5_panda_scripted_setters_motions": ((12, 13), 4),
}


def lines(shared: Path, session: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a session."""
    path = shared / "cases" / "fci" / f"{session}.jsonl"
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _is_state(record: dict[str, Any]) -> bool:
    return bool(record["kind"] == "message" and record["name"] == "RobotState")


def decoded(shared: Path, session: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield the first decoded states of a session with their datagrams."""
    records = list(lines(shared, session))
    states = {r["message_id"]: r for r in records if _is_state(r)}
    wanted = [r for r in records if r["kind"] == "decoded"][:count]
    yield records[0]
    for record in wanted:
        yield states[record["message_id"]]
        yield record


def motions(
    shared: Path, session: str, moves: tuple[int, ...], count: int
) -> Iterator[dict[str, Any]]:
    """Yield the first commands of some motions and the states they answer."""
    active, left = False, 0
    for record in lines(shared, session):
        name = record.get("name")
        if record["kind"] == "session":
            yield record
        elif record["kind"] == "message" and name == "Move.Request":
            active, left = record["command_id"] in moves, count
            if active:
                yield record
        elif not active or not left or record["kind"] != "message":
            continue
        elif name in ("RobotState", "RobotCommand"):
            left -= name == "RobotCommand"
            yield record


def write(name: str, records: list[dict[str, Any]]) -> None:
    """Write records, one a line."""
    text = "".join(json.dumps(record) + "\n" for record in records)
    (HERE / name).write_text(text, encoding="utf-8")


def main(shared: Path) -> None:
    """Copy everything."""
    for copy in COPIES:
        shutil.copyfile(shared / copy, HERE / Path(copy).name)
    for session, count in DECODED.items():
        write(f"{session}.jsonl", list(decoded(shared, session, count)))
    for session, (moves, count) in MOTIONS.items():
        write(f"{session}.jsonl", list(motions(shared, session, moves, count)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
