"""One run of a loop against the simulated robot, with what was seen of it from the outside."""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from canary import DISCARDED_MAX, FOREIGN_MAX, Canary
from wire_tap import Responses, WireTap

__all__ = ["CONDITIONS", "CORE", "IDLE", "THREAD", "Run", "merged", "run_loop"]

HOST = "127.0.0.63"
SERVER_PRIORITY, LOOP_PRIORITY = 50, 40
IDLE, THREAD, CORE = "idle", "busy thread", "busy core"
CONDITIONS = (IDLE, THREAD, CORE)
START_S = 120.0
BUSY = "while True: pass"


@dataclass(frozen=True)
class Run:
    """One client under one condition.

    Attributes:
        latency_us: (n,) from a state to the command for it, on the wire, without stalls, us.
        periods_us: (n,) between commands, without stalls, us.
        wake_us: (m,) from a state taken to its command sent, without stalls, us; ours only.
        compute_us: (m,) from a state taken to its command encoded, us; ours only.
        lost: Commands that the robot missed.
        unanswered: States in the motion without a command on the wire.
        cycles: States with one.
        stalled: Cycles that fell into a stall of the machine, which count nowhere above.
        foreign: Share of a core that other programs took.
        realtime: Whether FIFO priorities could be had.
        report: What the canary says.
    """

    latency_us: np.ndarray
    periods_us: np.ndarray
    wake_us: np.ndarray
    compute_us: np.ndarray
    lost: int
    unanswered: int
    cycles: int
    stalled: int
    foreign: float
    realtime: bool
    report: str

    @property
    def discarded(self) -> float:
        """Share of the cycles that do not count."""
        return self.stalled / max(self.cycles, 1)

    @property
    def doubt(self) -> str:
        """Why the run says nothing; empty if it does."""
        if not self.realtime:
            return "no FIFO priority"
        if self.discarded > DISCARDED_MAX:
            return f"{100.0 * self.discarded:.1f} % of the cycles fell into stalls of the machine"
        if self.foreign > FOREIGN_MAX:
            return f"other programs took {100.0 * self.foreign:.0f} % of a core"
        return ""


def merged(runs: list[Run]) -> Run:
    """Several runs as one; the share of other programs is the largest."""
    rows = ("latency_us", "periods_us", "wake_us", "compute_us")
    sums = ("lost", "unanswered", "cycles", "stalled")
    return Run(
        **{name: np.concatenate([getattr(run, name) for run in runs]) for name in rows},
        **{name: sum(getattr(run, name) for run in runs) for name in sums},
        foreign=max(run.foreign for run in runs),
        realtime=all(run.realtime for run in runs),
        report=runs[-1].report,
    )


def run_loop(kind: str, condition: str, seconds: float) -> Run:
    """Start a robot, let a client run, and judge what was seen.

    Args:
        kind: One of the kinds of `robot_clients`.
        condition: One of `CONDITIONS`.
        seconds: How long the motion lasts.

    Raises:
        RuntimeError: Robot or client failed; the message says why.
        PermissionError: The datagrams on the wire may not be read.
    """
    cpu = max(os.sched_getaffinity(0))
    server = [sys.executable, "-m", "kinegraph.cli.main", "sim", "--host", HOST]
    # It counts lost commands; a motion that it ended because of them could not be compared.
    server += ["--priority", str(SERVER_PRIORITY), "--cpu", str(cpu), "--no-enforce"]
    process = subprocess.Popen(server, stdout=subprocess.PIPE, text=True)
    spinning: list[subprocess.Popen[Any]] = []
    try:
        if not any("serving" in line for line in process.stdout or []):
            raise RuntimeError("the simulated robot did not start")
        if condition == CORE:
            pinned = f"import os; os.sched_setaffinity(0, {{{cpu}}})\n{BUSY}"
            spinning.append(subprocess.Popen([sys.executable, "-c", pinned]))
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder) / "cycles.npz"
            with Canary() as canary, WireTap(HOST) as tap:
                _run_client(kind, condition, seconds, own, cpu)
            wake, compute = _own_times(own, canary)
    finally:
        for busy in spinning:
            busy.kill()
            busy.wait()
        process.terminate()
        said = process.communicate(timeout=10.0)[0]
    counters = {name: int(number) for number, name in re.findall(r"(\d+) (\w+)", said)}
    return _judge(tap.responses(), wake, compute, counters.get("lost", -1), canary)


def _run_client(kind: str, condition: str, seconds: float, own: Path, cpu: int) -> None:
    script = str(Path(__file__).with_name("robot_clients.py"))
    command = [sys.executable, script, kind, HOST, str(seconds), str(own)]
    command += ["--priority", str(LOOP_PRIORITY), "--cpu", str(cpu)]
    command += ["--busy"] if condition == THREAD else []
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=seconds + START_S, check=False
    )
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or "no reason given").splitlines()[-1])


def _own_times(own: Path, canary: Canary) -> tuple[np.ndarray, np.ndarray]:
    """What the client tells of itself, from cycles in which the arm moved."""
    if not own.exists():
        return np.empty(0), np.empty(0)
    with np.load(own) as cycles:
        good = cycles["moving"] & canary.outside(cycles["received_ns"], cycles["sent_ns"])
        wake = 1e-3 * (cycles["sent_ns"] - cycles["received_ns"])[good]
        return wake, 1e-3 * cycles["compute_ns"][good]


def _judge(
    seen: Responses, wake: np.ndarray, compute: np.ndarray, lost: int, canary: Canary
) -> Run:
    kept = canary.outside(seen.state_ns, seen.command_ns)
    sent = np.sort(seen.command_ns)
    steady = canary.outside(sent[:-1], sent[1:]) if len(sent) else np.empty(0, np.bool_)
    return Run(
        latency_us=seen.latency_us[kept],
        periods_us=1e-3 * np.diff(sent)[steady],
        wake_us=wake,
        compute_us=compute,
        lost=lost,
        unanswered=seen.unanswered,
        cycles=len(kept),
        stalled=int(np.sum(~kept)),
        foreign=canary.foreign,
        realtime=canary.realtime,
        report=canary.report(),
    )
