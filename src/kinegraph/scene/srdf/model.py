"""`SRDFModel`: all of an SRDF."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from kinegraph.scene.allowed_collisions import AllowedCollisionMatrix
from kinegraph.scene.arguments import check_kind, check_path
from kinegraph.scene.errors import SRDFError, WrongTypeError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.resources import ResourceLocator, check_locator
from kinegraph.scene.srdf.calibration import CalibrationInfo
from kinegraph.scene.srdf.collision_margins import CollisionMarginData
from kinegraph.scene.srdf.kinematics_information import KinematicsInformation
from kinegraph.scene.srdf.plugin_info import ContactManagersPluginInfo

UNNAMED = "undefined"


@dataclass(slots=True, eq=False)
class SRDFModel:
    """What an SRDF says about a robot.

    Attributes:
        name: The robot's name.
        version: Major, minor and patch version of the format.
        kinematics_information: Groups, their states and tool centre points.
        contact_managers_plugin_info: Collision checkers to load.
        acm: Pairs of links that may touch.
        collision_margin_data: How far apart links must stay, or None.
        calibration_info: Measured origins of joints.
    """

    name: str = UNNAMED
    version: Sequence[int] = field(default_factory=lambda: [1, 0, 0])
    kinematics_information: KinematicsInformation = field(default_factory=KinematicsInformation)
    contact_managers_plugin_info: ContactManagersPluginInfo = field(
        default_factory=ContactManagersPluginInfo
    )
    acm: AllowedCollisionMatrix = field(default_factory=AllowedCollisionMatrix)
    collision_margin_data: CollisionMarginData | None = None
    calibration_info: CalibrationInfo = field(default_factory=CalibrationInfo)

    __hash__ = None  # type: ignore[assignment]

    def initString(
        self,
        scene_graph: SceneGraph,
        text: str | bytes,
        locator: ResourceLocator | None = None,
    ) -> None:
        """Read an SRDF text in the place of what is there.

        Unknown elements are ignored with one logged warning per kind, and so are allowed
        collisions and margins of links that the graph does not have.

        Args:
            scene_graph: The robot; the names of groups, chains and states must exist in it.
            text: The SRDF, as in `parseURDFString`.
            locator: Finds the YAML files that the text refers to; left out, a
                `GeneralResourceLocator`.

        Raises:
            SRDFError: Anything wrong; the model is as it was then. The message names file, line,
                element, attribute, value and what was expected; the same as attributes. Also a
                `ValueError` and a `RuntimeError`.
            WrongTypeError: No graph, no text, or no locator. Also a `TypeError`.
        """
        self._read(scene_graph, text, None, locator)

    def initFile(
        self,
        scene_graph: SceneGraph,
        path: str | os.PathLike[str],
        locator: ResourceLocator | None = None,
    ) -> None:
        """Read an SRDF file; otherwise as `initString`.

        YAML files that the locator does not find are looked for beside the file.

        Raises:
            SRDFError: As `initString`; or the file cannot be read.
            WrongTypeError: No graph, no path, or no locator. Also a `TypeError`.
        """
        from kinegraph.scene.markup.files import read_file

        file = check_path(path, "initFile")
        self._read(scene_graph, read_file(file, SRDFError), file, locator)

    def _read(
        self,
        scene_graph: SceneGraph,
        text: str | bytes,
        file: Path | None,
        locator: ResourceLocator | None,
    ) -> None:
        from kinegraph.scene.srdf.reader import read_srdf

        check_kind(scene_graph, SceneGraph, "SRDFModel")
        check_locator(locator)
        self._become(read_srdf(SRDFModel(), scene_graph, text, file, locator))

    def saveToFile(self, path: str | os.PathLike[str]) -> bool:
        """Write an SRDF file that reads back as an equal model, with all digits.

        Plugins and calibration go into YAML files beside it, named after it. Each file is
        replaced as a whole.

        Returns:
            False, with a logged error, when a file cannot be written.

        Raises:
            SRDFError: Something that SRDF cannot hold: a group without content or of two kinds, a
                number that is not finite, a control character, a field of the wrong type.
                Nothing is written then.
            WrongTypeError: No path. Also a `TypeError`.
        """
        from kinegraph.scene.srdf.writer import save

        return save(self, check_path(path, "saveToFile"))

    def clear(self) -> None:
        """Reset everything to the defaults."""
        self._become(SRDFModel())

    def _become(self, other: "SRDFModel") -> None:
        for each in fields(self):
            setattr(self, each.name, getattr(other, each.name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SRDFModel):
            return NotImplemented
        return list(self.version) == list(other.version) and all(
            getattr(self, each.name) == getattr(other, each.name)
            for each in fields(self)
            if each.name != "version"
        )


def processSRDFAllowedCollisions(scene_graph: SceneGraph, srdf_model: SRDFModel) -> None:
    """Add the pairs of an SRDF that may touch to a graph.

    Raises:
        WrongTypeError: Not a graph and a model. Also a `TypeError`.
    """
    if not isinstance(scene_graph, SceneGraph) or not isinstance(srdf_model, SRDFModel):
        raise WrongTypeError(
            "processSRDFAllowedCollisions: a SceneGraph and an SRDFModel are needed, not "
            f"{scene_graph!r:.100} and {srdf_model!r:.100}"
        )
    for (link_name1, link_name2), reason in srdf_model.acm.getAllAllowedCollisions().items():
        scene_graph.addAllowedCollision(link_name1, link_name2, reason)
