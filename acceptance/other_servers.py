"""Simulated robots of others, each as a process on one address."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from children import PROGRAMS, Child, HangError, ProgramError
from peers import python_of
from simulator import SERVER_HOST

__all__ = ["franka_sim", "franky_sim", "listens", "serving"]

START_S = 60.0


def listens(host: str, port: int = 1337) -> bool:
    """Whether something listens there; asked of the kernel, a connection would disturb a server."""
    wanted = f"{int.from_bytes(socket.inet_aton(host), 'little'):08X}:{port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[3] == "0A" and row[1] == wanted for row in rows)


@contextmanager
def serving(child: Child, host: str) -> Iterator[Child]:
    """Wait until a server listens at its address, and end it with the block."""
    with child:
        end = time.monotonic() + START_S
        while not listens(host):
            child.read(0.1)
            if child.process.poll() is not None:
                raise ProgramError(f"{child.name} ended: {child.text[-800:]}")
            if time.monotonic() >= end:
                raise HangError(f"{child.name} did not listen in {START_S} s")
        yield child


def assets() -> Path:
    """Where franky-sim keeps its FR3."""
    lib = python_of("franky-sim").parents[1] / "lib"
    return next(lib.glob("python3*")) / "site-packages" / "franky_sim" / "assets"


@contextmanager
def franka_sim(enforce: bool = False, host: str = SERVER_HOST) -> Iterator[Child]:
    """Serve franka-sim until the block ends."""
    program = str(PROGRAMS / "serve_franka_sim.py")
    command = [str(python_of("franka-sim")), program, host, str(assets())]
    with serving(Child(command + ["enforce"] * enforce), host) as child:
        yield child


@contextmanager
def franky_sim(host: str = SERVER_HOST) -> Iterator[Child]:
    """Serve franky-sim until the block ends."""
    command = str(python_of("franky-sim").parent / "franky-sim")
    with serving(Child([command, "--hostname", host, "-s", "mujoco"]), host) as child:
        yield child
