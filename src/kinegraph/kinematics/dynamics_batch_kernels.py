"""The dynamics kernels over rows of configurations, and the Jacobian's rate of change.

`q` is the flat memory of (rows, n) numbers; so are the other inputs and the results.
"""

from kinegraph.kinematics.body_kernels import place_body
from kinegraph.kinematics.dynamics_kernels import accelerate, composite_bodies, newton_euler
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
    TIP_BODY,
    TIP_POSITION,
    TURNS,
    W_POSITION,
    W_ROTATION,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.scene.array_types import Array

__all__ = ["accelerations", "jacobian_rates", "mass_matrices", "torques"]

# In a slot of the scratch memory, behind the frame in the parent's frame: the same in the base
# frame, with the body's velocity.
W_BASE_ROTATION = 12
W_BASE_POSITION = 21
W_BASE_OMEGA = 24
W_BASE_VELOCITY = 27


@kernel
def torques(
    arm: Array,
    q: Array,
    dq: Array,
    ddq: Array,
    rows: int,
    moving: float,
    accelerating: float,
    gravity: Array,
    load: Array,
    work: Array,
    tau: Array,
) -> None:
    """`newton_euler` of every row."""
    gx, gy, gz = gravity[0], gravity[1], gravity[2]
    for row in range(rows):
        at = row * int(arm[N_COLUMNS])
        newton_euler(arm, q, dq, ddq, at, moving, accelerating, gx, gy, gz, load, work, tau)


@kernel
def mass_matrices(arm: Array, q: Array, rows: int, load: Array, work: Array, out: Array) -> None:
    """Mass matrices of every row, (rows, n, n) numbers."""
    n = int(arm[N_COLUMNS])
    for row in range(rows):
        composite_bodies(arm, q, row * n, load, work, out, row * n * n)


@kernel
def accelerations(
    arm: Array,
    q: Array,
    dq: Array,
    tau: Array,
    rows: int,
    gravity: Array,
    armature: Array,
    load: Array,
    work: Array,
    ddq: Array,
) -> int:
    """`accelerate` every row; returns 0, or 1 + the first row whose matrix is singular."""
    for row in range(rows):
        at = row * int(arm[N_COLUMNS])
        if accelerate(arm, q, dq, tau, at, gravity, armature, load, work, ddq) != 0:
            return row + 1
    return 0


@kernel
def follow_body(work: Array, up: int, w: int, turns: float, rate: float) -> None:
    """Frame and velocity in the base frame of the body at `work[w]`, out of its parent's."""
    e, p, u = w + W_ROTATION, w + W_POSITION, up + W_BASE_ROTATION
    for r in range(3):
        x, y, z = work[u + 3 * r], work[u + 3 * r + 1], work[u + 3 * r + 2]
        for c in range(3):
            work[w + W_BASE_ROTATION + 3 * r + c] = (
                x * work[e + c] + y * work[e + 3 + c] + z * work[e + 6 + c]
            )
        work[w + W_BASE_POSITION + r] = x * work[p] + y * work[p + 1] + z * work[p + 2]
    dx, dy, dz = (
        work[w + W_BASE_POSITION],
        work[w + W_BASE_POSITION + 1],
        work[w + W_BASE_POSITION + 2],
    )
    wx, wy, wz = work[up + W_BASE_OMEGA], work[up + W_BASE_OMEGA + 1], work[up + W_BASE_OMEGA + 2]
    v = up + W_BASE_VELOCITY
    work[w + W_BASE_VELOCITY] = work[v] + wy * dz - wz * dy
    work[w + W_BASE_VELOCITY + 1] = work[v + 1] + wz * dx - wx * dz
    work[w + W_BASE_VELOCITY + 2] = work[v + 2] + wx * dy - wy * dx
    for r in range(3):
        axis = work[w + W_BASE_ROTATION + 3 * r + 2]
        work[w + W_BASE_POSITION + r] += work[up + W_BASE_POSITION + r]
        work[w + W_BASE_OMEGA + r] = work[up + W_BASE_OMEGA + r] + turns * rate * axis
        work[w + W_BASE_VELOCITY + r] += (1.0 - turns) * rate * axis


@kernel
def follow_bodies(arm: Array, q: Array, dq: Array, at: int, work: Array) -> None:
    """Frames and velocities of all bodies in the base frame."""
    for i in range(SLOT):
        work[i] = 0.0
    for r in range(3):
        work[W_BASE_ROTATION + 4 * r] = 1.0
    for k in range(int(arm[N_BODIES])):
        b, w = HEADER + BODY * k, SLOT * (k + 1)
        column, ratio = int(arm[b + COLUMN]), arm[b + RATIO]
        place_body(arm, b, ratio * q[at + column] + arm[b + SHIFT], work, w)
        up = SLOT * (int(arm[b + PARENT]) + 1)
        follow_body(work, up, w, arm[b + TURNS], ratio * dq[at + column])


