"""One cycle of the generator in its chart, and the end of a motion.

The chart's coordinates are a position and a rotation vector, both from the anchor: the rotation
axes start at zero in every cycle and keep their velocity. A stop lands on the target, then the
same pose is sent for `settle_cycles` more cycles, the last of them marked as finished.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.axes_kernels import generator_step, set_axis
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_drift,
    G_max_acceleration,
    G_max_jerk,
    G_max_velocity,
    G_position,
    G_target,
    G_velocity,
)
from kinegraph.robot.control.generator.tracking_kernels import set_drift
from kinegraph.robot.control.guards.box_kernels import enter_box, note_axes, stay_in_box
from kinegraph.robot.control.ik.reach_layout import M_aim, M_beyond
from kinegraph.robot.control.law_layout import (
    M_wall_shift,
)
from kinegraph.robot.control.memory_layout import (
    M_anchor,
    M_blocked,
    M_desired,
    M_deviated,
    M_finished,
    M_generator,
    M_holding,
    M_reference,
    M_restart,
    M_restart_acceleration,
    M_restart_velocity,
    M_sent,
    M_stop_cycles,
    M_target_changed,
    M_wall_age,
    M_wall_normal,
)
from kinegraph.robot.control.options_layout import (
    O_axis_acceleration,
    O_axis_jerk,
    O_axis_velocity,
    O_settle_cycles,
    O_settle_tolerance,
    O_wall_depth,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.rotation_kernels import (
    relative_log,
    turn_by,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# An axis slower than this, m/s or rad/s, has come to rest.
REST_VELOCITY = 1e-4
# An axis that accelerates less than this, m/s^2 or rad/s^2, has come to rest.
REST_ACCELERATION = 0.05
# A stop that has not landed after so many cycles holds where it is.
STOP_TIMEOUT_CYCLES = 5000
# A stop aims no further behind a wall than this, m or rad, unless it aims at the target itself.
STOP_DEPTH = 1e-4


@kernel
def set_limits(options: Array, memory: Array) -> None:
    """Hand the limits in force to the generator."""
    for i in range(6):
        memory[M_generator + G_max_velocity + i] = options[O_axis_velocity + i]
        memory[M_generator + G_max_acceleration + i] = options[O_axis_acceleration + i]
        memory[M_generator + G_max_jerk + i] = options[O_axis_jerk + i]


@kernel
def take_restart(memory: Array) -> None:
    """Give the generator the velocity and acceleration that the last cycle's goal left it."""
    if memory[M_restart] == 0.0:
        return
    for i in range(6):
        memory[M_generator + G_velocity + i] = memory[M_restart_velocity + i]
        memory[M_generator + G_acceleration + i] = memory[M_restart_acceleration + i]
    memory[M_restart] = 0.0


@kernel
def run(options: Array, memory: Array, stop: bool) -> None:
    """Step the generator from the anchor toward its aim; write the desired placement."""
    if memory[M_holding] != 0.0:
        memory[M_sent] += 1.0
        memory[M_finished] = 1.0 if memory[M_sent] > options[O_settle_cycles] else 0.0
        memory[M_target_changed] = 0.0
        copy(memory, M_anchor, M_desired, 12)
        return
    note_axes(options, memory)
    aim(options, memory, stop or memory[M_deviated] != 0.0)
    enter_box(options, memory)
    generator_step(memory, M_generator, 6, CYCLE_TIME)
    stay_in_box(options, memory)
    compose(memory)
    if stop or memory[M_deviated] != 0.0:
        memory[M_stop_cycles] += 1.0
        if landed(options, memory) or memory[M_stop_cycles] >= STOP_TIMEOUT_CYCLES:
            hold(memory)


@kernel
def aim(options: Array, memory: Array, stopping: bool) -> None:
    """Put the generator at the anchor, velocities kept, and its targets where the aim is.

    Where a wall is in the way, the generator pushes on it from `wall_depth` behind: an orientation
    that cannot be had gives way to a position that can. A stop pushes hardly at all, and lands.
    """
    set_limits(options, memory)
    turn = relative_log(memory, M_aim + 3, memory, M_anchor + 3)
    for i in range(6):
        k = M_generator + i
        here = memory[M_anchor + i] if i < 3 else 0.0
        set_axis(memory, k, here, memory[k + G_velocity], memory[k + G_acceleration])
        if i < 3:
            memory[k + G_target] = memory[M_aim + i]
    memory[M_generator + G_target + 3] = turn[0]
    memory[M_generator + G_target + 4] = turn[1]
    memory[M_generator + G_target + 5] = turn[2]
    set_drift(options, memory)
    for i in range(6):
        memory[M_wall_shift + i] = 0.0
    depth = options[O_wall_depth]
    if stopping and math.isfinite(depth):
        depth = min(depth, STOP_DEPTH)
    for block in range(2):
        if memory[M_wall_age + block] >= 0.0:
            aim_at_wall(memory, block, depth)


@kernel
def aim_at_wall(memory: Array, block: int, depth: float) -> None:
    """Move the target of a block that is behind its wall to a little behind it.

    The axes arrive together: one that cannot move would make the others as slow as its whole way.
    """
    at, normal = M_generator + 3 * block, M_wall_normal + 3 * block
    into = -depth
    for r in range(3):
        into += memory[normal + r] * (memory[at + G_target + r] - memory[at + G_position + r])
    for r in range(3):
        shift = max(0.0, into) * memory[normal + r]
        memory[M_wall_shift + 3 * block + r] = shift
        memory[at + G_target + r] -= shift
    along = 0.0
    for r in range(3):
        along += memory[normal + r] * memory[at + G_drift + r]
    for r in range(3):
        memory[at + G_drift + r] -= max(0.0, along) * memory[normal + r]


@kernel
def compose(memory: Array) -> None:
    """Write the desired placement out of the generator's coordinates."""
    k = M_generator + G_position
    copy(memory, k, M_desired, 3)
    turn_by(
        memory[k + 3],
        memory[k + 4],
        memory[k + 5],
        memory,
        M_anchor + 3,
        memory,
        M_desired + 3,
    )


@kernel
def landed(options: Array, memory: Array) -> bool:
    """Tell whether a stop has arrived, or has met a wall that it may land on."""
    if memory[M_blocked] != 0.0 and memory[M_target_changed] == 0.0:
        return True
    return axes_landed(options, memory, 6)


@kernel
def axes_landed(options: Array, memory: Array, count: int) -> bool:
    """Tell whether each of the generator's axes rests on its target."""
    for i in range(count):
        k = M_generator + i
        target = memory[k + G_target] + memory[M_wall_shift + i]
        away = abs(memory[k + G_position] - target)
        if not away < options[O_settle_tolerance]:
            return False
        if not abs(memory[k + G_velocity]) < REST_VELOCITY:
            return False
        if not abs(memory[k + G_acceleration]) < REST_ACCELERATION:
            return False
    return True


@kernel
def hold(memory: Array) -> None:
    """Freeze the anchor as what is sent, and pulled toward, from now on."""
    memory[M_holding] = 1.0
    memory[M_sent] = 1.0
    memory[M_beyond] = 0.0
    copy(memory, M_anchor, M_desired, 12)
    copy(memory, M_anchor, M_reference, 12)
    for i in range(6):
        memory[M_generator + G_velocity + i] = 0.0
        memory[M_generator + G_acceleration + i] = 0.0
