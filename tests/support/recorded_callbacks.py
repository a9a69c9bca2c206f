"""The callbacks of the recorded motions, as `cases/fci/README.md` describes them."""

import math
from dataclasses import dataclass

import numpy as np

from kinegraph.robot import (
    CartesianPose,
    CartesianVelocities,
    JointPositions,
    JointVelocities,
    RobotState,
    Torques,
)


@dataclass(frozen=True)
class Amplitudes:
    """How far the callbacks of a client move: rad, rad/s, m, m/s, Nm."""

    positions: float
    velocities: float
    pose: float
    twist: float
    torques: float


LIBFRANKA = Amplitudes(0.002, 0.05, 0.0005, 0.02, 0.3)
PANDA = Amplitudes(0.001, 0.02, 0.0003, 0.01, 0.2)


class Callbacks:
    """A small motion that finishes after a time, counted by the robot's clock.

    Args:
        duration_s: When it finishes, s.
        amplitudes: How far it goes.
    """

    def __init__(self, duration_s: float, amplitudes: Amplitudes = PANDA) -> None:
        self._duration_s = duration_s
        self._size = amplitudes
        self._start: RobotState | None = None
        self._newest = 0
        self._elapsed_s = 0.0

    def _step(self, state: RobotState) -> tuple[RobotState, float, bool]:
        if self._start is None:
            self._start, self._newest = state, state.time
        for _ in range(state.time - self._newest):  # added up cycle by cycle: each bit shows
            self._elapsed_s += 0.001
        self._newest = state.time
        share = min(1.0, self._elapsed_s / self._duration_s)
        return self._start, share, share >= 1.0

    def positions(self, state: RobotState, period_s: float) -> JointPositions:
        start, share, finished = self._step(state)
        q = start.q_d.copy()
        q[3] += self._size.positions * (1.0 - math.cos(math.pi * share)) / 2.0
        return JointPositions(q, motion_finished=finished)

    def velocities(self, state: RobotState, period_s: float) -> JointVelocities:
        _, share, finished = self._step(state)
        dq = np.zeros(7)
        dq[3] = self._size.velocities * math.sin(math.pi * share)
        return JointVelocities(dq, motion_finished=finished)

    def pose(self, state: RobotState, period_s: float) -> CartesianPose:
        start, share, finished = self._step(state)
        pose = start.O_T_EE_c.copy()
        pose[14] += self._size.pose * (1.0 - math.cos(math.pi * share)) / 2.0
        return CartesianPose(pose, elbow=start.elbow_c, motion_finished=finished)

    def twist(self, state: RobotState, period_s: float) -> CartesianVelocities:
        _, share, finished = self._step(state)
        twist = [0.0, 0.0, self._size.twist * math.sin(math.pi * share), 0.0, 0.0, 0.0]
        return CartesianVelocities(twist, motion_finished=finished)

    def torques(self, state: RobotState, period_s: float) -> Torques:
        _, share, finished = self._step(state)
        last = self._size.torques * math.sin(math.pi * share)
        return Torques([0.0] * 6 + [last], motion_finished=finished)


def constant_torques(state: RobotState, period_s: float) -> Torques:
    """The torques beside a generator."""
    return Torques([0.0] * 6 + [0.1])
