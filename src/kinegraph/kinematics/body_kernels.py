"""The steps of rigid-body dynamics for one body, in the frames of the bodies.

`arm` is the data of a plan, `work` scratch memory, both laid out as `dynamics_layout` says. A body
is named by the index of its first number: `b` in `arm`, `w` (its own) and `up` (its parent's) in
`work`.
"""

from kinegraph.kinematics.dynamics_layout import (
    BODY,
    HEADER,
    INERTIA,
    N_BODIES,
    POSITION,
    ROTATION,
    SLOT,
    TIP_BODY,
    TIP_POSITION,
    TIP_ROTATION,
    TURNS,
    W_ACCELERATION,
    W_ALPHA,
    W_FORCE,
    W_INERTIA,
    W_MOMENT,
    W_OMEGA,
    W_POSITION,
    W_ROTATION,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.trig_kernels import sincos
from kinegraph.scene.array_types import Array

__all__ = [
    "accelerate_axis",
    "add_load",
    "add_to_parent",
    "load_body",
    "move_body",
    "pass_on",
    "place_body",
    "place_inertias",
]


@kernel
def place_body(arm: Array, b: int, value: float, work: Array, w: int) -> None:
    """Frame of the body at `arm[b]` in its parent's frame, for one joint value."""
    if arm[b + TURNS] != 0.0:
        s, c = sincos(value)
        for r in range(3):
            x, y = arm[b + ROTATION + 3 * r], arm[b + ROTATION + 3 * r + 1]
            work[w + W_ROTATION + 3 * r] = x * c + y * s
            work[w + W_ROTATION + 3 * r + 1] = y * c - x * s
            work[w + W_ROTATION + 3 * r + 2] = arm[b + ROTATION + 3 * r + 2]
            work[w + W_POSITION + r] = arm[b + POSITION + r]
    else:
        for r in range(3):
            z = arm[b + ROTATION + 3 * r + 2]
            work[w + W_ROTATION + 3 * r] = arm[b + ROTATION + 3 * r]
            work[w + W_ROTATION + 3 * r + 1] = arm[b + ROTATION + 3 * r + 1]
            work[w + W_ROTATION + 3 * r + 2] = z
            work[w + W_POSITION + r] = arm[b + POSITION + r] + z * value


@kernel
def place_inertias(arm: Array, load: Array, work: Array) -> None:
    """Mass, first moment and inertia of every body, the load in the one that carries it."""
    for k in range(int(arm[N_BODIES])):
        b, w = HEADER + BODY * k + INERTIA, SLOT * (k + 1) + W_INERTIA
        for i in range(10):
            work[w + i] = arm[b + i]
    tip = int(arm[TIP_BODY])
    if load[0] > 0.0 and tip >= 0:
        add_load(arm, load, work, SLOT * (tip + 1) + W_INERTIA)


@kernel
def add_load(arm: Array, load: Array, work: Array, w: int) -> None:
    """Add a load in the flange frame to the ten inertial numbers at `work[w]`."""
    m = load[0]
    t, p = TIP_ROTATION, TIP_POSITION
    x = arm[p] + arm[t] * load[1] + arm[t + 1] * load[2] + arm[t + 2] * load[3]
    y = arm[p + 1] + arm[t + 3] * load[1] + arm[t + 4] * load[2] + arm[t + 5] * load[3]
    z = arm[p + 2] + arm[t + 6] * load[1] + arm[t + 7] * load[2] + arm[t + 8] * load[3]
    work[w] += m
    work[w + 1] += m * x
    work[w + 2] += m * y
    work[w + 3] += m * z
    i = 4
    for r in range(3):
        for c in range(r, 3):
            total = 0.0  # element (r, c) of R I R^T
            for a in range(3):
                for d in range(3):
                    # The mean of both triangles: a load is symmetric but for rounding.
                    each = 0.5 * (load[4 + 3 * a + d] + load[4 + 3 * d + a])
                    total += arm[t + 3 * r + a] * each * arm[t + 3 * c + d]
            work[w + i] += total
            i += 1
    work[w + 4] += m * (y * y + z * z)
    work[w + 5] -= m * x * y
    work[w + 6] -= m * x * z
    work[w + 7] += m * (x * x + z * z)
    work[w + 8] -= m * y * z
    work[w + 9] += m * (x * x + y * y)


@kernel
def move_body(work: Array, up: int, w: int, turns: float, rate: float, change: float) -> None:
    """Velocity and acceleration of the body at `work[w]` out of those of its parent at `work[up]`.

    `rate` and `change` are velocity and acceleration of the joint.
    """
    e, p = w + W_ROTATION, w + W_POSITION
    px, py, pz = work[p], work[p + 1], work[p + 2]
    wx, wy, wz = work[up + W_OMEGA], work[up + W_OMEGA + 1], work[up + W_OMEGA + 2]
    ax, ay, az = work[up + W_ALPHA], work[up + W_ALPHA + 1], work[up + W_ALPHA + 2]
    ux, uy, uz = wy * pz - wz * py, wz * px - wx * pz, wx * py - wy * px
    lx = work[up + W_ACCELERATION] + ay * pz - az * py + wy * uz - wz * uy
    ly = work[up + W_ACCELERATION + 1] + az * px - ax * pz + wz * ux - wx * uz
    lz = work[up + W_ACCELERATION + 2] + ax * py - ay * px + wx * uy - wy * ux
    ox = work[e] * wx + work[e + 3] * wy + work[e + 6] * wz
    oy = work[e + 1] * wx + work[e + 4] * wy + work[e + 7] * wz
    oz = work[e + 2] * wx + work[e + 5] * wy + work[e + 8] * wz
    turn, slide = turns * rate, (1.0 - turns) * 2.0 * rate
    work[w + W_OMEGA] = ox
    work[w + W_OMEGA + 1] = oy
    work[w + W_OMEGA + 2] = oz + turn
    work[w + W_ALPHA] = work[e] * ax + work[e + 3] * ay + work[e + 6] * az + oy * turn
    work[w + W_ALPHA + 1] = work[e + 1] * ax + work[e + 4] * ay + work[e + 7] * az - ox * turn
    z = work[e + 2] * ax + work[e + 5] * ay + work[e + 8] * az
    work[w + W_ALPHA + 2] = z + turns * change
    x = work[e] * lx + work[e + 3] * ly + work[e + 6] * lz
    y = work[e + 1] * lx + work[e + 4] * ly + work[e + 7] * lz
    z = work[e + 2] * lx + work[e + 5] * ly + work[e + 8] * lz
    work[w + W_ACCELERATION] = x + oy * slide
    work[w + W_ACCELERATION + 1] = y - ox * slide
    work[w + W_ACCELERATION + 2] = z + (1.0 - turns) * change


@kernel
def load_body(work: Array, w: int) -> None:
    """Force and moment that move the body at `work[w]` as it moves."""
    i = w + W_INERTIA
    m, hx, hy, hz = work[i], work[i + 1], work[i + 2], work[i + 3]
    wx, wy, wz = work[w + W_OMEGA], work[w + W_OMEGA + 1], work[w + W_OMEGA + 2]
    ax, ay, az = work[w + W_ALPHA], work[w + W_ALPHA + 1], work[w + W_ALPHA + 2]
    a = w + W_ACCELERATION
    lx, ly, lz = work[a], work[a + 1], work[a + 2]
    ux, uy, uz = wy * hz - wz * hy, wz * hx - wx * hz, wx * hy - wy * hx
    work[w + W_FORCE] = m * lx + ay * hz - az * hy + wy * uz - wz * uy
    work[w + W_FORCE + 1] = m * ly + az * hx - ax * hz + wz * ux - wx * uz
    work[w + W_FORCE + 2] = m * lz + ax * hy - ay * hx + wx * uy - wy * ux
    xx, xy, xz = work[i + 4], work[i + 5], work[i + 6]
    yy, yz, zz = work[i + 7], work[i + 8], work[i + 9]
    kx = xx * wx + xy * wy + xz * wz
    ky = xy * wx + yy * wy + yz * wz
    kz = xz * wx + yz * wy + zz * wz
    n = w + W_MOMENT
    work[n] = xx * ax + xy * ay + xz * az + wy * kz - wz * ky + hy * lz - hz * ly
    work[n + 1] = xy * ax + yy * ay + yz * az + wz * kx - wx * kz + hz * lx - hx * lz
    work[n + 2] = xz * ax + yz * ay + zz * az + wx * ky - wy * kx + hx * ly - hy * lx


@kernel
def pass_on(work: Array, up: int, w: int) -> None:
    """Add the force and moment of the body at `work[w]` to those of its parent."""
    e, p, f, n = w + W_ROTATION, w + W_POSITION, w + W_FORCE, w + W_MOMENT
    fx = work[e] * work[f] + work[e + 1] * work[f + 1] + work[e + 2] * work[f + 2]
    fy = work[e + 3] * work[f] + work[e + 4] * work[f + 1] + work[e + 5] * work[f + 2]
    fz = work[e + 6] * work[f] + work[e + 7] * work[f + 1] + work[e + 8] * work[f + 2]
    nx = work[e] * work[n] + work[e + 1] * work[n + 1] + work[e + 2] * work[n + 2]
    ny = work[e + 3] * work[n] + work[e + 4] * work[n + 1] + work[e + 5] * work[n + 2]
    nz = work[e + 6] * work[n] + work[e + 7] * work[n + 1] + work[e + 8] * work[n + 2]
    px, py, pz = work[p], work[p + 1], work[p + 2]
    work[up + W_FORCE] += fx
    work[up + W_FORCE + 1] += fy
    work[up + W_FORCE + 2] += fz
    work[up + W_MOMENT] += nx + py * fz - pz * fy
    work[up + W_MOMENT + 1] += ny + pz * fx - px * fz
    work[up + W_MOMENT + 2] += nz + px * fy - py * fx


@kernel
def add_to_parent(work: Array, up: int, w: int) -> None:
    """Add the ten inertial numbers of the body at `work[w]` to those of its parent."""
    i, u, e, p = w + W_INERTIA, up + W_INERTIA, w + W_ROTATION, w + W_POSITION
    m = work[i]
    hx = work[e] * work[i + 1] + work[e + 1] * work[i + 2] + work[e + 2] * work[i + 3]
    hy = work[e + 3] * work[i + 1] + work[e + 4] * work[i + 2] + work[e + 5] * work[i + 3]
    hz = work[e + 6] * work[i + 1] + work[e + 7] * work[i + 2] + work[e + 8] * work[i + 3]
    xx, xy, xz = work[i + 4], work[i + 5], work[i + 6]
    yy, yz, zz = work[i + 7], work[i + 8], work[i + 9]
    o = 4
    for r in range(3):
        a, b, c = work[e + 3 * r], work[e + 3 * r + 1], work[e + 3 * r + 2]
        x = a * xx + b * xy + c * xz
        y = a * xy + b * yy + c * yz
        z = a * xz + b * yz + c * zz
        for s in range(r, 3):
            work[u + o] += x * work[e + 3 * s] + y * work[e + 3 * s + 1] + z * work[e + 3 * s + 2]
            o += 1
    px, py, pz = work[p], work[p + 1], work[p + 2]
    sx, sy, sz = hx + m * px, hy + m * py, hz + m * pz
    work[u] += m
    work[u + 1] += sx
    work[u + 2] += sy
    work[u + 3] += sz
    # The parallel axis theorem from one origin to the other, with h the moment about the old one.
    work[u + 4] += py * (hy + sy) + pz * (hz + sz)
    work[u + 5] -= px * sy + hx * py
    work[u + 6] -= px * sz + hx * pz
    work[u + 7] += px * (hx + sx) + pz * (hz + sz)
    work[u + 8] -= py * sz + hy * pz
    work[u + 9] += px * (hx + sx) + py * (hy + sy)


@kernel
def accelerate_axis(work: Array, w: int, turns: float) -> None:
    """Force and moment of a unit acceleration of the joint of the body at `work[w]`."""
    i, f, n = w + W_INERTIA, w + W_FORCE, w + W_MOMENT
    if turns != 0.0:
        work[f], work[f + 1], work[f + 2] = -work[i + 2], work[i + 1], 0.0
        work[n], work[n + 1], work[n + 2] = work[i + 6], work[i + 8], work[i + 9]
    else:
        work[f], work[f + 1], work[f + 2] = 0.0, 0.0, work[i]
        work[n], work[n + 1], work[n + 2] = work[i + 2], -work[i + 1], 0.0
