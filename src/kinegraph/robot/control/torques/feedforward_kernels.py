"""Velocity and acceleration of the joint goal, from the generator's own.

The generator's twist goes through the Jacobian of the joints that no bound holds, v = J^+ V. What
the goal does beside that (posture, the rest at a bound) is the difference of two goals, which is
rough, and comes through a low-pass. While the leash acts the generator says nothing about the goal,
and the difference is all there is. The sum is smooth, and its difference is the acceleration.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.law_layout import (
    M_change,
    M_free,
    M_pinned_before,
    M_planned_rate,
    M_rate,
    M_remainder,
    M_task_rate,
)
from kinegraph.robot.control.linear_kernels import (
    add_outer,
    factor,
    set_scaled_identity,
    solve,
)
from kinegraph.robot.control.memory_layout import (
    M_cap_scale,
    M_columns,
    M_cut,
    M_cycle,
    M_generator,
    M_goal_velocity,
    M_holding,
    M_leash_alteration,
    M_leash_angular_alteration,
    M_normal,
    M_pinned,
    M_rhs,
)
from kinegraph.robot.control.options_layout import (
    O_acceleration_gain,
    O_feedforward_source,
    O_ik_damping,
    O_ik_rotation_weight,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# Low-pass on what the difference of goals has beside the generator's velocity: 10 Hz.
REMAINDER_GAIN = CYCLE_TIME / (CYCLE_TIME + 1.0 / (2.0 * math.pi * 10.0))
# Near singular poses a task asks for more, rad/s^2; no torque is fed forward for that.
MAX_CHANGE = 20.0
# Damped least squares, and its error solved for once more.
REFINEMENTS = 2


@kernel
def feed_forward(options: Array, memory: Array, n: int) -> None:
    """Write `rate` and `change`, the goal's velocity and acceleration that the law goes by."""
    moving = memory[M_cycle] > 0.0 and memory[M_holding] == 0.0
    generated = options[O_feedforward_source] != 0.0
    free = generated and moving and memory[M_leash_alteration] == 0.0
    free = free and memory[M_leash_angular_alteration] == 0.0
    free = plan_rates(options, memory, n) if free else False
    switched = (memory[M_free] != 0.0) != free
    for i in range(n):
        switched = switched or memory[M_pinned + i] != memory[M_pinned_before + i]
        memory[M_pinned_before + i] = memory[M_pinned + i]
    memory[M_free] = 1.0 if free else 0.0
    if not generated or not moving:
        for i in range(n):
            memory[M_rate + i] = memory[M_goal_velocity + i]
            memory[M_remainder + i] = memory[M_change + i] = 0.0
        return
    largest = 0.0
    for i in range(n):
        planned = memory[M_planned_rate + i] if free else 0.0
        # The sum goes on where it was when the generator begins or ceases to count for a joint.
        before = memory[M_rate + i]
        rest = before - planned if switched else memory[M_remainder + i]
        rest += REMAINDER_GAIN * (memory[M_goal_velocity + i] - planned - rest)
        memory[M_remainder + i] = rest
        memory[M_rate + i] = planned + rest
        # Under the leash the goal follows the arm: its acceleration would be a feedback.
        change = (planned + rest - before) / CYCLE_TIME if free else 0.0
        memory[M_change + i] = options[O_acceleration_gain] * change
        largest = max(largest, abs(memory[M_change + i]))
    if largest > MAX_CHANGE:
        for i in range(n):
            memory[M_change + i] *= MAX_CHANGE / largest


@kernel
def feed_forward_joints(options: Array, memory: Array, n: int) -> None:
    """Write `rate` and `change` of a joint goal: the generator's axes are the joints themselves."""
    free = memory[M_cycle] > 0.0 and memory[M_holding] == 0.0 and memory[M_cap_scale] == 1.0
    free = free and memory[M_leash_alteration] == 0.0
    memory[M_free] = 1.0 if free else 0.0
    memory[M_cut] = 1.0
    for i in range(n):
        memory[M_rate + i] = memory[M_goal_velocity + i]
        change = options[O_acceleration_gain] * memory[M_generator + G_acceleration + i]
        memory[M_change + i] = change if free else 0.0


@kernel
def plan_rates(options: Array, memory: Array, n: int) -> bool:
    """Write what the generator's velocity is for the joints; False if that cannot be had."""
    set_scaled_identity(memory, M_normal, options[O_ik_damping] * options[O_ik_damping])
    for i in range(n):
        memory[M_planned_rate + i] = 0.0
        if memory[M_pinned + i] == 0.0:
            add_outer(memory, M_normal, memory, M_columns + 6 * i)
    if not factor(memory, M_normal):
        return False
    weight = options[O_ik_rotation_weight]
    for r in range(6):
        row = 1.0 if r < 3 else weight
        memory[M_task_rate + r] = row * memory[M_cut] * memory[M_generator + G_velocity + r]
    for _ in range(REFINEMENTS):
        for r in range(6):
            memory[M_rhs + r] = memory[M_task_rate + r]
            for i in range(n):
                memory[M_rhs + r] -= memory[M_columns + 6 * i + r] * memory[M_planned_rate + i]
        solve(memory, M_normal, memory, M_rhs)
        for i in range(n):
            if memory[M_pinned + i] == 0.0:
                for r in range(6):
                    memory[M_planned_rate + i] += memory[M_columns + 6 * i + r] * memory[M_rhs + r]
    return True
