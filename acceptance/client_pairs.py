"""`client-pairs`: moves by our default law and by franka-rs, side by side on the same robots.

A step of 5 cm, a turn of 20 degrees, a chunk of 20 rows, a push and its release: ours has to be at
least as good in the median of the paired differences. KINEGRAPH_REPS sets another number of pairs
than five.
"""

import os
import statistics
from collections.abc import Callable

from bars import Sheet
from client_step import OURS, both
from moving import PEER, ROBOTS, Seen, run_moves

__all__ = ["GROUPS"]

REPS = int(os.environ.get("KINEGRAPH_REPS", "5"))
MOVES = ("step", "turn", "follow", "push")
# Figures that are compared, with what cannot be told apart: the resolution of the measurement.
COMPARED = {
    "land_mm": 0.02, "land_deg": 0.005, "lag_mm": 0.05, "lag_deg": 0.02, "near_ms": 5.0,
}  # fmt: skip
ROUGH_RATIO = 1.02
LOOK = ("over_mm", "over_deg", "cross_mm", "moved_mm", "turned_deg", "pushed_mm", "success_min")


def pairs(sheet: Sheet, name: str) -> None:
    """All moves on one robot: ours and the peer's in turn, the order changed every time."""
    ours: list[Seen] = []
    theirs: list[Seen] = []
    for turn in range(REPS):
        runs = [(ours, OURS, "default"), (theirs, PEER, "impedance")]
        for into, program, variant in runs[:: 1 if turn % 2 == 0 else -1]:
            into.append(run_moves(ROBOTS[name], program, variant, ",".join(MOVES)))
    for move in MOVES:
        compare(sheet, f"P.{name}.{move}", move, ours, theirs)
    mine = statistics.median(run.moves["default", m]["cpu_us"] for run in ours for m in MOVES)
    other = statistics.median(run.moves["impedance", m]["cpu_us"] for run in theirs for m in MOVES)
    limit = f"<= {other:.4g}"
    sheet.report(f"P.{name}.cpu_us", mine, limit, peer=other, latency=True, **both(ours))


def compare(sheet: Sheet, bar: str, move: str, ours: list[Seen], theirs: list[Seen]) -> None:
    """One move: each figure, and by how much it is above the peer's."""
    mine = [run.moves["default", move] for run in ours]
    other = [run.moves["impedance", move] for run in theirs]
    n = {"n": len(mine)}
    for figure in mine[0]:
        value = statistics.median(a[figure] for a in mine)
        peer = statistics.median(b[figure] for b in other)
        differences = [a[figure] - b[figure] for a, b in zip(mine, other, strict=True)]
        if figure in COMPARED:
            sheet.report(f"{bar}.{figure}", value, None, peer=peer, **n)
            what, unit = figure.rsplit("_", 1)
            more = statistics.median(differences)
            sheet.report(f"{bar}.{what}_more_{unit}", more, f"<= {COMPARED[figure]:g}", **n)
        elif figure == "rough":
            sheet.report(f"{bar}.rough_Nm_per_s", value, None, peer=peer, **n)
            ratio = statistics.median(
                a[figure] / b[figure] for a, b in zip(mine, other, strict=True)
            )
            sheet.report(f"{bar}.rough_ratio", ratio, f"<= {ROUGH_RATIO:g}", **n)
        elif figure in LOOK:
            sheet.report(f"{bar}.{figure}", value, None, peer=peer, **n)


GROUPS: dict[str, Callable[[Sheet], None]] = {
    "P.ours": lambda sheet: pairs(sheet, "ours"),
    "P.ours_friction": lambda sheet: pairs(sheet, "ours_friction"),
    "P.franka_sim": lambda sheet: pairs(sheet, "franka_sim"),
}
