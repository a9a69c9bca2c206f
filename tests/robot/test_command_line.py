"""The command line refuses what it cannot do with a sentence, never with a traceback."""

import signal
from pathlib import Path

import pytest
from robot_addresses import fresh_address

from kinegraph.cli import sim
from kinegraph.cli.main import main

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize(
    "options",
    [
        ["--port", "99999"],
        ["--port", "-5"],
        ["--host", ""],
        ["--host", "nobody.invalid"],
        ["--urdf", "/nowhere/at.all"],
        ["--q", "nan,0,0,0,0,0,0"],
        ["--ee", "nan,0,0,0"],
        ["--ee=-1,0,0,0"],
        ["--lockstep", "nan"],
        ["--priority", "0"],
        ["--priority", "1000"],
        ["--cpu", "-1"],
        ["--cpu", "100000"],
        ["--inject", "reflex@nan"],
        ["--inject", "reflex@-1"],
        ["--inject", "reflex@inf"],
    ],
    ids=" ".join,
)
def test_sim_with_options_that_make_no_robot_ends_with_one_sentence(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sim", "--host", fresh_address(), *options]) == 1
    told = capsys.readouterr().err.strip()
    assert told.startswith("kinegraph sim: ")
    assert "\n" not in told


def test_a_description_that_is_no_text_ends_with_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    urdf = tmp_path / "arm.urdf"
    urdf.write_bytes(b"\xff\xfe\xfd")
    assert main(["sim", "--host", fresh_address(), "--urdf", str(urdf)]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_demo_with_a_folder_that_cannot_be_made_ends_with_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    assert main(["demo", "--out", str(taken / "below")]) == 1
    assert "failed: " in capsys.readouterr().err


def test_an_interrupt_ends_with_the_shells_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(options: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(sim, "run", interrupted)
    assert main(["sim"]) == 130
    assert "interrupted" in capsys.readouterr().err


def test_serving_leaves_the_signals_as_they_were(capsys: pytest.CaptureFixture[str]) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    assert main(["sim", "--host", fresh_address(), "--port", "99999"]) == 1
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert capsys.readouterr().err
