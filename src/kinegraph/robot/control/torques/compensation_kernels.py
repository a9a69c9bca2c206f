"""Torques beside springs and dampers: drives, friction, and an integral force at the tool.

Both terms that learn do so from the law's own error, and only when nothing else explains it: not
under the leash, not at a bound, and not while something pushes. A push is told from friction and
from a load by how large it is, in motion by the joint, and at rest by how it comes and goes.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.generator.runner_kernels import REST_ACCELERATION, REST_VELOCITY
from kinegraph.robot.control.law_layout import (
    M_borne,
    M_calm,
    M_extra,
    M_free,
    M_friction,
    M_integral,
    M_jolted,
    M_known_friction,
    M_law_change,
    M_law_friction,
    M_law_rate,
    M_rested,
    M_spring,
    M_sprung,
    M_unexplained,
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
# After a motion the compensation of friction fades so fast, 1/s.
FADE_RATE = 7.0
# The arm swings in for so long after the generator has come to rest, s.
SWING = 0.1
# What was usual is a low-pass of 0.2 s.
USUAL_GAIN = CYCLE_TIME / 0.2
# A joint that needs so many times the friction that it may have is pushed; what was learned from
# the push by then goes with 50 ms.
NO_FRICTION = 2.0
UNLEARN = CYCLE_TIME / 0.05
# A force at the tool that leaves the usual by more, N, is a push; by less than the second, it may
# be friction the other way round, once the most of the push was twice as much.
JOLT, RUB = 1.0, 3.0
# The force sways by less than this, N, for so many cycles when the arm stands still.
STILL, CALM = 0.3, 100.0
# The integral force grows half as fast when the force sways by this, N.
SWAY = 0.2


@kernel
def compensate(options: Array, memory: Array, n: int) -> None:
    """Write the torques of drives, friction and integral force."""
    for i in range(n):
        tau = options[O_drive_inertia + i] * memory[M_law_change + i]
        if options[O_friction_time] > 0.0:
            tau += memory[M_law_friction + i]
        for r in range(3):
            tau += memory[M_jacobian + r * n + i] * memory[M_integral + r]
        memory[M_extra + i] = tau


@kernel
def share_of_speed(options: Array, rate: float) -> float:
    """Return -1 to 1: how much of a joint's friction counts at a velocity of the reference."""
    speed = options[O_friction_speed]
    return rate / math.sqrt(rate * rate + speed * speed)


@kernel
def lasting_share(options: Array, rate: float, before: float) -> float:
    """Return the share of a velocity of the goal, which fades only slowly when that ends.

    An arm whose friction is compensated up to its stop comes to rest as the goal does: friction
    holds it there, and is relieved. Were the compensation gone first, friction would stop the arm.
    """
    share = share_of_speed(options, rate)
    if share * before > 0.0 or share == 0.0:
        left = abs(before) - FADE_RATE * CYCLE_TIME
        if left > abs(share):
            return left if before > 0.0 else -left
    return share


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
    """Take what springs and dampers do along the goal's velocity for friction, if it may be."""
    if memory[M_free] == 0.0 or memory[M_cut] < 1.0:
        return
    gain = CYCLE_TIME / options[O_friction_time]
    rubs = True
    for i in range(n):
        if options[O_friction_limits + i] == 0.0:
            continue
        share = share_of_speed(options, memory[M_law_rate + i])
        wanted = abs(memory[M_unexplained + i] + share * memory[M_friction + i])
        most = NO_FRICTION * options[O_friction_limits + i]
        most += options[O_drive_inertia + i] * abs(memory[M_law_change + i])
        rubs = rubs and wanted <= most
    for i in range(n):
        now, known = memory[M_friction + i], memory[M_known_friction + i]
        if not rubs:
            memory[M_friction + i] = now + UNLEARN * (known - now)
        elif memory[M_pinned + i] == 0.0:
            share = share_of_speed(options, memory[M_law_rate + i])
            value = now + gain * share * memory[M_unexplained + i]
            memory[M_friction + i] = min(max(value, 0.0), options[O_friction_limits + i])
            memory[M_known_friction + i] = known + USUAL_GAIN * (now - known)


