"""How long the target controller computes, and how soon a session is there.

    kinegraph_cycles.py HOST compute SECONDS | first

Prints the figures as JSON on its last line.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from kinegraph_client import FIFO, HOST, connect, thresholds

from kinegraph.robot import CartesianOptions, MotionLimits, Robot
from kinegraph.robot.control import CartesianSent, records_from_rows

MOVING_RAD_S, JOINTS = 1e-3, 4
# To and fro, and a turn of the hand that joint 7 cannot make.
SWING_M, BEYOND_RAD = (0.06, 0.05, -0.04), 3.0
PAUSE_S = 0.35


def compute(seconds: str) -> Any:
    """Times of the cycles in which four joints move and one is pinned; us."""
    with connect() as robot:
        robot.set_collision_behavior(*thresholds())
        options = CartesianOptions(
            limits=MotionLimits(0.6, 2.0, 60.0),
            rotation_limits=MotionLimits(1.5, 3.0, 60.0),
            max_deviation=0.5,
            max_angular_deviation=3.1,
            realtime_priority=FIFO,
        )
        with robot.start_cartesian_target_control(options) as arm:
            records, cycles = arm.records(), arm.cycles()
            at = [name for name, _ in cycles.fields]
            kept, received, moving = [], [], 0
            home, sign, begin = arm.target(), 1.0, time.monotonic()
            for _ in range(4):
                arm.move_by([0.0, 0.0, 0.0, 0.0, 0.0, 0.25 * BEYOND_RAD], frame="tool")
            while time.monotonic() - begin < float(seconds):
                arm.set_position(home + sign * np.array(SWING_M))
                sign = -sign
                time.sleep(PAUSE_S)
                sent = records_from_rows(records.read()[0], 7, CartesianSent)
                rows = cycles.read()[0]
                count = min(len(sent), len(rows))
                sent, rows = sent[:count], rows[:count]
                moves = (np.abs(sent["dq_goal"]) > MOVING_RAD_S).sum(axis=1) >= JOINTS
                moving += int(moves.sum())
                fits = moves & (sent["pinned"] != 0).any(axis=1)
                kept.append(1e-3 * rows[fits, at.index("compute_ns")])
                received.append(rows[fits, at.index("received_ns")])
    return {
        "compute_us": np.concatenate(kept).tolist(),
        "received_ns": np.concatenate(received).tolist(),
        "moving": moving,
    }


def first() -> Any:
    """Time from the start of this process to the first cycle of a session, s."""
    with Robot(HOST) as robot, robot.start_cartesian_target_control():
        return {"first_s": since_start_s()}


def since_start_s() -> float:
    """Age of this process, s."""
    ticks = int(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
    up = float(Path("/proc/uptime").read_text().split()[0])
    return up - ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
