"""The facts about a run that every log begins with."""

import contextlib
import json
import os
import platform
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from kinegraph import __version__
from kinegraph.robot.errors import InvalidArgumentError

__all__ = ["checked_json", "checked_path", "describe_run", "plain_host"]


def describe_run() -> dict[str, Any]:
    """Return when the run starts, on both clocks, and what records it."""
    unix_ns, monotonic_ns = time.time_ns(), time.monotonic_ns()
    return {
        "started_at": datetime.fromtimestamp(1e-9 * unix_ns, timezone.utc).isoformat(),
        "unix_ns": unix_ns,
        "monotonic_ns": monotonic_ns,
        "kinegraph": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def plain_host(host: str) -> str:
    """Return a host without what may stand before an @."""
    return host.rpartition("@")[2]


def checked_path(path: object) -> Path:
    """Return a path.

    Raises:
        InvalidArgumentError: It is none. Also a `ValueError`.
    """
    if isinstance(path, str | os.PathLike) and os.fspath(path):
        with contextlib.suppress(UnicodeEncodeError):  # characters that no file name can have
            if b"\0" not in os.fsencode(path):
                return Path(path)
    raise InvalidArgumentError(f"path is {path!r:.100}; the name of a file is needed")


def checked_json(what: str, content: object) -> dict[str, Any]:
    """Return a mapping that JSON can hold as a dict.

    Args:
        what: How error messages call it.
        content: Mapping from names.

    Raises:
        InvalidArgumentError: It holds what JSON cannot. Also a `ValueError`.
    """
    if not isinstance(content, Mapping) or not all(isinstance(key, str) for key in content):
        raise InvalidArgumentError(f"{what}: a mapping with names is needed, not {content!r:.100}")
    try:
        json.dumps(dict(content))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgumentError(f"{what}: {error}; JSON types are needed") from None
    return dict(content)
