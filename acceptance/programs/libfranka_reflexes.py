"""What a robot must not follow, and what happens to it: A5, by a real libfranka.

Prints the figures as JSON on its last line, see `libfranka_client`.
"""

import math
from typing import Any

import pylibfranka as fr
from libfranka_client import (
    CARTESIAN,
    JOINT,
    Motion,
    attempt,
    connect,
    flags,
    mode,
    quiet,
    run_task,
    short_motion,
)
from shared_reading import fresh


def step_of(kind: str, robot: Any) -> tuple[Any, Any, Any]:
    """What starts the motion, a command that holds the arm, and the command that breaks a limit."""
    q = list(robot.read_once().q_d)
    pose = list(robot.read_once().O_T_EE_c)

    def moved(values: list[float], at: int, by: float) -> list[float]:
        return [v + by * (i == at) for i, v in enumerate(values)]

    still = fr.CartesianVelocities([0.0] * 6)
    return {
        "joint_step": (
            lambda: robot.start_joint_position_control(JOINT),
            lambda _s: fr.JointPositions(q),
            lambda _s: fr.JointPositions(moved(q, 3, 0.05)),
        ),
        "twist_step": (
            lambda: robot.start_cartesian_velocity_control(CARTESIAN),
            lambda _s: still,
            lambda _s: fr.CartesianVelocities([0.025, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ),
        "torque_step": (
            robot.start_torque_control,
            lambda _s: fr.Torques([0.0] * 7),
            lambda _s: fr.Torques([0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0]),
        ),
        "pose_step": (
            lambda: robot.start_cartesian_pose_control(CARTESIAN),
            lambda _s: fr.CartesianPose(pose),
            lambda _s: fr.CartesianPose(moved(pose, 12, 0.01)),
        ),
        "joint_start": (
            lambda: robot.start_joint_position_control(JOINT),
            None,
            lambda _s: fr.JointPositions(moved(q, 3, 0.2)),
        ),
        "pose_start": (
            lambda: robot.start_cartesian_pose_control(CARTESIAN),
            None,
            lambda _s: fr.CartesianPose(moved(pose, 12, 0.1)),
        ),
    }[kind]


def provoked(kind: str) -> Any:
    """A5.1: a command that the robot must not follow; what follows, and the recovery."""
    robot = quiet(connect())
    fresh(robot)
    start, hold, offend = step_of(kind, robot)
    control = start()
    state, _ = control.readOnce()
    for _ in range(20 if hold else 0):
        control.writeOnce(hold(state))
        state, _ = control.readOnce()
    text, cycles = offend_until_ended(control, offend(state))
    del control  # frees the robot for what follows
    return {"offence": kind, "text": text, "cycles": cycles, **after_reflex(robot)}


def offend_until_ended(control: Any, command: Any) -> tuple[str, int]:
    """Send the same command until the robot has had enough; its words, and the cycles it took."""
    cycles = 0
    try:
        for _ in range(100):
            control.writeOnce(command)
            control.readOnce()
            cycles += 1
    except fr.ControlException as problem:
        return str(problem), cycles
    return "", cycles


def after_reflex(robot: Any) -> dict[str, Any]:
    """State of a robot that has ended a motion, its recovery, and a motion afterwards."""
    reflex = robot.read_once()
    again = short_motion(robot)
    robot.automatic_error_recovery()
    recovered = robot.read_once()
    return {
        "q": list(reflex.q),
        "mode": mode(reflex),
        "errors": flags(reflex.current_errors),
        "refused": again,
        "recovered": mode(recovered),
        "errors_left": flags(recovered.current_errors),
        "reason_kept": flags(recovered.last_motion_errors),
        "motion": short_motion(robot),
    }


def joint_limit() -> Any:
    """A5.1: drive joint 4 towards its upper limit until the robot has had enough."""
    robot = quiet(connect())
    motion = Motion(robot.start_joint_position_control(JOINT))
    start = list(motion.first.q_d)

    def command(t: float, _state: Any) -> Any:
        ramp = 0.125 + 0.5 * (t - 0.5)
        if t < 0.5:  # up to 0.5 rad/s
            ramp = 0.25 * (t - math.sin(2.0 * math.pi * t) / (2.0 * math.pi))
        return fr.JointPositions([q + ramp * (i == 3) for i, q in enumerate(start)])

    text = ""
    try:
        while motion.t < 12.0:
            motion.cycle(command)
    except fr.ControlException as problem:
        text = str(problem)
    motion.control = None
    return {"offence": "joint_limit", "text": text, "cycles": 0, **after_reflex(robot)}


def injected(seconds: str = "6") -> Any:
    """A5.3: a motion in which the robot does something by itself."""
    robot = quiet(connect())
    motion = Motion(robot.start_joint_position_control(JOINT))
    hold = fr.JointPositions(list(motion.first.q_d))
    text = ""
    try:
        while motion.t < float(seconds):
            motion.cycle(lambda _t, _s: hold)
    except fr.ControlException as problem:
        text = str(problem)
    motion.control = None
    after = robot.read_once()
    again = short_motion(robot)
    return {
        "text": text,
        "at_s": motion.t,
        "mode": mode(after),
        "errors": flags(after.current_errors),
        "refused": again,
        "recovery": attempt(robot.automatic_error_recovery),
        "motion": short_motion(robot),
    }


def lossy(lost: str) -> Any:
    """A5.2 without a relay: leave that many states of a motion unanswered."""
    robot = quiet(connect())
    motion = Motion(robot.start_joint_position_control(JOINT))
    hold = fr.JointPositions(list(motion.first.q_d))
    text = ""
    try:
        for _ in range(150):
            motion.cycle(lambda _t, _s: hold)
        for _ in range(int(lost)):
            motion.control.readOnce()
        for _ in range(150):
            motion.cycle(lambda _t, _s: hold)
        motion.finish(hold)
    except fr.ControlException as problem:
        text = str(problem)
    last = robot.read_once()
    return {"text": text, "mode": mode(last), **motion.figures()}


if __name__ == "__main__":
    run_task(globals())
