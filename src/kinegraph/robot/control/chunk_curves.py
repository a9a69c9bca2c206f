"""The curve through a chunk's rows: what the targets are between two of them.

Rows of a policy come every 50 to 200 ms. Straight lines between them change their velocity at each
row, which the arm answers with its acceleration limit ten times a second. Here each coordinate goes
through its rows by piecewise cubics that are monotone where the rows are, so that it never leaves
what lies between two rows: F. N. Fritsch and J. Butland, "A method for constructing local monotone
piecewise cubic interpolants", SIAM J. Sci. Stat. Comput. 5, 1984.
"""

import math
from itertools import pairwise

import numpy as np

from kinegraph.robot.control.generator.tracking_kernels import pose_after
from kinegraph.robot.control.moving_targets import LONGEST_S, twist_between
from kinegraph.scene.array_types import Array

__all__ = ["smooth_poses", "smooth_vectors"]

FINE_S = 0.01
"""Rows farther apart than this get others between them."""
ROUNDING = 1e-9


def smooth_vectors(rows: Array, dt: float) -> tuple[Array, float]:
    """Return the rows with others between them, and the time between two of all.

    Args:
        rows: (m, n).
        dt: Time between rows, s.

    Returns:
        (m k, n), of which row i k is row i, the last one k times; and dt / k. Rows at most 10 ms or
        more than 0.25 s apart are as they were.
    """
    parts = _parts(len(rows), dt)
    if parts == 1:
        return rows, dt
    steps = np.diff(rows, axis=0)
    return _filled(rows, rows[:-1, None] + _curves(steps, parts), parts), dt / parts


def smooth_poses(poses: Array, dt: float) -> tuple[Array, float]:
    """Return poses with others between them, as `smooth_vectors` does.

    Args:
        poses: (m, 7) positions, m, and quaternions x, y, z, w.
        dt: Time between rows, s.
    """
    parts = _parts(len(poses), dt)
    if parts == 1:
        return poses, dt
    steps = np.stack([twist_between(a, b, 1.0) for a, b in pairwise(poses)])
    curves = _curves(steps, parts)
    between = np.repeat(poses[:-1, None], parts, axis=1)
    work = np.empty(9)
    for k, ways in enumerate(curves):
        for i, way in enumerate(ways):
            pose_after(between[k, i], 0, way, 0, 1.0, work, 0)
    return _filled(poses, between, parts), dt / parts


def _parts(count: int, dt: float) -> int:
    if count == 1 or dt > LONGEST_S:
        return 1
    return max(1, math.ceil(dt / FINE_S - ROUNDING))


def _curves(steps: Array, parts: int) -> Array:
    """Return the ways (m - 1, parts, n) from each row on, at the begin of each part."""
    slopes = np.zeros((len(steps) + 1, steps.shape[1]))
    before, after = steps[:-1], steps[1:]
    same = before * after > 0.0
    total = np.where(same, before + after, 1.0)
    slopes[1:-1] = np.where(same, 2.0 * before * after / total, 0.0)
    slopes[0], slopes[-1] = steps[0], steps[-1]
    u = (np.arange(parts) / parts)[:, None]
    begin, end, step = slopes[:-1, None], slopes[1:, None], steps[:, None]
    return (u - 2.0 * u**2 + u**3) * begin + (3.0 * u**2 - 2.0 * u**3) * step + (u**3 - u**2) * end


def _filled(rows: Array, between: Array, parts: int) -> Array:
    """Return what lies between with each row itself at its place, and the last one held."""
    between[:, 0] = rows[:-1]
    last = np.repeat(rows[-1:], parts, axis=0)
    return np.concatenate([between.reshape(-1, rows.shape[1]), last])
