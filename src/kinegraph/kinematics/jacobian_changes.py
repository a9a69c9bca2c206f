"""Changing the reference point or the axes of a Jacobian."""

from typing import Any

import numpy as np

from kinegraph.kinematics.values import finite_point, real_array
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import NotFiniteError, ShapeError
from kinegraph.scene.pose import TransformLike, as_isometry

__all__ = ["jacobianChangeBase", "jacobianChangeRefPoint"]


def jacobianChangeBase(jacobian: Any, change_base: TransformLike) -> Array:
    """Return a Jacobian in the axes of another base.

    Args:
        jacobian: (6, n), linear rows first.
        change_base: Pose of the present base in the new one; its rotation is what counts.

    Raises:
        WrongTypeError: Not real numbers. Also a `TypeError`.
        ShapeError: `jacobian` is not (6, n). Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        NotRigidError: `change_base` is not rigid. Also a `ValueError`.
    """
    J = _checked(jacobian, "jacobianChangeBase")
    R = as_isometry(change_base, "jacobianChangeBase").linear
    return np.concatenate((R @ J[:3], R @ J[3:]))


def jacobianChangeRefPoint(jacobian: Any, ref_point: Any) -> Array:
    """Return a Jacobian for another reference point of the same body.

    Args:
        jacobian: (6, n), linear rows first.
        ref_point: (3,) from the present to the new reference point, m, in the Jacobian's axes.

    Raises:
        WrongTypeError: Not real numbers. Also a `TypeError`.
        ShapeError: `jacobian` is not (6, n), or the point not (3,). Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
    """
    J = _checked(jacobian, "jacobianChangeRefPoint").copy()
    x, y, z = finite_point(ref_point, "jacobianChangeRefPoint: ref_point").tolist()
    J[0] += J[4] * z - J[5] * y
    J[1] += J[5] * x - J[3] * z
    J[2] += J[3] * y - J[4] * x
    return J


def _checked(jacobian: Any, what: str) -> Array:
    J = real_array(jacobian, f"{what}: jacobian")
    if J.ndim != 2 or J.shape[0] != 6:
        raise ShapeError(f"{what}: a Jacobian is (6, n), not {J.shape}")
    if not np.isfinite(J).all():
        raise NotFiniteError(f"{what}: the Jacobian has numbers that are not finite")
    return J
