"""Inserting one graph into another."""

from kinegraph.scene.errors import WrongTypeError
from kinegraph.scene.graph.store import GraphStore
from kinegraph.scene.joint import Joint
from kinegraph.scene.link import Link


def collides(target: GraphStore, inserted: GraphStore, prefix: str) -> bool:
    """Tell whether a prefixed name of `inserted` is taken in `target`."""
    return any(prefix + name in target._links for name in inserted._links) or any(
        prefix + name in target._joints for name in inserted._joints
    )


def prefixed_joint(joint: Joint, prefix: str) -> Joint:
    """Return a copy of a joint with the prefix before all four names."""
    copy = joint.clone(prefix + joint.getName())
    copy.parent_link_name = prefix + joint.parent_link_name
    copy.child_link_name = prefix + joint.child_link_name
    if copy.mimic is not None:
        copy.mimic.joint_name = prefix + copy.mimic.joint_name
    return copy


def prefixed_link(link: Link, prefix: str) -> Link:
    """Return a copy of a link with the prefix before its name."""
    return link.clone(prefix + link.getName())


def insert(target: GraphStore, inserted: GraphStore, prefix: str) -> None:
    """Copy everything over; the names are known to be free."""
    links = [prefixed_link(link, prefix) for link in inserted._links.values()]
    joints = [prefixed_joint(joint, prefix) for joint in inserted._joints.values()]
    pairs = inserted._acm.getAllAllowedCollisions()
    was_empty = not target._links
    for link in links:
        target._put_link(link)
    for joint in joints:
        target._put_joint(joint)
    for (a, b), reason in pairs.items():
        target._acm.addAllowedCollision(prefix + a, prefix + b, reason)
    if was_empty and inserted._root:
        target._root = prefix + inserted._root
    target._touch()  # for the pairs: there may be no links with them


def attaches(joint: Joint, inserted: GraphStore, prefix: str) -> bool:
    """Tell whether a joint with prefixed names carries the root of the inserted graph."""
    return bool(inserted._root) and joint.child_link_name == prefix + inserted._root


def check_arguments(graph: object, joint: object, prefix: object) -> None:
    """Refuse what is no graph, no joint or None, or no text (TypeError)."""
    if not isinstance(graph, GraphStore):
        raise WrongTypeError(f"insertSceneGraph: a SceneGraph is needed, not {graph!r:.100}")
    if joint is not None and not isinstance(joint, Joint):
        raise WrongTypeError(f"insertSceneGraph: a Joint is needed, not {joint!r:.100}")
    if not isinstance(prefix, str):
        raise WrongTypeError(f"insertSceneGraph: prefix must be a str, not {prefix!r:.100}")
