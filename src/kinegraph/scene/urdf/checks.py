"""What must hold for the whole of a URDF: one tree, and mimic rules that end at a free joint."""

from typing import NoReturn
from xml.etree.ElementTree import Element

from kinegraph.scene.errors import suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint
from kinegraph.scene.markup.place import Source, shortened

SHOWN = 10
"""No message lists more names than this."""


def root_of_tree(
    source: Source, robot: Element, graph: SceneGraph, elements: dict[str, Element]
) -> str:
    """Return the one link without a parent.

    Args:
        source: The text.
        robot: The robot element.
        graph: All links and joints.
        elements: The joints' elements by name.

    Raises:
        URDFError: Not a tree; the message says where, and whether there is a cycle.
    """
    inbound = graph._inbound
    for link, joints in inbound.items():
        if len(joints) > 1:
            _two_parents(source, link, list(joints.values()), elements)
    roots = [link for link, joints in inbound.items() if not joints]
    reached = graph._nearest(roots)
    if len(reached) < len(inbound):
        ring = _cycle_above(graph, next(name for name in inbound if name not in reached))
        way = " -> ".join(map(_arrow, ring[:SHOWN]))
        back = shortened(ring[0].parent_link_name)
        source.fail(elements[ring[0].getName()], f"the joints form a cycle: {way} -> {back}")
    if len(roots) > 1:
        listed = ", ".join(map(shortened, roots[:SHOWN])) + (", ..." if len(roots) > SHOWN else "")
        source.fail(
            robot,
            f"is not one tree: {len(roots)} links have no parent, where one is expected: {listed}"
            " (there is no cycle)",
        )
    return roots[0]


def _two_parents(
    source: Source, link: str, joints: list[Joint], elements: dict[str, Element]
) -> NoReturn:
    listed = " and ".join(map(_parent_of, joints[:SHOWN]))
    reason = f"link {shortened(link)} has more than one parent: {listed}"
    source.fail(elements[joints[1].getName()], reason)


def _arrow(joint: Joint) -> str:
    return f"{shortened(joint.parent_link_name)} ({shortened(joint.getName())})"


def _parent_of(joint: Joint) -> str:
    return f"{shortened(joint.parent_link_name)} (joint {shortened(joint.getName())})"


def _cycle_above(graph: SceneGraph, link: str) -> list[Joint]:
    """Walk up from a link that no root carries; the way ends in a cycle, which is returned."""
    way: list[Joint] = []
    seen: dict[str, int] = {}
    while link not in seen:
        seen[link] = len(way)
        (joint,) = graph._inbound[link].values()
        way.append(joint)
        link = joint.parent_link_name
    return way[seen[link] :][::-1]


def check_mimics(source: Source, graph: SceneGraph, elements: dict[str, Element]) -> None:
    """Refuse mimic rules whose master is unknown, the joint itself, or in a circle.

    Raises:
        URDFError: With the names of both joints.
    """
    fault = faulty_mimic(graph)
    if fault is not None:
        follower, master, reason = fault
        element = next(child for child in elements[follower] if child.tag == "mimic")
        source.fail(element, reason, "joint", master)


def faulty_mimic(graph: SceneGraph) -> tuple[str, str, str] | None:
    """Return a joint whose mimic rule leads nowhere, its master and what is wrong; or None."""
    joints = graph._joints
    ends: set[str] = set()
    for joint in joints.values():
        if joint.mimic is None:
            continue
        way: dict[str, None] = {}
        follower: Joint = joint
        while follower.mimic is not None and follower.getName() not in ends:
            way[follower.getName()] = None
            master = follower.mimic.joint_name
            if master not in joints:
                reason = f"is a joint that does not exist{suggestion(master, joints)}"
                return follower.getName(), master, reason
            if master in way:
                circle = " -> ".join(map(shortened, [*list(way)[:SHOWN], master]))
                return follower.getName(), master, f"closes a circle of mimic rules: {circle}"
            follower = joints[master]
        ends.update(way)
    return None
