"""The loops at 1 kHz against the simulated robot, beside pylibfranka's in the same run.

Each has a robot of its own; robot and client are processes of their own at FIFO priorities, on one
core. A canary watches the machine: cycles during its stalls do not count. Times are taken from the
datagrams on the wire, by the kernel, so that every client is measured in the same way; what the
client itself spends from taking a state to having sent the command, only ours tell.
"""

import subprocess
from collections.abc import Callable, Sequence

import numpy as np
from pairing import Figure, Sheet, ratio_of
from robot_clients import KINDS, OVERHEADS, PEER
from robot_runs import CONDITIONS, IDLE, Run, merged, run_loop

__all__ = ["LOST", "RESPONSE", "WAKE", "measure_robot_loops"]

SHARES = (50.0, 99.0, 99.9, 100.0)
TAIL = 2
WAKE = "wake to send, p99.9, us"
COMPUTE = "computed, p99.9, us"
RESPONSE = "state to command, p99.9, us"
LOST = "commands lost"
OVERHEAD_S = 5.0
COLUMNS = "".join(f"{name:>8}" for name in ("p50", "p99", "p99.9", "max"))


def measure_robot_loops(seconds_each: float, rounds: int, sheet: Sheet) -> bool:
    """Print what each loop does under each condition, and note the figures.

    Args:
        seconds_each: Of one loop under one condition, in all rounds together.
        rounds: Times that all loops are run in turn.
        sheet: Where the figures go.

    Returns:
        Whether the machine was quiet enough for all of them.
    """
    print(f"\n1 kHz loops, {seconds_each:g} s each in {rounds} rounds, at FIFO priority, us")
    print(f"{'':30}{'from state to command':^32}{'between commands':^32}{'from taken to sent':^32}")
    print(f"{'':30}{3 * COLUMNS}{'lost':>6}{'unansw.':>8}{'stalled':>8}")
    quiet = True
    for condition in CONDITIONS:
        runs: dict[str, list[Run]] = {}
        for turn in range(rounds):
            for kind in KINDS if turn % 2 == 0 else KINDS[::-1]:
                _try(kind, condition, seconds_each / rounds, runs, sheet)
        for kind in KINDS:
            quiet &= _show(kind, condition, runs, sheet)
    for kind in OVERHEADS:
        single: dict[str, list[Run]] = {}
        _try(kind, IDLE, OVERHEAD_S, single, sheet)
        quiet &= _show(kind, IDLE, single, sheet)
    print("lost: commands that the robot missed; unansw.: states without a command on the wire;")
    print("stalled: cycles in stalls of the machine: no times are taken from them")
    return quiet


def _try(
    kind: str, condition: str, seconds: float, runs: dict[str, list[Run]], sheet: Sheet
) -> None:
    try:
        runs.setdefault(kind, []).append(run_loop(kind, condition, seconds))
    except (OSError, RuntimeError, subprocess.SubprocessError) as reason:
        sheet.note(f"{kind}, {condition}: {reason}")


def _show(kind: str, condition: str, runs: dict[str, list[Run]], sheet: Sheet) -> bool:
    """Print a line and note the figures; whether they say something."""
    if not runs.get(kind):
        return False
    run, label = merged(runs[kind]), f"{kind}, {condition}"
    figures = [*_shares(run.latency_us), *_shares(run.periods_us), *_shares(run.wake_us)]
    text = "".join(f"{value:>8.1f}" if np.isfinite(value) else f"{'-':>8}" for value in figures)
    print(f"{label:30}{text}{run.lost:>6}{run.unanswered:>8}{run.stalled:>8}", flush=True)
    print(f"    {run.report}", flush=True)
    if run.doubt:
        sheet.note(f"{label}: inconclusive, {run.doubt}")
        return False
    sheet.add(Figure(condition, LOST, kind, float(run.lost)))
    for question, values in ((WAKE, run.wake_us), (COMPUTE, run.compute_us)):
        if len(values):
            sheet.add(Figure(condition, question, kind, _shares(values)[TAIL]))
    if len(run.latency_us):
        value = _shares(run.latency_us)[TAIL]
        ratio = _ratio(runs[kind], runs.get(PEER, []), lambda one: _shares(one.latency_us)[TAIL])
        sheet.add(Figure(condition, RESPONSE, kind, value, *ratio))
    return True


def _ratio(
    ours: Sequence[Run], theirs: Sequence[Run], figure: Callable[[Run], float]
) -> tuple[float, float, float]:
    if len(ours) != len(theirs) or any(run.doubt for run in (*ours, *theirs)):
        return 1.0, 1.0, 1.0
    return ratio_of([figure(run) for run in ours], [figure(run) for run in theirs])


def _shares(values: np.ndarray) -> list[float]:
    return np.percentile(values, SHARES).tolist() if len(values) else [float("nan")] * len(SHARES)
