"""Random trees and random edits of them, for hypothesis."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from kinematics_cases import joint

from kinegraph.scene import Isometry3d, Joint, Link, SceneGraph

KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating")

NUMBERS = st.floats(-2.0, 2.0, allow_subnormal=False).map(lambda x: round(x, 6))
AXES = st.sampled_from(
    [(0, 0, 1), (1, 0, 0), (0, -1, 0), (0, 0, -3), (1, 2, 3), (-0.3, 0.2, -0.9), (1e-9, 0, 1)]
)


@st.composite
def origins(draw: st.DrawFn) -> Isometry3d:
    """A transform; quarter turns and the identity are frequent."""
    angle = st.one_of(NUMBERS, st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi]))
    return Isometry3d.from_rpy([draw(NUMBERS) for _ in range(3)], [draw(angle) for _ in range(3)])


@st.composite
def joints(draw: st.DrawFn, name: str, parent: str, child: str) -> Joint:
    """A joint of any type that solvers take."""
    return joint(
        name,
        parent,
        child,
        draw(st.sampled_from(KINDS)),
        origin=draw(origins()),
        axis=draw(AXES),
        limits=(-1.0, draw(st.floats(0.0, 3.0)), 1.0, draw(st.floats(0.0, 3.0)), 1.0, 1.0),
    )


@st.composite
def trees(draw: st.DrawFn, prefix: str = "", largest: int = 10) -> SceneGraph:
    """A tree of up to `largest` links, in which any link may be the parent of the next."""
    graph = SceneGraph("random")
    graph.addLink(Link(prefix + "root"))
    names = [prefix + "root"]
    for i in range(draw(st.integers(0, largest - 1))):
        child = f"{prefix}l{i}"
        made = draw(joints(f"{prefix}j{i}", draw(st.sampled_from(names)), child))
        assert graph.addLink(Link(child), made)
        names.append(child)
    return graph


Edit = Callable[[Any], bool]


@st.composite
def edits(draw: st.DrawFn, graph: SceneGraph, number: int) -> Edit:
    """An edit that graphs and solvers both know; names may or may not fit."""
    links = [link.getName() for link in graph.getLinks()] + ["nowhere"]
    names = [made.getName() for made in graph.getJoints()] + ["nothing"]
    link, parent = draw(st.sampled_from(links)), draw(st.sampled_from(links))
    name = draw(st.sampled_from(names))
    fresh = draw(st.sampled_from([f"new{number}", name]))
    kind = draw(
        st.sampled_from(["add", "move", "moveJoint", "origin", "limits", "insert", "remove"])
    )
    if kind == "add":
        added = draw(st.sampled_from([f"added{number}", link]))
        made = draw(joints(fresh, parent, added))
        return lambda owner: owner.addLink(Link(added), made)
    if kind == "move":
        made = draw(joints(fresh, parent, link))
        return lambda owner: owner.moveLink(made)
    if kind == "moveJoint":
        return lambda owner: owner.moveJoint(name, parent)
    if kind == "origin":
        origin = draw(origins())
        return lambda owner: owner.changeJointOrigin(name, origin)
    if kind == "limits":
        limit = draw(st.floats(0.0, 9.0))
        return lambda owner: owner.changeJointVelocityLimits(name, limit)
    if kind == "insert":
        inserted = draw(trees("", 4))
        prefix = draw(st.sampled_from([f"p{number}_", ""]))
        made = draw(joints(fresh, parent, prefix + inserted.getRoot()))
        return lambda owner: owner.insertSceneGraph(inserted, made, prefix)
    return lambda owner: remove(owner, link)


def remove(owner: Any, link: str) -> bool:
    """Remove a link with all below it; a graph would let its root go, a solver does not."""
    if isinstance(owner, SceneGraph):
        return owner.getRoot() != link and owner.removeLink(link, True)
    return owner.removeLink(link)  # type: ignore[no-any-return]
