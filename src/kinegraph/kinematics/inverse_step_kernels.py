"""One step of the inverse problem: normal equations, the box, and when there is no way on.

The normal matrix H = J^T J, the gradient g = J^T r and the Cholesky factor of H + lambda lie in the
working memory behind the vectors; g is the vector `PULL`.
"""

import math

from kinegraph.kinematics.inverse_error_kernels import residual_place
from kinegraph.kinematics.inverse_layout import (
    BOX_LOWER,
    BOX_SIZE,
    BOX_UPPER,
    PINS,
    PULL,
    SEED,
    STEP,
    TRIAL,
    VALUES,
    VECTORS,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = ["boxed_step", "build_normal", "largest_cosine", "predicted_gain", "pull_to_seed"]

# No joint moves further in one step, rad or m: a long step ends near another solution.
LONGEST_STEP = 1.0


@kernel
def build_normal(work: Array, n: int, m: int, side: int) -> None:
    """Write H (its lower half) and g."""
    e = residual_place(n, m, side)
    h = VECTORS * n
    for i in range(n):
        a = e + m * (i + 1)
        total = 0.0
        for r in range(m):
            total += work[a + r] * work[e + r]
        work[PULL * n + i] = total
        for k in range(i + 1):
            b = e + m * (k + 1)
            total = 0.0
            for r in range(m):
                total += work[a + r] * work[b + r]
            work[h + n * i + k] = total


@kernel
def is_blocked(box: Array, work: Array, n: int, i: int) -> bool:
    """Tell whether a joint is at a bound and pulled outwards."""
    value, pull = work[VALUES * n + i], work[PULL * n + i]
    if pull < 0.0:
        return bool(value <= box[BOX_SIZE * i + BOX_LOWER])
    return bool(value >= box[BOX_SIZE * i + BOX_UPPER])


@kernel
def largest_cosine(box: Array, work: Array, n: int, cost: float) -> float:
    """Return the largest cosine between the residual and the column of a joint that may move."""
    largest = 0.0
    for i in range(n):
        square = work[VECTORS * n + n * i + i]
        if square > 0.0 and not is_blocked(box, work, n, i):
            largest = max(largest, abs(work[PULL * n + i]) / math.sqrt(square))
    return largest / math.sqrt(2.0 * cost)


@kernel
def factor(work: Array, n: int, damping: float) -> bool:
    """Cholesky factor of H + damping over the joints that are not pinned."""
    h, f = VECTORS * n, VECTORS * n + n * n
    for i in range(n):
        pinned = work[PINS * n + i] != 0.0
        for k in range(i + 1):
            total = work[h + n * i + k]
            if pinned or work[PINS * n + k] != 0.0:
                total = 0.0
            if i == k:
                total = 1.0 if pinned else total + damping
            for c in range(k):
                total -= work[f + n * i + c] * work[f + n * k + c]
            if i == k:
                if not total > 0.0:
                    return False
                work[f + n * i + i] = math.sqrt(total)
            else:
                work[f + n * i + k] = total / work[f + n * k + k]
    return True


@kernel
def solve_free(work: Array, n: int) -> None:
    """Write the step of the joints that are not pinned; those that are keep theirs."""
    h, f, d = VECTORS * n, VECTORS * n + n * n, STEP * n
    for i in range(n):
        if work[PINS * n + i] == 0.0:
            total = work[PULL * n + i]
            for k in range(n):
                if work[PINS * n + k] != 0.0:
                    entry = n * i + k if k < i else n * k + i
                    total -= work[h + entry] * work[d + k]
            for c in range(i):
                if work[PINS * n + c] == 0.0:
                    total -= work[f + n * i + c] * work[d + c]
            work[d + i] = total / work[f + n * i + i]
    for back in range(n):
        i = n - 1 - back
        if work[PINS * n + i] == 0.0:
            total = work[d + i]
            for c in range(i + 1, n):
                if work[PINS * n + c] == 0.0:
                    total -= work[f + n * c + i] * work[d + c]
            work[d + i] = total / work[f + n * i + i]


@kernel
def boxed_step(box: Array, work: Array, n: int, damping: float) -> bool:
    """Write the step from `VALUES` and the `TRIAL` values; False if there is none."""
    for i in range(n):
        work[PINS * n + i] = 1.0 if is_blocked(box, work, n, i) else 0.0
        work[STEP * n + i] = 0.0
    for _ in range(n + 1):
        if not factor(work, n, damping):
            return False
        solve_free(work, n)
        if not pin_leavers(box, work, n):
            break
    return shorten(box, work, n)


@kernel
def pin_leavers(box: Array, work: Array, n: int) -> bool:
    """Pin joints that would leave the box to its side; tell whether there were any."""
    found = False
    for i in range(n):
        if work[PINS * n + i] == 0.0:
            value = work[VALUES * n + i]
            room_below = box[BOX_SIZE * i + BOX_LOWER] - value
            room_above = box[BOX_SIZE * i + BOX_UPPER] - value
            step = work[STEP * n + i]
            if step < room_below or step > room_above:
                work[STEP * n + i] = min(max(step, room_below), room_above)
                work[PINS * n + i] = 1.0
                found = True
    return found


@kernel
def shorten(box: Array, work: Array, n: int) -> bool:
    """Shorten the step to the longest one allowed and write `TRIAL`; False if it is not finite."""
    longest = 0.0
    for i in range(n):
        longest = max(longest, abs(work[STEP * n + i]))
        if not math.isfinite(work[STEP * n + i]):
            return False
    scale = LONGEST_STEP / longest if longest > LONGEST_STEP else 1.0
    for i in range(n):
        work[STEP * n + i] *= scale
        value = work[VALUES * n + i] + work[STEP * n + i]
        inside = max(value, box[BOX_SIZE * i + BOX_LOWER])
        work[TRIAL * n + i] = min(inside, box[BOX_SIZE * i + BOX_UPPER])
    return True


@kernel
def predicted_gain(work: Array, n: int) -> float:
    """By how much the step lessens half |r|^2 if the residual is linear: g d - d H d / 2."""
    h, d = VECTORS * n, STEP * n
    gain = 0.0
    for i in range(n):
        bent = 0.5 * work[h + n * i + i] * work[d + i]
        for k in range(i):
            bent += work[h + n * i + k] * work[d + k]
        gain += (work[PULL * n + i] - bent) * work[d + i]
    return gain


@kernel
def pull_to_seed(box: Array, work: Array, n: int, damping: float) -> bool:
    """Write the step that minimises |J d - r|^2 + damping |q + d - seed|^2, and `TRIAL`."""
    for i in range(n):
        work[PULL * n + i] += damping * (work[SEED * n + i] - work[VALUES * n + i])
    return boxed_step(box, work, n, damping)
