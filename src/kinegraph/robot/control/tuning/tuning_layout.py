"""The words of live tuning: their order, their bounds, and how each crosses over to a new value.

With n joints there are 2 n + 11 words, 25 for seven: joint stiffness, joint damping, then those
below. The row that the loop keeps holds the sequence of the slot that it read last, whether all
words have arrived, the words in force, the words on their way, scratch for a read, and the
Cartesian springs and dampers that belong to the stiffness `REFERENCE_STIFFNESS`.
"""

import numpy as np

from kinegraph.scene.array_types import Array

__all__ = ["bounds", "row_size", "word_count"]

# The words after the joints' gains, from `2 n` on.
W_STIFFNESS = 0  # N/m
W_IK_DAMPING = 1
W_NULLSPACE_GAIN = 2  # 1/s
W_FEEDFORWARD_GAIN = 3
W_FEEDFORWARD_CUTOFF = 4  # Hz
W_LIMITS = 5  # velocity, acceleration, jerk: a norm
W_ROTATION_LIMITS = 8
SHARED_WORDS = 11

# The row: single numbers, then three rows of words, then springs and dampers (6 each).
T_SEEN = 0
T_ARRIVED = 1
T_WORDS = 2

REFERENCE_STIFFNESS = 750.0
"""Translational stiffness that the springs and dampers of the row belong to, N/m."""

SLEW_TIME = 0.3
"""Time constant with which a slewing word follows, s."""

MIN_DAMPING_RATIO = 0.25
"""A joint's damping is at least this times the root of its stiffness."""

STRONG_JOINTS = 4
"""Joints, counted from the base, with the larger bound of the damping."""

JOINT_STIFFNESS = (0.0, 1200.0)
JOINT_DAMPING = 60.0
WRIST_DAMPING = 40.0
SHARED_BOUNDS = (
    (50.0, 3000.0),
    (1e-3, 1.0),
    (0.0, 20.0),
    (0.0, 1.0),
    (1.0, 1000.0),
    (0.05, 1.2),
    (0.1, 20.0),
    (1.0, 800.0),
    (0.05, 2.5),
    (0.1, 30.0),
    (1.0, 800.0),
)


def word_count(n: int) -> int:
    """Return the number of words for n joints."""
    return 2 * n + SHARED_WORDS


def row_size(n: int) -> int:
    """Return the size of the loop's row for n joints."""
    return T_WORDS + 3 * word_count(n) + 12


def bounds(n: int) -> tuple[Array, Array]:
    """Return the smallest and the largest value of each word; a damping has a floor besides."""
    damping = [JOINT_DAMPING if i < STRONG_JOINTS else WRIST_DAMPING for i in range(n)]
    pairs = [JOINT_STIFFNESS] * n + [(0.0, top) for top in damping] + list(SHARED_BOUNDS)
    low, high = np.array(pairs).T
    return low.copy(), high.copy()
