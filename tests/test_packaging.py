"""What is packed is what is there."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "kinegraph"


def wanted() -> set[str]:
    """Files of the package that belong into every distribution."""
    kinds = ("*.py", "*.urdf", "py.typed")
    return {
        path.relative_to(PACKAGE.parent).as_posix()
        for kind in kinds
        for path in PACKAGE.rglob(kind)
    }


def packed(kind: str, folder: Path) -> Path:
    """Build a distribution with the build backend itself, offline."""
    command = [sys.executable, "-P", "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return next(folder.iterdir())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="python -P came with 3.11")
def test_the_wheel_has_every_file_of_the_package(tmp_path: Path) -> None:
    with zipfile.ZipFile(packed("wheel", tmp_path)) as wheel:
        assert wanted() <= set(wheel.namelist())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="python -P came with 3.11")
def test_the_source_archive_has_every_file_once_and_no_root_links(tmp_path: Path) -> None:
    with tarfile.open(packed("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{name}" for name in wanted()} <= names
    doors = ("scene", "kinematics", "robot")
    assert not [name for name in names if name.startswith(doors)]
