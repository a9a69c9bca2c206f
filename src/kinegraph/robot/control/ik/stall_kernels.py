"""Whether the goal is stuck at a position limit, and which motion its pins withhold.

The hysteresis of the flag is by quietness, not by size: position first lowers the very pressure
that set it. Velocity pins never stall.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.ik.active_set_kernels import along
from kinegraph.robot.control.ik.reach_layout import M_beyond
from kinegraph.robot.control.linear_kernels import (
    add_outer,
    factor,
    set_scaled_identity,
    solve,
)
from kinegraph.robot.control.memory_layout import (
    M_columns,
    M_error,
    M_normal,
    M_part,
    M_pinned,
    M_push,
    M_pushed,
    M_quiet,
    M_stall_pressure,
    M_stalled,
    M_velocity_pressure,
    M_wall,
    M_withheld,
    M_withheld_joints,
    M_withheld_normal,
)
from kinegraph.robot.control.options_layout import O_ik_damping
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.scene.array_types import Array

STALL_PRESSURE = 2e-5
QUIET_PRESSURE = 1e-12
QUIET_CYCLES = 20
QUIET_WINDOW = 40
# A block is withheld if the free joints leave more than this share of the push in it.
WALL_SHARE = 0.1
WALL_FLOOR = 1e-12
# A column shorter than this, m, is zero but for rounding: its direction means nothing. The last
# joint's position rows are, with a tool on its axis.
SHORTEST_COLUMN = 1e-9


@kernel
def update_stall(options: Array, memory: Array, n: int) -> None:
    """Update pressures, flag and withheld motion from the task and the pins at the goal."""
    press(memory, n)
    if memory[M_beyond] != 0.0:
        memory[M_stalled] = memory[M_withheld] = memory[M_withheld + 1] = 0.0
        return
    update_flag(memory)
    withhold(options, memory, n)


@kernel
def press(memory: Array, n: int) -> None:
    """Write how hard the error pushes on each pin, and the largest pressure of either kind."""
    memory[M_stall_pressure] = memory[M_velocity_pressure] = 0.0
    for r in range(6):
        memory[M_pushed + r] = 0.0
    for i in range(n):
        for r in range(6):
            memory[M_push + 6 * i + r] = 0.0
        pin = memory[M_pinned + i]
        if pin == 0.0:
            continue
        pressure = push_of(memory, i, 1.0 if pin > 0.0 else -1.0)
        if abs(pin) > 1.5:
            memory[M_velocity_pressure] = max(memory[M_velocity_pressure], pressure)
        if abs(pin) > 1.5 or not pressure > 0.0:
            for r in range(6):
                memory[M_push + 6 * i + r] = 0.0
        else:
            memory[M_stall_pressure] = max(memory[M_stall_pressure], pressure)
            for r in range(6):
                memory[M_pushed + r] += memory[M_push + 6 * i + r]


@kernel
def push_of(memory: Array, i: int, side: float) -> float:
    """Write the error along joint i's column, whole or position rows alone; return the pressure.

    The larger of the two pressures counts: an orientation error may hide what the position does.
    """
    c = M_columns + 6 * i
    linear, angular, dot_linear, dot_angular = 0.0, 0.0, 0.0, 0.0
    for r in range(3):
        linear += memory[c + r] * memory[c + r]
        angular += memory[c + 3 + r] * memory[c + 3 + r]
        dot_linear += memory[c + r] * memory[M_error + r]
        dot_angular += memory[c + 3 + r] * memory[M_error + 3 + r]
    whole, part = 0.0, 0.0
    square, dot = linear + angular, dot_linear + dot_angular
    if square > 0.0:
        whole = side * dot / math.sqrt(square)
    if linear > SHORTEST_COLUMN * SHORTEST_COLUMN:
        part = side * dot_linear / math.sqrt(linear)
    rows = 6
    if part > whole:
        rows, whole, square, dot = 3, part, linear, dot_linear
    for r in range(rows):
        memory[M_push + 6 * i + r] = memory[c + r] * dot / square if square > 0.0 else 0.0
    return whole


@kernel
def update_flag(memory: Array) -> None:
    """Set the flag under pressure, clear it after enough quiet cycles of the last forty."""
    if memory[M_stall_pressure] > STALL_PRESSURE:
        memory[M_stalled], memory[M_quiet] = 1.0, 0.0
        return
    if memory[M_stalled] == 0.0:
        return
    quiet = int(memory[M_quiet]) * 2
    if memory[M_stall_pressure] <= QUIET_PRESSURE:
        quiet += 1
    quiet %= 2**QUIET_WINDOW
    memory[M_quiet] = quiet
    count = 0
    while quiet > 0:
        count += quiet % 2
        quiet //= 2
    if count >= QUIET_CYCLES:
        memory[M_stalled] = 0.0


@kernel
def withhold(options: Array, memory: Array, n: int) -> None:
    """Write, per block, the direction in which the free joints cannot make up for the pins."""
    memory[M_withheld] = memory[M_withheld + 1] = 0.0
    pushed = math.sqrt(along(memory, M_pushed, M_pushed))
    if not pushed > WALL_FLOOR:
        return
    square = options[O_ik_damping] * options[O_ik_damping]
    set_scaled_identity(memory, M_normal, square)
    for i in range(n):
        if memory[M_pinned + i] == 0.0:
            add_outer(memory, M_normal, memory, M_columns + 6 * i)
    if not factor(memory, M_normal):
        return
    for r in range(6):
        memory[M_wall + r] = 0.0
    for i in range(n):
        copy(memory, M_push + 6 * i, M_part + 6 * i, 6)
        if abs(memory[M_pinned + i]) != 1.0:
            continue
        solve(memory, M_normal, memory, M_part + 6 * i)
        for r in range(6):
            memory[M_part + 6 * i + r] *= square
            memory[M_wall + r] += memory[M_part + 6 * i + r]
    for block in range(2):
        name_wall(memory, n, block, pushed)


@kernel
def name_wall(memory: Array, n: int, block: int, pushed: float) -> None:
    """Write the wall of a block, its normal and the joints that make it, if it has one."""
    at = 3 * block
    size = math.sqrt(
        memory[M_wall + at] ** 2 + memory[M_wall + at + 1] ** 2 + memory[M_wall + at + 2] ** 2
    )
    if not size > WALL_SHARE * pushed:
        return
    memory[M_withheld + block] = 1.0
    for r in range(3):
        memory[M_withheld_normal + at + r] = memory[M_wall + at + r] / size
    for i in range(n):
        share = 0.0
        for r in range(3):
            share += memory[M_part + 6 * i + at + r] * memory[M_withheld_normal + at + r]
        side = 1.0 if memory[M_pinned + i] > 0.0 else -1.0
        held = share > WALL_SHARE * size
        memory[M_withheld_joints + MAX_JOINTS * block + i] = side if held else 0.0
