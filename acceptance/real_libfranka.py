"""A0 to A5: what a real libfranka finds at our simulated robot."""

import signal
import statistics
import sys
import time
from typing import Any

import numpy as np
from bars import Sheet
from canary import Canary
from children import PROGRAMS, Child, ProgramError, run_program, sockets_of
from peers import python_of
from simulator import CLIENT_FIFO, SERVER_HOST, simulator

__all__ = ["connecting", "motions", "reading", "reflexes"]

# Functional bars are judged at any load: there the robot's clock waits for its client.
LOCKSTEP = ("--lockstep", "0.2")
SHORT_S, LONG_S = 60.0, 120.0
# A stall that can cost 20 cycles in a row.
STALL_MS = 10
CONNECTS, STATES, KILLS = 50, 5000, 3
COMMUNICATION = "communication_constraints_violation"
READING = (
    "connects",
    "refused",
    "read",
    "idle_age",
    "one_state",
    "load_model",
    "at_rest",
    "models",
    "setters",
)
REFLEXES = ("provoked", "joint_limit", "injected", "lossy")
TASKS = {**dict.fromkeys(READING, "reading"), **dict.fromkeys(REFLEXES, "reflexes")}
LIMIT_ERRORS = {
    "joint_step": ("joint_motion_generator_velocity_discontinuity",),
    "twist_step": ("cartesian_motion_generator_acceleration_discontinuity",),
    "torque_step": ("controller_torque_discontinuity",),
    "pose_step": ("cartesian_motion_generator_velocity_discontinuity",),
    "joint_limit": (
        "joint_motion_generator_velocity_limits_violation",  # the envelope closes at the limit
        "joint_position_limits_violation",
    ),
    "joint_start": ("joint_position_motion_generator_start_pose_invalid",),
    "pose_start": ("cartesian_position_motion_generator_start_pose_invalid",),
}


def libfranka(task: str, *arguments: str, limit_s: float = SHORT_S, fifo: bool = False) -> Any:
    """Let a real libfranka do a task of one of its programs."""
    priority = CLIENT_FIFO if fifo else None
    program = f"libfranka_{TASKS.get(task, 'motions')}"
    return run_program(
        sys.executable, program, SERVER_HOST, task, *arguments, limit_s=limit_s, fifo=priority
    )


def rust(task: str, *arguments: str, limit_s: float = SHORT_S, fifo: bool = False) -> Any:
    """Let franka-rs do a task of `programs/franka_rs.py`."""
    priority = CLIENT_FIFO if fifo else None
    python = python_of("v10")
    return run_program(
        python, "franka_rs", SERVER_HOST, task, *arguments, limit_s=limit_s, fifo=priority
    )


def connecting(sheet: Sheet) -> None:
    """A0: connecting, versions, and that nothing binds a wildcard address."""
    with simulator() as robot:
        taken = libfranka("connects", str(CONNECTS))["ms"]
        sheet.report("A0.1.connect_ms", max(taken), "< 100", n=len(taken))
        after = [connect_after_kill() for _ in range(KILLS)]
        sheet.report("A0.1.connect_after_kill_ms", max(after), "< 100", n=KILLS)
        seen = rust("versions")
        sheet.report("A0.2.fci_version", seen["fci"], "== 10")
        sheet.report("A0.2.server_version", seen["server"], "== 10")
        bound = [text for text in sockets_of(robot.pid) if SERVER_HOST not in text]
        sheet.report("A0.foreign_sockets", len(bound), "== 0", note=", ".join(bound))
    with simulator(fci=5):
        text = libfranka("refused")["text"]
        sheet.report("A0.3.names_version_5", "server version: 5" in text, "== True")
        sheet.report("A0.4.rust_fci_version", rust("versions")["fci"], "== 5")
        state = run_program(python_of("v5"), "panda", SERVER_HOST, "read_one", limit_s=SHORT_S)
        sheet.report("A0.4.panda_mode", state["mode"], "== Idle")


def connect_after_kill() -> float:
    """Kill a client in its motion and connect the next at once; how long that took, ms."""
    program = str(PROGRAMS / "libfranka_motions.py")
    with Child([sys.executable, program, SERVER_HOST, "hold_until_killed"]) as client:
        client.wait_for("moving", SHORT_S)
        time.sleep(0.3)
        client.end(signal.SIGKILL)
    taken: float = libfranka("connects", "1")["ms"][0]
    return taken


def reading(sheet: Sheet) -> None:
    """A1: rate and age of the states."""
    for fifo in (False, True):
        with simulator(fifo=fifo):
            for name, client in (("libfranka", libfranka), ("rust", rust)):
                with Canary() as canary:
                    seen = client("read", str(STATES), fifo=fifo)
                report_stream(sheet, f"{name}.{how(fifo)}", seen, canary, gated=fifo)
            if not fifo:
                for name, client in (("libfranka", libfranka), ("rust", rust)):
                    sheet.report(f"A1.4.{name}.age_after_2_s_ms", client("idle_age", "2")["age_ms"])


