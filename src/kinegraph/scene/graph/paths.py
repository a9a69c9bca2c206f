"""What networkx answers about a scene graph. Imported late: networkx takes a while to load."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from typing import Any

from kinegraph.scene.errors import NoPathError
from kinegraph.scene.joint import Joint, JointType

__all__ = ["ShortestPath", "build_networkx", "shortest_path"]

RIGID = (JointType.FIXED, JointType.FLOATING)
"""Types that have no joint value."""


@dataclass(slots=True)
class ShortestPath:
    """A way through the graph, from one link to another.

    Attributes:
        links: Link names from start to end, both included.
        joints: Joint names in the same direction, one fewer.
        active_joints: Those of `joints` that are neither fixed nor floating.
    """

    links: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)
    active_joints: list[str] = field(default_factory=list)


def build_networkx(links: Iterable[str], joints: Iterable[Joint]) -> Any:
    """Build the `networkx.MultiDiGraph` of links and joints."""
    import networkx as nx

    graph: Any = nx.MultiDiGraph()
    graph.add_nodes_from(links)
    for joint in joints:
        graph.add_edge(
            joint.parent_link_name,
            joint.child_link_name,
            key=joint.getName(),
            weight=hypot(*joint.parent_to_joint_origin_transform.rows()[1]),
        )
    return graph


def is_acyclic(graph: Any) -> bool:
    """Tell whether a `networkx` graph has no directed cycle."""
    import networkx as nx

    return bool(nx.is_directed_acyclic_graph(graph))


def shortest_path(graph: Any, joints: Mapping[str, Joint], root: str, tip: str) -> ShortestPath:
    """Find the shortest undirected way by the joints' weights.

    Raises:
        NoPathError: The two links are not connected. Also a `ValueError`.
    """
    import networkx as nx

    undirected = graph.to_undirected(as_view=True)
    try:
        links = nx.dijkstra_path(undirected, root, tip, weight="weight")
    except nx.NetworkXNoPath as error:
        raise NoPathError(f"links {root!r} and {tip!r} are not connected") from error
    steps = [_lightest(graph, a, b) for a, b in pairwise(links)]
    active = [name for name in steps if joints[name].type not in RIGID]
    return ShortestPath(list(links), steps, active)


def _lightest(graph: Any, a: str, b: str) -> str:
    """Return the shortest of the joints between two links, in either direction."""
    edges = [*graph.get_edge_data(a, b, default={}).items()]
    edges += graph.get_edge_data(b, a, default={}).items()
    name: str = min(edges, key=lambda edge: edge[1]["weight"])[0]
    return name
