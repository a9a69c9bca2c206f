"""The robot's own inverse kinematics behind Cartesian commands."""

import math

from kinegraph.kinematics.dynamics_kernels import solve_cholesky
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import DT
from kinegraph.robot.sim.float_layout import (
    X_dq_d,
    X_frame,
    X_new_ddq,
    X_new_dq,
    X_new_elbow,
    X_new_pose,
    X_new_q,
    X_other_jacobian,
    X_other_pose,
    X_q_d,
    X_solver,
    X_vector,
)
from kinegraph.robot.sim.frame_kernels import rotation_between
from kinegraph.robot.sim.int_layout import N_elbow_given
from kinegraph.robot.sim.model_kernels import end_effector_pose_jacobian
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["solve_joints"]

JOINTS = 7
ELBOW_JOINT = 2
ROUNDS = 5
TOLERANCE = 1e-13
# Keeps the normal equations regular at singular poses; further rounds take its effect away.
DAMPING = 1e-8


@kernel
def pose_error(x: Array, n: IntArray) -> float:
    """Error of `new_q` against `new_pose` into `vector`: m and rad, base axes. Returns its norm.

    The Jacobian at the end effector is left in `other_jacobian`.
    """
    end_effector_pose_jacobian(x, n, X_new_q, X_other_pose, X_frame, X_other_jacobian)
    total = rotation_between(x, X_frame, x, X_new_pose, x, X_vector + 3) ** 2
    for r in range(3):
        x[X_vector + r] = x[X_new_pose + 12 + r] - x[X_frame + 12 + r]
        total += x[X_vector + r] ** 2
    return math.sqrt(total)


@kernel
def newton_step(x: Array, n: IntArray) -> None:
    """Least-squares step of `new_q` towards the pose, and of joint 3 to the elbow if one is given.

    Without an elbow the step has no part in the null space of the Jacobian.
    """
    a, jacobian, rhs = X_solver, X_other_jacobian, X_solver + JOINTS * JOINTS
    for i in range(JOINTS):
        total = 0.0
        for r in range(6):
            total += x[jacobian + JOINTS * r + i] * x[X_vector + r]
        x[rhs + i] = total
        for j in range(i + 1):
            total = DAMPING if i == j else 0.0
            for r in range(6):
                total += x[jacobian + JOINTS * r + i] * x[jacobian + JOINTS * r + j]
            x[a + JOINTS * i + j] = total
    if n[N_elbow_given] == 1:
        x[a + JOINTS * ELBOW_JOINT + ELBOW_JOINT] += 1.0
        x[rhs + ELBOW_JOINT] += x[X_new_elbow] - x[X_new_q + ELBOW_JOINT]
    solve_cholesky(JOINTS, a, rhs, x)
    for i in range(JOINTS):
        x[X_new_q + i] += x[rhs + i]


@kernel
def solve_joints(x: Array, n: IntArray) -> None:
    """Joint motion for the candidate pose, from the desired configuration on."""
    for i in range(JOINTS):
        x[X_new_q + i] = x[X_q_d + i]
    for _ in range(ROUNDS):
        error = pose_error(x, n)
        if n[N_elbow_given] == 1:
            error = max(error, abs(x[X_new_elbow] - x[X_new_q + ELBOW_JOINT]))
        if error < TOLERANCE:
            break
        newton_step(x, n)
    for i in range(JOINTS):
        x[X_new_dq + i] = (x[X_new_q + i] - x[X_q_d + i]) / DT
        x[X_new_ddq + i] = (x[X_new_dq + i] - x[X_dq_d + i]) / DT
