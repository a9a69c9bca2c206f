"""A request to a robot and its replies."""

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kinegraph.robot.command_channel import CommandChannel

__all__ = ["Exchange"]


class Exchange:
    """One request and its replies.

    Attributes:
        command: Name of the command.
        number: Its id on this connection.
    """

    def __init__(
        self,
        channel: "CommandChannel",
        command: str,
        number: int,
        on_reply: Callable[[int], None] | None,
    ) -> None:
        self.command = command
        self.number = number
        self._channel = channel
        self._replies: deque[bytes] = deque()
        self._count = 0
        self._on_reply = on_reply

    @property
    def waiting(self) -> int:
        """Replies that have come and are not taken."""
        return len(self._replies)

    def take(self, timeout_s: float) -> bytes:
        """Return the payload of the next reply.

        Raises:
            NetworkError: None came in time, or the connection is closed.
            ProtocolError: What came cannot be a reply.
        """
        return self._channel.wait_for(self, timeout_s)

    def status(self, timeout_s: float) -> int:
        """Return the status byte of the next reply.

        Raises:
            NetworkError: None came in time, or the connection is closed.
            ProtocolError: What came cannot be a reply.
        """
        return self.take(timeout_s)[0]

    def poll(self) -> bytes | None:
        """Return the payload of a reply that is there, None if there is none.

        Raises:
            NetworkError: The connection is closed.
            ProtocolError: What came cannot be a reply.
        """
        return self._channel.take_ready(self)

    def await_reply(self, timeout_s: float) -> bytes | None:
        """Return the payload of the next reply, None if none comes in time.

        Raises:
            NetworkError: The connection is closed.
            ProtocolError: What came cannot be a reply.
        """
        return self._channel.await_reply(self, timeout_s)

    def forget(self) -> None:
        """Drop whatever replies are there or still come."""
        self._channel.forget(self)
        self._on_reply = None  # whoever asked holds this, and would hold itself by it

    def pop(self) -> bytes | None:
        """Return a reply that is there; the channel's lock is held."""
        return self._replies.popleft() if self._replies else None

    def put(self, payload: bytes) -> None:
        """Take a reply in; the channel's lock is held."""
        self._replies.append(payload)
        self._count += 1
        on_reply = self._on_reply
        if on_reply is not None:
            on_reply(self._count)
