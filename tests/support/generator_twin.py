"""The trajectory generator, written down plainly: bisections only, one list per plan.

Section 5 of the controller's specification, for comparison with the compiled kernels.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

Segments = list[tuple[float, float]]
Axis = list[float]  # position, velocity, acceleration, target, and limits of velocity to jerk


def transfer(v: float, a: float, goal: float, am: float, jm: float) -> Segments:
    """Jerks and times that lead (v, a) to (goal, 0)."""
    d = goal - v
    sign = 1.0 if d - a * abs(a) / (2 * jm) >= 0 else -1.0
    d, a0 = sign * d, sign * a
    peak = min(am, math.sqrt(max(0.0, jm * d + a0 * a0 / 2)))
    flat = max(0.0, (d - (2 * peak * peak - a0 * a0) / (2 * jm)) / peak) if peak > 0 else 0.0
    return [(sign * jm, max(0.0, (peak - a0) / jm)), (0.0, flat), (-sign * jm, peak / jm)]


def integrate(p: float, v: float, a: float, plan: Segments, dt: float = math.inf) -> Axis:
    """State after a plan, or after dt of it."""
    for j, t in plan:
        h = min(t, dt)
        dt -= h
        p, v, a = p + v * h + a * h * h / 2 + j * h**3 / 6, v + a * h + j * h * h / 2, a + j * h
    return [p, v, a]


def plan_for(peak: float, axis: Sequence[float]) -> tuple[float, Segments]:
    """What is left to the target without a cruise, and the plan with it."""
    p, v, a, target, _, am, jm = axis
    go, stop = transfer(v, a, peak, am, jm), transfer(peak, 0.0, 0.0, am, jm)
    rest = target - integrate(integrate(p, v, a, go)[0], peak, 0.0, stop)[0]
    cruise = max(0.0, float(rest) / float(peak)) if peak != 0 and abs(rest) >= 1e-9 else 0.0
    return rest, [*go, (0.0, cruise), *stop]


def duration(plan: Segments) -> float:
    """Time of a plan."""
    return sum(t for _, t in plan)


def fastest(axis: Sequence[float]) -> tuple[float, Segments]:
    """Peak and plan of the fastest way."""
    p, v, a, target, vm, am, jm = axis
    if p == target and v == 0 and a == 0:
        return 0.0, []
    rest, plan = plan_for(vm, axis)
    if rest >= 0:
        return vm, plan
    rest, back = plan_for(-vm, axis)
    if rest <= 0:
        return -vm, back
    middle, width = v + a * abs(a) / (2 * jm), am * am / jm
    bounds = [max(-vm, min(vm, x)) for x in (-vm, middle - width, middle, middle + width, vm)]
    found = []
    for lo, hi in pairwise(bounds):
        if lo < hi and (plan_for(lo, axis)[0] >= 0) != (plan_for(hi, axis)[0] >= 0):
            peak = bisect(lo, hi, axis)
            found.append((peak, plan_for(peak, axis)[1]))
    return min(found, key=lambda one: duration(one[1])) if found else (-vm, back)


def bisect(lo: float, hi: float, axis: Sequence[float]) -> float:
    """Peak between two of which one leaves something and one passes the target."""
    sign = plan_for(lo, axis)[0] >= 0
    while hi - lo > 1e-10 * axis[4]:
        middle = (lo + hi) / 2
        if (plan_for(middle, axis)[0] >= 0) == sign:
            lo = middle
        else:
            hi = middle
    return (lo + hi) / 2


def stretched(peak: float, longest: float, axis: Sequence[float]) -> tuple[float, Segments] | None:
    """Largest share of the peak that lasts long enough, by forty bisections."""

    def usable(share: float) -> bool:
        rest, plan = plan_for(share * peak, axis)
        return rest * peak >= 0 and duration(plan) >= longest

    lo, hi = 1e-9, 1.0
    if not usable(lo):
        return None
    for _ in range(40):
        middle = (lo + hi) / 2
        if usable(middle):
            lo = middle
        else:
            hi = middle
    return lo * peak, plan_for(lo * peak, axis)[1]


def step(axes: list[Axis], dt: float = 1e-3) -> None:
    """Carry all axes along for dt, in place."""
    plans = [fastest(axis) for axis in axes]
    longest = max(duration(plan) for _, plan in plans)
    for k, (peak, plan) in enumerate(plans):
        if longest > dt and peak != 0 and duration(plan) < longest:
            plans[k] = stretched(peak, longest, axes[k]) or plans[k]
    for axis, (_, plan) in zip(axes, plans, strict=True):
        if duration(plan) <= dt:
            axis[:3] = [axis[3], 0.0, 0.0]
        else:
            p, v, a = integrate(axis[0], axis[1], axis[2], plan, dt)
            axis[:3] = [p, max(-axis[4], min(axis[4], v)), max(-axis[5], min(axis[5], a))]
