"""A block of frames, one per configuration, on the way along one chain.

Within a block each number of the frame is a row of the work
array, so that the compiler works on several configurations at once. The rows lie in a flat array at
constant distances, and loops run over whole rows: otherwise the compiler would have to check where
rows end and that they do not overlap. What stands in a row behind the last configuration is
computed, and not used. The work array stays in the first-level cache, and a thread needs one of its
own; `batches.work_array` makes it.

Most constants of a chain are 0 or 1; steps leave out what such a constant does not change.
"""

import math

import numpy as np

from kinegraph.kinematics.batch_layout import ANGLES, BLOCK, COSINES
from kinegraph.kinematics.chain_layout import (
    BASE,
    COLUMN,
    COLUMN_COUNT,
    COS,
    COS_OFFSET,
    SHIFT_X,
    SIN,
    SIN_OFFSET,
    SLIDE,
    STEP_COUNT,
    STEP_SIZE,
    STEPS,
    TOOL,
    TURN,
)
from kinegraph.kinematics.jit import kernel
from kinegraph.kinematics.trig_kernels import LARGE_ANGLE, sincos_quarter
from kinegraph.scene.array_types import Array

__all__ = [
    "GOOD",
    "LARGE",
    "NOT_FINITE",
    "P",
    "X",
    "Y",
    "Z",
    "block_base",
    "block_step",
    "block_tool",
    "judge_values",
    "value_limit",
]

# Where the rows of axes and origins, sines and cosines begin.
X, Y, Z, P = 0, BLOCK * 3, BLOCK * 6, BLOCK * 9
_S, _C = BLOCK * ANGLES, BLOCK * COSINES

# What values can be.
GOOD, LARGE, NOT_FINITE = 0, 1, 2

# An offset that is not a number of quarter turns.
_GENERAL = -1


@kernel
def value_limit(data: Array) -> float:
    """Largest value whose angles can be reduced in all steps."""
    factor = 1.0
    for i in range(int(data[STEP_COUNT])):
        factor = max(factor, abs(data[STEPS + STEP_SIZE * i + TURN]))
    return LARGE_ANGLE / factor


@kernel
def count_beyond(q: Array, start: int, end: int, limit: float) -> int:
    """Count the values beyond a limit, NaN among them."""
    count = 0
    # Counting is widened, a maximum is not; and a place that could be negative is not either.
    for i in range(np.uint64(start), np.uint64(end)):
        count += 0 if abs(q[i]) <= limit else 1
    return count


@kernel
def judge_values(q: Array, start: int, end: int, limit: float) -> int:
    """Tell whether values are good, or some are large, or some are not finite."""
    if count_beyond(q, start, end, limit) == 0:
        return GOOD
    for i in range(start, end):
        if not math.isfinite(q[i]):
            return NOT_FINITE
    return LARGE


@kernel
def quarter_of(data: Array, k: int) -> int:
    """A step's angle offset in quarter turns, or `_GENERAL`."""
    co, so = data[k + COS_OFFSET], data[k + SIN_OFFSET]
    if so == 0.0:
        return 0 if co > 0.0 else 2
    if co == 0.0:
        return 1 if so > 0.0 else 3
    return _GENERAL


@kernel
def block_sincos(data: Array, k: int, large: bool, f: Array) -> None:
    """Replace the angles by the sines of angle plus offset, and write their cosines."""
    quarter = quarter_of(data, k)
    if large:
        for m in range(BLOCK):
            angle = f[_S + m]
            f[_S + m], f[_C + m] = math.sin(angle), math.cos(angle)
    else:
        quarters = np.int32(max(quarter, 0))
        for m in range(BLOCK):
            f[_S + m], f[_C + m] = sincos_quarter(f[_S + m], quarters)
    if large or quarter == _GENERAL:
        co, so = data[k + COS_OFFSET], data[k + SIN_OFFSET]
        for m in range(BLOCK):
            s, c = f[_S + m], f[_C + m]
            f[_S + m], f[_C + m] = s * co + c * so, c * co - s * so


