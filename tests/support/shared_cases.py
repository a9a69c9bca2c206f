"""Where the shared cases lie, and a skip where they do not."""

import os
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden"


def shared_root() -> Path | None:
    """The folder of shared cases: KINEGRAPH_SHARED, or beside the checkout."""
    named = os.environ.get("KINEGRAPH_SHARED")
    root = Path(named) if named else Path(__file__).parents[3] / "shared"
    return root if root.is_dir() else None


def shared(*parts: str) -> Path:
    """A file or folder below the shared cases; skips the test where it is not there."""
    root = shared_root()
    if root is None or not (path := root.joinpath(*parts)).exists():
        pytest.skip(f"no shared cases: {'/'.join(parts)}")
    return path
