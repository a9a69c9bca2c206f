"""What the README and the manual show runs as it stands."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from oracles import third_party

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HANG_S = 600.0  # the first on a machine compiles what it needs


def script(page: Path) -> str:
    """All Python blocks of a page, one after the other."""
    return "\n".join(BLOCK.findall(page.read_text(encoding="utf-8")))


def pages() -> list[object]:
    """Pages with Python in them, as parameters; all but the shortest start a robot or compile."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    marks = [pytest.mark.slow, pytest.mark.timeout(HANG_S + 30.0)]
    return [
        pytest.param(
            page,
            id=page.stem,
            marks=[*marks, pytest.mark.compiled] if "SimulatedRobot" in script(page) else marks,
        )
        for page in found
        if script(page)
    ]


@pytest.mark.parametrize("page", pages())
def test_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    if "import pinocchio" in script(page):
        third_party("pinocchio")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script(page)],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_first_block_of_the_readme_has_ten_lines_and_prints_a_pose() -> None:
    first = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))[0]
    assert sum(bool(line.strip()) for line in first.splitlines()) <= 10
    assert "getLinkTransform" in first


def test_every_make_target_that_the_readme_names_exists() -> None:
    named = set(re.findall(r"^make (\w+)", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert named >= {"demo", "test", "lint", "bench", "docs"}
    assert {name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)} == set()


LINK = re.compile(r"\]\(([^):#]+)\)")


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda page: page.stem
)
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("door", ["scene", "kinematics", "robot", "robot.testing", "view"])
def test_every_public_name_is_in_the_reference(door: str) -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    shown: set[str] = set()
    for module in re.findall(r"automodule:: (\S+)", text):
        shown.update(importlib.import_module(module).__all__)
    assert set(importlib.import_module(f"kinegraph.{door}").__all__) - shown == set()


def test_every_test_that_a_page_names_is_there() -> None:
    text = (ROOT / "docs" / "control-numbers.md").read_text(encoding="utf-8")
    named = re.findall(r"`(test_\w+)`: ((?:`\w+`(?:, )?)+)", text)
    assert len(named) > 50
    for module, names in named:
        source = (ROOT / "tests" / "robot" / f"{module}.py").read_text(encoding="utf-8")
        for name in re.findall(r"`(\w+)`", names):
            assert f"def test_{name}(" in source, (module, name)
