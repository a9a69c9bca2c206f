"""Changing a scene graph. Names that do not fit give False, malformed arguments raise.

Either way nothing has changed then: everything is checked first.
"""

from collections.abc import Iterable
from typing import Any, overload

from kinegraph.scene.allowed_collisions import AllowedCollisionMatrix
from kinegraph.scene.arguments import check_flag, check_kind, check_text
from kinegraph.scene.graph.flags import GraphFlags
from kinegraph.scene.graph.joint_rules import (
    check_joint,
    check_limits,
    complete_bounds,
    complete_joint,
    lacks_limits,
    make_float,
)
from kinegraph.scene.graph.link_rules import check_link
from kinegraph.scene.graph.paths import RIGID
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.joint_parts import JointLimits
from kinegraph.scene.link import Link
from kinegraph.scene.pose import TransformLike, as_isometry
from kinegraph.scene.sealing import seal


class GraphEdits(GraphFlags):
    """All methods that change links and joints one at a time."""

    def setName(self, name: str) -> None:
        """Rename the graph."""
        self._name = check_text(name, "SceneGraph: a name")
        self._touch()

    def setRoot(self, name: str) -> bool:
        """Choose the root link; False for an unknown one.

        A link below another one is accepted here and refused by the solvers.
        """
        if self._find(self._links, name) is None:
            return False
        self._root = name
        self._touch()
        return True

    def clear(self) -> None:
        """Remove all links, joints and allowed collisions; the name stays."""
        self._links, self._joints, self._inbound, self._outbound = {}, {}, {}, {}
        self._acm = AllowedCollisionMatrix()
        self._root = ""
        self._touch()

    @overload
    def addLink(self, link: Link, replace_allowed: bool = False) -> bool: ...
    @overload
    def addLink(self, link: Link, joint: Joint) -> bool: ...
    def addLink(  # type: ignore[misc]  # tesseract's two forms share the second place
        self,
        link: Link,
        joint: Joint | bool | None = None,
        replace_allowed: bool = False,
    ) -> bool:
        """Add a copy of a link, alone or with the joint that carries it.

        The first link becomes the root.

        Args:
            link: The link.
            joint: A joint to a link that exists; its child must be `link`.
            replace_allowed: Without a joint: put the link in the place of one of the same name.

        Returns:
            False when a name is taken, the joint's links do not fit or its limits are missing.

        Raises:
            WrongTypeError: Not a link or joint, or a part of the wrong type. Also a `TypeError`.
            NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
            InvalidInertialError: A mass below zero. Also a `ValueError`.
            InvalidLimitError: As in `addJoint`. Also a `ValueError`.
        """
        check_link(link)
        if isinstance(joint, Joint):
            return self._add_link_with_joint(link, joint)
        replace = check_flag(replace_allowed, "addLink: replace_allowed")
        if joint is not None:
            replace |= check_flag(joint, "addLink: what is not a Joint")
        if link.getName() in self._links and not replace:
            return False
        self._put_link(link.clone())
        return True

    def _add_link_with_joint(self, link: Link, joint: Joint) -> bool:
        name = link.getName()
        if name in self._links or joint.child_link_name != name:
            return False
        copy = self._fitting_joint(joint, (joint.parent_link_name,))
        if copy is None:
            return False
        self._put_link(link.clone())
        self._put_joint(copy)
        return True

    def addJoint(self, joint: Joint) -> bool:
        """Add a copy of a joint between two links of the graph.

        A continuous joint without limits gets bounds of plus and minus 4 pi, velocity 2,
        acceleration 1, jerk 1000; one with equal bounds gets bounds of plus and minus 4 pi. Joints
        that close a cycle are accepted, see `isTree`.

        Returns:
            False when the name is taken, a link is unknown, parent and child are the same, or
            limits are missing (only fixed, floating and continuous joints do without).

        Raises:
            WrongTypeError: Not a joint, or a field of the wrong type. Also a `TypeError`.
            NotFiniteError: A number is NaN or infinite. Also a `ValueError`.
            InvalidLimitError: lower > upper, or a negative limit. Also a `ValueError`.
        """
        copy = self._fitting_joint(joint, _links_of(joint))
        if copy is None:
            return False
        self._put_joint(copy)
        return True

    def _fitting_joint(
        self, joint: Joint, links: Iterable[str], free: Iterable[str] = ()
    ) -> Joint | None:
        """Return a complete copy of a joint that fits, or None; `free` names may be taken."""
        check_joint(joint)
        name = joint.getName()
        if name in self._joints and name not in free:
            return None
        if joint.parent_link_name == joint.child_link_name:
            return None
        if any(link not in self._links for link in links) or lacks_limits(joint):
            return None
        copy = joint.clone()
        complete_joint(copy)
        return copy

    def removeLink(self, name: str, recursive: bool = False) -> bool:
        """Remove a link with its joints and allowed collisions; False for an unknown one.

        Args:
            name: The link.
            recursive: Remove what hangs below it too: every former child that no other joint
                carries, and so on.
        """
        check_flag(recursive, "removeLink: recursive")
        if self._find(self._links, name) is None:
            return False
        doomed = [name]
        while doomed:
            link = doomed.pop()
            if link not in self._links:
                continue
            children = self.getAdjacentLinkNames(link)
            self._drop_link(link)
            if recursive:
                doomed += [c for c in children if c in self._links and not self._inbound[c]]
        return True

    def moveLink(self, joint: Joint) -> bool:
        """Carry a link by another joint: all joints above the child go, `joint` comes.

        Returns:
            False when a link is unknown, the parent is the child or below it, the name belongs to
            a joint elsewhere, or limits are missing.

        Raises:
            WrongTypeError, NotFiniteError, InvalidLimitError: As in `addJoint`.
        """
        check_joint(joint)
        parent, child = _links_of(joint)
        inbound = self._inbound.get(child, {})
        copy = self._fitting_joint(joint, (parent, child), free=inbound)
        if copy is None or parent in self._nearest([child]):
            return False
        for name in list(inbound):
            self._drop_joint(name)
        self._put_joint(copy)
        return True

    def removeJoint(self, name: str, recursive: bool = False) -> bool:
        """Remove a joint; False for an unknown one.

        Args:
            name: The joint.
            recursive: Remove the child link and what hangs below it too, unless another joint
                carries it.
        """
        check_flag(recursive, "removeJoint: recursive")
        joint = self._find(self._joints, name)
        if joint is None:
            return False
        if recursive and len(self._inbound[joint.child_link_name]) == 1:
            return self.removeLink(joint.child_link_name, True)
        self._drop_joint(name)
        return True

    def moveJoint(self, name: str, parent_link: str) -> bool:
        """Hang a joint, with everything below it, on another parent; it becomes the last one.

        Returns:
            False for an unknown joint or link, or a parent at or below the joint's child.
        """
        joint = self._find(self._joints, name)
        if joint is None or self._find(self._links, parent_link) is None:
            return False
        if parent_link in self._nearest([joint.child_link_name]):
            return False
        self._drop_joint(name)
        copy = joint.clone()
        copy.parent_link_name = parent_link
        self._put_joint(copy)
        return True

    def changeJointOrigin(self, name: str, new_origin: TransformLike) -> bool:
        """Set the pose of a joint in its parent link; False for an unknown joint.

        Raises:
            NotFiniteError, NotRigidError, ShapeError: Not a rigid transform. Also `ValueError`.
        """
        origin = as_isometry(new_origin, f"changeJointOrigin({name!r})")
        return self._change(name, "_origin", origin)

    def changeJointLimits(self, name: str, limits: JointLimits) -> bool:
        """Set all limits of a joint.

        Returns:
            False for an unknown, fixed or floating joint.

        Raises:
            NotFiniteError, InvalidLimitError: Limits that contradict themselves. Also `ValueError`.
        """
        given = check_kind(limits, JointLimits, "changeJointLimits")
        return self._change_limits(name, given.clone())

    def changeJointPositionLimits(self, name: str, lower: float, upper: float) -> bool:
        """Set the bounds of a joint, rad or m; otherwise as `changeJointLimits`."""
        return self._change_limits(name, self._limits_with(name, lower=lower, upper=upper))

    def changeJointVelocityLimits(self, name: str, limit: float) -> bool:
        """Set the velocity limit of a joint; otherwise as `changeJointLimits`."""
        return self._change_limits(name, self._limits_with(name, velocity=limit))

    def changeJointAccelerationLimits(self, name: str, limit: float) -> bool:
        """Set the acceleration limit of a joint; otherwise as `changeJointLimits`."""
        return self._change_limits(name, self._limits_with(name, acceleration=limit))

    def changeJointJerkLimits(self, name: str, limit: float) -> bool:
        """Set the jerk limit of a joint; otherwise as `changeJointLimits`."""
        return self._change_limits(name, self._limits_with(name, jerk=limit))

    def _limits_with(self, name: str, **values: float) -> JointLimits:
        joint = self._find(self._joints, name)
        limits = JointLimits() if joint is None or joint.limits is None else joint.limits.clone()
        for field, value in values.items():
            setattr(limits, field, value)
        return limits

    def _change_limits(self, name: str, limits: JointLimits) -> bool:
        check_limits(limits, name)
        make_float(limits)
        joint = self._find(self._joints, name)
        if joint is None or joint.type in RIGID:
            return False
        if joint.type is JointType.CONTINUOUS:
            complete_bounds(limits)
        return self._change(name, "limits", seal(limits))

    def _change(self, name: str, field: str, value: Any) -> bool:
        joint = self._find(self._joints, name)
        if joint is None:
            return False
        object.__setattr__(joint, field, value)
        self._touch()
        return True


def _links_of(joint: Joint) -> tuple[str, str]:
    check_kind(joint, Joint, "a joint")
    return joint.parent_link_name, joint.child_link_name
