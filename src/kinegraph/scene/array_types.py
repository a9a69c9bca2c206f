"""Names for the array types that signatures use everywhere."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
"""An array of float64."""

IntArray: TypeAlias = NDArray[np.int64]
"""An array of int64."""

ByteArray: TypeAlias = NDArray[np.uint8]
"""An array of bytes."""

VectorLike: TypeAlias = NDArray[np.floating | np.integer] | Sequence[float]
"""A one-dimensional array, list or tuple of real numbers."""
