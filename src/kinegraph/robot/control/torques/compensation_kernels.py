"""Torques beside springs and dampers: drives, friction, and an integral force at the tool.

Both terms that learn do so from the law's own error, and only when nothing else explains it: not
under the leash, not at a bound, and not while the spring at the tool has the force of a push.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.generator.runner_kernels import REST_ACCELERATION, REST_VELOCITY
from kinegraph.robot.control.law_layout import (
    M_extra,
    M_feedback,
    M_free,
    M_friction,
    M_integral,
    M_law_change,
    M_law_rate,
    M_rested,
    M_spring,
)
from kinegraph.robot.control.memory_layout import (
    M_cut,
    M_generator,
    M_jacobian,
    M_leash_alteration,
    M_leash_angular_alteration,
    M_pinned,
)
from kinegraph.robot.control.options_layout import (
    O_drive_inertia,
    O_friction_limits,
    O_friction_speed,
    O_friction_time,
    O_integral_force,
    O_integral_time,
    O_integral_window,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME, MAX_JOINTS
from kinegraph.scene.array_types import Array

# A spring at the tool that has more than this, N, is pushed.
PUSH = 10.0
# The arm swings in for so long after the generator has come to rest, s.
SWING = 0.1


@kernel
def compensate(options: Array, memory: Array, n: int) -> None:
    """Write the torques of drives, friction and integral force."""
    for i in range(n):
        tau = options[O_drive_inertia + i] * memory[M_law_change + i]
        if options[O_friction_time] > 0.0:
            tau += memory[M_friction + i] * share_of_speed(options, memory[M_law_rate + i])
        for r in range(3):
            tau += memory[M_jacobian + r * n + i] * memory[M_integral + r]
        memory[M_extra + i] = tau


@kernel
def share_of_speed(options: Array, rate: float) -> float:
    """Return -1 to 1: how much of a joint's friction counts at a velocity of the reference."""
    speed = options[O_friction_speed]
    return rate / math.sqrt(rate * rate + speed * speed)


@kernel
def learn(options: Array, memory: Array, n: int) -> None:
    """Carry friction and integral force one cycle on, from the law's error in this cycle."""
    square = 0.0
    for r in range(3):
        square += memory[M_spring + r] * memory[M_spring + r]
    pushed = not square < PUSH * PUSH
    if options[O_friction_time] > 0.0 and not pushed:
        learn_friction(options, memory, n)
    if options[O_integral_force] > 0.0:
        integrate(options, memory, pushed)


@kernel
def learn_friction(options: Array, memory: Array, n: int) -> None:
    """Take what springs and dampers do along the goal's velocity for friction."""
    if memory[M_free] == 0.0 or memory[M_cut] < 1.0:
        return
    gain = CYCLE_TIME / options[O_friction_time]
    for i in range(n):
        if memory[M_pinned + i] != 0.0:
            continue
        share = share_of_speed(options, memory[M_law_rate + i])
        value = memory[M_friction + i] + gain * share * memory[M_feedback + i]
        memory[M_friction + i] = min(max(value, 0.0), options[O_friction_limits + i])


@kernel
def integrate(options: Array, memory: Array, pushed: bool) -> None:
    """Let the integral force grow after a motion, shrink later, fade while the generator moves."""
    gain = CYCLE_TIME / options[O_integral_time]
    if not generator_rests(memory):
        memory[M_rested] = 0.0
        for r in range(3):
            memory[M_integral + r] *= 1.0 - gain
        return
    memory[M_rested] += 1.0
    time = CYCLE_TIME * memory[M_rested] - SWING
    leashed = memory[M_leash_alteration] > 0.0 or memory[M_leash_angular_alteration] > 0.0
    if time < 0.0 or pushed or leashed:
        return
    before, after, along = 0.0, 0.0, 0.0
    for r in range(3):
        along += memory[M_integral + r] * memory[M_spring + r]
        before += memory[M_integral + r] ** 2
        after += (memory[M_integral + r] + gain * memory[M_spring + r]) ** 2
    most = options[O_integral_force]
    if time > options[O_integral_window]:
        if not along < 0.0:
            return
        most = min(most, math.sqrt(before))
    scale = most / math.sqrt(after) if after > most * most else 1.0
    for r in range(3):
        memory[M_integral + r] = scale * (memory[M_integral + r] + gain * memory[M_spring + r])


@kernel
def generator_rests(memory: Array) -> bool:
    """Tell whether the generator rests; axes that it does not have do."""
    for i in range(MAX_JOINTS):
        if abs(memory[M_generator + G_velocity + i]) > REST_VELOCITY:
            return False
        if abs(memory[M_generator + G_acceleration + i]) > REST_ACCELERATION:
            return False
    return True
