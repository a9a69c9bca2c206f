"""What the bars let panda-python (libfranka 0.9.2) do: `panda.py HOST TASK`, in its environment.

Prints the figures as JSON on its last line.
"""

import json
import sys
import time
from typing import Any

import numpy as np
import panda_py
from panda_py import libfranka

HOST = sys.argv[1]


def connect() -> Any:
    return libfranka.Robot(HOST, libfranka.RealtimeConfig.kIgnore)


def mode(state: Any) -> str:
    return str(state.robot_mode).rsplit(".", 1)[-1].removeprefix("k")


def read_one() -> Any:
    return {"mode": mode(connect().read_once())}


def model() -> Any:
    """A2.3: the download of a model library is answered."""
    begun = time.monotonic()
    try:
        connect().load_model()
        said = "loaded"
    except RuntimeError as problem:
        said = str(problem)
    return {"said": said, "seconds": time.monotonic() - begun}


def moves() -> Any:
    """A7.3: its own motions, judged by itself, and its log."""
    panda = panda_py.Panda(HOST)
    panda.set_default_behavior()
    panda.enable_logging(20_000)
    started = panda.move_to_start(speed_factor=0.3)
    first = np.array(panda.get_pose())
    goal = first.copy()
    goal[0, 3] += 0.05
    moved = panda.move_to_pose(goal, speed_factor=0.3)
    reached = np.array(panda.get_pose())
    times = np.array(panda.get_log()["time"], dtype=float)
    steps = np.diff(times)
    return {
        "started": bool(started),
        "moved": bool(moved),
        "error_m": float(np.linalg.norm(reached[:3, 3] - goal[:3, 3])),
        "cycles": len(times),
        "gaps": int((steps[steps > 0.0] > 1.5 * np.median(steps)).sum()),
    }


def teach() -> Any:
    """A7.3: the teaching mode holds an arm that nobody pushes."""
    panda = panda_py.Panda(HOST)
    panda.set_default_behavior()
    begun = np.array(panda.q)
    panda.teaching_mode(True)
    time.sleep(2.0)
    moved = float(np.abs(np.array(panda.get_state().q) - begun).max())
    panda.teaching_mode(False)
    return {"moved": moved, "mode": mode(panda.get_robot().read_once())}


def elbow() -> Any:
    """A4.6: a Cartesian motion that swings the elbow, and torques beside a generator."""
    robot = connect()
    robot.set_collision_behavior(*[[100.0] * 7] * 4, *[[100.0] * 6] * 4)
    first = robot.read_once()
    swung = 0.0
    clock = {"t": 0.0}

    def pose(state: Any, step: Any) -> Any:
        nonlocal swung
        clock["t"] += step.to_sec()
        share = 0.5 * (1.0 - np.cos(2.0 * np.pi * min(clock["t"] / 4.0, 1.0)))
        swung = max(swung, abs(state.elbow[0] - first.elbow[0]))
        command = libfranka.CartesianPose(
            list(first.O_T_EE_c), [first.elbow[0] + 0.05 * share, first.elbow[1]]
        )
        command.motion_finished = clock["t"] >= 4.0
        return command

    robot.control_cartesian_pose(pose, libfranka.ControllerMode.kJointImpedance, True, 1000.0)
    last = robot.read_once()
    return {
        "swung": swung,
        "end_q": float(np.abs(np.array(last.q) - np.array(first.q)).max()),
        "end_m": float(np.abs(np.array(last.O_T_EE)[12:15] - np.array(first.O_T_EE)[12:15]).max()),
        "mode": mode(last),
    }


def both() -> Any:
    """A4.6: joint velocities with torques beside them, 0.2 rad/s for a quarter of a second."""
    robot = connect()
    robot.set_collision_behavior(*[[100.0] * 7] * 4, *[[100.0] * 6] * 4)
    first = robot.read_once()
    cycles = {"torque": 0, "motion": 0}
    t = [0.0]

    def torque(state: Any, _step: Any) -> Any:
        cycles["torque"] += 1
        law = [
            200.0 * (d - q) + 20.0 * (dd - dq)
            for d, q, dd, dq in zip(state.q_d, state.q, state.dq_d, state.dq, strict=True)
        ]
        return libfranka.Torques(law)

    def motion(_state: Any, step: Any) -> Any:
        cycles["motion"] += 1
        t[0] += step.to_sec()
        speed = 0.2 * np.sin(np.pi * min(t[0], 2.0))
        command = libfranka.JointVelocities([0.0, 0.0, 0.0, speed, 0.0, 0.0, 0.0])
        command.motion_finished = t[0] >= 2.0
        return command

    robot.control_torque_joint_velocity(torque, motion, True, 1000.0)
    last = robot.read_once()
    return {
        **cycles,
        "end_q": float(np.abs(np.array(last.q) - np.array(first.q)).max()),
        "mode": mode(last),
    }


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[2]](*sys.argv[3:])) + "\n")
