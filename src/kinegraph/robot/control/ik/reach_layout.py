"""Where the numbers of the search for the pose within reach stand in the memory."""

from kinegraph.robot.control.memory_layout import MEMORY_OFFSETS

# The offsets that kernels use, as plain integers that numba freezes.
M_aim = MEMORY_OFFSETS["aim"]
M_beyond = MEMORY_OFFSETS["beyond"]
M_sought = MEMORY_OFFSETS["sought"]
M_found = MEMORY_OFFSETS["found"]
M_reach_q = MEMORY_OFFSETS["reach_q"]
M_reach_pose = MEMORY_OFFSETS["reach_pose"]
M_reach_jacobian = MEMORY_OFFSETS["reach_jacobian"]
M_reach_active = MEMORY_OFFSETS["reach_active"]
M_reach_columns = MEMORY_OFFSETS["reach_columns"]
M_reach_error = MEMORY_OFFSETS["reach_error"]
M_reach_damping = MEMORY_OFFSETS["reach_damping"]
M_reach_weight = MEMORY_OFFSETS["reach_weight"]
M_reach_steps = MEMORY_OFFSETS["reach_steps"]
M_trial_q = MEMORY_OFFSETS["trial_q"]
M_trial_pose = MEMORY_OFFSETS["trial_pose"]
M_trial_jacobian = MEMORY_OFFSETS["trial_jacobian"]
M_reach_mark = MEMORY_OFFSETS["reach_mark"]
M_least_left = MEMORY_OFFSETS["least_left"]
M_standstill = MEMORY_OFFSETS["standstill"]
M_pull = MEMORY_OFFSETS["pull"]
M_pulled = MEMORY_OFFSETS["pulled"]
