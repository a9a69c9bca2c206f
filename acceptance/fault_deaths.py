"""B5: the robot is killed in the motion of our client, again and again in one process."""

import sys
from typing import Any

from bars import Sheet
from canary import Canary
from children import run_program
from simulator import SERVER_HOST

__all__ = ["deaths"]

DEATHS, LIMIT_S = 20, 500.0


def deaths(sheet: Sheet) -> None:
    """B5: twenty robots killed 0.4 s after a step."""
    with Canary() as canary:
        seen = run_program(
            sys.executable, "kinegraph_deaths", SERVER_HOST, str(DEATHS), limit_s=LIMIT_S
        )
    rows = seen["deaths"]
    kinds = [row["kind"] for row in rows]
    late: dict[str, Any] = {
        "n": len(rows),
        "foreign_cpu_pct": 100.0 * canary.foreign,
        "latency": True,
    }
    sheet.report("B5.network_errors", kinds.count("NetworkError"), f"== {DEATHS}", n=len(rows))
    # The kernel closes the connection of a killed process.
    slowest = max(row["after_kill_ms"] for row in rows)
    sheet.report("B5.after_kill_ms", slowest, "<= 100", **late)
    sheet.report("B5.loop_gone_s", max(row["gone_s"] for row in rows), "<= 2", n=len(rows))
    sheet.report("B5.sockets_left", seen["sockets_left"], "== 0", n=len(rows))
    # The recorder begins some states after the counting.
    missing = max(row["not_recorded"] for row in rows)
    sheet.report("B5.states_not_recorded", missing, "<= 1000", n=len(rows))
    fewest = min(row["recorded"] for row in rows)
    sheet.report("B5.states_recorded", fewest, ">= 100", n=len(rows))
