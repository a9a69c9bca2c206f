"""Damped least squares in a box, by a primal active set.

    minimise 1/2 |J d - e|^2 + 1/2 lambda^2 |d|^2   subject to   l <= d <= h

J is kept by columns, six numbers each. The set of pinned joints (-1 lower, 0 free, +1 upper) is
kept from call to call: in a motion it changes rarely, so one factorisation mostly suffices.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.linear_kernels import (
    add_outer,
    factor,
    set_scaled_identity,
    solve,
)
from kinegraph.robot.control.memory_layout import (
    M_bias,
    M_entry_active,
    M_normal,
    M_rhs,
    M_room_lower,
    M_room_upper,
    M_solve_clipped,
    M_solve_norm,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.scene.array_types import Array

MAX_PASSES = 12
VIOLATION = 1e-12
MULTIPLIER = 1e-9
# The nullspace bias may move no joint faster than this, rad/s.
MAX_POSTURE_RATE = 0.5


@kernel
def solve_pinned(memory: Array, n: int, j: int, e: int, act: int, d: int, damping: float) -> bool:
    """Write the step with the pinned joints at their bounds; False if it cannot be had."""
    set_scaled_identity(memory, M_normal, damping * damping)
    copy(memory, e, M_rhs, 6)
    for i in range(n):
        if memory[act + i] == 0.0:
            add_outer(memory, M_normal, memory, j + 6 * i)
        else:
            at = M_room_lower + i if memory[act + i] < 0.0 else M_room_upper + i
            memory[d + i] = memory[at]
            for r in range(6):
                memory[M_rhs + r] -= memory[j + 6 * i + r] * memory[at]
    if not factor(memory, M_normal):
        return False
    solve(memory, M_normal, memory, M_rhs)
    finite = True
    for i in range(n):
        if memory[act + i] == 0.0:
            memory[d + i] = along(memory, j + 6 * i, M_rhs)
        finite = finite and math.isfinite(memory[d + i])
    return finite


@kernel
def along(memory: Array, c: int, x: int) -> float:
    """Return the product of two vectors of six."""
    value = 0.0
    for r in range(6):
        value += memory[c + r] * memory[x + r]
    return value


@kernel
def worst_violation(memory: Array, n: int, act: int, d: int) -> int:
    """Return the free joint that is furthest outside its room, or -1."""
    worst, at = VIOLATION, -1
    for i in range(n):
        if memory[act + i] == 0.0:
            below = memory[M_room_lower + i] - memory[d + i]
            above = memory[d + i] - memory[M_room_upper + i]
            if max(below, above) > worst:
                worst, at = max(below, above), i
    return at


@kernel
def worst_multiplier(
    memory: Array, n: int, j: int, e: int, act: int, d: int, damping: float
) -> int:
    """Return the pinned joint that pulls off its bound the most, or -1."""
    pinned = False
    for i in range(n):
        pinned = pinned or memory[act + i] != 0.0
    if not pinned:
        return -1
    residual(memory, n, j, e, d, M_rhs)
    worst, at = MULTIPLIER, -1
    for i in range(n):
        mu = along(memory, j + 6 * i, M_rhs) + damping * damping * memory[d + i]
        if memory[act + i] < 0.0:
            mu = -mu
        if memory[act + i] != 0.0 and mu > worst:
            worst, at = mu, i
    return at


@kernel
def residual(memory: Array, n: int, j: int, e: int, d: int, out: int) -> None:
    """Write J d - e."""
    for r in range(6):
        memory[out + r] = -memory[e + r]
    for i in range(n):
        for r in range(6):
            memory[out + r] += memory[j + 6 * i + r] * memory[d + i]


@kernel
def solve_boxed(
    memory: Array,
    n: int,
    j: int,
    e: int,
    act: int,
    d: int,
    damping: float,
    biased: bool,
    cap: float,
) -> int:
    """Write the best step in the room, biased or not, clipped to the room.

    Args:
        memory: Memory; room, bias, and scratch are at their places.
        n: Number of joints.
        j: Where the columns are.
        e: Where the error is.
        act: Where the active set is; kept if the solve fails.
        d: Where the step goes.
        damping: Lambda.
        biased: Whether the bias in the null space is added.
        cap: Largest bias of one joint, rad.

    Returns:
        Number of passes, -1 if there is no finite solution.
    """
    copy(memory, act, M_entry_active, n)
    done = solve_pinned(memory, n, j, e, act, d, damping)
    passes = 0
    while done and passes < MAX_PASSES:
        passes += 1
        i = worst_violation(memory, n, act, d)
        change = 0.0
        if i >= 0:
            change = -1.0 if memory[d + i] < memory[M_room_lower + i] else 1.0
        else:
            i = worst_multiplier(memory, n, j, e, act, d, damping)
        # The last change is never made: the pins reported are those that were solved on.
        if i < 0 or passes == MAX_PASSES:
            break
        memory[act + i] = change
        done = solve_pinned(memory, n, j, e, act, d, damping)
    if not done:
        copy(memory, M_entry_active, act, n)
        return -1
    if biased:
        add_bias(memory, n, j, act, d, cap)
    clip(memory, n, d)
    return passes


@kernel
def add_bias(memory: Array, n: int, j: int, act: int, d: int, cap: float) -> None:
    """Add the part of the bias that the task does not feel, with the factor of the last solve."""
    for r in range(6):
        memory[M_rhs + r] = 0.0
    for i in range(n):
        if memory[act + i] == 0.0:
            for r in range(6):
                memory[M_rhs + r] += memory[j + 6 * i + r] * memory[M_bias + i]
    solve(memory, M_normal, memory, M_rhs)
    largest = 0.0
    for i in range(n):
        if memory[act + i] == 0.0:
            largest = max(largest, abs(memory[M_bias + i] - along(memory, j + 6 * i, M_rhs)))
    scale = cap / largest if largest > cap else 1.0
    for i in range(n):
        if memory[act + i] == 0.0:
            pull = memory[M_bias + i] - along(memory, j + 6 * i, M_rhs)
            memory[d + i] += scale * pull


@kernel
def clip(memory: Array, n: int, d: int) -> None:
    """Clip the step to the room; write its norm before, and the norm of what was cut off."""
    norm, clipped = 0.0, 0.0
    for i in range(n):
        value = memory[d + i]
        inside = min(max(value, memory[M_room_lower + i]), memory[M_room_upper + i])
        norm += value * value
        clipped += (value - inside) * (value - inside)
        memory[d + i] = inside
    memory[M_solve_norm] = math.sqrt(norm)
    memory[M_solve_clipped] = math.sqrt(clipped)
