"""A run on disk: all that went on between program and robot, readable even after a kill."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from kinegraph.robot import Robot, SceneRobot, SimulatedRobot, read_run

HOST = "127.0.0.74"


def record(path: Path) -> None:
    """Move the flange by 2 cm and record what happens."""
    with ExitStack() as stack:
        stack.enter_context(SimulatedRobot(HOST, lockstep_s=0.2))
        robot = stack.enter_context(Robot(HOST))
        recorder = stack.enter_context(robot.record(path, {"operator": "nobody"}))
        scene = stack.enter_context(SceneRobot(robot))
        arm = stack.enter_context(scene.cartesian_targets())
        recorder.note("upwards", by_m=0.02)
        arm.set_position(arm.target() + np.array([0.0, 0.0, 0.02]))
        arm.wait()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.log"
        record(path)
        run = read_run(path)
        run.save_npz(path.with_suffix(".npz"))
        run.save_csv(path.with_suffix(".csv"), "cycles")
        print(f"{path.stat().st_size / 1e6:.1f} MB, complete: {run.complete}, notes: {run.notes}")
        print("rows lost:", dict(run.lost))
        for name, table in run.tables.items():
            print(f"{name}: {len(table)} rows of {', '.join((table.dtype.names or ())[:5])}, ...")
        for event in run.events:
            words = (event.facts.get(key) for key in ("command", "session", "text"))
            print("-", event.what, *(word for word in words if word is not None))
        median = np.median(run.table("cycles")["compute_ns"]) / 1e3
        print(f"compute time of a cycle: {median:.0f} us in the middle")
        z = run.records()["pose"][:, 14]
        print(f"the desired pose rose by {1e3 * (z[-1] - z[0]):.1f} mm")
        print("the last state:", run.states()[-1])


if __name__ == "__main__":
    main()
