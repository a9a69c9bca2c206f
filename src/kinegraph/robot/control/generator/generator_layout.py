"""Where each number of a generator's block stands, relative to the block's start.

A block holds up to `MAX_JOINTS` axes. The two hints make the next planning cheap, and no result
depends on them beyond rounding; `drift` is the velocity of the target, everything else the state
and the limits.
"""

from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.field_offsets import offsets

GENERATOR_FIELDS: tuple[tuple[str, int], ...] = (
    ("position", MAX_JOINTS),
    ("velocity", MAX_JOINTS),
    ("acceleration", MAX_JOINTS),
    ("target", MAX_JOINTS),
    ("max_velocity", MAX_JOINTS),
    ("max_acceleration", MAX_JOINTS),
    ("max_jerk", MAX_JOINTS),
    ("peak", MAX_JOINTS),
    ("duration", MAX_JOINTS),
    ("peak_hint", MAX_JOINTS),
    ("stretch_hint", MAX_JOINTS),
    ("drift", MAX_JOINTS),
)
"""Fields in their order, with their numbers of entries."""

GENERATOR_OFFSETS = offsets(GENERATOR_FIELDS)
GENERATOR_SIZE = sum(count for _, count in GENERATOR_FIELDS)

# The offsets that kernels use, as plain integers that numba freezes.
G_position = GENERATOR_OFFSETS["position"]
G_velocity = GENERATOR_OFFSETS["velocity"]
G_acceleration = GENERATOR_OFFSETS["acceleration"]
G_target = GENERATOR_OFFSETS["target"]
G_max_velocity = GENERATOR_OFFSETS["max_velocity"]
G_max_acceleration = GENERATOR_OFFSETS["max_acceleration"]
G_max_jerk = GENERATOR_OFFSETS["max_jerk"]
G_peak = GENERATOR_OFFSETS["peak"]
G_duration = GENERATOR_OFFSETS["duration"]
G_peak_hint = GENERATOR_OFFSETS["peak_hint"]
G_stretch_hint = GENERATOR_OFFSETS["stretch_hint"]
G_drift = GENERATOR_OFFSETS["drift"]
