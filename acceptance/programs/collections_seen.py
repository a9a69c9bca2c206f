"""Python's garbage collections in a process: how many there were, and which threads did them."""

import gc
import threading
from types import TracebackType
from typing import Any

__all__ = ["Collections"]


class Collections:
    """Counts collections, and by which thread, until it is closed or its block ends.

    Python collects in the thread whose allocation was one too many.

    Attributes:
        count: All of them.
        by_thread: How many each thread did, by its name.
    """

    def __init__(self) -> None:
        self.count = 0
        self.by_thread: dict[str, int] = {}
        gc.callbacks.append(self._seen)

    def close(self) -> None:
        """Count no more."""
        gc.callbacks.remove(self._seen)

    def __enter__(self) -> "Collections":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _seen(self, phase: str, _: dict[str, Any]) -> None:
        if phase == "start":
            name = threading.current_thread().name
            self.count += 1
            self.by_thread[name] = self.by_thread.get(name, 0) + 1

    def by(self, name: str) -> int | None:
        """Return how many a thread that lives did; None if there is none of that name."""
        if all(thread.name != name for thread in threading.enumerate()):
            return None
        return self.by_thread.get(name, 0)
