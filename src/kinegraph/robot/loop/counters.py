"""What a loop has counted."""

from dataclasses import dataclass

from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_FOREIGN,
    B_LATE_STATES,
    B_LOST,
    B_RECEIVED,
    B_SEND_FAILURES,
    B_SENT,
    B_SHORT,
    B_STALE,
    B_STRANGE_ID,
    B_TORN,
)
from kinegraph.scene.array_types import IntArray

__all__ = ["LoopCounters", "read_counters"]


@dataclass(frozen=True, slots=True)
class LoopCounters:
    """What the loop has counted since the connection was made.

    Attributes:
        received: States accepted.
        lost: States whose ids never came.
        stale: States that came late or twice.
        short: Datagrams shorter than a state.
        foreign: Datagrams of another sender.
        strange: Datagrams of a state's size whose id no state would have.
        sent: Commands sent.
        send_failures: Commands that could not be sent.
        torn: Cycles that kept the last target because it was being written.
        cycles: Control cycles of the newest motion.
        passed_over: States of motions that were not answered because a newer one was there.
    """

    received: int
    lost: int
    stale: int
    short: int
    foreign: int
    strange: int
    sent: int
    send_failures: int
    torn: int
    cycles: int
    passed_over: int


_COUNTERS = (
    B_RECEIVED,
    B_LOST,
    B_STALE,
    B_SHORT,
    B_FOREIGN,
    B_STRANGE_ID,
    B_SENT,
    B_SEND_FAILURES,
    B_TORN,
    B_CYCLES,
    B_LATE_STATES,
)


def read_counters(block: IntArray) -> LoopCounters:
    """Return the counters of a loop's block."""
    return LoopCounters(*(int(block[index]) for index in _COUNTERS))
