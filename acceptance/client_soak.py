"""`client-soak`: B3, ten minutes of unruly targets, of steps beside franka-rs, and of everything.

KINEGRAPH_SOAK_S sets another duration of each, seconds.
"""

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import numpy as np
from bars import Sheet
from canary import Canary
from children import Child, run_program
from client_interpreter import responses
from other_servers import franka_sim
from peers import python_of
from relaying import RelayProcess, relay
from simulator import CLIENT_FIFO, RELAY_HOST, SERVER_FIFO, simulator

__all__ = ["GROUPS"]

SOAK_S = float(os.environ.get("KINEGRAPH_SOAK_S", "600"))
MORE_S = 400.0  # kernels may have to be compiled first
HEAP_S = 0.5e-3

Server = Callable[[], AbstractContextManager[Child]]


def run(server: Server, program: str, task: str, *arguments: str) -> tuple[Any, dict[str, Any]]:
    """Run a client on a robot at FIFO priorities; what it says, and what became of its commands."""
    python = python_of("v10") if program.startswith("franka_rs") else sys.executable
    with ExitStack() as stack:
        robot = stack.enter_context(server())
        robot.fifo(SERVER_FIFO)
        between = stack.enter_context(relay())
        canary = stack.enter_context(Canary())
        said = run_program(
            python, program, RELAY_HOST, task, *arguments, str(SOAK_S),
            limit_s=SOAK_S + MORE_S, fifo=CLIENT_FIFO,
        )  # fmt: skip
    begin, response = responses(between)
    kept = canary.outside(1e9 * begin, 1e9 * (begin + response))
    left, overtaken = unanswered(between, canary)
    return said, {
        "answers": {"n": len(response), "foreign_cpu_pct": 100.0 * canary.foreign},
        "unanswered": left,
        "overtaken": overtaken,
        "response_p99_us": 1e6 * float(np.percentile(response[kept], 99.0)),
    }


def unanswered(between: RelayProcess, canary: Canary) -> tuple[int, int]:
    """States of the motion that got no command, and those of them that were overtaken.

    The client does not answer for states that came while the machine stood still, nor for those
    that were held up before it: what comes in a heap is answered by one command for the newest.
    """
    states, at = between.arrays["state_id"], between.arrays["t_forward"]
    answered = np.unique(between.arrays["command_id"])
    inside = (states >= answered[0]) & (states <= answered[-1]) & np.isfinite(at)
    states, at = states[inside], at[inside]
    silent = ~np.isin(states, answered)
    since = np.concatenate([at[:1], at[:-1]])
    until = np.concatenate([at[1:], at[-1:]])
    counted = silent & canary.outside(1e9 * since, 1e9 * at + 1e6)
    overtaken = counted & (until - at < HEAP_S)
    return int(counted.sum() - overtaken.sum()), int(overtaken.sum())


def unruly(sheet: Sheet) -> None:
    """B3: on franka-sim, which enforces its limits."""
    said, seen = run(lambda: franka_sim(enforce=True), "kinegraph_soak", "unruly")
    facts = seen["answers"]
    lands = said["lands_mm"]
    if lands:
        facts = {**facts, "n": len(lands)}
        sheet.report("B3.unruly.land_spread_mm", float(np.ptp(lands)), "< 0.2", **facts)
        sheet.report("B3.unruly.land_mm", float(np.median(lands)), None, **facts)
    books(sheet, "B3.unruly", said, seen)


def books(sheet: Sheet, bar: str, said: Any, seen: dict[str, Any]) -> None:
    """Lost commands, records, memory, garbage collections, and how long the loop computes.

    Python collects garbage in whichever thread allocates; in the loop's it never may.
    """
    facts = seen["answers"]
    missing = max(0, said["cycles"] - said["records"]) + said["records_lost"]
    sheet.report(f"{bar}.targets", said["targets"], None, **facts)
    sheet.report(f"{bar}.unanswered", seen["unanswered"], "== 0", **facts)
    sheet.report(f"{bar}.overtaken", seen["overtaken"], None, **facts)
    sheet.report(f"{bar}.missing_records", missing, "== 0", **{**facts, "n": said["records"]})
    collections = {**facts, "n": said["collections"]}
    sheet.report(f"{bar}.collections", said["collections"], "> 0", **facts)
    sheet.report(f"{bar}.loop_collections", said["loop_collections"], "== 0", **collections)
    sheet.report(f"{bar}.rss_growth_MB", said["rss_growth_mb"], "< 10", **facts)
    sheet.report(f"{bar}.compute_p999_us", said["compute_p999_us"], "<= 300", latency=True, **facts)
    sheet.report(f"{bar}.compute_p50_us", said["compute_p50_us"], None, **facts)
    sheet.report(f"{bar}.response_p99_us", seen["response_p99_us"], None, **facts)


def plain(sheet: Sheet) -> None:
    """B3: steps there and back, ours and the peer's."""
    ours, seen = run(franka_sim, "kinegraph_soak", "plain")
    theirs, other = run(franka_sim, "franka_rs_targets", "soak")
    mine, peer = (np.array(told["lands_mm"])[1:] for told in (ours, theirs))
    facts = {"n": len(mine), "foreign_cpu_pct": seen["answers"]["foreign_cpu_pct"]}
    spread, theirs_spread = float(np.ptp(mine)), float(np.ptp(peer))
    sheet.report("B3.plain.land_spread_mm", spread, "<= 0.05", peer=theirs_spread, **facts)
    sheet.report(
        "B3.plain.land_mm", float(np.median(mine)), None, peer=float(np.median(peer)), **facts
    )
    shares = [1e4 * told["unanswered"] / told["answers"]["n"] for told in (seen, other)]
    sheet.report("B3.plain.unanswered_per_10000", shares[0], "<= 1", peer=shares[1], **facts)


def everything(sheet: Sheet) -> None:
    """Random targets at 30 Hz, live tuning, tools that are changed and a busy thread, on ours."""
    said, seen = run(lambda: simulator(fifo=True), "kinegraph_soak", "everything")
    sheet.report("B3.everything.tuned", said["tuned"], None)
    sheet.report("B3.everything.tools_changed", said["tools"], None)
    books(sheet, "B3.everything", said, seen)


GROUPS: dict[str, Callable[[Sheet], None]] = {
    "B3.unruly": unruly,
    "B3.plain": plain,
    "B3.everything": everything,
}
