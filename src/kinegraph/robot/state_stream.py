"""States one after the other, without gaps on our side."""

from collections.abc import Iterator

from kinegraph.robot.argument_checks import check_duration
from kinegraph.robot.link import SILENCE_S, RobotLink
from kinegraph.robot.loop.rings import RingReader
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import STATE_SIZE
from kinegraph.scene.array_types import Array

__all__ = ["StateStream"]


class StateStream:
    """Iterates over every state that the robot sends from now on.

    The loop keeps the last four seconds; a reader that falls further behind loses the oldest ones
    and `lost` says how many.

    Args:
        link: The robot's connection and loop.
        timeout_s: Longest wait for a state, s.

    Raises:
        InvalidArgumentError: No time to wait. Also a `ValueError`.
    """

    def __init__(self, link: RobotLink, timeout_s: float = SILENCE_S) -> None:
        check_duration("timeout_s", timeout_s)
        self._link = link
        self._reader = link.loop.states.reader()
        self._timeout_s = timeout_s

    @property
    def lost(self) -> int:
        """States that were received but overwritten before this reader came."""
        return self._reader.lost

    @property
    def reader(self) -> RingReader:
        """The underlying reader of rows; it shares this stream's position."""
        return self._reader

    def read_rows(self, rows: int | None = None) -> Array:
        """Return the rows that are there, at least one, waiting for the first if needed.

        Args:
            rows: How many at most; None all.

        Returns:
            (n, STATE_SIZE + 1): states as in `wire/state_layout.py`, and CLOCK_MONOTONIC of their
            reception, ns.

        Raises:
            NetworkError: No state in time, or the connection is gone.
            InvalidOperationError: The robot was closed.
        """
        while True:
            self._link.wait_for_row(self._reader.position, self._timeout_s)
            found, _ = self._reader.read(rows)
            if len(found):
                return found

    def __iter__(self) -> Iterator[RobotState]:
        return self

    def __next__(self) -> RobotState:
        return RobotState.from_row(self.read_rows(1)[0, :STATE_SIZE])
