"""The target of a cycle: the newest, carried on by its own velocity while it moves."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.axis_kernels import stopping_time
from kinegraph.robot.control.generator.generator_layout import (
    G_drift,
    G_max_acceleration,
    G_max_jerk,
    G_max_velocity,
    G_position,
    G_target,
)
from kinegraph.robot.control.generator.given_target_kernels import (
    give_resting,
    goes_on,
    take_given,
    takes_anchor,
)
from kinegraph.robot.control.ik.reach_layout import M_aim, M_beyond
from kinegraph.robot.control.memory_layout import (
    M_along,
    M_anchor,
    M_deviated,
    M_generator,
    M_given,
    M_given_age,
    M_moving,
    M_target,
    M_target_changed,
    M_target_rotation,
)
from kinegraph.robot.control.options_layout import O_reference_delay
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.rotation_kernels import (
    quaternion_of_rotation,
    rotation_of_quaternion,
    turn_by,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.control.target_layout import (
    POSE_SIZE,
    TARGET_SIZE,
    T_orientation,
    T_velocity,
)
from kinegraph.scene.array_types import Array

# The generator goes along with a target up to this share of its velocity limit; what is left lets
# it catch up.
DRIFT_SHARE = 0.9
# The share of a target's velocity grows with this part of the acceleration limit, and takes 50 ms
# at least.
GROWTH = 0.5
FASTEST_GROWTH = 20.0
# The way to the target may be so much longer than it has to be, and by so much of the whole.
SLACK = 1.5
NEAR = 0.1


@kernel
def choose_target(memory: Array, target: Array, stop: bool, strayed: bool) -> None:
    """Take the target to plan to: the newest, or the anchor at the start and after straying."""
    changed = False
    if takes_anchor(memory, strayed):
        copy(memory, M_anchor, M_target, 3)
        quaternion_of_rotation(memory, M_anchor + 3, memory, M_target + T_orientation)
        give_resting(memory, M_target, POSE_SIZE, TARGET_SIZE)
        changed = True
    elif memory[M_deviated] == 0.0:
        changed = take_target(memory, target)
        if stop:
            memory[M_moving] = 0.0
    memory[M_target_changed] = 1.0 if changed else 0.0
    rotation_of_quaternion(memory, M_target + T_orientation, memory, M_target_rotation)
    copy(memory, M_target, M_aim, 3)
    copy(memory, M_target_rotation, M_aim + 3, 9)


@kernel
def take_target(memory: Array, target: Array) -> bool:
    """Take a new target over, or carry the last one on; returns whether it is another pose now."""
    size = min(target.shape[0], TARGET_SIZE)
    fresh = usable(target, size) and take_given(memory, target, size)
    moving = memory[M_moving] != 0.0
    if fresh:
        copy(memory, M_given, M_target, POSE_SIZE)
    elif moving:
        memory[M_given_age] += 1.0
        pose_after(
            memory, M_target, memory, M_given + T_velocity, CYCLE_TIME, memory, M_target_rotation
        )
    if not goes_on(memory, POSE_SIZE, TARGET_SIZE) and moving and not fresh:
        copy(memory, M_given, M_target, POSE_SIZE)
    return fresh or moving


@kernel
def pose_after(
    pose: Array, at: int, twist: Array, k: int, seconds: float, work: Array, w: int
) -> None:
    """Carry position and quaternion at `at` on by the twist at `k`; nine numbers to work with."""
    for i in range(3):
        pose[at + i] += seconds * twist[k + i]
    x, y, z = seconds * twist[k + 3], seconds * twist[k + 4], seconds * twist[k + 5]
    if x == 0.0 and y == 0.0 and z == 0.0:
        return
    rotation_of_quaternion(pose, at + T_orientation, work, w)
    turn_by(x, y, z, work, w, work, w)
    quaternion_of_rotation(work, w, pose, at + T_orientation)


@kernel
def usable(target: Array, size: int) -> bool:
    """Tell whether a target is a pose; the setters refuse others, this is the last line."""
    square, sum_of_all = 0.0, 0.0
    for i in range(size):
        sum_of_all += target[i]
    for i in range(T_orientation, T_velocity):
        square += target[i] * target[i]
    return math.isfinite(sum_of_all) and math.isfinite(square) and abs(square - 1.0) < 0.1


@kernel
def set_drift(options: Array, memory: Array) -> None:
    """Hand the target's velocity to the generator: as much of it as the axes keep up with.

    A generator that plans to rest follows a target of velocity V the braking distance of V behind.
    Going along with a share k of V leaves it that of (1 - k) V. The share grows while the way to
    the target is about that, and shrinks while it is longer: a target that turns faster than the
    budgets allow is then followed at a distance, instead of passed and returned to.

    The generator's target is ahead by what the law's low-pass takes, so that the arm is on it.
    """
    ahead = options[O_reference_delay]
    for block in range(2):
        k, twist = M_generator + 3 * block, M_given + T_velocity + 3 * block
        speed, way = 0.0, 0.0
        for i in range(3):
            speed += memory[twist + i] ** 2
            led = ahead * memory[M_along + block] * memory[twist + i]
            way += (memory[k + G_target + i] + led - memory[k + G_position + i]) ** 2
        speed, way = math.sqrt(speed), math.sqrt(way)
        if memory[M_moving] == 0.0 or memory[M_beyond] != 0.0 or speed == 0.0:
            memory[M_along + block] = 0.0
        else:
            share = memory[M_along + block]
            am, jm = memory[k + G_max_acceleration], memory[k + G_max_jerk]
            behind = braking_way((1.0 - share) * speed, am, jm)
            most = SLACK * behind + NEAR * braking_way(speed, am, jm)
            step = min(GROWTH * am / speed, FASTEST_GROWTH) * CYCLE_TIME
            share += step if way <= most else -2.0 * step
            memory[M_along + block] = min(max(share, 0.0), 1.0)
        for i in range(3):
            limit = DRIFT_SHARE * memory[k + G_max_velocity + i]
            along = memory[M_along + block] * min(max(memory[twist + i], -limit), limit)
            memory[k + G_drift + i] = along
            memory[k + G_target + i] += ahead * along


@kernel
def braking_way(speed: float, am: float, jm: float) -> float:
    """Return how far an axis goes from a speed, without acceleration, to rest."""
    return 0.5 * speed * stopping_time(speed, am, jm)
