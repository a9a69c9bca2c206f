"""The controllers' state row of an arm that is no Franka.

The rows of `state_layout` have seven joints; the last two of nine take the places of `q_d` and
`dq_d`, which the controllers of torques do not read.
"""

import numpy as np

from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.wire.state_layout import (
    S_EE_T_K,
    S_F_T_EE,
    S_O_T_EE,
    STATE_SIZE,
    S_ddq_d,
    S_dq,
    S_q,
    S_time,
)
from kinegraph.scene.array_types import Array

__all__ = ["empty_row", "write_state"]

if S_q + MAX_JOINTS > S_dq or S_dq + MAX_JOINTS > S_ddq_d:
    raise ImportError("a state row has no room for the joints of an arm")


def empty_row() -> Array:
    """Return the row of an arm at zero, whose end effector is the controlled link."""
    row = np.zeros(STATE_SIZE)
    for at in (S_O_T_EE, S_F_T_EE, S_EE_T_K):
        row[at : at + 16] = np.eye(4).ravel()
    return row


def write_state(row: Array, q: Array, dq: Array, time_s: float) -> None:
    """Write an arm's state into its row.

    Args:
        row: (STATE_SIZE,) of `empty_row`.
        q: (n,) joint positions.
        dq: (n,) joint velocities.
        time_s: The arm's clock, s.
    """
    row[S_q : S_q + len(q)] = q
    row[S_dq : S_dq + len(dq)] = dq
    row[S_time] = 1e3 * time_s
