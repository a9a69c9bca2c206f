"""Where the numbers of the guards stand in the packed options and in the memory."""

from kinegraph.robot.control.memory_layout import MEMORY_OFFSETS
from kinegraph.robot.control.options_layout import OPTION_OFFSETS

# The offsets that kernels use, as plain integers that numba freezes.
O_has_box = OPTION_OFFSETS["has_box"]
O_box_lower = OPTION_OFFSETS["workspace_lower"]
O_box_upper = OPTION_OFFSETS["workspace_upper"]
O_max_spring_force = OPTION_OFFSETS["max_spring_force"]
M_box_state = MEMORY_OFFSETS["box_state"]
M_box_velocity = MEMORY_OFFSETS["box_velocity"]
M_box_acceleration = MEMORY_OFFSETS["box_acceleration"]
M_box_jerk = MEMORY_OFFSETS["box_jerk"]
