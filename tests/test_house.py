"""The house: doors, names, directions."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOORS = [
    "kinegraph",
    "kinegraph.scene",
    "kinegraph.kinematics",
    "kinegraph.robot",
    "kinegraph.view",
]


@pytest.mark.parametrize("door", DOORS)
def test_every_public_name_can_be_imported(door: str) -> None:
    module = importlib.import_module(door)
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("door", ["scene", "kinematics", "robot"])
def test_links_in_the_root_point_to_the_packages(door: str) -> None:
    assert (ROOT / door).resolve() == (ROOT / "src" / "kinegraph" / door).resolve()


@pytest.mark.parametrize("door", DOORS)
def test_importing_a_door_loads_no_heavy_library(door: str) -> None:
    script = (
        f"import sys, {door}\n"
        "heavy = {'numba', 'networkx', 'scipy', 'lxml', 'matplotlib', 'llvmlite'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: path.name)
def test_no_source_file_names_a_path_of_a_machine(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "/home/" not in text
    assert "/root/" not in text
    assert "/work/" not in text
