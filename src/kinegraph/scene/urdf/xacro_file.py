"""`.xacro` files to URDF texts, through the `xacro` package, which is an extra."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from kinegraph.scene.errors import URDFError, WrongTypeError
from kinegraph.scene.markup.place import LOGGER
from kinegraph.scene.markup.text import MAX_BYTES
from kinegraph.scene.resources import GeneralResourceLocator, ResourceLocator, located

LONGEST_S = 60.0
"""A file whose expansion takes longer is refused, s; those of the largest robots take a few."""

MOST_MEMORY = 4 * 2**30
"""Memory that an expansion may take, bytes, where the operating system can bound it."""

MOST_PACKAGES = 100
"""A file may refer to so many packages that the locator does not list beforehand."""

BY_HAND = "or expand it first: xacro robot.urdf.xacro > robot.urdf"

_CHILD = Path(__file__).with_name("xacro_child.py")


def expand(path: Path, locator: ResourceLocator | None, arguments: dict[str, str]) -> str:
    """Return the URDF text of a file.

    xacro keeps its state in global variables and runs what a file tells it to, for ever if need
    be: it gets a process of its own.

    Raises:
        URDFError: The package is missing, the file cannot be read, or xacro refuses it.
        WrongTypeError: The arguments are no texts. Also a `TypeError`.
    """
    for name, value in arguments.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise WrongTypeError(
                f"xacro_arguments must be texts, not {name!r:.100}: {value!r:.100}"
            )
    if not path.is_file():
        _fail(path, "cannot be read: there is no such file")
    if find_spec("xacro") is None or not sys.executable:
        _fail(path, f"needs the xacro package: pip install 'kinegraph[xacro]', {BY_HAND}")
    locator = GeneralResourceLocator() if locator is None else locator
    packages: dict[str, str] = {}
    if isinstance(locator, GeneralResourceLocator):
        packages = {name: str(folder) for name, folder in locator.getPackages().items()}
    for _ in range(MOST_PACKAGES):
        answer = _run(path, {"packages": packages, "arguments": arguments})
        if "text" in answer:
            text: str = answer["text"]
            return text
        if "error" in answer:
            _fail(path, f"cannot be expanded by xacro: {answer['error']}")
        packages[answer["missing"]] = _package(path, answer["missing"], locator)
    _fail(path, f"cannot be expanded: it refers to more than {MOST_PACKAGES} packages")


def _package(path: Path, name: str, locator: ResourceLocator) -> str:
    found = located(locator, f"package://{name}/")
    if found is None:
        _fail(
            path,
            f"cannot be expanded: the package {name!r:.100} of $(find {name:.100}) is not known to "
            "the locator",
        )
    return str(found)


def _run(path: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Let another Python expand the file; return what it says."""
    limits = {"most_bytes": MAX_BYTES, "most_memory": MOST_MEMORY}
    job |= {"file": os.fspath(path.absolute()), "sys_path": sys.path, **limits}
    try:
        done = subprocess.run(
            [sys.executable, "-I", os.fspath(_CHILD)],
            input=json.dumps(job),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _fail(path, f"cannot be expanded by xacro within {LONGEST_S:.0f} s")
    except OSError as error:
        _fail(path, f"cannot be expanded: no Python could be started: {error}")
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        _fail(path, f"cannot be expanded by xacro: {last:.300}")
    for line in done.stderr.splitlines()[:20] if "text" in answer else ():
        LOGGER.warning("%s: xacro: %s", path, line[:300])
    return answer


def _fail(path: Path, reason: str) -> NoReturn:
    raise URDFError(f"{path}: {reason}", file=str(path))
