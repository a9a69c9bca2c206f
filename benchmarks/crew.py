"""The libraries at work, each in a process of its own: one that dies takes nobody with it."""

import os
import subprocess
import sys
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

__all__ = ["AbsentError", "FailedError", "Worker", "hire", "one_processor", "python_of"]

FOLDER = Path(__file__).parent
# Libraries that bring scipy along live apart: numba would load it, and ours would start later.
APART = {"yourdfpy": ".venv-bench"}
PATIENCE_S = 120.0


class AbsentError(Exception):
    """A library has no such thing."""


class FailedError(Exception):
    """A library failed, or its process died."""


class Worker:
    """A library's process; see `worker.Desk` for what it can be asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connection, other = Pipe()
        command = [python_of(name), str(FOLDER / "worker.py"), str(other.fileno()), name]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command,
            pass_fds=[other.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        other.close()
        self.versions: dict[str, str] = self._reply("starting", PATIENCE_S)

    def ask(self, name: str, *arguments: Any, patience_s: float = PATIENCE_S) -> Any:
        """Call a method of the desk there.

        Raises:
            AbsentError: It is not offered.
            FailedError: It went wrong.
        """
        try:
            self.connection.send((name, arguments))
        except OSError as error:
            raise FailedError("its process is gone") from error
        return self._reply(name, patience_s)

    def _reply(self, name: str, patience_s: float) -> Any:
        try:
            if not self.connection.poll(patience_s):
                self.end()
                raise FailedError(f"{name}: no answer within {patience_s:g} s")
            word, result = self.connection.recv()
        except (EOFError, OSError) as error:
            code = self.process.wait(timeout=10.0)
            raise FailedError(f"{name}: its process died with code {code}") from error
        if word == "absent":
            raise AbsentError(result)
        if word == "failed":
            raise FailedError(result)
        return result

    def end(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.kill()
        self.process.wait()


def python_of(name: str) -> str:
    """Return the interpreter that has a library."""
    apart = FOLDER.parent / APART.get(name, "") / "bin" / "python"
    return str(apart) if name in APART and apart.exists() else sys.executable


def hire(names: list[str]) -> dict[str, Worker]:
    """Start the libraries that are there and name the others."""
    crew = {}
    for name in names:
        try:
            crew[name] = Worker(name)
        except FailedError as reason:
            print(f"{name} is left out: {reason}")
    return crew


def one_processor() -> set[int] | None:
    """A processor for all that is timed one by one; None where a process cannot keep to one."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    return {max(os.sched_getaffinity(0))}
