"""Where the environments of the third-party programs are."""

import os
from pathlib import Path

__all__ = ["PeerMissingError", "python_of"]

ROOT = Path(__file__).parents[1]


class PeerMissingError(RuntimeError):
    """An environment that is not there."""


def python_of(name: str) -> Path:
    """Interpreter of the environment of a peer.

    Args:
        name: `V10`, `V5`, `FS`, `FKS` or `AIO`, see `make peers`.

    Raises:
        PeerMissingError: It was not installed.
    """
    base = Path(os.environ.get("KINEGRAPH_PEERS") or ROOT / ".venv-peers")
    python = base / name / "bin" / "python"
    if not python.exists():
        raise PeerMissingError(f"{python} is missing: run `make peers`, or set KINEGRAPH_PEERS")
    return python
