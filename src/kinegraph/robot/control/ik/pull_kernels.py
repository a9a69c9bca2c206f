"""The pull of the null space: to the posture, or, out of reach, to the joints that were found."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.ik.reach_layout import M_beyond, M_pull, M_pulled, M_reach_q
from kinegraph.robot.control.memory_layout import M_bias, M_goal
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# Pull toward the configuration within reach that is nearest to a target out of reach, 1/s.
REACH_GAIN = 3.0
# The pull makes up this share of a change per cycle; a change below the second is none, rad.
PULL_SHARE = 0.02
SMALLEST_PULL = 1e-12


@kernel
def set_pull(memory: Array, n: int) -> None:
    """Lead to what was found within reach instead of the posture; begin and end that gently."""
    beyond = memory[M_beyond] != 0.0
    if beyond:
        memory[M_pulled] = 1.0
    if memory[M_pulled] == 0.0:
        copy(memory, M_bias, M_pull, n)
        return
    largest = 0.0
    for i in range(n):
        if beyond:
            way = memory[M_reach_q + i] - memory[M_goal + i]
            memory[M_bias + i] = way * REACH_GAIN * CYCLE_TIME
        change = memory[M_bias + i] - memory[M_pull + i]
        memory[M_pull + i] += PULL_SHARE * change
        memory[M_bias + i] = memory[M_pull + i]
        largest = max(largest, abs(change))
    if not beyond and largest < SMALLEST_PULL:
        memory[M_pulled] = 0.0
