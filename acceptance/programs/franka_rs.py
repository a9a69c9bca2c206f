"""What the bars let franka-rs do: `franka_rs.py HOST TASK [ARGUMENT ...]`, in its environment.

Prints the figures as JSON on its last line. LOOP_FIFO is the FIFO priority of its loop, 0 for
ordinary scheduling.
"""

import json
import math
import os
import sys
import time
from typing import Any

import franka
import numpy as np
from shared_reading import age_after_pause, fresh, timed_states

HOST = sys.argv[1]
FIFO = int(os.environ.get("LOOP_FIFO", "0")) or None

# Its documented default gains of the impedance backends.
CARTESIAN_GAINS = (750.0, 750.0, 750.0, 15.0, 15.0, 15.0)
JOINT_GAINS = (40.0, 30.0, 50.0, 25.0, 35.0, 25.0, 10.0)


def connect() -> Any:
    robot = franka.Robot(HOST, realtime="ignore")
    policy = os.SCHED_FIFO if FIFO else os.SCHED_OTHER
    os.sched_setscheduler(0, policy, os.sched_param(FIFO or 0))
    return robot


def quiet(robot: Any) -> Any:
    """Thresholds that no motion here meets."""
    robot.set_collision_behavior_simple([100.0] * 7, [100.0] * 7, [100.0] * 6, [100.0] * 6)
    return robot


def milliseconds(state: Any) -> int:
    return round(1e3 * state.time) if isinstance(state.time, float) else int(state.time)


def mode(state: Any) -> str:
    return str(state.robot_mode).rsplit(".", 1)[-1].lower()


def versions() -> Any:
    robot = connect()
    return {"fci": robot.fci_version, "server": robot.server_version}


def read(count: str) -> Any:
    return timed_states(connect(), int(count), milliseconds)


def idle_age(seconds: str) -> Any:
    return age_after_pause(connect(), float(seconds), milliseconds)


def poses(count: str) -> Any:
    """The model's end effector beside the state's, one after each line that is printed."""
    robot = connect()
    model = robot.model()
    worst = 0.0
    for _ in range(int(count)):
        sys.stdout.write("next\n")
        sys.stdout.flush()
        state = robot.read_once()
        ours = np.asarray(model.pose("ee", state.q, state.F_T_EE))
        worst = max(worst, float(np.abs(ours - np.asarray(state.O_T_EE)).max()))
    return {"worst": worst}


def to_and_fro(seconds: str) -> Any:
    """Move to and fro by the impedance controller, as our client does under load."""
    robot = quiet(connect())
    with robot.cartesian_targets(backend="impedance", realtime_priority=FIFO) as arm:
        home = np.asarray(arm.target())[:3]
        begun, sign = time.monotonic(), 1.0
        while time.monotonic() - begun < float(seconds):
            arm.move_to(list(home + sign * np.array([0.04, 0.03, 0.02])))
            sign = -sign
            time.sleep(0.7)
    return {"turns": 0}


def cartesian(backend: str, step: str = "0.05", seconds: str = "3") -> Any:
    """A6.1, A6.2: a step in x; where it lands against the target, and how far beyond it goes."""
    robot = quiet(connect())
    size, wait = float(step), float(seconds)
    with robot.cartesian_targets(backend=backend, realtime_priority=FIFO) as arm:
        time.sleep(0.5)
        start = np.asarray(arm.state().O_T_EE)[:3, 3].copy()
        first = milliseconds(arm.state())
        arm.move_by([size, 0.0, 0.0])
        over, last, seen, success = 0.0, first, [], []
        while last - first < 1e3 * wait:
            time.sleep(0.002)
            state = arm.state()
            last = milliseconds(state)
            moved = np.asarray(state.O_T_EE)[:3, 3] - start
            over = max(over, 1e3 * math.copysign(1.0, size) * (moved[0] - size))
            success.append(state.control_command_success_rate)
            if last - first > 1e3 * (wait - 0.3):
                seen.append(moved)
        end = np.mean(seen, axis=0) - [size, 0.0, 0.0]
        felt = felt_error(robot.model(), arm.state()) if backend == "impedance" else 0.0
    idle = fresh(robot)
    return {
        "land_mm": 1e3 * float(np.linalg.norm(end)),
        "over_mm": over,
        "success_min": min(success[100:]),
        "felt_mm": felt,
        "mode": mode(idle),
    }


