"""The fixtures that kinegraph ships for pytest, in a pytest of a project of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kinegraph.robot.testing as testing

SRC = Path(testing.__file__).parents[3]
PLUGIN = "kinegraph.robot.testing.pytest_plugin"
HANG_S = 300.0

USE = """
import pytest
from kinegraph.robot import ControlError, Torques
from kinegraph.robot.testing import Burst, Faults


def hold(state, period_s):
    return Torques([0.0] * 7, state.time > 60)


def test_robot(simulated_robot, connected_robot):
    connected_robot.control_torques(hold)
    assert connected_robot.version == 10
    assert simulated_robot.counters["lost"] == 0


@pytest.mark.simulated_robot(fci=5)
def test_older(connected_robot, robot_relay):
    connected_robot.read_once()
    assert connected_robot.version == 5
    assert connected_robot.host == robot_relay.address[0]


@pytest.mark.simulated_robot(lockstep_s=0.0)
@pytest.mark.robot_faults(Faults(bursts=(Burst(0.0, 2**30, "commands"),)))
def test_loss(connected_robot, robot_relay):
    with pytest.raises(ControlError, match="communication_constraints_violation"):
        connected_robot.control_torques(lambda state, period_s: Torques([0.0] * 7))
"""


def run_pytest(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "--strict-markers", *words],
        cwd=path,
        env={**os.environ, "PYTHONPATH": str(SRC), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )


@pytest.mark.compiled
@pytest.mark.timeout(HANG_S + 30.0)
def test_the_fixtures_serve_connect_and_relay(tmp_path: Path) -> None:
    (tmp_path / "test_use.py").write_text(USE, encoding="utf-8")
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_a_project_that_uses_no_fixture_loads_nothing(tmp_path: Path) -> None:
    text = "import sys\ndef test_it():\n    heavy = {'numpy', 'numba', 'networkx'}\n"
    text += "    assert not heavy & set(sys.modules)\n"
    text += "    assert 'kinegraph.robot.testing.relay' not in sys.modules\n"
    (tmp_path / "test_none.py").write_text(text, encoding="utf-8")
    done = run_pytest(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_markers_are_listed_and_the_fixtures_explained(tmp_path: Path) -> None:
    assert "simulated_robot(**options)" in run_pytest(tmp_path, "--markers").stdout
    fixtures = run_pytest(tmp_path, "--fixtures").stdout
    for name in ("simulated_robot", "connected_robot", "robot_relay"):
        assert name in fixtures


def test_the_package_announces_the_plugin() -> None:
    if sys.version_info < (3, 11):
        pytest.skip("tomllib is newer")
    import tomllib

    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    announced = tomllib.loads(text)["project"]["entry-points"]["pytest11"]
    assert announced == {"kinegraph": PLUGIN}


def test_the_lists_of_names_agree() -> None:
    text = Path(testing.__file__).read_text("utf-8")
    for name in testing.__all__:
        assert f"import {name} as {name}" in text
        assert getattr(testing, name) is not None
    assert text.count("    from kinegraph") == len(testing.__all__)
