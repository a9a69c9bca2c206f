"""`client-step`: B2 and B9, a step of 5 cm by our client and by franka-rs.

KINEGRAPH_REPS sets another number of runs of each than five.
"""

import os
import statistics
import sys
from collections.abc import Callable

import numpy as np
from bars import Sheet
from children import run_program
from moving import PEER, ROBOTS, Seen, run_moves
from other_servers import franka_sim
from shared_moves import tool_pose
from simulator import CLIENT_FIFO, SERVER_FIFO, SERVER_HOST

__all__ = ["GROUPS"]

OURS = "kinegraph_targets"
REPS = int(os.environ.get("KINEGRAPH_REPS", "5"))
# Response of the loop, us: percentile and limit.
RESPONSE = ((50.0, 100.0), (99.0, 200.0), (99.9, 400.0))
TOOL_TURN_DEG = 0.2
REPLAY_S = 400.0  # kernels may have to be compiled first


def steps(sheet: Sheet, name: str) -> None:
    """B2: ours and the peer's in turn, each time on a fresh robot."""
    ours: list[Seen] = []
    theirs: list[Seen] = []
    for turn in range(REPS):
        runs = [
            (ours, OURS, "reference,default,robot"),
            (theirs, PEER, "impedance,robot"),
        ]
        for into, program, variants in runs[:: 1 if turn % 2 == 0 else -1]:
            into.append(run_moves(ROBOTS[name], program, variants, "step"))
    judge(sheet, f"B2.{name}", ours, theirs)
    responses(sheet, f"B2.{name}", ours, theirs)
    records(sheet, name, ours)


def middle(runs: list[Seen], variant: str, figure: str) -> float:
    """Median of a figure of the step."""
    return statistics.median(run.moves[variant, "step"][figure] for run in runs)


def apart(ours: list[Seen], theirs: list[Seen], variant: str, peer: str, figure: str) -> float:
    """Median of the paired differences, ours less theirs."""
    pairs = zip(ours, theirs, strict=True)
    return statistics.median(
        a.moves[variant, "step"][figure] - b.moves[peer, "step"][figure] for a, b in pairs
    )


def judge(sheet: Sheet, bar: str, ours: list[Seen], theirs: list[Seen]) -> None:
    """Landing, lag, path, time and overshoot of each variant, by the limits of its backend."""
    n = {"n": len(ours)}
    for variant, peer in (("reference", "impedance"), ("default", "impedance"), ("robot", "robot")):
        mine = {f: middle(ours, variant, f) for f in ours[0].moves[variant, "step"]}
        other = {f: middle(theirs, peer, f) for f in mine}
        limits = {
            "land_mm": "<= 0.05",
            "lag_mm": None,
            "cross_mm": f"<= {max(1.5 * other['cross_mm'], 0.05):.4g}",
            "over_mm": "<= 0.3",
            "first_ms": f"<= {other['first_ms'] + 20.0:g}",
        }
        if variant == "reference":
            limits["land_mm"] = f"<= {1.2 * other['land_mm'] + 0.05:.4g}"
        if variant == "default":
            limits |= {"land_mm": "<= 0.3", "lag_mm": "<= 5"}
        if variant == "robot" and bar.endswith("franky_sim"):
            limits["over_mm"] = f"<= {other['over_mm'] + 0.05:.4g}"
        if variant != "default" and bar.endswith("ours_friction"):  # nothing there against friction
            limits["land_mm"] = f"<= {1.2 * other['land_mm'] + 0.05:.4g}"
            limits["over_mm"] = f"<= {max(other['over_mm'] + 0.05, 0.3):.4g}"
        for figure, limit in limits.items():
            sheet.report(f"{bar}.{variant}.{figure}", mine[figure], limit, peer=other[figure], **n)
        if variant != "default":
            more = apart(ours, theirs, variant, peer, "lag_mm")
            limit = "<= 0.5" if variant == "reference" else "<= 0.2"
            sheet.report(f"{bar}.{variant}.lag_more_than_peer_mm", more, limit, **n)
        facts = {"latency": True, **both(ours)}
        cpu = mine["cpu_us"]
        sheet.report(f"{bar}.{variant}.cpu_us", cpu, "<= 60", peer=other["cpu_us"], **facts)
        worst = min(run.moves[variant, "step"]["success_min"] for run in ours)
        peers = min(run.moves[peer, "step"]["success_min"] for run in theirs)
        limit = ">= 0.99" if bar.endswith("franka_sim") else None
        sheet.report(f"{bar}.{variant}.success_min", worst, limit, peer=peers, **facts)


