"""A run on disk: states and cycles of a motion, readable even if the program is killed."""

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from kinegraph.robot import Recorder, Robot, SceneRobot, SimulatedRobot, read_run

HOST = "127.0.0.74"


def record(path: Path) -> None:
    """Move the flange by 2 cm and record what happens."""
    with ExitStack() as stack:
        stack.enter_context(SimulatedRobot(HOST, lockstep_s=0.2))
        robot = stack.enter_context(Robot(HOST))
        scene = stack.enter_context(SceneRobot(robot))
        arm = stack.enter_context(scene.cartesian_targets())
        sources = {
            "states": robot.states().reader,
            "cycles": arm.cycles(),
            "records": arm.records(),
        }
        stack.enter_context(Recorder(path, sources, {"what": "2 cm upwards"}))
        arm.set_position(arm.target() + np.array([0.0, 0.0, 0.02]))
        arm.wait()
        time.sleep(0.2)  # a little of the rest, too


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.log"
        record(path)
        run = read_run(path)
        run.save_npz(path.with_suffix(".npz"))
        print(f"{path.stat().st_size / 1e6:.1f} MB, complete: {run.complete}, notes: {run.notes}")
        print("rows lost:", run.lost)
        for name, table in run.tables.items():
            print(f"{name}: {len(table)} rows of {', '.join((table.dtype.names or ())[:5])}, ...")
        cycles = run.tables["cycles"]
        median = np.median(cycles["compute_ns"]) / 1e3
        print(f"compute time of a cycle: {median:.0f} us in the middle")
        z = run.tables["records"]["pose"][:, 14]
        print(f"the desired pose rose by {1e3 * (z[-1] - z[0]):.1f} mm")


if __name__ == "__main__":
    main()
