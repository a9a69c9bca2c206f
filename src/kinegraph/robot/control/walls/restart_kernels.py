"""The generator's restart: it goes on from what the goal carried of its last step.

Held at a wall, at the velocity bounds, or cut to them, the goal falls short of the generator. The
generator then takes, one cycle later, the velocity and acceleration that fit the goal's step, and
starts from the goal's pose; the lag that the inverse kinematics had before is kept.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_position,
    G_velocity,
)
from kinegraph.robot.control.memory_layout import (
    M_a_block,
    M_anchor,
    M_cap_scale,
    M_cut,
    M_from_placement,
    M_from_pose,
    M_generator,
    M_goal,
    M_goal_pose,
    M_held,
    M_ik_error,
    M_out,
    M_pinned,
    M_plan,
    M_planned,
    M_reference,
    M_restart,
    M_restart_acceleration,
    M_restart_velocity,
    M_turn,
    M_v_block,
    M_wall_age,
    M_wall_joints,
    M_wall_normal,
    M_went,
)
from kinegraph.robot.control.options_layout import (
    O_ik_rotation_weight,
    O_joint_position_margin,
    O_lower,
    O_max_lead,
    O_n,
    O_upper,
)
from kinegraph.robot.control.pose_kernels import copy, place
from kinegraph.robot.control.rotation_kernels import relative_log, turn_by
from kinegraph.robot.control.table_layout import CYCLE_TIME, MAX_JOINTS
from kinegraph.scene.array_types import Array

# Steps that differ by less are the same, m or rad.
NEGLIGIBLE = 1e-9
# A plan shorter than this has no direction, m or rad.
SMALLEST_PLAN = 1e-7
# A joint this near to its margin rests on it, rad.
REST_BAND = 1e-5


@kernel
def needs_restart(options: Array, memory: Array) -> bool:
    """Tell whether the goal fell short of the generator in this cycle."""
    short = bool(memory[M_held] != 0.0 or memory[M_cut] < 1.0)
    short = short or bool(memory[M_ik_error] > options[O_max_lead])
    for i in range(int(options[O_n])):
        short = short or bool(abs(memory[M_pinned + i]) > 1.5)
    return short


@kernel
def restart(options: Array, memory: Array) -> None:
    """Write velocity and acceleration for the next cycle, and where its plan starts."""
    place(memory, M_goal_pose, M_out)
    place(memory, M_from_pose, M_from_placement)
    velocity_pinned = bool(memory[M_ik_error] > options[O_max_lead])
    for i in range(int(options[O_n])):
        velocity_pinned = velocity_pinned or abs(memory[M_pinned + i]) > 1.5
    memory[M_cap_scale] = math.inf
    for block in range(2):
        take_steps(memory, block)
        rest = rest_on_wall(options, memory, block)
        share = restart_block(memory, block, velocity_pinned, rest)
        memory[M_cap_scale] = min(memory[M_cap_scale], memory[M_cut] * share)
        copy(memory, M_v_block, M_restart_velocity + 3 * block, 3)
        copy(memory, M_a_block, M_restart_acceleration + 3 * block, 3)
        keep_lead(memory, block)
    memory[M_restart] = 1.0
    if memory[M_ik_error] > options[O_max_lead]:
        shorten_lead(options, memory)


@kernel
def shorten_lead(options: Array, memory: Array) -> None:
    """Take the next reference back to the longest lead that it may have on the goal's pose."""
    weight = options[O_ik_rotation_weight]
    turn = relative_log(memory, M_reference + 3, memory, M_out + 3)
    square = weight * weight * (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2])
    for r in range(3):
        square += (memory[M_reference + r] - memory[M_out + r]) ** 2
    lead = math.sqrt(square)
    if not lead > options[O_max_lead]:
        return
    scale = options[O_max_lead] / lead
    for r in range(3):
        way = memory[M_reference + r] - memory[M_out + r]
        memory[M_reference + r] = memory[M_out + r] + scale * way
    turn_by(
        scale * turn[0],
        scale * turn[1],
        scale * turn[2],
        memory,
        M_out + 3,
        memory,
        M_reference + 3,
    )


@kernel
def take_steps(memory: Array, block: int) -> None:
    """Write the block's planned step, the goal's step, and the generator's rates."""
    k = M_generator + 3 * block
    for r in range(3):
        here = memory[M_anchor + r] if block == 0 else 0.0
        memory[M_plan + r] = memory[k + G_position + r] - here
        memory[M_planned + r] = memory[M_cut] * memory[M_plan + r]
        memory[M_went + r] = memory[M_out + r] - memory[M_from_placement + r]
        memory[M_v_block + r] = memory[M_cut] * memory[k + G_velocity + r]
        memory[M_a_block + r] = memory[k + G_acceleration + r]
    if block == 1:
        turn = relative_log(memory, M_out + 3, memory, M_from_placement + 3)
        memory[M_went], memory[M_went + 1], memory[M_went + 2] = turn


@kernel
def dot(memory: Array, a: int, b: int) -> float:
    """Return the product of two vectors of three."""
    value = 0.0
    for r in range(3):
        value += memory[a + r] * memory[b + r]
    return value