def how(fifo: bool) -> str:
    """Name of a scheduling mode in the names of bars."""
    return "fifo" if fifo else "ordinary"


def report_stream(sheet: Sheet, name: str, seen: Any, canary: Canary, gated: bool) -> None:
    """Rate, gaps and intervals of a stream of states."""
    at, ms = np.array(seen["at_us"]), np.array(seen["ms"])
    steps, gaps = np.diff(at), np.diff(ms)
    kept = canary.outside(1e3 * at[:-1], 1e3 * at[1:])
    facts: dict[str, Any] = {
        "n": len(steps),
        "discarded": int((~kept).sum()),
        "foreign_cpu_pct": 100.0 * canary.foreign,
        "latency": True,
    }
    rate = 1e6 * len(steps) / (at[-1] - at[0])
    single = 100.0 * float((gaps[kept] == 1).mean())
    sheet.report(f"A1.1.{name}.rate_Hz", rate, "995 to 1005" if gated else None, **facts)
    sheet.report(f"A1.1.{name}.steps_of_1_ms_pct", single, ">= 99.9" if gated else None, **facts)
    p99 = 1e-3 * float(np.percentile(steps[kept], 99.0))
    sheet.report(f"A1.1.{name}.interval_p99_ms", p99, "<= 1.3" if gated else None, **facts)


MOTIONS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("A4.1", "joint_position", "10", {"peak": "< 0.01", "end_q": "<= 0.001"}),
    ("A4.2", "joint_velocity", "5", {"end_q": "<= 0.002"}),
    ("A4.3", "cartesian_pose", "5", {"peak": "< 0.0005", "end_m": "<= 0.0001"}),
    ("A4.4", "cartesian_velocity", "5", {"end_m": "<= 0.0005", "end_q": "<= 0.002"}),
    ("A4.5", "torque", "10", {"peak": "< 0.005", "steady": "< 0.005"}),
)
UNITS = {"peak": "peak_rad", "end_q": "end_rad", "end_m": "end_m", "steady": "steady_rad"}


def motions(sheet: Sheet) -> None:
    """A4: motions of every kind.

    In lockstep with the limits enforced and not; then in real time, where the success rate of the
    FIFO run is judged.
    """
    for options in ((), ("--no-enforce",)):
        with simulator(*LOCKSTEP, *options):
            for bar, task, seconds, limits in MOTIONS:
                if sheet.wants(bar):
                    suffix = "free" if options else "enforced"
                    report_motion(sheet, f"{bar}.{suffix}", libfranka(task, seconds), limits, {})
            if sheet.wants("A4.6"):
                other_controller(sheet, "free" if options else "enforced")
    for fifo in (False, True):
        with simulator(fifo=fifo):
            for bar, task, seconds, limits in MOTIONS:
                if sheet.wants(bar):
                    in_real_time(sheet, bar, task, seconds, limits, fifo)
    with simulator(*LOCKSTEP) as robot:
        if sheet.wants("A4.7"):
            modes = libfranka("many_motions", "200", limit_s=LONG_S)["modes"]
            sheet.report("A4.7.idle_after_motion", modes.count("Idle"), "== 200", n=len(modes))
        if sheet.wants("A4.8"):
            seen = libfranka("stopped")
            sheet.report("A4.8.preempted", "preempted" in seen["text"], "== True")
            sheet.report("A4.8.mode_after", seen["mode"], "== Idle")
        sheet.report("A4.server_rss_MB", robot.rss_mb())


def other_controller(sheet: Sheet, suffix: str) -> None:
    """A4.6: Cartesian motions with the joint impedance controller."""
    seen = libfranka("cartesian_pose", "5", "joint")
    report_motion(sheet, f"A4.6.pose.{suffix}", seen, MOTIONS[2][3], {})
    seen = libfranka("cartesian_velocity", "5", "joint")
    report_motion(sheet, f"A4.6.twist.{suffix}", seen, MOTIONS[3][3], {})


def report_motion(
    sheet: Sheet, name: str, seen: Any, limits: dict[str, str], facts: dict[str, Any]
) -> None:
    """Errors of a motion that comes back to its start."""
    facts = {"n": seen["cycles"], **facts}
    for figure, limit in limits.items():
        pose = figure == "peak" and name.startswith(("A4.3", "A4.6"))
        unit = "peak_m" if pose else UNITS[figure]
        sheet.report(f"{name}.{unit}", seen[figure], limit, **facts)
    sheet.report(f"{name}.mode_after", seen["mode"], "== Idle", **facts)


