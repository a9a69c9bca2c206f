"""`RecordReader`: the records of a running session, as arrays or one at a time."""

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from kinegraph.robot.control.records import (
    CartesianSent,
    JointSent,
    TargetRecord,
    records_from_rows,
)
from kinegraph.robot.loop.rings import Ring, RingReader

__all__ = ["RecordReader", "record_kind"]

KINDS: tuple[type[TargetRecord], ...] = (CartesianSent, JointSent)
# Records taken from the ring at a time.
BLOCK = 256

R = TypeVar("R", bound=TargetRecord)


def record_kind(fields: Sequence[tuple[str, int]]) -> type[TargetRecord]:
    """Return the class of the records with these fields."""
    return next(kind for kind in KINDS if kind.layout == tuple(fields))


class RecordReader(RingReader, Generic[R]):
    """Reads the records of a session in order, each once; several may read beside each other.

    The session keeps the newest ones; `lost` counts those that were overwritten before this reader
    came. Iterating gives those that are there, one at a time, and ends with the newest; do it again
    for what has come since.

    Args:
        ring: Ring of the records.
        joints: Number of joints of the arm.

    Attributes:
        joints: As given.
        kind: `CartesianSent` or `JointSent`.
        position: Number of the next record.
        lost: Records overwritten before they were read, in all.
    """

    __slots__ = ("joints", "kind")

    def __init__(self, ring: Ring, joints: int) -> None:
        super().__init__(ring, 0)
        self.joints = joints
        self.kind: type[R] = record_kind(ring.fields)  # type: ignore[assignment]

    def read_records(self, rows: int | None = None) -> tuple[npt.NDArray[np.void], int]:
        """Return the records that are there, without waiting.

        Args:
            rows: How many at most; None all.

        Returns:
            (n,) structured array with the fields of `kind` and their types, n may be 0; and how
            many were lost right before them.
        """
        found, lost = self.read(rows)
        return records_from_rows(found, self.joints, self.kind), lost

    def __iter__(self) -> Iterator[R]:
        """Iterate over the records that are there, each made when its turn comes."""
        while len(found := self.read(BLOCK)[0]):
            for row in found:
                yield self.kind.from_row(row, self.joints)
