"""Torques beside a motion: the robot plans along positions, the program's law follows them."""

import numpy as np

from kinegraph.robot import JointPositions, Robot, RobotState, SimulatedRobot, Torques

HOST = "127.0.0.94"
STIFFNESS = np.array([600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0])
DAMPING = 2.0 * np.sqrt(STIFFNESS)
TURN = np.array([0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0])  # rad
DURATION_S, END_S = 1.0, 1.3


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    elapsed, start = 0.0, np.zeros(7)
    lag = 0.0

    def turn(state: RobotState, period_s: float) -> JointPositions:
        nonlocal elapsed, start
        if period_s == 0.0:
            elapsed, start = 0.0, state.q_d
        elapsed += period_s
        part = min(elapsed / DURATION_S, 1.0)
        q = start + TURN * 0.5 * (1.0 - np.cos(np.pi * part))
        return JointPositions(q, motion_finished=elapsed >= END_S)

    def follow(state: RobotState, period_s: float) -> Torques:
        """Springs and dampers to what the generator wants; gravity is the robot's business."""
        nonlocal lag
        lag = max(lag, float(np.abs(state.q_d - state.q).max()))
        return Torques(STIFFNESS * (state.q_d - state.q) + DAMPING * (state.dq_d - state.dq))

    with SimulatedRobot(HOST, lockstep_s=0.5), Robot(HOST) as robot:
        before = robot.read_once().q
        robot.control_joint_positions(turn, torques=follow)
        after = robot.read_once()
        print("turned by", after.q - before)
        print(f"the arm was at most {1e3 * lag:.1f} mrad behind")
        print("mode", after.robot_mode.name)


if __name__ == "__main__":
    main()
