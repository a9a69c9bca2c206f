"""Each example runs as a user would run it."""

import subprocess
import sys
from pathlib import Path

import pytest
from oracles import third_party

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
WITH_ROBOT = (
    "bad_network",
    "compiled_motion",
    "exact_where_joints_rub",
    "follow_a_chunk",
    "guard_a_session",
    "joint_motion",
    "joint_targets",
    "load_the_model",
    "move_tool_tip",
    "read_states",
    "record_a_run",
    "recover_after_a_reflex",
    "replay_a_run",
    "step_by_step",
    "through_the_robots_controller",
    "torque_loop",
    "torques_beside_a_motion",
    "track_a_conveyor",
    "trouble_the_robot",
    "tune_a_session",
)
FOREIGN = {"batch_on_dask": "distributed", "with_pinocchio": "pinocchio"}

# Warm each takes under 15 s; the first on a machine compiles what it needs, for minutes.
HANG_S = 600.0


def example(path: Path) -> object:
    """An example as a parameter; those with a robot need sockets and compiled loops."""
    marks = [pytest.mark.slow, pytest.mark.timeout(HANG_S + 30.0)]
    if path.stem in WITH_ROBOT:
        marks.append(pytest.mark.compiled)
    return pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", [example(path) for path in EXAMPLES])
def test_example_runs_and_says_something(path: Path, tmp_path: Path) -> None:
    if path.stem in FOREIGN:
        third_party(FOREIGN[path.stem])
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") >= 3
    said = [line for line in done.stderr.splitlines() if not line.startswith("compiling ")]
    assert said == []
    assert list(tmp_path.iterdir()) == []


def test_there_are_examples_and_the_robots_among_them_are_known() -> None:
    stems = {path.stem for path in EXAMPLES}
    users = {path.stem for path in EXAMPLES if "SimulatedRobot" in path.read_text("utf-8")}
    assert len(stems) >= 9
    assert users == set(WITH_ROBOT)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short_and_has_one_entry(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 100
    assert text.startswith('"""')
    assert text.endswith('if __name__ == "__main__":\n    main()\n')
