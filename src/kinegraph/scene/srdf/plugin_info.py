"""Which plugins a planner should load: kept and written, never loaded."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from kinegraph.scene.arguments import check_kind


@dataclass(slots=True)
class PluginInfo:
    """One plugin.

    Attributes:
        class_name: The class to make.
        config: Whatever the plugin wants: None, texts, numbers, lists and maps of them.
    """

    class_name: str = ""
    config: Any = None


@dataclass(slots=True)
class PluginInfoContainer:
    """Plugins by name.

    Attributes:
        default_plugin: The name of the one to use when nobody chooses, or "".
        plugins: The plugins.
    """

    default_plugin: str = ""
    plugins: dict[str, PluginInfo] = field(default_factory=dict)

    def clear(self) -> None:
        """Remove everything."""
        self.default_plugin = ""
        self.plugins.clear()

    def insert(self, other: "PluginInfoContainer") -> None:
        """Take over the plugins of another one; they win, and so does its default."""
        check_kind(other, PluginInfoContainer, "insert")
        self.default_plugin = other.default_plugin or self.default_plugin
        self.plugins.update(deepcopy(other.plugins))


@dataclass(slots=True)
class _SearchedPlugins:
    search_paths: list[str] = field(default_factory=list)
    search_libraries: list[str] = field(default_factory=list)

    def _insert_searches(self, other: "_SearchedPlugins") -> None:
        for mine, new in (
            (self.search_paths, other.search_paths),
            (self.search_libraries, other.search_libraries),
        ):
            mine += [entry for entry in new if entry not in mine]


@dataclass(slots=True)
class KinematicsPluginInfo(_SearchedPlugins):
    """Solvers of the groups.

    Attributes:
        search_paths: Directories with libraries.
        search_libraries: Libraries with plugins.
        fwd_plugin_infos: Forward kinematics by group.
        inv_plugin_infos: Inverse kinematics by group.
    """

    fwd_plugin_infos: dict[str, PluginInfoContainer] = field(default_factory=dict)
    inv_plugin_infos: dict[str, PluginInfoContainer] = field(default_factory=dict)

    def insert(self, other: "KinematicsPluginInfo") -> None:
        """Take over everything of another one; of the same name, its plugins win."""
        check_kind(other, KinematicsPluginInfo, "insert")
        self._insert_searches(other)
        for mine, new in (
            (self.fwd_plugin_infos, other.fwd_plugin_infos),
            (self.inv_plugin_infos, other.inv_plugin_infos),
        ):
            for group, container in new.items():
                mine.setdefault(group, PluginInfoContainer()).insert(container)

    def clear(self) -> None:
        """Remove everything."""
        self.search_paths.clear()
        self.search_libraries.clear()
        self.fwd_plugin_infos.clear()
        self.inv_plugin_infos.clear()

    def empty(self) -> bool:
        """Tell whether there is nothing in it."""
        return self == KinematicsPluginInfo()


@dataclass(slots=True)
class ContactManagersPluginInfo(_SearchedPlugins):
    """Collision checkers.

    Attributes:
        search_paths: Directories with libraries.
        search_libraries: Libraries with plugins.
        discrete_plugin_infos: Checkers of single states.
        continuous_plugin_infos: Checkers of motions.
    """

    discrete_plugin_infos: PluginInfoContainer = field(default_factory=PluginInfoContainer)
    continuous_plugin_infos: PluginInfoContainer = field(default_factory=PluginInfoContainer)

    def insert(self, other: "ContactManagersPluginInfo") -> None:
        """Take over everything of another one; of the same name, its plugins win."""
        check_kind(other, ContactManagersPluginInfo, "insert")
        self._insert_searches(other)
        self.discrete_plugin_infos.insert(other.discrete_plugin_infos)
        self.continuous_plugin_infos.insert(other.continuous_plugin_infos)

    def clear(self) -> None:
        """Remove everything."""
        self.search_paths.clear()
        self.search_libraries.clear()
        self.discrete_plugin_infos.clear()
        self.continuous_plugin_infos.clear()

    def empty(self) -> bool:
        """Tell whether there is nothing in it."""
        return self == ContactManagersPluginInfo()
