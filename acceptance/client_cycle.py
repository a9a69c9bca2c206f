"""`client-cycle`: C, what a cycle of the target controller costs, and how soon a session is there.

CPU per cycle beside franka-rs is measured by `client-step` and `client-pairs`. KINEGRAPH_CYCLE_S
sets another duration than 30 s.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from bars import Sheet
from canary import Canary
from children import run_program
from simulator import CLIENT_FIFO, SERVER_HOST, simulator

__all__ = ["GROUPS"]

RUN_S = float(os.environ.get("KINEGRAPH_CYCLE_S", "30"))
MORE_S = 400.0  # kernels may have to be compiled first
STARTS = 5
ENOUGH = 1000


def client(task: str, *arguments: str, fifo: bool) -> Any:
    """Let our client do a task of `programs/kinegraph_cycles.py`."""
    return run_program(
        sys.executable,
        "kinegraph_cycles",
        SERVER_HOST,
        task,
        *arguments,
        limit_s=RUN_S + MORE_S,
        fifo=CLIENT_FIFO if fifo else None,
    )


def compute(sheet: Sheet) -> None:
    """C.compute: cycles in which at least four joints move and one is pinned."""
    with simulator("--no-enforce", fifo=True), Canary() as canary:
        seen = client("compute", str(RUN_S), fifo=True)
    times, at = np.array(seen["compute_us"]), np.array(seen["received_ns"])
    kept = canary.outside(at, at + 1e3 * times)
    facts: dict[str, Any] = {
        "n": len(times),
        "discarded": int((~kept).sum()),
        "foreign_cpu_pct": 100.0 * canary.foreign,
        "latency": True,
    }
    sheet.report("C.compute.cycles", len(times), f">= {ENOUGH}")
    if not kept.any():
        return
    for share, limit in ((50.0, 25.0), (99.0, 60.0)):
        value = float(np.percentile(times[kept], share))
        sheet.report(f"C.compute.p{share:g}_us", value, f"<= {limit:g}", **facts)
    sheet.report("C.compute.p999_us", float(np.percentile(times[kept], 99.9)), None, **facts)


def start(sheet: Sheet) -> None:
    """C.start: from the start of a process to the first cycle of its session, all compiled."""
    with simulator("--no-enforce"):
        client("first", fifo=False)
        with Canary() as canary:
            taken = [client("first", fifo=False)["first_s"] for _ in range(STARTS)]
    facts: dict[str, Any] = {
        "n": STARTS,
        "foreign_cpu_pct": 100.0 * canary.foreign,
        "latency": True,
    }
    sheet.report("C.start.first_session_s", float(np.median(taken)), "<= 2", **facts)
    sheet.report("C.start.slowest_s", max(taken), None, **facts)


GROUPS: dict[str, Callable[[Sheet], None]] = {"C.compute": compute, "C.start": start}
