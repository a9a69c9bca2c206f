"""Where the URLs of a description point: package://, file:// and plain paths.

Nothing is opened here, and nothing is ever fetched from a network.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import unquote

from kinegraph.scene.arguments import check_entries, check_path, check_text
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

    Raises:
        WrongTypeError: One path or text instead of a list, or no paths. Also a `TypeError`.
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]] = (),
        environment_variables: Sequence[str] = ENVIRONMENT_VARIABLES,
    ) -> None:
        self._packages: dict[str, Path] = {}
        # The letters of a single path would be taken for paths, and "/" walked through.
        for path in check_entries(paths, "paths"):
            self.addPath(path)
        for variable in check_entries(environment_variables, "environment_variables"):
            self.loadEnvironmentVariable(variable)

    def addPath(self, path: str | os.PathLike[str]) -> bool:
        """Register a directory and the packages below it; False when it is no directory.

        Raises:
            WrongTypeError: No path. Also a `TypeError`.
        """
        root = check_path(path, "addPath")
        if path == "" or not root.is_dir():
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
        name = check_text(environment_variable, "a variable's name")
        try:
            value = os.environ.get(name, "")
        except UnicodeEncodeError:  # no variable can have such a name
            return False
        for path in filter(None, value.split(os.pathsep)):
            self.addPath(path)
        return bool(value)

    def getPackages(self) -> dict[str, Path]:
        """Return the registered packages and their directories, a copy."""
        return dict(self._packages)

    def locateResource(self, url: str) -> Path | None:
        """Return where a URL points, or None when it points nowhere known.

        The file need not exist. A `package://` URL that leaves its package through `..` points
        nowhere. Symbolic links in a package are followed: build tools fill packages with them.

        Raises:
            WrongTypeError: Not a str. Also a `TypeError`.
        """
        check_text(url, "locateResource: a URL")
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
        path = Path(os.path.normpath(root / rest.lstrip("/")))
        return path if path == root or root in path.parents else None


def check_locator(locator: ResourceLocator | None) -> None:
    """Refuse what is neither None nor a locator (TypeError)."""
    if locator is not None and not callable(getattr(locator, "locateResource", None)):
        raise WrongTypeError(
            f"a locator needs a method locateResource(url), which {locator!r:.100} has not"
        )


def located(locator: ResourceLocator, url: str) -> Path | None:
    """Ask a locator, which may be the user's own; refuse an answer that is no path (TypeError)."""
    found: object = locator.locateResource(url)
    return None if found is None else check_path(found, f"answer of {type(locator).__name__}")  # type: ignore[arg-type]


def relative_resource(locator: ResourceLocator, base_url: str, url: str) -> Path | None:
    """Find a URL that stands inside another resource.

    What the locator does not find is taken for a file beside that resource; only its file name
    counts then.
    """
    found = located(locator, url)
    if found is not None:
        return found
    name = re.split(r"[/\\]", url)[-1]
    folder = base_url.rpartition("/")[0]
    return located(locator, f"{folder}/{name}") if name not in ("", ".", "..") else None
