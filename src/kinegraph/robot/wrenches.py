"""Wrenches from one frame to another."""

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.robot.limits import numbers
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import TransformLike, as_isometry

__all__ = ["transform_wrench"]


def transform_wrench(T_AB: TransformLike, wrench: ArrayLike) -> Array:
    r"""Express a wrench on frame B in frame A, about the origin of A.

    :math:`f_A = R_{AB} f_B` and :math:`\tau_A = R_{AB} \tau_B + p_{AB} \times f_A`. With the pose
    of the stiffness frame in the base, `O_T_EE EE_T_K`, it leads from `K_F_ext_hat_K` of a state to
    `O_F_ext_hat_K`, whose torques are about the origin of the base.

    Args:
        T_AB: Pose of B in A.
        wrench: (6,) force in N, then torque in Nm about the origin of B, in the axes of B.

    Returns:
        (6,) force, then torque about the origin of A, in the axes of A.

    Raises:
        InvalidArgumentError: `wrench` is not six finite numbers. Also a `ValueError`.
        NotRigidError: `T_AB` is no rigid transform. Also a `ValueError`.
    """
    pose, values = as_isometry(T_AB, "T_AB"), numbers(wrench, 6, "wrench")
    force, torque = pose.linear @ values[:3], pose.linear @ values[3:]
    return np.concatenate((force, torque + np.cross(pose.translation, force)))
