"""The calls of the recorded reactions, made with our client."""

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

import kinegraph.robot
from kinegraph.robot import (
    CartesianPose,
    CartesianVelocities,
    JointPositions,
    JointVelocities,
    RobotState,
    Torques,
)
from kinegraph.robot.wire.state_layout import S_tau_J_d

SEVEN, SIX = np.linspace(10.0, 70.0, 7), np.linspace(1.0, 6.0, 6)
Call = Callable[[Any, str], object]


class Callbacks:
    """Callbacks as those that were recorded: a small motion that finishes after a time.

    Args:
        duration_s: When it finishes, s.
    """

    def __init__(self, duration_s: float) -> None:
        self._duration_s = duration_s
        self._time_s = 0.0
        self._start: RobotState | None = None

    def _step(self, state: RobotState, period_s: float) -> tuple[RobotState, float, bool]:
        if self._start is None:
            self._start = state
        self._time_s += period_s
        share = min(1.0, self._time_s / self._duration_s)
        return self._start, share, share >= 1.0

    def positions(self, state: RobotState, period_s: float) -> JointPositions:
        start, share, finished = self._step(state, period_s)
        q = start.q_d.copy()
        q[3] += 0.001 * (1.0 - math.cos(math.pi * share)) / 2.0
        return JointPositions(q, motion_finished=finished)

    def held_positions(self, state: RobotState, period_s: float) -> JointPositions:
        start, _, finished = self._step(state, period_s)
        return JointPositions(start.q_d, motion_finished=finished)

    def velocities(self, state: RobotState, period_s: float) -> JointVelocities:
        _, share, finished = self._step(state, period_s)
        dq = np.zeros(7)
        dq[3] = 0.02 * math.sin(math.pi * share)
        return JointVelocities(dq, motion_finished=finished)

    def pose(self, state: RobotState, period_s: float) -> CartesianPose:
        start, share, finished = self._step(state, period_s)
        pose = start.O_T_EE_c.copy()
        pose[14] += 0.0003 * (1.0 - math.cos(math.pi * share)) / 2.0
        return CartesianPose(pose, elbow=(0.1, -1.0), motion_finished=finished)

    def twist(self, state: RobotState, period_s: float) -> CartesianVelocities:
        _, share, finished = self._step(state, period_s)
        twist = [0.0, 0.0, 0.01 * math.sin(math.pi * share), 0.0, 0.0, 0.0]
        return CartesianVelocities(twist, motion_finished=finished)

    def torques(self, state: RobotState, period_s: float) -> Torques:
        _, share, finished = self._step(state, period_s)
        return Torques([0.0] * 6 + [0.2 * math.sin(math.pi * share)], motion_finished=finished)


def constant_torques(state: RobotState, period_s: float) -> Torques:
    """The torques beside a generator."""
    return Torques([0.0] * 6 + [0.1])


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
    "control_tjp": with_torques("control_joint_positions", "held_positions"),
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
