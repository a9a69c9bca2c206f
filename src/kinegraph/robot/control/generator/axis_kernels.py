"""One axis: plans with limited jerk from any state to a target at rest.

A plan for a peak velocity `peak` is a transfer to it, a cruise, and a transfer from it to rest; a
transfer is up to three segments of constant jerk. Time optimal within this family (section 5.1 of
the controller's specification).
"""

import math

from kinegraph.kinematics.jit import kernel

# Nearer than this to its target a plan needs no cruise, m or rad.
SNAP = 1e-9
# Peaks are found to this fraction of the velocity limit.
PEAK_TOLERANCE = 1e-10
# A bracket that secants do not halve in so many steps is halved by force.
PATIENCE = 3
MAX_STEPS = 80
# So many halvings come before the secants: they decide between two peaks that would both do.
HALVINGS = 6


@kernel
def transfer(
    v: float, a: float, goal: float, am: float, jm: float
) -> tuple[float, float, float, float]:
    """Return jerk and times of the three segments that lead (v, a) to (goal, 0)."""
    inverse = 1.0 / jm
    d = goal - v
    sign = 1.0 if d - 0.5 * a * abs(a) * inverse >= 0.0 else -1.0
    d *= sign
    a0 = sign * a
    square = jm * d + 0.5 * a0 * a0
    peak = math.sqrt(square) if square > 0.0 else 0.0
    flat = 0.0
    if peak > am:
        peak = am
        flat = max(0.0, (d - (am * am - 0.5 * a0 * a0) * inverse) / am)
    return sign * jm, max(0.0, (peak - a0) * inverse), flat, peak * inverse


@kernel
def distance(v: float, a: float, j: float, t1: float, t2: float, t3: float) -> float:
    """Return how far three segments of jerk (j, 0, -j) lead."""
    x = t1 * (v + t1 * (0.5 * a + t1 * j / 6.0))
    v += t1 * (a + 0.5 * t1 * j)
    a += t1 * j
    x += t2 * (v + 0.5 * t2 * a)
    v += t2 * a
    return x + t3 * (v + t3 * (0.5 * a - t3 * j / 6.0))


@kernel
def stopping_time(v: float, am: float, jm: float) -> float:
    """Return the time from velocity v at no acceleration to rest."""
    speed = abs(v)
    if speed * jm <= am * am:
        return 2.0 * math.sqrt(speed / jm)
    return speed / am + am / jm


@kernel
def plan(way: float, v: float, a: float, peak: float, am: float, jm: float) -> tuple[float, float]:
    """Return (rest, duration) of a plan without its cruise.

    Args:
        way: From the position to the target.
        v: Velocity now.
        a: Acceleration now.
        peak: Velocity to go to.
        am: Largest acceleration.
        jm: Largest jerk.
    """
    j, t1, t2, t3 = transfer(v, a, peak, am, jm)
    stop = stopping_time(peak, am, jm)
    rest = way - distance(v, a, j, t1, t2, t3) - 0.5 * peak * stop
    return rest, t1 + t2 + t3 + stop


@kernel
def cruise_time(rest: float, peak: float) -> float:
    """Return how long a plan cruises at its peak to cover the rest of the way."""
    if peak == 0.0 or abs(rest) < SNAP:
        return 0.0
    return max(0.0, rest / peak)


@kernel
def interpolated(lo: float, hi: float, at_lo: float, at_hi: float) -> float:
    """Return where the line through two values crosses zero, or the middle."""
    span = at_hi - at_lo
    if span == 0.0:
        return 0.5 * (lo + hi)
    return lo - at_lo * (hi - lo) / span


@kernel
def weight(value: float, before: float) -> float:
    """Return the factor for the end that stayed twice, so that secants do not creep.

    Anderson and Bjorck, A new high order method of regula falsi type, BIT 13 (1973), 253-264.
    """
    if before == 0.0:
        return 0.5
    factor = 1.0 - value / before
    return factor if factor > 0.0 else 0.5


@kernel
def peak_between(
    way: float,
    v: float,
    a: float,
    am: float,
    jm: float,
    lo: float,
    hi: float,
    rest_lo: float,
    rest_hi: float,
    hint: float,
    tolerance: float,
) -> float:
    """Return the peak in [lo, hi] whose plan needs no cruise.

    The rests at the two ends differ in sign. What bisection would find is found by a few halvings
    and then by secants that keep the bracket, begun at `hint`: the peak of a motion under way does
    not change.
    """
    positive = rest_lo >= 0.0
    for _ in range(HALVINGS):
        x = 0.5 * (lo + hi)
        rest, _ = plan(way, v, a, x, am, jm)
        if (rest >= 0.0) == positive:
            lo, rest_lo = x, rest
        else:
            hi, rest_hi = x, rest
    x = hint if lo < hint < hi else interpolated(lo, hi, rest_lo, rest_hi)
    apart = 0.5 * tolerance
    mark = hi - lo
    side = 0
    for step in range(MAX_STEPS):
        if hi - lo <= tolerance:
            break
        # Never nearer to an end than the tolerance: so the other end follows, too.
        x = min(max(x, lo + apart), hi - apart)
        rest, _ = plan(way, v, a, x, am, jm)
        if (rest >= 0.0) == positive:
            if side < 0:
                rest_hi *= weight(rest, rest_lo)
            lo, rest_lo, side = x, rest, -1
        else:
            if side > 0:
                rest_lo *= weight(rest, rest_hi)
            hi, rest_hi, side = x, rest, 1
        x = interpolated(lo, hi, rest_lo, rest_hi)
        if step % PATIENCE == PATIENCE - 1:
            if hi - lo > 0.5 * mark:
                x = 0.5 * (lo + hi)
            mark = hi - lo
    return 0.5 * (lo + hi)


@kernel
def fastest(
    way: float, v: float, a: float, drift: float, vm: float, am: float, jm: float, hint: float
) -> tuple[float, float]:
    """Return (peak, duration) of the fastest plan to a target `way` ahead.

    Position, velocities and peak are relative to the target, which moves with `drift`, slower than
    the limit `vm` that holds for the sum.
    """
    if way == 0.0 and v == 0.0 and a == 0.0:
        return 0.0, 0.0
    low, high = -vm - drift, vm - drift
    rest_top, duration = plan(way, v, a, high, am, jm)
    if rest_top >= 0.0:
        return high, duration + cruise_time(rest_top, high)
    rest, duration = plan(way, v, a, low, am, jm)
    if rest <= 0.0:
        return low, duration + cruise_time(rest, low)
    best_peak, best = low, math.inf
    middle = v + 0.5 * a * abs(a) / jm
    width = am * am / jm
    lo = low
    for k in range(4):
        hi = min(max(middle + (k - 1) * width, low), high) if k < 3 else high
        if not lo < hi:
            continue
        rest_hi = rest_top if hi == high else plan(way, v, a, hi, am, jm)[0]
        if (rest >= 0.0) != (rest_hi >= 0.0):
            peak = peak_between(way, v, a, am, jm, lo, hi, rest, rest_hi, hint, PEAK_TOLERANCE * vm)
            rest_peak, time = plan(way, v, a, peak, am, jm)
            time += cruise_time(rest_peak, peak)
            if time < best:
                best_peak, best = peak, time
        lo, rest = hi, rest_hi
    return best_peak, best if best < math.inf else duration
