"""The machine's own lateness, measured beside a run: what no program on it can be blamed for.

A process for each core sleeps a millisecond at a time at the highest FIFO priority and notes by how
much it overslept. What happened during an oversleep of more than 1.5 ms is no evidence about the
programs under test; a run that loses more than one percent of its cycles this way says nothing.
What other programs took of the processor meanwhile is counted, too.

    with Canary() as canary:
        ...                                   # the run
    kept = canary.outside(received_ns, sent_ns)   # CLOCK_MONOTONIC
    print(canary.report())

By itself, `python benchmarks/canary.py SECONDS` says how late this machine is.
"""

import array
import contextlib
import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

__all__ = ["DISCARDED_MAX", "FOREIGN_MAX", "INCONCLUSIVE", "STALL_NS", "Canary", "foreign_share"]

STALL_NS = 1_500_000
DISCARDED_MAX = 0.01
FOREIGN_MAX = 0.25
"""Share of one core that other programs may take while latency is judged."""
INCONCLUSIVE = 75
"""Exit code of a run that says nothing."""
PRIORITY = 99
SLEEP_S = 1e-3
LOCK_ALL = 3
LIFELINE = 256

Times = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Ticks:
    """Processor time so far, in ticks: of all programs, and of this one with its children."""

    all: int
    ours: int
    at_s: float


class Canary:
    """Measures the machine for as long as the block lasts.

    Args:
        cpus: Cores to watch; None: all that this process may use.

    Attributes:
        stalls: (n, 2) CLOCK_MONOTONIC from when to when a core stood still, ns; after the block.
        lateness_us: (n,) oversleep of every sleep, us; after the block.
        realtime: Whether the FIFO priority could be had; else stalls are the scheduler's, too.
        foreign: Share of one core that other programs took.
    """

    def __init__(self, cpus: list[int] | None = None) -> None:
        self.cpus = sorted(os.sched_getaffinity(0)) if cpus is None else list(cpus)
        self.stalls: Times = np.empty((0, 2), np.int64)
        self.lateness_us: npt.NDArray[np.float64] = np.empty(0)
        self.realtime = False
        self.foreign = 0.0
        self._children: list[subprocess.Popen[bytes]] = []
        self._before = Ticks(0, 0, 0.0)

    def __enter__(self) -> "Canary":
        """Start to measure."""
        command = [sys.executable, "-I", str(Path(__file__).resolve()), "--child"]
        try:
            for cpu in self.cpus:
                self._children.append(
                    subprocess.Popen([*command, str(cpu)], stdout=subprocess.PIPE)
                )
            for child in self._children:
                if child.stdout is None or child.stdout.readline() != b"ready\n":
                    raise RuntimeError("the canary did not start")
        except BaseException:
            self._end()
            raise
        self._before = _ticks()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and gather what was measured."""
        self.foreign = foreign_share(self._before, _ticks())
        self._end()

    def _end(self) -> None:
        stalls, lateness, realtime = [self.stalls], [], []
        for child in self._children:
            child.send_signal(signal.SIGTERM)
        for child in self._children:
            said = child.communicate(timeout=10.0)[0]
            if child.returncode != 0 or b"\n" not in said:
                continue
            head, _, rows = said.partition(b"\n")
            realtime.append(bool(json.loads(head)["realtime"]))
            table = np.frombuffer(rows, np.int64).reshape(-1, 2)  # when due, when awake
            late = table[:, 1] - table[:, 0]
            stalls.append(table[late > STALL_NS])
            lateness.append(1e-3 * late)
        self._children = []
        self.stalls = np.concatenate(stalls)
        self.lateness_us = np.concatenate(lateness) if lateness else np.empty(0)
        self.realtime = bool(realtime) and all(realtime)

    def outside(self, begin_ns: npt.ArrayLike, end_ns: npt.ArrayLike | None = None) -> np.ndarray:
        """Return (n,) which moments, or spans of time, touch no stall.

        Args:
            begin_ns: (n,) CLOCK_MONOTONIC, ns.
            end_ns: (n,) ends of the spans; None: the moments alone.
        """
        begin = np.asarray(begin_ns, dtype=np.int64)
        end = begin if end_ns is None else np.asarray(end_ns, dtype=np.int64)
        kept = np.ones(begin.shape, dtype=np.bool_)
        for since, until in self.stalls:
            kept &= (end < since) | (begin > until)
        return kept

    def report(self) -> str:
        """Return a line about the machine during the run."""
        if not len(self.lateness_us):
            return "canary: nothing measured"
        p50, p99, most = np.percentile(self.lateness_us, [50.0, 99.0, 100.0])
        return (
            f"canary ({'FIFO ' + str(PRIORITY) if self.realtime else 'ordinary scheduling'}, "
            f"{len(self.cpus)} cores): oversleep p50 {p50:.0f}, p99 {p99:.0f}, max {most:.0f} us, "
            f"{len(self.stalls)} stalls over {1e-6 * STALL_NS:g} ms; "
            f"other programs took {100.0 * self.foreign:.0f} % of a core"
        )


def foreign_share(before: Ticks, after: Ticks) -> float:
    """Return what programs other than this one and its children took, as a share of one core."""
    span = (after.at_s - before.at_s) * os.sysconf("SC_CLK_TCK")
    used = (after.all - before.all) - (after.ours - before.ours)
    return max(used / span, 0.0) if span > 0.0 else 0.0


def _ticks() -> Ticks:
    user, nice, system, _, _, irq, soft, *_ = map(
        int, Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]
    )
    ours = sum(_family(os.getpid()).values())
    return Ticks(user + nice + system + irq + soft, ours, time.monotonic())


def _family(root: int) -> dict[int, int]:
    """Return ticks of a process and all below it; those of children that ended are with them."""
    parents, used = {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        number = int(entry.name)
        parents[number] = int(fields[1])
        used[number] = sum(map(int, fields[11:15]))
    found = {root: used.get(root, 0)}
    grown = True
    while grown:
        below = [n for n, parent in parents.items() if parent in found and n not in found]
        found |= {number: used[number] for number in below}
        grown = bool(below)
    return found


def _sleep_and_note(cpu: int) -> None:
    """Be the canary of one core until SIGTERM; write what was seen to stdout."""
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        ended = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.sched_setaffinity(0, {cpu})
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
        realtime = True
    except OSError:
        realtime = False
    ctypes.CDLL(None).mlockall(LOCK_ALL)
    gc.disable()
    parent, rows = os.getppid(), array.array("q")
    print("ready", flush=True)
    due = time.monotonic_ns()
    while not ended and (len(rows) % LIFELINE or os.getppid() == parent):
        due = time.monotonic_ns() + int(1e9 * SLEEP_S)
        time.sleep(SLEEP_S)
        rows.extend((due, time.monotonic_ns()))
    head = json.dumps({"realtime": realtime}).encode() + b"\n"
    with contextlib.suppress(BrokenPipeError):  # whoever asked has gone
        os.write(1, head)
        _write_all(rows.tobytes())


def _write_all(data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(1, left) :]


def main() -> None:
    """Watch the machine for a while and say how late it is."""
    with Canary() as canary:
        time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0)
    print(canary.report())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        _sleep_and_note(int(sys.argv[2]))
    else:
        main()
