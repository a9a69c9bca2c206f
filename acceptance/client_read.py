"""`client-read`: B1, our client reads the states of both simulators of others.

KINEGRAPH_READ_S sets another duration than a minute, seconds.
"""

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from bars import Sheet
from canary import Canary
from children import Child, run_program
from other_servers import franka_sim, franky_sim
from relaying import relay
from simulator import CLIENT_FIFO, RELAY_HOST, SERVER_FIFO

__all__ = ["GROUPS", "client"]

READ_S = float(os.environ.get("KINEGRAPH_READ_S", "60"))
MORE_S = 60.0


def client(task: str, *arguments: str, limit_s: float, fifo: bool = True, host: str = "") -> Any:
    """Let our client do a task of `programs/kinegraph_client.py`."""
    return run_program(
        sys.executable,
        "kinegraph_client",
        host or RELAY_HOST,
        task,
        *arguments,
        limit_s=limit_s,
        fifo=CLIENT_FIFO if fifo else None,
    )


def reading(sheet: Sheet, name: str, server: Callable[[], AbstractContextManager[Child]]) -> None:
    """States of one simulator: none lost, none old, at little cost."""
    with server() as robot:
        robot.fifo(SERVER_FIFO)
        with relay() as between, Canary() as canary:
            seen = client("read", str(READ_S), limit_s=READ_S + MORE_S)
    figures = between.figures()
    forwarded = figures["counters"]["states"]["forwarded"]
    facts: dict[str, Any] = {"n": seen["received"], "foreign_cpu_pct": 100.0 * canary.foreign}
    late: dict[str, Any] = {**facts, "discarded": len(canary.stalls), "latency": True}
    sheet.report(f"B1.{name}.lost_ids", seen["lost"], "== 0", **facts)
    # The relay goes on for a moment when the client has counted for the last time.
    sheet.report(f"B1.{name}.not_counted", forwarded - seen["all_received"], "<= 1000", **facts)
    sheet.report(f"B1.{name}.age_p99_ms", seen["age_p99_ms"], "<= 1.5", **late)
    sheet.report(f"B1.{name}.age_after_pause_ms", seen["age_after_pause_ms"], "<= 2", **late)
    sheet.report(f"B1.{name}.cpu_pct", seen["cpu_pct"], "<= 6", **facts)
    sheet.report(f"B1.{name}.rss_growth_MB", seen["rss_growth_mb"], "<= 1", **facts)


GROUPS: dict[str, Callable[[Sheet], None]] = {
    "B1.franka_sim": lambda sheet: reading(sheet, "franka_sim", franka_sim),
    "B1.franky_sim": lambda sheet: reading(sheet, "franky_sim", franky_sim),
}
