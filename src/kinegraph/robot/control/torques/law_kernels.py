"""The impedance law: springs and dampers in the task and in the joints, and what comes on top."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.guards.force_cap_kernels import spring_scale
from kinegraph.robot.control.law_layout import (
    M_extra,
    M_feedback,
    M_law_rate,
    M_law_reference,
    M_spring,
)
from kinegraph.robot.control.linear_kernels import factor, set_scaled_identity, solve
from kinegraph.robot.control.memory_layout import (
    M_coriolis,
    M_dq,
    M_jacobian,
    M_law,
    M_normal,
    M_projected,
    M_projected_rate,
    M_q,
    M_rhs,
    M_twist,
)
from kinegraph.robot.control.options_layout import (
    CUTOFF_OFF,
    O_cartesian_damping,
    O_cartesian_stiffness,
    O_drive_inertia,
    O_feedback_cutoff,
    O_feedforward_gain,
    O_ik_damping,
    O_joint_damping,
    O_joint_stiffness,
    O_n,
    O_project_joint_gains,
    O_torque_limits,
)
from kinegraph.scene.array_types import Array

# Springs look ahead by this share of the delay of their low-passes. The dampers' delay makes the
# arm seem lighter; with this much a push swings out as without low-passes.
LEAD_SHARE = 0.6
# Dampers that 20 Hz is right for, N s/m, Nm s/rad, and 1/s times the inertia of a joint's drive.
USUAL_DAMPING, USUAL_ANGULAR_DAMPING, USUAL_JOINT_RATE = 90.0, 2.0, 16.0


@kernel
def impedance_law(options: Array, memory: Array, cutoff: float) -> None:
    """Write `feedback`, the torques of springs and dampers at the measured state.

    feedback = J^T (Kx J e + Kxd J ev) + Kq e + Kqd ev, with e = reference - q and ev = g rate - dq.
    `spring` is the force of the translational springs before its cap. Where low-passes at `cutoff`,
    Hz, follow, the springs go by e + lead ev: what comes late would take damping away.
    """
    n = int(options[O_n])
    gain = options[O_feedforward_gain]
    for i in range(n):
        memory[M_projected + i] = memory[M_law_reference + i] - memory[M_q + i]
        memory[M_projected_rate + i] = gain * memory[M_law_rate + i] - memory[M_dq + i]
    lead = feedback_lead(cutoff)
    scale = spring_scale(options, memory, n)
    for r in range(6):
        force, damping = 0.0, 0.0
        for i in range(n):
            column = memory[M_jacobian + r * n + i]
            force += column * memory[M_projected + i]
            damping += column * memory[M_projected_rate + i]
        stiffness = options[O_cartesian_stiffness + r]
        force *= stiffness
        if r < 3:
            memory[M_spring + r] = force
        damping *= options[O_cartesian_damping + r] + lead * stiffness
        memory[M_twist + r] = scale * force + damping
    for i in range(n):
        memory[M_projected + i] *= scale
        memory[M_feedback + i] = 0.0
        for r in range(6):
            memory[M_feedback + i] += memory[M_jacobian + r * n + i] * memory[M_twist + r]
    add_joint_term(options, memory, n, lead)


@kernel
def feedback_cutoff(options: Array, n: int) -> float:
    """Return the frequency, Hz, of the low-passes on springs and dampers.

    It grows with the dampers: those of `CARTESIAN` go with 20 Hz, stiffer ones are faster, and what
    comes late would make them swing.
    """
    faster = 1.0
    for r in range(6):
        usual = USUAL_DAMPING if r < 3 else USUAL_ANGULAR_DAMPING
        faster = max(faster, options[O_cartesian_damping + r] / usual)
    for i in range(n):
        usual = USUAL_JOINT_RATE * options[O_drive_inertia + i]
        if options[O_joint_damping + i] > usual:
            faster = max(faster, options[O_joint_damping + i] / max(usual, 1e-9))
    return float(options[O_feedback_cutoff] * faster)


@kernel
def feedback_lead(cutoff: float) -> float:
    """Return how far ahead the springs look because of the two low-passes behind them, s."""
    return LEAD_SHARE / (math.pi * cutoff) if cutoff < CUTOFF_OFF else 0.0


@kernel
def complete_law(options: Array, memory: Array, feedback: int) -> None:
    """Write the law's torques, clamped to the torque limits; gravity is the robot's own.

    tau = feedback + coriolis + extra, with the springs and dampers that stand at `feedback`.
    """
    for i in range(int(options[O_n])):
        value = memory[feedback + i] + memory[M_coriolis + i] + memory[M_extra + i]
        limit = options[O_torque_limits + i]
        memory[M_law + i] = min(max(value, -limit), limit)


@kernel
def add_joint_term(options: Array, memory: Array, n: int, lead: float) -> None:
    """Add the joint springs and dampers, in the null space of the task if they are projected."""
    projected = options[O_project_joint_gains] != 0.0
    if projected:
        set_scaled_identity(memory, M_normal, options[O_ik_damping] * options[O_ik_damping])
        for r in range(6):
            for s in range(r + 1):
                for i in range(n):
                    a = memory[M_jacobian + r * n + i]
                    memory[M_normal + 6 * r + s] += a * memory[M_jacobian + s * n + i]
        projected = factor(memory, M_normal)
    if projected:
        project(memory, n, M_projected)
        project(memory, n, M_projected_rate)
    for i in range(n):
        stiffness = options[O_joint_stiffness + i]
        damping = options[O_joint_damping + i] + lead * stiffness
        spring = stiffness * memory[M_projected + i]
        memory[M_projected + i] = spring + damping * memory[M_projected_rate + i]
    if projected:
        project(memory, n, M_projected)
    for i in range(n):
        memory[M_feedback + i] += memory[M_projected + i]


@kernel
def project(memory: Array, n: int, x: int) -> None:
    """Replace x by x - J^T (J J^T + lambda^2)^-1 J x, with the factor at its place."""
    for r in range(6):
        memory[M_rhs + r] = 0.0
        for i in range(n):
            memory[M_rhs + r] += memory[M_jacobian + r * n + i] * memory[x + i]
    solve(memory, M_normal, memory, M_rhs)
    for i in range(n):
        for r in range(6):
            memory[x + i] -= memory[M_jacobian + r * n + i] * memory[M_rhs + r]
