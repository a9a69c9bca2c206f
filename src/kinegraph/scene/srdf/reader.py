"""SRDF text to `SRDFModel`."""

import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from kinegraph.scene.allowed_collisions import AllowedCollisionMatrix
from kinegraph.scene.errors import SRDFError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.markup.place import LOGGER, Source
from kinegraph.scene.markup.text import parse_xml
from kinegraph.scene.markup.values import numbers, required
from kinegraph.scene.resources import ResourceLocator
from kinegraph.scene.srdf.collision_margins import CollisionMarginData
from kinegraph.scene.srdf.config_files import ConfigFiles
from kinegraph.scene.srdf.group_reader import GroupReader

if TYPE_CHECKING:
    from kinegraph.scene.srdf.model import SRDFModel

_VERSION = re.compile(r"\s*(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?\s*", re.ASCII)

READ = (
    "group",
    "group_state",
    "group_tcps",
    "kinematics_plugin_config",
    "calibration_config",
    "disable_collisions",
    "collision_margins",
    "contact_managers_plugin_config",
)
NOT_OURS = ("virtual_joint", "end_effector", "passive_joint")
"""Elements of other programs, left out without a warning."""

Elements = dict[str, list[Element]]


def read_srdf(
    model: "SRDFModel",
    graph: SceneGraph,
    text: str | bytes,
    file: Path | None,
    locator: ResourceLocator | None,
) -> "SRDFModel":
    """Fill an empty model from a text and return it; see `SRDFModel.initString`."""
    document = parse_xml(text, None if file is None else str(file), SRDFError)
    source, robot = Source(document), document.root
    if robot.tag != "robot":
        source.fail(robot, "is not an SRDF: the root element must be <robot>")
    model.name = required(source, robot, "name")
    if model.name != graph.getName():
        LOGGER.error(
            "%s: the SRDF is for robot %r, the graph is %r",
            source.file or "<string>",
            model.name,
            graph.getName(),
        )
    model.version = _version(source, robot)
    elements = _sorted_children(source, robot)
    _read_kinematics(model, source, graph, elements)
    model.acm = _allowed_collisions(source, graph, elements["disable_collisions"])
    for element in elements["collision_margins"]:
        model.collision_margin_data = _margins(source, graph, element)
    _read_configs(model, ConfigFiles(source, file, locator), graph, elements)
    source.report()
    return model


def _version(source: Source, robot: Element) -> list[int]:
    text = robot.get("version")
    if text is None:
        return [1, 0, 0]
    match = _VERSION.fullmatch(text)
    if match is None:
        source.fail(robot, "is no version such as 1.0 or 1.0.0", "version", text)
    return [int(part or 0) for part in match.groups()]


def _sorted_children(source: Source, robot: Element) -> Elements:
    elements: Elements = defaultdict(list)
    for child in robot:
        if child.tag in READ:
            elements[child.tag].append(child)
        elif child.tag not in NOT_OURS:
            source.ignore(child)
    return elements


def _read_kinematics(
    model: "SRDFModel", source: Source, graph: SceneGraph, elements: Elements
) -> None:
    groups = GroupReader(source, graph, model.kinematics_information)
    for element in elements["group"]:
        groups.read_group(element)
    for element in elements["group_state"]:
        groups.read_state(element)
    for element in elements["group_tcps"]:
        groups.read_tcps(element)


def _links(source: Source, graph: SceneGraph, element: Element) -> tuple[str, str] | None:
    """Return the two links of an element; None, noted, when the graph lacks one."""
    pair = required(source, element, "link1"), required(source, element, "link2")
    if graph.getLink(pair[0]) is None or graph.getLink(pair[1]) is None:
        source.ignore(element, "unknown link in")
        return None
    return pair


def _allowed_collisions(
    source: Source, graph: SceneGraph, elements: list[Element]
) -> AllowedCollisionMatrix:
    acm = AllowedCollisionMatrix()
    for element in elements:
        if (pair := _links(source, graph, element)) is not None:
            acm.addAllowedCollision(*pair, element.get("reason", ""))
    return acm


def _margins(source: Source, graph: SceneGraph, element: Element) -> CollisionMarginData:
    (default,) = numbers(source, element, {"default_margin": None})
    margins = CollisionMarginData(default)
    for child in element:
        if child.tag != "pair_margin":
            source.ignore(child)
            continue
        (margin,) = numbers(source, child, {"margin": None})
        if (pair := _links(source, graph, child)) is not None:
            margins.setPairCollisionMargin(*pair, margin)
    return margins


def _read_configs(
    model: "SRDFModel", files: ConfigFiles, graph: SceneGraph, elements: Elements
) -> None:
    for element in elements["kinematics_plugin_config"]:
        model.kinematics_information.kinematics_plugin_info.insert(files.kinematics(element))
    for element in elements["calibration_config"]:
        model.calibration_info.insert(files.calibration(element, graph))
    for element in elements["contact_managers_plugin_config"]:
        model.contact_managers_plugin_info.insert(files.contact_managers(element))
