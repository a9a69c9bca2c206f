"""Several axes that arrive together: planning, stretching, and one step along the plans.

The kernels work on a generator's block (`generator_layout`) that starts at `at` in an array.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.axis_kernels import (
    MAX_STEPS,
    PATIENCE,
    SNAP,
    cruise_time,
    fastest,
    interpolated,
    plan,
    transfer,
    weight,
)
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_drift,
    G_duration,
    G_max_acceleration,
    G_max_jerk,
    G_max_velocity,
    G_peak,
    G_peak_hint,
    G_position,
    G_stretch_hint,
    G_target,
    G_velocity,
)
from kinegraph.scene.array_types import Array

# A stretched axis keeps at least this share of its peak, and finds it to this resolution.
SMALLEST_SHARE = 1e-9
SHARE_TOLERANCE = 1e-12
# The share is searched by so many halvings, then by secants: where plans of two different shares
# would do, the halvings decide, as they would alone.
HALVINGS = 8


@kernel
def excess(
    way: float, v: float, a: float, peak: float, am: float, jm: float, duration: float
) -> float:
    """Return a number >= 0 where the plan for `peak` lasts `duration` or longer.

    It is peak * (time of the plan - duration), which has no pole at peak 0, or the way left in the
    direction of the peak if that is less: a plan that passes the target is of no use.
    """
    rest, time = plan(way, v, a, peak, am, jm)
    ahead = rest if peak > 0.0 else -rest
    cruise = 0.0 if abs(rest) < SNAP else ahead
    return min(ahead, cruise + abs(peak) * (time - duration))


@kernel
def stretched_share(
    way: float, v: float, a: float, peak: float, am: float, jm: float, duration: float, hint: float
) -> float:
    """Return the largest share of the peak whose plan lasts `duration`, or 1 if there is none."""
    lo, hi = SMALLEST_SHARE, 1.0
    at_lo = excess(way, v, a, lo * peak, am, jm, duration)
    if not at_lo >= 0.0:
        return 1.0
    at_hi = excess(way, v, a, peak, am, jm, duration)
    if not at_hi < 0.0:
        at_hi = -abs(peak) * SHARE_TOLERANCE
    for _ in range(HALVINGS):
        x = 0.5 * (lo + hi)
        value = excess(way, v, a, x * peak, am, jm, duration)
        if value >= 0.0:
            lo, at_lo = x, value
        else:
            hi, at_hi = x, value
    x = hint if lo < hint < hi else interpolated(lo, hi, at_lo, at_hi)
    apart = 0.5 * SHARE_TOLERANCE
    mark, side = hi - lo, 0
    for step in range(MAX_STEPS):
        if hi - lo <= SHARE_TOLERANCE:
            break
        x = min(max(x, lo + apart), hi - apart)
        value = excess(way, v, a, x * peak, am, jm, duration)
        if value >= 0.0:
            if side < 0:
                at_hi *= weight(value, at_lo)
            lo, at_lo, side = x, value, -1
        else:
            if side > 0:
                at_lo *= weight(value, at_hi)
            hi, at_hi, side = x, value, 1
        x = interpolated(lo, hi, at_lo, at_hi)
        if step % PATIENCE == PATIENCE - 1:
            if hi - lo > 0.5 * mark:
                x = 0.5 * (lo + hi)
            mark = hi - lo
    return lo


@kernel
def plan_axes(block: Array, at: int, count: int, dt: float) -> float:
    """Plan every axis, stretch the quick ones, and return the longest duration.

    Axes to a moving target each go their fastest way: none is kept from it by the others.
    """
    longest = 0.0
    resting = True
    for i in range(at, at + count):
        drift = block[i + G_drift]
        resting = resting and drift == 0.0
        peak, duration = fastest(
            block[i + G_target] - block[i + G_position],
            block[i + G_velocity] - drift,
            block[i + G_acceleration],
            drift,
            block[i + G_max_velocity],
            block[i + G_max_acceleration],
            block[i + G_max_jerk],
            block[i + G_peak_hint],
        )
        block[i + G_peak] = peak
        block[i + G_peak_hint] = peak
        block[i + G_duration] = duration
        longest = max(longest, duration)
    if resting and longest > dt:
        for i in range(at, at + count):
            if block[i + G_peak] != 0.0 and block[i + G_duration] < longest:
                stretch(block, i, longest)
    return longest


@kernel
def stretch(block: Array, i: int, duration: float) -> None:
    """Lower the peak of axis i until its plan lasts `duration`."""
    peak = block[i + G_peak]
    way = block[i + G_target] - block[i + G_position]
    v, a = block[i + G_velocity], block[i + G_acceleration]
    am, jm = block[i + G_max_acceleration], block[i + G_max_jerk]
    share = stretched_share(way, v, a, peak, am, jm, duration, block[i + G_stretch_hint] / peak)
    if share < 1.0:
        block[i + G_peak] = share * peak
        rest, time = plan(way, v, a, share * peak, am, jm)
        block[i + G_duration] = time + cruise_time(rest, share * peak)
    block[i + G_stretch_hint] = block[i + G_peak]


@kernel
def segment(
    x: float, v: float, a: float, j: float, t: float, left: float
) -> tuple[float, float, float, float]:
    """Carry (x, v, a) along a segment of jerk j and time t, for `left` at most."""
    h = min(t, left)
    x += h * (v + h * (0.5 * a + h * j / 6.0))
    v += h * (a + 0.5 * h * j)
    a += h * j
    return x, v, a, left - h


@kernel
def follow(block: Array, i: int, dt: float) -> None:
    """Carry axis i along its plan for dt; it lands exactly, and goes on with its target."""
    drift = block[i + G_drift]
    way = block[i + G_target] - block[i + G_position]
    block[i + G_target] += drift * dt
    if block[i + G_duration] <= dt:
        block[i + G_position] = block[i + G_target]
        block[i + G_velocity] = drift
        block[i + G_acceleration] = 0.0
        return
    peak = block[i + G_peak]
    am, jm = block[i + G_max_acceleration], block[i + G_max_jerk]
    x, v, a = block[i + G_position], block[i + G_velocity] - drift, block[i + G_acceleration]
    rest, _ = plan(way, v, a, peak, am, jm)
    j, t1, t2, t3 = transfer(v, a, peak, am, jm)
    x, v, a, left = segment(x, v, a, j, t1, dt)
    x, v, a, left = segment(x, v, a, 0.0, t2, left)
    x, v, a, left = segment(x, v, a, -j, t3, left)
    if left > 0.0:
        x, v, a, left = segment(x, v, a, 0.0, cruise_time(rest, peak), left)
        j, t1, t2, t3 = transfer(peak, 0.0, 0.0, am, jm)
        x, v, a, left = segment(x, v, a, j, t1, left)
        x, v, a, left = segment(x, v, a, 0.0, t2, left)
        x, v, a, left = segment(x, v, a, -j, t3, left)
    vm = block[i + G_max_velocity]
    block[i + G_position] = x + drift * dt
    block[i + G_velocity] = min(max(v + drift, -vm), vm)
    block[i + G_acceleration] = min(max(a, -am), am)


@kernel
def generator_step(block: Array, at: int, count: int, dt: float) -> float:
    """Plan from where the axes are and carry them along for dt, s; no step unless dt > 0.

    Returns:
        Duration of the whole motion before the step, s.
    """
    longest = plan_axes(block, at, count, dt)
    if math.isfinite(dt) and dt > 0.0:
        for i in range(at, at + count):
            follow(block, i, dt)
    return longest


@kernel
def set_axis(block: Array, i: int, position: float, velocity: float, acceleration: float) -> None:
    """Set the state of axis i, velocity and acceleration clamped into their limits."""
    vm, am = block[i + G_max_velocity], block[i + G_max_acceleration]
    block[i + G_position] = position
    block[i + G_velocity] = min(max(velocity, -vm), vm)
    block[i + G_acceleration] = min(max(acceleration, -am), am)
