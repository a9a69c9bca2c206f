"""The same targets, followed by the robot's own controller instead of our torques."""

import numpy as np

from kinegraph.robot import (
    CartesianOptions,
    ControllerMode,
    MotionLimits,
    Robot,
    RobotController,
    SceneRobot,
    SimulatedRobot,
)

HOST = "127.0.42.1"


def main() -> None:
    options = CartesianOptions(
        limits=MotionLimits(0.3, 1.5, 50.0),  # m/s, m/s^2, m/s^3
        backend=RobotController(),
        controller_mode=ControllerMode.CartesianImpedance,
    )
    # lockstep_s: the simulated robot waits for each command, so that a busy machine loses none.
    with (
        SimulatedRobot(HOST, lockstep_s=0.2),
        Robot(HOST) as robot,
        SceneRobot(robot) as scene,
        scene.cartesian_targets(options) as arm,
    ):
        arm.move_by([0.0, 0.0, 0.03])
        print("there:", arm.wait(tolerance=5e-3))
        arm.move_by([0.0, 0.0, 0.0, 0.0, 0.0, 0.2], frame="tool")
        print("turned:", arm.wait(tolerance=5e-3))

        sent, _ = arm.records().read_records()
        speed = np.linalg.norm(sent["velocity"], axis=1).max()
        print(f"{len(sent)} poses sent, {speed:.2f} m/s at most")
        print("altered by the backstop:", sent["backstop_alteration"].max(), "m")


if __name__ == "__main__":
    main()
