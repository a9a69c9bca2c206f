"""What a handle of targets needs of the session that runs its controller."""

from typing import Any, Protocol

from kinegraph.robot.loop.rings import RingReader
from kinegraph.scene.array_types import Array

__all__ = ["TargetSession"]


class TargetSession(Protocol):
    """A motion that is started once, and ends by itself or is ended."""

    @property
    def is_running(self) -> bool:
        """Whether it runs; false once it has ended for whatever reason."""
        raise NotImplementedError

    @property
    def cycle_count(self) -> int:
        """Control cycles so far."""
        raise NotImplementedError

    def start(self) -> None:
        """Start it; return when the first cycle has run, or raise what kept it from that."""

    def cycles(self) -> RingReader:
        """Return a reader of the cycles."""
        raise NotImplementedError

    def state_of(self, row: Array) -> Any:
        """Return the state in a row of the kind that the controller reads."""
        raise NotImplementedError

    def clock(self) -> float:
        """Return the time by which waiting is limited, s."""
        raise NotImplementedError

    def take_time(self, pause: float) -> float:
        """Let a session that waits for its caller run for `pause` s; return what is left to wait.

        One that runs by itself returns `pause`.
        """
        raise NotImplementedError

    def leave(self, owner: object = None) -> None:
        """Let the controller come to its end with nobody who waits for it; return at once.

        Args:
            owner: What has to live until then.
        """

    def stop(self, timeout_s: float | None = None) -> None:
        """Let the controller come to its end and wait for it, or raise what ended it."""

    def cancel(self, *, quiet: bool = False) -> Any:
        """End it now."""
