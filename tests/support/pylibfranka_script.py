"""What the tests let a real libfranka do, as a program: `pylibfranka_script.py HOST TASK`."""

import json
import math
import sys
import time
from typing import Any

import pylibfranka

FLAGS = ("current_errors", "last_motion_errors")
HIDDEN = ("time", "robot_mode", *FLAGS)


def connect() -> Any:
    return pylibfranka.Robot(sys.argv[1], pylibfranka.RealtimeConfig.kIgnore)


def shown(state: Any) -> Any:
    """Every field that pylibfranka shows, as plain values."""
    names = [name for name in dir(state) if not name.startswith("_") and name not in HIDDEN]
    values = {name: getattr(state, name) for name in names}
    plain = {
        name: list(value) if hasattr(value, "__len__") else value for name, value in values.items()
    }
    plain["robot_mode"] = str(state.robot_mode).split(".")[-1]
    plain["time_ms"] = round(1000.0 * state.time.to_sec())
    for name in FLAGS:
        flags = getattr(state, name)
        members = [m for m in dir(flags) if not m.startswith("_") and m != "to_string"]
        plain[name] = sorted(m for m in members if getattr(flags, m) is True)
    return plain


def read_one() -> Any:
    return shown(connect().read_once())


def read_thousand() -> Any:
    robot = connect()
    return {"times": [round(1000.0 * robot.read_once().time.to_sec()) for _ in range(1000)]}


def setters() -> Any:
    """Good values are taken, bad ones refused; returns the state and the refusals."""
    robot: Any = connect()
    refused: dict[str, str] = {}
    turn = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.01, 0.02, 0.1, 1.0]
    robot.set_collision_behavior([20.0] * 7, [40.0] * 7, [20.0] * 6, [40.0] * 6)
    robot.set_joint_impedance([3000.0] * 7)
    robot.set_cartesian_impedance([2000.0] * 3 + [100.0] * 3)
    robot.set_K(turn)
    robot.set_EE(turn)
    robot.set_load(0.5, [0.0, 0.0, 0.03], [1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3])
    time.sleep(0.05)
    bad = {
        "joint": lambda: robot.set_joint_impedance([-1.0] * 7),
        "cartesian": lambda: robot.set_cartesian_impedance([0.0] * 6),
        "load": lambda: robot.set_load(-1.0, [0.0] * 3, [0.0] * 9),
        "collision": lambda: robot.set_collision_behavior(
            [40.0] * 7, [20.0] * 7, [20.0] * 6, [40.0] * 6
        ),
    }
    call: Any
    for name, call in bad.items():
        try:
            call()
        except pylibfranka.CommandException as problem:
            refused[name] = str(problem)
    return {"state": shown(fresh_state(robot)), "refused": refused}


def fresh_state(robot: Any) -> Any:
    """Read on until what waited in the socket's buffer has gone."""
    for _ in range(199):
        robot.read_once()
    return robot.read_once()


def joint_motion() -> Any:
    robot = connect()
    control = robot.start_joint_position_control(pylibfranka.ControllerMode.JointImpedance)
    state, _ = control.readOnce()
    start, t, worst = list(state.q_d), 0.0, 0.0
    q = start
    while t < 1.0:
        state, step = control.readOnce()
        t += step.to_sec()
        angle = 0.1 * (1.0 - math.cos(math.pi * min(t, 1.0)))
        q = [value + angle * (i in (3, 4, 6)) for i, value in enumerate(start)]
        worst = max(worst, max(abs(a - b) for a, b in zip(state.q, state.q_d, strict=True)))
        control.writeOnce(pylibfranka.JointPositions(q))
    last = pylibfranka.JointPositions(q)
    last.motion_finished = True
    control.writeOnce(last)
    state = robot.read_once()
    return {"q": list(state.q), "goal": q, "worst": worst, "state": shown(state)}


