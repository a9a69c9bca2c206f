"""`SceneGraph` to URDF text, exactly."""

import os
from pathlib import Path

from kinegraph.scene.arguments import check_path, check_text
from kinegraph.scene.errors import URDFError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.markup.files import replace_file
from kinegraph.scene.markup.vocabulary import MAKE_CONVEX
from kinegraph.scene.markup.writing import UnwritableTextError, robot_document
from kinegraph.scene.urdf.checks import faulty_mimic
from kinegraph.scene.urdf.joint_writer import joint_element
from kinegraph.scene.urdf.link_writer import LinkWriter

__all__ = ["writeURDFFile", "writeURDFString"]


def writeURDFString(scene_graph: SceneGraph) -> str:
    """Write a graph as URDF.

    Reading the text gives an equal graph: names, root and order, every number bit for bit, shapes,
    materials, mesh references. What URDF has no words for stays behind: allowed collisions,
    visibility, and axis and limits of fixed and floating joints.

    Raises:
        URDFError: Not a graph, not a tree, or something in it that URDF cannot hold: a joint of
            type UNKNOWN, a plane, a shape without geometry, a control character, a mimic rule
            without end or master.
    """
    _check(scene_graph)
    writer = LinkWriter(scene_graph.getLinks())
    try:
        children = [
            *writer.materials(),
            *map(writer.link, scene_graph.getLinks()),
            *map(joint_element, scene_graph.getJoints()),
        ]
        # tesseract since 0.33 wants make_convex in any case.
        return robot_document(scene_graph.getName(), [(MAKE_CONVEX, "false")], children)
    except UnwritableTextError as error:
        raise URDFError(f"writeURDF: {error}") from error


def writeURDFFile(
    scene_graph: SceneGraph, package_path: str | os.PathLike[str], urdf_name: str = ""
) -> None:
    """Write a graph to `<package_path>/urdf/<urdf_name>.urdf`; see `writeURDFString`.

    Args:
        scene_graph: The graph; a tree.
        package_path: The package's directory; it is made if needed.
        urdf_name: The file's name without ending; left out, the graph's name.

    Raises:
        URDFError: As in `writeURDFString`; no path, no name, a name that leads elsewhere, or a
            file that cannot be written. An older file is left as it was then.
        WrongTypeError: No path, or no text as name. Also a `TypeError`.
    """
    if package_path is None or (isinstance(package_path, str) and not package_path):
        raise URDFError("writeURDFFile: the package path is empty")
    text = writeURDFString(scene_graph)
    name = check_text(urdf_name, "writeURDFFile: urdf_name") or scene_graph.getName()
    if not name or Path(name).name != name or "\0" in name or "\\" in name:
        raise URDFError(f"writeURDFFile: {name!r:.200} is no file name; give a urdf_name")
    folder = check_path(package_path, "writeURDFFile") / "urdf"
    target = folder / f"{name}.urdf"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(target, text.encode())
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        raise URDFError(f"{target}: cannot be written: {error}", file=str(target)) from error


def _check(graph: object) -> None:
    if not isinstance(graph, SceneGraph):
        raise URDFError(f"writeURDF: a SceneGraph is needed, not {graph!r:.100}")
    if graph.isEmpty():
        raise URDFError("writeURDF: the graph is empty; a robot needs a link")
    if not graph.isTree():
        raise URDFError(f"writeURDF: graph {graph.getName()!r} is not a tree")
    if graph.getInboundJoints(graph.getRoot()):
        raise URDFError(
            f"writeURDF: the root {graph.getRoot()!r} is below another link; the root of a URDF "
            "is the link without a parent"
        )
    if (fault := faulty_mimic(graph)) is not None:
        follower, master, reason = fault
        raise URDFError(
            f"writeURDF: joint {follower!r:.200} mimics {master!r:.200}, which {reason}"
        )
