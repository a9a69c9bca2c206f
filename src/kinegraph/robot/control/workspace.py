"""The controller's flat arrays by the names of their fields, for use outside the loop."""

import numpy as np

from kinegraph.robot.control.memory_layout import MEMORY_FIELDS, MEMORY_OFFSETS, MEMORY_SIZE
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["Workspace"]

COUNTS = dict(MEMORY_FIELDS)


class Workspace:
    """A controller's memory of its own, read and written by name."""

    def __init__(self) -> None:
        self.memory = np.zeros(MEMORY_SIZE)

    def write(self, name: str, values: VectorLike | float) -> None:
        """Write a field, from its start.

        Args:
            name: Field of `memory_layout`.
            values: At most as many numbers as the field has.
        """
        numbers = np.atleast_1d(np.asarray(values, dtype=np.float64)).ravel()
        at = MEMORY_OFFSETS[name]
        self.memory[at : at + min(numbers.size, COUNTS[name])] = numbers

    def read(self, name: str, count: int | None = None) -> Array:
        """Return a copy of a field, or of its first `count` numbers."""
        at = MEMORY_OFFSETS[name]
        return self.memory[at : at + (COUNTS[name] if count is None else count)].copy()

    def number(self, name: str) -> float:
        """Return a field of one number."""
        return float(self.memory[MEMORY_OFFSETS[name]])
