"""States of the caller's choice, shown to a client one by one."""

from collections.abc import Callable, Sequence

import numpy as np
from children import Child

from kinegraph.robot import SimulatedRobot
from kinegraph.robot.wire.state_layout import STATE_FIELDS, STATE_OFFSETS

__all__ = ["random_row", "show_states"]

LOWER = (-2.5, -1.6, -2.5, -2.9, -2.6, 0.6, -2.9)
UPPER = (2.5, 1.6, 2.5, -0.3, 2.6, 4.3, 2.9)


def show_states(
    robot: SimulatedRobot,
    command: Sequence[str],
    next_row: Callable[[np.ndarray], np.ndarray],
    limit_s: float,
) -> str:
    """Run a client that prints `next` before each state it reads; returns all it printed.

    Args:
        robot: A robot whose clock is stepped by hand.
        command: The client.
        next_row: Makes the state to show of the robot's own.
        limit_s: Longest time for the client to end.
    """
    asked = 0
    with Child(command) as client:
        while client.process.poll() is None:
            client.read(0.002)
            told = client.text.count("next\n")
            if told > asked or not told:  # until it is connected a state has to come
                asked = told
                robot.override_state(next_row(robot.state))
                robot.step()
        return client.finish(limit_s)


def random_row(robot: SimulatedRobot, row: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A state at another place and speed, with the pose that belongs to it."""
    q = rng.uniform(LOWER, UPPER)
    pose = robot.end_effector_pose(q).ravel(order="F")
    for name, values in (("q", q), ("dq", rng.uniform(-1.5, 1.5, 7)), ("O_T_EE", pose)):
        at, count = STATE_OFFSETS[name], dict(STATE_FIELDS)[name]
        row[at : at + count] = values
    return row
