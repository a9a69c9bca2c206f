"""The log of a run as a file: cut anywhere, damaged, foreign, newer, on a full disk."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError, ProtocolError
from kinegraph.robot.recording.form import FORMAT, HEAD, M_ROWS, json_frame, magic, pack_frame
from kinegraph.robot.recording.reading import read_run
from kinegraph.robot.recording.run import Gap
from kinegraph.robot.recording.writer import RunWriter

FIELDS = (("time", 1), ("pair", 2))


def rows(first: int, count: int) -> np.ndarray:
    k = np.arange(first, first + count, dtype=float)
    return np.column_stack([k, 2 * k, 3 * k])


def write(path: Path, lumps: int = 3, *, close: bool = True) -> bytes:
    """Write lumps of five rows, with an event after each."""
    writer = RunWriter(path, {"host": "here", "notes": {"a": 1}, "monotonic_ns": 7})
    table = writer.add_table("count", FIELDS)
    for k in range(lumps):
        writer.write_rows(table, rows(5 * k, 5), 2 if k == 1 else 0)
        writer.write_event({"what": "lump", "at_ns": k, "facts": {"k": k}})
    if close:
        writer.close()
    return path.read_bytes()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path / "run")
    run = read_run(tmp_path / "run")
    assert run.complete
    assert run.damaged == 0
    assert run.notes == {"a": 1}
    assert run.about["host"] == "here"
    assert run.lost == {"count": 2}
    assert run.gaps == {"count": (Gap(before=5, lost=2),)}
    assert [event.facts["k"] for event in run.events] == [0, 1, 2]
    np.testing.assert_array_equal(run.table("count")["time"], np.arange(15))
    np.testing.assert_array_equal(run.table("count")["pair"][:, 1], 3 * np.arange(15))


def test_every_cut_gives_the_rows_before_it(tmp_path: Path) -> None:
    data = write(tmp_path / "run")
    ends = [at + HEAD.size for at in range(len(data)) if data.startswith(M_ROWS, at)]
    head = data.index(b"tabl")
    counts = set()
    for end in range(len(data)):
        (tmp_path / "cut").write_bytes(data[:end])
        if end < head:
            with pytest.raises(ProtocolError, match="not a recorded run"):
                read_run(tmp_path / "cut")
            continue
        run = read_run(tmp_path / "cut")
        assert not run.complete
        count = len(run.tables["count"]) if run.tables else 0
        whole = sum(end >= start + 12 + 5 * 24 + 4 for start in ends)
        assert count == 5 * whole
        counts.add(count)
    assert counts == {0, 5, 10, 15}


@pytest.mark.parametrize("tail", [b"\0", b"\0" * 5000, b"\xff" * 100, b"rows", b"rows\1\0\0\0"])
def test_what_a_loss_of_power_leaves_behind_the_last_frame_is_passed_over(
    tmp_path: Path, tail: bytes
) -> None:
    data = write(tmp_path / "run", close=False)
    (tmp_path / "run").write_bytes(data + tail)
    run = read_run(tmp_path / "run")
    assert not run.complete
    assert len(run.table("count")) == 15


def test_the_last_frame_half_on_disk_is_passed_over(tmp_path: Path) -> None:
    data = bytearray(write(tmp_path / "run", close=False))
    data[data.rindex(b"lump") + 2] = 0
    (tmp_path / "run").write_bytes(data)
    run = read_run(tmp_path / "run")
    assert (len(run.table("count")), len(run.events)) == (15, 2)


@pytest.mark.parametrize("place", range(0, 150, 7))
def test_damage_in_the_middle_is_an_error_that_names_the_place_and_can_be_skipped(
    tmp_path: Path, place: int
) -> None:
    data = bytearray(write(tmp_path / "run"))
    start = data.index(M_ROWS)
    data[start + place] ^= 0x55
    (tmp_path / "run").write_bytes(data)
    with pytest.raises(ProtocolError, match=r"damaged at byte \d+; sound parts follow"):
        read_run(tmp_path / "run")
    run = read_run(tmp_path / "run", salvage=True)
    assert run.complete
    assert run.damaged > 0
    assert len(run.table("count")) + 5 * (place >= 152) == 10


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "it is empty"),
        (b"something else entirely", "starts with"),
        (b"kinegraph run x\n", "not a recorded run"),
        (b"kinegraph run " + b"9" * 100, "not a recorded run"),
        (magic(), "its head is cut off"),
        (magic(1), "old form 1"),
        (magic(FORMAT + 1), rf"newer kinegraph, in form {FORMAT + 1}.*reads form {FORMAT}"),
        (magic() + pack_frame(M_ROWS, 0, b""), "its head is damaged"),
        (magic() + json_frame(b"abou", 0, {}) + pack_frame(M_ROWS, 1, bytes(36)), "no sense"),
        (magic() + json_frame(b"abou", 0, {}) + json_frame(b"tabl", 1, {"name": 3}), "no sense"),
        (magic() + pack_frame(b"abou", 0, b"{"), "no sense"),
        (magic() + pack_frame(b"abou", 0, b"[1, 2]"), "no sense"),
    ],
)
def test_a_file_that_is_no_recorded_run_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(ProtocolError, match=said):
        read_run(tmp_path / "x")


def test_random_bytes_never_do_anything_else_than_a_protocol_error(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    data = write(tmp_path / "run")
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(random.integers(1, 6)):
            changed[random.integers(len(changed))] = random.integers(256)
        (tmp_path / "x").write_bytes(changed)
        for salvage in (False, True):
            try:
                run = read_run(tmp_path / "x", salvage=salvage)
            except ProtocolError:
                continue
            for name in run.tables:
                assert run.table(name).dtype.names


def test_a_file_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / "nothing")
    with pytest.raises(OSError, match="directory"):
        read_run(tmp_path)
    with pytest.raises(OSError, match="nothing"):
        RunWriter(tmp_path / "nothing" / "run", {})


def test_a_log_is_read_while_it_is_written(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run", {}) as writer:
        table = writer.add_table("count", FIELDS)
        for k in range(4):
            run = read_run(tmp_path / "run")
            assert len(run.table("count")) == 5 * k
            assert not run.complete
            writer.write_rows(table, rows(5 * k, 5))


def test_wrong_rows_and_late_rows_are_refused(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "run", {})
    table = writer.add_table("count", FIELDS)
    with pytest.raises(InvalidArgumentError, match="3 numbers a row"):
        writer.write_rows(table, np.zeros((2, 4)))
    with pytest.raises(InvalidArgumentError, match="JSON"):
        writer.write_event({"what": b"bytes"})
    writer.close()
    writer.close()
    with pytest.raises(InvalidOperationError):
        writer.write_rows(table, rows(0, 1))
    with pytest.raises(InvalidOperationError):
        writer.write_event({})


@pytest.mark.parametrize("path", [None, 5, 1.5, "", b"run", ["run"], "a\0b", "\ud800"])
def test_what_is_no_path_is_refused(path: Any) -> None:
    for call in (read_run, lambda given: RunWriter(given, {})):
        with pytest.raises(InvalidArgumentError, match="path is"):
            call(path)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("count", FIELDS),
        ("", FIELDS),
        (3, FIELDS),
        ("a", ()),
        ("a", None),
        ("a", "ab"),
        ("a", [("x", 0)]),
        ("a", [("x", 1.5)]),
        ("a", [("x", 1), ("x", 1)]),
        ("a", [(1, 1)]),
    ],
)
def test_what_is_no_table_is_refused_and_leaves_the_log_as_it_was(
    tmp_path: Path, name: Any, fields: Any
) -> None:
    with RunWriter(tmp_path / "run", {}) as writer:
        writer.add_table("count", FIELDS)
        with pytest.raises(InvalidArgumentError):
            writer.add_table(name, fields)
        for table in (-1, 1):
            with pytest.raises(InvalidArgumentError, match="no table"):
                writer.write_rows(table, rows(0, 1))
    assert list(read_run(tmp_path / "run").tables) == ["count"]


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_leaves_the_log_alone(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path / "run", {})
    table = writer.add_table("count", FIELDS)
    child = os.fork()
    if child == 0:
        try:
            writer.close()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    writer.write_rows(table, rows(0, 5))
    writer.close()
    run = read_run(tmp_path / "run")
    assert run.complete
    assert len(run.table("count")) == 5


def test_a_full_disk_loses_rows_that_are_counted_and_stops_nothing(tmp_path: Path) -> None:
    # The limit on the size of a file is a full disk that can be emptied again.
    script = f"""
import resource
import numpy as np
from kinegraph.robot.recording.writer import RunWriter
writer = RunWriter({str(tmp_path / "run")!r}, {{}})
table = writer.add_table("count", (("time", 1), ("pair", 2)))
def write(first, count):
    k = np.arange(first, first + count, dtype=float)
    writer.write_rows(table, np.column_stack([k, k, k]))
write(0, 10)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
for k in range(1, 4):
    write(100 * k, 100)
writer.write_event({{"what": "full", "at_ns": 1, "facts": {{}}}})
print(type(writer.failure).__name__, flush=True)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
write(1000, 10)
try:
    writer.close()
except OSError as error:
    print("told", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.split() == ["OSError", "told"]
    assert "is not being recorded" in done.stderr
    run = read_run(tmp_path / "run")
    assert run.complete
    np.testing.assert_array_equal(run.table("count")["time"], [*range(10), *range(1000, 1010)])
    assert run.gaps["count"] == (Gap(before=10, lost=300),)
    assert [event.what for event in run.events] == ["full"]
