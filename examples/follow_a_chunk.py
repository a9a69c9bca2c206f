"""A policy's chunks of targets: planned ahead, followed at a fixed rate, replaced at any time."""

import threading

import numpy as np
from numpy.typing import NDArray

from kinegraph.robot import CartesianOptions, MotionLimits, Robot, SceneRobot, SimulatedRobot

HOST = "127.0.0.98"
RADIUS = 0.03  # m
DT = 0.04  # s
ROWS = 25
LIMITS = MotionLimits(0.3, 2.0, 60.0)  # m/s, m/s^2, m/s^3


def chunk(start: NDArray[np.float64], first: int) -> NDArray[np.float64]:
    """Return the next positions (ROWS, 3) on a circle through the start, a turn in 50 rows."""
    angle = 2.0 * np.pi * np.arange(first + 1, first + 1 + ROWS) / 50.0
    way = np.stack([np.cos(angle) - 1.0, np.sin(angle), np.zeros(ROWS)], axis=1)
    return start + RADIUS * way


def main() -> None:
    options = CartesianOptions(limits=LIMITS)
    # lockstep_s: the simulated robot waits for each command, so that a busy machine loses none.
    with (
        SimulatedRobot(HOST, lockstep_s=0.2),
        Robot(HOST) as robot,
        SceneRobot(robot) as scene,
        scene.cartesian_targets(options) as arm,
    ):
        start = arm.target()
        for first in (0, ROWS):  # each call returns when the next chunk is due
            print("chunk through:", arm.follow(chunk(start, first), DT))
        print("landed:", arm.wait())
        print(f"off the start by {1e3 * arm.distance()[0]:.2f} mm")

        # Whatever is set while a chunk is played takes over; the rest of the chunk is dropped.
        other = threading.Timer(0.3, arm.move_by, ([0.0, 0.0, 0.02],))
        other.start()
        print("chunk through:", arm.follow(chunk(start, 0), DT))
        other.join()
        print("landed:", arm.wait())


if __name__ == "__main__":
    main()
