"""The controllers' state row of an arm that is no Franka.

The rows of `state_layout` have seven joints; the last two of nine take the places of `q_d` and
`dq_d`, which the controllers of torques do not read.
"""

import math

import numpy as np

from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.errors import ControlError
from kinegraph.robot.torque_arm.protocol import ArmState, TorqueArm
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

__all__ = ["empty_row", "read_arm", "send_to", "state_in_row", "write_state"]

if S_q + MAX_JOINTS > S_dq or S_dq + MAX_JOINTS > S_ddq_d:
    raise ImportError("a state row has no room for the joints of an arm")


def empty_row() -> Array:
    """Return the row of an arm at zero, whose end effector is the controlled link."""
    row = np.zeros(STATE_SIZE)
    for at in (S_O_T_EE, S_F_T_EE, S_EE_T_K):
        row[at : at + 16] = np.eye(4).ravel()
    return row


def read_arm(arm: TorqueArm, n: int) -> ArmState:
    """Return an arm's state, of which the shapes are right; the numbers may be anything.

    Raises:
        ControlError: The arm raised an exception, or its state has other shapes.
    """
    try:
        state = arm.read()
        q, dq = np.asarray(state.q, np.float64), np.asarray(state.dq, np.float64)
        time_s = float(state.time_s)
    except Exception as error:
        raise ControlError(f"the arm {arm.table.name!r} raised {error!r}") from error
    if q.shape != (n,) or dq.shape != (n,):
        raise ControlError(f"the arm's state has shapes {q.shape} and {dq.shape}, expected {(n,)}")
    if not math.isfinite(time_s):
        raise ControlError(f"the arm's state has time_s = {time_s}", time_s=time_s)
    return ArmState(q, dq, time_s)


def send_to(arm: TorqueArm, torques: Array) -> None:
    """Send torques (n,), Nm, to an arm.

    Raises:
        ControlError: The arm raised an exception.
    """
    try:
        arm.send(torques)
    except Exception as error:
        raise ControlError(f"the arm {arm.table.name!r} raised {error!r}") from error


def write_state(row: Array, state: ArmState) -> None:
    """Write an arm's state into its row.

    Args:
        row: (STATE_SIZE,) of `empty_row`.
        state: The arm's, of `read_arm`.
    """
    row[S_q : S_q + state.q.size] = state.q
    row[S_dq : S_dq + state.dq.size] = state.dq
    row[S_time] = 1e3 * state.time_s


def state_in_row(row: Array, n: int) -> ArmState:
    """Return the state (n joints) that was written into a row."""
    q, dq = row[S_q : S_q + n].copy(), row[S_dq : S_dq + n].copy()
    return ArmState(q, dq, 1e-3 * float(row[S_time]))
