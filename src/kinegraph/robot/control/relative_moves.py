"""Relative moves: a pose, moved by a step that is given in the axes of some frame."""

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.checks import check_finite_vector
from kinegraph.robot.control.rotation import checked_pose, quaternion_xyzw
from kinegraph.robot.control.rotation_kernels import rotation_of_quaternion, turn_by
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import TransformLike

__all__ = ["checked_step", "moved"]


def checked_step(delta: TransformLike) -> tuple[Array, Array]:
    """Return the translation (3,), m, and the rotation (3, 3) of a step.

    Args:
        delta: (3,) translation, m; (6,) translation and rotation vector, rad; or a transform,
            rigid within 1e-3.

    Raises:
        InvalidArgumentError: It is none of these. Also a `ValueError`.
    """
    array = as_numbers("delta", getattr(delta, "homogeneous", delta))
    if array.shape == (4, 4):
        pose = checked_pose(array)
        return pose[:3, 3], pose[:3, :3]
    if array.shape not in ((3,), (6,)):
        raise InvalidArgumentError(
            f"delta: shape {array.shape}, expected (3,) a translation, (6,) a translation and a "
            "rotation vector, or (4, 4) a transform",
            field="delta",
            value=delta,
        )
    check_finite_vector("delta", array, None)
    rotation = np.eye(3).ravel()
    if array.size == 6:
        turn_by(array[3], array[4], array[5], rotation, 0, rotation, 0)
    return array[:3], rotation.reshape(3, 3)


def moved(target: Array, step: tuple[Array, Array], axes: Array | None = None) -> Array:
    """Return a target (7,), moved by a step.

    The translation and the turn are those of the step in the axes of a frame; the turn is about
    the target's own origin.

    Args:
        target: (7,) position, m, and quaternion x, y, z, w, base frame.
        step: What `checked_step` returns.
        axes: (3, 3) rotation of the frame in the base; None for the target's own axes.
    """
    flat = np.empty(9)
    rotation_of_quaternion(target, 3, flat, 0)
    own = flat.reshape(3, 3)
    frame = own if axes is None else axes
    translation, turn = step
    out = target.copy()
    out[:3] += frame @ translation
    if not np.array_equal(turn, np.eye(3)):
        out[3:] = quaternion_xyzw(frame @ turn @ frame.T @ own)
    return out
