"""A recorded session as a picture, with other motions between those of the target controller."""

from pathlib import Path

import numpy as np
import pytest

from kinegraph.robot import RecordedRun
from kinegraph.robot.control.record_layout import RECORD_FIELDS
from kinegraph.robot.loop.loop_layout import CYCLE_FIELDS
from kinegraph.robot.recording.form import row_dtype
from kinegraph.view.run_plot import _side_by_side, plot_run

pytest.importorskip("matplotlib")


def run() -> RecordedRun:
    cycles = np.zeros(60, row_dtype((("number", 1), *CYCLE_FIELDS)))
    cycles["number"] = np.arange(100.0, 160.0)
    cycles["message_id"] = np.arange(60.0)
    records = np.zeros(20, row_dtype((("session", 1), ("cycle", 1), *RECORD_FIELDS)))
    records["cycle"] = np.arange(130.0, 150.0)
    return RecordedRun({"cycles": cycles, "records": records})


def test_each_record_is_drawn_beside_its_command(tmp_path: Path) -> None:
    records, cycles = _side_by_side(run().tables["records"], run().tables["cycles"])
    np.testing.assert_array_equal(records["cycle"], cycles["number"])
    plot_run(run(), tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
