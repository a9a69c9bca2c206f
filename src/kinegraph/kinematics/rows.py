"""Rows of numbers as users have them: checked as a whole, converted piece by piece.

Kernels take contiguous float64. An array of another kind or layout (float32, big-endian, Fortran
order, every second column, a file mapped into memory) may be as large as memory allows, so that a
converted copy of it would not fit.
"""

from collections.abc import Iterator

import numpy as np

from kinegraph.kinematics.batch_layout import BLOCK
from kinegraph.kinematics.compiled import FLOAT, kernels
from kinegraph.kinematics.values import as_ready
from kinegraph.scene.array_types import Array

__all__ = ["first_not_finite", "is_ready", "pieces"]

# Numbers that are converted or looked at in one go: 512 KB of float64.
PIECE = 65_536


def is_ready(rows: Array) -> bool:
    """Tell whether kernels can take an array as it is."""
    flags = rows.flags
    fits = type(rows) is np.ndarray and rows.dtype is FLOAT
    return fits and flags.c_contiguous and flags.writeable and flags.aligned


def pieces(rows: Array, first: int, end: int) -> Iterator[tuple[int, Array]]:
    """Go through rows `first` to `end - 1` of an array of real numbers.

    Yields:
        The number of the first row, and some rows as a contiguous, writeable float64 array, which
        may be part of the given one.
    """
    if is_ready(rows):
        yield first, rows[first:end]
        return
    step = _rows_of(rows, PIECE)
    for start in range(first, end, step):
        yield start, as_ready(rows[start : min(start + step, end)])


def first_not_finite(rows: Array) -> tuple[int, ...] | None:
    """Return the index of the first number that is NaN or infinite, or None."""
    if is_ready(rows) and kernels.are_finite(rows.reshape(-1)):
        return None
    step = _rows_of(rows, PIECE)
    for start in range(0, len(rows), step):
        for _, part in pieces(rows, start, min(start + step, len(rows))):
            good = np.isfinite(part)
            if not good.all():
                place, *rest = np.argwhere(~good)[0].tolist()
                return start + place, *rest
    return None


def _rows_of(rows: Array, count: int) -> int:
    """Return how many whole blocks of rows have about so many numbers, at least one block."""
    width = max(1, rows[:1].size)
    return max(1, count // (width * BLOCK)) * BLOCK
