"""The joint controller's goal: the generator's positions, as far as the cycle's box lets it go.

The step is scaled as a whole, so that the goal stays on the straight line in joint space.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.ik.bounds_kernels import goal_box
from kinegraph.robot.control.memory_layout import (
    M_box_lower,
    M_box_upper,
    M_cap_scale,
    M_cycle,
    M_from,
    M_generator,
    M_goal,
    M_goal_velocity,
    M_holding,
    M_joint_anchor,
    M_joint_desired,
    M_joint_reference,
    M_joint_restart_acceleration,
    M_joint_restart_velocity,
    M_pin_lower,
    M_pin_upper,
    M_pinned,
    M_restart,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# A step that ends this close to a bound ends on it, rad.
ON_BOUND = 1e-12


@kernel
def step_joint_goal(options: Array, memory: Array, n: int) -> None:
    """Write the goal of this cycle, its velocity, and how the generator goes on from it."""
    copy(memory, M_goal, M_from, n)
    memory[M_cap_scale] = 1.0
    for i in range(n):
        memory[M_pinned + i] = 0.0
        memory[M_goal_velocity + i] = 0.0
    if memory[M_holding] != 0.0:
        copy(memory, M_joint_anchor, M_goal, n)
        return
    goal_box(options, memory, M_goal)
    scale = step_scale(memory, n)
    if scale >= 1.0:
        copy(memory, M_joint_desired, M_goal, n)
    else:
        for i in range(n):
            memory[M_goal + i] += scale * (memory[M_joint_desired + i] - memory[M_from + i])
        memory[M_cap_scale] = scale
        on_position = pin_joints(memory, n, scale)
        restart_joints(memory, n, scale, on_position)
    copy(memory, M_goal, M_joint_reference, n)
    if memory[M_cycle] > 0.0:
        for i in range(n):
            raw = (memory[M_goal + i] - memory[M_from + i]) / CYCLE_TIME
            memory[M_goal_velocity + i] = raw


@kernel
def step_scale(memory: Array, n: int) -> float:
    """Return the largest share of the step, 0 to 1, that stays inside the box."""
    scale = 1.0
    for i in range(n):
        step = memory[M_joint_desired + i] - memory[M_from + i]
        if step > memory[M_box_upper + i]:
            scale = min(scale, memory[M_box_upper + i] / step)
        elif step < memory[M_box_lower + i]:
            scale = min(scale, memory[M_box_lower + i] / step)
    return scale


@kernel
def pin_joints(memory: Array, n: int, scale: float) -> bool:
    """Name the joints whose scaled step ends on its bound; tell whether one is a position bound."""
    on_position = False
    for i in range(n):
        step = memory[M_joint_desired + i] - memory[M_from + i]
        pin = 0.0
        if step > 0.0 and scale * step >= memory[M_box_upper + i] - ON_BOUND:
            pin = memory[M_pin_upper + i]
        elif step < 0.0 and scale * step <= memory[M_box_lower + i] + ON_BOUND:
            pin = -memory[M_pin_lower + i]
        memory[M_pinned + i] = pin
        on_position = on_position or abs(pin) == 1.0
    return on_position


@kernel
def restart_joints(memory: Array, n: int, scale: float, on_position: bool) -> None:
    """Let the generator go on as fast as the goal went, without what speeds it up.

    At a position bound an acceleration stays only if it brakes a motion.
    """
    memory[M_restart] = 1.0
    for i in range(n):
        v = scale * memory[M_generator + G_velocity + i]
        a = memory[M_generator + G_acceleration + i]
        speeds_up = a * v > 0.0 or (on_position and not a * v < 0.0)
        memory[M_joint_restart_velocity + i] = v
        memory[M_joint_restart_acceleration + i] = 0.0 if speeds_up else a
