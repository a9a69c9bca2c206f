"""Rigid transforms as `origin` elements that read back bit for bit."""

import struct

from kinegraph.scene.markup.vocabulary import ROTATION
from kinegraph.scene.markup.writing import element, exact_all
from kinegraph.scene.pose import Isometry3d, rotation_source
from kinegraph.scene.rotations import (
    IDENTITY_ROWS,
    Rows,
    quaternion_from_rows,
    rows_from_quaternion,
    rows_from_rpy,
    rpy_from_rows,
)

ORIGIN = (0.0, 0.0, 0.0)


def origin(pose: Isometry3d) -> list[str]:
    """Return the `origin` element, or nothing for the identity.

    The rotation is written with the angles or the quaternion that it was read from. Where it came
    from a matrix, angles are computed, and when they give other float64s, the nine numbers of the
    matrix stand beside them in an attribute of our own.
    """
    rows, translation = pose.rows()
    rotation = _rotation(pose, rows)
    attributes = [("xyz", exact_all(translation))] if _bits(translation) != _bits(ORIGIN) else []
    attributes += rotation
    return [element("origin", attributes)] if attributes else []


def full_placement(pose: Isometry3d) -> list[tuple[str, str]]:
    """Return a pose as attributes xyz and wxyz, with what else is needed to be exact."""
    rows, translation = pose.rows()
    kind, numbers = rotation_source(pose) or ("", ())
    if kind != "wxyz":
        x, y, z, w = quaternion_from_rows(rows)
        numbers = (w, x, y, z)
    return [("xyz", exact_all(translation)), *_written("wxyz", numbers, rows)]


def _rotation(pose: Isometry3d, rows: Rows) -> list[tuple[str, str]]:
    if _bits(rows) == _bits(IDENTITY_ROWS):
        return []
    kind, numbers = rotation_source(pose) or ("rpy", rpy_from_rows(rows))
    return _written(kind, numbers, rows)


def _written(kind: str, numbers: tuple[float, ...], rows: Rows) -> list[tuple[str, str]]:
    """Return angles or a quaternion, and the nine numbers where they give other ones."""
    if kind == "wxyz":
        w, x, y, z = numbers
        again = rows_from_quaternion(x, y, z, w)
    else:
        roll, pitch, yaw = numbers
        again = rows_from_rpy(roll, pitch, yaw)
    written = [(kind, exact_all(numbers))]
    return written if _bits(again) == _bits(rows) else [*written, (ROTATION, exact_all(rows))]


def _bits(values: tuple[float, ...]) -> bytes:
    return struct.pack(f"{len(values)}d", *values)
