"""A new process that loads one library: how long, how much memory, until the first pose.

    python probe.py LIBRARY STATEMENT [URDF TIP LEAF]

Prints one line of JSON: seconds of the import statement, resident MiB before and after it, and,
with a robot, seconds until its first pose and resident MiB then. Started by `start_up.py`.
"""

import json
import sys
import time

__all__: list[str] = []


def _resident() -> float:
    try:
        with open("/proc/self/statm", encoding="ascii") as pages:
            return int(pages.read().split()[1]) * 4096 / 2**20
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def main(library: str, statement: str, *robot: str) -> None:
    """Load, and pose when a robot is given."""
    found = {"before": _resident()}
    start = time.perf_counter()
    exec(statement, {})  # an import line of `start_up.STATEMENTS`
    found["import"] = time.perf_counter() - start
    found["loaded"] = _resident()
    if robot:
        import numpy as np
        from libraries import find
        from robots import Robot

        path, tip, leaf = robot
        with open(path, encoding="utf-8") as file:
            made = find(library)(Robot("probe", file.read(), tip, leaf))
        made.pose(made.rows(np.zeros((1, len(made.order))))[0])
        found["pose"] = time.perf_counter() - start
        found["posed"] = _resident()
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
