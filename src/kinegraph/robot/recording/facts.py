"""The facts about a run that every log begins with."""

import platform
import time
from datetime import datetime, timezone
from typing import Any

from kinegraph import __version__

__all__ = ["describe_run", "plain_host"]


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
