"""The joint target of a cycle: the newest, carried on by its own velocity while it moves."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_drift, G_max_velocity
from kinegraph.robot.control.generator.given_target_kernels import (
    give_resting,
    goes_on,
    take_given,
    takes_anchor,
)
from kinegraph.robot.control.generator.tracking_kernels import DRIFT_SHARE
from kinegraph.robot.control.memory_layout import (
    M_deviated,
    M_generator,
    M_given,
    M_given_age,
    M_joint_anchor,
    M_joint_target,
    M_moving,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array


@kernel
def choose_joint_target(memory: Array, target: Array, n: int, stop: bool, strayed: bool) -> None:
    """Take the target to plan to: the newest, or the anchor at the start and after straying."""
    if takes_anchor(memory, strayed):
        copy(memory, M_joint_anchor, M_joint_target, n)
        give_resting(memory, M_joint_anchor, n, 2 * n + 1)
    elif memory[M_deviated] == 0.0:
        take_joint_target(memory, target, n)
        if stop:
            memory[M_moving] = 0.0


@kernel
def take_joint_target(memory: Array, target: Array, n: int) -> None:
    """Take a new target over, or carry the last one on until its time is over."""
    size = min(target.shape[0], 2 * n + 1)
    usable = True  # the setters refuse others, this is the last line
    for i in range(size):
        usable = usable and math.isfinite(target[i])
    fresh = usable and take_given(memory, target, size)
    moving = memory[M_moving] != 0.0
    if fresh:
        copy(memory, M_given, M_joint_target, n)
    elif moving:
        memory[M_given_age] += 1.0
        for i in range(n):
            memory[M_joint_target + i] += CYCLE_TIME * memory[M_given + n + i]
    if not goes_on(memory, n, 2 * n + 1) and moving and not fresh:
        copy(memory, M_given, M_joint_target, n)


@kernel
def set_joint_drift(memory: Array, n: int) -> None:
    """Hand the target's velocity to the generator, as far as its limits go along."""
    for i in range(n):
        k = M_generator + i
        most = DRIFT_SHARE * memory[k + G_max_velocity]
        velocity = memory[M_given + n + i] if memory[M_moving] != 0.0 else 0.0
        memory[k + G_drift] = min(max(velocity, -most), most)
