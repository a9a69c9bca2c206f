"""Files as a whole: read with a bound, replaced at once."""

import os
from pathlib import Path

from kinegraph.scene.markup.text import MAX_BYTES, ErrorType


def read_file(path: Path, error: ErrorType) -> bytes:
    """Read a file, up to the largest size.

    Raises:
        URDFError, SRDFError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as cause:
        raise error(f"{path}: cannot be read: {cause}", file=str(path)) from cause


def replace_file(target: Path, data: bytes) -> None:
    """Put a whole file in place at once, or leave the old one."""
    import tempfile  # late: it loads much, and few programs write descriptions

    handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(scratch).chmod(0o644)
        Path(scratch).replace(target)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
