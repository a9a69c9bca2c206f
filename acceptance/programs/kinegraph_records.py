"""B9: a recorded step, computed again from its records: `kinegraph_records.py HOST replay`.

Prints the figures as JSON on its last line.
"""

import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from kinegraph_client import FIFO, connect, thresholds
from shared_moves import STEP_M

from kinegraph.kinematics import plan_chain, plan_dynamics
from kinegraph.robot import CartesianOptions, Replay, read_run
from kinegraph.robot.control import FR3, replay_records
from kinegraph.scene import parseURDFString

SECONDS = 3.0


def replay() -> Any:
    """The largest differences between a session's records and what the pure functions give."""
    options = CartesianOptions(realtime_priority=FIFO)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.log"
        with connect() as robot, robot.record(path):
            robot.set_collision_behavior(*thresholds())
            with robot.start_cartesian_target_control(options) as arm:
                time.sleep(0.5)
                arm.move_by([STEP_M, 0.0, 0.0])
                time.sleep(SECONDS)
                cycles_run = arm.cycle_count
        run, arm_names = read_run(path), Replay(path).arm
        records, cycles, states = (run.table(name) for name in ("records", "cycles", "states"))
        answered = cycles["state_id"][np.searchsorted(cycles["number"], records["cycle"])]
        rows = [run.states()[k] for k in np.searchsorted(states["time"], answered)]
        scene, sent = parseURDFString(run.robot_model or ""), run.records()
        tip, names, base = arm_names.flange_link, arm_names.joint_names, arm_names.base_link
        again = replay_records(
            sent,
            rows,
            chain=plan_chain(scene, tip, names, base),
            bodies=plan_dynamics(scene, names, tip, base),
            arm=FR3,
            options=options,
        )
    poses = np.isfinite(again.pose).all(axis=1)
    return {
        "records": len(sent),
        "cycles": cycles_run,
        "lost": sum(run.lost.values()),
        "q_goal_rad": float(np.abs(again.q_goal - sent["q_goal"]).max()),
        "tau_nm": float(np.abs(again.tau - sent["tau"]).max()),
        "pose": float(np.abs(again.pose[poses] - sent["pose"][poses]).max()),
        "poses": int(poses.sum()),
    }


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
