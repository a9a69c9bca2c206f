"""Orientations and poses that callers hand in: checked, then as quaternion or rotation.

Quaternions are x, y, z, w.
"""

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.checks import check_finite_vector, check_shape
from kinegraph.robot.control.rotation_kernels import (
    nearest_rotation,
    quaternion_of_rotation,
    rotation_of_quaternion,
)
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.pose import TransformLike

__all__ = [
    "checked_placement",
    "checked_pose",
    "checked_quaternion",
    "quaternion_xyzw",
    "rotation_matrix",
]

UNIT_TOLERANCE = 1e-3
ORTHONORMAL_TOLERANCE = 1e-3
LAST_ROW_TOLERANCE = 1e-6


def checked_quaternion(quat_xyzw: VectorLike) -> Array:
    """Return a unit quaternion, its sign kept.

    Args:
        quat_xyzw: (4,) x, y, z, w, its norm within 1e-3 of 1.

    Raises:
        InvalidArgumentError: Not four finite numbers, or no unit quaternion. Also a `ValueError`.
    """
    q = check_finite_vector("quaternion", quat_xyzw, 4)
    norm = float(np.linalg.norm(q))
    if abs(norm - 1.0) > UNIT_TOLERANCE:
        raise InvalidArgumentError(
            f"quaternion: norm {norm:.6g}, a unit quaternion x, y, z, w is needed",
            field="quaternion",
            value=norm,
        )
    return q / norm


def rotation_matrix(quat_xyzw: VectorLike) -> Array:
    """Return the (3, 3) rotation of a unit quaternion.

    Args:
        quat_xyzw: (4,) x, y, z, w, its norm within 1e-3 of 1.

    Raises:
        InvalidArgumentError: Not four finite numbers, or no unit quaternion. Also a `ValueError`.
    """
    out = np.empty(9)
    rotation_of_quaternion(checked_quaternion(quat_xyzw), 0, out, 0)
    return out.reshape(3, 3)


def checked_pose(pose: TransformLike) -> Array:
    """Return a (4, 4) pose with the nearest rotation in it.

    Args:
        pose: As for `checked_placement`.

    Raises:
        InvalidArgumentError: It is not that, or its position is not finite. Also a `ValueError`.
    """
    position, rotation = checked_placement(pose)
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    matrix[:3, 3] = check_finite_vector("pose", position, 3)
    return matrix


def checked_placement(pose: TransformLike) -> tuple[Array, Array]:
    """Return the position (3,) of a pose as it is, and the rotation (3, 3) nearest to its own.

    The position may be anything; whether it is finite is for the caller to say.

    Args:
        pose: `Isometry3d` or (4, 4), its last row 0 0 0 1 within 1e-6, its rotation within 1e-3
            of orthonormal.

    Raises:
        InvalidArgumentError: It is not that. Also a `ValueError`.
    """
    matrix = as_numbers("pose", pose)
    if matrix.shape != (4, 4):
        raise InvalidArgumentError(f"pose: shape {matrix.shape}, expected (4, 4)", field="pose")
    rest = matrix.copy()
    rest[:3, 3] = 0.0
    check_finite_vector("pose", rest.ravel(), 16)
    if np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max() > LAST_ROW_TOLERANCE:
        raise InvalidArgumentError(
            f"pose: last row {matrix[3].tolist()}, expected 0 0 0 1 (rows of a 4x4 matrix)",
            field="pose",
        )
    rotation = matrix[:3, :3]
    off = max(
        float(np.abs(rotation.T @ rotation - np.eye(3)).max()),
        abs(float(np.linalg.det(rotation)) - 1.0),
    )
    if off > ORTHONORMAL_TOLERANCE:
        raise InvalidArgumentError(
            f"pose: rotation is off orthonormal by {off:.3g}, at most 1e-3 is taken",
            field="pose",
            value=off,
        )
    nearest = np.ascontiguousarray(rotation).ravel()
    nearest_rotation(nearest, 0)
    return matrix[:3, 3], nearest.reshape(3, 3)


def quaternion_xyzw(rotation: Array) -> Array:
    """Return the quaternion x, y, z, w, w >= 0, of a (3, 3) rotation.

    Raises:
        InvalidArgumentError: It is no rotation within 1e-3. Also a `ValueError`.
    """
    pose = np.eye(4)
    pose[:3, :3] = check_shape("rotation", rotation, (3, 3))
    out = np.empty(4)
    quaternion_of_rotation(np.ascontiguousarray(checked_pose(pose)[:3, :3]).ravel(), 0, out, 0)
    return out
