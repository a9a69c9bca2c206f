"""Where each number of a Cartesian target stands.

A target is a pose that may move: from the cycle in which the loop takes it on, position and
orientation go on with the twist for `horizon` seconds. Without news it is the pose as given, at
rest, after that. A horizon of zero is a target at rest.
"""

from kinegraph.robot.field_offsets import offsets

TARGET_FIELDS: tuple[tuple[str, int], ...] = (
    ("position", 3),
    ("orientation", 4),
    ("velocity", 3),
    ("angular_velocity", 3),
    ("horizon", 1),
)
"""Fields in their order, with their numbers of entries; quaternion x, y, z, w, base axes, SI."""

TARGET_OFFSETS = offsets(TARGET_FIELDS)
TARGET_SIZE = sum(count for _, count in TARGET_FIELDS)

# The offsets that kernels use, as plain integers that numba freezes.
T_orientation = TARGET_OFFSETS["orientation"]
T_velocity = TARGET_OFFSETS["velocity"]
T_horizon = TARGET_OFFSETS["horizon"]

POSE_SIZE = T_velocity
"""Numbers of a target at rest."""
