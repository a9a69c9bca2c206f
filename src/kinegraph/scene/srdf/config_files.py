"""The YAML files that an SRDF refers to."""

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar
from xml.etree.ElementTree import Element

from kinegraph.scene.errors import suggestion
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.markup.place import Source
from kinegraph.scene.markup.values import required
from kinegraph.scene.resources import GeneralResourceLocator, ResourceLocator, located
from kinegraph.scene.srdf.calibration import CalibrationInfo
from kinegraph.scene.srdf.config_data import (
    Node,
    read_calibration,
    read_contact_managers,
    read_kinematics,
)
from kinegraph.scene.srdf.plugin_info import ContactManagersPluginInfo, KinematicsPluginInfo
from kinegraph.scene.srdf.yaml_text import MAX_BYTES, YamlError, load_yaml

T = TypeVar("T")


class ConfigFiles:
    """Finds and reads the files of one SRDF.

    Args:
        source: The text.
        file: Its file, or None; what the locator does not find is looked for beside it.
        locator: Finds files; None for a `GeneralResourceLocator`.
    """

    def __init__(self, source: Source, file: Path | None, locator: ResourceLocator | None) -> None:
        self._source = source
        self._folder = None if file is None else file.parent
        self._locator = locator

    def kinematics(self, element: Element) -> KinematicsPluginInfo:
        """Return the solvers of a `kinematics_plugin_config`."""
        return self._read(element, read_kinematics)

    def contact_managers(self, element: Element) -> ContactManagersPluginInfo:
        """Return the collision checkers of a `contact_managers_plugin_config`."""
        return self._read(element, read_contact_managers)

    def calibration(self, element: Element, graph: SceneGraph) -> CalibrationInfo:
        """Return the joints' origins of a `calibration_config`; the graph must have the joints."""
        info = self._read(element, read_calibration)
        for joint in info.joints:
            if graph.getJoint(joint) is None:
                known = (each.getName() for each in graph.getJoints())
                reason = f"names the joint {joint!r:.100}, which does not exist"
                self._fail(element, reason + suggestion(joint, known))
        return info

    def _read(self, element: Element, read: Callable[[Node], T]) -> T:
        path = self._locate(element)
        try:
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
            return read(Node(load_yaml(data), ""))
        except (OSError, YamlError) as error:
            self._fail(element, f"cannot be read: {path}: {error}", error)

    def _locate(self, element: Element) -> Path:
        filename = required(self._source, element, "filename")
        if self._locator is None:
            self._locator = GeneralResourceLocator()
        found = located(self._locator, filename)
        if found is None and self._folder is not None and "://" not in filename:
            found = self._folder / filename
        if found is None or not found.is_file():
            where = "" if found is None else f" at {found}"
            self._fail(element, f"is not a file that can be found{where}")
        return found

    def _fail(self, element: Element, reason: str, cause: Exception | None = None) -> NoReturn:
        self._source.fail(element, reason, "filename", element.get("filename"), cause)
