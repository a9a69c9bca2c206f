"""Where the numbers of feed-forward, friction and integral force stand in the memory."""

from kinegraph.robot.control.memory_layout import MEMORY_OFFSETS

# The offsets that kernels use, as plain integers that numba freezes.
M_rate = MEMORY_OFFSETS["rate"]
M_change = MEMORY_OFFSETS["change"]
M_planned_rate = MEMORY_OFFSETS["planned_rate"]
M_remainder = MEMORY_OFFSETS["remainder"]
M_half_reference = MEMORY_OFFSETS["half_reference"]
M_half_rate = MEMORY_OFFSETS["half_rate"]
M_half_change = MEMORY_OFFSETS["half_change"]
M_law_reference = MEMORY_OFFSETS["law_reference"]
M_law_rate = MEMORY_OFFSETS["law_rate"]
M_law_change = MEMORY_OFFSETS["law_change"]
M_free = MEMORY_OFFSETS["free"]
M_pinned_before = MEMORY_OFFSETS["pinned_before"]
M_task_rate = MEMORY_OFFSETS["task_rate"]
M_friction = MEMORY_OFFSETS["friction"]
M_integral = MEMORY_OFFSETS["integral"]
M_rested = MEMORY_OFFSETS["rested"]
M_extra = MEMORY_OFFSETS["extra"]
M_feedback = MEMORY_OFFSETS["feedback"]
M_spring = MEMORY_OFFSETS["spring"]
M_wall_shift = MEMORY_OFFSETS["wall_shift"]
