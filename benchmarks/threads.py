"""What a second processor brings, and the large batch of all processors beside a peer's loop."""

import os
import statistics

from crew import AbsentError, FailedError, Worker, one_processor
from pairing import Figure, Sheet, ratio_of, rounds_of, seconds
from robots import Robot
from side_by_side import OURS

__all__ = ["BATCH", "BOTH", "show_threads"]

BATCH = 100_000
BOTH = "batch, all processors"
PEER = "pinocchio"
QUESTIONS = (
    ("batch", "poses of 100,000", BATCH),
    ("jacobians", "Jacobians of 10,000", 10_000),
    ("inverse", "inverse, 1,000", 1_000),
)
SPAN_S = 0.03


def show_threads(crew: dict[str, Worker], robot: Robot, rounds: int, sheet: Sheet) -> None:
    """Print the speed-up of batches, and ours on all processors against a peer's loop."""
    ours, one = crew[OURS], one_processor()
    every = set(os.sched_getaffinity(0)) if one is not None else set()
    if len(every) < 2 or one is None:
        print("\nthreads: one processor, nothing to compare")
        return
    facts = ours.ask("open", robot)
    ours.ask("draw", facts["order"], facts["limits"])
    targets = ours.ask("answer_of", "batch", 1_000)
    print(
        f"\n{robot.name}, wall clock{'':17}{'1 thread':>10}{len(every):>8} threads   speed-up  95 %"
    )
    for question, label, count in QUESTIONS:
        ours.ask("ready", question, count, SPAN_S, targets)
        alone, together = _both_ways(ours, one, every, rounds)
        _line(label, alone, together)
        ratio = ratio_of(alone, together)
        sheet.add(
            Figure(robot.name, f"speed-up {label}", OURS, statistics.median(together), *ratio)
        )
    _beside_a_loop(crew, robot, facts, every, rounds, sheet)


def _both_ways(
    ours: Worker, one: set[int], every: set[int], rounds: int
) -> tuple[list[float], list[float]]:
    def sample(processors: set[int]) -> float:
        ours.ask("use", processors, True)
        taken: float = ours.ask("sample")
        return taken

    alone, together = rounds_of([lambda: sample(one), lambda: sample(every)], rounds)
    return alone, together


def _line(label: str, alone: list[float], together: list[float]) -> None:
    ratio, low, high = ratio_of(alone, together)
    print(
        f"  {label:28}{seconds(statistics.median(alone)):>12}"
        f"{seconds(statistics.median(together)):>16}{ratio:>11.3g}  [{low:.3g}, {high:.3g}]",
        flush=True,
    )


def _beside_a_loop(
    crew: dict[str, Worker],
    robot: Robot,
    facts: dict[str, object],
    every: set[int],
    rounds: int,
    sheet: Sheet,
) -> None:
    ours, peer = crew[OURS], crew.get(PEER)
    if peer is None:
        return
    try:
        peer.ask("open", robot)
        peer.ask("draw", facts["order"], facts["limits"])
        for worker in (ours, peer):
            worker.ask("use", every, True)
            worker.ask("ready", "batch", BATCH, SPAN_S)
        samplers = [lambda w=worker: w.ask("sample") for worker in (ours, peer)]
        mine, theirs = rounds_of(samplers, rounds)
    except (AbsentError, FailedError) as reason:
        sheet.note(f"{PEER}, batch: {reason}")
        return
    figure = Figure(robot.name, BOTH, PEER, statistics.median(theirs), *ratio_of(mine, theirs))
    sheet.add(figure)
    print(
        f"  poses of {BATCH:,} on all processors {seconds(statistics.median(mine))}, {PEER}'s loop "
        f"{seconds(figure.value)}: 1/{1 / figure.ratio:.3g}  "
        f"[1/{1 / figure.low:.3g}, 1/{1 / figure.high:.3g}]"
    )
