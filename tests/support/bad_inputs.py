"""The 95 inputs that upstream's Python was tried with: what is read, and on what it is tried."""

import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from kinematics_cases import KINEMATICS, graph_of, joint, plain_graph, up
from scene_builders import snapshot

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import Isometry3d, Link, SceneGraph

TABLE: dict[int, dict[str, Any]] = {
    row["number"]: row
    for row in json.loads((KINEMATICS / "upstream_bad_inputs.json").read_text())["cases"]
}

Call = Callable[[Any], object]

NOT_FINITE = np.full((4, 4), np.nan)
TWICE = np.diag([2.0, 2.0, 2.0, 1.0])
"""No rigid transforms."""


def numbered(numbers: Iterable[int]) -> list[Any]:
    """Rows of the table as parameters, whose ids start with the number of the row."""
    return [pytest.param(number, id=f"{number:02d}-{TABLE[number]['case']}") for number in numbers]


def subject_of(number: int) -> Any:
    """What a row is tried on: a solver at j1 = 0.11, j2 = -0.07, or the graph and a loose link."""
    case: str = TABLE[number]["case"]
    if case.startswith("SceneGraph"):
        graph = plain_graph()
        assert graph.addLink(Link("loose"))
        return graph
    solver = (KDLStateSolver if case.startswith("KDL") else OFKTStateSolver)(plain_graph())
    solver.setState({"j1": 0.11, "j2": -0.07})
    return solver


def everything(subject: Any) -> Any:
    """What a refused call must leave as it was, bit for bit."""
    if isinstance(subject, SceneGraph):
        return snapshot(subject)
    limits, state = subject.getLimits(), subject.getState()
    maps = (state.link_transforms, state.joint_transforms, state.floating_joints)
    return (
        subject.getJointNames(),
        subject.getActiveJointNames(),
        subject.getFloatingJointNames(),
        subject.getLinkNames(),
        subject.getActiveLinkNames(),
        subject.getStaticLinkNames(),
        state.joints,
        [{name: pose.matrix.tobytes() for name, pose in poses.items()} for poses in maps],
        [rows.tobytes() for rows in (limits.joint_limits, limits.velocity_limits)],
        [rows.tobytes() for rows in (limits.acceleration_limits, limits.jerk_limits)],
    )


def still_works(subject: Any) -> bool:
    """Tell whether every Jacobian and the pose of every link come out finite."""
    if isinstance(subject, SceneGraph):
        return True
    q = np.full(len(subject.getActiveJointNames()), 0.3)
    arrays = [subject.getJacobian(q, link) for link in subject.getLinkNames()]
    arrays += [pose.matrix for pose in subject.getState(q).link_transforms.values()]
    return all(np.isfinite(array).all() for array in arrays)


def made(name: str, parent: str, child: str, kind: str = "fixed", **more: Any) -> Any:
    """A joint a metre above its parent."""
    return joint(name, parent, child, kind, origin=up(), **more)


def adding(joint_of_link: Any, link: str = "n") -> Call:
    """A call that adds a link."""
    return lambda solver: solver.addLink(Link(link), joint_of_link)


def tool(*joints: Any) -> SceneGraph:
    """A graph of a link a and what is below it; a revolute joint ga to b where nothing is given."""
    return graph_of("a", *(joints or (made("ga", "a", "b", "revolute"),)))


def inserting(graph: SceneGraph, name: str, child: str, prefix: str = "") -> Call:
    """A call that inserts a graph below the base."""
    return lambda solver: solver.insertSceneGraph(graph, made(name, "base", child), prefix)


def scene(*joints: Any, loose: Iterable[str] = ()) -> SceneGraph:
    """The plain graph with more joints, whose child links come along, and loose links."""
    graph = plain_graph()
    for name in loose:
        assert graph.addLink(Link(name))
    for one in joints:
        if graph.getLink(one.child_link_name) is None:
            assert graph.addLink(Link(one.child_link_name))
        assert graph.addJoint(one), one
    return graph


def planar_scene() -> SceneGraph:
    """The plain graph with a planar joint jx."""
    one = made("jx", "base", "x", "planar")
    one.limits = plain_graph().getJointLimits("j1")
    return scene(one)


def cyclic_scene() -> SceneGraph:
    """The plain graph with two links below the base that are each other's child."""
    return scene(made("in", "base", "c1"), made("there", "c1", "c2"), made("back", "c2", "c1"))


def rooted_scene() -> SceneGraph:
    """The plain graph with a root that has a parent."""
    graph = plain_graph()
    assert graph.setRoot("l1")
    return graph


def elsewhere() -> Isometry3d:
    """A pose that no link of the plain graph has."""
    return Isometry3d.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
