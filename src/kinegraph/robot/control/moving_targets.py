"""Targets that move: rows of a pose, its twist, and how long it goes on (`target_layout`)."""

from itertools import pairwise

import numpy as np

from kinegraph.robot.control.generator.tracking_kernels import pose_after
from kinegraph.robot.control.options_layout import (
    O_axis_acceleration,
    O_axis_jerk,
    O_axis_velocity,
)
from kinegraph.robot.control.rotation_kernels import relative_log, rotation_of_quaternion
from kinegraph.robot.control.target_layout import (
    POSE_SIZE,
    TARGET_SIZE,
    T_horizon,
    T_orientation,
    T_velocity,
)
from kinegraph.scene.array_types import Array

__all__ = ["brought_forward", "moving", "paced", "resting", "twist_between"]

LONGEST_S = 0.25
GRACE_S = 0.01
"""A row goes on for so much longer than its time, in case the next is late."""


def resting(pose: Array) -> Array:
    """Return a target (TARGET_SIZE,) at rest; pose (7,) position, m, and quaternion x, y, z, w."""
    row = np.zeros(TARGET_SIZE)
    row[:POSE_SIZE] = pose[:POSE_SIZE]
    return row


def moving(pose: Array, twist: Array, horizon: float) -> Array:
    """Return a target that goes on with a twist (6,) for `horizon` s."""
    row = resting(pose)
    if horizon > 0.0 and twist.any():
        row[T_velocity:T_horizon], row[T_horizon] = twist, horizon
    return row


def twist_between(pose: Array, after: Array, dt: float) -> Array:
    """Return the twist (6,), m/s and rad/s, base axes, that leads a pose (7,) to another in dt."""
    turns = np.empty((2, 9))
    for rotation, row in zip(turns, (after, pose), strict=True):
        rotation_of_quaternion(np.ascontiguousarray(row), T_orientation, rotation, 0)
    turn = relative_log(turns[0], 0, turns[1], 0)
    return np.concatenate([after[:3] - pose[:3], turn]) / dt


def brought_forward(row: Array, seconds: float) -> Array:
    """Return the target as it is `seconds` after its time; anything at rest is as it was."""
    if row.size != TARGET_SIZE or row[T_horizon] == 0.0 or seconds <= 0.0:
        return row
    late = row.copy()
    pose_after(late, 0, late, T_velocity, min(seconds, row[T_horizon]), np.empty(9), 0)
    late[T_horizon] = max(row[T_horizon] - seconds, 0.0)
    return late


def paced(poses: Array, dt: float, options: Array) -> Array:
    """Return a chunk's rows with the velocities that lead from each to the next.

    An axis that could not stop on what is left of its way goes from rest to rest, so that the last
    row is not overrun. Rows more than LONGEST_S apart are waypoints, each at rest.

    Args:
        poses: (n, 7) positions, m, and quaternions x, y, z, w.
        dt: Time between rows, s.
        options: Packed options with the axes' limits.
    """
    rows = np.zeros((len(poses), TARGET_SIZE))
    rows[:, :POSE_SIZE] = poses
    if len(poses) == 1 or dt > LONGEST_S:
        return rows
    twists = np.stack([twist_between(a, b, dt) for a, b in pairwise(poses)])
    ways = np.abs(twists)[::-1].cumsum(axis=0)[::-1] * dt
    most = stopping_speed(
        ways,
        options[O_axis_acceleration : O_axis_acceleration + 6],
        options[O_axis_jerk : O_axis_jerk + 6],
    )
    limit = options[O_axis_velocity : O_axis_velocity + 6]
    twists = np.clip(twists, -limit, limit)
    rows[:-1, T_velocity:T_horizon] = np.where(np.abs(twists) <= most, twists, 0.0)
    rows[:-1, T_horizon] = dt + min(dt, GRACE_S)
    return rows


def stopping_speed(way: Array, acceleration: Array, jerk: Array) -> Array:
    """Return the speed from which an axis without acceleration comes to rest within a way."""
    gentle = np.cbrt(way * way * jerk)
    half = 0.5 * acceleration / jerk
    hard = acceleration * (np.sqrt(half * half + 2.0 * way / acceleration) - half)
    return np.where(gentle * jerk <= acceleration * acceleration, gentle, hard)
