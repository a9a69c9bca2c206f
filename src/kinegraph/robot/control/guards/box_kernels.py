"""The trajectory inside its workspace box: an axis that could not stop in time brakes now.

Each translational axis is as in a box of its own. A step is taken only if the axis could still
come to rest inside after it; otherwise the axis brakes as hard as its limits allow. By induction
it never leaves. One that begins outside (pushed there, or by another tool) may go no further out.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.axes_kernels import segment
from kinegraph.robot.control.generator.axis_kernels import transfer
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_drift,
    G_max_acceleration,
    G_max_jerk,
    G_max_velocity,
    G_position,
    G_target,
    G_velocity,
)
from kinegraph.robot.control.guards.guard_layout import (
    M_box_acceleration,
    M_box_jerk,
    M_box_state,
    M_box_velocity,
    O_box_lower,
    O_box_upper,
    O_has_box,
)
from kinegraph.robot.control.memory_layout import M_anchor, M_generator
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# A plan that lands on the border may come to rest so far behind it, m: it lands by rounding.
ROUNDING = 1e-8


@kernel
def note_axes(options: Array, memory: Array) -> None:
    """Note where the generator is before its step, and before a lower budget cuts its state."""
    if options[O_has_box] == 0.0:
        return
    for i in range(3):
        memory[M_box_state + 3 * i] = memory[M_anchor + i]
        memory[M_box_state + 3 * i + 1] = memory[M_generator + G_velocity + i]
        memory[M_box_state + 3 * i + 2] = memory[M_generator + G_acceleration + i]


@kernel
def enter_box(options: Array, memory: Array) -> None:
    """Move the generator's target into the box.

    The axes brake with the largest limits that were in force so far: a budget that is lowered in
    motion does not lead out of the box.
    """
    if options[O_has_box] == 0.0:
        return
    for i in range(3):
        k = M_generator + i
        low, high = options[O_box_lower + i], options[O_box_upper + i]
        if not low < memory[k + G_target] < high:
            memory[k + G_target] = min(max(memory[k + G_target], low), high)
            memory[k + G_drift] = 0.0
        for at, limit in (
            (M_box_velocity, G_max_velocity),
            (M_box_acceleration, G_max_acceleration),
            (M_box_jerk, G_max_jerk),
        ):
            memory[at + i] = max(memory[at + i], memory[k + limit])


@kernel
def stay_in_box(options: Array, memory: Array) -> None:
    """Take the generator's step back on each axis that could not stop inside after it."""
    if options[O_has_box] == 0.0:
        return
    for i in range(3):
        k, s = M_generator + i, M_box_state + 3 * i
        am, jm = memory[M_box_acceleration + i], memory[M_box_jerk + i]
        p, v, a = memory[k + G_position], memory[k + G_velocity], memory[k + G_acceleration]
        low, high = reach(p, v, a, am, jm)
        below = low < options[O_box_lower + i] - ROUNDING
        above = high > options[O_box_upper + i] + ROUNDING
        if not below and not above:
            continue
        # A restart at a wall turns velocity and acceleration: an axis may have got too much.
        vm, p = memory[M_box_velocity + i], memory[s]
        v, a = min(max(memory[s + 1], -vm), vm), min(max(memory[s + 2], -am), am)
        low_before, high_before = reach(p, v, a, am, jm)
        if (not below or low >= low_before) and (not above or high <= high_before):
            continue
        j, t1, t2, t3 = transfer(v, a, 0.0, am, jm)
        p, v, a, left = segment(p, v, a, j, t1, CYCLE_TIME)
        p, v, a, left = segment(p, v, a, 0.0, t2, left)
        p, v, a, left = segment(p, v, a, -j, t3, left)
        memory[k + G_position] = p
        memory[k + G_velocity] = v if left == 0.0 else 0.0
        memory[k + G_acceleration] = a if left == 0.0 else 0.0


@kernel
def reach(p: float, v: float, a: float, am: float, jm: float) -> tuple[float, float]:
    """Return the lowest and the highest position on the way to rest from (p, v, a)."""
    j, t1, t2, t3 = transfer(v, a, 0.0, am, jm)
    low, high = p, p
    for k in range(3):
        jerk = j if k == 0 else (0.0 if k == 1 else -j)
        time = t1 if k == 0 else (t2 if k == 1 else t3)
        low, high = widened(low, high, p, v, a, jerk, time)
        p, v, a, _ = segment(p, v, a, jerk, time, time)
        low, high = min(low, p), max(high, p)
    return low, high


@kernel
def widened(
    low: float, high: float, p: float, v: float, a: float, j: float, time: float
) -> tuple[float, float]:
    """Widen an interval by where a segment of constant jerk turns round."""
    inside = a * a - 2.0 * j * v
    if time <= 0.0 or inside < 0.0:
        return low, high
    root = math.sqrt(inside)
    for side in range(2):
        # The roots of v + a t + j t^2 / 2 in the form that holds for j = 0, too.
        below = a + root if side == 0 else a - root
        if below == 0.0:
            continue
        t = -2.0 * v / below
        if 0.0 < t < time:
            turn, _, _, _ = segment(p, v, a, j, t, t)
            low, high = min(low, turn), max(high, turn)
    return low, high
