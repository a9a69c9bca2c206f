"""B5: our client when its robot is killed in its motion: `kinegraph_deaths.py HOST COUNT`.

Starts and kills the robots itself, so that all happens in one process. Prints the figures as JSON
on its last line.
"""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from simulator import simulator

from kinegraph.robot import FrankaError, Robot, SceneRobot, read_run

HOST, COUNT = sys.argv[1], int(sys.argv[2])


def sockets() -> int:
    """Sockets that this process has open."""
    found = 0
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found += os.readlink(entry).startswith("socket:")
        except OSError:
            continue
    return found


def threads() -> int:
    """Threads of this process, those of compiled code too."""
    return len(list(Path("/proc/self/task").iterdir()))


def death(path: Path) -> dict[str, Any]:
    """Kill the robot 0.4 s after a step; how the program hears of it."""
    killed, seen, raised = [0.0], "", 0.0
    killer: threading.Thread | None = None
    with simulator("--no-enforce", host=HOST) as server:

        def kill() -> None:
            time.sleep(0.4)
            os.kill(server.pid, signal.SIGKILL)
            killed[0] = time.monotonic()

        robot = Robot(HOST)
        before, counted = threads(), robot.counters.received
        try:
            with (
                robot,
                SceneRobot(robot) as scene,
                robot.record(path),
                scene.cartesian_targets(tool="scene") as arm,
            ):
                time.sleep(0.3)
                arm.set_position(arm.target() + 0.05 * np.eye(3)[0])
                killer = threading.Thread(target=kill)
                killer.start()
                while True:
                    arm.wait(1e-6, timeout_s=5.0)
        except FrankaError as problem:
            raised, seen = time.monotonic(), type(problem).__name__
    if killer is not None:
        killer.join(10.0)
    end = time.monotonic() + 2.0
    while threads() > before and time.monotonic() < end:
        time.sleep(0.01)
    return {
        "kind": seen,
        "after_kill_ms": 1e3 * (raised - killed[0]),
        "gone_s": time.monotonic() - raised,
        "recorded": len(read_run(path).states()),
        "not_recorded": robot.counters.received - counted - len(read_run(path).states()),
    }


def main() -> None:
    deaths, left = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(COUNT):
            before = sockets()
            deaths.append(death(Path(folder) / f"{number}.run"))
            left = max(left, sockets() - before)
    sys.stdout.write("\n" + json.dumps({"deaths": deaths, "sockets_left": left}) + "\n")


if __name__ == "__main__":
    main()
