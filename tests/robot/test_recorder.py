"""The recorded run: what is written is what is read, whatever happened to the writer."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError, ProtocolError
from kinegraph.robot.recorder import Recorder, read_run
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


def test_every_cut_of_a_log_gives_the_rows_before_the_cut(tmp_path: Path) -> None:
    record(tmp_path / "run.log")
    data = (tmp_path / "run.log").read_bytes()
    head = data.index(b"rows")
    sizes = set()
    for end in range(head, len(data)):
        (tmp_path / "cut.log").write_bytes(data[:end])
        run = read_run(tmp_path / "cut.log")
        sizes.add(len(run.tables["count"]))
        assert run.complete == (end in {head, data.rindex(b"rows")})
    assert sizes == {0, 5}


def test_a_damaged_block_is_an_error_that_names_the_place(tmp_path: Path) -> None:
    record(tmp_path / "run.log")
    data = bytearray((tmp_path / "run.log").read_bytes())
    data[data.index(b"rows") + 30] ^= 1
    (tmp_path / "run.log").write_bytes(data)
    with pytest.raises(ProtocolError, match="damaged block at byte"):
        read_run(tmp_path / "run.log")


def test_a_file_that_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"something else entirely")
    with pytest.raises(ProtocolError, match="not a recorded run"):
        read_run(tmp_path / "x")


def test_a_recorder_runs_once_and_needs_sources(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError):
        Recorder(tmp_path / "x", {})
    recorder = Recorder(tmp_path / "x", {"count": CountingSource(2)})
    with recorder:
        pass
    with pytest.raises(InvalidOperationError):
        recorder.start()


def test_a_run_becomes_an_npz_file(tmp_path: Path) -> None:
    record(tmp_path / "run.log")
    read_run(tmp_path / "run.log").save_npz(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as data:
        assert data["count"].dtype.names == ("time", "pair")


def test_a_killed_writer_leaves_a_readable_log(tmp_path: Path) -> None:
    script = f"""
import sys, time
import numpy as np
from kinegraph.robot.recorder import Recorder
class Endless:
    fields = (("k", 1),)
    k = 0
    def read(self):
        Endless.k += 100
        return np.arange(Endless.k - 100.0, Endless.k)[:, None], 0
Recorder({str(tmp_path / "run.log")!r}, {{"endless": Endless()}}).start()
time.sleep(0.5)
print("ready", flush=True)
time.sleep(60)
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "ready"
    finally:
        child.kill()
        child.wait(10)
        if child.stdout is not None:
            child.stdout.close()
    rows = read_run(tmp_path / "run.log").tables["endless"]["k"]
    assert len(rows) >= 100
    np.testing.assert_array_equal(rows, np.arange(len(rows)))
