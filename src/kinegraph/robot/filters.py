"""The low-pass filters of the robot's interface as functions, checked."""

import math
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinegraph.robot.argument_checks import as_numbers, is_number
from kinegraph.robot.command_checks import pose_values
from kinegraph.robot.conversion_codes import FILTER_CUTOFF, FILTER_TIME, FILTER_VALUE
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import TransformLike

__all__ = ["cartesian_lowpass_filter", "lowpass_filter"]


@overload
def lowpass_filter(
    sample_time: float, current: float, last: float, cutoff_frequency: float
) -> float: ...
@overload
def lowpass_filter(
    sample_time: float, current: NDArray[Any], last: NDArray[Any], cutoff_frequency: float
) -> Array: ...
def lowpass_filter(
    sample_time: float, current: ArrayLike, last: ArrayLike, cutoff_frequency: float
) -> float | Array:
    r"""Filter a value, or each of several: :math:`y = g x + (1 - g) y_{last}`.

    :math:`g = dt / (dt + 1 / (2 \pi f))`. The function always filters; that 1000 Hz means no
    filter is a matter of the control loops.

    Args:
        sample_time: dt, s.
        current: New value, or array of values.
        last: Last filtered value, or array of the same shape.
        cutoff_frequency: f, Hz.

    Raises:
        InvalidArgumentError: The time is negative, the frequency not positive, shapes differ, or
            something is not finite. Also a `ValueError`.
    """
    _check_settings(sample_time, cutoff_frequency)
    x, y = as_numbers("current", current), as_numbers("last", last)
    if x.shape != y.shape:
        raise InvalidArgumentError(f"current has shape {x.shape}, last {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidArgumentError(FILTER_VALUE)
    from kinegraph.robot.filter_kernels import filter_gain

    gain = filter_gain(float(sample_time), float(cutoff_frequency))
    filtered = gain * x + (1.0 - gain) * y
    return filtered if filtered.ndim else float(filtered)


def cartesian_lowpass_filter(
    sample_time: float, current: TransformLike, last: TransformLike, cutoff_frequency: float
) -> Array:
    """Filter a pose: the position as values, the rotation along the shorter arc.

    Args:
        sample_time: s.
        current: New pose, (16,) column-major, 4x4 or `Isometry3d`.
        last: Last filtered pose, likewise.
        cutoff_frequency: Hz.

    Returns:
        (16,) pose, column-major; its last row is that of `current`.

    Raises:
        InvalidArgumentError: The time is negative, the frequency not positive, or something is not
            finite or no pose. Also a `ValueError`.
    """
    x, y = pose_values(current, "current"), pose_values(last, "last")
    try:
        _check_settings(sample_time, cutoff_frequency)
    except InvalidArgumentError as error:
        raise InvalidArgumentError(f"Cartesian {error}") from None
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidArgumentError(f"Cartesian {FILTER_VALUE}")
    from kinegraph.robot.filter_kernels import POSE_FILTER_WORK, filter_gain, filter_pose

    gain = filter_gain(float(sample_time), float(cutoff_frequency))
    filter_pose(gain, x, 0, y, 0, x, 0, np.empty(POSE_FILTER_WORK))
    return x


def _check_settings(sample_time: float, cutoff_frequency: float) -> None:
    if not (is_number(sample_time) and math.isfinite(sample_time) and sample_time >= 0.0):
        raise InvalidArgumentError(f"{FILTER_TIME} ({sample_time})", value=sample_time)
    finite = is_number(cutoff_frequency) and math.isfinite(cutoff_frequency)
    if not (finite and cutoff_frequency > 0.0):
        raise InvalidArgumentError(f"{FILTER_CUTOFF} ({cutoff_frequency})", value=cutoff_frequency)
