"""The joints of a tree in the order of the solvers, and who follows whom among them."""

from collections.abc import Mapping

from kinegraph.scene.errors import InvalidJointError, TreeError, UnsupportedError, suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.graph.paths import RIGID
from kinegraph.scene.joint import Joint

MimicRule = tuple[str, float, float]
"""Master that follows no one, multiplier, offset."""


def joints_in_order(graph: SceneGraph, what: str) -> list[Joint]:
    """Return all joints depth first, as `OFKTStateSolver` orders them.

    Raises:
        TreeError: Empty, or not a tree below its root. Also a `RuntimeError`.
    """
    if graph.isEmpty() or not graph.isTree() or graph.getInboundJoints(graph.getRoot()):
        raise TreeError(f"{what}: {graph!r} is empty or not a tree")
    return _depth_first(graph, {})


def joints_with_masters_first(
    graph: SceneGraph, rules: Mapping[str, MimicRule], what: str
) -> list[Joint]:
    """Return all joints depth first, branches turned so that masters come before followers.

    Raises:
        TreeError: Empty, or not a tree below its root. Also a `RuntimeError`.
        UnsupportedError: A master lies below its follower, or two branches have masters and
            followers of each other. Also a `RuntimeError`.
    """
    joints = joints_in_order(graph, what)
    above = {joint.child_link_name: joint for joint in joints}
    later: dict[str, set[str]] = {}
    for follower, (master, _, _) in rules.items():
        first, second = _branches(_way_up(master, above, graph), _way_up(follower, above, graph))
        if second is None:
            raise UnsupportedError(
                f"{what}: joint {follower!r} mimics {master!r}, which lies below it; pinocchio "
                'needs masters first: use mimic="independent"'
            )
        if first is not None:
            later.setdefault(second, set()).add(first)
    return _depth_first(graph, later, what) if later else joints


def _way_up(name: str, above: Mapping[str, Joint], graph: SceneGraph) -> list[str]:
    """Return the joints from the root down to a joint, itself included."""
    joint = graph.getJoint(name)
    way: list[str] = []
    while joint is not None:
        way.append(joint.getName())
        joint = above.get(joint.parent_link_name)
    return way[::-1]


def _branches(master: list[str], follower: list[str]) -> tuple[str | None, str | None]:
    """Return the joints in which two ways part; None for a way that ends before."""
    common = 0
    while common < min(len(master), len(follower)) and master[common] == follower[common]:
        common += 1
    return (
        master[common] if common < len(master) else None,
        follower[common] if common < len(follower) else None,
    )


def _depth_first(graph: SceneGraph, later: Mapping[str, set[str]], what: str = "") -> list[Joint]:
    joints: list[Joint] = []
    stack = _sorted(graph.getOutboundJoints(graph.getRoot()), later, what)[::-1]
    while stack:
        joint = stack.pop()
        joints.append(joint)
        stack += _sorted(graph.getOutboundJoints(joint.child_link_name), later, what)[::-1]
    return joints


def _sorted(joints: list[Joint], later: Mapping[str, set[str]], what: str) -> list[Joint]:
    """Put each branch behind those that it waits for, otherwise in the given order."""
    waiting = {joint.getName(): joint for joint in joints}
    if not later.keys() & waiting.keys():
        return joints
    ordered: list[Joint] = []
    while waiting:
        ready = next((name for name in waiting if not later.get(name, set()) & set(waiting)), None)
        if ready is None:
            raise UnsupportedError(
                f"{what}: the branches of joints {', '.join(waiting)} have masters and followers "
                'of each other; pinocchio needs masters first: use mimic="independent"'
            )
        ordered.append(waiting.pop(ready))
    return ordered


def mimic_rules(graph: SceneGraph, what: str) -> dict[str, MimicRule]:
    """Return the rule of every follower, with chains of followers resolved.

    Raises:
        InvalidJointError: A master that is unknown or has no value, or a circle. Also a
            `ValueError`.
    """
    followers = [joint for joint in graph.getActiveJoints() if joint.mimic is not None]
    return {joint.getName(): _resolved(joint, graph, what) for joint in followers}


def _resolved(joint: Joint, graph: SceneGraph, what: str) -> MimicRule:
    visited = [joint.getName()]
    factor, shift, current = 1.0, 0.0, joint
    while current.mimic is not None:
        rule = current.mimic
        shift += factor * rule.offset
        factor *= rule.multiplier
        master = graph.getJoint(rule.joint_name)
        if master is None:
            known = [known.getName() for known in graph.getActiveJoints()]
            raise InvalidJointError(
                f"{what}: joint {visited[-1]!r} mimics {rule.joint_name!r}, which is no joint"
                f"{suggestion(rule.joint_name, known)}"
            )
        if master.type in RIGID:
            raise InvalidJointError(
                f"{what}: joint {visited[-1]!r} mimics {rule.joint_name!r}, which has no value"
            )
        if rule.joint_name in visited:
            circle = " -> ".join([*visited, rule.joint_name])
            raise InvalidJointError(f"{what}: mimic joints follow each other: {circle}")
        visited.append(rule.joint_name)
        current = master
    return visited[-1], factor, shift
