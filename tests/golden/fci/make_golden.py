"""Copies the parts of the shared FCI material that the tests rely on.

Origin: `spec/fci_layout_v*.json`, `cases/fci_compute.json`, `cases/fci/*` of the shared
folder (recorded from libfranka 0.21.3, libfranka 0.9.2 and franka-rs 0.4.0; the sessions are
packed, they hold much base64). Run it with that
folder as argument.
"""

import gzip
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
COPIES = (
    "spec/fci_layout_v10.json",
    "spec/fci_layout_v5.json",
    "cases/fci_compute.json",
    "cases/fci/reactions_v10.json",
    "cases/fci/reactions_v5.json",
    "cases/fci/gripper_pylibfranka_frankasim.jsonl",
)


def main(shared: Path) -> None:
    """Copy everything."""
    for copy in COPIES:
        shutil.copyfile(shared / copy, HERE / Path(copy).name)
    for session in sorted((shared / "cases" / "fci").glob("v*.jsonl")):
        packed = gzip.compress(session.read_bytes(), mtime=0)
        (HERE / f"{session.name}.gz").write_bytes(packed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
