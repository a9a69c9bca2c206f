"""`kinegraph sim`: a simulated robot as a process of its own."""

import argparse
import logging
import sys
import threading
from contextlib import ExitStack
from typing import Any

from kinegraph.cli.signalled import until_signalled

__all__ = ["add_arguments", "run"]

INJECTIONS = ("reflex", "user-stop", "collision")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--fci", type=int, choices=(5, 10), default=10, help="protocol version")
    parser.add_argument("--host", default="127.0.0.1", help="IPv4 address to listen on")
    parser.add_argument("--port", type=int, default=1337, help="TCP port, 0 for any free one")
    parser.add_argument("--urdf", metavar="FILE", help="description in place of the package's")
    parser.add_argument("--friction", action="store_true", help="give the joints friction")
    parser.add_argument("--no-armature", action="store_true", help="drives without inertia")
    parser.add_argument(
        "--enforce",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="stop at broken limits and lost commands, or only count them",
    )
    parser.add_argument(
        "--q",
        type=_numbers(7),
        metavar="Q1,...,Q7",
        help="positions at the start, rad; --q=-0.1,... if the first is negative",
    )
    parser.add_argument(
        "--ee",
        type=_numbers(4),
        metavar="KG,X,Y,Z",
        help="end effector that is configured: mass and its centre in the flange frame, m",
    )
    parser.add_argument(
        "--true-load",
        type=_numbers(4),
        metavar="KG,X,Y,Z",
        help="what really hangs on the flange, if not what the robot is told",
    )
    parser.add_argument(
        "--inject",
        type=_injection,
        metavar="WHAT@SECONDS",
        help=f"let something happen that long into a motion: {', '.join(INJECTIONS)}",
    )
    parser.add_argument(
        "--lockstep",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="wait that long for each command of a motion (0: keep the millisecond)",
    )
    parser.add_argument("--record", metavar="FILE", help="record all states and commands")
    parser.add_argument(
        "--model-library",
        metavar="FILE",
        help="shared object that version 5 hands out to LoadModelLibrary",
    )
    parser.add_argument(
        "--hand", action="store_true", help="serve a hand too, on the port behind the robot's"
    )
    parser.add_argument(
        "--hand-object",
        type=float,
        metavar="WIDTH",
        help="width in m of an object between the hand's fingers; takes --hand",
    )
    parser.add_argument("--priority", type=int, metavar="N", help="SCHED_FIFO priority of the loop")
    parser.add_argument("--cpu", type=int, metavar="N", help="core that the loop is pinned to")
    parser.add_argument("--verbose", action="store_true", help="log connections")


def run(options: argparse.Namespace) -> int:
    """Serve until SIGINT or SIGTERM; returns the exit code."""
    if options.verbose:
        logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    with until_signalled() as ended:
        return _serve(options, ended)


def _serve(options: argparse.Namespace, ended: threading.Event) -> int:
    from kinegraph.robot.sim import SimulatedRobot
    from kinegraph.scene.errors import KinegraphError

    try:
        with ExitStack() as stack:
            robot = SimulatedRobot(**_settings(options))
            if options.inject is not None:
                robot.inject(*options.inject)
            if options.record is not None:
                stack.enter_context(robot.record(options.record))
            stack.enter_context(robot)
            host, port = robot.address
            print(f"kinegraph sim: serving FCI {options.fci} on {host}:{port}", flush=True)
            if robot.hand is not None:
                host, port = robot.hand.address
                print(f"kinegraph sim: serving a hand on {host}:{port}", flush=True)
            ended.wait()
    except (KinegraphError, OSError, UnicodeDecodeError) as problem:
        print(f"kinegraph sim: {problem}", file=sys.stderr)
        return 1
    counters = robot.counters
    shown = ("states_sent", "accepted", "lost", "late", "malformed", "slips", "reflexes")
    print("kinegraph sim: ended,", ", ".join(f"{counters[k]} {k}" for k in shown), flush=True)
    return 0


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    from pathlib import Path

    settings: dict[str, Any] = {
        "host": options.host,
        "port": options.port,
        "fci": options.fci,
        "friction": options.friction,
        "armature": not options.no_armature,
        "enforce": options.enforce,
        "lockstep_s": options.lockstep,
        "priority": options.priority,
        "cpu": options.cpu,
        "tool": _tool(options.ee),
        "true_load": _tool(options.true_load),
        "hand": options.hand,
        "hand_object_width": options.hand_object,
    }
    if options.model_library is not None:
        settings["model_library"] = Path(options.model_library).read_bytes()
    if options.urdf is not None:
        settings["urdf"] = Path(options.urdf).read_text(encoding="utf-8")
    if options.q is not None:
        settings["q"] = options.q
    return settings


def _tool(numbers: tuple[float, ...] | None) -> Any:
    import numpy as np

    from kinegraph.robot.sim import SimulatedTool

    if numbers is None:
        return None
    return SimulatedTool(mass=numbers[0], centre=np.array(numbers[1:]))


def _numbers(count: int) -> Any:
    def parse(text: str) -> tuple[float, ...]:
        numbers = tuple(float(part) for part in text.split(","))
        if len(numbers) != count:
            raise argparse.ArgumentTypeError(f"{count} numbers wanted, got {len(numbers)}")
        return numbers

    parse.__name__ = f"{count} numbers with commas"
    return parse


def _injection(text: str) -> tuple[str, float]:
    what, _, seconds = text.removesuffix("s").partition("@")
    if what not in INJECTIONS:
        raise argparse.ArgumentTypeError(f"{what!r} is none of {', '.join(INJECTIONS)}")
    return what, float(seconds or "0")
