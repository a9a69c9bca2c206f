"""What the bars let our own client do: `kinegraph_client.py HOST TASK [ARGUMENT ...]`.

Prints the figures as JSON on its last line. LOOP_FIFO is the FIFO priority of its loop, 0 for
ordinary scheduling.
"""

import gc
import json
import os
import resource
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from kinegraph.robot import CARTESIAN, CartesianOptions, FrankaError, Robot, SceneRobot
from kinegraph.robot.control.record_layout import R_pose

HOST = sys.argv[1]
FIFO = int(os.environ.get("LOOP_FIFO", "0")) or None
STEP_M = 0.05
PAUSE_S = 2.0


def connect() -> Robot:
    return Robot(HOST, loop_priority=FIFO or 0)


def raise_this_thread() -> None:
    """Give the user's thread the loop's priority, as `franka_rs.py` does: targets come in time."""
    if FIFO:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(FIFO))


def rss_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    return 0.0


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


# --- B1 -------------------------------------------------------------------------------------------


def read(seconds: str) -> Any:
    """Count states for a while without looking at them, then look at ages and memory."""
    with connect() as robot:
        time.sleep(0.5)
        begun, used, before = robot.counters, cpu_s(), rss_mb()
        start = time.perf_counter()
        time.sleep(float(seconds))
        passed, ended = time.perf_counter() - start, robot.counters
        cpu = 100.0 * (cpu_s() - used) / passed
        ages = []
        for _ in range(2000):
            robot.read_once()
            ages.append(1e3 * robot.state_age_s)
        time.sleep(PAUSE_S)
        pause_age = 1e3 * robot.state_age_s
        return {
            "received": ended.received - begun.received,
            "lost": ended.lost - begun.lost,
            "all_received": robot.counters.received,
            "seconds": passed,
            "cpu_pct": cpu,
            "age_p99_ms": float(np.percentile(ages, 99.0)),
            "age_after_pause_ms": pause_age,
            "rss_growth_mb": rss_mb() - before,
        }


# --- B4 -------------------------------------------------------------------------------------------


def step(seconds: str, sign: str = "1") -> Any:
    """A step of 5 cm in x by the reference's law; what came of it, or how it ended."""
    size, options = STEP_M * float(sign), CartesianOptions(backend=CARTESIAN)
    begun = stepped = time.monotonic()
    with connect() as robot:
        if robot.state.robot_mode.name != "Idle":
            robot.automatic_error_recovery()
        robot.set_collision_behavior(*thresholds())
        result: dict[str, Any] = {}
        states = Watcher(robot)
        try:
            with (
                SceneRobot(robot) as scene,
                scene.cartesian_targets(options, tool="scene") as arm,
            ):
                sys.stdout.write("moving\n")
                sys.stdout.flush()
                time.sleep(0.5)
                goal = arm.target() + size * np.eye(3)[0]
                states.clear()
                stepped = time.monotonic()
                arm.set_position(goal)
                result["stepped_s"] = stepped - begun
                states.wait(float(seconds), arm)
                rows, times = arm.records().read()[0], arm.cycles().read()[0][:, 0]
                seen = np.array(states.rows)
                arm.stop()
            result |= landing(seen, rows, size) | {"lag_mm": lag(seen, rows, times)}
        except FrankaError as problem:
            result |= {
                "error": type(problem).__name__,
                "text": str(problem),
                "at_s": time.monotonic() - stepped,
                "since_state_s": robot.state_age_s,
            }
            result["recovered"] = recovered(robot)
        finally:
            states.close()
        result["counters"] = asdict(robot.counters)
    return result


def thresholds() -> tuple[list[float], ...]:
    """Contact thresholds that no motion here meets."""
    return ([100.0] * 7, [100.0] * 7, [100.0] * 6, [100.0] * 6)


def recovered(robot: Robot) -> bool:
    """Whether the same object works again after recovery."""
    try:
        robot.automatic_error_recovery()
        return robot.read_once().robot_mode.name == "Idle"
    except FrankaError:
        return False


