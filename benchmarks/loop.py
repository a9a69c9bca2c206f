"""The 1 kHz loop against the simulated robot: compute time, and commands lost at the robot's side.

Each condition has a robot of its own, in a process of its own. The tip goes to and fro, so that at
least four joints move; other cycles do not count. Figures are for the machine as it is: with
ordinary scheduling and neighbours, the upper percentiles are the machine's.
"""

import re
import subprocess
import sys
import threading
import time

import numpy as np

from kinegraph.robot.control.record_layout import RECORD_OFFSETS
from kinegraph.robot.loop.loop_layout import CYCLE_FIELDS
from kinegraph.robot.robot import Robot
from kinegraph.robot.scene_robot import SceneRobot
from kinegraph.robot.warming import warm_up
from kinegraph.scene.array_types import Array

__all__ = ["measure_loop"]

HOST = "127.0.0.63"
SERVER_PRIORITY, LOOP_PRIORITY = 50, 40
CONDITIONS = (
    ("idle thread, ordinary", False, False),
    ("busy thread, ordinary", True, False),
    ("idle thread, FIFO", False, True),
    ("busy thread, FIFO", True, True),
)
MOVES = ((0.05, 0.03, 0.02), (0.0, 0.0, 0.0))


def measure_loop(seconds_each: float) -> None:
    """Print compute times with an idle and with a busy Python thread."""
    warm_up()
    print(f"\n1 kHz loop, Cartesian targets, {seconds_each:g} s each, compute time in us")
    print(f"{'':26}{'p50':>8}{'p99':>8}{'p99.9':>8}{'max':>8}{'cycles':>9}{'lost':>6}{'slips':>7}")
    for label, busy, fifo in CONDITIONS:
        compute, cycles, counters = _run(seconds_each, busy, fifo)
        shares = np.percentile(compute, [50.0, 99.0, 99.9, 100.0])
        figures = "".join(f"{value:>8.1f}" for value in shares)
        print(
            f"{label:26}{figures}{cycles:>9}{counters['lost']:>6}{counters['slips']:>7}", flush=True
        )
    print("lost: commands that the robot missed; slips: states that it sent over 0.5 ms late")


def _run(duration_s: float, busy: bool, fifo: bool) -> tuple[Array, int, dict[str, int]]:
    command = [sys.executable, "-m", "kinegraph.cli.main", "sim", "--host", HOST]
    if fifo:
        command += ["--priority", str(SERVER_PRIORITY)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stop = threading.Event()
    try:
        lines = process.stdout or []
        if not any("serving" in line for line in lines):
            raise RuntimeError("the simulated robot did not start")
        if busy:
            threading.Thread(target=_compute, args=(stop,), daemon=True).start()
        with Robot(HOST, loop_priority=LOOP_PRIORITY if fifo else None) as robot:
            compute, cycles = _move(SceneRobot(robot), duration_s)
    finally:
        stop.set()
        process.terminate()
        said = process.communicate(timeout=10.0)[0]
    counters = {name: int(number) for number, name in re.findall(r"(\d+) (\w+)", said)}
    return compute, cycles, counters


def _compute(stop: threading.Event) -> None:
    total = 0
    while not stop.is_set():
        for i in range(10_000):
            total += i * i


def _move(scene: SceneRobot, duration_s: float) -> tuple[Array, int]:
    rows, records = [], []
    with scene.cartesian_targets() as arm:
        start, end = arm.target(), time.monotonic() + duration_s
        times, written = arm.cycles(), arm.records()
        move = 0
        while time.monotonic() < end:
            arm.set_position(start + np.array(MOVES[move % 2]))
            move += 1
            time.sleep(0.8)
            rows.append(times.read()[0])
            records.append(written.read()[0])
        cycles = arm.cycle_count
    table, record = np.concatenate(rows), np.concatenate(records)
    count = min(len(table), len(record))
    goal = RECORD_OFFSETS["dq_goal"]
    moving = np.sum(np.abs(record[:count, goal : goal + 7]) > 1e-3, axis=1) >= 4
    return 1e-3 * table[:count][moving, _column("compute_ns")], cycles


def _column(name: str) -> int:
    at = 0
    for field, count in CYCLE_FIELDS:
        if field == name:
            return at
        at += count
    raise KeyError(name)
