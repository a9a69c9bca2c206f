"""When a 4x4 matrix counts as a rigid transform."""

import numpy as np

from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import NotFiniteError, NotRigidError, ShapeError
from kinegraph.scene.vectors import real_array

RIGID_TOLERANCE = 1e-6
"""Largest deviation of R^T R from the identity that still counts as a rotation in the scene."""


def rigid_matrix(value: object, what: str) -> Array:
    """Return an array-like as a new (4, 4) array with the last row exactly 0 0 0 1.

    Raises:
        WrongTypeError: Not real numbers. Also a `TypeError`.
        ShapeError: The array is not (4, 4). Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        NotRigidError: Not rigid within 1e-6. Also a `ValueError`.
    """
    array = real_array(value, what)
    if array.shape != (4, 4):
        raise ShapeError(f"{what}: a 4x4 matrix is needed, not an array of shape {array.shape}")
    m = np.array(array, dtype=np.float64, order="C", subok=False)
    if not np.isfinite(m).all():
        raise NotFiniteError(f"{what}: the matrix has numbers that are not finite: {m.tolist()}")
    check_rigid(m, what)
    m[3] = (0.0, 0.0, 0.0, 1.0)
    return m


def check_rigid(m: Array, what: str) -> None:
    """Refuse a finite (4, 4) matrix that is no rigid transform within 1e-6.

    Raises:
        NotRigidError: The last row is not 0 0 0 1, or the matrix scales, shears or mirrors.
    """
    bottom = float(np.abs(m[3] - (0.0, 0.0, 0.0, 1.0)).max())
    if bottom > RIGID_TOLERANCE:
        raise NotRigidError(f"{what}: the last row must be 0 0 0 1, not {m[3].tolist()}")
    rotation = m[:3, :3]
    with np.errstate(over="ignore", invalid="ignore"):  # huge numbers end as "not a rotation"
        off = float(np.abs(rotation.T @ rotation - np.eye(3)).max())
    if not off <= RIGID_TOLERANCE:
        raise NotRigidError(
            f"{what}: the upper left 3x3 part is no rotation (R^T R is off the identity by "
            f"{off:.3g}, allowed {RIGID_TOLERANCE:g}): {rotation.tolist()}"
        )
    a, b, c, d, e, f, g, h, i = rotation.ravel().tolist()
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0.0:
        raise NotRigidError(f"{what}: the matrix mirrors (determinant -1): {rotation.tolist()}")
