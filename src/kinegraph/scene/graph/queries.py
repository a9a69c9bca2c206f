"""Reading a scene graph."""

import os
from collections import deque
from collections.abc import Iterable, Sequence
from typing import overload

from kinegraph.scene.allowed_collisions import AllowedCollisionMatrix
from kinegraph.scene.arguments import check_entries, check_path
from kinegraph.scene.errors import UnknownLinkError, UnknownNameError
from kinegraph.scene.graph.paths import RIGID, ShortestPath, is_acyclic, shortest_path
from kinegraph.scene.graph.store import GraphStore
from kinegraph.scene.joint import Joint
from kinegraph.scene.joint_parts import JointLimits
from kinegraph.scene.link import Link


class GraphQueries(GraphStore):
    """All methods that leave the graph as it is. Lists come in the order of insertion."""

    def getName(self) -> str:
        """Return the name of the graph."""
        return self._name

    def getRoot(self) -> str:
        """Return the name of the root link; "" for an empty graph."""
        return self._root

    def isEmpty(self) -> bool:
        """Tell whether there are no links."""
        return not self._links

    def getLink(self, name: str) -> Link | None:
        """Return a link, or None. It is read-only: edit a `clone()` and put that in."""
        return self._find(self._links, name)

    def getLinks(self) -> list[Link]:
        """Return all links."""
        return list(self._links.values())

    def getLeafLinks(self) -> list[Link]:
        """Return the links that carry no joint."""
        return [link for name, link in self._links.items() if not self._outbound[name]]

    def getJoint(self, name: str) -> Joint | None:
        """Return a joint, or None. It is read-only: the graph's methods change it."""
        return self._find(self._joints, name)

    def getJoints(self) -> list[Joint]:
        """Return all joints."""
        return list(self._joints.values())

    def getActiveJoints(self) -> list[Joint]:
        """Return the joints that are neither fixed nor floating."""
        return [joint for joint in self._joints.values() if joint.type not in RIGID]

    def getJointLimits(self, name: str) -> JointLimits | None:
        """Return a joint's limits, a copy; None without such a joint or without limits."""
        joint = self._find(self._joints, name)
        return None if joint is None or joint.limits is None else joint.limits.clone()

    def getLinkVisibility(self, name: str) -> bool:
        """Tell whether a link is shown.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
        """
        return self._known_link(name).visible

    def getLinkCollisionEnabled(self, name: str) -> bool:
        """Tell whether a link is checked for collisions.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
        """
        return self._known_link(name).collision_enabled

    def getSourceLink(self, joint_name: str) -> Link:
        """Return the parent link of a joint.

        Raises:
            UnknownNameError: No such joint. Also a `KeyError`.
        """
        return self._links[self._known_joint(joint_name).parent_link_name]

    def getTargetLink(self, joint_name: str) -> Link:
        """Return the child link of a joint.

        Raises:
            UnknownNameError: No such joint. Also a `KeyError`.
        """
        return self._links[self._known_joint(joint_name).child_link_name]

    def getInboundJoints(self, link_name: str) -> list[Joint]:
        """Return the joints that have a link as child.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
        """
        self._known_link(link_name)
        return list(self._inbound[link_name].values())

    def getOutboundJoints(self, link_name: str) -> list[Joint]:
        """Return the joints that have a link as parent.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
        """
        self._known_link(link_name)
        return list(self._outbound[link_name].values())

    def getAdjacentLinkNames(self, name: str) -> list[str]:
        """Return the children of a link, one step down.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
        """
        return _unique(joint.child_link_name for joint in self.getOutboundJoints(name))

    def getInvAdjacentLinkNames(self, name: str) -> list[str]:
        """Return the parents of a link, one step up.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
        """
        return _unique(joint.parent_link_name for joint in self.getInboundJoints(name))

    def getLinkChildrenNames(self, name: str) -> list[str]:
        """Return all descendants of a link, breadth first, without the link itself.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
        """
        self._known_link(name)
        return [link for link in self._nearest([name]) if link != name]

    @overload
    def getJointChildrenNames(self, name: str) -> list[str]: ...
    @overload
    def getJointChildrenNames(self, name: Sequence[str]) -> list[str]: ...
    def getJointChildrenNames(self, name: str | Sequence[str]) -> list[str]:
        """Return the child link of a joint and all its descendants, breadth first.

        Args:
            name: A joint, or several: then the union, each link once.

        Raises:
            UnknownNameError: No such joint. Also a `KeyError`.
            WrongTypeError: Neither a name nor a list. Also a `TypeError`.
        """
        names = [name] if isinstance(name, str) else check_entries(name, "joint names")
        return list(self._nearest(self._known_joint(joint).child_link_name for joint in names))

    def getAdjacencyMap(self, link_names: Sequence[str]) -> dict[str, str]:
        """Map links to the nearest of the given links above them.

        Args:
            link_names: Links to look for; each is its own nearest.

        Returns:
            An entry for every link that is one of the given links or below one.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
            WrongTypeError: Not a list. Also a `TypeError`.
        """
        names = check_entries(link_names, "link names")
        for name in names:
            self._known_link(name)
        return self._nearest(names)

    def getShortestPath(self, root: str, tip: str) -> ShortestPath:
        """Find the shortest way between two links, over joints in either direction.

        Each joint counts with the length of its origin's translation.

        Raises:
            UnknownLinkError: No such link. Also a `KeyError`.
            NoPathError: The links are not connected. Also a `ValueError`.
        """
        self._known_link(root)
        self._known_link(tip)
        return shortest_path(self._own_networkx(), self._joints, root, tip)

    def isAcyclic(self) -> bool:
        """Tell whether there is no directed cycle."""
        return is_acyclic(self._own_networkx())

    def isTree(self) -> bool:
        """Tell whether every link but one has exactly one joint above it, without cycles.

        An empty graph and a single link are trees.
        """
        if not self._links:
            return True
        roots = [name for name in self._links if not self._inbound[name]]
        if len(roots) != 1 or len(self._joints) != len(self._links) - 1:
            return False
        return len(self._nearest(roots)) == len(self._links)

    def isCollisionAllowed(self, link_name1: str, link_name2: str) -> bool:
        """Tell whether two links may touch."""
        return self._acm.isCollisionAllowed(link_name1, link_name2)

    def getAllowedCollisionMatrix(self) -> AllowedCollisionMatrix:
        """Return the pairs that may touch, a copy."""
        return self._acm.clone()

    def saveDOT(self, path: str | os.PathLike[str]) -> None:
        """Write the graph for Graphviz; each joint is labelled with its name and type.

        Raises:
            OSError: The file cannot be written.
            WrongTypeError: No path. Also a `TypeError`.
        """
        from kinegraph.scene.graph.dot import to_dot

        target = check_path(path, "saveDOT")
        text = to_dot(self._links, self._joints.values())
        # Names may hold half a surrogate pair, which UTF-8 cannot.
        data = text.encode("utf-8", errors="backslashreplace")
        try:
            target.write_bytes(data)
        except ValueError as error:  # a zero byte in the path
            raise OSError(f"{str(target)!r:.200} cannot be written: {error}") from error

    def _nearest(self, starts: Iterable[str]) -> dict[str, str]:
        """Walk down breadth first from several links; map each link to the start it came from."""
        nearest = {name: name for name in starts}
        queue = deque(nearest)
        while queue:
            link = queue.popleft()
            for joint in self._outbound[link].values():
                child = joint.child_link_name
                if child not in nearest:
                    nearest[child] = nearest[link]
                    queue.append(child)
        return nearest

    def _known_link(self, name: str) -> Link:
        try:
            return self._links[name]
        except (KeyError, TypeError):
            raise UnknownLinkError(name, self._links) from None

    def _known_joint(self, name: str) -> Joint:
        try:
            return self._joints[name]
        except (KeyError, TypeError):
            raise UnknownNameError("joint", name, self._joints) from None


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
