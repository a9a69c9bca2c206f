"""What a recorded run has: its tables, states, events, and what is missing of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, overload

import numpy as np

from kinegraph.robot.control.records import CartesianSent, JointSent, records_from_rows
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.recording.facts import checked_path
from kinegraph.robot.recording.tables import save_csv, save_npz, table_columns
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import STATE_FIELDS, STATE_SIZE
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import suggestion

__all__ = ["Gap", "RecordedRun", "RecordedStates", "RunEvent"]


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something that happened during a run.

    Attributes:
        what: "request" and "reply" of the command channel, "motion" and "motion ended",
            "disconnected", "note", or what else the writer recorded.
        at_ns: CLOCK_MONOTONIC, ns, as `received_ns` of the states.
        facts: What is known about it.
    """

    what: str
    at_ns: int
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Gap:
    """Rows that are missing from a table.

    Attributes:
        before: The row before which they are missing; the number of rows at the table's end.
        lost: How many.
    """

    before: int
    lost: int


class RecordedStates(Sequence[RobotState]):
    """The states of a run, each made when it is asked for.

    Args:
        rows: (n, STATE_SIZE or more) as `RobotState.from_row` takes them.
    """

    def __init__(self, rows: Array) -> None:
        self._rows = rows

    @overload
    def __getitem__(self, index: int) -> RobotState: ...
    @overload
    def __getitem__(self, index: slice) -> "RecordedStates": ...
    def __getitem__(self, index: int | slice) -> "RobotState | RecordedStates":
        if isinstance(index, slice):
            return RecordedStates(self._rows[index])
        return RobotState.from_row(self._rows[index, :STATE_SIZE])

    def __len__(self) -> int:
        return len(self._rows)


@dataclass(frozen=True, slots=True, eq=False)
class RecordedRun:
    """A run read back.

    Attributes:
        tables: Rows by table name, as structured arrays of float64 fields.
        lost: Rows that are missing from each table, by its name.
        gaps: Where they are missing, by table name.
        events: What happened, in order of time.
        notes: What the recorder was given to note.
        about: `started_at` (UTC), `unix_ns` and `monotonic_ns` of the start, `kinegraph` (version),
            `host`, `fci_version`, ...
        robot_model: URDF that the robot served; None if it served none.
        complete: Whether the log was closed; False after a kill, and while it is written.
        damaged: Bytes of damage that were skipped; 0 unless `salvage` was asked for.
    """

    tables: Mapping[str, np.ndarray]
    lost: Mapping[str, int] = field(default_factory=dict)
    gaps: Mapping[str, tuple[Gap, ...]] = field(default_factory=dict)
    events: tuple[RunEvent, ...] = ()
    notes: dict[str, Any] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    robot_model: str | None = None
    complete: bool = True
    damaged: int = 0

    def __repr__(self) -> str:
        """Say what is in it, without reading it."""
        parts = [str(self.about[name]) for name in ("started_at", "host") if name in self.about]
        parts.append(f"tables {', '.join(self.tables) or 'none'}")
        lost = sum(self.lost.values())
        return f"RecordedRun({', '.join(parts)}, {len(self.events)} events, {lost} rows lost)"

    def table(self, name: str) -> np.ndarray:
        """Return the rows of a table.

        Raises:
            InvalidArgumentError: There is no such table. Also a `ValueError`.
        """
        if not isinstance(name, str) or name not in self.tables:
            raise InvalidArgumentError(
                f"this run has no table {name!r}{suggestion(str(name), self.tables)}; it has "
                f"{', '.join(self.tables) or 'none'}"
            )
        return self.tables[name]

    def columns(self, name: str) -> dict[str, Array]:
        """Return a table as plain columns, `q_1` to `q_7` for a field `q` of seven.

        What they are is what `pandas.DataFrame` and its like take.

        Raises:
            InvalidArgumentError: There is no such table. Also a `ValueError`.
        """
        return table_columns(self.table(name))

    def time_s(self, name: str = "states") -> Array:
        """Return (n,) when the rows of a table were received, s since the start of the run.

        Raises:
            InvalidArgumentError: There is no such table, or it has no such time. Also a
                `ValueError`.
        """
        rows = self.table(name)
        if "received_ns" not in (rows.dtype.names or ()):
            raise InvalidArgumentError(f"the table {name!r} has no field received_ns")
        times: Array = 1e-9 * (rows["received_ns"] - float(self.about.get("monotonic_ns", 0)))
        return times

    def states(self, name: str = "states") -> RecordedStates:
        """Return the states of a table, each made when it is asked for.

        Raises:
            InvalidArgumentError: There is no such table, or its rows are no states. Also a
                `ValueError`.
        """
        rows = self.table(name)
        names = tuple(field_name for field_name, _ in STATE_FIELDS)
        if (rows.dtype.names or ())[: len(names)] != names:
            raise InvalidArgumentError(f"the rows of the table {name!r} are no robot states")
        return RecordedStates(_plain(rows))

    def records(self, joints: int = 7, name: str = "records") -> np.ndarray:
        """Return the records of the target controllers with their own types.

        Args:
            joints: Number of joints of the arm.
            name: "records" has `CartesianSent`, "joint_records" `JointSent`.

        Raises:
            InvalidArgumentError: There is no such table, or its rows are no records. Also a
                `ValueError`.
        """
        rows = _plain(self.table(name))
        names = self.tables[name].dtype.names or ()
        for kind in (CartesianSent, JointSent):
            count, fields = len(kind.layout), tuple(field_name for field_name, _ in kind.layout)
            size = sum(entries for _, entries in kind.layout)
            if names[-count:] == fields and rows.shape[1] >= size:
                return records_from_rows(rows[:, -size:], joints, kind)
        raise InvalidArgumentError(f"the rows of the table {name!r} are no records")

    def save_npz(self, path: Path | str) -> None:
        """Write all tables as one compressed npz file."""
        save_npz(checked_path(path), self.tables)

    def save_csv(self, path: Path | str, name: str = "states") -> None:
        """Write a table as CSV with the columns of `columns`; every number reads back exactly.

        Raises:
            InvalidArgumentError: There is no such table. Also a `ValueError`.
        """
        save_csv(checked_path(path), self.columns(name))


def _plain(rows: np.ndarray) -> Array:
    """Return the rows of a table of float64 fields as (n, width) without copying."""
    width = rows.dtype.itemsize // 8
    return np.ascontiguousarray(rows).view(np.float64).reshape(len(rows), width)
