"""A torque loop at 1 kHz: with an ordinary function, and with a compiled one."""

import numba
import numpy as np
import numpy.typing as npt

from kinegraph.robot import Robot, RobotState, SimulatedRobot, Torques, motion_finished
from kinegraph.robot.wire.state_layout import S_dq, S_q

HOST = "127.0.0.73"
READY = np.array([0.0, -0.7854, 0.0, -2.3562, 0.0, 1.5708, 0.7854])
STIFFNESS = np.array([60.0, 60.0, 60.0, 60.0, 30.0, 20.0, 20.0])
DAMPING = 2.0 * np.sqrt(STIFFNESS)
NEAR, SLOW = 2e-3, 2e-3


def ordinary(state: RobotState, period_s: float) -> Torques:
    """Pull the joints to READY like springs with dampers; gravity is the robot's own business."""
    torques = Torques(STIFFNESS * (READY - state.q) - DAMPING * state.dq)
    arrived = np.abs(READY - state.q).max() < NEAR and np.abs(state.dq).max() < SLOW
    return motion_finished(torques) if arrived else torques


@numba.njit
def compiled(
    state: npt.NDArray[np.float64], period_s: float, torques: npt.NDArray[np.float64]
) -> int:
    """Do the same inside the loop, where a busy interpreter costs nothing.

    `state` is a row of numbers in which `state_layout` says where each field begins. The answer is
    0 to go on, anything else with the last torques. Arrays from outside are compiled in as they
    are then; a fourth argument would be a memory of the function's own.
    """
    arrived = 1
    for i in range(7):
        error, speed = READY[i] - state[S_q + i], state[S_dq + i]
        torques[i] = STIFFNESS[i] * error - DAMPING[i] * speed
        if abs(error) >= NEAR or abs(speed) >= SLOW:
            arrived = 0
    return arrived


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    with SimulatedRobot(HOST, lockstep_s=0.2) as simulated, Robot(HOST) as robot:
        for name, callback in (("ordinary", ordinary), ("compiled", compiled)):
            simulated.place(READY + np.array([0.05, 0.0, 0.0, 0.1, 0.0, 0.0, -0.1]))
            # The springs pull at once: the rate limiter lets the torques rise step by step.
            robot.control_torques(callback, limit_rate=True)
            off = np.abs(robot.read_once().q - READY).max()
            print(f"{name}: {robot.counters.cycles} cycles, ended {1e3 * off:.1f} mrad away")

        # What ends a motion otherwise is raised here; the robot is told to stop.
        def breaks(state: RobotState, period_s: float) -> Torques:
            raise ZeroDivisionError("a fault of the program")

        try:
            robot.control_torques(breaks)
        except ZeroDivisionError as error:
            print(f"raised again: {error}; mode {robot.read_once().robot_mode.name}")


if __name__ == "__main__":
    main()
