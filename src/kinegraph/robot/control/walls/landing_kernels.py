"""Landing against a wall: when a stop may end short of its target."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.memory_layout import (
    M_blocked,
    M_closest,
    M_held,
    M_left,
    M_out,
    M_restart_velocity,
    M_still,
    M_target,
    M_target_changed,
    M_target_rotation,
    M_wall_age,
    M_wall_normal,
)
from kinegraph.robot.control.options_layout import O_dwell, O_settle_tolerance
from kinegraph.robot.control.rotation_kernels import relative_log
from kinegraph.scene.array_types import Array

# A block slower than this has run up against its wall, m/s or rad/s: ten times at rest.
LANDING_SPEED = 1e-3
# A target this share of the tolerance behind its wall is behind it.
BEYOND = 1e-3


@kernel
def not_blocked(memory: Array) -> None:
    """Start over, on a cycle that the goal kept up with."""
    memory[M_still], memory[M_blocked] = 0.0, 0.0
    for i in range(6):
        memory[M_closest + i] = math.inf


@kernel
def update_blocked(options: Array, memory: Array) -> None:
    """Count cycles without progress on a restarted cycle, and tell whether a stop may land."""
    turn = relative_log(memory, M_target_rotation, memory, M_out + 3)
    memory[M_left + 3], memory[M_left + 4], memory[M_left + 5] = turn
    for r in range(3):
        memory[M_left + r] = memory[M_target + r] - memory[M_out + r]
    progress = memory[M_target_changed] != 0.0
    for i in range(6):
        closer = memory[M_closest + i] - options[O_settle_tolerance]
        progress = progress or abs(memory[M_left + i]) <= closer
    memory[M_still] += 1.0
    if progress:
        memory[M_still] = 0.0
        for i in range(6):
            memory[M_closest + i] = abs(memory[M_left + i])
    ok, on_wall = True, False
    for block in range(2):
        slow, beyond, near = survey(options, memory, block)
        ok = ok and (beyond or near)
        on_wall = on_wall or (slow and memory[M_wall_age + block] >= 0.0)
    waited = memory[M_still] >= options[O_dwell]
    blocked = memory[M_held] != 0.0 and waited and ok and on_wall
    memory[M_blocked] = 1.0 if blocked else 0.0


@kernel
def survey(options: Array, memory: Array, block: int) -> tuple[bool, bool, bool]:
    """Return whether a block is slow, has its target behind its wall, is at its target."""
    tolerance, at = options[O_settle_tolerance], 3 * block
    square, behind, near = 0.0, 0.0, True
    for r in range(3):
        square += memory[M_restart_velocity + at + r] ** 2
        behind += memory[M_wall_normal + at + r] * memory[M_left + at + r]
        near = near and abs(memory[M_left + at + r]) < tolerance
    slow = math.sqrt(square) <= LANDING_SPEED
    wall = memory[M_wall_age + block] >= 0.0
    return slow, wall and slow and behind > BEYOND * tolerance, near
