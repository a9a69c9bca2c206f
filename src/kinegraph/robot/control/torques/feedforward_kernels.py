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
    M_half_change,
    M_half_rate,
    M_half_reference,
    M_law_change,
    M_law_rate,
    M_law_reference,
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
    M_goal,
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
    O_reference_cutoff,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# Low-pass on what the difference of goals has beside the generator's velocity: 10 Hz.
REMAINDER_GAIN = CYCLE_TIME / (CYCLE_TIME + 1.0 / (2.0 * math.pi * 10.0))
# Low-passes at this frequency or above, Hz, are off.
CUTOFF_OFF = 1000.0
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
def soften(options: Array, memory: Array, n: int) -> None:
    """Write what the law follows: the goal with its rates, through two low-passes in a row.

    All by the same filter, so that velocity and acceleration stay those of the position.
    """
    cutoff = options[O_reference_cutoff]
    gain = 1.0
    if cutoff < CUTOFF_OFF and memory[M_cycle] > 0.0:
        gain = CYCLE_TIME / (CYCLE_TIME + 1.0 / (2.0 * math.pi * cutoff))
    soften_one(memory, n, gain, M_goal, M_half_reference, M_law_reference)
    soften_one(memory, n, gain, M_rate, M_half_rate, M_law_rate)
    soften_one(memory, n, gain, M_change, M_half_change, M_law_change)


@kernel
def soften_one(memory: Array, n: int, gain: float, source: int, half: int, out: int) -> None:
    """Carry the two low-passes of n numbers one cycle on; with a gain of 1 they are the source."""
    for i in range(n):
        before = memory[half + i]
        memory[half + i] = gain * memory[source + i] + (1.0 - gain) * before
        memory[out + i] = gain * memory[half + i] + (1.0 - gain) * memory[out + i]


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
