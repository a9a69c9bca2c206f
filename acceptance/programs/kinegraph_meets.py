"""B6: our client meets a bad robot: `kinegraph_meets.py HOST look|move`; figures as JSON."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from kinegraph.robot import FrankaError, Robot, SimulatedRobot, Torques

HOST, TASK = sys.argv[1:3]
PATIENCE_S, MOTION_S = 1.5, 5.0


def rss_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    return 0.0


def main() -> None:
    """Connect, look at states for a second or hold the arm by torques; time from the fault on."""
    with SimulatedRobot(HOST, port=0) as good, Robot(HOST, port=good.address[1]) as warm:
        warm.read_once()  # all is compiled
    before, begun = rss_mb(), time.monotonic()
    kind, text, last = "none", "", begun
    try:
        with Robot(HOST, timeout_s=PATIENCE_S) as robot:
            if TASK == "look":
                while time.monotonic() - begun < 1.5:
                    robot.read_once()
                    last = begun
            else:

                def hold(_state: Any, _period_s: float) -> Torques:
                    nonlocal last
                    last = time.monotonic()
                    command = Torques([0.0] * 7)
                    command.set_motion_finished(last - begun > MOTION_S)
                    return command

                robot.control_torques(hold)
    except FrankaError as problem:
        kind, text = type(problem).__name__, str(problem)
    found = {
        "kind": kind,
        "text": text,
        "seconds": time.monotonic() - last,
        "rss_growth_mb": rss_mb() - before,
    }
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
