"""A thread that empties rings of rows into a log, beside whatever runs."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.recording.facts import checked_json, checked_path, describe_run
from kinegraph.robot.recording.stopping import StoppedAtExit
from kinegraph.robot.recording.writer import RunWriter, checked_fields
from kinegraph.scene.array_types import Array

__all__ = ["Recorder", "RowSource"]

_LOG = logging.getLogger("kinegraph.robot")
PERIOD_S = 0.2
LUMPS_MAX = 1000


class RowSource(Protocol):
    """What a table is filled from: a reader of a ring of rows."""

    @property
    def fields(self) -> Sequence[tuple[str, int]]:
        """Names of the fields of a row, with their numbers of entries."""
        ...

    def read(self) -> tuple[Array, int]:
        """Return the rows (n, width) since the last call, and how many were lost before them."""
        ...


class Recorder(StoppedAtExit):
    """Writes rows of several sources into one log, from a thread of its own.

    Use it as a context manager around the run. The loop is never waited for: the recorder reads
    rings, and rows that it was too late for are counted in the log. A disk that is full loses rows,
    which are counted too, and `stop` raises; nothing else is disturbed.

    Args:
        path: File to be written; an existing one is replaced.
        sources: Readers by table name.
        notes: What else the reader of the run should know; JSON types.
        about: Facts about the run beside those that every run has; JSON types.

    Attributes:
        path: As given.
        before_drain: Called in the recorder's thread before rings are emptied; None: nothing.

    Raises:
        InvalidArgumentError: No path, no sources, or notes that JSON cannot hold. Also a
            `ValueError`.
    """

    def __init__(
        self,
        path: Path | str,
        sources: Mapping[str, RowSource],
        notes: Mapping[str, Any] | None = None,
        *,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(sources, Mapping) or not sources:
            raise InvalidArgumentError(f"Recorder: {sources!r:.100} are no sources to record")
        self.path = checked_path(path)
        self._sources = {name: checked_source(name, source) for name, source in sources.items()}
        self._notes = checked_json("notes", {} if notes is None else notes)
        self._about = checked_json("about", {} if about is None else about)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._writer: RunWriter | None = None
        self._events: deque[dict[str, Any]] = deque()
        self._tables: dict[str, int] = {}
        self.before_drain: Callable[[], None] | None = None
        self._broken: Exception | None = None

    @property
    def failure(self) -> Exception | None:
        """What went wrong with recording so far, None if nothing did."""
        return self._broken or (None if self._writer is None else self._writer.failure)

    @property
    def is_running(self) -> bool:
        """Whether it records."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> "Recorder":
        """Write the head and begin to record.

        Raises:
            InvalidOperationError: It runs already, or has run.
            OSError: The file cannot be written.
        """
        if self._thread is not None:
            raise InvalidOperationError("Recorder.start: a recorder runs once")
        self._writer = RunWriter(self.path, {**describe_run(), **self._about, "notes": self._notes})
        self._thread = threading.Thread(target=self._run, name="kinegraph-recorder", daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Write what is left and close the file; later calls do nothing.

        Raises:
            OSError: Writing failed at some time; what could be written is readable.
        """
        writer, self._writer = self._writer, None
        if self._thread is None or writer is None:
            return
        self._stop.set()
        self._thread.join()
        self._sources, self.before_drain = {}, None  # what they hold may hold this recorder
        try:
            writer.close()
        except OSError as failure:
            self._broken = self._broken or failure
        if self._broken is not None:
            raise self._broken

    def add_source(self, name: str, source: RowSource) -> None:
        """Record another table from now on.

        Raises:
            InvalidArgumentError: There is a table of that name, or this is no source. Also a
                `ValueError`.
        """
        if name in self._sources:
            raise InvalidArgumentError(f"Recorder: there is a table {name!r} already")
        checked_source(name, source)
        self._sources = {**self._sources, name: source}

    def add_event(self, what: str, at_ns: int, facts: Mapping[str, Any]) -> None:
        """Record that something happened; may be called from any thread and waits for nothing.

        Args:
            what: One word or two.
            at_ns: CLOCK_MONOTONIC, ns.
            facts: What is known about it; JSON types.

        Raises:
            InvalidArgumentError: JSON cannot hold the facts. Also a `ValueError`.
        """
        entry = {"what": what, "at_ns": int(at_ns), "facts": checked_json("facts", facts)}
        self._events.append(entry)

    def _run(self) -> None:
        writer = self._writer
        if writer is None:
            return
        try:
            while not self._stop.wait(PERIOD_S):
                self._drain(writer, 1)
            self._drain(writer, LUMPS_MAX)
        except Exception as failure:  # handed to whoever calls stop()
            _LOG.exception("%s: recording has ended", self.path)
            self._broken = failure

    def _drain(self, writer: RunWriter, lumps: int) -> None:
        if self.before_drain is not None:
            self.before_drain()
        while self._events:
            writer.write_event(self._events.popleft())
        for name, source in self._sources.items():
            if name not in self._tables:
                self._tables[name] = writer.add_table(name, source.fields)
            for _ in range(lumps):
                rows, lost = source.read()
                if len(rows) == 0 and lost == 0:
                    break
                writer.write_rows(self._tables[name], rows, lost)

    def __enter__(self) -> "Recorder":
        """Start."""
        return self.start()


def checked_source(name: object, source: RowSource) -> RowSource:
    """Return a source of rows.

    Raises:
        InvalidArgumentError: It is none, or its fields are none. Also a `ValueError`.
    """
    if not isinstance(name, str) or not callable(getattr(source, "read", None)):
        raise InvalidArgumentError(
            f"Recorder: {source!r:.100} is no source for a table {name!r:.100}; it needs `fields` "
            "and `read()`"
        )
    checked_fields(name, getattr(source, "fields", None))
    return source
