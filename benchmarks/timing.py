"""Paired timings: ours and a peer's in turn, in one process, compared by ratio.

A machine's speed drifts; a pair measured within milliseconds does not see it. Every figure is the
median over pairs, and a ratio comes with the interval that holds the middle 80 % of the pairs.
"""

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Ratio", "paired", "seconds"]


@dataclass(frozen=True)
class Ratio:
    """Times of two sides over the same pairs.

    Attributes:
        ours: Median seconds per call of ours.
        peer: Median seconds per call of the peer.
        ratio: Median of ours / peer over the pairs.
        low: Tenth percentile of that ratio.
        high: Ninetieth percentile of that ratio.
    """

    ours: float
    peer: float
    ratio: float
    low: float
    high: float


def per_call(function: Callable[[Any], Any], arguments: Sequence[Any], passes: int) -> float:
    """Mean seconds of one call over `passes` rounds through the arguments."""
    start = time.perf_counter()
    for _ in range(passes):
        for argument in arguments:
            function(argument)
    return (time.perf_counter() - start) / (passes * len(arguments))


def rounds_for(function: Callable[[Any], Any], arguments: Sequence[Any], span_s: float) -> int:
    """How many rounds through the arguments fill `span_s` seconds."""
    function(arguments[0])
    once = max(per_call(function, arguments, 1), 1e-9)
    return max(1, round(span_s / (once * len(arguments))))


def paired(
    ours: Callable[[Any], Any],
    our_arguments: Sequence[Any],
    peer: Callable[[Any], Any],
    peer_arguments: Sequence[Any],
    *,
    pairs: int = 15,
    span_s: float = 0.02,
) -> Ratio:
    """Time both sides in turn, the order swapped on every other pair."""
    our_passes = rounds_for(ours, our_arguments, span_s)
    peer_passes = rounds_for(peer, peer_arguments, span_s)
    mine, theirs = [], []
    gc.collect()
    gc.disable()
    try:
        for pair in range(pairs):
            for side in (0, 1) if pair % 2 == 0 else (1, 0):
                if side == 0:
                    mine.append(per_call(ours, our_arguments, our_passes))
                else:
                    theirs.append(per_call(peer, peer_arguments, peer_passes))
    finally:
        gc.enable()
    ratios = sorted(a / b for a, b in zip(mine, theirs, strict=True))
    return Ratio(
        statistics.median(mine),
        statistics.median(theirs),
        statistics.median(ratios),
        ratios[len(ratios) // 10],
        ratios[-1 - len(ratios) // 10],
    )


def seconds(value: float) -> str:
    """A time with its unit."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"
