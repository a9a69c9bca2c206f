"""`kinegraph record`: write what a robot sends into a file."""

import argparse
import contextlib
import math
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinegraph.robot.robot import Robot

__all__ = ["add_arguments", "run"]

LOOK_S = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--host", required=True, help="name or IPv4 address of the robot")
    parser.add_argument("--port", type=int, default=1337, help="TCP port")
    parser.add_argument("--fci", type=int, choices=(5, 10), help="version to insist on")
    parser.add_argument(
        "--out", default="run.log", metavar="FILE", help="file to be written (run.log)"
    )
    parser.add_argument(
        "--seconds", type=_seconds, default=math.inf, metavar="S", help="else until Ctrl-C"
    )
    parser.add_argument("--note", metavar="TEXT", help="kept in the file with the run")


def run(options: argparse.Namespace) -> int:
    """Record until the time is over, the robot is gone or Ctrl-C; returns the exit code."""
    from kinegraph.cli.show import describe
    from kinegraph.robot.recording.reading import read_run
    from kinegraph.robot.robot import Robot
    from kinegraph.scene.errors import KinegraphError

    notes = {} if options.note is None else {"note": options.note}
    try:
        with Robot(options.host, version=options.fci, port=options.port) as robot:
            with robot.record(options.out, notes):
                print(f"kinegraph record: FCI {robot.version} of {robot.host}", flush=True)
                with contextlib.suppress(KeyboardInterrupt):
                    _wait(robot, options.seconds)
            stayed = robot.is_connected
        describe(read_run(options.out))
    except (KinegraphError, OSError) as problem:
        print(f"kinegraph record: {problem}", file=sys.stderr)
        return 1
    if not stayed:
        print("kinegraph record: the robot closed the connection", file=sys.stderr)
    return 0 if stayed else 1


def _wait(robot: "Robot", seconds: float) -> None:
    end = time.monotonic() + seconds
    while robot.is_connected and (left := end - time.monotonic()) > 0.0:
        time.sleep(min(left, LOOK_S))


def _seconds(text: str) -> float:
    seconds = float(text)
    if not (math.isfinite(seconds) and seconds > 0.0):
        raise argparse.ArgumentTypeError(f"a positive number of seconds, not {text}")
    return seconds