@kernel
def rest_on_wall(options: Array, memory: Array, block: int) -> float:
    """Return how much, 0 to 1, a joint of the block's wall rests on its margin."""
    rest = 0.0
    for i in range(int(options[O_n])):
        side = memory[M_wall_joints + MAX_JOINTS * block + i]
        if side == 0.0:
            continue
        if side > 0.0:
            x = options[O_upper + i] - memory[M_goal + i]
        else:
            x = memory[M_goal + i] - options[O_lower + i]
        x -= options[O_joint_position_margin]
        rest = max(rest, min(max(1.0 - x / REST_BAND, 0.0), 1.0))
    return rest


@kernel
def restart_block(memory: Array, block: int, velocity_pinned: bool, rest: float) -> float:
    """Reduce the block's velocity and acceleration in place; return the share that was carried."""
    square = dot(memory, M_planned, M_planned)
    share = 1.0
    if math.sqrt(dot(memory, M_plan, M_plan)) > SMALLEST_PLAN and memory[M_cut] > 0.0:
        share = min(max(dot(memory, M_went, M_planned) / square, 0.0), 1.0)
    short = 0.0
    for r in range(3):
        short += (memory[M_planned + r] - memory[M_went + r]) ** 2
    withheld = math.sqrt(short) >= NEGLIGIBLE
    if memory[M_held] == 0.0:
        if velocity_pinned:
            for r in range(3):
                memory[M_v_block + r] *= share
        braking(memory)
        return share
    if withheld:
        if memory[M_wall_age + block] >= 0.0:
            stop_into(memory, M_wall_normal + 3 * block, rest)
        limit_to_went(memory)
    if memory[M_cut] < 1.0:
        braking(memory)
    return share


@kernel
def stop_into(memory: Array, normal: int, rest: float) -> None:
    """Take from velocity and acceleration what leads into a wall and was not carried."""
    kept, planned = 0.0, dot(memory, M_planned, normal)
    if planned > NEGLIGIBLE:
        kept = min(max(dot(memory, M_went, normal) / planned, 0.0), 1.0) * (1.0 - rest)
    into_v = (1.0 - kept) * max(0.0, dot(memory, M_v_block, normal))
    into_a = (1.0 - kept) * max(0.0, dot(memory, M_a_block, normal))
    for r in range(3):
        memory[M_v_block + r] -= into_v * memory[normal + r]
        memory[M_a_block + r] -= into_a * memory[normal + r]


@kernel
def braking(memory: Array) -> None:
    """Drop accelerations that drive the motion; those against it, and at rest, are kept."""
    for r in range(3):
        if memory[M_a_block + r] * memory[M_v_block + r] > 0.0:
            memory[M_a_block + r] = 0.0


@kernel
def limit_to_went(memory: Array) -> None:
    """Limit the velocity to the goal's step and one cycle of acceleration.

    A step is the mean of its cycle and the velocity its end, hence the one cycle. Reversals are
    left alone.
    """
    lead = math.sqrt(dot(memory, M_a_block, M_a_block)) * CYCLE_TIME
    way = math.sqrt(dot(memory, M_went, M_went))
    along, before = 0.0, 0.0
    if way > NEGLIGIBLE:
        before = dot(memory, M_v_block, M_went) / way
        along = min(before, way / CYCLE_TIME + lead)
    across = 0.0
    for r in range(3):
        # The turn's place is free here: it takes the velocity across the step.
        unit = memory[M_went + r] / way if way > NEGLIGIBLE else 0.0
        memory[M_turn + r] = memory[M_v_block + r] - before * unit
        memory[M_v_block + r] = along * unit
        across += memory[M_turn + r] * memory[M_turn + r]
    across = math.sqrt(across)
    scale = lead / across if across > lead else 1.0
    for r in range(3):
        memory[M_v_block + r] += scale * memory[M_turn + r]


@kernel
def keep_lead(memory: Array, block: int) -> None:
    """Write the block of the next reference: the goal's pose and the lead the desired had on it."""
    way = math.sqrt(dot(memory, M_went, M_went))
    plan = math.sqrt(dot(memory, M_plan, M_plan))
    scale = plan / way if way > plan else 1.0
    for r in range(3):
        memory[M_went + r] *= scale
    if block == 0:
        for r in range(3):
            memory[M_turn + r] = memory[M_anchor + r] + memory[M_went + r] - memory[M_out + r]
    else:
        turn_by(
            memory[M_went],
            memory[M_went + 1],
            memory[M_went + 2],
            memory,
            M_anchor + 3,
            memory,
            M_reference + 3,
        )
        turn = relative_log(memory, M_reference + 3, memory, M_out + 3)
        memory[M_turn], memory[M_turn + 1], memory[M_turn + 2] = turn
    if memory[M_held] != 0.0 and memory[M_wall_age + block] >= 0.0:
        normal = M_wall_normal + 3 * block
        into = max(0.0, dot(memory, M_turn, normal))
        for r in range(3):
            memory[M_turn + r] -= into * memory[normal + r]
    if block == 0:
        for r in range(3):
            memory[M_reference + r] = memory[M_out + r] + memory[M_turn + r]
    else:
        turn_by(
            memory[M_turn],
            memory[M_turn + 1],
            memory[M_turn + 2],
            memory,
            M_out + 3,
            memory,
            M_reference + 3,
        )
