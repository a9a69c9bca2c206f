"""How a pose keeps its numbers: as an array or as floats, never to be changed."""

import struct
from typing import TypeAlias, TypeVar

import numpy as np

from kinegraph.scene.array_types import Array
from kinegraph.scene.rotations import Rows, Vector3, quaternion_from_rows, rpy_from_rows

RotationSource: TypeAlias = tuple[str, tuple[float, ...]]
"""What a rotation was made of: "rpy" or "wxyz", and the numbers."""

P = TypeVar("P", bound="StoredPose")

_pack16 = struct.Struct("16d").pack
_FLOAT = np.dtype(np.float64)
_SHAPE = (4, 4)


class StoredPose:
    """Base of `Isometry3d`: its numbers, and the ways to read them."""

    # One of array and numbers is there from the start, the other is made when first asked for:
    # reading a file needs no arrays, and a solver's results need no numbers. The other two may be
    # unset: setting three would take longer than all else that makes a pose of a solver's array.
    __slots__ = ("_array", "_numbers", "_rotation_source")

    _array: Array | None
    _numbers: tuple[Rows, Vector3] | None
    _rotation_source: RotationSource | None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Isometry3d is immutable; {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Isometry3d is immutable; {name!r} cannot be deleted")

    @property
    def matrix(self) -> Array:
        """The homogeneous matrix, (4, 4), read-only."""
        array = self._array
        if array is None:
            (a, b, c, d, e, f, g, h, i), (x, y, z) = self.rows()
            data = _pack16(a, b, c, x, d, e, f, y, g, h, i, z, 0.0, 0.0, 0.0, 1.0)
            # An array over bytes is read-only for ever: no setflags can undo it.
            array = np.ndarray(_SHAPE, _FLOAT, data)
            set_array(self, array)
        return array

    @property
    def translation(self) -> Array:
        """Where the frame's origin is, (3,) m, read-only."""
        return self.matrix[:3, 3]

    @property
    def linear(self) -> Array:
        """The rotation matrix, (3, 3), read-only."""
        return self.matrix[:3, :3]

    @property
    def rotation(self) -> Array:
        """The rotation matrix, (3, 3), read-only; the same as `linear`."""
        return self.matrix[:3, :3]

    @property
    def quat_xyzw(self) -> Array:
        """The rotation as unit quaternion x, y, z, w with w >= 0, (4,)."""
        return np.array(quaternion_from_rows(self.rows()[0]))

    @property
    def rpy(self) -> Array:
        """The rotation as roll, pitch, yaw about fixed axes, (3,) rad, pitch in [-pi/2, pi/2]."""
        return np.array(rpy_from_rows(self.rows()[0]))

    def rows(self) -> tuple[Rows, Vector3]:
        """Return the rotation row by row and the translation, as floats."""
        rows = getattr(self, "_numbers", None)
        if rows is None:
            a, b, c, x, d, e, f, y, g, h, i, z = self.matrix.ravel().tolist()[:12]
            rows = (a, b, c, d, e, f, g, h, i), (x, y, z)
            set_numbers(self, rows)
        return rows

    def to_column_major(self) -> Array:
        """Return the sixteen numbers column by column, (16,), a copy."""
        return self.matrix.T.flatten()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StoredPose):
            return NotImplemented
        return self is other or self.rows() == other.rows()

    def __hash__(self) -> int:
        return hash(self.rows())

    def __copy__(self: P) -> P:
        return self

    def __deepcopy__(self: P, memo: object) -> P:
        return self

    def __repr__(self) -> str:
        x, y, z = self.translation.tolist()
        roll, pitch, yaw = self.rpy.tolist()
        return (
            f"Isometry3d(xyz=({x:.6g}, {y:.6g}, {z:.6g}), rpy=({roll:.6g}, {pitch:.6g}, {yaw:.6g}))"
        )


# The slots' own setters pass the class's __setattr__ by.
set_array = StoredPose.__dict__["_array"].__set__
set_numbers = StoredPose.__dict__["_numbers"].__set__
set_source = StoredPose.__dict__["_rotation_source"].__set__
