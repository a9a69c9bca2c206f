"""One millisecond of the arm: drives, friction, stops, what pushes from outside, rigid bodies.

    (M + A) ddq + c(q, dq) + g(q) = tau + g_known(q) - friction + tau_ext

with A the drives' inertia, g_known the gravity that the robot compensates. Springs, dampers and
friction are taken at the end of the step (linearly implicit Euler, their slopes added to the
matrix), so that stiff ones stay stable at 1 ms; the positions follow with the new velocities.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import (
    AT_END_EFFECTOR,
    DT,
    EXTERNAL_CONTROLLER,
    IN_BASE,
    IN_END_EFFECTOR,
    MODE_GUIDING,
)
from kinegraph.robot.sim.controller_kernels import hold_desired, own_controller
from kinegraph.robot.sim.float_layout import (
    X_armature,
    X_bias,
    X_blow,
    X_coulomb,
    X_damper,
    X_ddq,
    X_dq,
    X_drive,
    X_dtau_J,
    X_ee,
    X_effective,
    X_gravity,
    X_jacobian,
    X_known_load,
    X_lower,
    X_net,
    X_no_gravity,
    X_pose,
    X_push,
    X_push_joints,
    X_push_point,
    X_q,
    X_rub,
    X_shove,
    X_spring,
    X_tau,
    X_tau_drive,
    X_tau_ext,
    X_tau_ext_raw,
    X_tau_J,
    X_torque,
    X_true_load,
    X_upper,
    X_vector,
    X_viscous,
    X_wanted,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.robot.sim.int_layout import (
    N_controller,
    N_mode,
    N_moving,
    N_push_frame,
    N_true_load_known,
)
from kinegraph.robot.sim.model_kernels import (
    accelerate_arm,
    known_gravity,
    known_torques,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["step_plant"]

JOINTS = 7
# Rubber stops this far behind the position limits: 0.02 rad, 5e3 Nm/rad, 200 Nm s/rad.
STOP_MARGIN, STOP_STIFFNESS, STOP_DAMPING = 0.02, 5.0e3, 200.0
# Below this speed Coulomb friction is a damper: a stuck joint creeps at less than 1e-4 rad/s.
STICK_SPEED = 1.0e-4
# The estimate of the external torques is a first-order filter of 30 Hz.
ESTIMATE_GAIN = DT / (DT + 1.0 / (2.0 * math.pi * 30.0))


@kernel
def prepare_drives(x: Array, n: IntArray) -> None:
    """Torques of the drives, and the slopes of the robot's own controller.

    Torques from outside act as they came.
    """
    driven = n[N_moving] == 1 and n[N_controller] == EXTERNAL_CONTROLLER
    if not driven and n[N_mode] != MODE_GUIDING:
        own_controller(x, n)
        return
    hold_desired(x, n)
    for i in range(JOINTS):
        limit = x[X_torque + i]
        x[X_spring + i], x[X_damper + i] = 0.0, 0.0
        x[X_drive + i] = max(-limit, min(limit, x[X_tau + i]))
        x[X_wanted + i] = x[X_drive + i]


@kernel
def add_friction_and_stops(x: Array, n: IntArray) -> None:
    """Friction and stops, and the diagonal that all slopes add to the mass matrix."""
    for i in range(JOINTS):
        speed = abs(x[X_dq + i])
        rub = x[X_viscous + i]
        if x[X_coulomb + i] > 0.0:
            slow = max(speed, 1e-9)
            rub += x[X_coulomb + i] * math.tanh(slow / STICK_SPEED) / slow
        x[X_rub + i] = rub
        x[X_net + i] = x[X_drive + i] - rub * x[X_dq + i]
        stiffness, damping = x[X_spring + i], x[X_damper + i] + rub
        over = x[X_q + i] + DT * x[X_dq + i] - (x[X_upper + i] + STOP_MARGIN)
        under = x[X_q + i] + DT * x[X_dq + i] - (x[X_lower + i] - STOP_MARGIN)
        push = 0.0
        if over > 0.0:
            push = -STOP_STIFFNESS * over - STOP_DAMPING * x[X_dq + i]
        elif under < 0.0:
            push = -STOP_STIFFNESS * under - STOP_DAMPING * x[X_dq + i]
        if push != 0.0:
            stiffness += STOP_STIFFNESS
            damping += STOP_DAMPING
        x[X_net + i] += push
        x[X_effective + i] = x[X_armature + i] + DT * damping + DT * DT * stiffness


@kernel
def axis_entry(x: Array, frame: int, r: int, c: int) -> float:
    """Entry of the rotation, or for c = 3 of the origin, of the frame in which a push is given."""
    if frame == IN_END_EFFECTOR:
        entry: float = x[X_ee + 4 * c + r]
        return entry
    flange: float = x[X_pose + 4 * r + c]
    return flange


@kernel
def push_place(x: Array, frame: int, r: int) -> float:
    """Coordinate of the point of a push in the base."""
    if frame == IN_BASE:
        fixed: float = x[X_push_point + r]
        return fixed
    total = axis_entry(x, frame, r, 3)
    for c in range(3):
        total += axis_entry(x, frame, r, c) * x[X_push_point + c]
    return total


@kernel
def sum_pushes(x: Array, n: IntArray) -> None:
    """Wrench of all that pushes, about the end effector in base axes, into `shove`."""
    p, out, frame = X_ee + 12, X_shove, n[N_push_frame]
    copy_numbers(x, X_push, x, out, 6)
    if frame >= IN_END_EFFECTOR:
        for half in range(2):
            for r in range(3):
                total = 0.0
                for c in range(3):
                    total += axis_entry(x, frame, r, c) * x[X_push + 3 * half + c]
                x[out + 3 * half + r] = total
    if frame != AT_END_EFFECTOR:
        dx = push_place(x, frame, 0) - x[p]
        dy = push_place(x, frame, 1) - x[p + 1]
        dz = push_place(x, frame, 2) - x[p + 2]
        fx, fy, fz = x[out], x[out + 1], x[out + 2]
        x[out + 3] += dy * fz - dz * fy
        x[out + 4] += dz * fx - dx * fz
        x[out + 5] += dx * fy - dy * fx
    for r in range(6):
        x[out + r] += x[X_blow + r]


@kernel
def add_pushes(x: Array, n: IntArray) -> None:
    """Add what pushes from outside (the Jacobian of this configuration is at hand)."""
    sum_pushes(x, n)
    for i in range(JOINTS):
        total = x[X_push_joints + i]
        for r in range(6):
            total += x[X_jacobian + JOINTS * r + i] * x[X_shove + r]
        x[X_net + i] += total


@kernel
def solve_accelerations(x: Array, n: IntArray) -> None:
    """Accelerations; gravity only enters as far as the robot does not compensate it."""
    known_gravity(x, n)
    if n[N_true_load_known] == 0:
        accelerate_arm(x, n, X_no_gravity, X_known_load)
        return
    for i in range(JOINTS):
        x[X_net + i] += x[X_bias + i]
    accelerate_arm(x, n, X_gravity, X_true_load)


@kernel
def measure_torques(x: Array, n: IntArray) -> None:
    """Torques behind the gears, and what the robot takes for external ones.

    The sensors see the drive less its own inertia and friction; the estimate is what the robot's
    model, with the load that it knows, does not explain.
    """
    known_torques(x, n, X_ddq, X_gravity, X_vector)
    for i in range(JOINTS):
        spring, damper = x[X_spring + i], x[X_damper + i]
        drive = x[X_drive + i] - (DT * DT * spring + DT * damper) * x[X_ddq + i]
        friction = x[X_rub + i] * (x[X_dq + i] + DT * x[X_ddq + i])
        torque = drive - friction - x[X_armature + i] * x[X_ddq + i] + x[X_bias + i]
        x[X_tau_drive + i] = drive
        x[X_dtau_J + i] = (torque - x[X_tau_J + i]) / DT
        x[X_tau_J + i] = torque
        x[X_tau_ext_raw + i] = x[X_vector + i] - torque
        x[X_tau_ext + i] += ESTIMATE_GAIN * (x[X_tau_ext_raw + i] - x[X_tau_ext + i])


@kernel
def step_plant(x: Array, n: IntArray) -> None:
    """Advance the arm by one millisecond. `pose` and `jacobian` must be those of `q`."""
    prepare_drives(x, n)
    add_friction_and_stops(x, n)
    add_pushes(x, n)
    solve_accelerations(x, n)
    measure_torques(x, n)
    for i in range(JOINTS):
        x[X_dq + i] += DT * x[X_ddq + i]
        x[X_q + i] += DT * x[X_dq + i]
