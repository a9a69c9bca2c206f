"""`kinegraph record` and `kinegraph show` as processes."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from robot_addresses import fresh_address

from kinegraph.robot import RunWriter, SimulatedRobot, read_run

HANG_S = 200.0


def kinegraph(*words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "kinegraph.cli.main", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)


@pytest.mark.compiled
def test_what_a_robot_sends_is_recorded_and_shown(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    with SimulatedRobot(fresh_address()) as sim:
        host = sim.address[0]
        done = kinegraph("record", "--host", host, "--seconds", 1, "--out", path, "--note", "idle")
    assert done.returncode == 0, done.stderr
    assert f"FCI 10 of {host}" in done.stdout
    run = read_run(path)
    assert run.complete
    assert run.notes == {"note": "idle"}
    states = run.table("states")
    assert len(states) >= 100
    assert f"states    {len(states):>10} rows" in done.stdout

    shown = kinegraph("show", path, "--events", "--csv", "states", tmp_path / "states.csv")
    assert shown.returncode == 0, shown.stderr
    assert "note: idle" in shown.stdout
    with (tmp_path / "states.csv").open(encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(states)
    assert [float(rows[7][f"q_{k}"]) for k in range(1, 8)] == states["q"][7].tolist()


def test_a_run_is_shown_with_what_is_missing_and_exported(tmp_path: Path) -> None:
    path = tmp_path / "run.log"
    writer = RunWriter(path, {"host": "here"})
    table = writer.add_table("count", (("k", 1), ("pair", 2)))
    values = np.array([[0.0, -0.0, 0.1], [np.nan, np.inf, 1e300]])
    writer.write_rows(table, values, 5)
    writer.write_event({"what": "note", "at_ns": 10**9, "facts": {"text": "x" * 300}})
    shown = kinegraph("show", path, "--events", "--npz", tmp_path / "x.npz", "--csv", "count", path)
    assert shown.returncode == 0, shown.stderr
    assert "2 rows, 5 lost in 1 places" in shown.stdout
    assert "1 note" in shown.stdout
    assert "was not closed" in shown.stdout
    assert path.read_text("ascii") == "k,pair_1,pair_2\n0,-0,0.1\nnan,inf,1e+300\n"
    with np.load(tmp_path / "x.npz") as data:
        assert data["count"].dtype.names == ("k", "pair")
    writer.close()


def test_what_is_no_run_and_no_robot_is_an_error_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"no run")
    for words, said in (
        (("show", tmp_path / "x"), "not a recorded run"),
        (("show", tmp_path / "nothing"), "No such file"),
        (("record", "--host", fresh_address(), "--out", tmp_path / "run"), "refused"),
    ):
        done = kinegraph(*words)
        assert done.returncode == 1
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()
    for seconds in ("-1", "nan", "x"):
        assert kinegraph("record", "--host", "127.0.0.1", "--seconds", seconds).returncode == 2
