"""The joint target of a cycle: the newest, carried on by its own velocity while it moves."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_drift, G_max_velocity
from kinegraph.robot.control.generator.tracking_kernels import DRIFT_SHARE
from kinegraph.robot.control.memory_layout import (
    M_cycle,
    M_deviated,
    M_generator,
    M_joint_anchor,
    M_joint_given,
    M_joint_given_age,
    M_joint_moving,
    M_joint_target,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array


@kernel
def choose_joint_target(memory: Array, target: Array, n: int, stop: bool, strayed: bool) -> None:
    """Take the target to plan to: the newest, or the anchor at the start and after straying."""
    if memory[M_cycle] == 0.0 or (strayed and memory[M_deviated] == 0.0):
        memory[M_deviated] = 1.0 if strayed else 0.0
        copy(memory, M_joint_anchor, M_joint_target, n)
        copy(memory, M_joint_anchor, M_joint_given, n)
        for i in range(n, 2 * n + 1):
            memory[M_joint_given + i] = 0.0
        memory[M_joint_moving] = 0.0
    elif memory[M_deviated] == 0.0:
        take_joint_target(memory, target, n)
        if stop:
            memory[M_joint_moving] = 0.0


@kernel
def take_joint_target(memory: Array, target: Array, n: int) -> None:
    """Take a new target over, or carry the last one on until its time is over."""
    size = min(target.shape[0], 2 * n + 1)
    usable = True  # the setters refuse others, this is the last line
    for i in range(size):
        usable = usable and math.isfinite(target[i])
    fresh = False
    if usable:
        for i in range(size):
            fresh = fresh or memory[M_joint_given + i] != target[i]
            memory[M_joint_given + i] = target[i]
    moved = memory[M_joint_moving] != 0.0
    if fresh:
        memory[M_joint_given_age] = 0.0
        copy(memory, M_joint_given, M_joint_target, n)
    elif moved:
        memory[M_joint_given_age] += 1.0
        for i in range(n):
            memory[M_joint_target + i] += CYCLE_TIME * memory[M_joint_given + n + i]
    left = memory[M_joint_given + 2 * n] - (memory[M_joint_given_age] + 0.5) * CYCLE_TIME
    memory[M_joint_moving] = 1.0 if left > 0.0 else 0.0
    if moved and not fresh and not left > 0.0:
        copy(memory, M_joint_given, M_joint_target, n)


@kernel
def set_joint_drift(memory: Array, n: int) -> None:
    """Hand the target's velocity to the generator, as far as its limits go along."""
    for i in range(n):
        k = M_generator + i
        most = DRIFT_SHARE * memory[k + G_max_velocity]
        velocity = memory[M_joint_given + n + i] if memory[M_joint_moving] != 0.0 else 0.0
        memory[k + G_drift] = min(max(velocity, -most), most)
