"""What the robot makes of its measurements: external wrench, contacts, and when it stops itself."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.body_kernels import touches_itself
from kinegraph.robot.sim.check_kernels import speed_bound
from kinegraph.robot.sim.ending_kernels import trip
from kinegraph.robot.sim.float_layout import (
    X_EE_T_K,
    X_dq,
    X_dq_d,
    X_ee,
    X_frame,
    X_jacobian,
    X_K_pose,
    X_lower,
    X_other_jacobian,
    X_other_pose,
    X_pose,
    X_power,
    X_q,
    X_q_d,
    X_state,
    X_tau_ext,
    X_tau_J,
    X_thresholds,
    X_upper,
    X_wrench,
    X_wrench_K,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers, move_jacobian, multiply_frames
from kinegraph.robot.sim.int_layout import (
    N_cartesian_collision,
    N_enforce,
    N_joint_collision,
    N_moving,
)
from kinegraph.robot.sim.model_kernels import end_effector_pose, end_effector_pose_jacobian
from kinegraph.robot.sim.wall_kernels import enters_a_wall
from kinegraph.robot.sim.wrench_kernels import X_explained, explain_torques
from kinegraph.robot.wire.state_layout import (
    S_O_T_EE,
    S_cartesian_collision,
    S_cartesian_contact,
    S_joint_collision,
    S_joint_contact,
    S_O_T_EE_d,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["forget_collisions", "is_outside", "locate", "sense", "watch"]

JOINTS = 7
RANGE_BIT, WALL_BIT, SELF_COLLISION_BIT, SPEED_BIT, TIP_SPEED_BIT = 0, 1, 2, 3, 4
JOINT_REFLEX_BIT, CARTESIAN_REFLEX_BIT, POWER_BIT = 6, 7, 26
# Speed of the end effector that stops a robot of either version, m/s (fci-protocol, section 16).
TIP_SPEED = 3.0
# What a measurement may exceed a limit by before the robot stops: rad, rad/s.
RANGE_SLACK, SPEED_SLACK = 0.005, 0.01
# Keeps the wrench finite at singular poses.
# Desired joint speed above which the thresholds for acceleration phases hold, rad/s.
PHASE_SPEED = 0.05
# Thresholds in the order of the request: torques 4 times 7, forces 4 times 6.
FORCES = 28


@kernel
def locate(x: Array, n: IntArray) -> None:
    """Poses of the end effector, measured and desired, and the Jacobian at the measured one."""
    end_effector_pose(x, n, X_q_d, X_other_pose, X_state + S_O_T_EE_d)
    end_effector_pose_jacobian(x, n, X_q, X_pose, X_state + S_O_T_EE, X_jacobian)
    copy_numbers(x, X_state + S_O_T_EE, x, X_ee, 16)


@kernel
def estimate_wrench(x: Array, n: IntArray) -> None:
    """Wrench that explains the external torques best: about the base's origin, and in frame K.

    With J_0 the Jacobian about the base's origin, (J_0 J_0^T + d) F = J_0 tau_ext. In the axes and
    about the origin of K the force is R^T f and the torque R^T (t - p x f).
    """
    jacobian, p = X_other_jacobian, X_state + S_O_T_EE + 12
    copy_numbers(x, X_jacobian, x, jacobian, 6 * JOINTS)
    move_jacobian(x, jacobian, -x[p], -x[p + 1], -x[p + 2])
    explain_torques(x, X_tau_ext)
    copy_numbers(x, X_explained, x, X_wrench, 6)
    multiply_frames(x, X_state + S_O_T_EE, x, X_EE_T_K, x, X_K_pose)
    shift_wrench(x, n)


@kernel
def shift_wrench(x: Array, n: IntArray) -> None:
    """The wrench in the axes and about the origin of the stiffness frame."""
    k, w, f = X_K_pose, X_wrench, X_frame
    px, py, pz = x[k + 12], x[k + 13], x[k + 14]
    fx, fy, fz = x[w], x[w + 1], x[w + 2]
    x[f], x[f + 1], x[f + 2] = fx, fy, fz
    x[f + 3] = x[w + 3] - (py * fz - pz * fy)
    x[f + 4] = x[w + 4] - (pz * fx - px * fz)
    x[f + 5] = x[w + 5] - (px * fy - py * fx)
    for c in range(3):
        for half in range(2):
            total = 0.0
            for r in range(3):
                total += x[k + 4 * c + r] * x[f + 3 * half + r]
            x[X_wrench_K + 3 * half + c] = total


@kernel
def sense(x: Array, n: IntArray) -> None:
    """Poses, wrench and contact flags of this millisecond. Collisions stay until they are reset."""
    locate(x, n)
    estimate_wrench(x, n)
    fast = 0.0
    for i in range(JOINTS):
        fast = max(fast, abs(x[X_dq_d + i]))
    torques = X_thresholds + (0 if fast > PHASE_SPEED else 2 * JOINTS)
    forces = X_thresholds + FORCES + (0 if fast > PHASE_SPEED else 12)
    for i in range(JOINTS):
        size = abs(x[X_tau_ext + i])
        x[X_state + S_joint_contact + i] = 1.0 if size > x[torques + i] else 0.0
        if size > x[torques + JOINTS + i]:
            n[N_joint_collision + i] = 1
        x[X_state + S_joint_collision + i] = n[N_joint_collision + i]
    for r in range(6):
        size = abs(x[X_wrench_K + r])
        x[X_state + S_cartesian_contact + r] = 1.0 if size > x[forces + r] else 0.0
        if size > x[forces + 6 + r]:
            n[N_cartesian_collision + r] = 1
        x[X_state + S_cartesian_collision + r] = n[N_cartesian_collision + r]


@kernel
def forget_collisions(x: Array, n: IntArray) -> None:
    """Reset the collision flags."""
    for i in range(JOINTS):
        n[N_joint_collision + i] = 0
    for r in range(6):
        n[N_cartesian_collision + r] = 0


@kernel
def is_outside(x: Array, n: IntArray) -> bool:
    """Whether a joint stands further outside its range than the robot lets it."""
    for i in range(JOINTS):
        if x[X_q + i] > x[X_upper + i] + RANGE_SLACK or x[X_q + i] < x[X_lower + i] - RANGE_SLACK:
            return True
    return False


@kernel
def measured_bit(x: Array, n: IntArray) -> int:
    """Error bit of the measured motion, -1 for none: range, speeds of joints and tip, power."""
    power = 0.0
    if is_outside(x, n):
        return RANGE_BIT
    for i in range(JOINTS):
        up, down = speed_bound(x, i, True, x[X_q + i]), speed_bound(x, i, False, x[X_q + i])
        if x[X_dq + i] > up + SPEED_SLACK or x[X_dq + i] < -down - SPEED_SLACK:
            return SPEED_BIT
        power += x[X_tau_J + i] * x[X_dq + i]
    total = 0.0
    for r in range(3):
        speed = 0.0
        for i in range(JOINTS):
            speed += x[X_jacobian + JOINTS * r + i] * x[X_dq + i]
        total += speed * speed
    if math.sqrt(total) > TIP_SPEED:
        return TIP_SPEED_BIT
    return POWER_BIT if power > x[X_power] else -1


@kernel
def watch(x: Array, n: IntArray) -> None:
    """Stop a motion that collides, or whose measured speed, position or power breaks a limit."""
    entered = enters_a_wall(x, n)
    if n[N_moving] == 0:
        return
    bit = -1
    for r in range(6):
        if n[N_cartesian_collision + r] != 0:
            bit = CARTESIAN_REFLEX_BIT
    for i in range(JOINTS):
        if n[N_joint_collision + i] != 0:
            bit = JOINT_REFLEX_BIT
    if bit < 0 and touches_itself(x, n):
        bit = SELF_COLLISION_BIT
    if bit < 0 and n[N_enforce] == 1:
        bit = WALL_BIT if entered else measured_bit(x, n)
    if bit >= 0:
        trip(x, n, bit)
