"""`client-interpreter`: B7, what our loop feels of loads in and beside the user's interpreter.

KINEGRAPH_LOAD_S sets another duration of each load than 12 s.
"""

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from bars import Sheet
from canary import Canary
from children import Child, run_program
from client_read import client
from peers import python_of
from real_libfranka import how
from relaying import RelayProcess, relay
from simulator import CLIENT_FIFO, RELAY_HOST, simulator

__all__ = ["GROUPS"]

RUN_S = float(os.environ.get("KINEGRAPH_LOAD_S", "12"))
LIMIT_S = RUN_S + 100.0
HOG = "while True: pass"
# Load: hog processes beside it, task of the user's thread; limits on p99 (us) and late (%) of the
# ordinary run (None: printed) and of the FIFO run.
NONE, BUSY, FIFO = (300.0, 0.3), (500.0, 1.0), (200.0, 0.05)
LOADS: dict[str, tuple[int, str, tuple[float, float] | None, tuple[float, float]]] = {
    "none": (0, "nothing", NONE, FIFO),
    "one_hog": (1, "nothing", None, FIFO),
    "two_hogs": (2, "nothing", None, FIFO),
    "busy_thread": (0, "spin", BUSY, FIFO),
    "allocating_thread": (0, "allocate", NONE, FIFO),
    "blocked_thread": (0, "block", NONE, FIFO),
}


def loads(sheet: Sheet) -> None:
    """B7: response of the loop under each load, with both kinds of scheduling.

    The controllers move the arm to and fro, so that several joints move in every cycle. The robot
    does not enforce its limits: a load that costs cycles is to be measured, not to end the motion.
    """
    for fifo in (False, True):
        with simulator("--no-enforce", fifo=fifo):
            peer = peer_p99_us(fifo)
            for name, (hogs, task, ordinary, gated) in LOADS.items():
                measured = peer if name == "none" else None
                measure(sheet, name, hogs, task, gated if fifo else ordinary, fifo, measured)


def peer_p99_us(fifo: bool) -> float:
    """The same figure of franka-rs, with nothing else to do."""
    with relay(fifo=fifo) as between, Canary() as canary:
        priority = CLIENT_FIFO if fifo else None
        task = ("franka_rs", RELAY_HOST, "to_and_fro", str(RUN_S))
        run_program(python_of("v10"), *task, limit_s=LIMIT_S, fifo=priority)
    begin, response = responses(between)
    kept = canary.outside(1e9 * begin, 1e9 * (begin + response))
    return 1e6 * float(np.percentile(response[kept], 99.0))


def measure(
    sheet: Sheet,
    name: str,
    hogs: int,
    task: str,
    limits: tuple[float, float] | None,
    fifo: bool,
    peer: float | None,
) -> None:
    """One run under one load."""
    with ExitStack() as stack:
        between = stack.enter_context(relay(fifo=fifo))
        for _ in range(hogs):
            stack.enter_context(Child([sys.executable, "-c", HOG]))
        canary = stack.enter_context(Canary())
        seen = client("under_load", task, str(RUN_S), limit_s=LIMIT_S, fifo=fifo)
    begin, response = responses(between)
    kept = canary.outside(1e9 * begin, 1e9 * (begin + response))
    facts: dict[str, Any] = {
        "n": len(response),
        "discarded": int((~kept).sum()),
        "foreign_cpu_pct": 100.0 * canary.foreign,
        "latency": True,
    }
    bar = f"B7.{name}.{how(fifo)}"
    limit_us, limit_pct = limits or (None, None)
    p99 = 1e6 * float(np.percentile(response[kept], 99.0))
    late = 100.0 * float((response[kept] > 1e-3).mean())
    bound = f"<= {limit_us:g}" if limit_us else None
    sheet.report(f"{bar}.response_p99_us", p99, bound, peer=peer, **facts)
    bound = f"<= {limit_pct:g}" if limit_pct else None
    sheet.report(f"{bar}.late_pct", late, bound, **facts)
    sheet.report(f"{bar}.user_turns_per_s", seen["turns"] / RUN_S, None, **facts)


def responses(between: RelayProcess) -> tuple[np.ndarray, np.ndarray]:
    """When states of the motion were handed on, and how long each waited for its first command."""
    states, at = between.arrays["state_id"], between.arrays["t_forward"]
    ids, first = np.unique(between.arrays["command_id"], return_index=True)
    sent = between.arrays["t_command"][first]
    ids, rows, answers = np.intersect1d(states, ids, return_indices=True)
    begin = at[rows]
    return begin, sent[answers] - begin


GROUPS: dict[str, Callable[[Sheet], None]] = {"B7": loads}
