"""The policy of `shared_policy` by franka-rs: `franka_rs_policy.py HOST led HOW SECONDS`.

HOW is `move_to`, `move_by` or `follow`. Prints the figures as JSON on its last line.
"""

import json
import sys
import time
from typing import Any

import numpy as np
from franka_rs import FIFO, connect, milliseconds, quiet
from shared_policy import ROW_S, ROWS, SETTLED_S, circle, policy, turned


def led(how: str, seconds: str) -> Any:
    robot = quiet(connect())
    with robot.cartesian_targets(realtime_priority=FIFO) as arm:
        home = np.array(arm.target())
        newest = [np.zeros(3), 0.0]

        def pose(place: Any, yaw: float) -> Any:
            return np.concatenate([home[:3] + place, turned(home[3:], yaw)])

        def decide(t: float) -> None:
            place, yaw = circle(t)
            if how == "move_to":
                arm.move_to(pose(place, yaw))
            elif how == "move_by":
                arm.move_by([*(place - newest[0]), 0.0, 0.0, yaw - newest[1]])
                newest[:] = place, yaw
            else:
                places, yaws = circle(t + ROW_S * np.arange(ROWS))
                chunk = [pose(p, y) for p, y in zip(places, yaws, strict=True)]
                arm.follow(np.array(chunk), ROW_S)

        def hold() -> Any:
            arm.move_by([0.0, 0.0, 0.0])
            return np.array(arm.target()[:3])

        def now_ms() -> float:
            return float(milliseconds(arm.state()))

        figures = policy(arm, now_ms, float(seconds), decide, hold)
    time.sleep(SETTLED_S)
    return figures


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