class Watcher:
    """Keeps the interesting part of every state that comes: time, place, success rate."""

    def __init__(self, robot: Robot) -> None:
        self.rows: list[list[float]] = []
        self._ended = threading.Event()
        self._states = robot.states()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def clear(self) -> None:
        self.rows = []

    def wait(self, seconds: float, arm: Any) -> None:
        """Wait for some robot time, at most ten times as long by the clock."""
        end = time.monotonic() + 10.0 * seconds
        while arm.is_running and time.monotonic() < end:
            time.sleep(0.01)
            rows = self.rows
            if len(rows) > 1 and rows[-1][0] - rows[0][0] >= 1e3 * seconds:
                return

    def _watch(self) -> None:
        try:
            for state in self._states:
                place = np.asarray(state.O_T_EE).reshape(4, 4, order="F")[:3, 3]
                rate = state.control_command_success_rate
                self.rows.append([state.time, *place, rate])
                if self._ended.is_set():
                    return
        except FrankaError:
            return

    def close(self) -> None:
        self._ended.set()
        self._thread.join(3.0)


def landing(states: np.ndarray, records: np.ndarray, size: float) -> Any:
    """Figures of a step: landing, overshoot, rest, success, and jumps of what was desired."""
    moved = states[:, 1:4] - states[0, 1:4]
    end = moved[-200:].mean(axis=0) - [size, 0.0, 0.0]
    desired = records[:, R_pose + 12]
    return {
        "land_mm": 1e3 * float(np.linalg.norm(end)),
        "over_mm": 1e3 * float((np.sign(size) * moved[:, 0]).max() - abs(size)),
        "std_mm": 1e3 * float(moved[-1000:].std(axis=0).max()),
        "success_mean": float(states[100:, 4].mean()),
        "success_min": float(states[100:, 4].min()),
        "jump_mm": 1e3 * float(np.abs(np.diff(desired)).max()),
        "states": len(states),
    }


def lag(states: np.ndarray, records: np.ndarray, times: np.ndarray) -> float:
    """How far the arm is behind what is desired in the same cycle at the most, mm."""
    count = min(len(records), len(times))
    desired, times = records[-count:, R_pose + 12], times[-count:]
    at = np.searchsorted(states[:, 0], times)
    known = (at < len(states)) & (times >= states[0, 0])
    measured = states[at[known], 1]
    apart = (desired[known] - desired[known][0]) - (measured - measured[0])
    return 1e3 * float(np.abs(apart).max())


# --- B7 -------------------------------------------------------------------------------------------


def under_load(task: str, seconds: str) -> Any:
    """Move to and fro while a thread of this interpreter does something else."""
    ended = threading.Event()
    turns = [0]
    loads = {"nothing": None, "spin": spin, "allocate": allocate, "block": block}
    worker = loads[task]
    with connect() as robot, SceneRobot(robot) as scene:
        robot.set_collision_behavior(*thresholds())
        with scene.cartesian_targets(tool="scene") as arm:
            home = arm.target()
            thread = threading.Thread(target=worker, args=(ended, turns), daemon=True)
            if worker is not None:
                thread.start()
            begun, sign = time.monotonic(), 1.0
            while time.monotonic() - begun < float(seconds):
                arm.set_position(home + sign * np.array([0.04, 0.03, 0.02]))
                sign = -sign
                time.sleep(0.7)
            ended.set()
        return {"turns": turns[0], "cycles": robot.counters.cycles}


def spin(ended: threading.Event, turns: list[int]) -> None:
    """Pure Python that never waits."""
    while not ended.is_set():
        sum(i * i for i in range(2000))
        turns[0] += 1


def allocate(ended: threading.Event, turns: list[int]) -> None:
    """A million objects a second, and a full collection every 100 ms."""
    kept: list[Any] = []
    due = time.monotonic()
    while not ended.is_set():
        kept = [{"number": i} for i in range(20_000)]
        turns[0] += len(kept)
        if time.monotonic() >= due:
            gc.collect()
            due = time.monotonic() + 0.1


def block(ended: threading.Event, turns: list[int]) -> None:
    """Calls that last for seconds."""
    while not ended.is_set():
        time.sleep(5.0)
        begun, matrix = time.monotonic(), np.random.default_rng(0).random((400, 400))
        while time.monotonic() - begun < 3.0:
            matrix = matrix @ matrix / 100.0
            matrix /= np.abs(matrix).max()
        turns[0] += 1


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
