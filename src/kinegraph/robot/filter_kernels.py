"""The first-order low-pass filters of the robot's interface, fci-protocol 12.4."""

import math

from kinegraph.kinematics.jit import exact_kernel
from kinegraph.robot.rotation_kernels import (
    ROTATION_WORK,
    interpolate_quaternion,
    matrix_of_quaternion,
    nearest_rotation,
    quaternion_of_matrix,
)
from kinegraph.scene.array_types import Array

__all__ = ["POSE_FILTER_WORK", "filter_gain", "filter_pose", "filter_value"]

POSE_FILTER_WORK = 17 + ROTATION_WORK
"""Numbers of scratch that `filter_pose` needs."""

_ROTATION, _LAST, _CURRENT, _SVD = 0, 9, 13, 17


@exact_kernel
def filter_gain(sample_time: float, cutoff_frequency: float) -> float:
    """Share of the new value: dt / (dt + 1 / (2 pi f))."""
    return sample_time / (sample_time + 1.0 / (2.0 * math.pi * cutoff_frequency))


@exact_kernel
def filter_value(gain: float, current: float, last: float) -> float:
    """Move from `last` towards `current` by the gain."""
    return gain * current + (1.0 - gain) * last


@exact_kernel
def filter_pose(
    gain: float, current: Array, c: int, last: Array, p: int, out: Array, o: int, work: Array
) -> None:
    """Filter a pose: position as a value, rotation along the shorter arc.

    Args:
        gain: From `filter_gain`.
        current: Column-major pose at `c`.
        c: Offset.
        last: Column-major pose at `p`.
        p: Offset.
        out: Column-major pose is written at `o`; may be `current` at `c`.
        o: Offset.
        work: Scratch of `POSE_FILTER_WORK` numbers.
    """
    nearest_rotation(last, p, work, _ROTATION, work, _SVD)
    quaternion_of_matrix(work, _ROTATION, work, _LAST)
    nearest_rotation(current, c, work, _ROTATION, work, _SVD)
    quaternion_of_matrix(work, _ROTATION, work, _CURRENT)
    interpolate_quaternion(work, _LAST, _CURRENT, gain)
    matrix_of_quaternion(work, _CURRENT, work, _ROTATION)
    for i in range(3):
        out[o + 12 + i] = filter_value(gain, current[c + 12 + i], last[p + 12 + i])
    for j in range(4):
        out[o + 4 * j + 3] = current[c + 4 * j + 3]
    for i in range(3):
        for j in range(3):
            out[o + 4 * j + i] = work[_ROTATION + 3 * i + j]
