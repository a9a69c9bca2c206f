"""Rigid-body dynamics of a plan: recursive Newton-Euler and composite rigid bodies.

After Featherstone, Rigid Body Dynamics Algorithms (2008): section 5.3 (inverse dynamics), section
6.2 (mass matrix); written in the frames of the bodies with plain vectors. The layout of `arm` and
`work` is in `dynamics_layout`; `work` is overwritten, so two threads need one each.
"""

import math

from kinegraph.kinematics.body_kernels import (
    accelerate_axis,
    add_to_parent,
    load_body,
    move_body,
    pass_on,
    place_body,
    place_inertias,
)
from kinegraph.kinematics.dynamics_layout import (
    BODY,
    COLUMN,
    HEADER,
    N_BODIES,
    N_COLUMNS,
    PARENT,
    RATIO,
    SHIFT,
    SLOT,
    TURNS,
    W_ACCELERATION,
    W_FORCE,
    W_INERTIA,
    W_MOMENT,
    W_OMEGA,
    dynamics_workspace,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = [
    "accelerate",
    "composite_bodies",
    "coriolis_torque",
    "dynamics_workspace",
    "forward_dynamics",
    "gravity_torque",
    "inverse_dynamics",
    "mass_matrix",
    "newton_euler",
    "solve_cholesky",
]


@kernel
def newton_euler(
    arm: Array,
    q: Array,
    dq: Array,
    ddq: Array,
    at: int,
    moving: float,
    accelerating: float,
    gx: float,
    gy: float,
    gz: float,
    load: Array,
    work: Array,
    tau: Array,
) -> None:
    """Joint torques of a motion under the gravity (gx, gy, gz).

    Row `at` of q, dq, ddq and tau starts at that index; dq counts `moving` times, ddq
    `accelerating` times, so that no array of zeros is needed.
    """
    columns, bodies = int(arm[N_COLUMNS]), int(arm[N_BODIES])
    place_inertias(arm, load, work)
    for i in range(W_OMEGA, W_INERTIA):
        work[i] = 0.0
    # A base that accelerates upwards weighs the same as gravity that pulls down.
    work[W_ACCELERATION] = -gx
    work[W_ACCELERATION + 1] = -gy
    work[W_ACCELERATION + 2] = -gz
    for k in range(bodies):
        b, w = HEADER + BODY * k, SLOT * (k + 1)
        up, column, ratio = SLOT * (int(arm[b + PARENT]) + 1), int(arm[b + COLUMN]), arm[b + RATIO]
        place_body(arm, b, ratio * q[at + column] + arm[b + SHIFT], work, w)
        rate, change = moving * ratio * dq[at + column], accelerating * ratio * ddq[at + column]
        move_body(work, up, w, arm[b + TURNS], rate, change)
        load_body(work, w)
    for i in range(columns):
        tau[at + i] = 0.0
    for k in range(bodies - 1, -1, -1):
        b, w = HEADER + BODY * k, SLOT * (k + 1)
        axis = w + (W_MOMENT if arm[b + TURNS] != 0.0 else W_FORCE) + 2
        tau[at + int(arm[b + COLUMN])] += arm[b + RATIO] * work[axis]
        pass_on(work, SLOT * (int(arm[b + PARENT]) + 1), w)


@kernel
def inverse_dynamics(
    arm: Array,
    q: Array,
    dq: Array,
    ddq: Array,
    gravity: Array,
    load: Array,
    work: Array,
    tau: Array,
) -> None:
    """Torques tau = M(q) ddq + c(q, dq) + g(q).

    Args:
        arm: Data of a `DynamicsPlan`.
        q: (n,) joint values, rad or m.
        dq: (n,) velocities.
        ddq: (n,) accelerations.
        gravity: (3,) acceleration of gravity in the base frame, m/s^2.
        load: (13,) mass, centre in the flange frame, inertia about it; mass 0 is no load.
        work: Scratch of `dynamics_workspace` numbers.
        tau: (n,) receives the torques, Nm or N.
    """
    newton_euler(arm, q, dq, ddq, 0, 1.0, 1.0, gravity[0], gravity[1], gravity[2], load, work, tau)


@kernel
def coriolis_torque(arm: Array, q: Array, dq: Array, load: Array, work: Array, tau: Array) -> None:
    """Torques c(q, dq) of the velocities alone: C(q, dq) dq. Arguments as `inverse_dynamics`."""
    newton_euler(arm, q, dq, dq, 0, 1.0, 0.0, 0.0, 0.0, 0.0, load, work, tau)


@kernel
def gravity_torque(
    arm: Array, q: Array, gravity: Array, load: Array, work: Array, tau: Array
) -> None:
    """Torques g(q) that hold the arm at rest. Arguments as `inverse_dynamics`."""
    newton_euler(arm, q, q, q, 0, 0.0, 0.0, gravity[0], gravity[1], gravity[2], load, work, tau)


@kernel
def composite_bodies(
    arm: Array, q: Array, at: int, load: Array, work: Array, out: Array, into: int
) -> None:
    """Mass matrix, n by n numbers from `out[into]` on; `out` may be `work` behind its slots."""
    columns, bodies = int(arm[N_COLUMNS]), int(arm[N_BODIES])
    place_inertias(arm, load, work)
    for k in range(bodies):
        b = HEADER + BODY * k
        value = arm[b + RATIO] * q[at + int(arm[b + COLUMN])] + arm[b + SHIFT]
        place_body(arm, b, value, work, SLOT * (k + 1))
    for i in range(columns * columns):
        out[into + i] = 0.0
    for k in range(bodies - 1, -1, -1):
        b, w = HEADER + BODY * k, SLOT * (k + 1)
        column, ratio, turns = int(arm[b + COLUMN]), arm[b + RATIO], arm[b + TURNS]
        accelerate_axis(work, w, turns)
        axis = w + (W_MOMENT if turns != 0.0 else W_FORCE) + 2
        out[into + columns * column + column] += ratio * ratio * work[axis]
        parent = int(arm[b + PARENT])
        if parent >= 0:
            add_to_parent(work, SLOT * (parent + 1), w)
        while parent >= 0:
            # The force walks towards the base and is seen by each joint on its way.
            b, up = HEADER + BODY * parent, SLOT * (parent + 1)
            for i in range(6):
                work[up + W_FORCE + i] = 0.0
            pass_on(work, up, w)
            axis = up + (W_MOMENT if arm[b + TURNS] != 0.0 else W_FORCE) + 2
            other, each = int(arm[b + COLUMN]), ratio * arm[b + RATIO] * work[axis]
            out[into + columns * column + other] += each
            out[into + columns * other + column] += each
            parent, w = int(arm[b + PARENT]), up


@kernel
def mass_matrix(arm: Array, q: Array, load: Array, work: Array, out_nn: Array) -> None:
    """Joint-space inertia M(q), symmetric.

    Args:
        arm: Data of a `DynamicsPlan`.
        q: (n,) joint values, rad or m.
        load: (13,) mass, centre in the flange frame, inertia about it; mass 0 is no load.
        work: Scratch of `dynamics_workspace` numbers.
        out_nn: (n, n) receives the matrix, kg m^2, kg m or kg.
    """
    n, start = int(arm[N_COLUMNS]), SLOT * (int(arm[N_BODIES]) + 1)
    composite_bodies(arm, q, 0, load, work, work, start)
    for r in range(n):
        for c in range(n):
            out_nn[r, c] = work[start + n * r + c]


@kernel
def solve_cholesky(n: int, a: int, x: int, work: Array) -> int:
    """Solve A x = b in place: A is n by n at `work[a]` (lower triangle), b and then x at `work[x]`.

    Returns 0, or 1 + the row of the first pivot that is not positive.
    """
    for j in range(n):
        pivot = work[a + n * j + j]
        for k in range(j):
            pivot -= work[a + n * j + k] * work[a + n * j + k]
        if not pivot > 0.0:
            return j + 1
        root = math.sqrt(pivot)
        work[a + n * j + j] = root
        for i in range(j + 1, n):
            total = work[a + n * i + j]
            for k in range(j):
                total -= work[a + n * i + k] * work[a + n * j + k]
            work[a + n * i + j] = total / root
        total = work[x + j]
        for k in range(j):
            total -= work[a + n * j + k] * work[x + k]
        work[x + j] = total / root
    for j in range(n - 1, -1, -1):
        total = work[x + j]
        for k in range(j + 1, n):
            total -= work[a + n * k + j] * work[x + k]
        work[x + j] = total / work[a + n * j + j]
    return 0


@kernel
def accelerate(
    arm: Array,
    q: Array,
    dq: Array,
    tau: Array,
    at: int,
    gravity: Array,
    armature: Array,
    load: Array,
    work: Array,
    ddq: Array,
) -> int:
    """`forward_dynamics` of the row that starts at index `at`."""
    n, matrix = int(arm[N_COLUMNS]), SLOT * (int(arm[N_BODIES]) + 1)
    x = matrix + n * n
    newton_euler(arm, q, dq, dq, at, 1.0, 0.0, gravity[0], gravity[1], gravity[2], load, work, ddq)
    for i in range(n):
        work[x + i] = tau[at + i] - ddq[at + i]
    composite_bodies(arm, q, at, load, work, work, matrix)
    for i in range(n):
        work[matrix + n * i + i] += armature[i]
    status = solve_cholesky(n, matrix, x, work)
    for i in range(n):
        ddq[at + i] = work[x + i] if status == 0 else math.nan
    return status


@kernel
def forward_dynamics(
    arm: Array,
    q: Array,
    dq: Array,
    tau: Array,
    gravity: Array,
    armature: Array,
    load: Array,
    work: Array,
    ddq: Array,
) -> int:
    """Accelerations (M + diag(armature))^-1 (tau - c - g), by Cholesky.

    Args:
        arm: Data of a `DynamicsPlan`.
        q: (n,) joint values, rad or m.
        dq: (n,) velocities.
        tau: (n,) torques, Nm or N.
        gravity: (3,) acceleration of gravity in the base frame, m/s^2.
        armature: (n,) inertia of the drives as the joints feel it, kg m^2 or kg.
        load: (13,) mass, centre in the flange frame, inertia about it; mass 0 is no load.
        work: Scratch of `dynamics_workspace` numbers.
        ddq: (n,) receives the accelerations; must not be one of the inputs.

    Returns:
        0, or 1 + the column at which the matrix is found singular (ddq is then NaN).
    """
    return accelerate(arm, q, dq, tau, 0, gravity, armature, load, work, ddq)
