"""`ArmClock`: an arm whose clock stands still gives old states."""

from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.errors import ControlError
from kinegraph.robot.wire.state_layout import S_time
from kinegraph.scene.array_types import Array

__all__ = ["STALE_CYCLES", "ArmClock"]

STALE_CYCLES = 1000
"""A session ends after so many cycles without a new state: a second, as with a robot."""


class ArmClock:
    """Watches the time in an arm's states.

    Args:
        name: Of the arm.
        advances: Whether the time of a row that has none of its own goes on by a cycle: in a dry
            run an arm that moves on by torques gets none.
    """

    def __init__(self, name: str, *, advances: bool) -> None:
        self._name, self._advances = name, advances
        self._newest, self._old = float("-inf"), 0

    def check(self, row: Array) -> None:
        """Take the next state's row.

        Raises:
            ControlError: Its clock has stood still for a second of cycles.
        """
        if row[S_time] <= self._newest and self._advances:
            row[S_time] = self._newest + 1e3 * CYCLE_TIME
        self._old = 0 if row[S_time] > self._newest else self._old + 1
        self._newest = max(self._newest, float(row[S_time]))
        if self._old >= STALE_CYCLES:
            raise ControlError(
                f"the arm {self._name!r} gave no new state in {STALE_CYCLES} cycles: its clock "
                f"stands at {1e-3 * row[S_time]:g} s",
                time_s=1e-3 * float(row[S_time]),
            )
