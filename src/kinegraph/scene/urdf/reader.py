"""URDF text to `SceneGraph`."""

import os
import re
from collections.abc import Iterable, Mapping
from typing import NoReturn
from xml.etree.ElementTree import Element

from kinegraph.scene.arguments import check_flag, check_path
from kinegraph.scene.errors import URDFError, WrongTypeError, suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.markup.files import read_file
from kinegraph.scene.markup.origin_reader import OriginReader
from kinegraph.scene.markup.place import Source, shortened
from kinegraph.scene.markup.text import parse_xml
from kinegraph.scene.markup.values import boolean, prefixed_attribute, required
from kinegraph.scene.resources import ResourceLocator, check_locator
from kinegraph.scene.urdf.checks import check_mimics, root_of_tree
from kinegraph.scene.urdf.geometry_reader import GeometryReader
from kinegraph.scene.urdf.joint_reader import JointReader
from kinegraph.scene.urdf.link_reader import LinkReader

__all__ = ["parseURDFFile", "parseURDFString"]

_VERSION = re.compile(r"\s*1(\.\d+)*\s*", re.ASCII)


def parseURDFString(
    text: str | bytes,
    locator: ResourceLocator | None = None,
    *,
    strict_meshes: bool = False,
) -> SceneGraph:
    """Read a URDF text.

    Prefixes without namespace declaration are accepted, unknown elements are ignored with one
    logged warning per kind, and meshes and textures are kept as references.

    Args:
        text: The URDF; bytes may be in any encoding that they declare, a str may still carry its
            encoding line or byte order mark.
        locator: Finds the files that the text refers to; used with `strict_meshes`.
        strict_meshes: Refuse a mesh whose file cannot be found.

    Returns:
        The graph; a tree. Its root is the link without a parent, its order the text's.

    Raises:
        URDFError: Anything wrong. The message names file, line, element, attribute, value and what
            was expected; the same as attributes. Also a `ValueError` and a `RuntimeError`.
        WrongTypeError: `text` is neither str nor bytes, or `locator` is none. Also a `TypeError`.
    """
    return _parse(text, None, locator, strict_meshes)


def parseURDFFile(
    path: str | os.PathLike[str],
    locator: ResourceLocator | None = None,
    *,
    strict_meshes: bool = False,
    xacro_arguments: Mapping[str, str] | None = None,
) -> SceneGraph:
    """Read a URDF file; otherwise as `parseURDFString`.

    A `.xacro` file is expanded first, with the `xacro` package (the extra `kinegraph[xacro]`), in
    a process of its own. Its `$(find name)` is the folder of `package://name/`. A xacro file holds
    Python expressions: do not read one that you would not run.

    Args:
        path: The file; one that ends in `.xacro` is expanded.
        locator: Finds packages and meshes; left out, a `GeneralResourceLocator`.
        strict_meshes: Refuse a mesh whose file cannot be found.
        xacro_arguments: Values for the `$(arg name)` of a `.xacro` file.

    Raises:
        URDFError: The file cannot be read or expanded, or anything in it is wrong. Lines of a
            `.xacro` file are those of the expanded text.
        WrongTypeError: No path, no locator, or `xacro_arguments` that are no texts. Also a
            `TypeError`.
    """
    file = check_path(path, "parseURDFFile")
    check_locator(locator)
    if xacro_arguments is not None and not isinstance(xacro_arguments, Mapping):
        raise WrongTypeError(f"xacro_arguments must be a dict, not {xacro_arguments!r:.100}")
    if file.suffix.lower() == ".xacro":
        from kinegraph.scene.urdf.xacro_file import expand

        text = expand(file, locator, dict(xacro_arguments or {}))
        return _parse(text, f"{file} (expanded)", locator, strict_meshes)
    if xacro_arguments:
        raise URDFError(f"{file}: xacro_arguments are for .xacro files", file=str(file))
    return _parse(read_file(file, URDFError), str(file), locator, strict_meshes)


def _parse(
    text: str | bytes, file: str | None, locator: ResourceLocator | None, strict_meshes: bool
) -> SceneGraph:
    check_locator(locator)
    check_flag(strict_meshes, "strict_meshes")
    document = parse_xml(text, file, URDFError)
    source, robot = Source(document), document.root
    if robot.tag != "robot":
        source.fail(robot, "is not a URDF: the root element must be <robot>")
    if strict_meshes and locator is None:
        from kinegraph.scene.resources import GeneralResourceLocator

        locator = GeneralResourceLocator()
    graph = _read_robot(source, robot, locator if strict_meshes else None)
    source.report()
    return graph


def _read_robot(source: Source, robot: Element, locator: ResourceLocator | None) -> SceneGraph:
    graph = SceneGraph(required(source, robot, "name"))
    _check_version(source, robot)
    convex = prefixed_attribute(robot, "make_convex")
    make_convex = convex is not None and boolean(source, robot, "tesseract:make_convex", convex)
    origins = OriginReader(source)
    links = LinkReader(source, origins, GeometryReader(source, make_convex, locator))
    elements = _sorted_children(source, robot)
    for element in elements["material"]:
        links.read_global_material(element)
    _read_links(source, graph, links, elements["link"])
    if graph.isEmpty():
        source.fail(robot, "has no <link>")
    joints = _read_joints(source, graph, JointReader(source, origins), elements["joint"])
    graph.setRoot(root_of_tree(source, robot, graph, joints))
    check_mimics(source, graph, joints)
    return graph


def _check_version(source: Source, robot: Element) -> None:
    version = robot.get("version")
    if version is not None and not _VERSION.fullmatch(version):
        source.fail(robot, "is not supported; 1 or 1.x is expected", "version", version)


def _sorted_children(source: Source, robot: Element) -> dict[str, list[Element]]:
    elements: dict[str, list[Element]] = {"material": [], "link": [], "joint": []}
    for child in robot:
        known = elements.get(child.tag)
        if known is None:
            source.ignore(child)
        else:
            known.append(child)
    return elements


def _read_links(
    source: Source, graph: SceneGraph, reader: LinkReader, elements: list[Element]
) -> None:
    for element in elements:
        link = reader.read(element)
        if link.getName() in graph._links:
            source.fail(element, "is the name of another link too", "name", link.getName())
        graph._put_link(link)


def _read_joints(
    source: Source, graph: SceneGraph, reader: JointReader, elements: list[Element]
) -> dict[str, Element]:
    """Read the joints into the graph; return their elements by name."""
    by_name: dict[str, Element] = {}
    links = graph._links
    for element in elements:
        joint = reader.read(element)
        name = joint.getName()
        if name in by_name:
            source.fail(element, "is the name of another joint too", "name", name)
        if joint.parent_link_name not in links:
            _unknown_link(source, element, "parent", joint.parent_link_name, links)
        if joint.child_link_name not in links:
            _unknown_link(source, element, "child", joint.child_link_name, links)
        if joint.parent_link_name == joint.child_link_name:
            link = shortened(joint.child_link_name)
            source.fail(element, f"parent and child are the same link {link} (a cycle)")
        by_name[name] = element
        graph._put_joint(joint)
    return by_name


def _unknown_link(
    source: Source, joint: Element, which: str, name: str, links: Iterable[str]
) -> NoReturn:
    element = next(child for child in joint if child.tag == which)
    reason = f"is a link that does not exist{suggestion(name, links)}"
    source.fail(element, reason, "link", name)