@kernel
def integrate(options: Array, memory: Array, pushed: bool) -> None:
    """Let the integral force grow after a landing, yield later, fade while the generator moves."""
    gain = CYCLE_TIME / options[O_integral_time]
    rests = generator_rests(memory)
    steady = watch(memory, rests)
    if not rests:
        memory[M_rested] = 0.0
        for r in range(3):
            memory[M_integral + r] *= 1.0 - gain
        return
    time = CYCLE_TIME * memory[M_rested] - SWING
    memory[M_rested] += 1.0 if time < 0.0 else steady
    leashed = memory[M_leash_alteration] > 0.0 or memory[M_leash_angular_alteration] > 0.0
    if time < 0.0 or pushed or leashed:
        return
    if memory[M_jolted] != 0.0 or time > options[O_integral_window]:
        yield_to_springs(memory, gain)
        return
    square = 0.0
    for r in range(3):
        memory[M_integral + r] += steady * gain * memory[M_spring + r]
        square += memory[M_integral + r] ** 2
    most = options[O_integral_force]
    if square > most * most:
        for r in range(3):
            memory[M_integral + r] *= most / math.sqrt(square)


@kernel
def yield_to_springs(memory: Array, gain: float) -> None:
    """Take away what of the integral force pulls against the springs."""
    along, square = 0.0, 0.0
    for r in range(3):
        along += memory[M_integral + r] * memory[M_spring + r]
        square += memory[M_spring + r] ** 2
    if along < 0.0:
        share = gain * min(1.0, -along / square)
        for r in range(3):
            memory[M_integral + r] += share * memory[M_spring + r]


@kernel
def watch(memory: Array, rests: bool) -> float:
    """Watch for pushes on an arm at rest; return 0 to 1, how steady the force on it is.

    Springs and integral force together bear what hangs at the tool and what rubs. A push changes
    the sum and the springs; the integral force at work changes one of the two at most: the sum
    where the arm sticks, the springs where it moves. When a push is over, the arm lands anew.
    """
    apart, stretch = 0.0, 0.0
    for r in range(3):
        spring = memory[M_spring + r]
        apart += (spring + memory[M_integral + r] - memory[M_borne + r]) ** 2
        stretch += (spring - memory[M_sprung + r]) ** 2
    sway = min(apart, stretch)
    if not rests:
        memory[M_calm] = memory[M_jolted] = 0.0
    elif memory[M_jolted] == 0.0 and memory[M_calm] >= CALM:
        if sway > JOLT * JOLT:
            memory[M_jolted], memory[M_calm] = apart, 0.0
            for r in range(3):
                memory[M_integral + r] = memory[M_borne + r] - memory[M_sprung + r]
    else:
        memory[M_calm] = memory[M_calm] + 1.0 if sway < STILL * STILL else 0.0
        if memory[M_jolted] != 0.0:
            end_jolt(memory, apart)
    for r in range(3):
        spring = memory[M_spring + r]
        memory[M_sprung + r] += USUAL_GAIN * (spring - memory[M_sprung + r])
        if memory[M_jolted] == 0.0:
            force = spring + memory[M_integral + r]
            memory[M_borne + r] += USUAL_GAIN * (force - memory[M_borne + r])
    return 1.0 / (1.0 + sway / (SWAY * SWAY))


@kernel
def end_jolt(memory: Array, apart: float) -> None:
    """Begin a new landing when a push is over; `jolted` is the most that it was, squared."""
    memory[M_jolted] = max(memory[M_jolted], apart)
    over = apart < JOLT * JOLT
    over = over or (apart < RUB * RUB and apart < 0.25 * memory[M_jolted])
    if over and memory[M_calm] >= CALM:
        memory[M_jolted] = memory[M_rested] = 0.0
        for r in range(3):
            memory[M_sprung + r] = memory[M_spring + r]
            memory[M_borne + r] = memory[M_spring + r] + memory[M_integral + r]


@kernel
def generator_rests(memory: Array) -> bool:
    """Tell whether the generator rests; axes that it does not have do."""
    for i in range(MAX_JOINTS):
        if abs(memory[M_generator + G_velocity + i]) > REST_VELOCITY:
            return False
        if abs(memory[M_generator + G_acceleration + i]) > REST_ACCELERATION:
            return False
    return True
