"""Stiffness and speed of a session that runs, changed while the arm moves."""

from dataclasses import replace

import numpy as np

from kinegraph.robot import (
    CARTESIAN,
    CartesianOptions,
    MotionLimits,
    Robot,
    SceneRobot,
    SimulatedRobot,
    TuningUpdate,
)

HOST = "127.0.0.72"


def main() -> None:
    options = CartesianOptions(limits=MotionLimits(0.3, 2.0, 60.0), backend=CARTESIAN)
    # lockstep_s: the simulated robot waits for each command, so that a busy machine loses none.
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot, SceneRobot(robot) as scene:
        with scene.cartesian_targets(options) as arm:
            start = arm.tuning()
            print(f"starts with {start.cartesian_stiffness:.0f} N/m and {start.limits}")

            arm.move_by([0.0, 0.1, 0.0])
            # One budget of three: the others stay. Too stiff for the bounds: clamped, and told.
            slower = replace(start.limits, max_velocity=0.1)
            for clamped in arm.tune(TuningUpdate(limits=slower, cartesian_stiffness=5000.0)):
                print(f"{clamped.field}: {clamped.used:g} instead of {clamped.given:g}")
            assert arm.wait()
            now = arm.tuning_in_force()
            print(f"arrives with {now.cartesian_stiffness:.0f} N/m and {now.limits}")

            arm.tune(start)  # as it was
            records, _ = arm.records().read_records()
        speed = np.linalg.norm(records["velocity"], axis=1)
        print(f"largest speed {speed.max():.3f} m/s")


if __name__ == "__main__":
    main()
