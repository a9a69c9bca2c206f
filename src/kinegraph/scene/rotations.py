"""Rotations as plain numbers: matrix rows, quaternions and roll-pitch-yaw.

Everything here takes and gives floats and tuples: for nine numbers that is faster than arrays.
"""

from math import atan2, cos, hypot, sin, sqrt
from typing import TypeAlias

Vector3: TypeAlias = tuple[float, float, float]
"""Three numbers."""

Quaternion: TypeAlias = tuple[float, float, float, float]
"""Four numbers; the names say in which order."""

Rows: TypeAlias = tuple[float, float, float, float, float, float, float, float, float]
"""A rotation matrix row by row: r00, r01, r02, r10, ..."""

IDENTITY_ROWS: Rows = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def rows_from_rpy(roll: float, pitch: float, yaw: float) -> Rows:
    r"""Rotation about the fixed axes x, y, z: :math:`R = R_z(yaw) R_y(pitch) R_x(roll)`, rad."""
    cr, sr = cos(roll), sin(roll)
    cp, sp = cos(pitch), sin(pitch)
    cy, sy = cos(yaw), sin(yaw)
    return (
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
        0.0 - sp,  # no negative zero in the identity
        cp * sr,
        cp * cr,
    )


def rpy_from_rows(rows: Rows) -> Vector3:
    """Roll, pitch, yaw of a rotation, rad; pitch in [-pi/2, pi/2].

    At a pitch of a quarter turn only one angle is determined; yaw is then 0.
    """
    r00, _, _, r10, r11, r12, r20, r21, r22 = rows
    cos_pitch = hypot(r00, r10)
    pitch = atan2(0.0 - r20, cos_pitch)
    if cos_pitch > 1e-9:
        return atan2(r21, r22), pitch, atan2(r10, r00)
    # Here only roll - yaw (pitch up) or roll + yaw (pitch down) is left in the matrix.
    return atan2(0.0 - r12, r11), pitch, 0.0


def rows_from_quaternion(x: float, y: float, z: float, w: float) -> Rows:
    """Rotation of a quaternion of any length other than zero."""
    s = 2.0 / (x * x + y * y + z * z + w * w)
    xx, yy, zz = s * x * x, s * y * y, s * z * z
    xy, xz, yz = s * x * y, s * x * z, s * y * z
    wx, wy, wz = s * w * x, s * w * y, s * w * z
    return (
        1.0 - (yy + zz),
        xy - wz,
        xz + wy,
        xy + wz,
        1.0 - (xx + zz),
        yz - wx,
        xz - wy,
        yz + wx,
        1.0 - (xx + yy),
    )


def quaternion_from_rows(rows: Rows) -> Quaternion:
    """Unit quaternion x, y, z, w of a rotation, with w >= 0.

    The largest of the four components is computed first, so that no square root is near zero.
    """
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = rows
    trace = r00 + r11 + r22
    if trace > max(r00, r11, r22):
        x, y, z, w = r21 - r12, r02 - r20, r10 - r01, 1.0 + trace
    elif r00 >= r11 and r00 >= r22:
        x, y, z, w = 1.0 + r00 - r11 - r22, r01 + r10, r02 + r20, r21 - r12
    elif r11 >= r22:
        x, y, z, w = r01 + r10, 1.0 - r00 + r11 - r22, r12 + r21, r02 - r20
    else:
        x, y, z, w = r02 + r20, r12 + r21, 1.0 - r00 - r11 + r22, r10 - r01
    length = sqrt(x * x + y * y + z * z + w * w)
    if w < 0.0:
        length = -length
    return x / length, y / length, z / length, w / length
