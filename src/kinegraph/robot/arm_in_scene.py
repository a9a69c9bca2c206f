"""Which joints and links of a scene are the robot's arm."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.errors import suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import JointType

__all__ = ["ArmInScene", "find_arm"]

JOINTS = 7
FLANGE_NAMES = ("link8", "flange")
MOVING = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


@dataclass(frozen=True, slots=True)
class ArmInScene:
    """The arm's place in a scene.

    Attributes:
        joint_names: (7) in the robot's order.
        links: (7) child link of each joint.
        base_link: Link whose frame is the robot's base O.
        flange_link: Link at the flange.
    """

    joint_names: tuple[str, ...]
    links: tuple[str, ...]
    base_link: str
    flange_link: str


def find_arm(
    graph: SceneGraph,
    joint_names: Sequence[str] | None = None,
    flange_link: str | None = None,
    base_link: str | None = None,
) -> ArmInScene:
    """Find the arm in a scene; see `SceneRobot` for what is taken when a name is left out.

    Raises:
        InvalidArgumentError: Joints or links that are not there, or are no chain. Also a
            `ValueError`.
    """
    if joint_names is not None and not isinstance(joint_names, Sequence):
        raise InvalidArgumentError(f"joint_names: {joint_names!r} are no names")
    names = _joints_by_number(graph) if joint_names is None else tuple(joint_names)
    if len(names) != JOINTS:
        raise InvalidArgumentError(f"joint_names: the arm has {JOINTS} joints, not {len(names)}")
    if len(set(names)) != JOINTS:
        raise InvalidArgumentError(f"joint_names: a joint is named twice in {', '.join(names)}")
    joints = []
    for name in names:
        joint = graph.getJoint(name)
        if joint is None:
            known = [other.getName() for other in graph.getJoints()]
            raise InvalidArgumentError(
                f"joint_names: no joint {name!r} in the scene{suggestion(name, known)}"
            )
        joints.append(joint)
        if joint.mimic is not None or joint.type not in MOVING:
            raise InvalidArgumentError(f"joint_names: {name!r} does not move by itself")
    for upper, lower in itertools.pairwise(joints):
        if lower.child_link_name not in graph.getJointChildrenNames(upper.getName()):
            raise InvalidArgumentError(
                f"joint_names: {lower.getName()!r} is not below {upper.getName()!r}"
            )
    links = tuple(joint.child_link_name for joint in joints)
    base = joints[0].parent_link_name if base_link is None else base_link
    flange = _flange_below(graph, links[-1]) if flange_link is None else flange_link
    for name, link in (("base_link", base), ("flange_link", flange)):
        if graph.getLink(link) is None:
            known = [other.getName() for other in graph.getLinks()]
            raise InvalidArgumentError(f"{name}: no link {link!r}{suggestion(link, known)}")
    _check_rigid(graph, "base_link", base, joints[0].parent_link_name)
    _check_rigid(graph, "flange_link", links[-1], flange)
    return ArmInScene(names, links, base, flange)


def _check_rigid(graph: SceneGraph, name: str, above: str, below: str) -> None:
    """Refuse a base or flange that fixed joints alone do not join to the arm."""
    if above == below:
        return
    joined = below in graph.getLinkChildrenNames(above)
    steps = graph.getShortestPath(above, below).joints if joined else []
    path = [graph.getJoint(step) for step in steps]
    if not joined or any(joint and joint.type != JointType.FIXED for joint in path):
        end = above if name == "base_link" else below
        raise InvalidArgumentError(
            f"{name}: {end!r} is not joined to the arm by fixed joints alone: they must lead from "
            f"{above!r} to {below!r}"
        )


def _joints_by_number(graph: SceneGraph) -> tuple[str, ...]:
    names = [joint.getName() for joint in graph.getActiveJoints()]
    found = []
    for number in range(1, JOINTS + 1):
        fitting = [name for name in names if re.search(rf"joint_?{number}$", name)]
        if len(fitting) != 1:
            raise InvalidArgumentError(
                f"joint_names: {len(fitting)} moving joints end in joint{number} "
                f"({', '.join(fitting) or 'none'}); name the arm's seven joints"
            )
        found.append(fitting[0])
    return tuple(found)


def _flange_below(graph: SceneGraph, link: str) -> str:
    candidates, reached = [link], [link]
    while candidates:
        for joint in graph.getOutboundJoints(candidates.pop()):
            if joint.type == JointType.FIXED:
                candidates.append(joint.child_link_name)
                reached.append(joint.child_link_name)
    for name in reached[1:]:
        if name.endswith(FLANGE_NAMES):
            return name
    return link
