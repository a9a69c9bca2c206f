"""A2.3, A4.6, A7: franky, aiofranka and panda-python at our simulated robot."""

import json
import threading
import time
from typing import Any

from bars import Sheet
from canary import Canary
from children import PROGRAMS, Child, ProgramError, run_program
from peers import python_of
from real_libfranka import LOCKSTEP, how, report_broken
from simulator import CLIENT_FIFO, SERVER_HOST, simulator

from kinegraph.robot import SimulatedRobot
from kinegraph.robot.wire.state_layout import S_time

__all__ = ["aiofranka", "franky", "old_library"]

LIMIT_S = 90.0
LATER_S = 0.8
PUSH_N = 20.0
# What each of franky's motions ends with: name, limit, unit.
FRANKY = {
    "joint_motion": ("<= 0.001", "rad"),
    "cartesian_motion": ("<= 0.0001", "m"),
    "joint_velocities": ("<= 0.001", "rad"),
    "cartesian_velocities": ("<= 0.0001", "m"),
    "joint_tracker": ("<= 0.001", "rad"),
    "cartesian_tracker": ("<= 0.001", "m"),
}


def run(program: str, group: str, task: str, fifo: int | None = None) -> Any:
    """Let a client do a task of its program."""
    return run_program(
        python_of(group), program, SERVER_HOST, task, limit_s=LIMIT_S, fifo=fifo
    )  # fmt: skip


def old_library(sheet: Sheet) -> None:
    """A2.3, A4.6: libfranka 0.9.2 and the version 5 robot."""
    with simulator(*LOCKSTEP, fci=5):
        if sheet.wants("A2.3"):
            seen = run("panda", "v5", "model")
            refused = "Server reports error when loading model library" in seen["said"]
            sheet.report("A2.3.refused_by_status", refused, "== True", note=seen["said"])
            sheet.report("A2.3.answered_s", seen["seconds"], "< 1")
        if sheet.wants("A4.6"):
            seen = run("panda", "v5", "elbow")
            sheet.report("A4.6.elbow.swung_rad", seen["swung"], "0.049 to 0.051")
            sheet.report("A4.6.elbow.end_m", seen["end_m"], "<= 0.0001")
            sheet.report("A4.6.elbow.mode_after", seen["mode"], "== Idle")
            seen = run("panda", "v5", "both")
            sheet.report("A4.6.torques_beside_motion.cycles", seen["torque"], ">= 1999")
            sheet.report("A4.6.torques_beside_motion.end_rad", seen["end_q"], "<= 0.01")
            sheet.report("A4.6.torques_beside_motion.mode_after", seen["mode"], "== Idle")


def franky(sheet: Sheet) -> None:
    """A7.1: each of its motions, its trackers, and a reaction on a force."""
    with simulator(*LOCKSTEP):
        for task, (limit, unit) in FRANKY.items():
            sheet.report(f"A7.1.{task}.end_{unit}", run("franky_moves", "v5", task)["error"], limit)
    sheet.report("A7.1.reaction_ms", reaction_ms(), "<= 20")


def reaction_ms() -> float | None:
    """Robot time from a push to franky's reaction, ms."""
    pushed = [0.0]
    with SimulatedRobot(SERVER_HOST, lockstep_s=0.2) as robot:

        def push() -> None:
            time.sleep(LATER_S)
            pushed[0] = float(robot.state[S_time])
            robot.apply_wrench([0.0, 0.0, PUSH_N, 0.0, 0.0, 0.0])

        program = str(PROGRAMS / "franky_moves.py")
        with Child([str(python_of("v5")), program, SERVER_HOST, "reaction"]) as client:
            client.wait_for("moving", LIMIT_S)
            pusher = threading.Thread(target=push, daemon=True)
            pusher.start()
            text = client.finish(LIMIT_S)
            pusher.join(LIMIT_S)
    at = json.loads(text.strip().splitlines()[-1])["at_ms"]
    return None if at is None else float(at) - pushed[0]


def aiofranka(sheet: Sheet) -> None:
    """A7.2: a session of its controller; what its own loop says of itself.

    Between its Move and its first command it holds the machine up for 50 to 130 ms, a canary at
    the highest priority included. The robot that enforces its limits waits for it, the one that
    runs in real time counts and goes on.
    """
    with simulator(*LOCKSTEP):
        seen = run("aio", "aiofranka", "session")
    sheet.report("A7.2.move_rad", seen["move"], "<= 0.03")
    sheet.report("A7.2.joint_rad", seen["joint"], "<= 0.01")
    sheet.report("A7.2.osc_m", seen["osc_m"], "<= 0.001")
    sheet.report("A7.2.failures", len(seen["failures"]), "== 0")
    for fifo in (False, True):
        name, seen, failure = f"A7.2.{how(fifo)}", None, ""
        with simulator("--no-enforce", fifo=fifo), Canary() as canary:
            try:
                seen = run("aio", "aiofranka", "session", CLIENT_FIFO if fifo else None)
            except ProgramError as problem:
                failure = str(problem)
        if seen is None:
            report_broken(sheet, name, failure, canary, gated=fifo)
            continue
        stats = seen["stats"]
        cycles = int(stats["count"])
        facts: dict[str, Any] = {
            "n": cycles,
            "discarded": len(canary.stalls),
            "foreign_cpu_pct": 100.0 * canary.foreign,
            "latency": True,
        }
        missed = 1e3 * stats["missed"] / max(cycles, 1)
        sheet.report(f"{name}.missed_per_1000", missed, "<= 1" if fifo else None, **facts)
        sheet.report(f"{name}.error_cycles", stats["error"], "== 0.0" if fifo else None, **facts)
        sheet.report(f"{name}.busy_mean_us", 1e6 * stats["busy_mean"], None, **facts)
