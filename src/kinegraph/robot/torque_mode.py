"""How a motion under torque control is asked for, and how it shows, in each version."""

from typing import Any

import numpy as np

from kinegraph.robot.errors import ControlError
from kinegraph.robot.loop.loop_layout import (
    B_CONTROLLER,
    B_GENERATOR,
    B_KIND,
    KIND_TORQUE_V5,
    KIND_TORQUE_V10,
    P_CUTOFF,
    P_ECHO_EPS,
    P_LIMIT_RATE,
    LoopMemory,
)
from kinegraph.robot.wire.protocol import Protocol
from kinegraph.robot.wire.state_layout import S_controller_mode, S_motion_generator_mode
from kinegraph.scene.array_types import Array

__all__ = ["TorqueMode"]

_EXTERNAL = "ExternalController"
# libfranka's constants: m, rad, rad.
_DEVIATION = {"translation": 10.0, "rotation": 3.12, "elbow": 2.0 * np.pi}
_FLOAT32_EPS = float(np.finfo(np.float32).eps)


class TorqueMode:
    """Torques alone: generator None in version 10, a velocity generator at rest in version 5.

    Args:
        protocol: Of the connection.
    """

    def __init__(self, protocol: Protocol) -> None:
        self._enums = protocol.enums
        self._is_v5 = protocol.version == 5
        self._generator = "JointVelocity" if self._is_v5 else "None"

    @property
    def limits_rate(self) -> bool:
        """Whether libfranka limits the torques' rate unless told otherwise."""
        return self._is_v5

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
        """Tell the loop how the motion will show and what its torques go through."""
        block, settings = memory.block, memory.settings
        block[B_GENERATOR] = self._enums["StateMotionGeneratorMode"][self._generator]
        block[B_CONTROLLER] = self._enums["StateControllerMode"][_EXTERNAL]
        block[B_KIND] = KIND_TORQUE_V5 if self._is_v5 else KIND_TORQUE_V10
        settings[P_CUTOFF] = cutoff_frequency
        settings[P_LIMIT_RATE] = float(limit_rate)
        settings[P_ECHO_EPS] = 0.0 if self._is_v5 else _FLOAT32_EPS

    def request(self) -> dict[str, Any]:
        """Return the fields of the Move request; what is not named is zero."""
        fields: dict[str, Any] = {
            "controller_mode": self._enums["MoveControllerMode"][_EXTERNAL],
            "motion_generator_mode": self._enums["MoveMotionGeneratorMode"][self._generator],
        }
        for which in ("path", "goal_pose"):
            for part, value in _DEVIATION.items():
                fields[f"maximum_{which}_deviation.{part}"] = value
        return fields
