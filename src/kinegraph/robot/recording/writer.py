"""Writes a recorded run: frames appended one by one, safe against a kill and a full disk."""

import contextlib
import json
import logging
import operator
import os
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import as_numbers, check_whole
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.recording.facts import checked_json, checked_path
from kinegraph.robot.recording.form import (
    M_ABOUT,
    M_END,
    M_EVENT,
    M_TABLE,
    json_frame,
    magic,
    pack_frame,
    rows_frame,
)
from kinegraph.scene.array_types import Array

__all__ = ["RunWriter"]

_LOG = logging.getLogger("kinegraph.robot")
_MOST_LOST = 2**64 - 1
SYNC_S = 0.4
SMALL_MAX = 10_000


class RunWriter:
    """An open log. One thread writes to it.

    What was written survives the end of the process at once, and a loss of power after at most
    half a second. A write that fails (a full disk) raises nothing: the log is cut back to its last
    whole frame, the rows count as lost, and the next write tries again. `failure` and `close` tell.

    Args:
        path: File to be written; an existing one is replaced.
        about: What the run is; JSON types.

    Attributes:
        path: As given.
        failure: The first error of writing, None so far.

    Raises:
        InvalidArgumentError: No path, or `about` cannot be written as JSON. Also a `ValueError`.
        OSError: The file cannot be written at all.
    """

    def __init__(self, path: Path | str, about: Mapping[str, Any]) -> None:
        self.path = checked_path(path)
        self.failure: OSError | None = None
        head = json_frame(M_ABOUT, 0, checked_json("about", about))
        self._process = os.getpid()
        self._file = self.path.open("wb", buffering=0)
        self._end, self._number = 0, 1
        self._names: set[str] = set()
        self._widths: list[int] = []
        self._missed: list[int] = []
        # Tables and events that wait to be written: small, and tried again until they are.
        self._small: deque[tuple[bytes, bytes]] = deque()
        self._events_missed = 0
        try:
            self._append(magic() + head)
        except BaseException:
            self._file.close()
            raise
        self._closing = threading.Event()
        self._syncer = threading.Thread(target=self._sync, name="kinegraph-sync", daemon=True)
        self._syncer.start()

    @property
    def is_open(self) -> bool:
        """Whether it can be written to."""
        return not self._file.closed and os.getpid() == self._process

    def add_table(self, name: str, fields: Sequence[tuple[str, int]]) -> int:
        """Announce a table.

        Args:
            name: Its name.
            fields: Names of the fields of a row, with their numbers of entries.

        Returns:
            Its number for `write_rows`.

        Raises:
            InvalidArgumentError: There is a table of that name, or these are no fields. Also a
                `ValueError`.
            InvalidOperationError: The log is closed.
        """
        if not isinstance(name, str) or not name or name in self._names:
            raise InvalidArgumentError(f"add_table: {name!r:.100} is no new name of a table")
        entry = {"name": name, "fields": checked_fields(name, fields)}
        self._check_open()
        self._names.add(name)
        self._small.append((M_TABLE, json.dumps(entry).encode()))
        self._widths.append(sum(int(count) for _, count in fields))
        self._missed.append(0)
        self._try(b"")
        return len(self._widths) - 1

    def write_rows(self, table: int, rows: Array, lost: int = 0) -> None:
        """Append rows.

        Args:
            table: Number of the table.
            rows: (n, width) float64, n may be 0.
            lost: Rows that were lost right before these.

        Raises:
            InvalidArgumentError: No such table, or the rows are not as wide as it. Also a
                `ValueError`.
            InvalidOperationError: The log is closed.
        """
        whole = isinstance(table, int | np.integer) and not isinstance(table, bool)
        if not whole or not 0 <= table < len(self._widths):
            raise InvalidArgumentError(
                f"write_rows: there is no table {table!r}; {len(self._widths)} were added"
            )
        check_whole("lost", lost, 0, _MOST_LOST)
        if not isinstance(rows, np.ndarray) or rows.dtype != np.float64:
            rows = as_numbers("rows", rows)
        if rows.ndim != 2 or rows.shape[1] != self._widths[table]:
            raise InvalidArgumentError(
                f"rows of shape {rows.shape} for a table of {self._widths[table]} numbers a row"
            )
        self._check_open()
        missed = self._missed[table] + int(lost)
        written = (len(rows) == 0 and missed == 0) or self._try(
            rows_frame(self._number + len(self._small), table, missed, rows)
        )
        self._missed[table] = 0 if written else missed + len(rows)

    def write_event(self, event: Mapping[str, Any]) -> None:
        """Append an event, a JSON object.

        Raises:
            InvalidArgumentError: It cannot be written as JSON. Also a `ValueError`.
            InvalidOperationError: The log is closed.
        """
        entry = checked_json("event", event)
        self._check_open()
        if len(self._small) >= SMALL_MAX:
            self._events_missed += 1
            return
        self._small.append((M_EVENT, json.dumps(entry).encode()))
        self._try(b"")

    def close(self) -> None:
        """Mark the log as complete and close it; later calls do nothing.

        Raises:
            OSError: Something could not be written; what stands in the log is readable.
        """
        if self._file.closed:
            return
        if os.getpid() != self._process:  # the log belongs to the process that was forked
            self._file.close()
            return
        self._closing.set()
        self._syncer.join()
        for table, missed in enumerate(self._missed):
            if missed:
                self.write_rows(table, np.empty((0, self._widths[table])))
        end = {"missed_events": self._events_missed, "missed_rows": self._missed}
        if self.failure is not None:
            end["failure"] = str(self.failure)
        self._try(json_frame(M_END, self._number + len(self._small), end))
        try:
            os.fsync(self._file.fileno())
        except OSError as failure:
            self._note(failure)
        self._file.close()
        if self.failure is not None:
            raise self.failure

    def _check_open(self) -> None:
        if not self.is_open:
            raise InvalidOperationError(f"{self.path}: the log of this run is closed")

    def _try(self, frame: bytes) -> bool:
        """Write what waits, and then a frame; whether all could be written."""
        try:
            while self._small:
                self._append(pack_frame(self._small[0][0], self._number, self._small[0][1]))
                self._number += 1
                self._small.popleft()
            if frame:
                self._append(frame)
                self._number += 1
        except OSError as failure:
            self._note(failure)
            return False
        return True

    def _append(self, data: bytes) -> None:
        """Write all of it or nothing."""
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
        except OSError:
            self._cut_back()
            raise
        self._end += len(data)

    def _cut_back(self) -> None:
        # A piece of a frame would hide all that follows it.
        with contextlib.suppress(OSError):  # the error of writing says more
            os.ftruncate(self._file.fileno(), self._end)
            os.lseek(self._file.fileno(), self._end, os.SEEK_SET)

    def _note(self, failure: OSError) -> None:
        if self.failure is None:
            self.failure = failure
            _LOG.error("%s: the run is not being recorded: %s", self.path, failure)

    def _sync(self) -> None:
        # Apart from the writing thread: a slow disk must not keep it from emptying the rings.
        synced = 0
        while not self._closing.wait(SYNC_S):
            if self._end == synced:
                continue
            synced = self._end
            try:
                os.fdatasync(self._file.fileno())
            except OSError as failure:
                self._note(failure)

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; an error of the block comes before one of writing, which was logged."""
        try:
            self.close()
        except OSError:
            if error is None:
                raise


def checked_fields(table: str, fields: object) -> list[list[Any]]:
    """Return the fields of a table as the log has them.

    Raises:
        InvalidArgumentError: They are none. Also a `ValueError`.
    """
    try:
        pairs = [(name, operator.index(count)) for name, count in fields]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        pairs = []
    names = [name for name, _ in pairs]
    named = all(isinstance(name, str) and name for name in names) and len(set(names)) == len(names)
    if not pairs or not named or any(count < 1 for _, count in pairs):
        raise InvalidArgumentError(
            f"the fields of the table {table!r} are {fields!r:.100}; names with their numbers of "
            "entries are needed, each once"
        )
    return [[name, count] for name, count in pairs]
