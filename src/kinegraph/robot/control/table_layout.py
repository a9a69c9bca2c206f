"""What all arrays and kernels of the controllers share: the room for joints, the cycle."""

MAX_JOINTS = 9
"""Room for joints in every array; the number in use is a number of the options."""

CYCLE_TIME = 1e-3
"""Nominal cycle, s. Every step of the controller uses it, never a measured period."""

FILTER_SECTIONS = 6
"""Sections of two poles of the low-pass on what the law follows."""

ROTATION_AXIS_FACTOR = 0.99
"""libfranka's factor of the pose interface on rotational budgets."""
