"""The harness of the acceptance bars: limits, verdicts, exit codes, children, sockets."""

import gc
import json
import sys
import threading

import pytest
from bars import INCONCLUSIVE, Bar, Sheet, holds
from children import Child, HangError, ProgramError, sockets_of
from collections_seen import Collections


@pytest.mark.parametrize(
    ("value", "limit", "good"),
    [
        (0.8, "<= 0.8", True),
        (0.81, "<= 0.8", False),
        (0.8, "< 0.8", False),
        (0.99, ">= 0.99", True),
        (0.5, "> 0.5", False),
        (1000.0, "995 to 1005", True),
        (1006.0, "995 to 1005", False),
        ("Idle", "== Idle", True),
        ("Move", "== Idle", False),
        (True, "== True", True),
        (10, "== 10", True),
        (None, "<= 1", False),
        (float("nan"), "<= 1", False),
    ],
)
def test_limits(value: object, limit: str, good: bool) -> None:
    assert holds(value, limit) is good


def test_a_limit_of_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="about 3"):
        holds(3, "about 3")


def test_a_line_has_all_that_a_reader_needs() -> None:
    bar = Bar("B2.land_mm", 0.31, "<= 0.80", peer=0.29, n=4000, foreign_cpu_pct=3.1)
    assert json.loads(bar.line()) == {
        "bar": "B2.land_mm", "value": 0.31, "limit": "<= 0.80", "peer": 0.29, "pass": True,
        "n": 4000, "discarded": 0, "foreign_cpu_pct": 3.1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "undecided"),
    [
        ({"discarded": 11, "n": 1000, "latency": True}, True),
        ({"discarded": 10, "n": 1000, "latency": True}, False),
        ({"foreign_cpu_pct": 25.0, "latency": True}, True),
        ({"foreign_cpu_pct": 90.0}, False),
    ],
)
def test_a_busy_machine_decides_nothing_about_latency(
    facts: dict[str, float | bool], undecided: bool
) -> None:
    bar = Bar("A", 5.0, "<= 1", **facts)  # type: ignore[arg-type]
    assert bar.inconclusive is undecided
    assert bar.passed is (None if undecided else False)
    assert not Bar("A", 5.0, None, **facts).inconclusive  # type: ignore[arg-type]


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    sheet = Sheet()
    sheet.report("A.x", 1.0, "<= 2")
    sheet.report("A.y", 1.0)
    assert sheet.exit_code() == 0
    sheet.report("A.z", 1.0, "<= 2", latency=True, foreign_cpu_pct=80.0)
    assert sheet.exit_code() == INCONCLUSIVE
    sheet.report("A.w", 3.0, "<= 2")
    assert sheet.exit_code() == 1
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert "missed: A.w" in sheet.table()
    assert "inconclusive: A.z" in sheet.table()


def test_bars_are_chosen_by_the_beginning_of_their_names() -> None:
    sheet = Sheet(("A4.3",))
    assert sheet.wants("A4")
    assert sheet.wants("A4.3")
    assert not sheet.wants("A4.1")
    assert not sheet.wants("A0")


def test_a_child_that_hangs_is_ended_with_a_message_of_its_own() -> None:
    with Child([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        with pytest.raises(HangError, match="did not end"):
            child.finish(0.3)
        assert child.process.returncode is not None


def test_a_child_that_fails_says_why() -> None:
    command = [sys.executable, "-c", "raise SystemExit('for a reason')"]
    with Child(command) as child, pytest.raises(ProgramError, match="for a reason"):
        child.finish(60.0)


def test_sockets_of_a_process_are_listed_with_wildcards() -> None:
    script = (
        "import socket, sys, time\n"
        "a = socket.create_server(('127.0.0.1', 0))\n"
        "b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); b.bind(('', 0))\n"
        "print('bound', flush=True); time.sleep(600)"
    )
    with Child([sys.executable, "-c", script]) as child:
        child.wait_for("bound", 60.0)
        found = sockets_of(child.pid)
    assert sorted(text.rpartition(":")[0] for text in found) == ["tcp 127.0.0.1", "udp 0.0.0.0"]


def test_collections_are_counted_by_the_thread_that_does_them() -> None:
    gone = threading.Event()

    def work() -> None:
        gc.collect(0)
        gone.wait(60.0)

    with Collections() as seen:
        before = seen.count
        thread = threading.Thread(target=work, name="a loop")
        idle = threading.Thread(target=gone.wait, args=(60.0,), name="an idle loop")
        thread.start()
        idle.start()
        gc.collect()
        while seen.by("a loop") == 0:
            gone.wait(0.001)
        assert seen.by("a loop") == 1
        assert seen.by("an idle loop") == 0
        assert seen.by("no loop") is None
        assert seen.count >= before + 2
        gone.set()
        thread.join()
        idle.join()
    counted = seen.count
    gc.collect()
    assert seen.count == counted
