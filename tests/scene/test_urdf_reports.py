"""Reports about descriptions: what must be refused, and that no report is left out."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from report_cases import CASES, check_raises, expected, files, path_of
from shared_cases import shared

from kinegraph.scene import parseURDFFile, parseURDFString

# Reports of which the whole expectation is one error for each file.
REFUSED = ["K18", "K19", "K24", "K38", "K40", "K50", "K51", "K53", "K54"]


def refusals() -> list[Any]:
    """Each file that must be refused, with what its error must say."""
    found = []
    for case in REFUSED:
        wanted, paths = expected(case), files(case)
        bound = {key: wanted[key] for key in ("within_s",) if key in wanted}
        for path in paths:
            error = wanted if len(paths) == 1 else wanted[path.name]
            if "raises" in error:
                found.append(pytest.param(path, bound | error, id=path.stem))
    return found


@pytest.mark.parametrize(("path", "error"), refusals())
def test_a_broken_description_is_refused_by_name(path: Path, error: dict[str, Any]) -> None:
    check_raises(error, lambda: parseURDFFile(path))
    check_raises(error, lambda: parseURDFString(path.read_bytes()))


def test_k45_names_and_scales_of_meshes_are_kept() -> None:
    body: Any = parseURDFFile(path_of("K45_meshes.urdf")).getLink("body")
    meshes = [part.geometry for part in (*body.visual, *body.collision)]
    assert [mesh.filename for mesh in meshes] == expected("K45")["mesh_names"]
    assert list(meshes[0].scale) == expected("K45")["scale"]


def test_k46_elements_inside_others_are_no_links_and_joints() -> None:
    graph, wanted = parseURDFFile(path_of("K46_nested.urdf")), expected("K46")
    assert [link.getName() for link in graph.getLinks()] == wanted["links"]
    assert [joint.getName() for joint in graph.getJoints()] == wanted["joints"]


def test_every_report_has_a_test_of_its_name() -> None:
    kinematics = Path(__file__).parents[1] / "kinematics"
    names = ("test_kinematics_reports.py", "test_joint_velocities.py")
    modules = [Path(__file__), *(kinematics / name for name in names)]
    text = "\n".join(path.read_text(encoding="utf-8") for path in modules)
    named = set(re.findall(r'"(K\d\d)"', text)) | {
        name.upper() for name in re.findall(r"def test_(k\d\d)_", text)
    }
    assert named == set(CASES)


def test_the_reports_are_those_of_the_shared_cases() -> None:
    folder = shared("cases", "reports")
    recorded = json.loads((folder / "index.json").read_text(encoding="utf-8"))["cases"]
    expectations = {case["id"]: case["expected"] for case in recorded}
    for case in CASES:
        assert expected(case) == expectations[case]
        for path in files(case):
            assert path.read_bytes() == (folder / path.name).read_bytes()
