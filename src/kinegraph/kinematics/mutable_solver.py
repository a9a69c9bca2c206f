"""`MutableStateSolver`: what can be changed in the tree of a solver."""

import operator
from abc import abstractmethod

from kinegraph.kinematics.solver import StateSolver
from kinegraph.kinematics.values import real_number
from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint
from kinegraph.scene.link import Link
from kinegraph.scene.pose import TransformLike

__all__ = ["MutableStateSolver"]


class MutableStateSolver(StateSolver):
    """A solver whose tree can be changed.

    Every change returns False when names do not fit and raises when an argument is malformed; in
    both cases nothing has changed. Values of joints that a change does not touch are kept; a new
    active joint stands at 0, a new floating joint at its origin. New joints and links come last in
    all name lists. A name that is no str is a `WrongTypeError`, also a `TypeError`, everywhere.
    """

    __slots__ = ()

    def setRevision(self, revision: int) -> None:
        """Set the revision number, which changes of the tree leave alone.

        Raises:
            WrongTypeError: Not an int. Also a `TypeError`.
        """
        try:
            number = operator.index(revision)
        except TypeError as error:
            raise WrongTypeError(f"setRevision: an int is needed, not {revision!r:.100}") from error
        if isinstance(revision, bool):
            raise WrongTypeError(f"setRevision: an int is needed, not {revision!r}")
        self._revision = number

    def getRevision(self) -> int:
        """Return the revision number, 0 at the beginning."""
        return self._revision

    @abstractmethod
    def addLink(self, link: Link, joint: Joint) -> bool:
        """Add a link below `joint.parent_link_name`.

        Returns:
            False when a name is taken, the parent is unknown, or `joint` has another child.

        Raises:
            WrongTypeError: Not a link and a joint. Also a `TypeError`.
            InvalidJointError: A moving joint without limits or axis, or with a mimic rule that
                leads nowhere. Also a `ValueError`.
            NotFiniteError, InvalidLimitError: Impossible numbers. Also `ValueError`.
            UnsupportedError: A planar or unknown joint type. Also a `RuntimeError`.
        """

    @abstractmethod
    def moveLink(self, joint: Joint) -> bool:
        """Attach `joint.child_link_name`, with all below it, by another joint.

        The joint that carried it disappears; the new one may have its name. Both come last in
        the name lists.

        Returns:
            False when child or parent is unknown, the child is the base link, the parent is the
            child or below it, the joint's name belongs to a joint elsewhere, or a mimic joint
            would lose its master.

        Raises:
            WrongTypeError, InvalidJointError, NotFiniteError, InvalidLimitError,
            UnsupportedError: As in `addLink`.
        """

    @abstractmethod
    def removeLink(self, name: str) -> bool:
        """Remove a link, the joint that carries it and all below it.

        Returns:
            False for an unknown link, the base link, or when a mimic joint would lose its master.
        """

    @abstractmethod
    def removeJoint(self, name: str) -> bool:
        """Remove a joint, its child link and all below it.

        Returns:
            False for an unknown joint, or when a mimic joint would lose its master.
        """

    @abstractmethod
    def replaceJoint(self, joint: Joint) -> bool:
        """Replace the joint of the same name.

        With the same type and parent, value and places in the name lists stay; otherwise as
        `moveLink`.

        Returns:
            False when joint or parent is unknown, the child is another link, the parent is the
            child or below it, or a mimic joint would lose its master.

        Raises:
            WrongTypeError, InvalidJointError, NotFiniteError, InvalidLimitError,
            UnsupportedError: As in `addLink`.
        """

    @abstractmethod
    def moveJoint(self, name: str, parent_link: str) -> bool:
        """Attach a joint, with all below it, to another parent link; origin and value stay.

        Returns:
            False when joint or link is unknown, or the link is the joint's child or below it.
        """

    @abstractmethod
    def changeJointOrigin(self, name: str, new_origin: TransformLike) -> bool:
        """Change the pose of a joint in its parent link; of a floating joint, its value.

        Returns:
            False for an unknown joint.

        Raises:
            NotFiniteError, NotRigidError: Not a rigid transform. Also `ValueError`.
            ShapeError, WrongTypeError: Not a 4x4 matrix. Also a `TypeError`.
        """

    @abstractmethod
    def changeJointPositionLimits(self, name: str, lower: float, upper: float) -> bool:
        """Change a joint's position limits, rad or m; the current value is not clamped.

        Returns:
            False for a joint that is unknown or has no value.

        Raises:
            InvalidLimitError: NaN, or lower > upper. Also a `ValueError`.
            WrongTypeError: Not numbers. Also a `TypeError`.
        """

    @abstractmethod
    def changeJointVelocityLimits(self, name: str, limit: float) -> bool:
        """Change a joint's velocity limit, rad/s or m/s.

        Returns:
            False for a joint that is unknown or has no value.

        Raises:
            InvalidLimitError: NaN, or negative. Also a `ValueError`.
            WrongTypeError: Not a number. Also a `TypeError`.
        """

    @abstractmethod
    def changeJointAccelerationLimits(self, name: str, limit: float) -> bool:
        """Change a joint's acceleration limit, rad/s^2 or m/s^2; as `changeJointVelocityLimits`."""

    @abstractmethod
    def changeJointJerkLimits(self, name: str, limit: float) -> bool:
        """Change a joint's jerk limit, rad/s^3 or m/s^3; as `changeJointVelocityLimits`."""

    @abstractmethod
    def insertSceneGraph(self, scene_graph: SceneGraph, joint: Joint, prefix: str = "") -> bool:
        """Attach a copy of another graph below a link.

        Args:
            scene_graph: A tree. Every link and joint name of it gets the prefix.
            joint: From a link of the solver to the graph's root, whose name has the prefix here
                already; the joint's own name is used as it is.
            prefix: What stands before the graph's names.

        Returns:
            False when the parent is unknown, the child is not the prefixed root, the graph is
            empty, or any name is taken.

        Raises:
            TreeError: The graph is not a tree. Also a `RuntimeError`.
            WrongTypeError, InvalidJointError, NotFiniteError, InvalidLimitError,
            UnsupportedError: As in `addLink`.
        """


def limit_number(value: object, method: str) -> float:
    """Return a limit as float; NaN is left to the caller."""
    return real_number(value, f"{method}: a limit")
