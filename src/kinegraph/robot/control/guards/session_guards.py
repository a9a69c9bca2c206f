"""What the loop of a session watches beside its controller, and who watches the session."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from kinegraph.robot.argument_checks import check_flag, check_whole
from kinegraph.robot.control.checks import check_in_range, check_kind, refuse
from kinegraph.robot.control.option_parts import Settle
from kinegraph.robot.control.table_layout import CYCLE_TIME

__all__ = ["Observer", "SessionGuards", "SessionOptions", "check_session"]

Observer = Callable[[Any, Any], object]
"""Called with the state that a cycle answered, `RobotState` or `ArmState`, and the record."""

MAX_PRIORITY = 99
MAX_CPU = 1023
MOST_AGE_S = 1e6


class SessionOptions(Protocol):
    """Options that every target session has, whatever its controller."""

    @property
    def settle(self) -> Settle:
        """Landing of a stop."""
        raise NotImplementedError

    @property
    def limit_rate(self) -> bool:
        """Whether what is sent is limited in its rate."""
        raise NotImplementedError

    @property
    def realtime_priority(self) -> int | None:
        """FIFO priority of the loop's thread, None: the highest that can be had."""

    @property
    def cpu(self) -> int | None:
        """Core of the loop's thread, None: what it has."""

    @property
    def max_target_age_s(self) -> float | None:
        """Longest time between two targets, s; None: any."""

    @property
    def dry_run(self) -> bool:
        """Whether all is computed and recorded and nothing is sent."""
        raise NotImplementedError

    @property
    def observer(self) -> Observer | None:
        """Called for every cycle, None: nobody."""


def check_session(options: SessionOptions) -> None:
    """Raise InvalidArgumentError for the first of these options that no session can have."""
    check_kind("settle", options.settle, Settle)
    options.settle.validate()
    check_flag("limit_rate", options.limit_rate)
    if options.realtime_priority is not None:
        check_whole("realtime_priority", options.realtime_priority, 1, MAX_PRIORITY)
    if options.cpu is not None:
        check_whole("cpu", options.cpu, 0, MAX_CPU)
    if options.max_target_age_s is not None:
        check_in_range("max_target_age_s", options.max_target_age_s, CYCLE_TIME, MOST_AGE_S)
    check_flag("dry_run", options.dry_run)
    if options.observer is not None and not callable(options.observer):
        raise refuse("observer", options.observer, "cannot be called")


@dataclass(frozen=True, slots=True, eq=False)
class SessionGuards:
    """What of a session's options its loop and its handle go by.

    Attributes:
        max_age_cycles: Cycles after which a target is stale; 0: never.
        dry_run: Whether nothing is sent.
        observer: Called for every cycle, off the loop's thread; None: nobody.
    """

    max_age_cycles: int = 0
    dry_run: bool = False
    observer: Observer | None = None

    @staticmethod
    def of(options: SessionOptions) -> "SessionGuards":
        """Return the guards of a session with these options."""
        age = options.max_target_age_s
        cycles = 0 if age is None else max(1, math.ceil(age / CYCLE_TIME - 1e-9))
        return SessionGuards(cycles, bool(options.dry_run), options.observer)
