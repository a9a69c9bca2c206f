"""Processes of a run: started with limits, ended by their ids, and looked at meanwhile."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

__all__ = ["Child", "HangError", "ProgramError", "kinegraph", "run_program", "sockets_of"]

PROGRAMS = Path(__file__).parent / "programs"
TICKS = os.sysconf("SC_CLK_TCK")


class HangError(RuntimeError):
    """A program that did not end or answer within its limit."""


class ProgramError(RuntimeError):
    """A program that ended with an error."""


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables for a child: no thread pools of BLAS, and what `more` says."""
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(names, "1"), **(more or {})}


class Child:
    """A process that is ended by its id when the block ends.

    Args:
        command: Program and arguments.
        env: Variables besides the usual ones.
    """

    def __init__(self, command: Sequence[str | Path], env: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(env),
            start_new_session=True,
        )
        self.name = " ".join(map(str, command))[:300]
        assert self.process.stdout is not None
        self._out = self.process.stdout
        os.set_blocking(self._out.fileno(), False)
        self.text = ""

    def __enter__(self) -> "Child":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self.process.pid

    def read(self, limit_s: float) -> bool:
        """Take in what it prints; False at the end of its output or after the limit."""
        if not select.select([self._out], [], [], max(limit_s, 0.0))[0]:
            return False
        data = self._out.read(65536)
        self.text += (data or b"").decode(errors="replace")
        return bool(data)

    def wait_for(self, words: str, limit_s: float) -> None:
        """Wait until it has printed some words.

        Raises:
            HangError: It did not within the limit.
            ProgramError: It ended first.
        """
        end = time.monotonic() + limit_s
        while words not in self.text:
            if not self.read(min(1.0, end - time.monotonic())) and self.process.poll() is not None:
                raise ProgramError(f"{self.name} ended: {self.text[-800:]}")
            if time.monotonic() >= end:
                raise HangError(f"{self.name} did not print {words!r} in {limit_s} s")

    def finish(self, limit_s: float) -> str:
        """Wait for its end and return all it printed.

        Raises:
            HangError: It did not end within the limit; it is killed.
            ProgramError: Its exit code is not 0.
        """
        end = time.monotonic() + limit_s
        while self.process.poll() is None:
            self.read(min(0.5, end - time.monotonic()))
            if time.monotonic() >= end:
                self.end()
                raise HangError(f"{self.name} did not end in {limit_s} s: {self.text[-300:]}")
        self.end()
        if self.process.returncode != 0:
            raise ProgramError(f"exit code {self.process.returncode}: {self.text[-800:]}")
        return self.text

    def end(self, number: signal.Signals = signal.SIGTERM) -> str:
        """End it by its id, the hard way after 10 s; returns all it printed."""
        with contextlib.suppress(ProcessLookupError):
            if self.process.poll() is None:
                os.kill(self.process.pid, number)
            limit = time.monotonic() + 10.0
            while self.process.poll() is None and time.monotonic() < limit:
                self.read(0.1)
            if self.process.poll() is None:
                os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()
        while not self._out.closed and self.read(0.1):
            pass
        self._out.close()
        return self.text

    def fifo(self, priority: int) -> None:
        """Give all its threads a FIFO priority, if that may be had."""
        for entry in Path(f"/proc/{self.pid}/task").iterdir():
            with contextlib.suppress(OSError):
                os.sched_setscheduler(int(entry.name), os.SCHED_FIFO, os.sched_param(priority))

    def cpu_s(self) -> float:
        """CPU seconds that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def rss_mb(self) -> float:
        """Its resident memory, MB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024.0
        return 0.0


def sockets_of(pid: int) -> list[str]:
    """Local IPv4 and IPv6 addresses of the sockets that a process has open.

    Returns:
        Texts such as `tcp 127.0.0.21:1337`; a wildcard shows as 0.0.0.0 or ::.
    """
    own = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            target = os.readlink(entry)
            if target.startswith("socket:["):
                own.add(target[8:-1])
    found = []
    for kind in ("tcp", "udp", "tcp6", "udp6"):
        for line in Path(f"/proc/{pid}/net/{kind}").read_text().splitlines()[1:]:
            parts = line.split()
            if parts[9] in own:
                found.append(f"{kind} {_address(parts[1])}")
    return sorted(found)


def _address(text: str) -> str:
    host, port = text.split(":")
    if len(host) == 8:
        return ".".join(str(b) for b in bytes.fromhex(host)[::-1]) + f":{int(port, 16)}"
    return f"[{'::' if set(host) == {'0'} else host}]:{int(port, 16)}"


def kinegraph(*arguments: str) -> list[str]:
    """Command of our command line in this interpreter."""
    return [sys.executable, "-m", "kinegraph.cli.main", *arguments]


def run_program(
    python: Path | str, name: str, *arguments: str, limit_s: float, fifo: int | None = None
) -> Any:
    """Run one of `programs/` to its end; returns what it printed as JSON on its last line.

    Args:
        python: Interpreter of the environment that has the client.
        name: File below `programs`, without its ending.
        arguments: Task and its arguments.
        limit_s: Longest duration.
        fifo: FIFO priority of its loop, None for ordinary scheduling.

    Raises:
        HangError: It did not end in time.
        ProgramError: It ended with an error.
    """
    with Child(
        [str(python), str(PROGRAMS / f"{name}.py"), *arguments], {"LOOP_FIFO": str(fifo or 0)}
    ) as child:
        lines = child.finish(limit_s).strip().splitlines()
    if not lines:
        raise ProgramError("it printed nothing")
    return json.loads(lines[-1])
