"""Motions of every kind by a real libfranka: A4.

Prints the figures as JSON on its last line, see `libfranka_client`.
"""

import math
import sys
import threading
from collections.abc import Callable
from typing import Any

import pylibfranka as fr
from libfranka_client import (
    CARTESIAN,
    JOINT,
    Motion,
    attempt,
    connect,
    gap,
    mode,
    quiet,
    run_task,
    wave,
)
from shared_reading import fresh

KP = (600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 50.0)
KD = (50.0, 50.0, 50.0, 50.0, 30.0, 25.0, 15.0)


def there_and_back(
    robot: Any, motion: Motion, duration: float, command: Callable[[float, Any], Any],
    error: Callable[[Any], float],
) -> dict[str, Any]:  # fmt: skip
    """Run a motion whose last command is the first again; figures with the errors at the end."""
    peak = 0.0
    while motion.t < duration:
        peak = max(peak, error(motion.cycle(command)))
    motion.finish(command(duration, motion.state))
    last = fresh(robot)
    return {
        **motion.figures(),
        "peak": peak,
        "end_q": gap(last.q, motion.first.q),
        "end_m": gap(last.O_T_EE[12:15], motion.first.O_T_EE[12:15]),
        "mode": mode(last),
    }


def joint_position(seconds: str = "10") -> Any:
    """A4.1: 0.2 rad on joints 4, 5 and 7."""
    robot, duration = quiet(connect()), float(seconds)
    motion = Motion(robot.start_joint_position_control(JOINT))
    start = list(motion.first.q_d)

    def command(t: float, _state: Any) -> Any:
        angle = wave(t, duration, 0.2)
        return fr.JointPositions([q + angle * (i in (3, 4, 6)) for i, q in enumerate(start)])

    return there_and_back(robot, motion, duration, command, lambda s: gap(s.q, s.q_d))


def joint_velocity(seconds: str = "5") -> Any:
    """A4.2: a whole sine on all joints."""
    robot, duration = quiet(connect()), float(seconds)
    motion = Motion(robot.start_joint_velocity_control(JOINT))

    def command(t: float, _state: Any) -> Any:
        speed = 0.15 * math.sin(2.0 * math.pi * min(t, duration) / duration)
        return fr.JointVelocities([speed] * 7)

    return there_and_back(robot, motion, duration, command, lambda s: gap(s.q, s.q_d))


def cartesian_pose(seconds: str = "5", controller: str = "cartesian") -> Any:
    """A4.3: 5 cm in x."""
    robot, duration = quiet(connect()), float(seconds)
    chosen = CARTESIAN if controller == "cartesian" else JOINT
    motion = Motion(robot.start_cartesian_pose_control(chosen))
    start = list(motion.first.O_T_EE_c)

    def command(t: float, _state: Any) -> Any:
        values = list(start)
        values[12] += wave(t, duration, 0.05)
        return fr.CartesianPose(values)

    def error(state: Any) -> float:
        return gap(state.O_T_EE[12:15], state.O_T_EE_c[12:15])

    return there_and_back(robot, motion, duration, command, error)


def cartesian_velocity(seconds: str = "5", controller: str = "cartesian") -> Any:
    """A4.4: a whole sine in x and about z."""
    robot, duration = quiet(connect()), float(seconds)
    chosen = CARTESIAN if controller == "cartesian" else JOINT
    motion = Motion(robot.start_cartesian_velocity_control(chosen))

    def command(t: float, _state: Any) -> Any:
        share = math.sin(2.0 * math.pi * min(t, duration) / duration)
        return fr.CartesianVelocities([0.04 * share, 0.0, 0.0, 0.0, 0.0, 0.1 * share])

    return there_and_back(robot, motion, duration, command, lambda s: 0.0)


def torque(seconds: str = "10") -> Any:
    """A4.5: joint PD in Python to 0.1 rad on joint 4, with libfranka's Coriolis torques."""
    robot, duration = quiet(connect()), float(seconds)
    model = robot.load_model()
    motion = Motion(robot.start_torque_control())
    start = list(motion.first.q)
    goal = list(start)

    def command(t: float, state: Any) -> Any:
        goal[3] = start[3] + wave(t, duration, 0.1)
        bias = model.coriolis(state)
        law = zip(KP, KD, goal, state.q, state.dq, bias, strict=True)
        return fr.Torques([p * (g - q) - d * v + c for p, d, g, q, v, c in law])

    figures = there_and_back(robot, motion, duration, command, lambda s: gap(s.q, goal))
    return {**figures, "steady": figures["end_q"]}


def many_motions(count: str) -> Any:
    """A4.7: short motions one after the other on one connection."""
    robot = quiet(connect())
    modes = []
    for _ in range(int(count)):
        motion = Motion(robot.start_joint_position_control(JOINT))
        for _ in range(5):
            motion.cycle(lambda _t, state: fr.JointPositions(list(state.q_d)))
        motion.finish(fr.JointPositions(list(motion.state.q_d)))
        modes.append(mode(robot.read_once()))
    return {"modes": modes}


def stopped() -> Any:
    """A4.8: stop from a second thread during a motion."""
    robot = quiet(connect())
    motion = Motion(robot.start_joint_position_control(JOINT))
    hold = fr.JointPositions(list(motion.first.q_d))
    refused_stop: list[str] = []
    stopper = threading.Timer(0.3, lambda: refused_stop.append(attempt(robot.stop)))
    stopper.start()
    text = ""
    try:
        while motion.cycles < 5000:
            motion.cycle(lambda _t, _s: hold)
    except fr.ControlException as problem:
        text = str(problem)
    stopper.join(10.0)
    return {"text": text, "stop": refused_stop, "mode": mode(robot.read_once())}


def hold_until_killed() -> Any:
    """A joint motion that goes on until somebody kills this process."""
    robot = quiet(connect())
    control = robot.start_joint_position_control(JOINT)
    state, _ = control.readOnce()
    start, t = list(state.q_d), 0.0
    while True:
        if t == 0.0:
            sys.stdout.write("moving\n")
            sys.stdout.flush()
        state, step = control.readOnce()
        t += step.to_sec()
        angle = 0.1 * (1.0 - math.cos(math.pi * t))
        control.writeOnce(fr.JointPositions([q + angle * (i == 3) for i, q in enumerate(start)]))


if __name__ == "__main__":
    run_task(globals())
