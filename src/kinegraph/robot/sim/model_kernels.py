"""The arm's kinematics and dynamics on the robot's flat array; results go to places in it too."""

from kinegraph.kinematics.chain_kernels import chain_pose, chain_pose_jacobian
from kinegraph.kinematics.dynamics_kernels import (
    forward_dynamics,
    gravity_torque,
    inverse_dynamics,
    mass_matrix,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.float_layout import (
    X_F_T_EE,
    X_bias,
    X_ddq,
    X_dq,
    X_effective,
    X_gravity,
    X_known_load,
    X_mass,
    X_net,
    X_q,
)
from kinegraph.robot.sim.frame_kernels import flange_to_frame, move_jacobian
from kinegraph.robot.sim.int_layout import (
    N_arm,
    N_chain,
    N_work,
)
from kinegraph.robot.sim.part_kernels import matrix, part
from kinegraph.scene.array_types import Array, IntArray

__all__ = [
    "accelerate_arm",
    "end_effector_pose",
    "end_effector_pose_jacobian",
    "known_gravity",
    "known_masses",
    "known_torques",
]

JOINTS, LOAD = 7, 13


@kernel
def known_torques(x: Array, n: IntArray, change: int, gravity: int, out: int) -> None:
    """Torques at `x[out]` for the accelerations at `x[change]`, by what the robot knows."""
    inverse_dynamics(
        part(x, n[N_arm], n[N_arm + 1]),
        part(x, X_q, JOINTS),
        part(x, X_dq, JOINTS),
        part(x, change, JOINTS),
        part(x, gravity, 3),
        part(x, X_known_load, LOAD),
        part(x, n[N_work], n[N_work + 1]),
        part(x, out, JOINTS),
    )


@kernel
def known_masses(x: Array, n: IntArray) -> None:
    """Mass matrix, by what the robot knows."""
    mass_matrix(
        part(x, n[N_arm], n[N_arm + 1]),
        part(x, X_q, JOINTS),
        part(x, X_known_load, LOAD),
        part(x, n[N_work], n[N_work + 1]),
        matrix(x, X_mass, JOINTS, JOINTS),
    )


@kernel
def known_gravity(x: Array, n: IntArray) -> None:
    """Torques that hold the arm and what the robot knows to hang on it."""
    gravity_torque(
        part(x, n[N_arm], n[N_arm + 1]),
        part(x, X_q, JOINTS),
        part(x, X_gravity, 3),
        part(x, X_known_load, LOAD),
        part(x, n[N_work], n[N_work + 1]),
        part(x, X_bias, JOINTS),
    )


@kernel
def accelerate_arm(x: Array, n: IntArray, gravity: int, load: int) -> None:
    """Accelerations of the arm with a load under the net torques."""
    forward_dynamics(
        part(x, n[N_arm], n[N_arm + 1]),
        part(x, X_q, JOINTS),
        part(x, X_dq, JOINTS),
        part(x, X_net, JOINTS),
        part(x, gravity, 3),
        part(x, X_effective, JOINTS),
        part(x, load, LOAD),
        part(x, n[N_work], n[N_work + 1]),
        part(x, X_ddq, JOINTS),
    )


@kernel
def end_effector_pose(x: Array, n: IntArray, q: int, flange: int, out: int) -> None:
    """Pose of the flange (row-major, `x[flange]`) and of the end effector (`x[out]`) at `x[q]`."""
    chain_pose(part(x, n[N_chain], n[N_chain + 1]), part(x, q, JOINTS), matrix(x, flange, 4, 4))
    flange_to_frame(x, flange, X_F_T_EE, out)


@kernel
def end_effector_pose_jacobian(
    x: Array, n: IntArray, q: int, flange: int, out: int, jacobian: int
) -> None:
    """`end_effector_pose`, and the Jacobian at the end effector in base axes."""
    chain_pose_jacobian(
        part(x, n[N_chain], n[N_chain + 1]),
        part(x, q, JOINTS),
        matrix(x, flange, 4, 4),
        matrix(x, jacobian, 6, JOINTS),
    )
    flange_to_frame(x, flange, X_F_T_EE, out)
    move_jacobian(
        x,
        jacobian,
        x[out + 12] - x[flange + 3],
        x[out + 13] - x[flange + 7],
        x[out + 14] - x[flange + 11],
    )
