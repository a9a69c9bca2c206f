"""The flight recorder: all that goes on between a program and its robot, in one file."""

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kinegraph.robot.control.record_layout import JOINT_RECORD_FIELDS, RECORD_FIELDS
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.loop.rings import Ring, RingReader
from kinegraph.robot.recording.facts import plain_host
from kinegraph.robot.recording.recorder import Recorder, RowSource
from kinegraph.robot.recording.stopping import StoppedAtExit
from kinegraph.robot.wire.protocol import Protocol
from kinegraph.scene.array_types import Array

if TYPE_CHECKING:
    from kinegraph.robot.robot import Robot
    from kinegraph.robot.session import MotionSession

__all__ = ["FlightRecorder"]

VALUES_MAX = 64


class NumberedRows:
    """A ring's rows with the number of each before it."""

    def __init__(self, reader: RingReader, name: str, from_number: int = 0) -> None:
        self._reader = reader
        self._from = from_number
        self.fields: Sequence[tuple[str, int]] = ((name, 1), *reader.fields)

    def read(self) -> tuple[Array, int]:
        """As `RowSource.read`."""
        rows, lost = self._reader.read()
        first = self._reader.position - len(rows) + self._from
        return np.column_stack([np.arange(first, first + len(rows), dtype=float), rows]), lost


class SessionRecords:
    """The records of all sessions of one kind of controller, one session after the other."""

    def __init__(self, record_fields: Sequence[tuple[str, int]]) -> None:
        self.fields: Sequence[tuple[str, int]] = (("session", 1), ("cycle", 1), *record_fields)
        self._width = sum(count for _, count in self.fields)
        self._sessions: list[tuple[int, MotionSession, RingReader]] = []

    def add(self, number: int, session: "MotionSession", reader: RingReader) -> None:
        """Go on with a session when those before it are done."""
        self._sessions = [*self._sessions, (number, session, reader)]

    def read(self) -> tuple[Array, int]:
        """As `RowSource.read`; rows of one session a call."""
        for entry in list(self._sessions):
            number, session, reader = entry
            running = session.is_running  # looked at first: the last records come before the end
            rows, lost = reader.read()
            if len(rows) or lost:
                first = session.cycles_from + reader.position - len(rows)
                cycles = np.arange(first, first + len(rows), dtype=float)
                return np.column_stack([np.full(len(rows), float(number)), cycles, rows]), lost
            if not running and len(self._sessions) > 1:
                self._sessions.remove(entry)
        return np.empty((0, self._width)), 0


