"""Paired timings: all libraries in turn, round after round, compared with ours by ratio.

A machine's speed drifts; what is measured within one round does not see it. Each ratio is the
median, over the rounds, of the difference of the logarithms of ours and a library's time, and its
interval holds that median with 95 % (order statistics, no assumption on the distribution; with
fewer than six rounds it is the whole range).
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Figure", "Sheet", "median_interval", "ratio_of", "rounds_of", "seconds"]


@dataclass(frozen=True)
class Figure:
    """One measured number.

    Attributes:
        robot: Robot or scene, or what else was measured.
        question: What was asked, with its count.
        library: Who answered.
        value: Median seconds of one call, or another quantity where the question says so.
        ratio: Ours divided by this library's, median of paired differences; 1 for ours.
        low: Lower end of the ratio's interval.
        high: Upper end.
    """

    robot: str
    question: str
    library: str
    value: float
    ratio: float = 1.0
    low: float = 1.0
    high: float = 1.0


@dataclass
class Sheet:
    """All figures of a run."""

    figures: list[Figure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, figure: Figure) -> Figure:
        """Keep a figure and hand it back."""
        self.figures.append(figure)
        return figure

    def find(self, robot: str, question: str, library: str) -> Figure | None:
        """Look a figure up."""
        wanted = (robot, question, library)
        for figure in self.figures:
            if (figure.robot, figure.question, figure.library) == wanted:
                return figure
        return None

    def note(self, text: str) -> None:
        """Print a remark and keep it."""
        print(f"  ! {text}")
        self.notes.append(text)

    def as_dict(self) -> dict[str, Any]:
        """Return everything for a JSON file."""
        return {"figures": [asdict(figure) for figure in self.figures], "notes": self.notes}


def rounds_of(samplers: Sequence[Callable[[], float]], rounds: int) -> list[list[float]]:
    """Sample all in turn, the order moved on by one in every round; a list for each sampler."""
    taken: list[list[float]] = [[] for _ in samplers]
    for turn in range(rounds):
        for step in range(len(samplers)):
            place = (turn + step) % len(samplers)
            taken[place].append(samplers[place]())
    return taken


def ratio_of(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """Median of paired ratios and its interval."""
    pairs = zip(ours, theirs, strict=True)
    differences = [math.log(max(a, 1e-12)) - math.log(max(b, 1e-12)) for a, b in pairs]
    low, high = median_interval(differences)
    middle = statistics.median(differences)
    return math.exp(middle), math.exp(low), math.exp(high)


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Interval that holds the median of what the values come from with 95 % or a little more."""
    ranked, n = sorted(values), len(values)
    outside, cut = 0.0, 0
    for k in range(n // 2):
        outside += 2.0 * math.comb(n, k) / 2.0**n
        if outside > 0.05:
            break
        cut = k
    return ranked[cut], ranked[n - 1 - cut]


def seconds(value: float) -> str:
    """A time with its unit."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
