"""A recorded session as a picture, with other motions between those of the target controller."""

from pathlib import Path

import numpy as np
import pytest

from kinegraph.cli.main import main
from kinegraph.robot import RecordedRun, RunWriter
from kinegraph.robot.control.record_layout import JOINT_RECORD_FIELDS, RECORD_FIELDS
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.loop.loop_layout import CYCLE_FIELDS
from kinegraph.robot.recording.form import row_dtype
from kinegraph.view import plot_run
from kinegraph.view.run_plot import _side_by_side

pytest.importorskip("matplotlib")


def run(joints: bool = False) -> RecordedRun:
    """Sixty cycles, twenty of which are of a target controller."""
    cycles = np.zeros(60, row_dtype((("number", 1), *CYCLE_FIELDS)))
    cycles["number"] = np.arange(100.0, 160.0)
    cycles["message_id"] = np.arange(60.0)
    tables = {"cycles": cycles}
    for name, fields in (("records", RECORD_FIELDS), ("joint_records", JOINT_RECORD_FIELDS)):
        count = 20 if joints == (name == "joint_records") else 0
        rows = np.zeros(count, row_dtype((("session", 1), ("cycle", 1), *fields)))
        rows["cycle"] = np.arange(130.0, 130.0 + count)
        tables[name] = rows
    return RecordedRun(tables)


def test_each_record_is_drawn_beside_its_command(tmp_path: Path) -> None:
    records, cycles = _side_by_side(run().tables["records"], run().tables["cycles"])
    np.testing.assert_array_equal(records["cycle"], cycles["number"])


@pytest.mark.parametrize("joints", [False, True], ids=["cartesian", "joints"])
@pytest.mark.parametrize("ending", ["png", "SVG"])
def test_a_run_of_either_kind_is_drawn(tmp_path: Path, joints: bool, ending: str) -> None:
    path = tmp_path / f"run.{ending}"
    plot_run(run(joints), path, [(0.01, "moved")])
    begin = b"\x89PNG" if ending == "png" else b"<?xml"
    assert path.read_bytes().startswith(begin)


def test_what_cannot_be_drawn_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    whole = run()
    none = {name: rows[:0] for name, rows in whole.tables.items()}
    strangers = {**whole.tables, "cycles": whole.tables["cycles"][:5]}
    for tables in ({}, none, strangers):
        with pytest.raises(InvalidArgumentError, match="run: "):
            plot_run(RecordedRun(tables), tmp_path / "run.png")
    for name in ("run.xyz", "run", ""):
        with pytest.raises(InvalidArgumentError, match="path"):
            plot_run(whole, tmp_path / name if name else "")
    assert list(tmp_path.iterdir()) == []


def test_the_command_draws_a_file_or_says_in_a_sentence_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = run(joints=True)
    head = (("session", 1), ("cycle", 1))
    layouts = {
        "cycles": (("number", 1), *CYCLE_FIELDS),
        "records": (*head, *RECORD_FIELDS),
        "joint_records": (*head, *JOINT_RECORD_FIELDS),
    }
    with RunWriter(tmp_path / "run.log", {}) as log:
        for name, rows in source.tables.items():
            width = rows.dtype.itemsize // 8
            number = log.add_table(name, layouts[name])
            log.write_rows(number, rows.view(np.float64).reshape(len(rows), width))
    assert main(["show", str(tmp_path / "run.log"), "--plot", str(tmp_path / "run.png")]) == 0
    assert (tmp_path / "run.png").stat().st_size > 1000
    assert main(["show", str(tmp_path / "run.log"), "--plot", str(tmp_path / "run.xyz")]) == 1
    assert capsys.readouterr().err.startswith("kinegraph show: path: ")


def test_a_run_says_in_a_line_what_it_is() -> None:
    assert repr(RecordedRun({})) == "RecordedRun(tables none, 0 events, 0 rows lost)"
    about = {"started_at": "today", "host": "arm.local"}
    told = repr(RecordedRun(run().tables, lost={"cycles": 3, "records": 4}, about=about))
    assert told == (
        "RecordedRun(today, arm.local, tables cycles, records, joint_records, "
        "0 events, 7 rows lost)"
    )
