"""One millisecond of a simulated arm of any chain.

    (M(q) + A) ddq + c(q, dq) + g(q) = tau - friction + J^T w

Friction, stops and their slopes are taken at the end of the step (linearly implicit Euler, their
slopes added to the matrix), so that stiff ones stay stable at 1 ms; the positions follow with the
new velocities.
"""

import math

from kinegraph.kinematics.chain_kernels import chain_pose_jacobian
from kinegraph.kinematics.dynamics_kernels import forward_dynamics
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.torque_arm.plant_layout import (
    ARMATURE,
    COULOMB,
    DDQ,
    DQ,
    EFFECTIVE,
    LOWER,
    NET,
    TORQUE,
    UPPER,
    VISCOUS,
    WANTED,
    Q,
)
from kinegraph.scene.array_types import Array

__all__ = ["step_plant"]

# Rubber stops this far behind the position limits: 0.02 rad, 5e3 Nm/rad, 200 Nm s/rad.
STOP_MARGIN, STOP_STIFFNESS, STOP_DAMPING = 0.02, 5.0e3, 200.0
# Below this speed, rad/s, Coulomb friction is a damper.
STICK_SPEED = 1.0e-3


@kernel
def sum_torques(x: Array, n: int, wrench: Array, jacobian: Array) -> None:
    """Write what acts on each joint, and the inertia that it has besides the bodies'."""
    for i in range(n):
        limit, speed = x[TORQUE * n + i], abs(x[DQ * n + i])
        rub = x[VISCOUS * n + i]
        if x[COULOMB * n + i] > 0.0:
            slow = max(speed, 1e-9)
            rub += x[COULOMB * n + i] * math.tanh(slow / STICK_SPEED) / slow
        net = max(-limit, min(limit, x[WANTED * n + i])) - rub * x[DQ * n + i]
        for r in range(6):
            net += jacobian[r, i] * wrench[r]
        ahead = x[Q * n + i] + CYCLE_TIME * x[DQ * n + i]
        over = ahead - (x[UPPER * n + i] + STOP_MARGIN)
        under = ahead - (x[LOWER * n + i] - STOP_MARGIN)
        effective = x[ARMATURE * n + i] + CYCLE_TIME * rub
        if over > 0.0 or under < 0.0:
            net -= STOP_STIFFNESS * (over if over > 0.0 else under)
            net -= STOP_DAMPING * x[DQ * n + i]
            effective += CYCLE_TIME * (STOP_DAMPING + CYCLE_TIME * STOP_STIFFNESS)
        x[NET * n + i], x[EFFECTIVE * n + i] = net, effective


@kernel
def step_plant(
    chain: Array,
    bodies: Array,
    gravity: Array,
    wrench: Array,
    x: Array,
    pose: Array,
    jacobian: Array,
    load: Array,
    work: Array,
) -> int:
    """Move an arm on by 1 ms.

    Args:
        chain: `ChainPlan.data` of the link that is pushed.
        bodies: `DynamicsPlan.data`.
        gravity: (3,) gravity that acts on the joints, m/s^2; zeros where the drives hold it.
        wrench: (6,) force and moment on that link, base axes, N and Nm.
        x: (ROWS * n,) the arm's numbers, see `plant_layout`.
        pose: (4, 4) scratch.
        jacobian: (6, n) scratch.
        load: (13,) zeros.
        work: Scratch of `dynamics_workspace` numbers.

    Returns:
        0, or 1 + the joint at which the mass matrix is found singular; nothing has moved then.
    """
    n = int(bodies[0])
    q, dq = x[Q * n : Q * n + n], x[DQ * n : DQ * n + n]
    ddq = x[DDQ * n : DDQ * n + n]
    chain_pose_jacobian(chain, q, pose, jacobian)
    sum_torques(x, n, wrench, jacobian)
    net, effective = x[NET * n : NET * n + n], x[EFFECTIVE * n : EFFECTIVE * n + n]
    status: int = forward_dynamics(bodies, q, dq, net, gravity, effective, load, work, ddq)
    if status == 0:
        for i in range(n):
            dq[i] += CYCLE_TIME * ddq[i]
            q[i] += CYCLE_TIME * dq[i]
    return status