def velocity_and_cartesian_motions() -> Any:
    """One motion of each of the other generators, there and back."""
    robot = connect()
    first = robot.read_once()
    pairs = (
        (robot.start_joint_velocity_control, lambda s, _: velocities(s)),
        (robot.start_cartesian_velocity_control, lambda s, _: twist(s)),
        (robot.start_cartesian_pose_control, pose),
    )
    start: Any
    command: Any
    for start, command in pairs:
        control = start(pylibfranka.ControllerMode.CartesianImpedance)
        state, _ = control.readOnce()
        begin, t = state, 0.0
        while t < 1.0:
            state, step = control.readOnce()
            t += step.to_sec()
            control.writeOnce(command(t, begin))
        last = command(1.0, begin)
        last.motion_finished = True
        control.writeOnce(last)
    state = robot.read_once()
    return {"before": shown(first), "after": shown(state)}


def velocities(t: Any) -> Any:
    return pylibfranka.JointVelocities([0.1 * math.sin(2 * math.pi * min(t, 1.0))] * 7)


def twist(t: Any) -> Any:
    return pylibfranka.CartesianVelocities(
        [0.05 * math.sin(2 * math.pi * min(t, 1.0)), 0.0, 0.0, 0.0, 0.0, 0.0]
    )


def pose(t: Any, begin: Any) -> Any:
    values = list(begin.O_T_EE_c)
    values[12] += 0.01 * (1.0 - math.cos(2 * math.pi * min(t, 1.0)))
    return pylibfranka.CartesianPose(values)


def torque_motion() -> Any:
    robot = connect()
    model = robot.load_model()
    control = robot.start_torque_control()
    state, _ = control.readOnce()
    start = list(state.q)
    for _ in range(500):
        state, _ = control.readOnce()
        coriolis = model.coriolis(state)
        tau = [
            -100.0 * (q - q0) - 10.0 * dq + c
            for q, q0, dq, c in zip(state.q, start, state.dq, coriolis, strict=True)
        ]
        control.writeOnce(pylibfranka.Torques(tau))
    last = pylibfranka.Torques([0.0] * 7)
    last.motion_finished = True
    control.writeOnce(last)
    state = robot.read_once()
    gravity = list(model.gravity(state))
    return {"start": start, "gravity": gravity, "state": shown(state)}


def model() -> Any:
    robot = connect()
    robot.set_load(0.8, [0.01, -0.02, 0.05], [2e-3, 1e-4, 0, 1e-4, 3e-3, 0, 0, 0, 1e-3])
    state = fresh_state(robot)
    model = robot.load_model()
    return {
        "q": list(state.q),
        "load": [state.m_total, *state.F_x_Ctotal, *state.I_total],
        "mass": list(model.mass(state)),
        "gravity": list(model.gravity(state)),
        "jacobian": list(model.zero_jacobian(state)),
    }


def reflex_and_recovery() -> Any:
    robot = connect()
    control = robot.start_joint_position_control(pylibfranka.ControllerMode.JointImpedance)
    state, _ = control.readOnce()
    for _ in range(5):
        control.writeOnce(pylibfranka.JointPositions(list(state.q_d)))
        state, _ = control.readOnce()
    text = ""
    time.sleep(2.0)
    try:
        for _ in range(5):
            control.writeOnce(pylibfranka.JointPositions(list(state.q_d)))
            state, _ = control.readOnce()
    except pylibfranka.ControlException as problem:
        text = str(problem)
    reflex = shown(robot.read_once())
    robot.automatic_error_recovery()
    recovered = shown(robot.read_once())
    del control
    again = joint_motion_of(robot)
    return {"text": text, "reflex": reflex, "recovered": recovered, "again": again}


def joint_motion_of(robot: Any) -> Any:
    control = robot.start_joint_position_control(pylibfranka.ControllerMode.JointImpedance)
    state, _ = control.readOnce()
    last = pylibfranka.JointPositions(list(state.q_d))
    for _ in range(20):
        control.writeOnce(last)
        control.readOnce()
    last.motion_finished = True
    control.writeOnce(last)
    return shown(robot.read_once())


def refused() -> Any:
    try:
        connect()
    except pylibfranka.FrankaException as problem:
        return {"text": str(problem)}
    return {"text": ""}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(globals()[sys.argv[2]]()))
