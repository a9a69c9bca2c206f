"""What the robot says it is doing."""

from enum import Enum, unique

__all__ = ["ControllerMode", "MotionGeneratorMode", "RobotMode"]


@unique
class RobotMode(Enum):
    """Mode of the robot; the values are the bytes on the wire, in both versions."""

    Other = 0
    Idle = 1
    Move = 2
    Guiding = 3
    Reflex = 4
    UserStopped = 5
    AutomaticErrorRecovery = 6

    @property
    def text(self) -> str:
        """The name as libfranka's error texts have it, for instance `User stopped`."""
        return _TEXTS.get(self.name, self.name)

    @classmethod
    def from_byte(cls, byte: int) -> "RobotMode":
        """Return the mode of a byte; one that nobody knows is `Other`."""
        return _MODES[byte] if 0 <= byte < len(_MODES) else cls.Other


_MODES = tuple(RobotMode)
_TEXTS = {
    "UserStopped": "User stopped",
    "AutomaticErrorRecovery": "Automatic error recovery",
}


@unique
class MotionGeneratorMode(Enum):
    """Running motion generator, numbered as in the state; `NoGenerator` is version 10's None."""

    Idle = 0
    JointPosition = 1
    JointVelocity = 2
    CartesianPosition = 3
    CartesianVelocity = 4
    NoGenerator = 5


@unique
class ControllerMode(Enum):
    """Running controller, numbered as in the state."""

    JointImpedance = 0
    CartesianImpedance = 1
    ExternalController = 2
    Other = 3
