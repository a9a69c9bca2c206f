"""What a relay does to the traffic between a client and a robot."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kinegraph.robot.argument_checks import check_duration, check_whole, is_number
from kinegraph.robot.errors import InvalidArgumentError

__all__ = ["Burst", "DatagramFaults", "Direction", "Faults", "Freeze"]

Direction = Literal["states", "commands"]

RATES = ("drop", "dup", "reorder", "trunc", "garbage", "late")
TIMES = ("delay", "jitter")
DIRECTIONS: tuple[Direction, ...] = ("states", "commands")


@dataclass(frozen=True, slots=True)
class DatagramFaults:
    """Faults of the datagrams in one direction. Rates are probabilities of each datagram.

    Attributes:
        drop: Rate of datagrams that are not forwarded.
        delay: Time by which datagrams are late, s.
        jitter: Longest additional time, s; uniform, so later datagrams may overtake.
        late: Rate of datagrams that `delay` and `jitter` are for.
        dup: Rate of datagrams that are forwarded twice.
        reorder: Rate of datagrams that change places with the next one. One that no other follows
            within 10 ms goes on alone.
        trunc: Rate of datagrams of which only a random beginning is forwarded, 0 bytes and more.
        garbage: Rate at which a datagram is followed by one of 1 to 1500 random bytes.
        after: Time from Connect on during which nothing is done, s; one number for all, or
            numbers by fault, `{"drop": 0.5}`.

    Raises:
        InvalidArgumentError: A rate outside 0 to 1, a time that is none, or no such fault. Also a
            `ValueError`.
    """

    drop: float = 0.0
    delay: float = 0.0
    jitter: float = 0.0
    late: float = 1.0
    dup: float = 0.0
    reorder: float = 0.0
    trunc: float = 0.0
    garbage: float = 0.0
    after: float | Mapping[str, float] = 0.0

    def __post_init__(self) -> None:
        for name in RATES:
            value = getattr(self, name)
            if not is_number(value) or not 0.0 <= value <= 1.0:
                raise InvalidArgumentError(f"{name} is {value!r}; a rate from 0 to 1 is needed")
        for name in TIMES:
            _check_time(name, getattr(self, name))
        if not isinstance(self.after, Mapping):
            _check_time("after", self.after)
            return
        for name, value in self.after.items():
            if name not in RATES + TIMES:
                known = ", ".join(RATES + TIMES)
                raise InvalidArgumentError(f"after names no fault {name!r}; there are {known}")
            _check_time(f"after[{name!r}]", value)

    def begins(self, name: str) -> float:
        """Return when a fault begins, s after Connect."""
        if isinstance(self.after, Mapping):
            return float(self.after.get(name, 0.0))
        return float(self.after)


@dataclass(frozen=True, slots=True)
class Burst:
    """Datagrams in a row that are all lost.

    Attributes:
        at: When, s after the first command datagram.
        count: How many.
        direction: Which ones.

    Raises:
        InvalidArgumentError: A value that is none of those. Also a `ValueError`.
    """

    at: float
    count: int
    direction: Direction

    def __post_init__(self) -> None:
        _check_time("at", self.at)
        check_whole("count", self.count, 1, 2**31 - 1)
        if self.direction not in DIRECTIONS:
            raise InvalidArgumentError(
                f"direction is {self.direction!r}; it is one of {', '.join(map(repr, DIRECTIONS))}"
            )


@dataclass(frozen=True, slots=True)
class Freeze:
    """A time in which nothing passes: datagrams are lost, TCP bytes wait.

    Attributes:
        at: When it begins, s after the first command datagram.
        duration: How long it lasts, s.

    Raises:
        InvalidArgumentError: A value that is no time. Also a `ValueError`.
    """

    at: float
    duration: float

    def __post_init__(self) -> None:
        _check_time("at", self.at)
        _check_time("duration", self.duration)


@dataclass(frozen=True, slots=True)
class Faults:
    """All that a relay does wrong, anew for every client that connects.

    Attributes:
        states: Of datagrams from the robot to the client.
        commands: Of datagrams from the client to the robot.
        bursts: Losses in a row.
        freezes: Times in which nothing passes.
        tcp_rst: When the client's TCP connection is reset, s after its first command datagram;
            datagrams still pass. None: never.

    Raises:
        InvalidArgumentError: `tcp_rst` is no time. Also a `ValueError`.
    """

    states: DatagramFaults = field(default_factory=DatagramFaults)
    commands: DatagramFaults = field(default_factory=DatagramFaults)
    bursts: tuple[Burst, ...] = ()
    freezes: tuple[Freeze, ...] = ()
    tcp_rst: float | None = None

    def __post_init__(self) -> None:
        if self.tcp_rst is not None:
            _check_time("tcp_rst", self.tcp_rst)

    @classmethod
    def both_ways(cls, faults: DatagramFaults) -> "Faults":
        """Return the same faults of datagrams in both directions."""
        return cls(states=faults, commands=faults)


def _check_time(name: str, value: object) -> None:
    check_duration(name, value)
    if value == math.inf:
        raise InvalidArgumentError(f"{name} is infinite; a number of seconds is needed")
