"""The policy of `shared_policy` by our client: `kinegraph_policy.py HOST led HOW SECONDS`.

HOW is `move_to`, `move_by` or `follow`. Prints the figures as JSON on its last line.
"""

import json
import sys
import threading
import time
from typing import Any

import numpy as np
from kinegraph_client import FIFO, connect, raise_this_thread, thresholds
from shared_policy import ROW_S, ROWS, SETTLED_S, circle, policy, turned

from kinegraph.robot import CartesianOptions
from kinegraph.scene import Isometry3d


def led(how: str, seconds: str) -> Any:
    with connect() as robot:
        robot.set_collision_behavior(*thresholds())
        raise_this_thread()
        options = CartesianOptions(realtime_priority=FIFO)
        with robot.start_cartesian_target_control(options) as arm:
            home, axes = arm.target(), arm.target_orientation()
            newest = [np.zeros(3), 0.0]
            chunks: list[threading.Thread] = []

            def pose(place: Any, yaw: float) -> Any:
                return Isometry3d.from_quaternion(home + place, turned(axes, yaw)).matrix

            def decide(t: float) -> None:
                place, yaw = circle(t)
                if how == "move_to":
                    arm.set_target(home + place, turned(axes, yaw))
                elif how == "move_by":
                    arm.move_by([*(place - newest[0]), 0.0, 0.0, yaw - newest[1]])
                    newest[:] = place, yaw
                else:
                    places, yaws = circle(t + ROW_S * np.arange(ROWS))
                    rows = np.array([pose(p, y) for p, y in zip(places, yaws, strict=True)])
                    chunks.append(threading.Thread(target=arm.follow, args=(rows, ROW_S)))
                    chunks[-1].start()

            def hold() -> Any:
                arm.move_by([0.0, 0.0, 0.0])
                return arm.target()

            figures = policy(arm, lambda: 1e3 * arm.robot_time(), float(seconds), decide, hold)
            for chunk in chunks:
                chunk.join()
        time.sleep(SETTLED_S)
    return figures


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
