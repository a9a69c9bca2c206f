"""`server-soak`: A10, ten minutes of steps there and back by franka-rs.

KINEGRAPH_SOAK_S sets another duration, seconds.
"""

import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from bars import Sheet
from canary import Canary
from children import run_program
from peers import python_of
from relaying import relay
from simulator import CLIENT_FIFO, RELAY_HOST, SERVER_HOST, simulator

__all__ = ["GROUPS"]

SOAK_S = float(os.environ.get("KINEGRAPH_SOAK_S", "600"))
SHORT_S = 20.0
MORE_S = 60.0
# Limits of the robot's CPU, percent of one core, by franka-rs's backend.
CPU = {"torque": 35.0, "joint": 35.0, "cartesian": 60.0}


def rust(host: str, task: str, *arguments: str, limit_s: float) -> Any:
    """Let franka-rs do a task at the client's priority."""
    python = python_of("v10")
    return run_program(
        python, "franka_rs", host, task, *arguments, limit_s=limit_s, fifo=CLIENT_FIFO
    )


def soak(sheet: Sheet) -> None:
    """A10: landings, gaps and memory over the whole time, in torque mode."""
    with simulator("--no-enforce", fifo=True) as robot:
        rust(SERVER_HOST, "soak", "impedance", "6", limit_s=MORE_S)  # all pages touched
        before = robot.rss_mb()
        with relay() as between, Canary() as canary:
            seen = rust(RELAY_HOST, "soak", "impedance", str(SOAK_S), limit_s=SOAK_S + MORE_S)
        figures = between.figures()
        growth = robot.rss_mb() - before
        text = robot.end()
    lands = np.array(seen["lands_mm"])
    facts = {"n": len(lands), "foreign_cpu_pct": 100.0 * canary.foreign}
    sheet.report("A10.landings", len(lands), f">= {int(SOAK_S / 2)}", **facts)
    sheet.report("A10.land_mm", float(np.median(lands)), None, **facts)
    sheet.report("A10.land_spread_mm", float(np.ptp(lands)), "< 0.1", **facts)
    sheet.report("A10.missing_ids", figures["states"]["missing_ids"], "== 0", **facts)
    sheet.report("A10.rss_growth_MB", growth, "< 5", **facts)
    sheet.report("A10.success_min", seen["success_min"], None, **facts)
    sheet.report("A10.stalls", len(canary.stalls), None, **facts)
    lost = re.findall(r"(\d+) lost", text)
    sheet.report("A10.lost_commands", int(lost[0]) if lost else None, None, **facts)
    sheet.report("A10.mode_after", seen["mode"], "== idle", **facts)


def processor(sheet: Sheet) -> None:
    """A10: CPU of the robot in each of its modes."""
    tasks = {"torque": "impedance", "cartesian": "robot", "joint": "joint"}
    for name, backend in tasks.items():
        with simulator("--no-enforce", fifo=True) as robot:
            rust(SERVER_HOST, "soak", backend, "2", limit_s=MORE_S)
            before = robot.cpu_s()
            seen = rust(SERVER_HOST, "soak", backend, str(SHORT_S), limit_s=SHORT_S + MORE_S)
            share = 100.0 * (robot.cpu_s() - before) / seen["wall_s"]
        sheet.report(f"A10.{name}.cpu_pct", share, f"<= {CPU[name]:g}", n=seen["states"])


GROUPS: dict[str, Callable[[Sheet], None]] = {"A10.s": soak, "A10.cpu": processor}
