"""Plugins and calibration as the plain data of their YAML files."""

from typing import Any, NoReturn

from kinegraph.scene.markup.values import to_float
from kinegraph.scene.pose import Isometry3d, from_rpy_numbers, quaternion_source, rotation_source
from kinegraph.scene.rotations import quaternion_from_rows
from kinegraph.scene.srdf.calibration import CalibrationInfo
from kinegraph.scene.srdf.plugin_info import (
    ContactManagersPluginInfo,
    KinematicsPluginInfo,
    PluginInfo,
    PluginInfoContainer,
)
from kinegraph.scene.srdf.yaml_text import YamlError

KINEMATICS = "kinematic_plugins"
CONTACT_MANAGERS = "contact_manager_plugins"
CALIBRATION = "calibration"

SEARCH_PATHS, SEARCH_LIBRARIES = "search_paths", "search_libraries"
FORWARD, INVERSE = "fwd_kin_plugins", "inv_kin_plugins"
DISCRETE, CONTINUOUS = "discrete_plugins", "continuous_plugins"


class Node:
    """A value of a file, with the way to it for errors.

    Args:
        value: Plain data.
        path: The way to it, such as `calibration.joints`.
    """

    def __init__(self, value: object, path: str) -> None:
        self.value = value
        self.path = path

    def fail(self, reason: str) -> NoReturn:
        """Raise the error for this value."""
        raise YamlError(f"{self.path or 'the file'}: {reason}")

    def items(self) -> dict[str, "Node"]:
        """Return the entries of a map; none of an empty value."""
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            self.fail(f"{self.value!r:.100} is no map")
        path = f"{self.path}." if self.path else ""
        return {key: Node(value, path + key) for key, value in self.value.items()}

    def entry(self, key: str) -> "Node":
        """Return an entry that must be there."""
        entries = self.items()
        if key not in entries:
            self.fail(f"has no {key!r}")
        return entries[key]

    def text(self) -> str:
        """Return a text; numbers and the like are none."""
        if not isinstance(self.value, str):
            self.fail(f"{self.value!r:.100} is no text")
        return self.value

    def texts(self) -> list[str]:
        """Return a list of texts; an empty one for an empty value."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            self.fail(f"{self.value!r:.100} is no list")
        return [Node(item, f"{self.path}[{i}]").text() for i, item in enumerate(self.value)]

    def number(self) -> float:
        """Return a finite number. YAML's own 1e-3 without a point is a text and counts too."""
        value = self.value
        if isinstance(value, str):
            value = to_float(value)
        if value is None or isinstance(value, bool) or not isinstance(value, int | float):
            self.fail(f"{self.value!r:.100} is no number")
        try:
            return float(value)
        except OverflowError:
            self.fail("the number is too large")


def read_kinematics(file: Node) -> KinematicsPluginInfo:
    """Return the solvers of a file; a `YamlError` says what is wrong."""
    entries = file.entry(KINEMATICS).items()
    return KinematicsPluginInfo(
        *_searches(entries),
        *(
            {group: _container(node) for group, node in entries[key].items().items()}
            if key in entries
            else {}
            for key in (FORWARD, INVERSE)
        ),
    )


def read_contact_managers(file: Node) -> ContactManagersPluginInfo:
    """Return the collision checkers of a file; a `YamlError` says what is wrong."""
    entries = file.entry(CONTACT_MANAGERS).items()
    return ContactManagersPluginInfo(
        *_searches(entries),
        *(
            _container(entries[key]) if key in entries else PluginInfoContainer()
            for key in (DISCRETE, CONTINUOUS)
        ),
    )


def _searches(entries: dict[str, Node]) -> tuple[list[str], list[str]]:
    paths, libraries = (
        entries[key].texts() if key in entries else [] for key in (SEARCH_PATHS, SEARCH_LIBRARIES)
    )
    return paths, libraries


def read_calibration(file: Node) -> CalibrationInfo:
    """Return the joints' origins of a file; a `YamlError` says what is wrong."""
    joints = file.entry(CALIBRATION).entry("joints").items()
    return CalibrationInfo({name: _pose(node) for name, node in joints.items()})


def _container(node: Node) -> PluginInfoContainer:
    default = node.items().get("default")
    plugins = {name: _plugin(plugin) for name, plugin in node.entry("plugins").items().items()}
    return PluginInfoContainer("" if default is None else default.text(), plugins)


def _plugin(node: Node) -> PluginInfo:
    config = node.items().get("config")
    return PluginInfo(node.entry("class").text(), None if config is None else config.value)


def _pose(node: Node) -> Isometry3d:
    position, orientation = node.entry("position"), node.entry("orientation")
    x, y, z = (position.entry(axis).number() for axis in "xyz")
    if "w" not in orientation.items():
        roll, pitch, yaw = (orientation.entry(angle).number() for angle in "rpy")
        return from_rpy_numbers((x, y, z), (roll, pitch, yaw))
    a, b, c, d = (orientation.entry(part).number() for part in "wxyz")
    if not 1e-150 < max(map(abs, (a, b, c, d))) < 1e150:
        orientation.fail("is no quaternion: its norm is 0 or too large")
    return quaternion_source((x, y, z), (a, b, c, d))


def write_kinematics(info: KinematicsPluginInfo) -> dict[str, Any]:
    """Return the data of a file of solvers."""
    content = {
        SEARCH_PATHS: info.search_paths,
        SEARCH_LIBRARIES: info.search_libraries,
        FORWARD: _containers_data(info.fwd_plugin_infos),
        INVERSE: _containers_data(info.inv_plugin_infos),
    }
    return {KINEMATICS: {key: value for key, value in content.items() if value}}


def write_contact_managers(info: ContactManagersPluginInfo) -> dict[str, Any]:
    """Return the data of a file of collision checkers."""
    content: dict[str, Any] = {
        SEARCH_PATHS: info.search_paths,
        SEARCH_LIBRARIES: info.search_libraries,
    }
    for key, container in (
        (DISCRETE, info.discrete_plugin_infos),
        (CONTINUOUS, info.continuous_plugin_infos),
    ):
        if container != PluginInfoContainer():
            content[key] = _container_data(container)
    return {CONTACT_MANAGERS: {key: value for key, value in content.items() if value}}


def write_calibration(info: CalibrationInfo) -> dict[str, Any]:
    """Return the data of a file of joints' origins."""
    return {CALIBRATION: {"joints": {name: _pose_data(T) for name, T in info.joints.items()}}}


def _containers_data(containers: dict[str, PluginInfoContainer]) -> dict[str, Any]:
    return {group: _container_data(container) for group, container in containers.items()}


def _container_data(container: PluginInfoContainer) -> dict[str, Any]:
    default = {"default": container.default_plugin} if container.default_plugin else {}
    plugins = {name: _plugin_data(plugin) for name, plugin in container.plugins.items()}
    return {**default, "plugins": plugins}


def _plugin_data(plugin: PluginInfo) -> dict[str, Any]:
    config = {} if plugin.config is None else {"config": plugin.config}
    return {"class": plugin.class_name, **config}


def _pose_data(pose: Isometry3d) -> dict[str, dict[str, float]]:
    rows, translation = pose.rows()
    orientation = dict(zip("xyzw", quaternion_from_rows(rows), strict=True))
    if (source := rotation_source(pose)) is not None:  # the numbers that were read
        kind, numbers = source
        orientation = dict(zip("wxyz" if kind == "wxyz" else "rpy", numbers, strict=True))
    return {"position": dict(zip("xyz", translation, strict=True)), "orientation": orientation}
