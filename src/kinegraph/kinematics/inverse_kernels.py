"""Inverse kinematics by damped least squares in a box, from a seed and from random restarts.

With r(q) the weighted errors of all tips and J = -dr/dq, a step d solves

    minimise |J d - r|^2 + lambda |d|^2   subject to   lower <= q + d <= upper

where lambda = mu |r|^2 vanishes with the error, so that convergence is quadratic even where J has
no full rank (Yamashita and Fukushima 2001; for kinematics Sugihara, IEEE T-RO 27(5), 2011), and mu
follows the ratio of the actual to the predicted gain. Joints that would leave the box are pinned
to its side and the others solved again.

Working memory is one array (`inverse_layout`); `x` in the arguments below is the place of a vector
in it. Nothing is shared between threads but what is only read.
"""

import math

from kinegraph.kinematics.inverse_error_kernels import copy_vector, evaluate
from kinegraph.kinematics.inverse_layout import (
    BEST,
    BOX_LOWER,
    BOX_PERIOD,
    BOX_SIZE,
    BOX_UPPER,
    CONVERGED,
    COUNT_ATTEMPTS,
    COUNT_ITERATIONS,
    COUNT_STATUS,
    COUNTS,
    ERRORS,
    MOST_ATTEMPTS,
    MOST_ITERATIONS,
    MOST_PULLS,
    NOT_CONVERGED,
    PLAN_COLUMNS,
    PLAN_TIPS,
    POSITION_TOLERANCE,
    ROTATION_TOLERANCE,
    SEED,
    TRIAL,
    UNREACHABLE,
    VALUES,
)
from kinegraph.kinematics.inverse_step_kernels import (
    boxed_step,
    build_normal,
    largest_cosine,
    predicted_gain,
    pull_to_seed,
)
from kinegraph.kinematics.inverse_target_kernels import is_out_of_reach, orient_targets
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["solve_rows"]

MU_START = 1e-2
MU_LEAST = 1e-8
MU_MOST = 1e10
# Keeps the normal matrix regular in double precision where J has no full rank.
LEAST_DAMPING = 1e-11
# Ratios of actual to predicted gain.
ACCEPTED, POOR, GOOD = 1e-4, 0.25, 0.75
# An iteration is lazy if it lessens half |r|^2 by less than this share; so many in a row are
# enough.
LAZY = 1e-2
MOST_LAZY = 20
# How an attempt ends that was lazy for so long, and how often the best one is taken up again.
CRAWLING = 3
MOST_CRAWLS = 6
# Largest cosines between the residual and a joint's column where there is no way on: at once, and
# after a lazy iteration. Near a singular solution the cosine is small too, but progress is quick.
FLAT = 1e-9
STATIONARY = 1e-3
# The damping of the pull towards the seed; the squared distance to which a pull must have shrunk
# the last one for another pull.
PULL_DAMPING = 1e-4
WORTH_A_PULL = 0.98


@kernel
def solve_rows(
    plan: Array,
    box: Array,
    settings: Array,
    restarts: Array,
    targets: Array,
    seeds: Array,
    first: int,
    end: int,
    work: Array,
    q: Array,
    errors: Array,
    counts: IntArray,
) -> None:
    """Solve problems `first` to `end - 1`; everything is flat.

    Args:
        plan: Chains of all tips.
        box: (n * 3) bounds and periods.
        settings: Tolerances, numbers of iterations, weights.
        restarts: (attempts - 1, n) numbers in [0, 1): where further attempts start.
        targets: (N, K, 4, 4) poses that have been checked.
        seeds: (n) or (N, n) finite.
        first: First problem.
        end: Behind the last one.
        work: `inverse_workspace` numbers.
        q: (N, n) out.
        errors: (N, 2) out, m and rad.
        counts: (N, 3) out.
    """
    n = int(plan[PLAN_COLUMNS])
    size = 16 * int(plan[PLAN_TIPS])
    shared_seed = seeds.shape[0] == n
    for row in range(first, end):
        orient_targets(plan, targets, size * row, work)
        at = 0 if shared_seed else n * row
        for i in range(n):
            inside = max(seeds[at + i], box[BOX_SIZE * i + BOX_LOWER])
            work[SEED * n + i] = min(inside, box[BOX_SIZE * i + BOX_UPPER])
        position, rotation = solve_one(plan, box, settings, restarts, work, counts, COUNTS * row)
        errors[ERRORS * row] = position
        errors[ERRORS * row + 1] = rotation
        copy_vector(work, BEST * n, q, n * row, n)


