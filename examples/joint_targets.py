"""Joint targets under a budget of each joint, with no scene, and what the records say of them."""

import numpy as np

from kinegraph.robot import (
    JointLimits,
    JointOptions,
    Robot,
    SimulatedRobot,
)
from kinegraph.robot.control import arm_table

HOST = "127.0.0.77"


def main() -> None:
    np.set_printoptions(precision=3, suppress=True)
    # lockstep_s: the simulated robot waits for each command, so that a busy machine loses none.
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot:
        budget = JointLimits.share_of(arm_table(robot.version), 0.4)
        with robot.start_joint_target_control(JointOptions(limits=budget)) as arm:
            start = arm.target()
            arm.move_to(start + np.array([0.2, 0.0, 0.0, 0.2, 0.0, 0.0, 0.3]))
            print("missing, mrad:", 1e3 * arm.distance())

            wave = 0.1 * np.sin(np.linspace(0.0, np.pi, 26))
            print("chunk followed:", arm.follow(start + wave[:, None], dt=0.02))
            print("back at the start:", arm.move_to(start))
            sent, lost = arm.records().read_records()

        print(f"{len(sent)} records, lost {lost}")
        print("largest speeds, rad/s:", np.abs(sent["velocity"]).max(axis=0))
        print("largest torques, Nm:  ", np.abs(sent["tau"]).max(axis=0))


if __name__ == "__main__":
    main()