@kernel
def block_shift(data: Array, at: int, f: Array) -> None:
    """Move the origins by the three numbers at `at`, in the axes of the frames."""
    for i in range(3):
        t = data[at + i]
        if t != 0.0:
            for m in range(3 * BLOCK):
                f[P + m] += f[BLOCK * 3 * i + m] * t


@kernel
def block_turn(a: float, b: float, f: Array) -> None:
    """Turn the frames about x by the angle with cosine `a`, sine `b`, then each about its z."""
    if a == 0.0:
        for r in range(3):
            for m in range(BLOCK):
                x, y, v = f[X + BLOCK * r + m], f[Y + BLOCK * r + m], f[Z + BLOCK * r + m] * b
                s, c = f[_S + m], f[_C + m]
                f[Z + BLOCK * r + m] = -y * b
                f[X + BLOCK * r + m] = x * c + v * s
                f[Y + BLOCK * r + m] = v * c - x * s
        return
    for r in range(3):
        for m in range(BLOCK):
            x, y, z = f[X + BLOCK * r + m], f[Y + BLOCK * r + m], f[Z + BLOCK * r + m]
            s, c = f[_S + m], f[_C + m]
            v = y * a + z * b
            f[Z + BLOCK * r + m] = z * a - y * b
            f[X + BLOCK * r + m] = x * c + v * s
            f[Y + BLOCK * r + m] = v * c - x * s


@kernel
def block_step(data: Array, k: int, q: Array, at: int, count: int, large: bool, f: Array) -> None:
    """Carry the frames of a block over one joint; rows 0-8 are its axes, 9-11 its origin.

    The value of configuration `m` is `q[at + n * m + column]`.
    """
    turn, slide = data[k + TURN], data[k + SLIDE]
    start, n = np.uint64(at + int(data[k + COLUMN])), np.uint64(data[COLUMN_COUNT])
    place = start
    for m in range(count):
        f[_S + m] = turn * q[place]
        place += n
    block_sincos(data, k, large, f)
    block_shift(data, k + SHIFT_X, f)
    block_turn(data[k + COS], data[k + SIN], f)
    if slide != 0.0:
        for r in range(3):
            place = start
            for m in range(count):
                f[P + BLOCK * r + m] += f[Z + BLOCK * r + m] * (slide * q[place])
                place += n


@kernel
def block_base(data: Array, f: Array) -> None:
    """Start every frame of a block at the base."""
    for r in range(3):
        x, y, z, p = data[BASE + r], data[BASE + 3 + r], data[BASE + 6 + r], data[BASE + 9 + r]
        for m in range(BLOCK):
            f[X + BLOCK * r + m], f[Y + BLOCK * r + m] = x, y
            f[Z + BLOCK * r + m], f[P + BLOCK * r + m] = z, p


@kernel
def is_turned(data: Array, at: int) -> bool:
    """Tell whether a rotation, nine numbers, is another one than the identity."""
    differences = 0
    for i in range(9):
        differences += 0 if data[at + i] == (1.0 if i % 4 == 0 else 0.0) else 1
    return differences > 0


@kernel
def block_tool(data: Array, f: Array) -> None:
    """Carry the frames of a block to the tip."""
    t = TOOL
    block_shift(data, t + 9, f)
    if is_turned(data, t):
        for r in range(3):
            for m in range(BLOCK):
                x, y, z = f[X + BLOCK * r + m], f[Y + BLOCK * r + m], f[Z + BLOCK * r + m]
                f[X + BLOCK * r + m] = x * data[t] + y * data[t + 1] + z * data[t + 2]
                f[Y + BLOCK * r + m] = x * data[t + 3] + y * data[t + 4] + z * data[t + 5]
                f[Z + BLOCK * r + m] = x * data[t + 6] + y * data[t + 7] + z * data[t + 8]
