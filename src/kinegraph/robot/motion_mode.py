"""What a motion is made of: how it is asked for, and how it shows, in each version."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import check_flag
from kinegraph.robot.errors import ControlError, InvalidArgumentError
from kinegraph.robot.loop.loop_layout import (
    B_CONTROLLER,
    B_FINISH_MS,
    B_FIRST_RULE,
    B_GENERATOR,
    B_MOTION,
    B_TORQUES,
    P_CUTOFF,
    P_ECHO_EPS,
    P_LIMIT_RATE,
    LoopMemory,
)
from kinegraph.robot.modes import ControllerMode
from kinegraph.robot.wire.protocol import Protocol
from kinegraph.robot.wire.state_layout import S_controller_mode, S_motion_generator_mode
from kinegraph.scene.array_types import Array

__all__ = ["MotionKind", "MotionMode"]

_EXTERNAL = "ExternalController"
# libfranka's constants: m, rad, rad.
_DEVIATION = {"translation": 10.0, "rotation": 3.12, "elbow": 2.0 * np.pi}
_FLOAT32_EPS = float(np.finfo(np.float32).eps)
_FINISH_MS, _ARRIVE_MS = 10_000, 600_000
# By the number of the generator in the state.
_GENERATORS = ("None", "JointPosition", "JointVelocity", "CartesianPosition", "CartesianVelocity")


@dataclass(frozen=True, slots=True)
class MotionKind:
    """What runs on the robot during a motion.

    Attributes:
        motion: Number of the motion that the commands carry, 1 to 4; 0 for torques alone.
        controller: The robot's own controller, None where the commands carry torques.
        max_velocities: (7,) rad/s of the asynchronous motion; None for an ordinary one.
    """

    motion: int
    controller: ControllerMode | None
    max_velocities: tuple[float, ...] | None = None

    @classmethod
    def torques(cls) -> "MotionKind":
        """Torques alone."""
        return cls(0, None)

    @classmethod
    def generator(cls, motion: int, controller: ControllerMode, external: bool) -> "MotionKind":
        """A motion, followed by the robot's controller or beside torques.

        Raises:
            InvalidArgumentError: No controller of the robot. Also a `ValueError`.
        """
        if controller not in (ControllerMode.JointImpedance, ControllerMode.CartesianImpedance):
            raise InvalidArgumentError(
                f"controller_mode is {controller!r}; it is ControllerMode.JointImpedance or "
                "ControllerMode.CartesianImpedance",
                value=controller,
            )
        check_flag("torques", external)
        return cls(motion, None if external else controller)


class MotionMode:
    """A kind of motion in one version of the protocol.

    Torques alone have no generator in version 10 and a velocity generator at rest in version 5.

    Args:
        protocol: Of the connection.
        kind: What is to run.
    """

    def __init__(self, protocol: Protocol, kind: MotionKind) -> None:
        self.kind = kind
        self._enums = protocol.enums
        self._is_v5 = protocol.version == 5
        motion = kind.motion
        if motion == 0 and self._is_v5:
            motion = _GENERATORS.index("JointVelocity")
        self._motion = motion
        self._generator = _GENERATORS[motion]
        self._controller = _EXTERNAL if kind.controller is None else kind.controller.name

    @property
    def limits_rate(self) -> bool:
        """Whether libfranka limits rates unless told otherwise."""
        return self._is_v5

    @property
    def torques_first(self) -> bool:
        """Whether the torque callback is called before the motion callback."""
        return not self._is_v5

    def shows_motion(self, row: Array) -> bool:
        """Whether a state shows a running generator or an external controller."""
        idle = (0, self._enums["StateMotionGeneratorMode"].get("None", 0))
        return bool(
            row[S_motion_generator_mode] not in idle
            or row[S_controller_mode] == self._enums["StateControllerMode"][_EXTERNAL]
        )

    def running_already(self, row: Array) -> ControlError:
        """Return the error of a robot whose state shows a motion that is not ours."""
        generator, controller = int(row[S_motion_generator_mode]), int(row[S_controller_mode])
        return ControlError(
            "libfranka robot: Attempted to start multiple motions! The robot shows generator "
            f"{generator} and controller {controller}",
            generator=generator,
            controller=controller,
        )

    def configure(self, memory: LoopMemory, limit_rate: bool, cutoff_frequency: float) -> None:
        """Tell the loop how the motion will show and what its commands go through."""
        block, settings = memory.block, memory.settings
        block[B_GENERATOR] = self._enums["StateMotionGeneratorMode"][self._generator]
        block[B_CONTROLLER] = self._enums["StateControllerMode"][self._controller]
        block[B_MOTION] = self._motion
        block[B_TORQUES] = int(self.kind.controller is None)
        block[B_FIRST_RULE] = int(not self._is_v5)
        # An asynchronous motion has finished when the robot has arrived.
        block[B_FINISH_MS] = _FINISH_MS if self.kind.max_velocities is None else _ARRIVE_MS
        settings[P_CUTOFF] = cutoff_frequency
        settings[P_LIMIT_RATE] = float(limit_rate)
        settings[P_ECHO_EPS] = 0.0 if self._is_v5 else _FLOAT32_EPS

    def request(self) -> dict[str, Any]:
        """Return the fields of the Move request; what is not named is zero."""
        fields: dict[str, Any] = {
            "controller_mode": self._enums["MoveControllerMode"][self._controller],
            "motion_generator_mode": self._enums["MoveMotionGeneratorMode"][self._generator],
        }
        for which in ("path", "goal_pose"):
            for part, value in _DEVIATION.items():
                fields[f"maximum_{which}_deviation.{part}"] = value
        if self.kind.max_velocities is not None:
            fields["use_async_motion_generator"] = 1
            fields["maximum_velocity"] = self.kind.max_velocities
        return fields
