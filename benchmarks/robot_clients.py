"""The loops that are timed, each as a process of its own: `robot_clients.py KIND HOST SECONDS ...`.

All torque loops compute the same: a spring to the start and a torque that goes to and fro, at
another rate in each joint, so that nearly always at least four of them move. What is known of each
cycle goes into the file that is named; pylibfranka has nothing to tell.
"""

import argparse
import math
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["KINDS", "LOOP", "OVERHEADS", "PEER", "TARGETS"]

PEER = "pylibfranka"
LOOP = "compiled torques"
TARGETS = "Cartesian targets"
KINDS = (PEER, LOOP, "Python torques", TARGETS)
"""What is compared under every condition."""
RECORDED = ", recorded"
OVERHEADS = (
    LOOP + RECORDED,
    TARGETS + RECORDED,
    *(
        f"{how} {what}"
        for what in (
            "joint positions",
            "joint velocities",
            "Cartesian pose",
            "Cartesian velocities",
        )
        for how in ("compiled", "Python")
    ),
)
"""What is only timed by itself."""

SPRING, DAMPING, SWING = 40.0, 8.0, 3.0
RISE_S = 0.5
RATES = 2.0 * math.pi * (0.6 + 0.1 * np.arange(7))
PHASES = 0.9 * np.arange(7)
DRAIN_S = 2.0
MOVING, JOINTS_MOVING = 1e-3, 4


