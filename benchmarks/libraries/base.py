"""The questions that a library is asked."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from robots import Robot, with_gripper

__all__ = ["Library"]


class Library:
    """One robot in one library.

    Joint values are handed over in the library's own order and form, prepared outside the timed
    part; answers are numpy arrays of float64. A question that a library has no method for is
    left out for it.

    Attributes:
        packages: Distributions whose versions are printed.
        only: The questions it is asked; empty for all.
        order: Joints of its value vectors.
        links: Links of `all_poses`, in its order.
        looped: Whether `batch` and `jacobians` are loops in Python, so that a part tells the whole.
    """

    packages: ClassVar[tuple[str, ...]] = ()
    only: ClassVar[tuple[str, ...]] = ()
    looped = True
    order: Sequence[str]
    links: Sequence[str]

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.tip = robot.tip

    def rows(self, q: Any) -> Sequence[Any]:
        """Value vectors (N, n), columns as in `order`, in the library's form."""
        return list(np.ascontiguousarray(q))

    def stack(self, q: Any) -> Any:
        """The same for a batch."""
        return self.rows(q)

    def pose(self, q: Any) -> Any:
        raise NotImplementedError

    def set_pose(self, q: Any) -> Any:
        return self.pose(q)

    def jacobian(self, q: Any) -> Any:
        raise NotImplementedError

    def set_jacobian(self, q: Any) -> Any:
        return self.jacobian(q)

    def batch(self, stack: Any) -> Any:
        poses = np.empty((len(stack), 4, 4))
        for i, row in enumerate(stack):
            poses[i] = self.pose(row)
        return poses

    def jacobians(self, stack: Any) -> Any:
        first = self.jacobian(stack[0])
        found = np.empty((len(stack), *first.shape))
        for i, row in enumerate(stack):
            found[i] = self.jacobian(row)
        return found

    def start_leaf(self, row: Any) -> None:
        """Bring the robot to a configuration from which one joint is changed."""
        self.current = row

    def leaf(self, value: float) -> Any:
        raise NotImplementedError

    def attach_setup(self) -> Any:
        """What a user has in hand before the gripper is attached; not timed."""
        return with_gripper(self.robot)

    def attach(self, setup: Any) -> Any:
        """Attach the gripper under its prefix; the pose of its last link, all joints at zero."""
        made = type(self)(setup)
        return made.pose(made.rows(np.zeros((1, len(made.order))))[0])

    def inverse_setup(self, targets: Any, seeds: Any) -> Any:
        """Bring targets (N, 4, 4) and seeds (N, n) into the library's form; not timed."""
        raise NotImplementedError

    def inverse(self, problem: Any) -> Any:
        """Solve all; which of them were solved, as an array of bool."""
        raise NotImplementedError
