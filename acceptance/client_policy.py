"""`client-policy`: B8, an uneven policy of 6 to 10 Hz leads the arm around a circle.

KINEGRAPH_POLICY_S sets another duration of each run than 30 s.
"""

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from bars import Sheet
from children import Child
from moving import watched
from other_servers import franka_sim
from shared_policy import RADIUS_M, REST_S
from state_tap import Track

__all__ = ["GROUPS"]

RUN_S = float(os.environ.get("KINEGRAPH_POLICY_S", "30"))
BEGUN_MS = 3000.0
STOPPED_MS = 300.0


def enforcing() -> AbstractContextManager[Child]:
    """franka-sim with its rules on."""
    return franka_sim(enforce=True)


def policies(sheet: Sheet, how: str) -> None:
    """B8: ours and the peer's on a robot that enforces its limits."""
    seen: dict[str, dict[str, float]] = {}
    facts: dict[str, Any] = {}
    for name, program in (("peer", "franka_rs_policy"), ("ours", "kinegraph_policy")):
        run = watched(enforcing, program, ["led", how, str(RUN_S)], 3.0 * RUN_S)
        seen[name], facts = figures(run.track, run.said), run.facts
    ours, peer = seen["ours"], seen["peer"]
    bar = f"B8.{how}"
    bounds = {
        "off_circle_p50_mm": f"<= {max(peer['off_circle_p50_mm'], 0.01):.4g}",
        "stop_s": "<= 1.2",
        "land_mm": "<= 0.3",
        "off_circle_p99_mm": None,
        "decisions": None,
    }
    for figure, limit in bounds.items():
        more = {**facts, "peer": peer[figure]}
        sheet.report(f"{bar}.{figure}", ours[figure], limit, **more)


def figures(track: Track, said: dict[str, Any]) -> dict[str, float]:
    """Distance to the circle once it is under way, and where it stood at the end."""
    begin, end = said["begin_ms"], said["end_ms"]
    rest = track.pose[track.between(begin - 500.0 * REST_S, begin)][:, :3, 3].mean(axis=0)
    moved = track.pose[:, :3, 3] - rest
    around = moved[track.between(begin + BEGUN_MS, end)] + [RADIUS_M, 0.0, 0.0]
    far = np.hypot(np.hypot(around[:, 0], around[:, 1]) - RADIUS_M, around[:, 2])
    stopped = moved[track.between(track.ms[-1] - STOPPED_MS, track.ms[-1])].mean(axis=0)
    return {
        "off_circle_p50_mm": 1e3 * float(np.median(far)),
        "off_circle_p99_mm": 1e3 * float(np.percentile(far, 99.0)),
        "stop_s": said["stop_s"],
        "land_mm": 1e3 * float(np.linalg.norm(stopped - said["moved"])),
        "decisions": said["decisions"],
    }


GROUPS: dict[str, Callable[[Sheet], None]] = {
    "B8.move_to": lambda sheet: policies(sheet, "move_to"),
    "B8.move_by": lambda sheet: policies(sheet, "move_by"),
    "B8.follow": lambda sheet: policies(sheet, "follow"),
}
