"""One client's moves on one robot, watched on the wire."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from canary import Canary
from children import PROGRAMS, Child, HangError, ProgramError
from client_interpreter import responses
from motion_figures import figures_of
from other_servers import franka_sim, serving
from peers import python_of
from relaying import relay
from shared_moves import BACK_S, MOVES, REST_S
from simulator import CLIENT_FIFO, RELAY_HOST, SERVER_FIFO, SERVER_HOST
from state_tap import StateTap, Track

__all__ = [
    "PEER",
    "ROBOTS",
    "Seen",
    "Watched",
    "our_robot",
    "patched_franky_sim",
    "run_moves",
    "watched",
]

START_S = 300.0
MORE_S = 300.0  # kernels may have to be compiled first
PEER = "franka_rs_targets"

Server = Callable[[], AbstractContextManager[Child]]


@dataclass(frozen=True)
class Seen:
    """What a client's moves came to.

    Attributes:
        moves: Figures by variant and move.
        response_us: From each state to its command, outside the canary's stalls.
        facts: What belongs on a bar about the machine.
        said: What the client told of itself.
    """

    moves: dict[tuple[str, str], dict[str, float]]
    response_us: np.ndarray
    facts: dict[str, Any]
    said: dict[str, Any]


@dataclass(frozen=True)
class Watched:
    """What was seen of a client on the wire.

    Attributes:
        track: What the robot reported.
        response_us: As for `Seen`.
        facts: As for `Seen`.
        said: As for `Seen`.
    """

    track: Track
    response_us: np.ndarray
    facts: dict[str, Any]
    said: dict[str, Any]


@contextmanager
def our_robot(*options: str, fifo: bool = True) -> Iterator[Child]:
    """Serve our simulated robot, which can be pushed, until the block ends."""
    program = str(PROGRAMS / "serve_kinegraph.py")
    command = [sys.executable, program, SERVER_HOST, str(SERVER_FIFO if fifo else 0), *options]
    with Child(command) as child:
        child.wait_for("serving FCI", START_S)
        yield child


@contextmanager
def patched_franky_sim() -> Iterator[Child]:
    """Serve franky-sim with a reply that franka-rs takes, until the block ends."""
    program = str(PROGRAMS / "serve_franky_sim.py")
    child = Child([str(python_of("franky-sim")), program, SERVER_HOST])
    with serving(child, SERVER_HOST):
        yield child


ROBOTS: dict[str, Server] = {
    "ours": our_robot,
    "ours_friction": lambda: our_robot("friction"),
    "franka_sim": franka_sim,
    "franky_sim": patched_franky_sim,
}


def run_moves(server: Server, program: str, variants: str, names: str, **more: Any) -> Seen:
    """Let a client do its moves on a fresh robot.

    Args:
        server: Starts the robot.
        program: File below `programs`, without its ending.
        variants: Of the client, separated by commas.
        names: Of the moves, separated by commas.
        more: `tool`, a (4, 4) frame whose pose is judged in place of the end effector's.
    """
    moving_s = sum(MOVES[name] + REST_S + BACK_S for name in names.split(","))
    limit_s = 3.0 * len(variants.split(",")) * moving_s
    run = watched(server, program, ["moves", variants, names], limit_s, **more)
    moves = run.said["moves"]
    figures = {(move["variant"], move["move"]): figures_of(run.track, move) for move in moves}
    return Seen(figures, run.response_us, run.facts, run.said)


def watched(
    server: Server, program: str, arguments: Sequence[str], limit_s: float, **more: Any
) -> Watched:
    """Run a client on a fresh robot and watch the wire, everything at FIFO priorities.

    Args:
        server: Starts the robot.
        program: File below `programs`, without its ending.
        arguments: What follows the address.
        limit_s: Longest time, without what compiling may take.
        more: `tool`, as `run_moves` has it.
    """
    with ExitStack() as stack:
        robot = stack.enter_context(server())
        robot.fifo(SERVER_FIFO)
        between = stack.enter_context(relay())
        tap = stack.enter_context(StateTap(RELAY_HOST))
        canary = stack.enter_context(Canary())
        python = python_of("v10") if program.startswith("franka_rs") else Path(sys.executable)
        command = [str(python), str(PROGRAMS / f"{program}.py"), RELAY_HOST, *arguments]
        client = stack.enter_context(Child(command, {"LOOP_FIFO": str(CLIENT_FIFO)}))
        text = _ended(client, robot, limit_s + MORE_S)
    begin, response = responses(between)
    kept = canary.outside(1e9 * begin, 1e9 * (begin + response))
    facts = {
        "n": len(response),
        "discarded": int((~kept).sum()),
        "foreign_cpu_pct": 100.0 * canary.foreign,
    }
    said = json.loads(text.strip().splitlines()[-1])
    return Watched(tap.track(more.get("tool")), 1e6 * response[kept], facts, said)


def _ended(client: Child, robot: Child, limit_s: float) -> str:
    """Push the robot whenever the client asks for it; returns what the client printed."""
    pushes, end = 0, time.monotonic() + limit_s
    while client.process.poll() is None:
        client.read(0.002)
        if client.text.count("push\n") > pushes:
            pushes += 1
            os.kill(robot.pid, signal.SIGUSR1)
        if time.monotonic() > end:
            raise HangError(f"{client.name} did not end in {limit_s:.0f} s: {client.text[-300:]}")
    text = client.end()
    if client.process.returncode != 0:
        raise ProgramError(f"{client.name}: exit code {client.process.returncode}: {text[-600:]}")
    return text
