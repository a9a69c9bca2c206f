"""Connecting, states, models and setters of a real libfranka: A0 to A3.

Prints the figures as JSON on its last line, see `libfranka_client`.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import pylibfranka as fr
from libfranka_client import (
    JOINT,
    attempt,
    connect,
    flags,
    gap,
    milliseconds,
    mode,
    run_task,
)
from shared_reading import age_after_pause, fresh, timed_states


def connects(count: str) -> Any:
    """Time the constructor, one after the other."""
    taken = []
    for _ in range(int(count)):
        begun = time.perf_counter()
        robot = connect()
        taken.append(1e3 * (time.perf_counter() - begun))
        del robot
    return {"ms": taken}


def refused() -> Any:
    try:
        connect()
    except fr.FrankaException as problem:
        return {"text": str(problem)}
    return {"text": ""}


def read(count: str) -> Any:
    return timed_states(connect(), int(count), milliseconds)


def idle_age(seconds: str) -> Any:
    return age_after_pause(connect(), float(seconds), milliseconds)


def one_state() -> Any:
    state = fresh(connect())
    names = (
        "O_ddP_O", "m_ee", "F_x_Cee", "I_ee", "F_T_NE", "F_T_EE", "NE_T_EE", "EE_T_K", "m_load",
        "theta", "q", "O_T_EE", "control_command_success_rate",
    )  # fmt: skip
    values = {n: getattr(state, n) for n in names}
    plain = {n: list(v) if hasattr(v, "__len__") else v for n, v in values.items()}
    return {**plain, "robot_mode": mode(state)}


def at_rest(seconds: str) -> Any:
    """How far and how fast an arm moves that should rest."""
    robot = connect()
    first = fresh(robot)
    time.sleep(float(seconds))
    last = fresh(robot)
    return {
        "drift": gap(first.q, last.q),
        "speed": max(abs(v) for v in [*first.dq, *last.dq]),
        "mode": mode(last),
        "errors": flags(last.current_errors),
    }


def load_model() -> Any:
    robot = connect()
    begun = time.perf_counter()
    robot.load_model()
    return {"ms": 1e3 * (time.perf_counter() - begun)}


def models(count: str) -> Any:
    """The model at each of the states that come; a line is printed after each."""
    robot = connect()
    model = robot.load_model()
    rows = []
    for _ in range(int(count)):
        sys.stdout.write("next\n")
        sys.stdout.flush()
        state = robot.read_once()
        rows.append(
            {
                "q": list(state.q),
                "dq": list(state.dq),
                "load": [state.m_total, *state.F_x_Ctotal, *state.I_total],
                "gravity_earth": list(state.O_ddP_O),
                "F_T_EE": list(state.F_T_EE),
                "mass": list(model.mass(state)),
                "coriolis": list(model.coriolis(state)),
                "gravity": list(model.gravity(state)),
                "jacobian": list(model.zero_jacobian(state)),
            }
        )
    return {"rows": rows}


TURN = [0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.01, 0.02, 0.1, 1.0]
SKEW = [*TURN[:15], 2.0]


def setters() -> Any:
    """Every setter in range, out of range and during a motion."""
    robot = connect()
    good: dict[str, Callable[[], None]] = {
        "collision": lambda: robot.set_collision_behavior(
            [20.0] * 7, [40.0] * 7, [20.0] * 6, [40.0] * 6
        ),
        "joint_impedance": lambda: robot.set_joint_impedance([3000.0] * 7),
        "cartesian_impedance": lambda: robot.set_cartesian_impedance([2000.0] * 3 + [100.0] * 3),
        "K": lambda: robot.set_K(TURN),
        "EE": lambda: robot.set_EE(TURN),
        "load": lambda: robot.set_load(0.5, [0.0, 0.0, 0.03], [1e-3, 0, 0, 0, 1e-3, 0, 0, 0, 1e-3]),
    }
    bad: dict[str, Callable[[], None]] = {
        "collision": lambda: robot.set_collision_behavior(
            [40.0] * 7, [20.0] * 7, [20.0] * 6, [40.0] * 6
        ),
        "joint_impedance": lambda: robot.set_joint_impedance([-1.0] * 7),
        "cartesian_impedance": lambda: robot.set_cartesian_impedance([-1.0] * 6),
        "K": lambda: robot.set_K(SKEW),
        "EE": lambda: robot.set_EE(SKEW),
        "load": lambda: robot.set_load(-1.0, [0.0] * 3, [0.0] * 9),
    }
    accepted = {name: attempt(call) for name, call in good.items()}
    shown = one_state_of(fresh(robot))
    out_of_range = {name: attempt(call) for name, call in bad.items()}
    control = robot.start_joint_position_control(JOINT)
    state, _ = control.readOnce()
    hold, rejected = fr.JointPositions(list(state.q_d)), {}
    for name, call in good.items():
        for _ in range(3):
            control.writeOnce(hold)
            control.readOnce()
        rejected[name] = attempt(call)
    hold.motion_finished = True
    control.writeOnce(hold)
    return {
        "accepted": accepted, "refused": out_of_range, "moving": rejected, "state": shown,
    }  # fmt: skip


def one_state_of(state: Any) -> Any:
    names = ("NE_T_EE", "F_T_NE", "F_T_EE", "EE_T_K", "m_load", "F_x_Cload", "I_load")
    values = {n: getattr(state, n) for n in names}
    return {n: list(v) if hasattr(v, "__len__") else v for n, v in values.items()}


if __name__ == "__main__":
    run_task(globals())
