"""A Cartesian motion by a compiled callback: it runs inside the loop, without the interpreter."""

import math

import numba
import numpy as np
import numpy.typing as npt

from kinegraph.robot import Robot, SimulatedRobot
from kinegraph.robot.wire.state_layout import S_O_T_EE_c

HOST = "127.0.0.92"
RADIUS, DURATION_S = 0.03, 2.0  # m, s
Row = npt.NDArray[np.float64]


@numba.njit
def circle(state: Row, period_s: float, pose: Row, memory: Row) -> int:
    """Draw a circle in the plane of x and z.

    `pose` is to be filled: sixteen numbers column by column, then the two of an elbow, which stay
    zero for none. `memory` is the callback's own, zero before the first cycle.
    """
    if period_s == 0.0:
        memory[1:17] = state[S_O_T_EE_c : S_O_T_EE_c + 16]
    memory[0] += period_s
    part = min(memory[0] / DURATION_S, 1.0)
    # From rest to rest; the angle goes once round.
    angle = 2.0 * math.pi * (part - math.sin(2.0 * math.pi * part) / (2.0 * math.pi))
    pose[:16] = memory[1:17]
    pose[12] += RADIUS * (math.cos(angle) - 1.0)
    pose[14] += RADIUS * math.sin(angle)
    return 1 if part == 1.0 else 0


def main() -> None:
    np.set_printoptions(precision=4, suppress=True)
    with SimulatedRobot(HOST, lockstep_s=0.5), Robot(HOST) as robot:
        before = robot.read_once().O_T_EE[12:15]
        stream = robot.states()
        robot.control_cartesian_pose(circle)
        rows = stream.read_rows()
        at = rows[:, S_O_T_EE_c + 12 : S_O_T_EE_c + 15]
        print("extent along x, y, z:", at.max(axis=0) - at.min(axis=0), "m")
        print("cycles:", robot.counters.cycles)
        print("back at the start but for", np.abs(robot.read_once().O_T_EE[12:15] - before), "m")


if __name__ == "__main__":
    main()
