"""The cap on the force of the springs at the tool."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.guards.guard_layout import O_max_spring_force
from kinegraph.robot.control.linear_kernels import factor, set_scaled_identity, solve
from kinegraph.robot.control.memory_layout import M_jacobian, M_normal, M_projected, M_rhs
from kinegraph.robot.control.options_layout import (
    O_cartesian_stiffness,
    O_joint_stiffness,
    O_project_joint_gains,
)
from kinegraph.scene.array_types import Array

# Added to J J^T, so that it can be inverted at a singular pose; the force is taken as larger there.
REGULAR = 1e-9


@kernel
def spring_scale(options: Array, memory: Array, n: int) -> float:
    """Return the share, at most 1, of the springs' pull that keeps the force at the tool in bounds.

    The force is that of the Cartesian springs and of the joint springs, whose torques are taken as
    the wrench at the tool that they balance best; joint springs in the null space have none.

    Args:
        options: Packed options.
        memory: With the Jacobian, and the error of the joints in `projected`.
        n: Number of joints.
    """
    most = options[O_max_spring_force]
    if most == 0.0:
        return 1.0
    for r in range(6):
        memory[M_rhs + r] = 0.0
    if options[O_project_joint_gains] == 0.0:
        joint_springs_wrench(options, memory, n)
    square = 0.0
    for r in range(3):
        force = 0.0
        for i in range(n):
            force += memory[M_jacobian + r * n + i] * memory[M_projected + i]
        square += (memory[M_rhs + r] + options[O_cartesian_stiffness + r] * force) ** 2
    force = math.sqrt(square)
    return most / force if force > most else 1.0


@kernel
def joint_springs_wrench(options: Array, memory: Array, n: int) -> None:
    """Write (J J^T)^-1 J tau of the joint springs' torques."""
    set_scaled_identity(memory, M_normal, REGULAR)
    for r in range(6):
        for i in range(n):
            a = memory[M_jacobian + r * n + i]
            memory[M_rhs + r] += a * options[O_joint_stiffness + i] * memory[M_projected + i]
            for s in range(r + 1):
                memory[M_normal + 6 * r + s] += a * memory[M_jacobian + s * n + i]
    if factor(memory, M_normal):
        solve(memory, M_normal, memory, M_rhs)
