"""Runs xacro. A script for a process of its own, see `xacro_file`; it imports nothing of ours.

Reads a job as JSON from its standard input and writes one answer: the text, the error, or the name
of a package that it needs to know.
"""

import json
import sys
from types import ModuleType
from typing import Any


def main() -> None:
    """Do the job and answer."""
    job = json.load(sys.stdin)
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever the file prints is no answer
    sys.path[:] = [entry for entry in job["sys_path"] if entry]
    _bound_memory(job["most_memory"])
    missing: list[str] = []
    _serve_packages(job["packages"], missing)
    try:
        answer = {"text": _expand(job)}
    except BaseException as error:
        answer = {"missing": missing[0]} if missing else {"error": _words(error)}
    json.dump(answer, answers)


def _expand(job: dict[str, Any]) -> str:
    import xacro

    text: str = xacro.process_file(job["file"], mappings=job["arguments"]).toxml()
    if len(text) > job["most_bytes"]:
        raise ValueError(f"the expanded text has more than {job['most_bytes']} bytes")
    return text


def _words(error: BaseException) -> str:
    reason = str(error).strip() or repr(error)
    xacro: Any = sys.modules.get("xacro")
    files = [str(file) for file in getattr(xacro, "filestack", None) or [] if file]
    where = f" (in {files[-1]})" if files else ""
    cause = getattr(error, "exc", None) or error  # xacro's own errors carry the first one
    return f"{type(cause).__name__}: {reason:.600}{where:.300}"


def _serve_packages(packages: dict[str, str], missing: list[str]) -> None:
    """Put a module in the place of ROS's that tells where packages are: xacro asks only that."""
    try:
        from ament_index_python.packages import get_package_share_directory as find_installed
    except ImportError:
        find_installed = None

    def get_package_share_directory(name: str) -> str:
        if name in packages:
            return packages[name]
        try:
            if find_installed is not None:
                return str(find_installed(name))
        except LookupError:
            pass
        missing.append(name)
        raise LookupError(f"package {name!r} is not known")

    module, parent = ModuleType("ament_index_python.packages"), ModuleType("ament_index_python")
    module.__dict__["get_package_share_directory"] = get_package_share_directory
    parent.__dict__["packages"] = module
    sys.modules[parent.__name__], sys.modules[module.__name__] = parent, module


def _bound_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    main()
