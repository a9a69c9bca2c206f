"""What the target controllers need of an arm: states in, torques out, limits."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kinegraph.robot.control.arms import ArmTable
from kinegraph.scene.array_types import Array

__all__ = ["ArmState", "TorqueArm"]


@dataclass(frozen=True, slots=True, eq=False)
class ArmState:
    """What an arm measured at one moment.

    Attributes:
        q: (n,) joint positions, rad; m for a sliding joint.
        dq: (n,) joint velocities, rad/s.
        time_s: The arm's clock, s.
    """

    q: Array
    dq: Array
    time_s: float


@runtime_checkable
class TorqueArm(Protocol):
    """An arm whose joints take torques, a thousand times a second.

    `read`, `send` and `stop` are called from one thread at a time, and an exception of any of them
    ends the session as a `ControlError` that has it as its cause.
    """

    @property
    def table(self) -> ArmTable:
        """Limits of the arm; n is theirs."""
        raise NotImplementedError

    @property
    def torque_rate(self) -> Array:
        """(n,) fastest change of the torques, Nm/s, for options with `limit_rate`."""
        raise NotImplementedError

    @property
    def gravity(self) -> Array:
        """(3,) gravity that the torques sent have to hold, m/s^2 in the base frame.

        Zeros for an arm that holds its own weight besides the torques sent.
        """
        raise NotImplementedError

    def read(self) -> ArmState:
        """Return the newest state; an arm that sets the pace waits for it here."""
        raise NotImplementedError

    def send(self, torques: Array) -> None:
        """Send torques (n,), Nm, which answer the state that was read last.

        The array is the caller's and changes in the next cycle.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """Hold still by the arm's own means: a session has ended, well or not."""
        raise NotImplementedError
