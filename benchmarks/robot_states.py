"""What it costs to decode a state of the robot in Python."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from pairing import Figure, Sheet

from kinegraph.robot import RobotState
from kinegraph.robot.state_values import PUBLIC_FIELDS

__all__ = ["DECODE", "measure_states"]

DECODE = "decode a state, us"
CALLS = 2_000


def measure_states(rounds: int, sheet: Sheet) -> None:
    """Print and note the time of one decoding, for both versions, and of reading all fields."""
    numbers = np.random.default_rng(1)
    state = RobotState().replace(q=numbers.normal(size=7), tau_J=numbers.normal(size=7), time=77)
    new, old = state.to_wire(), state.to_wire_v5()
    row = np.array(state.row)
    questions: list[tuple[str, Callable[[], Any]]] = [
        ("from_wire, version 10", lambda: RobotState.from_wire(new)),
        ("from_wire, version 5", lambda: RobotState.from_wire_v5(old)),
        ("from a row of the loop", lambda: RobotState.from_row(row)),
        ("and all 49 fields read", lambda: [getattr(state, name) for name in PUBLIC_FIELDS]),
    ]
    print(f"\n{DECODE}")
    for label, call in questions:
        call()
        value = 1e6 * statistics.median(_time(call) for _ in range(rounds))
        print(f"  {label:28}{value:>8.2f}")
        sheet.add(Figure("", DECODE, label, value))


def _time(call: Callable[[], Any]) -> float:
    begun = time.thread_time()  # what others take of the processor does not count
    for _ in range(CALLS):
        call()
    return (time.thread_time() - begun) / CALLS
