"""Timings beside the libraries that a user would pick instead: `make bench`.

For FR3, UR5, a humanoid and PR2, and a table of 1000 links, ours beside pinocchio, tesseract's two
solvers, mujoco, yourdfpy and a piece of C; how costs grow; threads; starts, memory, compilation;
decoding of a robot's states; the 1 kHz loops beside pylibfranka's; and at the end the aims of the
project with what was measured.

    python benchmarks/run.py [--only PART ...] [--robot NAME ...] [--quick] [--json FILE]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from aims import print_aims
from canary import INCONCLUSIVE
from crew import FailedError, Worker, hire
from growth import show_growth, show_leaf
from libraries import HOMES
from pairing import Sheet
from robots import ROBOTS, load, table_of_arms
from side_by_side import OURS, QUESTIONS, SCENE_QUESTIONS, compare
from start_up import compare_starts, time_compilation
from threads import show_threads

PARTS = ("robots", "scene", "growth", "threads", "starts", "compile", "states", "loops")
SIDE_BY_SIDE = frozenset(PARTS[:4])
# A look at the most: the part that takes a minute by itself, and two of the robots, are left out.
QUICK_PARTS = tuple(part for part in PARTS if part != "compile")
QUICK_ROBOTS = ("fr3", "pr2")


class InconclusiveError(Exception):
    """The machine was not quiet enough to judge by what was measured."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for."""
    options = _options(arguments)
    sheet, begun = Sheet(), time.perf_counter()
    crew = hire(list(HOMES)) if SIDE_BY_SIDE.intersection(options.only) else {}
    try:
        _machine(crew)
        codes = {part: _run(part, crew, options, sheet) for part in options.only}
    finally:
        for worker in crew.values():
            worker.end()
    print_aims(sheet)
    if options.json:
        options.json.write_text(json.dumps(sheet.as_dict(), indent=1) + "\n", encoding="utf-8")
    failed = [part for part, code in codes.items() if code]
    print(f"\n{time.perf_counter() - begun:.0f} s" + (f", failed: {failed}" if failed else ""))
    return min((code for code in codes.values() if code), default=0)


def _run(part: str, crew: dict[str, Worker], options: argparse.Namespace, sheet: Sheet) -> int:
    """Run one part; returns 0, 1 if it failed, 75 if the machine was not quiet enough to tell.

    The others go on without it.
    """
    try:
        _measure(part, crew, options, sheet)
    except InconclusiveError as reason:
        sheet.note(f"{part} inconclusive: {reason}")
        return INCONCLUSIVE
    except (FailedError, OSError, RuntimeError, subprocess.SubprocessError) as reason:
        sheet.note(f"{part} failed: {reason}")
        return 1
    return 0


def _measure(part: str, crew: dict[str, Worker], options: argparse.Namespace, sheet: Sheet) -> None:
    rounds = 5 if options.quick else 15
    if part == "robots":
        for name in options.robot:
            compare(crew, load(name), QUESTIONS, rounds, sheet)
    elif part == "scene":
        compare(crew, table_of_arms(1_000), SCENE_QUESTIONS, min(rounds, 9), sheet)
    elif part == "growth":
        show_growth(crew[OURS], 2 if options.quick else 4, sheet)
        show_leaf(crew[OURS], 5 if options.quick else 15, sheet)
    elif part == "threads":
        show_threads(crew, load("fr3"), min(rounds, 9), sheet)
    elif part == "starts":
        compare_starts(3 if options.quick else 9, sheet)
    elif part == "compile":
        time_compilation(sheet)
    elif part == "states":
        from robot_states import measure_states

        measure_states(rounds, sheet)
    else:
        from robot_loops import measure_robot_loops

        seconds, turns = (10.0, 1) if options.quick else (60.0, 4)
        if not measure_robot_loops(seconds, turns, sheet):
            raise InconclusiveError("the machine was not quiet enough, see above")


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", nargs="+", choices=PARTS, help="parts to run")
    parser.add_argument("--robot", nargs="+", choices=list(ROBOTS), help="robots to time")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and robots, for a look")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    options = parser.parse_args(arguments)
    options.only = options.only or (QUICK_PARTS if options.quick else PARTS)
    options.robot = options.robot or (QUICK_ROBOTS if options.quick else tuple(ROBOTS))
    return options


def _machine(crew: dict[str, Worker]) -> None:
    if crew and OURS not in crew:
        raise FailedError("kinegraph itself does not load")
    load_now = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(
        f"{platform.machine()}, {os.cpu_count()} processors{load_now}, "
        f"Python {platform.python_version()}"
    )
    found = {name: text for worker in crew.values() for name, text in worker.versions.items()}
    if found:
        print(", ".join(f"{name} {text}" for name, text in found.items()))


if __name__ == "__main__":
    sys.exit(main())
