"""What must hold for the whole of a URDF: one tree, and mimic rules that end at a free joint."""

from typing import NoReturn
from xml.etree.ElementTree import Element

from kinegraph.scene.errors import suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint
from kinegraph.scene.markup.place import Source

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
        way = " -> ".join(f"{j.parent_link_name!r} ({j.getName()!r})" for j in ring[:SHOWN])
        back = ring[0].parent_link_name
        source.fail(elements[ring[0].getName()], f"the joints form a cycle: {way} -> {back!r}")
    if len(roots) > 1:
        listed = ", ".join(map(repr, roots[:SHOWN])) + (", ..." if len(roots) > SHOWN else "")
        source.fail(
            robot,
            f"is not one tree: {len(roots)} links have no parent, where one is expected: {listed}"
            " (there is no cycle)",
        )
    return roots[0]


def _two_parents(
    source: Source, link: str, joints: list[Joint], elements: dict[str, Element]
) -> NoReturn:
    listed = " and ".join(f"{j.parent_link_name!r} (joint {j.getName()!r})" for j in joints[:SHOWN])
    source.fail(elements[joints[1].getName()], f"link {link!r} has more than one parent: {listed}")


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
                close = suggestion(master, joints)
                where = _mimic_element(elements[follower.getName()])
                source.fail(where, f"is a joint that does not exist{close}", "joint", master)
            if master in way:
                circle = " -> ".join(map(repr, [*list(way)[:SHOWN], master]))
                where = _mimic_element(elements[follower.getName()])
                source.fail(where, f"closes a circle of mimic rules: {circle}", "joint", master)
            follower = joints[master]
        ends.update(way)


def _mimic_element(joint: Element) -> Element:
    return next(child for child in joint if child.tag == "mimic")
