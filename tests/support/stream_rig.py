"""A robot that follows poses exactly, echoes them, and goes on by itself over lost cycles."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from control_rig import Rig, turn

from kinegraph.robot.control import CartesianOptions, JointOptions, RobotController
from kinegraph.robot.control.record_layout import (
    JOINT_RECORD_FIELDS,
    JOINT_RECORD_OFFSETS,
    JOINT_RECORD_SIZE,
)
from kinegraph.robot.control.streaming.joint_position_cycle_kernels import joint_position_cycle
from kinegraph.robot.control.streaming.pose_cycle_kernels import pose_cycle

Array = npt.NDArray[np.float64]

DT = 1e-3


def rotation_vectors(rotations: Array) -> Array:
    """Rotation vectors (..., 3) of rotations (..., 3, 3) by less than a right angle."""
    r = rotations
    sine = 0.5 * np.stack(
        [
            r[..., 2, 1] - r[..., 1, 2],
            r[..., 0, 2] - r[..., 2, 0],
            r[..., 1, 0] - r[..., 0, 1],
        ],
        axis=-1,
    )
    size = np.linalg.norm(sine, axis=-1, keepdims=True)
    return np.where(size > 0.0, np.arcsin(size) / np.maximum(size, 1e-300), 1.0) * sine


def twists(poses: Array) -> Array:
    """Twists (n - 1, 6), base axes, between column-major poses (n, 16) that are a cycle apart."""
    rotations = poses.reshape(-1, 4, 4).transpose(0, 2, 1)[:, :3, :3]
    linear = np.diff(poses[:, 12:15], axis=0)
    angular = rotation_vectors(rotations[1:] @ rotations[:-1].transpose(0, 2, 1))
    return np.hstack([linear, angular]) / DT


@dataclass
class StreamRig(Rig):
    """Targets through the robot's controller, cycle by cycle; `q` is where it starts."""

    options: CartesianOptions = field(
        default_factory=lambda: CartesianOptions(backend=RobotController())
    )
    rounded: bool = True
    dither: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.motion = np.zeros(18)
        self.commanded = [self.fk(self.q).T.ravel()]
        self.echoes: list[Array] = []
        self.sent: list[Array] = []
        self.time_ms = 0
        self.random = np.random.default_rng(5)

    def echo(self) -> Array:
        """What the robot says that it commanded last."""
        pose = self.commanded[-1].copy()
        pose[12:15] += self.dither * self.random.uniform(-1.0, 1.0, 3)
        return pose.astype(np.float32).astype(np.float64) if self.rounded else pose

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        """One cycle; what it gives is what the robot commands next."""
        self.time_ms += 1
        echo = self.echo()
        self.set_field("time", self.time_ms)
        self.set_field("O_T_EE_c", echo)
        if self.report:
            self.set_field("O_T_EE", echo)
        code = self.answer(pose_cycle, self.motion, stop, flags)
        self.echoes.append(echo)
        self.sent.append(self.motion[:16].copy())
        self.commanded.append(self.motion[:16].copy())
        return code

    def lose(self, cycles: int) -> None:
        """Lose states: the robot goes on with the acceleration that it had."""
        before, last = twists(np.array(self.commanded[-3:]))
        change = last - before
        for _ in range(cycles):
            last = last + change
            pose = self.commanded[-1].reshape(4, 4).T.copy()
            pose[:3, :3] = turn(*(last[3:] * DT)) @ pose[:3, :3]
            pose[:3, 3] += last[:3] * DT
            self.commanded.append(pose.T.ravel())
            self.time_ms += 1


@dataclass
class JointStreamRig(Rig):
    """Joint targets through the robot's controller, cycle by cycle; `q` is where it starts."""

    options: JointOptions = field(  # type: ignore[assignment]
        default_factory=lambda: JointOptions(backend=RobotController())
    )
    rounded: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.record = np.zeros(JOINT_RECORD_SIZE)
        self.motion = np.zeros(18)
        self.target = self.q.copy()
        self.commanded = [self.q.copy()]
        self.echoes: list[Array] = []
        self.sent: list[Array] = []
        self.time_ms = 0

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        """One cycle; what it gives is what the robot commands next."""
        self.time_ms += 1
        echo = self.commanded[-1]
        echo = echo.astype(np.float32).astype(np.float64) if self.rounded else echo
        self.set_field("time", self.time_ms)
        self.set_field("q_d", echo)
        self.set_field("q", echo if self.report else self.q)
        code = self.answer(joint_position_cycle, self.motion, stop, flags)
        self.echoes.append(echo.copy())
        self.sent.append(self.motion[:7].copy())
        self.commanded.append(self.motion[:7].copy())
        return code

    def lose(self, cycles: int) -> None:
        """Lose states: the robot goes on with the acceleration that it had."""
        a, b, c = self.commanded[-3:]
        change = c - 2.0 * b + a
        for _ in range(cycles):
            last = self.commanded[-1] - self.commanded[-2]
            self.commanded.append(self.commanded[-1] + last + change)
            self.time_ms += 1

    def field_of(self, name: str) -> Array:
        """A field of all records."""
        rows = np.array(self.records)
        count = dict(JOINT_RECORD_FIELDS)[name]
        at = JOINT_RECORD_OFFSETS[name]
        return rows[:, at] if count == 1 else rows[:, at : at + 7]
