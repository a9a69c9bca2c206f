"""A real libfranka as the bars use it: connected, its loop at a chosen priority, one motion.

The programs beside it are started as `PROGRAM.py HOST TASK [ARGUMENT ...]` and print figures as
JSON on their last line. The variable LOOP_FIFO is the FIFO priority of the loop, 0 for ordinary
scheduling; libfranka raises its thread by itself when it may, which is taken back here.
"""

import json
import math
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import pylibfranka as fr

HOST = sys.argv[1]
JOINT, CARTESIAN = fr.ControllerMode.JointImpedance, fr.ControllerMode.CartesianImpedance
# Cycles before the success rate says something: it is the share of the last 100.
SETTLED = 100


def connect() -> Any:
    robot = fr.Robot(HOST, fr.RealtimeConfig.kIgnore)
    fifo = int(os.environ.get("LOOP_FIFO", "0"))
    policy = os.SCHED_FIFO if fifo else os.SCHED_OTHER
    os.sched_setscheduler(0, policy, os.sched_param(fifo))
    return robot


def quiet(robot: Any) -> Any:
    """No reflex left over, and thresholds that no motion here meets."""
    if mode(robot.read_once()) != "Idle":
        robot.automatic_error_recovery()
    robot.set_collision_behavior([100.0] * 7, [100.0] * 7, [100.0] * 6, [100.0] * 6)
    return robot


def flags(errors: Any) -> list[str]:
    names = [n for n in dir(errors) if not n.startswith("_") and n != "to_string"]
    return sorted(n for n in names if getattr(errors, n) is True)


def mode(state: Any) -> str:
    return str(state.robot_mode).rsplit(".", 1)[-1].removeprefix("k")


def milliseconds(state: Any) -> int:
    seconds: float = state.time.to_sec()
    return round(1e3 * seconds)


def attempt(call: Callable[[], None]) -> str:
    """Empty if the call is taken, else kind and text of the exception."""
    try:
        call()
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


class Motion:
    """One motion of a generator; what was seen in each of its cycles.

    Args:
        control: What a `start_*_control` has returned.
    """

    def __init__(self, control: Any) -> None:
        self.control = control
        self.first, _ = control.readOnce()
        self.state = self.first
        self.t = 0.0
        self.cycles = 0
        self.success: list[float] = []
        self.clock: list[tuple[float, float]] = []

    def cycle(self, command: Callable[[float, Any], Any]) -> Any:
        """Read a state and answer it."""
        self.state, step = self.control.readOnce()
        came = time.perf_counter()
        self.t += step.to_sec()
        self.cycles += 1
        if self.cycles > SETTLED:
            self.success.append(self.state.control_command_success_rate)
        self.control.writeOnce(command(self.t, self.state))
        self.clock.append((1e6 * came, 1e6 * (time.perf_counter() - came)))
        return self.state

    def finish(self, command: Any) -> None:
        command.motion_finished = True
        self.control.writeOnce(command)

    def figures(self) -> dict[str, Any]:
        return {
            "cycles": self.cycles,
            "success_min": min(self.success, default=None),
            "success_mean": sum(self.success) / max(len(self.success), 1),
            "success": self.success,
            "at_us": [a for a, _ in self.clock],
            "compute_us": [b for _, b in self.clock],
        }


def wave(t: float, duration: float, size: float) -> float:
    """There and back: from 0 to `size` and to 0 again."""
    return 0.5 * size * (1.0 - math.cos(2.0 * math.pi * min(t, duration) / duration))


def gap(a: Sequence[float], b: Sequence[float]) -> float:
    return max(abs(x - y) for x, y in zip(a, b, strict=True))


def short_motion(robot: Any) -> str:
    """A motion of 20 cycles; the mode after it, or what went wrong."""
    try:
        motion = Motion(robot.start_joint_position_control(JOINT))
        hold = fr.JointPositions(list(motion.first.q_d))
        for _ in range(20):
            motion.cycle(lambda _t, _s: hold)
        motion.finish(hold)
        return mode(robot.read_once())
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


def run_task(tasks: dict[str, Any]) -> None:
    """Do the task that the command line names and print what it returns."""
    sys.stdout.write(json.dumps(tasks[sys.argv[2]](*sys.argv[3:])) + "\n")