def felt_error(model: Any, state: Any) -> float:
    """How far the springs of the default gains are stretched by the torque that is left, mm."""
    jacobian = np.asarray(model.zero_jacobian("flange", state.q))
    felt = jacobian.T @ np.diag(CARTESIAN_GAINS) @ jacobian + np.diag(JOINT_GAINS)
    stretch = jacobian[:3] @ np.linalg.solve(felt, np.asarray(state.tau_J_d))
    return 1e3 * float(np.linalg.norm(stretch))


def joints(backend: str, seconds: str = "4") -> Any:
    """A6.3: 0.1 rad on joint 4."""
    robot = quiet(connect())
    with robot.joint_targets(backend=backend, realtime_priority=FIFO) as arm:
        time.sleep(0.3)
        goal = np.asarray(arm.target()) + 0.1 * np.eye(7)[3]
        arm.move_to(goal)
        time.sleep(float(seconds))
        q = np.asarray(arm.state().q)
    return {"error_rad": float(np.abs(q - goal).max()), "mode": mode(fresh(robot))}


def circle() -> Any:
    """A6.4: a circle of 4 cm as a chunk of 50 poses at 20 ms."""
    robot = quiet(connect())
    radius, rows, dt = 0.04, 50, 0.02
    budget = {"max_velocity": 1.0, "max_acceleration": 5.0, "max_jerk": 200.0}
    with robot.cartesian_targets(backend="robot", realtime_priority=FIFO, **budget) as arm:
        time.sleep(0.3)
        start = np.asarray(arm.target())[:3]
        centre = start - [radius, 0.0, 0.0]
        angles = np.linspace(0.0, 2.0 * np.pi, rows)
        chunk = centre + radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(rows)], axis=1)
        arm.follow(chunk, dt)
        far, begun = 0.0, time.perf_counter()
        while time.perf_counter() - begun < rows * dt + 1.5:
            time.sleep(0.004)
            p = np.asarray(arm.state().O_T_EE)[:3, 3] - centre
            off = math.hypot(math.hypot(p[0], p[1]) - radius, p[2])
            far = max(far, off)
    return {"circle_mm": 1e3 * far, "mode": mode(fresh(robot))}


def soak(backend: str, seconds: str) -> Any:
    """A10: a step there and back every 2 s; the error of each landing, mm (joints: mrad)."""
    robot = quiet(connect())
    lands, success = [], 1.0
    joint = backend == "joint"
    targets = (
        robot.joint_targets(backend="robot", realtime_priority=FIFO)
        if joint
        else robot.cartesian_targets(backend=backend, realtime_priority=FIFO)
    )
    step = 0.1 * np.eye(7)[3] if joint else np.array([0.05, 0.0, 0.0])
    with targets as arm:
        time.sleep(0.5)
        begun = time.perf_counter()
        first = last = milliseconds(arm.state())
        while time.perf_counter() - begun < float(seconds):
            arm.move_by(step)
            time.sleep(2.0)
            step = -step
            state = arm.state()
            success = min(success, state.control_command_success_rate)
            goal = np.asarray(arm.target())
            at = np.asarray(state.q) if joint else np.asarray(state.O_T_EE)[:3, 3]
            lands.append(1e3 * float(np.linalg.norm(at - goal[: len(at)])))
            last = milliseconds(state)
        passed = time.perf_counter() - begun
    return {
        "lands_mm": lands,
        "states": last - first,
        "wall_s": passed,
        "success_min": success,
        "mode": mode(fresh(robot)),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
