"""Reading a recorded run from its file."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np

from kinegraph.robot.errors import ProtocolError
from kinegraph.robot.recording.facts import checked_path
from kinegraph.robot.recording.form import (
    M_ABOUT,
    M_END,
    M_EVENT,
    M_ROWS,
    M_TABLE,
    ROWS,
    Frame,
    read_frames,
    read_magic,
    row_dtype,
)
from kinegraph.robot.recording.run import Gap, RecordedRun, RunEvent

__all__ = ["read_run"]


class Tables(Mapping[str, np.ndarray]):
    """The tables of a file by name, each read when it is first asked for."""

    def __init__(self, path: Path, found: Sequence["_Table"]) -> None:
        self._path = path
        self._found = {table.name: table for table in found}
        self._read: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        rows = self._read.get(name)
        if rows is None:
            rows = self._found[name].read(self._path)
            self._read[name] = rows
        return rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __contains__(self, name: object) -> bool:
        return name in self._found


@dataclass
class _Table:
    name: str
    dtype: np.dtype[Any]
    spans: list[tuple[int, int]] = field(default_factory=list)  # where rows stand, and how many
    gaps: list[Gap] = field(default_factory=list)
    rows: int = 0

    def read(self, path: Path) -> np.ndarray:
        data = bytearray(self.rows * self.dtype.itemsize)
        view, at = memoryview(data), 0
        with path.open("rb") as file:
            for start, rows in self.spans:
                size = rows * self.dtype.itemsize
                file.seek(start)
                if file.readinto(view[at : at + size]) != size:
                    raise ProtocolError(f"{path}: the file has become shorter since it was opened")
                at += size
        out = np.frombuffer(data, self.dtype)
        out.setflags(write=False)
        return out


@dataclass
class _Contents:
    """What the frames of a file add up to."""

    path: Path
    about: dict[str, Any] = field(default_factory=dict)
    tables: list[_Table] = field(default_factory=list)
    events: list[RunEvent] = field(default_factory=list)
    complete: bool = False
    damaged: int = 0

    def take(self, file: BinaryIO, frame: Frame) -> None:
        """Add a frame.

        Raises:
            ProtocolError: It cannot be what the writer wrote.
        """
        self.complete = frame.mark == M_END
        self.damaged += frame.skipped
        file.seek(frame.at)
        try:
            if frame.mark == M_ROWS:
                self._take_rows(file, frame)
            else:
                self._take_small(frame.mark, json.loads(file.read(frame.size)))
        except (ValueError, TypeError, KeyError, IndexError, OverflowError) as damage:
            raise ProtocolError(
                f"{self.path}: what stands at byte {frame.at} makes no sense: {damage!r}",
                byte=frame.at,
            ) from None

    def _take_rows(self, file: BinaryIO, frame: Frame) -> None:
        number, lost = ROWS.unpack(file.read(ROWS.size))
        table = self.tables[number]
        rows, rest = divmod(frame.size - ROWS.size, table.dtype.itemsize)
        if rest:
            raise ValueError(f"rows of {table.name} with {rest} bytes left over")
        if lost:
            table.gaps.append(Gap(table.rows, lost))
        if rows:
            table.spans.append((frame.at + ROWS.size, rows))
        table.rows += rows

    def _take_small(self, mark: bytes, content: Any) -> None:
        if mark == M_ABOUT:
            self.about = dict(content)
        elif mark == M_TABLE:
            name = str(content["name"])
            if any(table.name == name for table in self.tables):
                raise ValueError(f"the table {name} twice")
            self.tables.append(_Table(name, row_dtype(content["fields"])))
        elif mark == M_EVENT:
            facts = MappingProxyType(dict(content["facts"]))
            self.events.append(RunEvent(str(content["what"]), int(content["at_ns"]), facts))


def read_run(path: Path | str, *, salvage: bool = False) -> RecordedRun:
    """Read a log, also one whose writer was killed or still writes.

    Tables are read from the file when they are first asked for.

    Args:
        path: File to be read.
        salvage: Whether damage in the middle of the file is skipped; else it is an error. What is
            missing at the end, as after a kill, never is one.

    Raises:
        InvalidArgumentError: No path. Also a `ValueError`.
        ProtocolError: The file is no recorded run, one of another form, or damaged.
        OSError: The file cannot be read.
    """
    path = checked_path(path).absolute()
    contents, first = _Contents(path), None
    with path.open("rb") as file:
        read_magic(file, path)
        for frame in read_frames(file, path, salvage=salvage):
            if first is None:
                first = frame
                if frame.mark != M_ABOUT:
                    raise ProtocolError(f"{path}: not a recorded run: its head is damaged")
            contents.take(file, frame)
    if first is None:
        raise ProtocolError(f"{path}: not a recorded run: its head is cut off")
    about = dict(contents.about)
    notes, model = about.pop("notes", {}), about.pop("robot_model", None)
    return RecordedRun(
        tables=Tables(path, contents.tables),
        lost={table.name: sum(gap.lost for gap in table.gaps) for table in contents.tables},
        gaps={table.name: tuple(table.gaps) for table in contents.tables},
        events=tuple(sorted(contents.events, key=lambda event: event.at_ns)),
        notes=notes if isinstance(notes, dict) else {},
        about=MappingProxyType(about),
        robot_model=None if model is None else str(model),
        complete=contents.complete,
        damaged=contents.damaged,
    )
