"""To and from the scene graph of tesseract, through the package tesseract-robotics.

Of its SWIG wrappers only what holds is used: lists by index (their iterators hand out bare
pointers), each owner kept in a variable while something of it is read, numbers copied out at once.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from kinegraph.scene.bridges.extras import checked_graph, extra_module
from kinegraph.scene.bridges.tesseract_links import LinkReader, LinkWriter
from kinegraph.scene.errors import InvalidJointError, InvalidNameError, WrongTypeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.joint_parts import (
    JointCalibration,
    JointDynamics,
    JointLimits,
    JointMimic,
    JointSafety,
)
from kinegraph.scene.resources import ResourceLocator

__all__ = ["from_tesseract", "to_tesseract"]

SCENE_GRAPH = "tesseract_robotics.tesseract_scene_graph"
COMMON = "tesseract_robotics.tesseract_common"

PARTS: Mapping[str, type[Any]] = {
    "dynamics": JointDynamics,
    "limits": JointLimits,
    "safety": JointSafety,
    "calibration": JointCalibration,
    "mimic": JointMimic,
}
"""The parts of a joint that tesseract has too, with the same fields."""


def to_tesseract(scene_graph: SceneGraph, locator: ResourceLocator | None = None) -> Any:
    """Return a copy of a graph as tesseract's `SceneGraph`.

    Links, joints with all their parts, inertials, materials, flags and allowed collisions are
    copied, names and numbers as they are, in the order of the graph. What tesseract has no place
    for is left out: `position_based_velocity_limits`, octrees and, without a locator, meshes and
    distance fields; shapes that are left out are counted in one logged warning.

    Args:
        scene_graph: Any graph; it need not be a tree.
        locator: Where files of meshes are. tesseract loads them; one file may become several
            shapes there.

    Raises:
        UnsupportedError: tesseract-robotics is not installed, or refuses a mesh. Also a
            `RuntimeError`.
        WrongTypeError: Not a `SceneGraph`. Also a `TypeError`.
    """
    graph = checked_graph(scene_graph, "to_tesseract")
    tesseract, common = extra_module(SCENE_GRAPH), extra_module(COMMON)
    made = tesseract.SceneGraph(graph.getName())
    links = LinkWriter(tesseract, common, locator)
    for link in graph.getLinks():
        made.addLink(links.write(link))
    for joint in graph.getJoints():
        _write_joint(made, joint, tesseract, common)
    for link in graph.getLinks():
        made.setLinkVisibility(link.getName(), link.visible)
        made.setLinkCollisionEnabled(link.getName(), link.collision_enabled)
    allowed = graph.getAllowedCollisionMatrix().getAllAllowedCollisions()
    for (first, second), reason in allowed.items():
        made.addAllowedCollision(first, second, reason)
    if graph.getRoot():
        made.setRoot(graph.getRoot())
    links.warn("to_tesseract")
    return made


def _write_joint(made: Any, joint: Joint, tesseract: Any, common: Any) -> None:
    copy = tesseract.Joint(joint.getName())
    copy.type = getattr(tesseract, f"JointType_{joint.type.name}")
    copy.axis = joint.axis.copy()
    copy.parent_link_name = joint.parent_link_name
    copy.child_link_name = joint.child_link_name
    origin = joint.parent_to_joint_origin_transform
    copy.parent_to_joint_origin_transform = common.Isometry3d(origin.matrix.copy())
    for name, cls in PARTS.items():
        part = getattr(joint, name)
        if part is not None:
            twin = getattr(tesseract, cls.__name__)()
            for field in fields(cls):
                setattr(twin, field.name, getattr(part, field.name))
            setattr(copy, name, twin)
    if not made.addJoint(copy):
        raise InvalidJointError(f"to_tesseract: tesseract refuses joint {joint.getName()!r}")


def from_tesseract(graph: Any) -> SceneGraph:
    """Return a copy of tesseract's `SceneGraph`.

    Links and joints come depth first from the root, siblings in tesseract's order (it keeps no
    other), so that solvers made of either graph order links and joints alike. Meshes become
    references to the files that they came from; shapes without a file or without a counterpart are
    left out and counted in one logged warning.

    Args:
        graph: A `SceneGraph` of tesseract-robotics, or the pointer that its URDF reader returns.

    Raises:
        UnsupportedError: tesseract-robotics is not installed. Also a `RuntimeError`.
        WrongTypeError: Not a scene graph of tesseract. Also a `TypeError`.
        InvalidNameError: A name is empty. Also a `ValueError`.
        InvalidJointError: A joint that a graph does not take, such as one from a link to itself.
            Also a `ValueError`.
        NotFiniteError, NotRigidError, InvalidLimitError, InvalidInertialError,
        InvalidGeometryError: Numbers that tesseract takes and kinegraph refuses. Also `ValueError`.
    """
    tesseract = extra_module(SCENE_GRAPH)
    if not isinstance(graph, (tesseract.SceneGraph, tesseract.SceneGraphUPtr)):
        raise WrongTypeError(
            f"from_tesseract: a tesseract SceneGraph is needed, not {graph!r:.100}"
        )
    made = SceneGraph(graph.getName())
    reader = LinkReader()
    names = _names_in_order(graph)
    for name in names:
        link = reader.read(graph.getLink(name))
        link.visible = graph.getLinkVisibility(name)
        link.collision_enabled = graph.getLinkCollisionEnabled(name)
        made.addLink(link)
    for name in names:
        outbound = graph.getOutboundJoints(name)
        for index in range(len(outbound)):
            joint = _read_joint(outbound[index])
            if not made.addJoint(joint):
                raise InvalidJointError(f"from_tesseract: a graph does not take {joint!r}")
    _read_allowed_collisions(graph, made)
    if graph.getRoot() and not made.setRoot(graph.getRoot()):
        raise InvalidNameError(f"from_tesseract: root {graph.getRoot()!r} is no link")
    reader.warn("from_tesseract")
    return made


def _names_in_order(graph: Any) -> list[str]:
    """Return all link names, first those below the root, depth first."""
    ordered: dict[str, None] = {}
    links = graph.getLinks()
    starts = [links[index].getName() for index in range(len(links))]
    stack = [*starts[::-1], *filter(None, [graph.getRoot()])]
    while stack:
        name = stack.pop()
        if name in ordered:
            continue
        ordered[name] = None
        outbound = graph.getOutboundJoints(name)
        stack += [outbound[index].child_link_name for index in range(len(outbound))][::-1]
    return list(ordered)


def _read_joint(source: Any) -> Joint:
    joint = Joint(source.getName())
    joint.type = JointType(int(source.type))
    joint.axis = np.array(source.axis, dtype=np.float64).reshape(3)
    joint.parent_link_name = source.parent_link_name
    joint.child_link_name = source.child_link_name
    joint.parent_to_joint_origin_transform = source.parent_to_joint_origin_transform.matrix()
    for name, cls in PARTS.items():
        twin = getattr(source, name)
        if twin is not None:
            part = cls()
            for field in fields(cls):
                setattr(part, field.name, getattr(twin, field.name))
            setattr(joint, name, part)
    return joint


def _read_allowed_collisions(graph: Any, made: SceneGraph) -> None:
    matrix = graph.getAllowedCollisionMatrix()  # owns the entries: it must outlive them
    entries = matrix.getAllAllowedCollisions()
    for (first, second), reason in entries.items():
        made.addAllowedCollision(first, second, reason)