def both(runs: list[Seen]) -> dict[str, float | int]:
    """Facts about the machine in all runs."""
    return {
        "n": sum(run.facts["n"] for run in runs),
        "discarded": sum(run.facts["discarded"] for run in runs),
        "foreign_cpu_pct": max(run.facts["foreign_cpu_pct"] for run in runs),
    }


def responses(sheet: Sheet, bar: str, ours: list[Seen], theirs: list[Seen]) -> None:
    """B2: how long a state waits for its command."""
    mine = np.concatenate([run.response_us for run in ours])
    other = np.concatenate([run.response_us for run in theirs])
    for share, limit in RESPONSE:
        sheet.report(
            f"{bar}.response_p{share:g}_us".replace("p99.9", "p999"),
            float(np.percentile(mine, share)),
            f"<= {limit:g}",
            peer=float(np.percentile(other, share)),
            latency=True,
            **both(ours),
        )


def records(sheet: Sheet, name: str, ours: list[Seen]) -> None:
    """B9: a record of every cycle."""
    told = [move for run in ours for move in run.said["moves"] if move["variant"] != "robot"]
    missing = sum(move["missing_records"] for move in told)
    count = sum(move["records"] for move in told)
    sheet.report(f"B9.{name}.missing_records", missing, "== 0", n=count)


def scene(sheet: Sheet, name: str) -> None:
    """B2.scene: the step for a tool that the robot does not know of."""
    runs = [run_moves(ROBOTS[name], OURS, "tool", "step", tool=tool_pose()) for _ in range(REPS)]
    bar = f"B2.scene.{name}"
    for figure, limit in (
        ("land_mm", "<= 0.3"), ("lag_mm", "<= 5"), ("over_mm", "<= 0.3"),
        ("cross_mm", None), ("turned_deg", f"<= {TOOL_TURN_DEG}"), ("land_turned_deg", None),
    ):  # fmt: skip
        sheet.report(f"{bar}.{figure}", middle(runs, "tool", figure), limit, n=len(runs))


def replayed(sheet: Sheet) -> None:
    """B9: a recorded step on franka-sim, computed again from its records."""
    with franka_sim() as robot:
        robot.fifo(SERVER_FIFO)
        seen = run_program(
            sys.executable, "kinegraph_records", SERVER_HOST, "replay",
            limit_s=REPLAY_S, fifo=CLIENT_FIFO,
        )  # fmt: skip
    n = {"n": seen["records"]}
    missing = max(0, seen["cycles"] - seen["records"]) + seen["lost"]
    sheet.report("B9.replay.missing_rows", missing, "== 0", **n)
    sheet.report("B9.replay.q_goal_rad", seen["q_goal_rad"], "<= 1e-9", **n)
    sheet.report("B9.replay.tau_Nm", seen["tau_nm"], "<= 1e-6", **n)
    sheet.report("B9.replay.pose_m", seen["pose"], "<= 1e-9", n=seen["poses"])


GROUPS: dict[str, Callable[[Sheet], None]] = {
    "B2.franka_sim B9.franka_sim": lambda sheet: steps(sheet, "franka_sim"),
    "B2.franky_sim B9.franky_sim": lambda sheet: steps(sheet, "franky_sim"),
    "B2.ours_friction B9.ours_friction": lambda sheet: steps(sheet, "ours_friction"),
    "B9.replay": replayed,
    "B2.scene": lambda sheet: scene(sheet, "franka_sim"),
}
