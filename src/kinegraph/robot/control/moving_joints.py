"""Joint targets that move: positions (n), velocities (n), and how long they go on, s (1)."""

import numpy as np

from kinegraph.robot.control.moving_targets import GRACE_S, stopping_speed
from kinegraph.robot.control.options_layout import (
    O_joint_acceleration,
    O_joint_jerk,
    O_joint_velocity,
)
from kinegraph.scene.array_types import Array

__all__ = ["joints_brought_forward", "joints_resting", "paced_joints"]


def joints_resting(q: Array) -> Array:
    """Return the target (2n + 1,) that stays at positions (n,), rad."""
    return np.concatenate([q, np.zeros(q.size + 1)])


def joints_brought_forward(row: Array, seconds: float) -> Array:
    """Return the target as it is `seconds` after its time."""
    n, horizon = row.size // 2, row[-1]
    out = row.copy()
    out[:n] += min(max(seconds, 0.0), horizon) * row[n : 2 * n]
    out[-1] = max(horizon - max(seconds, 0.0), 0.0)
    return out


def paced_joints(q: Array, dt: float, options: Array) -> Array:
    """Return a chunk's rows (m, 2n + 1) with the velocities that lead from each to the next.

    The velocity of a joint is never more than it could stop from on what is left of its way, so
    that the last row, which rests, is not overrun.

    Args:
        q: (m, n) rad.
        dt: Time between rows, s.
        options: Packed options with the joints' budgets.
    """
    count, n = q.shape
    rows = np.zeros((count, 2 * n + 1))
    rows[:, :n] = q
    rates = np.diff(q, axis=0) / dt
    ways = np.abs(rates)[::-1].cumsum(axis=0)[::-1] * dt
    velocity, acceleration, jerk = (
        options[at : at + n] for at in (O_joint_velocity, O_joint_acceleration, O_joint_jerk)
    )
    most = np.minimum(stopping_speed(ways, acceleration, jerk), velocity)
    rows[:-1, n : 2 * n] = np.clip(rates, -most, most)
    rows[:-1, -1] = dt + min(dt, GRACE_S)
    return rows
