"""One millisecond of the arm: drives, friction, stops, what pushes from outside, rigid bodies.

    (M + A) ddq + c(q, dq) + g(q) = tau + g_known(q) - friction + tau_ext

with A the drives' inertia, g_known the gravity that the robot compensates. Springs, dampers and
friction are taken at the end of the step (linearly implicit Euler, their slopes added to the
matrix), so that stiff ones stay stable at 1 ms; the positions follow with the new velocities.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import DT, EXTERNAL_CONTROLLER, MODE_GUIDING
from kinegraph.robot.sim.model_kernels import (
    accelerate_arm,
    known_gravity,
    known_masses,
    known_torques,
)
from kinegraph.robot.sim.sim_layout import (
    N_controller,
    N_mode,
    N_moving,
    N_true_load_known,
    X_armature,
    X_bias,
    X_coulomb,
    X_damper,
    X_ddq,
    X_ddq_d,
    X_dq,
    X_dq_d,
    X_drive,
    X_dtau_J,
    X_effective,
    X_gravity,
    X_jacobian,
    X_known_load,
    X_lower,
    X_mass,
    X_net,
    X_no_gravity,
    X_push,
    X_push_joints,
    X_q,
    X_q_d,
    X_rub,
    X_spring,
    X_stiffness,
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

    Torques from outside act as they came. Otherwise the joint springs of the robot's own controller
    hold the desired motion, critically damped, with the arm's inverse dynamics fed forward.
    """
    driven = n[N_moving] == 1 and n[N_controller] == EXTERNAL_CONTROLLER
    external = driven or n[N_mode] == MODE_GUIDING
    if not external:
        known_torques(x, n, X_ddq_d, X_no_gravity, X_vector)
        known_masses(x, n)
    for i in range(JOINTS):
        limit = x[X_torque + i]
        x[X_spring + i], x[X_damper + i] = 0.0, 0.0
        if external:
            x[X_drive + i] = max(-limit, min(limit, x[X_tau + i]))
            continue
        k = x[X_stiffness + i]
        inertia = x[X_mass + 8 * i] + x[X_armature + i]
        d = 2.0 * math.sqrt(k * inertia)
        lag = x[X_q_d + i] - x[X_q + i] - DT * x[X_dq + i]
        feed = x[X_vector + i] + x[X_armature + i] * x[X_ddq_d + i]
        wanted = feed + k * lag + d * (x[X_dq_d + i] - x[X_dq + i])
        x[X_drive + i] = max(-limit, min(limit, wanted))
        if x[X_drive + i] == wanted:  # a drive at its limit is no spring
            x[X_spring + i], x[X_damper + i] = k, d


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
def add_pushes(x: Array, n: IntArray) -> None:
    """Wrench at the end effector (the Jacobian of this configuration is at hand) and torques."""
    for i in range(JOINTS):
        total = x[X_push_joints + i]
        for r in range(6):
            total += x[X_jacobian + JOINTS * r + i] * x[X_push + r]
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
