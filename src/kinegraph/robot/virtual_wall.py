"""A virtual wall of the robot, as it reports it (FCI version 5)."""

from dataclasses import dataclass

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d

__all__ = ["VirtualWall"]


@dataclass(frozen=True, slots=True, eq=False)
class VirtualWall:
    """A box that the robot keeps to as a virtual wall.

    Attributes:
        id: The number that was asked for.
        size: (3,) lengths of the box, m, read-only.
        frame: (16,) pose of the box in the base frame, column-major, read-only.
        active: Whether it is switched on.
    """

    id: int
    size: Array
    frame: Array
    active: bool

    def __post_init__(self) -> None:
        for name in ("size", "frame"):
            values = as_numbers(name, getattr(self, name))
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @property
    def pose(self) -> Isometry3d:
        """Pose of the box in the base frame.

        Raises:
            NotRigidError: The robot's numbers are no rigid transform. Also a `ValueError`.
        """
        return Isometry3d(self.frame.reshape(4, 4, order="F"))
