"""The recorded run: what is written is what is read, whatever happened to the writer."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from waiting_for import wait_until

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.loop.ring_kernels import push
from kinegraph.robot.loop.rings import Ring
from kinegraph.robot.recording.flight import NumberedRows
from kinegraph.robot.recording.reading import read_run
from kinegraph.robot.recording.recorder import Recorder
from kinegraph.scene.array_types import Array


class CountingSource:
    """Hands out rows (k, 2k, 3k) in lumps, and says that it lost some before the second lump."""

    fields: Sequence[tuple[str, int]] = (("time", 1), ("pair", 2))

    def __init__(self, rows: int) -> None:
        self.lumps = [np.arange(rows // 2), np.arange(rows // 2, rows)]
        self.lost = [0, 3]

    def read(self) -> tuple[Array, int]:
        if not self.lumps:
            return np.empty((0, 3)), 0
        k = self.lumps.pop(0)[:, None]
        return np.hstack([k, 2 * k, 3 * k]).astype(float), self.lost.pop(0)


def record(path: Path, rows: int = 10) -> None:
    with Recorder(path, {"count": CountingSource(rows)}, {"robot": "fr3"}) as recorder:
        while recorder._sources["count"].lumps:  # type: ignore[attr-defined]
            time.sleep(0.01)


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    record(tmp_path / "run.log")
    run = read_run(tmp_path / "run.log")
    assert run.complete
    assert run.notes == {"robot": "fr3"}
    assert run.lost == {"count": 3}
    np.testing.assert_array_equal(run.tables["count"]["time"], np.arange(10))
    np.testing.assert_array_equal(run.tables["count"]["pair"][:, 1], 3 * np.arange(10))


def test_a_recorder_runs_once_and_needs_sources(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError):
        Recorder(tmp_path / "x", {})
    recorder = Recorder(tmp_path / "x", {"count": CountingSource(2)})
    with recorder:
        pass
    with pytest.raises(InvalidOperationError):
        recorder.start()


def test_a_killed_writer_leaves_a_readable_log(tmp_path: Path) -> None:
    script = f"""
import sys, time
import numpy as np
from kinegraph.robot.recording.recorder import Recorder
class Endless:
    fields = (("k", 1),)
    k = 0
    def read(self):
        Endless.k += 100
        return np.arange(Endless.k - 100.0, Endless.k)[:, None], 0
Recorder({str(tmp_path / "run.log")!r}, {{"endless": Endless()}}).start()
print("ready", flush=True)
time.sleep(600)
"""

    def rows_so_far() -> int:
        tables = read_run(tmp_path / "run.log").tables
        return len(tables["endless"]) if "endless" in tables else 0

    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
        wait_until(lambda: rows_so_far() >= 100)
    finally:
        child.kill()
        child.wait(10)
        if child.stdout is not None:
            child.stdout.close()
    rows = read_run(tmp_path / "run.log").tables["endless"]["k"]
    assert len(rows) >= 100
    np.testing.assert_array_equal(rows, np.arange(len(rows)))


def test_a_table_can_be_added_and_events_are_kept(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.log", {"count": CountingSource(10)}) as recorder:
        recorder.add_event("note", 5, {"text": "here"})
        recorder.add_event("note", 3, {"text": "before"})
        recorder.add_source("more", CountingSource(4))
        with pytest.raises(InvalidArgumentError, match="more"):
            recorder.add_source("more", CountingSource(4))
        with pytest.raises(InvalidArgumentError):
            recorder.add_event("note", 5, {"text": object()})
    run = read_run(tmp_path / "run.log")
    assert run.complete
    assert list(run.tables) == ["count", "more"]
    assert [len(run.table(name)) for name in run.tables] == [10, 4]
    assert [(event.what, event.at_ns, dict(event.facts)) for event in run.events] == [
        ("note", 3, {"text": "before"}),
        ("note", 5, {"text": "here"}),
    ]


def test_notes_have_to_fit_into_json(tmp_path: Path) -> None:
    for notes in ({"a": object()}, {1: 2}, [1]):
        with pytest.raises(InvalidArgumentError):
            Recorder(tmp_path / "x", {"count": CountingSource(2)}, notes)  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()


def test_what_is_no_source_is_refused_before_a_file_is_made(tmp_path: Path) -> None:
    sources: Any
    for sources in (None, [1], {"a": 3}, {1: CountingSource(2)}, {"a": object()}):
        with pytest.raises(InvalidArgumentError, match="source"):
            Recorder(tmp_path / "x", sources)
    with pytest.raises(InvalidArgumentError, match="path"):
        Recorder(None, {"count": CountingSource(2)})  # type: ignore[arg-type]
    assert not (tmp_path / "x").exists()


def test_a_late_reader_knows_what_it_lost_and_keeps_counting() -> None:
    ring = Ring(8, (("k", 1),))
    numbered = NumberedRows(ring.reader(), "number")
    seen, lost = [], 0
    for lump in (3, 20, 1, 9, 0):
        for _ in range(lump):
            push(ring.data, ring.head, 1, np.array([10.0 * ring.published]))
        rows, missed = numbered.read()
        lost += missed
        np.testing.assert_array_equal(rows[:, 1], 10.0 * rows[:, 0])
        seen.extend(rows[:, 0].tolist())
    assert seen == sorted(set(seen))
    assert len(seen) + lost == 33
    assert lost > 0


def test_an_error_of_the_block_is_not_hidden_by_one_of_recording(tmp_path: Path) -> None:
    class Failing(CountingSource):
        def read(self) -> tuple[Array, int]:
            raise RuntimeError("the source is broken")

    recorder = Recorder(tmp_path / "x", {"count": Failing(2)})
    with pytest.raises(KeyError), recorder:
        raise KeyError("the block")
    assert "source is broken" in str(recorder.failure)
    again = Recorder(tmp_path / "y", {"count": Failing(2)})
    with pytest.raises(RuntimeError, match="source is broken"), again:
        pass
    assert not read_run(tmp_path / "x").tables["count"].size
