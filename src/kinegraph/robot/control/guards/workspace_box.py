"""`WorkspaceBox`: where the targets and the motion of a session may be."""

from dataclasses import dataclass

import numpy as np

from kinegraph.robot.control.arms import frozen
from kinegraph.robot.control.checks import check_shape, refuse
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["WorkspaceBox"]

AXES = "xyz"
TOUCH = 1e-9
"""A position so far outside, m, is on the border but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class WorkspaceBox(FrozenData):
    """A box in the robot's base frame that the controlled link's origin is kept in.

    Targets outside are refused. The trajectory brakes in time to stay inside, also where it passes
    a target; what an arm does that somebody pushes out of it is not the trajectory's.

    Attributes:
        lower: (3,) m; -inf where the box is open.
        upper: (3,) m; inf where it is open.
    """

    lower: VectorLike
    upper: VectorLike

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, frozen(getattr(self, name), name))

    def validate(self, name: str = "workspace") -> None:
        """Raise InvalidArgumentError unless both corners have three numbers in this order."""
        lower, upper = np.asarray(self.lower), np.asarray(self.upper)
        for part, corner in (("lower", lower), ("upper", upper)):
            if corner.shape != (3,):
                raise refuse(f"{name}.{part}", corner, "has not three numbers")
        if not (lower < upper).all():
            raise refuse(name, (lower.tolist(), upper.tolist()), "has no room on some axis")

    def contains(self, position: VectorLike) -> bool:
        """Return whether a position (3,), m, is inside or on the border."""
        p = check_shape("position", position, (3,))
        return bool((p >= self.lower).all() and (p <= self.upper).all())

    def check(self, field: str, positions: Array) -> None:
        """Raise InvalidArgumentError for positions outside.

        Args:
            field: How the message calls them.
            positions: (3,) or (n, 3), m.
        """
        rows = np.atleast_2d(positions)
        outside = np.argwhere(
            (rows < np.asarray(self.lower) - TOUCH) | (rows > np.asarray(self.upper) + TOUCH)
        )
        if outside.size == 0:
            return
        row, axis = (int(at) for at in outside[0])
        low, high = np.asarray(self.lower)[axis], np.asarray(self.upper)[axis]
        value = float(rows[row, axis])
        which = f" (row {row})" if len(rows) > 1 else ""
        raise InvalidArgumentError(
            f"{field}{which}: {AXES[axis]} = {value:.6g} m is outside the workspace "
            f"[{low:g}, {high:g}]",
            field=field,
            value=value,
            row=row,
        )
