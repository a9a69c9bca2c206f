r"""Joint velocities for a wanted motion of a link, also through singular poses."""

import math
from typing import Any

import numpy as np

from kinegraph.kinematics.values import real_array, real_number
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.errors import InvalidLimitError, LengthError, NotFiniteError, ShapeError

__all__ = ["joint_velocities"]

DAMPING = 0.05
"""Singular values far above it pass, those far below are held back; m/rad for linear rows."""


def joint_velocities(
    jacobian: Any,
    twist: VectorLike,
    damping: float = DAMPING,
    velocity_limits: VectorLike | None = None,
) -> Array:
    r"""Joint velocities that move a link by a twist, by damped least squares.

    :math:`\dot q = J^T (J J^T + \lambda^2 I)^{-1} v`, the minimum of
    :math:`|J \dot q - v|^2 + \lambda^2 |\dot q|^2` (Nakamura and Hanafusa, Inverse Kinematic
    Solutions With Singularity Robustness, 1986). At a singular pose the result stays finite: its
    norm is at most :math:`|v| / 2 \lambda`. Without damping it is the shortest of the best
    solutions, and may be huge near a singular pose.

    Args:
        jacobian: (m, n), any rows of a Jacobian: all six, or those that count, for instance
            `J[:3]` to leave the rotation free.
        twist: (m,) wanted velocity in the same rows, m/s and rad/s.
        damping: :math:`\lambda`, in the unit of the Jacobian's rows; 0 for none.
        velocity_limits: (n,) largest velocities, rad/s or m/s, all positive, infinite for none. If
            one is passed, all shrink by one factor, so that the direction of the motion is kept.

    Returns:
        (n,) velocities, rad/s or m/s.

    Raises:
        WrongTypeError: Not real numbers. Also a `TypeError`.
        ShapeError: `jacobian` is not (m, n). Also a `ValueError`.
        LengthError: `twist` is not (m,) or the limits not (n,). Also a `ValueError`.
        NotFiniteError: A number is NaN or infinite, or too large for the result to be a float. Also
            a `ValueError`.
        InvalidLimitError: `damping` is negative, or a limit is not positive. Also a `ValueError`.
    """
    J = real_array(jacobian, "joint_velocities: jacobian")
    if J.ndim != 2:
        raise ShapeError(f"joint_velocities: the jacobian must be (m, n), not {J.shape}")
    rows, n = J.shape
    v = _vector(twist, rows, "twist", "rows")
    if not np.isfinite(J).all():
        raise NotFiniteError("joint_velocities: the Jacobian has numbers that are not finite")
    factor = real_number(damping, "joint_velocities: damping")
    if not math.isfinite(factor):
        raise NotFiniteError(f"joint_velocities: damping is {factor}")
    if factor < 0.0:
        raise InvalidLimitError(f"joint_velocities: damping must be 0 or more, not {damping!r}")
    limits = None if velocity_limits is None else _limits(velocity_limits, n)
    with np.errstate(all="ignore"):  # what overflows is told below
        velocities = _shortened(_solved(J, v, factor), limits)
    if not np.isfinite(velocities).all():
        raise NotFiniteError("joint_velocities: no float can hold the velocities that solve this")
    return velocities


def _solved(J: Array, v: Array, damping: float) -> Array:
    # Through the singular values: exact also where J J^T would have lost half of the digits.
    U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
    if damping > 0.0:
        # As two factors, so that neither a tiny nor a huge value squares itself away.
        scale = np.maximum(sigma, damping)
        share = sigma / scale / (sigma / scale * sigma + damping / scale * damping)
    else:
        kept = sigma > np.finfo(float).eps * max(J.shape) * sigma.max(initial=0.0)
        share = np.divide(1.0, sigma, out=np.zeros_like(sigma), where=kept)
    velocities: Array = Vt.T @ (share * (U.T @ v))
    return velocities


def _shortened(velocities: Array, limits: Array | None) -> Array:
    if limits is None:
        return velocities
    return velocities / max(1.0, float(np.max(np.abs(velocities) / limits, initial=0.0)))


def _vector(values: VectorLike, count: int, name: str, what: str) -> Array:
    vector = real_array(values, f"joint_velocities: {name}")
    if vector.shape != (count,):
        raise LengthError(
            f"joint_velocities: {name} has shape {vector.shape}, the Jacobian {count} {what}"
        )
    if not np.isfinite(vector).all():
        raise NotFiniteError(f"joint_velocities: {name} has numbers that are not finite")
    return vector


def _limits(values: VectorLike, n: int) -> Array:
    limits = real_array(values, "joint_velocities: velocity_limits")
    if limits.shape != (n,):
        raise LengthError(
            f"joint_velocities: velocity_limits has shape {limits.shape}, the Jacobian {n} columns"
        )
    if not (limits > 0.0).all():  # NaN is none
        raise InvalidLimitError(f"joint_velocities: limits must be positive, not {limits.tolist()}")
    return limits
