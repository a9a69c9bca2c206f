"""Walls: directions, one per block, into which the goal cannot go for a while.

A block is the translation (0) or the rotation (1). A wall outlives the pressure that made it by
`WALL_LIFE` cycles, so that position first, which takes the pressure away, does not end it.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.memory_layout import (
    M_held,
    M_stalled,
    M_wall_age,
    M_wall_joints,
    M_wall_normal,
    M_withheld,
    M_withheld_joints,
    M_withheld_normal,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.scene.array_types import Array

WALL_LIFE = 20


@kernel
def update_walls(memory: Array) -> None:
    """Take what the goal's pins withhold now, age what they withheld before."""
    held = memory[M_stalled] != 0.0
    for block in range(2):
        age = memory[M_wall_age + block]
        if memory[M_withheld + block] != 0.0:
            age = 0.0
            copy(memory, M_withheld_normal + 3 * block, M_wall_normal + 3 * block, 3)
            joints = MAX_JOINTS * block
            copy(memory, M_withheld_joints + joints, M_wall_joints + joints, MAX_JOINTS)
        elif 0.0 <= age < WALL_LIFE:
            age += 1.0
        else:
            age = -1.0
        memory[M_wall_age + block] = age
        held = held or age >= 0.0
    memory[M_held] = 1.0 if held else 0.0


@kernel
def clear_walls(memory: Array) -> None:
    """Forget both walls."""
    memory[M_wall_age] = memory[M_wall_age + 1] = -1.0
