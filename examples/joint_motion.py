"""A joint motion by an ordinary callback, and what ends one that the robot does not like."""

import numpy as np

from kinegraph.robot import ControlError, JointPositions, Robot, RobotState, SimulatedRobot

HOST = "127.0.0.91"
TURN = np.array([0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0])  # rad
DURATION_S = 1.0


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    elapsed, start = 0.0, np.zeros(7)

    def turn(state: RobotState, period_s: float) -> JointPositions:
        """Turn joint 4 with a cosine; by the robot's clock, so that lost states cost nothing."""
        nonlocal elapsed, start
        if period_s == 0.0:  # the first call
            elapsed, start = 0.0, state.q_d
        elapsed += period_s
        part = min(elapsed / DURATION_S, 1.0)
        q = start + TURN * 0.5 * (1.0 - np.cos(np.pi * part))
        return JointPositions(q, motion_finished=part == 1.0)

    def jump(state: RobotState, period_s: float) -> JointPositions:
        return JointPositions(state.q_d + TURN)

    with SimulatedRobot(HOST, lockstep_s=0.5), Robot(HOST) as robot:
        before = robot.read_once().q
        robot.control_joint_positions(turn)
        print("turned by", robot.read_once().q - before)

        try:
            robot.control_joint_positions(jump, cutoff_frequency=1000.0)  # no filter smooths it
        except ControlError as error:
            print(str(error).splitlines()[0])
            print(f"{len(error.log)} states and commands in the log")
        robot.automatic_error_recovery()
        print("mode", robot.read_once().robot_mode.name)


if __name__ == "__main__":
    main()
