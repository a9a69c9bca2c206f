"""Trouble on purpose: a simulated arm collides, is stopped, leaves its range; and gets over it."""

from collections.abc import Callable

import numpy as np

from kinegraph.robot import (
    CommandError,
    ControlError,
    Robot,
    RobotState,
    SimulatedRobot,
    Torques,
)

HOST = "127.0.0.79"
LAST = np.eye(7)[6]  # joint 7 alone


def float_for(robot: Robot, seconds: float) -> str:
    """Let the arm float; returns how that ended."""
    time = 0.0

    def command(_: RobotState, period_s: float) -> Torques:
        nonlocal time
        time += period_s
        return Torques(np.zeros(7), motion_finished=time >= seconds)

    try:
        robot.control_torques(command)
    except ControlError as error:
        return str(error).splitlines()[0]
    return "finished"


def recover(robot: Robot) -> str:
    """Ask for automatic error recovery; returns what came of it."""
    try:
        robot.automatic_error_recovery()
    except CommandError as error:
        return str(error)
    return "recovered"


def report(what: str, happened: str, *remedies: Callable[[], object]) -> None:
    """Print what happened and what each remedy said."""
    print(f"{what}: {happened}")
    for remedy in remedies:
        print("   ", remedy() or "done by hand")


def main() -> None:
    with SimulatedRobot(HOST, fci=5, lockstep_s=0.2) as sim, Robot(HOST) as robot:
        # Something hits the arm with 150 N from above; the thresholds for contacts are lower.
        sim.inject("collision", after_s=0.2)
        report("collision", float_for(robot, 1.0), lambda: recover(robot))

        # Somebody presses the user stop, and no command of a client gets past that.
        sim.inject("user-stop", after_s=0.2)
        ended = float_for(robot, 1.0)
        report("user stop", ended, lambda: recover(robot), sim.release_user_stop)

        # Somebody pushes joint 7 out of its range. Only a hand brings it back.
        sim.place([*sim.q[:6], 2.85])
        sim.apply_torques(2.0 * LAST)
        ended = float_for(robot, 1.0)
        sim.apply_torques(0.0 * LAST)
        report("range", ended, lambda: recover(robot), sim.recover_by_hand, lambda: recover(robot))

        report("and again", float_for(robot, 0.2))


if __name__ == "__main__":
    main()
