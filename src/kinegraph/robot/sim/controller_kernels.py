"""The robot's own controllers: joint impedance and Cartesian impedance.

Both feed the inverse dynamics of the desired motion forward. Joint impedance adds a critically
damped spring at each joint. Cartesian impedance adds springs and dampers between the frame K and
where it should be, in the axes of K, and holds the null space of K's Jacobian with weaker springs
at the joints:

    tau = J^T (K_x e + D_x de) + (1 - J^T (J J^T)^-1 J) (k_0 (q_d - q) + d_0 (dq_d - dq))

so that a force f at rest moves K by f / K_x. Errors are those at the end of the step if the arm
accelerates as desired. Springs and dampers hand their slopes at each joint to the plant, which
takes their share of another acceleration, too.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import CARTESIAN_IMPEDANCE, CARTESIAN_VELOCITY, DT
from kinegraph.robot.sim.float_layout import (
    X_EE_T_K,
    X_armature,
    X_cartesian_stiffness,
    X_damper,
    X_damping,
    X_ddq_d,
    X_dq,
    X_dq_d,
    X_drive,
    X_ee,
    X_feed,
    X_filters,
    X_force,
    X_frame,
    X_jacobian,
    X_K_pose,
    X_mass,
    X_no_gravity,
    X_null,
    X_other_frame,
    X_other_jacobian,
    X_other_pose,
    X_q,
    X_q_d,
    X_spring,
    X_stiffness,
    X_torque,
    X_track_ddq,
    X_track_dq,
    X_track_q,
    X_vector,
    X_wanted,
)
from kinegraph.robot.sim.frame_kernels import (
    copy_numbers,
    move_jacobian,
    multiply_frames,
    rotation_between,
)
from kinegraph.robot.sim.int_layout import (
    N_controller,
    N_generator,
    N_moving,
)
from kinegraph.robot.sim.model_kernels import end_effector_pose, known_masses, known_torques
from kinegraph.robot.sim.wrench_kernels import X_explained, explain_torques
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["filter_gain", "hold_desired", "own_controller", "track_desired"]

JOINTS = 7
CONTROLLER_FILTER = 4  # the last of the five cutoffs
NO_FILTER = 1000.0  # Hz
NULL_STIFFNESS = 100.0  # Nm/rad
# Keeps the projection into the null space finite at singular poses.


@kernel
def filter_gain(x: Array, number: int) -> float:
    """Gain of one of the five low-pass filters (fci-protocol 12.4); 1 for none."""
    cutoff: float = x[X_filters + number]
    return DT / (DT + 1.0 / (2.0 * math.pi * cutoff)) if cutoff < NO_FILTER else 1.0


@kernel
def hold_desired(x: Array, n: IntArray) -> None:
    """What the controllers follow is where the arm is: torques from outside, guiding."""
    for i in range(JOINTS):
        x[X_track_q + i], x[X_track_dq + i], x[X_track_ddq + i] = x[X_q + i], x[X_dq + i], 0.0


@kernel
def track_desired(x: Array, n: IntArray) -> None:
    """What the controllers follow: the desired motion behind the filter of its generator."""
    gain = filter_gain(x, min(n[N_generator], CARTESIAN_VELOCITY))
    if gain == 1.0:
        copy_numbers(x, X_q_d, x, X_track_q, JOINTS)
        copy_numbers(x, X_dq_d, x, X_track_dq, JOINTS)
        copy_numbers(x, X_ddq_d, x, X_track_ddq, JOINTS)
        return
    for i in range(JOINTS):
        speed = gain * (x[X_q_d + i] - x[X_track_q + i]) / DT
        x[X_track_q + i] += DT * speed
        x[X_track_ddq + i] = (speed - x[X_track_dq + i]) / DT
        x[X_track_dq + i] = speed


@kernel
def jacobian_at_K(x: Array, n: IntArray) -> None:
    """Jacobian at the measured frame K (`K_pose`) in its axes, into `other_jacobian`."""
    jacobian, ee = X_other_jacobian, X_ee
    multiply_frames(x, ee, x, X_EE_T_K, x, X_K_pose)
    copy_numbers(x, X_jacobian, x, jacobian, 6 * JOINTS)
    move_jacobian(
        x,
        jacobian,
        x[X_K_pose + 12] - x[ee + 12],
        x[X_K_pose + 13] - x[ee + 13],
        x[X_K_pose + 14] - x[ee + 14],
    )
    for j in range(JOINTS):
        for half in range(2):
            at = jacobian + 3 * JOINTS * half + j
            u, v, w = x[at], x[at + JOINTS], x[at + 2 * JOINTS]
            for c in range(3):
                k = X_K_pose + 4 * c
                x[at + JOINTS * c] = x[k] * u + x[k + 1] * v + x[k + 2] * w


@kernel
def damp(x: Array, n: IntArray) -> None:
    """Dampers in the axes of K, critical for the mass that the joints put behind each, `damping`.

    The mass is that of joints without coupling, 1 / sum(J_ri^2 / M_ii).
    """
    for r in range(6):
        ease = 1e-9
        for i in range(JOINTS):
            j = x[X_other_jacobian + JOINTS * r + i]
            ease += j * j / (x[X_mass + 8 * i] + x[X_armature + i])
        x[X_damping + r] = 2.0 * math.sqrt(x[X_cartesian_stiffness + r] / ease)


@kernel
def stretch(x: Array, n: IntArray) -> None:
    """Forces of the Cartesian springs and dampers in the axes of K, into `force`."""
    end_effector_pose(x, n, X_track_q, X_other_pose, X_frame)
    multiply_frames(x, X_frame, x, X_EE_T_K, x, X_other_frame)
    rotation_between(x, X_K_pose, x, X_other_frame, x, X_vector + 3)
    for r in range(3):
        x[X_vector + r] = x[X_other_frame + 12 + r] - x[X_K_pose + 12 + r]
    for row in range(6):
        k, half, lag, change = X_K_pose + 4 * (row % 3), 3 * (row // 3), 0.0, 0.0
        for r in range(3):
            lag += x[k + r] * x[X_vector + half + r]
        for i in range(JOINTS):
            j = x[X_other_jacobian + JOINTS * row + i]
            speed = x[X_dq + i] + DT * x[X_track_ddq + i]
            lag -= DT * j * speed
            change += j * (x[X_track_dq + i] - speed)
        x[X_force + row] = x[X_cartesian_stiffness + row] * lag + x[X_damping + row] * change


@kernel
def project(x: Array, n: IntArray) -> None:
    """Take out of `null` what moves K."""
    explain_torques(x, X_null)
    for i in range(JOINTS):
        for r in range(6):
            x[X_null + i] -= x[X_other_jacobian + JOINTS * r + i] * x[X_explained + r]


@kernel
def pull_at_K(x: Array, n: IntArray) -> None:
    """Cartesian impedance: torques into `null`, slopes into `spring` and `damper`."""
    jacobian_at_K(x, n)
    damp(x, n)
    stretch(x, n)
    pull_at_joints(x, n, NULL_STIFFNESS)
    project(x, n)
    for i in range(JOINTS):
        for r in range(6):
            j = x[X_other_jacobian + JOINTS * r + i]
            x[X_null + i] += j * x[X_force + r]
            x[X_spring + i] += x[X_cartesian_stiffness + r] * j * j
            x[X_damper + i] += x[X_damping + r] * j * j


@kernel
def pull_at_joints(x: Array, n: IntArray, stiffness: float) -> None:
    """Critically damped springs at the joints: torques into `null`, slopes beside them.

    `stiffness` is that of each, or negative for the stiffness that was set.
    """
    for i in range(JOINTS):
        k = stiffness if stiffness >= 0.0 else x[X_stiffness + i]
        d = 2.0 * math.sqrt(k * (x[X_mass + 8 * i] + x[X_armature + i]))
        speed = x[X_dq + i] + DT * x[X_track_ddq + i]
        lag = x[X_track_q + i] - x[X_q + i] - DT * speed
        x[X_null + i] = k * lag + d * (x[X_track_dq + i] - speed)
        x[X_spring + i], x[X_damper + i] = k, d


@kernel
def own_controller(x: Array, n: IntArray) -> None:
    """Torques of the controller into `drive`, slopes of its springs and dampers beside them."""
    track_desired(x, n)
    known_torques(x, n, X_track_ddq, X_no_gravity, X_feed)
    known_masses(x, n)
    if n[N_moving] == 1 and n[N_controller] == CARTESIAN_IMPEDANCE:
        pull_at_K(x, n)
    else:
        pull_at_joints(x, n, -1.0)
    gain = filter_gain(x, CONTROLLER_FILTER)
    for i in range(JOINTS):
        limit = x[X_torque + i]
        inertia = x[X_armature + i] + DT * x[X_damper + i] + DT * DT * x[X_spring + i]
        wanted = x[X_feed + i] + x[X_null + i] + inertia * x[X_track_ddq + i]
        x[X_wanted + i] += gain * (wanted - x[X_wanted + i])
        x[X_drive + i] = max(-limit, min(limit, x[X_wanted + i]))
        # A drive at its limit is no spring.
        slope = gain if x[X_drive + i] == x[X_wanted + i] else 0.0
        x[X_spring + i] *= slope
        x[X_damper + i] *= slope
