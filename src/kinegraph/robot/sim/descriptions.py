"""The robot descriptions that come with the package."""

from contextlib import AbstractContextManager
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from kinegraph.scene.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable  # of importlib.abc before Python 3.11

__all__ = ["DESCRIPTION_NAMES", "description_path", "description_text"]

DESCRIPTION_NAMES = ("fer", "fr3", "gripper")


def description_text(name: str) -> str:
    """URDF text of a description.

    Args:
        name: "fr3" (Franka Research 3), "fer" (Franka Emika Robot, Panda) or "gripper" (a parallel
            gripper of ten links whose root `palm` goes onto the flange).

    Returns:
        The XML text, in UTF-8 by its declaration.

    Raises:
        UnknownNameError: No description has that name. Also a `KeyError`.
    """
    return _resource(name).read_text(encoding="utf-8")


def description_path(name: str) -> AbstractContextManager[Path]:
    """File of a description, for programs that want a path.

    Use it as `with description_path("fr3") as path:`; the file is only sure to exist inside (a
    package may lie in an archive).

    Raises:
        UnknownNameError: No description has that name. Also a `KeyError`.
    """
    return as_file(_resource(name))


def _resource(name: str) -> "Traversable":
    if name not in DESCRIPTION_NAMES:
        raise UnknownNameError("description", name, DESCRIPTION_NAMES)
    return files("kinegraph.robot.sim").joinpath("data", f"{name}.urdf")