@kernel
def solve_one(
    plan: Array,
    box: Array,
    settings: Array,
    restarts: Array,
    work: Array,
    counts: IntArray,
    row: int,
) -> tuple[float, float]:
    """Solve one problem; leave the best values in `BEST` and return their errors.

    A solution is then slid along the solutions towards the seed as long as it comes nearer.
    """
    n, m = int(plan[PLAN_COLUMNS]), 6 * int(plan[PLAN_TIPS])
    status, iterations, attempts, pulls = UNREACHABLE, 0, 0, int(settings[MOST_PULLS])
    crawls = MOST_CRAWLS
    best, best_position, best_rotation, gap = math.inf, math.inf, math.inf, math.inf
    copy_vector(work, SEED * n, work, BEST * n, n)
    while True:
        if status != CONVERGED and attempts < int(settings[MOST_ATTEMPTS]):
            start(box, restarts, work, n, attempts)
            attempts += 1
        ended, used, side, cost, position, rotation = attempt(plan, box, settings, work)
        iterations += used
        last = gap
        if ended == CONVERGED or (cost < best and status != CONVERGED):
            unwind(box, work, n)
            new_gap = distance(work, n)
            if status != CONVERGED or new_gap < gap:
                best, best_position, best_rotation, gap = cost, position, rotation, new_gap
                copy_vector(work, VALUES * n, work, BEST * n, n)
                if status != CONVERGED:
                    last, status = math.inf, ended
        if status == CONVERGED:
            if pulls == 0 or not gap < WORTH_A_PULL * last:
                break
            pulls -= 1
            build_normal(work, n, m, side)
            if not pull_to_seed(box, work, n, PULL_DAMPING):
                break
            copy_vector(work, TRIAL * n, work, VALUES * n, n)
        elif attempts >= int(settings[MOST_ATTEMPTS]):
            # All attempts failed; if the best one was crawling it may still get to a minimum.
            if status != CRAWLING or crawls == 0:
                break
            crawls -= 1
            copy_vector(work, BEST * n, work, VALUES * n, n)
    if status > UNREACHABLE:
        status = UNREACHABLE if is_out_of_reach(plan, settings, work) else NOT_CONVERGED
    counts[row + COUNT_STATUS] = status
    counts[row + COUNT_ITERATIONS] = iterations
    counts[row + COUNT_ATTEMPTS] = attempts
    return best_position, best_rotation


@kernel
def start(box: Array, restarts: Array, work: Array, n: int, number: int) -> None:
    """Write where an attempt starts: at the seed, then at random values in the box."""
    if number == 0:
        copy_vector(work, SEED * n, work, VALUES * n, n)
        return
    for i in range(n):
        lower, upper = box[BOX_SIZE * i + BOX_LOWER], box[BOX_SIZE * i + BOX_UPPER]
        seed = work[SEED * n + i]
        if math.isinf(upper - lower):
            period = box[BOX_SIZE * i + BOX_PERIOD]
            around = 0.5 * period if period > 0.0 else 2.0 * math.pi
            lower, upper = max(lower, seed - around), min(upper, seed + around)
        share = restarts[n * (number - 1) + i]
        value = (1.0 - share) * lower + share * upper
        work[VALUES * n + i] = min(max(value, lower), upper)


@kernel
def unwind(box: Array, work: Array, n: int) -> None:
    """Move `VALUES` by whole periods to where they are nearest to the seed in the box."""
    for i in range(n):
        period = box[BOX_SIZE * i + BOX_PERIOD]
        if period > 0.0:
            value, seed = work[VALUES * n + i], work[SEED * n + i]
            lower, upper = box[BOX_SIZE * i + BOX_LOWER], box[BOX_SIZE * i + BOX_UPPER]
            turns = math.floor((seed - value) / period + 0.5)
            # The nearest one may lie outside, then the one on the other side of the seed.
            if value + turns * period > upper:
                turns = math.floor((upper - value) / period)
            elif value + turns * period < lower:
                turns = math.ceil((lower - value) / period)
            moved = value + turns * period
            if turns != 0.0 and lower <= moved <= upper:
                work[VALUES * n + i] = moved


@kernel
def attempt(
    plan: Array, box: Array, settings: Array, work: Array
) -> tuple[int, int, int, float, float, float]:
    """Descend from `VALUES`.

    Returns:
        How it ended, the number of iterations, the side where residual and Jacobian of `VALUES`
        are, half |r|^2 and both errors.
    """
    n, m = int(plan[PLAN_COLUMNS]), 6 * int(plan[PLAN_TIPS])
    mu, gain, side, most = MU_START, 1.0, 0, int(settings[MOST_ITERATIONS])
    cost, position, rotation, lazy = math.inf, 0.0, 0.0, 0
    copy_vector(work, VALUES * n, work, TRIAL * n, n)
    for iteration in range(most + 1):
        trial_cost, trial_position, trial_rotation = evaluate(
            plan, settings, work, TRIAL * n, 1 - side
        )
        ratio = (cost - trial_cost) / gain
        lazy = lazy + 1 if cost - trial_cost < LAZY * cost else 0
        if ratio < POOR:
            mu *= 4.0
        elif ratio > GOOD:
            mu = max(0.25 * mu, MU_LEAST)
        if ratio > ACCEPTED:
            cost, position, rotation = trial_cost, trial_position, trial_rotation
            copy_vector(work, TRIAL * n, work, VALUES * n, n)
            side = 1 - side
            if (
                position <= settings[POSITION_TOLERANCE]
                and rotation <= settings[ROTATION_TOLERANCE]
            ):
                return CONVERGED, iteration, side, cost, position, rotation
            build_normal(work, n, m, side)
        if not math.isfinite(cost):
            break
        cosine = largest_cosine(box, work, n, cost)
        if cosine <= FLAT or (lazy > 0 and cosine <= STATIONARY):
            return UNREACHABLE, iteration, side, cost, position, rotation
        if lazy >= MOST_LAZY:
            return CRAWLING, iteration, side, cost, position, rotation
        if iteration == most:
            return NOT_CONVERGED, iteration, side, cost, position, rotation
        gain = 0.0
        while not gain > 0.0 and mu < MU_MOST:
            if boxed_step(box, work, n, LEAST_DAMPING + 2.0 * mu * cost):
                gain = predicted_gain(work, n)
            if not gain > 0.0:
                mu *= 10.0
        if not gain > 0.0:
            break
    return NOT_CONVERGED, most, side, cost, position, rotation


@kernel
def distance(work: Array, n: int) -> float:
    """Squared distance of `VALUES` from the seed."""
    total = 0.0
    for i in range(n):
        gap = work[VALUES * n + i] - work[SEED * n + i]
        total += gap * gap
    return total
