"""The ring of an arm's cycles: each state, and the torques that answered it."""

import numpy as np

from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.loop.rings import Ring, RingReader
from kinegraph.robot.wire.state_layout import S_dq, S_q, S_time
from kinegraph.scene.array_types import Array

__all__ = ["ARM_CYCLE_FIELDS", "CycleLog"]

CYCLE_ROWS = 16384

ARM_CYCLE_FIELDS: tuple[tuple[str, int], ...] = (
    ("time_s", 1),
    ("compute_ns", 1),
    ("q", MAX_JOINTS),
    ("dq", MAX_JOINTS),
    ("torques", MAX_JOINTS),
)
"""Fields of a row, with their numbers of entries; of those of joints the first n count."""

TIME, COMPUTE, Q, DQ, TORQUES = 0, 1, 2, 2 + MAX_JOINTS, 2 + 2 * MAX_JOINTS


class CycleLog:
    """Notes the cycles of an arm of n joints."""

    def __init__(self, joints: int) -> None:
        self._joints = joints
        self._ring = Ring(CYCLE_ROWS, ARM_CYCLE_FIELDS)
        self._row = np.zeros(self._ring.width)

    def reader(self) -> RingReader:
        """Return a reader from the first cycle that is still there."""
        return self._ring.reader(0)

    def note(self, state: Array, torques: Array, compute_ns: int) -> None:
        """Append a cycle.

        Args:
            state: Row of the arm, see `arm_row`.
            torques: (n,) Nm, sent.
            compute_ns: What the answer took.
        """
        from kinegraph.robot.loop.ring_kernels import push

        row, n, ring = self._row, self._joints, self._ring
        row[TIME], row[COMPUTE] = 1e-3 * state[S_time], compute_ns
        row[Q : Q + n] = state[S_q : S_q + n]
        row[DQ : DQ + n] = state[S_dq : S_dq + n]
        row[TORQUES : TORQUES + n] = torques
        push(ring.data, ring.head, ring.width, row)
