"""The main job, from the command line to the files that it leaves."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegraph.cli.demo_report import Landing, Report, reported_errors
from kinegraph.robot import RecordedRun

pytestmark = [pytest.mark.compiled, pytest.mark.slow, pytest.mark.timeout(900)]

HOST = "127.0.0.64"


def demo(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the command on an address of the test's own."""
    command = [sys.executable, "-m", "kinegraph.cli.main", "demo", "--host", HOST, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=850, check=False)


def test_the_main_job_meets_its_targets_and_leaves_its_files(tmp_path: Path) -> None:
    done = demo("--lockstep", "1", "--out", str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout
    for number in range(1, 8):
        assert f"[{number}/7]" in said
    landings = re.findall(r"^\S.*?\s(\d+\.\d{3})\s+(\d+\.\d{3})$", said, re.M)
    assert len(landings) == 4
    assert all(float(mm) <= 1.0 and float(mrad) <= 2.0 for mm, mrad in landings)
    assert re.search(r"errors of the robot\s+none", said)
    assert re.search(r"states received / missed\s+\d+ / 0", said)
    assert float(re.search(r"in the tool\s+moved by (\S+)", said)[1]) <= 1e-9  # type: ignore[index]
    assert float(re.search(r"detach\s+jumped by (\S+)", said)[1]) <= 1e-9  # type: ignore[index]
    assert float(re.search(r"differences\s+(\S+)", said)[1]) <= 1e-8  # type: ignore[index]
    with np.load(tmp_path / "run.npz") as run:
        assert set(run.files) == {"states", "cycles", "records"}
        assert len(run["cycles"]) > 3000
        assert len(run["records"]) == len(run["cycles"])
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def report(**changes: Any) -> Report:
    """A run in which all went well, but for the changes."""
    values: dict[str, Any] = {
        "landings": [Landing("there", 1.0, 2.0)],
        "compute_us": np.zeros(3),
        "errors": (),
        "success_rate": 1.0,
    }
    numbers = ("lag_mm", "jacobian_error", "part_error", "part_jump", "peak_torque", "carried_kg")
    counts = ("received", "missed", "recorded", "record_lost")
    values |= dict.fromkeys(numbers, 0.0) | dict.fromkeys(counts, 0) | changes
    return Report(**values)


@pytest.mark.parametrize(
    ("changes", "passes"),
    [
        ({}, True),
        ({"landings": [Landing("there", 1.01, 0.0)]}, False),
        ({"landings": [Landing("there", 0.0, 2.01)]}, False),
        ({"landings": [Landing("a", 0.0, 0.0), Landing("b", 5.0, 0.0)]}, False),
        ({"errors": ("joint_reflex",)}, False),
    ],
)
def test_a_missed_target_or_an_error_makes_the_run_fail(
    changes: dict[str, Any], passes: bool
) -> None:
    assert report(**changes).passes(1.0, 2.0) is passes


def test_an_error_that_was_cleared_again_is_still_reported() -> None:
    states = np.zeros(5, dtype=[("current_errors", "<f8", (41,))])
    states["current_errors"][2, 6] = 1.0
    assert reported_errors(RecordedRun({"states": states})) == ("joint_reflex",)


def test_an_address_that_cannot_be_had_is_an_error_with_its_reason(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kinegraph.cli.main", "demo"]
    command += ["--host", "203.0.113.7", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=850, check=False)
    assert done.returncode == 1
    assert "cannot listen" in done.stderr
    assert "Traceback" not in done.stderr
