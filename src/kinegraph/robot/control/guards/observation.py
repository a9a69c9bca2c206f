"""Calling a program's observer for every cycle, in a thread beside the loop's."""

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from kinegraph.robot.control.guards.session_guards import Observer
from kinegraph.robot.control.record_reader import record_kind
from kinegraph.robot.loop.rings import Ring
from kinegraph.robot.state import RobotState
from kinegraph.scene.array_types import Array

__all__ = ["Observation"]

_LOG = logging.getLogger("kinegraph.robot")
PERIOD_S = 0.002
ROWS = 64


class Observation:
    """Hands states and records to an observer, each cycle once and in order.

    An observer that is too slow does not hold up the loop: what the ring no longer has when its
    turn comes is counted as lost. An exception in it ends the observation, not the motion.

    Args:
        observer: Called with the state that a cycle answered and the cycle's record.
        states: Ring of the states that were answered.
        records: Ring of the records, one for each of those.
        is_running: Whether more may come.
        joints: Number of joints of the arm.
        state_of: Makes a state of its row.

    Attributes:
        calls: Cycles that the observer was called for.
        lost: Cycles that it was not called for because it was too slow.
        error: What it raised, None if it did not.
    """

    def __init__(
        self,
        observer: Observer,
        states: Ring,
        records: Ring,
        is_running: Callable[[], bool],
        joints: int,
        state_of: Callable[[Array], Any] = RobotState.from_row,
    ) -> None:
        self.calls = 0
        self.lost = 0
        self.error: BaseException | None = None
        self._observer = observer
        self._states, self._records = states.reader(0), records.reader(0)
        self._kind = record_kind(records.fields)
        self._is_running = is_running
        self._joints = joints
        self._state_of = state_of
        self._thread = threading.Thread(target=self._main, name="kinegraph-observer", daemon=True)

    def start(self) -> None:
        """Begin with the first cycle."""
        self._thread.start()

    def finish(self, timeout_s: float) -> None:
        """Wait until the observer has had the last cycle, unless it is the one that calls."""
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                _LOG.warning(
                    "the observer of a session is still at cycle %d of %d, %g s after its end",
                    self.calls,
                    self._records.ring.published,
                    timeout_s,
                )

    def _main(self) -> None:
        try:
            while True:
                runs = self._is_running()  # asked first: what came before its end is read below
                if self.deliver() == 0:
                    if not runs:
                        return
                    time.sleep(PERIOD_S)
        except BaseException as error:  # an exit in it, too, ends no more than this thread
            self.error = error
            _LOG.exception("the observer of a session raised; it is not called any more")

    def deliver(self) -> int:
        """Call the observer for what has come, up to a chunk; return the number of cycles."""
        records, lost = self._records.read(ROWS)
        self.lost += lost
        if len(records) == 0:
            return lost
        # A record's state is published before it. The one that was overwritten is a lost cycle.
        self._states.position = self._records.position - len(records)
        states, gone = self._states.read(len(records))
        self.lost += min(gone, len(records))
        for state, record in zip(states, records[gone:], strict=False):
            self._call(state, record)
        return lost + len(records)

    def _call(self, state: Array, record: Array) -> None:
        self._observer(self._state_of(state), self._kind.from_row(record, self._joints))
        self.calls += 1
