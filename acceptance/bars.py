"""One bar: a figure, its limit and whether it holds, printed as one line of JSON."""

import json
import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["INCONCLUSIVE", "Bar", "Sheet", "holds"]

INCONCLUSIVE = 75
# More than this share of the cycles lost to the machine decides nothing.
DISCARD_MAX = 0.01
# Foreign load, percent of one core, under which a latency says something.
FOREIGN_MAX = 25.0
_LIMIT = re.compile(r"^(<=|>=|<|>|==) (\S+)$")
_RANGE = re.compile(r"^(\S+) to (\S+)$")


def holds(value: Any, limit: str) -> bool:
    """Whether a value keeps a limit such as `<= 0.8`, `== Idle` or `995 to 1005`.

    Raises:
        ValueError: A limit that is written in another way.
    """
    if between := _RANGE.match(limit):
        return float(between[1]) <= float(value) <= float(between[2])
    parts = _LIMIT.match(limit)
    if parts is None:
        raise ValueError(f"limit: {limit!r} is none of '<= X', '>= X', '< X', '> X', '== X'")
    how, bound = parts[1], parts[2]
    if how == "==":
        return str(value) == bound
    if value is None or not math.isfinite(value):
        return False
    sides: dict[str, Callable[[float, float], bool]] = {
        "<=": lambda a, b: a <= b,
        ">=": lambda a, b: a >= b,
        "<": lambda a, b: a < b,
        ">": lambda a, b: a > b,
    }
    return sides[how](float(value), float(bound))


@dataclass(frozen=True)
class Bar:
    """What was measured.

    Attributes:
        bar: Name; its last part is the unit.
        value: The figure.
        limit: What it must keep; None for a figure that is only printed.
        peer: The same figure of the peer in the same run.
        n: Samples behind it.
        discarded: Samples left out because the machine stood still.
        foreign_cpu_pct: Load of other programs meanwhile, percent of one core.
        latency: Whether the state of the machine can make it inconclusive.
        note: Why it was missed or not measured.
    """

    bar: str
    value: Any
    limit: str | None = None
    peer: Any = None
    n: int = 1
    discarded: int = 0
    foreign_cpu_pct: float | None = None
    latency: bool = False
    note: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether the limit holds; None if there is none or if the machine decides nothing."""
        if self.limit is None or self._undecided:
            return None
        return holds(self.value, self.limit)

    @property
    def inconclusive(self) -> bool:
        """Whether there is a limit, but the machine was too busy to judge by it."""
        return self.limit is not None and self._undecided

    @property
    def _undecided(self) -> bool:
        busy = self.foreign_cpu_pct is not None and self.foreign_cpu_pct >= FOREIGN_MAX
        return self.latency and (self.discarded > DISCARD_MAX * self.n or busy)

    def line(self) -> str:
        """The bar as one line of JSON."""
        record: dict[str, Any] = {
            "bar": self.bar,
            "value": _short(self.value),
            "limit": self.limit,
            "peer": _short(self.peer),
            "pass": self.passed,
            "n": self.n,
            "discarded": self.discarded,
            "foreign_cpu_pct": _short(self.foreign_cpu_pct),
        }
        if self.inconclusive:
            record["inconclusive"] = True
        if self.note:
            record["note"] = self.note
        return json.dumps(record)


def _short(value: Any) -> Any:
    """A number with four digits; anything else as it is."""
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else str(value)
    return value


@dataclass
class Sheet:
    """All bars of a run, printed as they come.

    Attributes:
        only: Beginnings of the names of bars to judge; empty for all.
        bars: What was measured so far.
    """

    only: tuple[str, ...] = ()
    bars: list[Bar] = field(default_factory=list)

    def wants(self, *names: str) -> bool:
        """Whether any bar of these groups was asked for."""
        if not self.only:
            return True
        return any(a.startswith(b) or b.startswith(a) for a in names for b in self.only)

    def add(self, bar: Bar) -> Bar:
        """Print a bar and keep it."""
        sys.stdout.write(bar.line() + "\n")
        sys.stdout.flush()
        self.bars.append(bar)
        return bar

    def report(self, name: str, value: Any, limit: str | None = None, **more: Any) -> Bar:
        """Print and keep a bar of that name, see `Bar`."""
        return self.add(Bar(name, value, limit, **more))

    def failed(self, name: str, why: str) -> Bar:
        """Print and keep a bar that could not be measured: a miss with a reason."""
        return self.add(Bar(name, "failed", "== measured", note=why.strip()[-400:]))

    def exit_code(self) -> int:
        """0 if every limit holds, 1 after a miss, 75 if the machine decided nothing."""
        if any(bar.passed is False for bar in self.bars):
            return 1
        return INCONCLUSIVE if any(bar.inconclusive for bar in self.bars) else 0

    def table(self) -> str:
        """The bars in columns, with what was missed below."""
        rows = [("bar", "value", "limit", "peer", "verdict")]
        for bar in self.bars:
            if bar.limit is None:
                verdict = "-"
            elif bar.inconclusive:
                verdict = "inconclusive"
            else:
                verdict = "pass" if bar.passed else "MISS"
            peer = "" if bar.peer is None else str(_short(bar.peer))
            rows.append((bar.bar, str(_short(bar.value)), bar.limit or "", peer, verdict))
        widths = [max(len(row[i]) for row in rows) for i in range(5)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in rows]
        judged = [bar for bar in self.bars if bar.limit is not None]
        missed = [bar.bar for bar in judged if bar.passed is False]
        unsure = [bar.bar for bar in judged if bar.inconclusive]
        end = f"{len(judged)} bars, {len(missed)} missed, {len(unsure)} inconclusive"
        for what, names in (("missed", missed), ("inconclusive", unsure)):
            if names:
                end += f"\n{what}: {', '.join(names)}"
        return "\n".join([*lines, "", end])
