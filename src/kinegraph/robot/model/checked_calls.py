"""The arguments of the backends' calls, checked and laid out one behind the other."""

import numpy as np

from kinegraph.robot.model.arguments import PoseLike, check_rigid, gather
from kinegraph.robot.model.model_kernels import multiply_transforms
from kinegraph.scene.array_types import Array, VectorLike

__all__ = [
    "CORIOLIS",
    "GRAVITY",
    "JOINT",
    "MASS",
    "NO_INERTIA",
    "gather",
    "joint_and_tool",
    "joint_and_two_tools",
]

# Arguments of the calls, as `gather` lays them out.
LOAD = (("m_total", 1), ("F_x_Ctotal", 3), ("I_total", 9))
MASS = (("q", 7), *LOAD)
GRAVITY = (*MASS, ("gravity_earth", 3))
CORIOLIS = (*GRAVITY, ("dq", 7))
JOINT = (("q", 7),)
EE = (*JOINT, ("F_T_EE", 16))
STIFFNESS = (*EE, ("EE_T_K", 16))

# Never written to.
NO_INERTIA = np.zeros(9)


def joint_and_tool(q: VectorLike, f_t_ee: PoseLike) -> tuple[Array, Array]:
    """Checked joint positions, and the pose of the end effector in the flange.

    Raises:
        InvalidArgumentError: Not seven finite numbers, or no rigid transform. Also a `ValueError`.
    """
    given = gather(EE, q, f_t_ee)
    tool = given[7:]
    check_rigid("F_T_EE", tool)
    return given[:7], tool


def joint_and_two_tools(q: VectorLike, f_t_ee: PoseLike, ee_t_k: PoseLike) -> tuple[Array, Array]:
    """Checked joint positions, and the pose of the stiffness frame in the flange.

    Raises:
        InvalidArgumentError: Not seven finite numbers, or no rigid transform. Also a `ValueError`.
    """
    given = gather(STIFFNESS, q, f_t_ee, ee_t_k)
    first, second, tool = given[7:23], given[23:], np.empty(16)
    check_rigid("F_T_EE", first)
    check_rigid("EE_T_K", second)
    multiply_transforms(first, second, tool)
    return given[:7], tool
