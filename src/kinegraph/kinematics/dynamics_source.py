"""What the dynamics need of a solver or a graph."""

from dataclasses import dataclass

import numpy as np

from kinegraph.kinematics.chain import Source
from kinegraph.kinematics.tree import FlatTree, flatten
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnknownLinkError, UnsupportedError, WrongTypeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.link import Inertial

__all__ = ["Source", "SourceState", "read_source"]


@dataclass(frozen=True, slots=True, eq=False)
class SourceState:
    """A scene at rest.

    Attributes:
        tree: Its flat form.
        numbers: (L, 17) the tree's numbers, floating joints at their current values.
        values: (L,) value of each row's joint.
        inertials: (L) inertial of each row's link, or None.
    """

    tree: FlatTree
    numbers: Array
    values: Array
    inertials: list[Inertial | None]


def read_source(source: Source, method: str, inertials_from: SceneGraph | None) -> SourceState:
    """Read a solver's current state, or a graph with every joint at zero.

    Args:
        source: Solver or graph.
        method: For error messages.
        inertials_from: Graph with the links' inertials; None for the source itself.

    Raises:
        WrongTypeError: Neither a solver nor a graph. Also a `TypeError`.
        UnsupportedError: A solver without a graph that has the inertials, or a joint type that no
            solver takes. Also a `RuntimeError`.
        UnknownLinkError: The graph has no such link. Also a `KeyError`.
        TreeError: The graph is not a tree. Also a `RuntimeError`.
        InvalidJointError: A moving joint without limits or axis. Also a `ValueError`.
    """
    if isinstance(source, SceneGraph):
        tree = flatten(source, method)
        numbers, q = tree.numbers, np.zeros(tree.column_count)
    else:
        state = getattr(source, "flat_state", None)
        if state is None:
            raise WrongTypeError(f"{method}: a solver or SceneGraph is needed, not {source!r:.100}")
        tree, numbers, q = state.tree, state.numbers, state.q
    graph = source if inertials_from is None else inertials_from
    if not isinstance(graph, SceneGraph):
        raise UnsupportedError(
            f"{method}: a solver has no masses; give the graph that has them as inertials_from"
        )
    inertials = [_inertial(graph, name) for name in tree.link_names]
    return SourceState(tree, numbers, tree.joint_values(q), inertials)


def _inertial(graph: SceneGraph, name: str) -> Inertial | None:
    link = graph.getLink(name)
    if link is None:
        raise UnknownLinkError(name, [each.getName() for each in graph.getLinks()])
    return link.inertial