def main() -> None:
    """Run the loop that is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=(*KINDS, *OVERHEADS))
    parser.add_argument("host")
    parser.add_argument("seconds", type=float)
    parser.add_argument("out", type=Path)
    parser.add_argument("--priority", type=int)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--busy", action="store_true", help="a thread that computes in Python")
    options = parser.parse_args()
    stop = threading.Event()
    if options.busy:
        threading.Thread(target=_compute, args=(stop,), daemon=True).start()
    try:
        if options.kind == PEER:
            _run_peer(options)
        else:
            _run_ours(options)
    finally:
        stop.set()


def _compute(stop: threading.Event) -> None:
    total = 0
    while not stop.is_set():
        for i in range(10_000):
            total += i * i


def _raise_this_thread(options: argparse.Namespace) -> None:
    """What `Robot` does for its loop, for a loop that runs in this thread."""
    if options.cpu is not None:
        os.sched_setaffinity(0, {options.cpu})
    if options.priority is not None:
        flags = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, flags, os.sched_param(options.priority))


def _swinging(q: Any, dq: Any, start: Any, t: float) -> Any:
    return (
        SPRING * (start - np.asarray(q))
        - DAMPING * np.asarray(dq)
        + SWING * min(t / RISE_S, 1.0) * np.cos(RATES * t + PHASES)
    )


def _run_peer(options: argparse.Namespace) -> None:
    import pylibfranka

    robot = pylibfranka.Robot(options.host, pylibfranka.RealtimeConfig.kIgnore)
    _raise_this_thread(options)
    control = robot.start_torque_control()
    state, _ = control.readOnce()
    start, t = np.array(state.q), 0.0
    while True:
        command = pylibfranka.Torques(_swinging(state.q, state.dq, start, t).tolist())
        command.motion_finished = t >= options.seconds
        control.writeOnce(command)
        if command.motion_finished:
            return
        state, period = control.readOnce()
        t += period.to_sec()


def _run_ours(options: argparse.Namespace) -> None:
    from kinegraph.robot import Robot, warm_up

    warm_up()
    python = options.kind.startswith("Python")
    priority, cpu = (None, None) if python else (options.priority, options.cpu)
    with ExitStack() as stack:
        robot = stack.enter_context(Robot(options.host, loop_priority=priority, loop_cpu=cpu))
        stack.enter_context(_cycles_to(robot, options.out))
        if options.kind.endswith(RECORDED):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            stack.enter_context(robot.record(Path(folder) / "run.log"))
        if options.kind.startswith(TARGETS):
            _follow_targets(robot, options)
        else:
            _run_callback(robot, options, python=python)


def _run_callback(robot: Any, options: argparse.Namespace, *, python: bool) -> None:
    what = options.kind.removesuffix(RECORDED).split(" ", 1)[1]
    loop = getattr(robot, "control_" + what.lower().replace(" ", "_"))
    if not python:
        loop(_compiled(what, robot, options.seconds))
        return
    callback = _ordinary(what, robot, options.seconds)
    _raise_this_thread(options)
    loop(callback)


def _ordinary(what: str, robot: Any, seconds: float) -> Callable[[Any, float], Any]:
    from kinegraph import robot as door

    types = {
        "torques": door.Torques,
        "joint positions": door.JointPositions,
        "joint velocities": door.JointVelocities,
        "Cartesian pose": door.CartesianPose,
        "Cartesian velocities": door.CartesianVelocities,
    }
    kind: Any = types[what]
    begun = robot.read_once()
    start, pose = np.array(begun.q_d), np.array(begun.O_T_EE_c)
    t = 0.0

    def callback(state: Any, period_s: float) -> Any:
        nonlocal t
        t += period_s
        if what == "torques":
            numbers = _swinging(state.q, state.dq, start, t)
        elif what == "joint positions":
            numbers = start + 0.03 * (1.0 - np.cos(RATES * t))
        elif what == "joint velocities":
            numbers = 0.1 * np.sin(RATES * t)
        elif what == "Cartesian pose":
            numbers = pose.copy()
            numbers[12:15] += 0.02 * (1.0 - np.cos(RATES[:3] * t))
        else:
            numbers = np.concatenate([0.03 * np.sin(RATES[:3] * t), np.zeros(3)])
        command = kind(numbers)
        command.motion_finished = t >= seconds
        return command

    return callback


def _compiled(what: str, robot: Any, seconds: float) -> Any:
    """The same loops under numba; the fourth argument is what they remember."""
    import numba

    from kinegraph.robot.wire.state_layout import S_dq, S_q

    begun = robot.read_once()
    start, pose = np.array(begun.q_d), np.array(begun.O_T_EE_c)
    rates, phases = RATES, PHASES

    @numba.njit
    def torques(state: Any, period_s: float, out: Any, clock: Any) -> int:
        clock[0] += period_s
        for i in range(7):
            out[i] = (
                SPRING * (start[i] - state[S_q + i])
                - DAMPING * state[S_dq + i]
                + SWING * min(clock[0] / RISE_S, 1.0) * math.cos(rates[i] * clock[0] + phases[i])
            )
        return 1 if clock[0] >= seconds else 0

    @numba.njit
    def positions(state: Any, period_s: float, out: Any, clock: Any) -> int:
        clock[0] += period_s
        for i in range(7):
            out[i] = start[i] + 0.03 * (1.0 - math.cos(rates[i] * clock[0]))
        return 1 if clock[0] >= seconds else 0

    @numba.njit
    def velocities(state: Any, period_s: float, out: Any, clock: Any) -> int:
        clock[0] += period_s
        for i in range(7):
            out[i] = 0.1 * math.sin(rates[i] * clock[0])
        return 1 if clock[0] >= seconds else 0

    @numba.njit
    def poses(state: Any, period_s: float, out: Any, clock: Any) -> int:
        clock[0] += period_s
        for i in range(16):
            out[i] = pose[i]
        for i in range(3):
            out[12 + i] += 0.02 * (1.0 - math.cos(rates[i] * clock[0]))
        return 1 if clock[0] >= seconds else 0

    @numba.njit
    def twists(state: Any, period_s: float, out: Any, clock: Any) -> int:
        clock[0] += period_s
        for i in range(3):
            out[i] = 0.03 * math.sin(rates[i] * clock[0])
            out[3 + i] = 0.0
        return 1 if clock[0] >= seconds else 0

    return {
        "torques": torques,
        "joint positions": positions,
        "joint velocities": velocities,
        "Cartesian pose": poses,
        "Cartesian velocities": twists,
    }[what]


def _follow_targets(robot: Any, options: argparse.Namespace) -> None:
    from kinegraph.robot import CartesianOptions, SceneRobot

    settings = CartesianOptions(realtime_priority=options.priority, cpu=options.cpu)
    with SceneRobot(robot) as scene, scene.cartesian_targets(settings) as arm:
        start, end, move = arm.target(), time.monotonic() + options.seconds, 0
        while time.monotonic() < end:
            arm.set_position(start + np.array(((0.05, 0.03, 0.02), (0.0, 0.0, 0.0))[move % 2]))
            move += 1
            time.sleep(min(0.8, max(end - time.monotonic(), 0.0)))


@contextmanager
def _cycles_to(robot: Any, path: Path) -> Iterator[None]:
    """Keep what the loop noted of its cycles, and how many joints moved."""
    from kinegraph.robot.loop.loop_layout import CYCLE_FIELDS
    from kinegraph.robot.recording.form import row_dtype
    from kinegraph.robot.wire.state_layout import S_dq, S_time

    cycles, states = robot.link.loop.cycles.reader(), robot.states().reader
    rows: list[Any] = []
    seen: list[Any] = []
    done = threading.Event()

    def look() -> None:
        rows.append(cycles.read()[0])
        found = states.read()[0]
        moving = np.sum(np.abs(found[:, S_dq : S_dq + 7]) > MOVING, axis=1) >= JOINTS_MOVING
        seen.append(np.column_stack([found[:, S_time], moving]))

    def drain() -> None:
        while not done.wait(DRAIN_S):
            look()

    thread = threading.Thread(target=drain, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        look()
        table = np.ascontiguousarray(np.concatenate(rows)).view(row_dtype(CYCLE_FIELDS))[:, 0]
        moved = np.concatenate(seen)
        moved_ids = moved[moved[:, 1] > 0.0, 0]
        np.savez(
            path,
            received_ns=table["received_ns"],
            sent_ns=table["sent_ns"],
            compute_ns=table["compute_ns"],
            moving=np.isin(table["state_id"], moved_ids),
        )


if __name__ == "__main__":
    main()
