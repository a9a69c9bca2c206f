"""A run on disk: an append-only log that is readable at every moment of its life.

The log is a head and a row of blocks. The head names the tables with their fields; a block holds
rows of one table and a checksum. A process that is killed leaves at most its last block unfinished,
and a reader takes everything before it.
"""

import json
import logging
import struct
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Protocol

import numpy as np

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError, ProtocolError
from kinegraph.scene.array_types import Array

__all__ = ["RecordedRun", "Recorder", "RowSource", "read_run"]

_LOG = logging.getLogger("kinegraph.robot")

MAGIC = b"kinegraph run 1\n"
HEAD = struct.Struct("<I")
BLOCK = struct.Struct("<4sIIQ")  # mark, table, rows, rows lost before these
CHECK = struct.Struct("<I")
MARK = b"rows"
PERIOD_S = 0.2


class RowSource(Protocol):
    """What a table is filled from: a reader of a ring of rows."""

    @property
    def fields(self) -> Sequence[tuple[str, int]]:
        """Names of the fields of a row, with their numbers of entries."""
        ...

    def read(self) -> tuple[Array, int]:
        """Return the rows (n, width) since the last call, and how many were lost before them."""
        ...


class Recorder:
    """Writes rows of several sources into one log, from a thread of its own.

    Use it as a context manager around the run. The loop is never waited for: the recorder reads
    rings, and rows that it was too late for are counted in the log.

    Args:
        path: File to be written; an existing one is replaced.
        sources: Readers by table name.
        notes: What else the reader of the run should know; JSON types.
    """

    def __init__(
        self,
        path: Path | str,
        sources: Mapping[str, RowSource],
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        if not sources:
            raise InvalidArgumentError("Recorder: no sources to record")
        self.path = Path(path)
        self._sources = dict(sources)
        self._notes = dict(notes or {})
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._file: BinaryIO | None = None
        self._failure: BaseException | None = None

    def start(self) -> "Recorder":
        """Write the head and begin to record.

        Raises:
            InvalidOperationError: It runs already, or has run.
            OSError: The file cannot be written.
        """
        if self._thread is not None:
            raise InvalidOperationError("Recorder.start: a recorder runs once")
        head = {
            "tables": [
                {"name": name, "fields": [[field, int(count)] for field, count in source.fields]}
                for name, source in self._sources.items()
            ],
            "notes": self._notes,
        }
        text = json.dumps(head).encode()
        self._file = self.path.open("wb")
        try:
            self._file.write(MAGIC + HEAD.pack(len(text)) + text)
            self._file.flush()
        except BaseException:
            self._close()
            raise
        self._thread = threading.Thread(target=self._run, name="kinegraph-recorder", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Write what is left and close the file.

        Raises:
            OSError: Writing failed; what was written before is readable.
        """
        if self._thread is None:
            return
        self._stop.set()
        self._thread.join()
        try:
            self._close()
        except OSError as unwritten:
            self._failure = self._failure or unwritten
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _run(self) -> None:
        try:
            while not self._stop.wait(PERIOD_S):
                self._drain()
            self._drain()
        except Exception as failure:  # handed to whoever calls stop()
            _LOG.error("%s: recording has ended: %s", self.path, failure)
            self._failure = failure

    def _drain(self) -> None:
        if self._file is None:
            return
        for table, source in enumerate(self._sources.values()):
            rows, lost = source.read()
            if len(rows) == 0 and lost == 0:
                continue
            payload = np.ascontiguousarray(rows, dtype="<f8").tobytes()
            block = BLOCK.pack(MARK, table, len(rows), lost) + payload
            self._file.write(block + CHECK.pack(zlib.crc32(block)))
        self._file.flush()

    def __enter__(self) -> "Recorder":
        """Start."""
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop."""
        self.stop()


@dataclass(frozen=True, slots=True, eq=False)
class RecordedRun:
    """A run read back.

    Attributes:
        tables: Rows by table name, as structured arrays of float64 fields.
        lost: Rows that the recorder was too late for, by table name.
        notes: What the recorder was given to note.
        complete: Whether the log ends at the end of a block; False after a kill.
    """

    tables: dict[str, np.ndarray]
    lost: dict[str, int]
    notes: dict[str, Any]
    complete: bool

    def save_npz(self, path: Path | str) -> None:
        """Write all tables as one compressed npz file."""
        np.savez_compressed(path, **self.tables)  # type: ignore[arg-type]


def read_run(path: Path | str) -> RecordedRun:
    """Read a log, also one whose writer was killed or still writes.

    Raises:
        ProtocolError: The file is no log of ours, or a block before the last is damaged.
        OSError: The file cannot be read.
    """
    data = Path(path).read_bytes()
    start = len(MAGIC) + HEAD.size
    if not data.startswith(MAGIC) or len(data) < start:
        raise ProtocolError(f"{path}: not a recorded run")
    size = HEAD.unpack_from(data, len(MAGIC))[0]
    if len(data) < start + size:
        raise ProtocolError(f"{path}: the head of the recorded run is cut off")
    names, dtypes, notes = _read_head(data[start : start + size], path)
    parts: list[list[bytes]] = [[] for _ in dtypes]
    lost = [0] * len(dtypes)
    at, complete = start + size, True
    while at < len(data):
        end = _block_end(data, at, dtypes)
        if end is None or end > len(data):
            complete = False
            break
        if CHECK.unpack_from(data, end - CHECK.size)[0] != zlib.crc32(data[at : end - CHECK.size]):
            raise ProtocolError(f"{path}: damaged block at byte {at}")
        _, table, _, missed = BLOCK.unpack_from(data, at)
        parts[table].append(data[at + BLOCK.size : end - CHECK.size])
        lost[table] += missed
        at = end
    tables = {
        name: np.frombuffer(b"".join(blocks), dtype=dtype)
        for name, blocks, dtype in zip(names, parts, dtypes, strict=True)
    }
    return RecordedRun(tables, dict(zip(names, lost, strict=True)), notes, complete)


def _read_head(text: bytes, path: Path | str) -> tuple[list[str], list[np.dtype[Any]], Any]:
    """Return the tables' names and types and the notes."""
    try:
        head = json.loads(text)
        names = [str(table["name"]) for table in head["tables"]]
        dtypes = [_dtype(table["fields"]) for table in head["tables"]]
        notes = head["notes"]
    except (ValueError, TypeError, KeyError, OverflowError) as damage:
        raise ProtocolError(f"{path}: the head of the recorded run is damaged: {damage}") from None
    if len(set(names)) != len(names):
        raise ProtocolError(f"{path}: the head of the recorded run names a table twice")
    return names, dtypes, notes


def _dtype(fields: Sequence[tuple[str, int]]) -> np.dtype[Any]:
    return np.dtype([(name, "<f8") if n == 1 else (name, "<f8", (n,)) for name, n in fields])


def _block_end(data: bytes, at: int, dtypes: Sequence[np.dtype[Any]]) -> int | None:
    if at + BLOCK.size > len(data):
        return None
    mark, table, rows, _ = BLOCK.unpack_from(data, at)
    if mark != MARK or table >= len(dtypes):
        raise ProtocolError(f"damaged block at byte {at}")
    return int(at + BLOCK.size + rows * dtypes[table].itemsize + CHECK.size)
