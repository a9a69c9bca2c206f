"""What users found wrong elsewhere: the reports about scenes and kinematics, and how to judge."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shared_cases import GOLDEN

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, StateSolver
from kinegraph.scene import SceneGraph, parseURDFFile

FOLDERS = (GOLDEN / "kinematics_reports", GOLDEN / "scene" / "reports")
CASES = {case["id"]: case for case in json.loads((FOLDERS[0] / "index.json").read_text())["cases"]}
ERRORS: dict[str, type[Exception]] = {"ValueError": ValueError, "KeyError": KeyError}
TOLERANCE = 1e-9

both_solvers = pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])


def expected(case: str) -> dict[str, Any]:
    """The right answers of a report."""
    found: dict[str, Any] = CASES[case]["expected"]
    return found


def files(case: str) -> list[Path]:
    """The descriptions of a report."""
    names = CASES[case]["file"]
    return [path_of(name) for name in ([names] if isinstance(names, str) else names)]


def path_of(name: str) -> Path:
    """Where a description lies."""
    return next(folder / name for folder in FOLDERS if (folder / name).exists())


def scene_of(case: str, place: int = 0) -> SceneGraph:
    """The scene of a report."""
    return parseURDFFile(files(case)[place])


def load(case: str, kind: Any, place: int = 0) -> Any:
    """A solver of the scene of a report."""
    return kind(scene_of(case, place))


def check_poses(solver: StateSolver, poses: dict[str, Any]) -> None:
    """Compare the present poses, asked for at once and link by link."""
    transforms = solver.getState().link_transforms
    for link, wanted in poses.items():
        close(transforms[link], wanted)
        close(solver.getLinkTransform(link), wanted)


def check_jacobian(solver: StateSolver, q: Any, wanted: dict[str, Any]) -> None:
    """Compare a Jacobian, whose columns the report names."""
    names = solver.getActiveJointNames()
    assert sorted(names) == sorted(wanted["columns"])
    columns = [names.index(name) for name in wanted["columns"]]
    close(solver.getJacobian(q, wanted["link"])[:, columns], wanted["value"])


def close(found: Any, wanted: Any) -> None:
    """Compare at the reports' tolerance, which is absolute."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE)


def check_raises(wanted: dict[str, Any], call: Callable[[], object]) -> None:
    """Judge an error: its kind, the words in its text, and that it does not take for ever."""
    start = time.monotonic()
    with pytest.raises(ERRORS[wanted["raises"]]) as caught:
        call()
    assert time.monotonic() - start < 10 * wanted.get("within_s", 1.0)
    text = str(caught.value)
    for word in wanted.get("message_names", []):
        assert word in text
    if "message_names_any" in wanted:
        assert any(word in text for word in wanted["message_names_any"])
    if "message_names_any_of" in wanted:
        assert any(all(word in text for word in words) for words in wanted["message_names_any_of"])
