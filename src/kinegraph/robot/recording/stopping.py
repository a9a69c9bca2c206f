"""How a recording ends with the block around it."""

from abc import ABC, abstractmethod
from types import TracebackType

__all__ = ["StoppedAtExit"]


class StoppedAtExit(ABC):
    """What is stopped when its `with` block ends."""

    @abstractmethod
    def stop(self) -> None:
        """Write what is left and close the file."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop; an error of the block comes before one of recording, which was logged."""
        try:
            self.stop()
        except Exception:
            if error is None:
                raise