class FlightRecorder(StoppedAtExit):
    """Records every state, command and record of a robot's sessions into one file.

    Made by `Robot.record`; use it as a context manager. The file is readable at every moment: a
    program that is killed loses the last fifth of a second, a machine that loses its power the
    last second. What is recorded:

    - table `states`: every state as received;
    - table `cycles`: every command sent, with its times; `number` counts them;
    - table `records`: what the Cartesian target controller did, `CartesianSent`; `session` counts
      the motions, `cycle` is the `number` of the command that the record belongs to;
    - table `joint_records`: the same of the joint target controller, `JointSent`, if one ran;
    - events: requests and replies of the command channel, motions, the loss of the connection,
      and what `note` is called with.

    The loop never waits for it, and a full disk disturbs nobody: see `Recorder`.

    Args:
        robot: Connected robot.
        path: File to be written; an existing one is replaced.
        notes: What the reader of the run should know; JSON types.

    Raises:
        InvalidArgumentError: Notes that JSON cannot hold. Also a `ValueError`.
    """

    def __init__(
        self, robot: "Robot", path: Path | str, notes: Mapping[str, Any] | None = None
    ) -> None:
        self._link = link = robot.link
        loop = link.loop
        self._records: dict[tuple[tuple[str, int], ...], SessionRecords] = {}
        self._sessions = 0
        self._adding = threading.Lock()
        self._open: list[tuple[int, MotionSession]] = []
        self._lost_connection = False
        about = {
            "host": plain_host(robot.host),
            "fci_version": robot.version,
            "server_version": robot.server_version,
            "robot_model": link.served_model,
        }
        records = SessionRecords(RECORD_FIELDS)
        self._records[tuple(RECORD_FIELDS)] = records
        sources: dict[str, RowSource] = {
            "states": loop.states.reader(),
            "cycles": NumberedRows(loop.cycles.reader(), "number"),
            "records": records,
        }
        self._recorder = Recorder(path, sources, notes, about=about)
        self._recorder.before_drain = self._look_around

    @property
    def path(self) -> Path:
        """The file."""
        return self._recorder.path

    @property
    def failure(self) -> Exception | None:
        """What went wrong with recording so far, None if nothing did."""
        return self._recorder.failure

    @property
    def is_running(self) -> bool:
        """Whether it records."""
        return self._recorder.is_running

    def start(self) -> "FlightRecorder":
        """Begin to record.

        Raises:
            InvalidOperationError: It runs already, or has run.
            OSError: The file cannot be written.
        """
        link = self._link
        self._recorder.start()
        link.connection.channel.watchers += (self._on_message,)
        link.watchers += (self._on_session,)
        if link.session is not None and link.session.is_running:
            self._on_session(link.session, begun=True)
        return self

    def stop(self) -> None:
        """Write what is left and close the file; later calls do nothing.

        Raises:
            OSError: Writing failed at some time; what could be written is readable.
        """
        link = self._link
        channel = link.connection.channel
        channel.watchers = tuple(w for w in channel.watchers if w != self._on_message)
        link.watchers = tuple(w for w in link.watchers if w != self._on_session)
        self._recorder.stop()

    def note(self, what: str, /, **facts: Any) -> None:
        """Record that something happened; returns at once.

        Args:
            what: A word or a sentence.
            facts: What is known about it; JSON types.

        Raises:
            InvalidArgumentError: No text, or JSON cannot hold the facts. Also a `ValueError`.
        """
        if not isinstance(what, str):
            raise InvalidArgumentError(f"note: {what!r:.100} is no text")
        self._recorder.add_event("note", time.monotonic_ns(), {**facts, "text": what})

    # --- in the threads of others: quick, and without an exception ------------------------------

    def _on_message(self, what: str, command: str, number: int, payload: bytes) -> None:
        protocol = self._link.connection.channel.protocol
        kind = "Request" if what == "request" else "Response"
        fields = message_fields(protocol, f"{command}.{kind}", payload)
        if what == "reply":
            fields = named_status(protocol, command, fields)
        facts = {"command": command, "id": number, "bytes": len(payload), "fields": fields}
        self._recorder.add_event(what, time.monotonic_ns(), facts)

    def _on_session(self, session: "MotionSession", *, begun: bool = False) -> None:
        with self._adding:
            number, self._sessions = self._sessions, self._sessions + 1
            self._open = [*self._open, (number, session)]
        ring = getattr(session.controller, "records", None)
        controller = type(session.controller).__name__
        facts = {"session": number, "controller": controller, "begun_before": begun}
        self._recorder.add_event("motion", time.monotonic_ns(), facts)
        if isinstance(ring, Ring):
            self._source(ring).add(number, session, ring.reader())

    def _source(self, ring: Ring) -> SessionRecords:
        """Return the table for records of this form."""
        with self._adding:
            source = self._records.get(ring.fields)
            if source is None:
                source = SessionRecords(ring.fields)
                self._records[ring.fields] = source
                joints = ring.fields == JOINT_RECORD_FIELDS
                name = "joint_records" if joints else f"records_{len(self._records)}"
                self._recorder.add_source(name, source)
            return source

    # --- in the recorder's thread -----------------------------------------------------------------

    def _look_around(self) -> None:
        for number, session in self._open:
            if not session.is_running:
                self._recorder.add_event("motion ended", time.monotonic_ns(), {"session": number})
                with self._adding:
                    self._open = [entry for entry in self._open if entry[1] is not session]
        failure = self._link.connection.channel.failure
        if failure is not None and not self._lost_connection:
            self._lost_connection = True
            self._recorder.add_event("disconnected", time.monotonic_ns(), {"reason": str(failure)})

    def __enter__(self) -> "FlightRecorder":
        """Start."""
        return self.start()


def message_fields(protocol: Protocol, message: str, payload: bytes) -> dict[str, Any]:
    """Return the fields of a message by name; of one that is too short, its bytes in hex."""
    layout = protocol.message(message)
    if len(payload) < layout.size or not layout.fields:
        return {"payload": payload[:VALUES_MAX].hex()} if payload else {}
    record = np.frombuffer(payload, layout.dtype, count=1)[0]
    return {name: record[name].tolist() for name in layout.dtype.names or ()}


def named_status(protocol: Protocol, command: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a reply with the name of its status in place of the number."""
    status = fields.get("status")
    if not isinstance(status, int):
        return dict(fields)
    name = protocol.status_names.get(command, {}).get(status, status)
    return {**fields, "status": name}
