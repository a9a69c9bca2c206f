"""Rigid transforms: `Isometry3d` and everything that can stand for one."""

import math
from collections import deque
from collections.abc import Sequence
from itertools import repeat
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinegraph.scene.arguments import check_number
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import NotFiniteError, NotRigidError, ShapeError, WrongTypeError
from kinegraph.scene.rigid import rigid_matrix
from kinegraph.scene.rotations import (
    IDENTITY_ROWS,
    Quaternion,
    Rows,
    Vector3,
    rows_from_quaternion,
    rows_from_rpy,
)
from kinegraph.scene.stored_pose import (
    RotationSource,
    StoredPose,
    set_array,
    set_numbers,
    set_source,
)
from kinegraph.scene.vectors import is_approx, numbers, real_array

__all__ = ["Isometry3d", "TransformLike", "as_isometry"]

UNIT_TOLERANCE = 1e-3
"""Largest deviation of a given quaternion's norm from 1; within it, it is normalised."""

_FLOAT = np.dtype(np.float64)
_SHAPE = (4, 4)


class Isometry3d(StoredPose):
    """A rigid transform: a rotation and a translation, immutable.

    With :math:`T_{AB}` the pose of frame B in frame A, points map as
    :math:`p_A = T_{AB} p_B = R_{AB} p_B + t_{AB}` and transforms compose as
    :math:`T_{AC} = T_{AB} T_{BC}`; adjacent letters cancel.

    `*` and `@` are the same, with another transform or with points. `==` compares all sixteen
    numbers exactly; use `isApprox` for a tolerance.

    Args:
        matrix: (4, 4) homogeneous matrix, rigid within 1e-6. Left out: the identity. Another
            `Isometry3d` and an object with a `homogeneous` matrix (pinocchio's SE3) are taken too.

    Raises:
        ShapeError: `matrix` is not (4, 4). Also a `ValueError` and a `TypeError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        NotRigidError: The matrix scales, shears or mirrors. Also a `ValueError`.
    """

    __slots__ = ()

    __array_priority__ = 1000.0  # array @ Isometry3d asks __rmatmul__ here first

    def __init__(self, matrix: "TransformLike | None" = None) -> None:
        pose = _IDENTITY if matrix is None else as_isometry(matrix)
        set_array(self, pose._array)
        set_numbers(self, getattr(pose, "_numbers", None))
        set_source(self, rotation_source(pose))

    @classmethod
    def Identity(cls) -> "Isometry3d":
        """Return the transform that changes nothing."""
        return _IDENTITY

    @classmethod
    def from_quaternion(
        cls, translation: Sequence[float] | NDArray[Any], xyzw: Sequence[float] | NDArray[Any]
    ) -> "Isometry3d":
        """Build from a translation and a quaternion.

        Args:
            translation: (3,) m.
            xyzw: (4,) quaternion x, y, z, w of norm 1 within 1e-3; it is normalised.

        Raises:
            NotRigidError: The quaternion has another norm. Also a `ValueError`.
            ShapeError: A wrong count of numbers. Also a `ValueError`.
            NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        """
        p = numbers(translation, 3, "translation")
        x, y, z, w = numbers(xyzw, 4, "quaternion")
        norm = math.sqrt(x * x + y * y + z * z + w * w)
        if abs(norm - 1.0) > UNIT_TOLERANCE:
            raise NotRigidError(
                f"quaternion (x, y, z, w) = {(x, y, z, w)} has norm {norm:.6g}; "
                "a rotation needs a unit quaternion"
            )
        return from_rows(rows_from_quaternion(x, y, z, w), (p[0], p[1], p[2]))

    @classmethod
    def from_rpy(
        cls, translation: Sequence[float] | NDArray[Any], rpy: Sequence[float] | NDArray[Any]
    ) -> "Isometry3d":
        r"""Build from a translation and roll, pitch, yaw about the fixed axes x, y, z.

        :math:`R = R_z(yaw) R_y(pitch) R_x(roll)`, as in URDF.

        Args:
            translation: (3,) m.
            rpy: (3,) rad.

        Raises:
            ShapeError: A wrong count of numbers. Also a `ValueError`.
            NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        """
        p = numbers(translation, 3, "translation")
        roll, pitch, yaw = numbers(rpy, 3, "rpy")
        return from_rpy_numbers((p[0], p[1], p[2]), (roll, pitch, yaw))

    @classmethod
    def from_column_major(cls, values: Sequence[float] | NDArray[Any]) -> "Isometry3d":
        """Build from sixteen numbers, column by column, as the robot's interface sends them."""
        return as_isometry(np.array(numbers(values, 16, "column-major matrix")).reshape(4, 4).T)

    def inverse(self) -> "Isometry3d":
        r"""Return :math:`T_{BA} = T_{AB}^{-1}`, with rotation :math:`R^T`, translation -R^T t."""
        (a, b, c, d, e, f, g, h, i), (x, y, z) = self.rows()
        return from_rows(
            (a, d, g, b, e, h, c, f, i),
            (-(a * x + d * y + g * z), -(b * x + e * y + h * z), -(c * x + f * y + i * z)),
        )

    def isApprox(self, other: "TransformLike", prec: float = 1e-5) -> bool:
        r"""Compare relatively, as Eigen does.

        True when :math:`\|A - B\|_F \le prec \cdot \min(\|A\|_F, \|B\|_F)` over the whole matrix,
        so that with a translation of 100 m the default lets about 1e-3 m pass.
        """
        tolerance = check_number(prec, "prec")
        return is_approx(self.matrix, as_isometry(other).matrix, tolerance)

    @overload
    def __matmul__(self, other: "Isometry3d") -> "Isometry3d": ...
    @overload
    def __matmul__(self, other: object) -> Any: ...
    def __matmul__(self, other: object) -> object:
        """Compose with a transform, or map a point (3,) or points (N, 3).

        A 4x4 array counts as a transform.

        Raises:
            NotFiniteError: A number of a point is NaN or infinite. Also a `ValueError`.
            ShapeError: Neither points nor a transform. Also a `ValueError` and a `TypeError`.
            NotRigidError, WrongTypeError: As in `as_isometry`.
        """
        if isinstance(other, Isometry3d):
            return wrap_matrix(self.matrix @ other.matrix)
        if hasattr(other, "homogeneous"):
            return self @ as_isometry(other)
        array = real_array(other, "right operand")
        if array.shape == _SHAPE:
            return self @ as_isometry(array)
        if array.ndim not in (1, 2) or array.shape[-1] != 3:
            raise ShapeError(
                f"an Isometry3d maps points of shape (3,) or (N, 3), not {array.shape}"
            )
        if not np.isfinite(array).all():
            raise NotFiniteError("a point has numbers that are not finite")
        return array @ self.matrix[:3, :3].T + self.matrix[:3, 3]

    __mul__ = __matmul__

    def __rmatmul__(self, other: object) -> "Isometry3d":
        return as_isometry(other) @ self

    __rmul__ = __rmatmul__

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the matrix; read-only unless a copy is asked for or needed."""
        if dtype is not None and np.dtype(dtype) != _FLOAT:
            if copy is False:
                raise WrongTypeError(f"an Isometry3d as {np.dtype(dtype)} needs a copy")
            return self.matrix.astype(dtype)
        return self.matrix.copy() if copy else self.matrix

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (*self.rows(), rotation_source(self))


_new = object.__new__
_view = np.ndarray.view


def _make(
    array: Array | None, rows: tuple[Rows, Vector3] | None, source: RotationSource | None
) -> Isometry3d:
    pose = _new(Isometry3d)
    set_array(pose, array)
    set_numbers(pose, rows)
    set_source(pose, source)
    return pose


TransformLike: TypeAlias = (
    Isometry3d | NDArray[np.floating | np.integer] | Sequence[Sequence[float]] | Any
)
"""An `Isometry3d`, a 4x4 array, or an object with a `homogeneous` matrix (pinocchio's SE3)."""


def wrap_matrix(matrix: Array) -> Isometry3d:
    """Make an `Isometry3d` of a float64 (4, 4) array without checks and without a copy.

    The caller gives the array, which owns its numbers, away: it becomes read-only here.
    """
    # Only a view of a read-only array stays as it is: an array that owns its numbers is made
    # writable again by setflags(write=True). Over bytes it would take thrice the time.
    matrix.setflags(False)  # type: ignore[call-arg]  # by position: in half the time
    pose: Isometry3d = _new(Isometry3d)
    set_array(pose, matrix.view())
    return pose


def wrap_matrices(matrices: Array) -> list[Isometry3d]:
    """Make an `Isometry3d` of each row of a float64 (N, 4, 4) array, without checks or copies.

    The caller gives the array away, and the one that it is a part of: they become read-only here.
    """
    owner = matrices.base
    if owner is not None:
        owner.setflags(write=False)
    matrices.setflags(write=False)
    poses: list[Isometry3d] = list(map(_new, repeat(Isometry3d, len(matrices))))
    deque(map(set_array, poses, matrices), 0)  # a loop that stays in C
    return poses


def from_rows(
    rotation: Rows,
    translation: Vector3,
    source: RotationSource | None = None,
) -> Isometry3d:
    """Make an `Isometry3d` of floats that are known to be right.

    Args:
        rotation: The rotation row by row.
        translation: m.
        source: Where the rotation came from ("rpy" or "wxyz", numbers): kept, so that a file can
            be written back with the numbers that were read.
    """
    return _make(None, (rotation, translation), source)


def from_rpy_numbers(translation: Vector3, rpy: Vector3) -> Isometry3d:
    """Make an `Isometry3d` of finite numbers, remembering the angles."""
    return from_rows(rows_from_rpy(*rpy), translation, ("rpy", rpy))


def rotation_source(pose: Isometry3d) -> RotationSource | None:
    """Return the numbers that the rotation was made of, if it was made of angles or quaternions."""
    return getattr(pose, "_rotation_source", None)


def quaternion_source(translation: Vector3, wxyz: Quaternion) -> Isometry3d:
    """Make an `Isometry3d` of a quaternion of any length other than zero, remembering it."""
    w, x, y, z = wxyz
    return from_rows(rows_from_quaternion(x, y, z, w), translation, ("wxyz", wxyz))


def as_isometry(value: object, what: str = "transform") -> Isometry3d:
    """Take anything that stands for a rigid transform.

    Args:
        value: `Isometry3d`, (4, 4) array-like, or an object with a `homogeneous` matrix.
        what: How error messages call it.

    Raises:
        WrongTypeError: `value` is no transform at all. Also a `TypeError`.
        ShapeError: The array is not (4, 4). Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
        NotRigidError: Not rigid within 1e-6. Also a `ValueError`.
    """
    if isinstance(value, Isometry3d):
        return value
    return wrap_matrix(rigid_matrix(getattr(value, "homogeneous", value), what))


def _restore(rotation: Rows, translation: Vector3, source: RotationSource | None) -> Isometry3d:
    return from_rows(rotation, translation, source)


_IDENTITY = from_rows(IDENTITY_ROWS, (0.0, 0.0, 0.0))
