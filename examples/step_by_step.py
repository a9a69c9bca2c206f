"""A motion step by step: read a state, write the command that answers it."""

import math

import numpy as np

from kinegraph.robot import JointPositions, JointVelocities, Robot, SimulatedRobot

HOST = "127.0.0.93"
SPEED, DURATION_S = 0.2, 1.0  # rad/s, s


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    with SimulatedRobot(HOST, lockstep_s=0.5), Robot(HOST) as robot:
        before = robot.read_once().q
        elapsed = 0.0
        with robot.start_joint_velocity_control() as control:
            while not control.is_finished:
                _, period_s = control.read_once()
                elapsed += period_s
                part = min(elapsed / DURATION_S, 1.0)
                speed = SPEED * 0.5 * (1.0 - math.cos(2.0 * math.pi * part))
                dq = np.zeros(7)
                dq[0] = speed
                control.write_once(JointVelocities(dq, motion_finished=part == 1.0))
        print(f"joint 1 turned by {robot.read_once().q[0] - before[0]:.4f} rad")

        # Leaving the block before the last command stops the robot.
        with robot.start_joint_velocity_control() as control:
            control.read_once()
            control.write_once(JointVelocities(np.zeros(7)))
        print("mode", robot.read_once().robot_mode.name)

        # Version 10 also plans the way itself: targets may come at any rate.
        target = robot.read_once().q.copy()
        target[3] += 0.1
        with robot.start_async_joint_position_control(max_velocities=[0.5] * 7) as control:
            control.read_once()
            control.write_once(JointPositions(target))
            control.read_once()
            control.write_once(JointPositions(target, motion_finished=True))
        print(f"target missed by {np.abs(robot.read_once().q - target).max():.1e} rad")


if __name__ == "__main__":
    main()