@kernel
def add_column(
    work: Array,
    w: int,
    turns: float,
    ratio: float,
    arm_x: float,
    arm_y: float,
    arm_z: float,
    rate_x: float,
    rate_y: float,
    rate_z: float,
    n: int,
    jacobian: Array,
    derivative: Array,
    o: int,
) -> None:
    """Add a joint's column, and its rate, at index `o`.

    (arm_x, ...) goes from the joint to the tip, (rate_x, ...) is how fast that changes.
    """
    z = w + W_BASE_ROTATION
    zx, zy, zz = work[z + 2], work[z + 5], work[z + 8]
    wx, wy, wz = work[w + W_BASE_OMEGA], work[w + W_BASE_OMEGA + 1], work[w + W_BASE_OMEGA + 2]
    ex, ey, ez = wy * zz - wz * zy, wz * zx - wx * zz, wx * zy - wy * zx
    if turns == 0.0:
        jacobian[o] += ratio * zx
        jacobian[o + n] += ratio * zy
        jacobian[o + 2 * n] += ratio * zz
        derivative[o] += ratio * ex
        derivative[o + n] += ratio * ey
        derivative[o + 2 * n] += ratio * ez
        return
    jacobian[o] += ratio * (zy * arm_z - zz * arm_y)
    jacobian[o + n] += ratio * (zz * arm_x - zx * arm_z)
    jacobian[o + 2 * n] += ratio * (zx * arm_y - zy * arm_x)
    jacobian[o + 3 * n] += ratio * zx
    jacobian[o + 4 * n] += ratio * zy
    jacobian[o + 5 * n] += ratio * zz
    derivative[o] += ratio * (ey * arm_z - ez * arm_y + zy * rate_z - zz * rate_y)
    derivative[o + n] += ratio * (ez * arm_x - ex * arm_z + zz * rate_x - zx * rate_z)
    derivative[o + 2 * n] += ratio * (ex * arm_y - ey * arm_x + zx * rate_y - zy * rate_x)
    derivative[o + 3 * n] += ratio * ex
    derivative[o + 4 * n] += ratio * ey
    derivative[o + 5 * n] += ratio * ez


@kernel
def jacobian_rate(
    arm: Array,
    q: Array,
    dq: Array,
    at: int,
    work: Array,
    jacobian: Array,
    derivative: Array,
    o: int,
) -> None:
    """Jacobian of the flange link and its rate, (6, n) numbers each from index `o` on."""
    n, tip = int(arm[N_COLUMNS]), int(arm[TIP_BODY])
    for i in range(6 * n):
        jacobian[o + i] = 0.0
        derivative[o + i] = 0.0
    if tip < 0:
        return
    follow_bodies(arm, q, dq, at, work)
    t, e = SLOT * (tip + 1), SLOT * (tip + 1) + W_BASE_ROTATION
    x, y, z = arm[TIP_POSITION], arm[TIP_POSITION + 1], arm[TIP_POSITION + 2]
    dx = work[e] * x + work[e + 1] * y + work[e + 2] * z
    dy = work[e + 3] * x + work[e + 4] * y + work[e + 5] * z
    dz = work[e + 6] * x + work[e + 7] * y + work[e + 8] * z
    wx, wy, wz = work[t + W_BASE_OMEGA], work[t + W_BASE_OMEGA + 1], work[t + W_BASE_OMEGA + 2]
    v, p = t + W_BASE_VELOCITY, t + W_BASE_POSITION
    vx, vy, vz = (
        work[v] + wy * dz - wz * dy,
        work[v + 1] + wz * dx - wx * dz,
        work[v + 2] + wx * dy - wy * dx,
    )
    px, py, pz = work[p] + dx, work[p + 1] + dy, work[p + 2] + dz
    k = tip
    while k >= 0:
        b, w = HEADER + BODY * k, SLOT * (k + 1)
        p, v = w + W_BASE_POSITION, w + W_BASE_VELOCITY
        add_column(
            work,
            w,
            arm[b + TURNS],
            arm[b + RATIO],
            px - work[p],
            py - work[p + 1],
            pz - work[p + 2],
            vx - work[v],
            vy - work[v + 1],
            vz - work[v + 2],
            n,
            jacobian,
            derivative,
            o + int(arm[b + COLUMN]),
        )
        k = int(arm[b + PARENT])


@kernel
def jacobian_rates(
    arm: Array, q: Array, dq: Array, rows: int, work: Array, jacobian: Array, derivative: Array
) -> None:
    """Jacobians and their rates of every row, (rows, 6, n) numbers."""
    n = int(arm[N_COLUMNS])
    for row in range(rows):
        jacobian_rate(arm, q, dq, row * n, work, jacobian, derivative, row * 6 * n)
