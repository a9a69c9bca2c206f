"""The calls of the recorded reactions, made with our client."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from recorded_callbacks import Callbacks, constant_torques

import kinegraph.robot
from kinegraph.robot import Torques
from kinegraph.robot.wire.state_layout import S_tau_J_d

SEVEN, SIX = np.linspace(10.0, 70.0, 7), np.linspace(1.0, 6.0, 6)
Call = Callable[[Any, str], object]


def settings(text: str) -> dict[str, Any]:
    """Limiter and filter that a recorded call names."""
    cutoff = re.search(r"cutoff (\d+) Hz", text)
    assert cutoff
    return {"limit_rate": "limit_rate on" in text, "cutoff_frequency": float(cutoff[1])}


def duration_s(text: str) -> float:
    """Time after which a recorded callback finishes."""
    found = re.search(r"finishes after (\d+) ms", text)
    assert found
    return float(found[1]) * 1e-3


def mode(text: str) -> Any:
    """Internal controller that a recorded call names."""
    modes = kinegraph.robot.ControllerMode
    return modes.CartesianImpedance if "Cartesian impedance" in text else modes.JointImpedance


def generator(method: str, callback: str) -> Call:
    """A loop with the robot's own controller."""

    def call(robot: Any, text: str) -> object:
        function = getattr(Callbacks(duration_s(text)), callback)
        run = getattr(robot, method)
        return run(function, controller_mode=mode(text), **settings(text))

    return call


def with_torques(method: str, callback: str) -> Call:
    """A loop with a generator and torques beside it."""

    def call(robot: Any, text: str) -> object:
        function = getattr(Callbacks(duration_s(text)), callback)
        return getattr(robot, method)(function, torques=constant_torques, **settings(text))

    return call


def second_motion(robot: Any, _: str) -> None:
    """Start a torque motion while another one is active."""
    with robot.start_torque_control() as control:
        control.read_once()
        robot.start_torque_control()


def torques_to_positions(robot: Any, _: str) -> None:
    """Write torques to a joint position motion."""
    with robot.start_joint_position_control(mode("joint impedance")) as control:
        control.read_once()
        control.write_once(Torques(np.zeros(7)))


@cache
def compiled_torques(duration: float) -> Any:
    """A compiled torque callback of a duration, which it counts in the torque of joint 1."""

    @numba.njit
    def callback(state, period_s, torques):  # type: ignore[no-untyped-def]
        torques[:] = 0.0
        if period_s > 0.0:
            torques[0] = state[S_tau_J_d] + period_s
        return int(torques[0] >= duration - 1e-4)

    return callback


CALLS: dict[str, Call] = {
    "set_collision_behavior4": lambda r, _: r.set_collision_behavior(SEVEN, SEVEN, SIX, SIX),
    "set_joint_impedance": lambda r, _: r.set_joint_impedance(SEVEN),
    "set_cartesian_impedance": lambda r, _: r.set_cartesian_impedance(SIX),
    "set_k": lambda r, _: r.set_K(np.eye(4)),
    "set_ee": lambda r, _: r.set_EE(np.eye(4)),
    "set_load": lambda r, _: r.set_load(0.0, np.zeros(3), np.zeros(9)),
    "set_filters": lambda r, _: r.set_filters(100.0, 100.0, 100.0, 100.0, 100.0),
    "automatic_error_recovery": lambda r, _: r.automatic_error_recovery(),
    "stop": lambda r, _: r.stop(),
    "get_robot_model": lambda r, _: r.robot_model(),
    "control_jp": generator("control_joint_positions", "positions"),
    "control_jv": generator("control_joint_velocities", "velocities"),
    "control_cp": generator("control_cartesian_pose", "pose"),
    "control_cv": generator("control_cartesian_velocities", "twist"),
    "control_tau": lambda r, text: r.control_torques(
        Callbacks(duration_s(text)).torques, **settings(text)
    ),
    "control_tjv": with_torques("control_joint_velocities", "velocities"),
    "control_tjp": with_torques("control_joint_positions", "positions"),
    "second_motion_while_running": second_motion,
    "torque_to_position_control": torques_to_positions,
}

COMPILED: dict[str, Call] = {
    "control_jp": lambda r, text: r.control_torques(
        compiled_torques(duration_s(text)), **settings(text)
    ),
    "control_tau": lambda r, text: r.control_torques(
        compiled_torques(duration_s(text)), **settings(text)
    ),
}
"""The same in the compiled loop, with torques in place of positions."""
