"""A8: pylibfranka, franka-rs and franky at our simulated hand."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

from bars import Sheet
from children import Child
from peers import python_of
from simulator import SERVER_HOST, simulator

from kinegraph.robot import Gripper

__all__ = ["hands"]

# What the tests let the clients do: every call, a stop from a second process.
SCRIPT = Path(__file__).parents[1] / "tests" / "support" / "foreign" / "hand_clients.py"
CLIENTS = {"pylibfranka": "v10", "franka-rs": "v10", "franky": "v5"}
THING = 0.04
ANSWERS = {"homing": True, "move": True, "grasp": True, "miss": False, "band": True}
WIDTHS = {"homed": 0.08, "moved": 0.06, "grasped": THING, "opened": 0.08, "missed": THING}
LIMIT_S, STATES = 60.0, 100


def run(client: str) -> dict[str, Any]:
    """Let a client do everything; returns what it saw."""
    with Child([python_of(CLIENTS[client]), str(SCRIPT), SERVER_HOST, "run", client]) as child:
        text = child.finish(LIMIT_S)
    seen: dict[str, Any] = {}
    for line in text.splitlines():
        if line.startswith("{"):
            seen |= json.loads(line)
    return seen


def hands(sheet: Sheet) -> None:
    """Homing, move, grasp with an object and without, stop during a move, states."""
    with simulator("--hand", "--hand-object", str(THING)) as server:
        server.wait_for("serving a hand", LIMIT_S)
        for client in CLIENTS:
            seen = run(client)
            right = sum(seen[call] is answer for call, answer in ANSWERS.items())
            sheet.report(f"A8.{client}.right_answers", right, f"== {len(ANSWERS)}")
            off = max(abs(seen[name]["width"] - width) for name, width in WIDTHS.items())
            sheet.report(f"A8.{client}.width_off_mm", 1e3 * off, "<= 0.5")
            aborted = seen["aborted"] == "libfranka gripper: Command aborted!"
            sheet.report(f"A8.{client}.stopped_move_aborted", aborted, "== True")
            sheet.report(f"A8.{client}.stop_s", seen["stop_s"], "< 0.05", latency=True)
        with Gripper(SERVER_HOST) as gripper:
            times = [state.time for state, _ in zip(gripper.states(), range(STATES), strict=False)]
        steps = {after - before for before, after in pairwise(times)}
        sheet.report("A8.states.longest_step_ms", max(steps), "<= 10", n=STATES)
