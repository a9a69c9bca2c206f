"""The moves of `shared_moves` by franka-rs's target controllers.

    franka_rs_targets.py HOST moves VARIANTS MOVES

    franka_rs_targets.py HOST soak SECONDS

VARIANTS are `impedance` and `robot`. Prints the figures as JSON on its last line.
"""

import json
import sys
import time
from typing import Any

import numpy as np
from franka_rs import FIFO, connect, milliseconds, quiet
from shared_moves import BACK_S, BUDGET, ROW_S, STEP_M, TURN_BUDGET, TURN_RAD, arc, looked_at

BUDGETS = BUDGET | {f"max_angular_{k.removeprefix('max_')}": v for k, v in TURN_BUDGET.items()}


def moves(variants: str, names: str) -> Any:
    """Every move with every variant, each in a session of its own."""
    robot = quiet(connect())
    seen = []
    for variant in variants.split(","):
        for name in names.split(","):
            with robot.cartesian_targets(backend=variant, realtime_priority=FIFO, **BUDGETS) as arm:
                seen.append({"variant": variant, **one_move(arm, name)})
    return {"moves": seen}


def one_move(arm: Any, name: str) -> Any:
    home = arm.target().copy()

    def start() -> None:
        if name == "step":
            arm.move_by([STEP_M, 0.0, 0.0])
        elif name == "turn":
            arm.move_by([0.0, 0.0, 0.0, 0.0, 0.0, TURN_RAD])
        elif name == "follow":
            arm.follow(home[:3] + arc(), ROW_S)

    figures = looked_at(name, lambda: float(milliseconds(arm.state())), start)
    arm.move_to(home)
    time.sleep(BACK_S)
    return figures


def soak(seconds: str) -> Any:
    """B3: 5 cm there and back every 2 s; the error of each landing, by the model, mm."""
    robot, lands, step = quiet(connect()), [], np.array([STEP_M, 0.0, 0.0])
    model = robot.model()
    with robot.cartesian_targets(realtime_priority=FIFO) as arm:
        time.sleep(0.5)
        begin = time.monotonic()
        while time.monotonic() - begin < float(seconds):
            arm.move_by(step)
            time.sleep(2.0)
            step = -step
            state = arm.state()
            at = np.asarray(model.pose("ee", state.q, state.F_T_EE))[:3, 3]
            lands.append(1e3 * float(np.linalg.norm(at - np.asarray(arm.target())[:3])))
    return {"lands_mm": lands}


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
