"""The wrench that explains joint torques."""

from kinegraph.kinematics.dynamics_kernels import solve_cholesky
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.float_layout import (
    X_other_jacobian,
    X_solver,
)
from kinegraph.scene.array_types import Array

__all__ = ["X_explained", "explain_torques", "square_jacobian"]

JOINTS = 7
DAMPING = 1e-6
X_explained = X_solver + 36


@kernel
def square_jacobian(x: Array, jacobian: int, damping: float) -> None:
    """Lower half of J J^T, with `damping` added on its diagonal, into `solver`."""
    for r in range(6):
        for s in range(r + 1):
            total = damping if r == s else 0.0
            for i in range(JOINTS):
                total += x[jacobian + JOINTS * r + i] * x[jacobian + JOINTS * s + i]
            x[X_solver + 6 * r + s] = total


@kernel
def explain_torques(x: Array, torques: int) -> None:
    """Least-squares wrench F for joint torques: (J J^T + d) F = J tau, into `X_explained`.

    J is the Jacobian in `other_jacobian`; F is about its reference point, in its axes. The damping
    d keeps F finite at singular poses.
    """
    for r in range(6):
        total = 0.0
        for i in range(JOINTS):
            total += x[X_other_jacobian + JOINTS * r + i] * x[torques + i]
        x[X_explained + r] = total
    square_jacobian(x, X_other_jacobian, DAMPING)
    solve_cholesky(6, X_solver, X_explained, x)
