"""What a scene graph holds, and the few steps that change it."""

from typing import Any, TypeVar

from kinegraph.scene.allowed_collisions import AllowedCollisionMatrix
from kinegraph.scene.arguments import check_text
from kinegraph.scene.joint import Joint
from kinegraph.scene.link import Link

T = TypeVar("T")


class GraphStore:
    """Links and joints in the order of their insertion.

    Invariants, kept by every method here:

    - every joint's parent and child are links of the graph;
    - `_outbound[link]` are the joints with that parent in the order of `_joints`, `_inbound`
      the same for children;
    - everything stored is sealed and belongs to this graph alone;
    - `_revision` grows with every change.
    """

    def __init__(self, name: str = "") -> None:
        self._name = check_text(name, "SceneGraph: a name")
        self._root = ""
        self._links: dict[str, Link] = {}
        self._joints: dict[str, Joint] = {}
        self._inbound: dict[str, dict[str, Joint]] = {}
        self._outbound: dict[str, dict[str, Joint]] = {}
        self._acm = AllowedCollisionMatrix()
        self._revision = 0
        self._networkx: tuple[int, Any] | None = None
        self._private_networkx: tuple[int, Any] | None = None
        # Whoever computes something from the graph may keep it here, with the revision it is for.
        self._compiled: tuple[int, object] | None = None

    __hash__ = None  # type: ignore[assignment]  # editable, so not hashable

    @property
    def revision(self) -> int:
        """A number that grows with every change of the graph."""
        return self._revision

    def networkx(self) -> Any:
        """Return the graph as a `networkx.MultiDiGraph`.

        Nodes are link names in their order, edges are keyed by joint name and carry `weight`, the
        length of the joint origin's translation in m. It is built when needed and kept until the
        graph changes; changing it changes neither the scene graph nor what that answers.
        """
        if self._networkx is None or self._networkx[0] != self._revision:
            self._networkx = (self._revision, self._build_networkx())
        return self._networkx[1]

    def _own_networkx(self) -> Any:
        """Return a `networkx` graph that no user can have changed."""
        if self._private_networkx is None or self._private_networkx[0] != self._revision:
            self._private_networkx = (self._revision, self._build_networkx())
        return self._private_networkx[1]

    def _build_networkx(self) -> Any:
        from kinegraph.scene.graph.paths import build_networkx

        return build_networkx(self._links, self._joints.values())

    @staticmethod
    def _find(table: dict[str, T], name: str) -> T | None:
        """Return the link or joint of a name, or None; refuse what is no name (TypeError)."""
        return table.get(check_text(name, "a name"))

    def _touch(self) -> None:
        self._revision += 1

    def _put_link(self, link: Link) -> None:
        """Store a link that is given away; the first one becomes the root."""
        name = link._name
        link._seal()
        if name not in self._links:
            self._inbound[name] = {}
            self._outbound[name] = {}
        if not self._links:
            self._root = name
        self._links[name] = link
        self._revision += 1

    def _put_joint(self, joint: Joint) -> None:
        """Store a joint that is given away, whose links exist and whose name is free."""
        name = joint._name
        joint._seal()
        self._joints[name] = joint
        self._outbound[joint.parent_link_name][name] = joint
        self._inbound[joint.child_link_name][name] = joint
        self._revision += 1

    def _drop_joint(self, name: str) -> None:
        joint = self._joints.pop(name)
        del self._outbound[joint.parent_link_name][name]
        del self._inbound[joint.child_link_name][name]
        self._revision += 1

    def _drop_link(self, name: str) -> None:
        """Remove a link, its joints and its allowed collisions; find a new root if needed."""
        for joint in [*self._inbound[name], *self._outbound[name]]:
            if joint in self._joints:  # a self loop is in both
                self._drop_joint(joint)
        del self._links[name], self._inbound[name], self._outbound[name]
        self._acm.removeAllowedCollision(name)
        if self._root == name:
            self._root = next((link for link in self._links if not self._inbound[link]), "")
        self._revision += 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GraphStore):
            return NotImplemented
        return (
            self._links.keys() == other._links.keys()
            and self._joints.keys() == other._joints.keys()
            and self._acm == other._acm
            and all(link == other._links[name] for name, link in self._links.items())
            and all(joint == other._joints[name] for name, joint in self._joints.items())
        )

    def _copy_into(self, copy: "GraphStore") -> None:
        copy._name = self._name
        for link in self._links.values():
            copy._put_link(link.clone())
        for joint in self._joints.values():
            copy._put_joint(joint.clone())
        copy._root = self._root
        copy._acm = self._acm.clone()
        copy._revision = self._revision

    def __getstate__(self) -> dict[str, Any]:
        return {
            "name": self._name,
            "root": self._root,
            "links": list(self._links.values()),
            "joints": list(self._joints.values()),
            "acm": self._acm,
            "revision": self._revision,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        GraphStore.__init__(self, state["name"])
        for link in state["links"]:
            self._put_link(link)
        for joint in state["joints"]:
            self._put_joint(joint)
        self._root = state["root"]
        self._acm = state["acm"]
        self._revision = state["revision"]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self._name!r}, root={self._root!r}, "
            f"{len(self._links)} links, {len(self._joints)} joints)"
        )
