"""Rows of the simulated robot's cycles for a recorder: states and the commands used in them."""

from collections.abc import Sequence

import numpy as np

from kinegraph.robot.sim.int_layout import N_trace_rows
from kinegraph.robot.sim.memory import SimMemory
from kinegraph.robot.wire.state_layout import COMMAND_FIELDS, STATE_FIELDS, STATE_SIZE
from kinegraph.scene.array_types import Array

__all__ = ["CycleRows"]


class CycleRows:
    """Reads one half of the rows in the trace's ring, in order; a `RowSource`.

    Args:
        memory: The robot's memory.
        commands: Whether the commands are meant, not the states.
    """

    def __init__(self, memory: SimMemory, *, commands: bool) -> None:
        self._memory = memory
        self._part = slice(STATE_SIZE, None) if commands else slice(0, STATE_SIZE)
        self._position = int(memory.n[N_trace_rows])
        self.fields: Sequence[tuple[str, int]] = COMMAND_FIELDS if commands else STATE_FIELDS

    def read(self) -> tuple[Array, int]:
        """Return the rows since the last call, and how many were overwritten before them."""
        ring, n = self._memory.ring(), self._memory.n
        written = int(n[N_trace_rows])
        start = max(self._position, written - len(ring) + 1)
        rows = ring[np.arange(start, written) % len(ring), self._part]
        # What the loop has overwritten meanwhile is of no use, nor is the row that it is at.
        first = max(start, int(n[N_trace_rows]) - len(ring) + 1)
        lost, self._position = first - self._position, max(first, written)
        return rows[first - start :], lost
