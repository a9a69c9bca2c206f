"""A motion that the robot ends with a reflex: recovered from, tried again, given up."""

import logging
import sys

import numpy as np

from kinegraph.robot import (
    ControlError,
    Robot,
    RobotState,
    SimulatedRobot,
    Torques,
    run_with_recovery,
)

HOST = "127.0.0.86"


class Jump:
    """Torques that jump in the fifth cycle, which no robot allows, but not in the last attempt.

    Args:
        bad: In how many attempts they jump.
    """

    def __init__(self, bad: int) -> None:
        self.attempts, self._bad = 0, bad

    def run(self, robot: Robot) -> None:
        """Make one attempt, from wherever the arm is now."""
        self.attempts += 1
        cycles = 0

        def torques(state: RobotState, period_s: float) -> Torques:
            nonlocal cycles
            cycles += 1
            jump = 5.0 if cycles == 5 and self.attempts <= self._bad else 0.0
            return Torques(np.array([jump] + [0.0] * 6), motion_finished=cycles == 50)

        robot.control_torques(torques, limit_rate=False, cutoff_frequency=1000.0)


def main() -> None:
    # Each recovery is logged with what it was for.
    logging.basicConfig(stream=sys.stdout, format="log: %(message)s")
    with SimulatedRobot(HOST, lockstep_s=0.2), Robot(HOST) as robot:
        motion = Jump(bad=1)
        run_with_recovery(robot, lambda: motion.run(robot), recoveries=2)
        print(f"came to its end in attempt {motion.attempts}")

        motion = Jump(bad=9)
        try:
            run_with_recovery(robot, lambda: motion.run(robot), recoveries=2)
        except ControlError as error:
            print(f"given up after attempt {motion.attempts}: {str(error).splitlines()[0]}")
        robot.automatic_error_recovery()
        print("mode", robot.read_once().robot_mode.name)


if __name__ == "__main__":
    main()