def in_real_time(
    sheet: Sheet, bar: str, task: str, seconds: str, limits: dict[str, str], fifo: bool
) -> None:
    """One motion in real time: success rate, computing time and errors."""
    name = f"{bar}.{how(fifo)}"
    seen, failure = None, ""
    with Canary() as canary:
        try:
            seen = libfranka(task, seconds, fifo=fifo)
        except ProgramError as problem:
            failure = str(problem)
    facts: dict[str, Any] = {"foreign_cpu_pct": 100.0 * canary.foreign, "latency": True}
    if seen is None:
        report_broken(sheet, name, failure, canary, gated=fifo)
        return
    at = np.array(seen["at_us"])
    success = np.array(seen["success"])
    spoilt = ~canary.outside(1e3 * (at[-len(success) :] - 1e5), 1e3 * at[-len(success) :])
    facts["n"] = len(success)
    facts["discarded"] = int((~canary.outside(1e3 * at)).sum())
    worst = float(success[~spoilt].min(initial=1.0))
    gated = fifo and bar == "A4.1"  # the only motion whose bar names it
    sheet.report(f"{name}.success_min", worst, ">= 0.99" if gated else None, **facts)
    sheet.report(f"{name}.success_mean", float(success.mean()), None, **facts)
    median = statistics.median(seen["compute_us"])
    sheet.report(f"{name}.compute_p50_us", median, None, **facts)
    if fifo:
        report_motion(sheet, name, seen, limits, facts)


def report_broken(sheet: Sheet, name: str, why: str, canary: Canary, gated: bool) -> None:
    """A run in real time that was ended: inconclusive if the machine stood still long enough.

    Losing 20 cycles in a row ends a motion. They need not all lie in the stall itself.
    """
    stood = int(1e-6 * float(np.ptp(canary.stalls, axis=1).max(initial=0)))
    lines = [line for line in why.strip().splitlines() if line.strip()]
    note = f"{lines[-1][-300:] if lines else 'it said nothing'}; longest stall {stood} ms"
    limit = "== True" if gated else None
    sheet.report(
        f"{name}.ran",
        False,
        limit,
        discarded=int(stood >= STALL_MS),
        foreign_cpu_pct=100.0 * canary.foreign,
        latency=True,
        note=note,
    )


def reflexes(sheet: Sheet) -> None:
    """A5: what the robot does not follow, lost commands, and what happens to it by itself."""
    with simulator("--lockstep", "0.05"):
        for kind, names in LIMIT_ERRORS.items():
            task = ("joint_limit",) if kind == "joint_limit" else ("provoked", kind)
            report_reflex(sheet, f"A5.1.{kind}", libfranka(*task), names)
        for lost in (19, 20):
            seen = libfranka("lossy", str(lost))
            ended = COMMUNICATION in seen["text"]
            sheet.report(f"A5.2.lost_{lost}.ended", ended, f"== {lost == 20}")
            if lost == 19:
                sheet.report("A5.2.lost_19.success_min", seen["success_min"], "0.75 to 0.82")
    expected = {
        "reflex": ("Reflex", "aborted by reflex", "Idle"),
        "user-stop": ("UserStopped", "User Stop pressed", ""),
        "collision": ("Reflex", "aborted by reflex", "Idle"),
    }
    for what, (mode, words, motion) in expected.items():
        with simulator("--lockstep", "0.05", "--inject", f"{what}@2s"):
            seen = libfranka("injected")
        sheet.report(f"A5.3.{what}.mode", seen["mode"], f"== {mode}")
        sheet.report(f"A5.3.{what}.said", words in seen["text"], "== True", note=seen["text"])
        sheet.report(f"A5.3.{what}.at_s", seen["at_s"], "1.99 to 2.05")
        sheet.report(f"A5.3.{what}.refused_until_recovery", bool(seen["refused"]), "== True")
        if motion:
            sheet.report(f"A5.3.{what}.motion_after_recovery", seen["motion"], f"== {motion}")


def report_reflex(sheet: Sheet, name: str, seen: Any, names: tuple[str, ...]) -> None:
    """One reflex: its name, how soon it came, and what it takes to go on."""
    right = len(seen["errors"]) == 1 and seen["errors"][0] in names
    sheet.report(f"{name}.right_error", right, "== True", note=", ".join(seen["errors"]))
    sheet.report(f"{name}.named_by_libfranka", seen["errors"][0] in seen["text"], "== True")
    sheet.report(f"{name}.cycles", seen["cycles"], "<= 5")
    sheet.report(f"{name}.mode", seen["mode"], "== Reflex")
    sheet.report(f"{name}.refused", "not possible" in seen["refused"], "== True")
    sheet.report(f"{name}.motion_after_recovery", seen["motion"], "== Idle")
