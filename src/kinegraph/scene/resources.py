"""Where the URLs of a description point: package://, file:// and plain paths.

Nothing is opened here, and nothing is ever fetched from a network.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import unquote

from kinegraph.scene.errors import WrongTypeError

__all__ = ["GeneralResourceLocator", "ResourceLocator"]

ENVIRONMENT_VARIABLES = ("TESSERACT_RESOURCE_PATH", "ROS_PACKAGE_PATH")
_PACKAGE = re.compile(r"package://([^/]+)/(.*)", re.DOTALL)


@runtime_checkable
class ResourceLocator(Protocol):
    """Anything that knows where URLs point."""

    def locateResource(self, url: str) -> Path | None:
        """Return the file of a URL, or None."""


class GeneralResourceLocator:
    """Finds `package://name/rest`, `file:///path` and absolute paths.

    A directory registers under its own name, and so does every directory below it that holds a
    `package.xml`; nothing is looked for inside a package. The first of a name wins.

    Args:
        paths: Directories to register first.
        environment_variables: Variables with more directories, separated as in PATH.
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]] = (),
        environment_variables: Sequence[str] = ENVIRONMENT_VARIABLES,
    ) -> None:
        self._packages: dict[str, Path] = {}
        for path in paths:
            self.addPath(path)
        for variable in environment_variables:
            self.loadEnvironmentVariable(variable)

    def addPath(self, path: str | os.PathLike[str]) -> bool:
        """Register a directory and the packages below it; False when it is no directory."""
        root = Path(path)
        if not root.is_dir():
            return False
        root = root.resolve()
        self._packages.setdefault(root.name, root)
        for folder, subfolders, files in os.walk(root):
            if "package.xml" in files:
                self._packages.setdefault(Path(folder).name, Path(folder))
                subfolders.clear()
            subfolders.sort()
        return True

    def loadEnvironmentVariable(self, environment_variable: str) -> bool:
        """Register the directories of a variable; False when it is not set."""
        value = os.environ.get(environment_variable, "")
        for path in filter(None, value.split(os.pathsep)):
            self.addPath(path)
        return bool(value)

    def getPackages(self) -> dict[str, Path]:
        """Return the registered packages and their directories, a copy."""
        return dict(self._packages)

    def locateResource(self, url: str) -> Path | None:
        """Return where a URL points, or None when it points nowhere known.

        The file need not exist. A `package://` URL that leaves its package through `..` or a
        symbolic link points nowhere.

        Raises:
            WrongTypeError: Not a str. Also a `TypeError`.
        """
        if not isinstance(url, str):
            raise WrongTypeError(f"locateResource: a URL must be a str, not {url!r:.100}")
        if "\0" in url:
            return None
        if match := _PACKAGE.fullmatch(url):
            return self._in_package(match[1], match[2])
        if url.startswith("file:///"):
            return Path(unquote(url[len("file://") :]))
        path = Path(url)
        return path if path.is_absolute() else None

    def _in_package(self, name: str, rest: str) -> Path | None:
        root = self._packages.get(name)
        if root is None:
            return None
        path = root / rest.lstrip("/")
        inside = path.resolve()
        return path if inside == root or root in inside.parents else None


def relative_resource(locator: ResourceLocator, base_url: str, url: str) -> Path | None:
    """Find a URL that stands inside another resource.

    What the locator does not find is taken for a file beside that resource; only its file name
    counts then.
    """
    found = locator.locateResource(url)
    if found is not None:
        return found
    name = re.split(r"[/\\]", url)[-1]
    folder = base_url.rpartition("/")[0]
    return locator.locateResource(f"{folder}/{name}") if name not in ("", ".", "..") else None
