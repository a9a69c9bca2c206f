"""`Turns`: one thread at a time works on a session, and none waits for itself."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kinegraph.robot.errors import InvalidOperationError

__all__ = ["Turns"]


class Turns:
    """A lock that knows when its own holder asks again: from within what an arm is called for."""

    def __init__(self) -> None:
        self._lock, self._holder = threading.Lock(), 0

    @property
    def is_mine(self) -> bool:
        """Whether it is the calling thread's turn."""
        return self._holder == threading.get_ident()

    def refuse_within(self, what: str) -> None:
        """Raise InvalidOperationError in a turn of the calling thread.

        Args:
            what: How the message calls what was asked for.
        """
        if self.is_mine:
            raise InvalidOperationError(
                f"{what}: called from within the arm's own read, send or stop, for which the "
                "session waits"
            )

    @contextmanager
    def take(self, what: str) -> Iterator[None]:
        """Wait for a turn, which lasts as long as the block.

        Raises:
            InvalidOperationError: As `refuse_within`.
        """
        self.refuse_within(what)
        with self._lock:
            self._holder = threading.get_ident()
            try:
                yield
            finally:
                self._holder = 0
