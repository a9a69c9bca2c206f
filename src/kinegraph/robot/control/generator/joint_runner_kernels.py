"""One cycle of the joint controller's generator: its leash, its targets, and the end of a motion.

The chart is the joint positions themselves; the rest is as in `runner_kernels`.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.axes_kernels import generator_step, set_axis
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_max_acceleration,
    G_max_jerk,
    G_max_velocity,
    G_position,
    G_target,
    G_velocity,
)
from kinegraph.robot.control.generator.joint_tracking_kernels import (
    choose_joint_target,
    set_joint_drift,
)
from kinegraph.robot.control.generator.runner_kernels import STOP_TIMEOUT_CYCLES, axes_landed
from kinegraph.robot.control.memory_layout import (
    M_deviated,
    M_finished,
    M_generator,
    M_holding,
    M_joint_anchor,
    M_joint_desired,
    M_joint_reference,
    M_joint_restart_acceleration,
    M_joint_restart_velocity,
    M_joint_target,
    M_leash_alteration,
    M_q,
    M_restart,
    M_sent,
    M_stop_cycles,
)
from kinegraph.robot.control.options_layout import (
    O_joint_acceleration,
    O_joint_jerk,
    O_joint_velocity,
    O_leash_joint,
    O_settle_cycles,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array


@kernel
def pull_joints(options: Array, memory: Array, n: int) -> None:
    """Write the anchor: each joint's reference, or a leash from the measured position."""
    leash = options[O_leash_joint]
    largest = 0.0
    for i in range(n):
        way = memory[M_joint_reference + i] - memory[M_q + i]
        if abs(way) <= leash:
            memory[M_joint_anchor + i] = memory[M_joint_reference + i]
        else:
            memory[M_joint_anchor + i] = memory[M_q + i] + math.copysign(leash, way)
            largest = max(largest, abs(way) - leash)
    memory[M_leash_alteration] = largest


@kernel
def take_joint_restart(memory: Array, n: int) -> None:
    """Give the generator the velocity and acceleration that the last cycle's goal left it."""
    if memory[M_restart] == 0.0:
        return
    for i in range(n):
        memory[M_generator + G_velocity + i] = memory[M_joint_restart_velocity + i]
        memory[M_generator + G_acceleration + i] = memory[M_joint_restart_acceleration + i]
    memory[M_restart] = 0.0


@kernel
def run_joints(
    options: Array, memory: Array, target: Array, n: int, stop: bool, strayed: bool
) -> None:
    """Step the generator from the anchor toward the target; write the desired positions."""
    if memory[M_holding] != 0.0:
        memory[M_sent] += 1.0
        memory[M_finished] = 1.0 if memory[M_sent] > options[O_settle_cycles] else 0.0
        copy(memory, M_joint_anchor, M_joint_desired, n)
        return
    choose_joint_target(memory, target, n, stop, strayed)
    for i in range(n):
        k = M_generator + i
        memory[k + G_max_velocity] = options[O_joint_velocity + i]
        memory[k + G_max_acceleration] = options[O_joint_acceleration + i]
        memory[k + G_max_jerk] = options[O_joint_jerk + i]
        here = memory[M_joint_anchor + i]
        set_axis(memory, k, here, memory[k + G_velocity], memory[k + G_acceleration])
        memory[k + G_target] = memory[M_joint_target + i]
    set_joint_drift(memory, n)
    generator_step(memory, M_generator, n, CYCLE_TIME)
    copy(memory, M_generator + G_position, M_joint_desired, n)
    if stop or memory[M_deviated] != 0.0:
        memory[M_stop_cycles] += 1.0
        if axes_landed(options, memory, n) or memory[M_stop_cycles] >= STOP_TIMEOUT_CYCLES:
            hold_joints(memory, n)


@kernel
def hold_joints(memory: Array, n: int) -> None:
    """Freeze the anchor as what is sent, and pulled toward, from now on."""
    memory[M_holding] = 1.0
    memory[M_sent] = 1.0
    copy(memory, M_joint_anchor, M_joint_desired, n)
    copy(memory, M_joint_anchor, M_joint_reference, n)
    for i in range(n):
        memory[M_generator + G_velocity + i] = 0.0
        memory[M_generator + G_acceleration + i] = 0.0
