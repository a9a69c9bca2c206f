"""All that one simulated robot works on, allocated once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kinegraph.robot.sim.float_layout import (
    FLOAT_OFFSETS,
    FLOAT_SIZE,
)
from kinegraph.robot.sim.int_layout import (
    INT_OFFSETS,
    INT_SIZE,
)
from kinegraph.robot.wire.state_layout import COMMAND_SIZE, STATE_SIZE
from kinegraph.scene.array_types import Array, ByteArray, IntArray

__all__ = ["JOINTS", "TRACE_ROW", "SimMemory", "allocate"]

JOINTS = 7
TRACE_ROW = STATE_SIZE + COMMAND_SIZE
DATAGRAM_BYTES = 4096


@dataclass(frozen=True, slots=True, eq=False)
class SimMemory:
    """The arrays of one robot's kernels.

    Attributes:
        x: Floating point numbers, `float_layout.X_*`, then model, scratch and trace.
        n: Integers, `int_layout.N_*`.
        datagram: Bytes on their way in or out.
    """

    x: Array
    n: IntArray
    datagram: ByteArray

    def part(self, name: str, count: int) -> Array:
        """View of `count` numbers from the field `name` on."""
        at = FLOAT_OFFSETS[name]
        return self.x[at : at + count]

    def put(self, name: str, values: Array | Sequence[float]) -> None:
        """Write numbers to a field."""
        self.part(name, len(values))[:] = values

    def tail(self, name: str) -> Array:
        """View of one of the parts of variable size: `arm`, `chain`, `work`."""
        at, size = self.n[INT_OFFSETS[name] : INT_OFFSETS[name] + 2]
        return self.x[at : at + size]

    def ring(self) -> Array:
        """View of the trace's ring, (rows, TRACE_ROW)."""
        at, rows = self.n[INT_OFFSETS["trace"] : INT_OFFSETS["trace"] + 2]
        return self.x[at : at + rows * TRACE_ROW].reshape(rows, TRACE_ROW)


def allocate(arm: Array, chain: Array, workspace: int, trace_rows: int) -> SimMemory:
    """Allocate the memory of one robot, all zero but for the model.

    Args:
        arm: Data of the dynamics plan.
        chain: Data of the chain from base to flange.
        workspace: Numbers of scratch that the dynamics need.
        trace_rows: Cycles that the trace holds, 0 for none.
    """
    sizes = {"arm": arm.size, "chain": chain.size, "work": workspace}
    total = FLOAT_SIZE + sum(sizes.values())
    x = np.zeros(total + trace_rows * TRACE_ROW)
    memory = SimMemory(x, np.zeros(INT_SIZE, np.int64), np.zeros(DATAGRAM_BYTES, np.uint8))
    at = FLOAT_SIZE
    for name, size in sizes.items():
        memory.n[INT_OFFSETS[name] : INT_OFFSETS[name] + 2] = at, size
        at += size
    memory.n[INT_OFFSETS["trace"] : INT_OFFSETS["trace"] + 2] = at, trace_rows
    memory.tail("arm")[:] = arm
    memory.tail("chain")[:] = chain
    return memory
