"""One TCP connection of a client: bytes to requests, replies to bytes."""

import socket
import struct
import time
from collections.abc import Iterator

__all__ = ["HEADER", "Request", "Session"]

HEADER = struct.Struct("<III")
# No request of either version is longer than 428 bytes.
MAX_REQUEST = 1 << 16
SEND_LIMIT_S = 1.0

Request = tuple[int, int, bytes]
"""Command, command id, payload."""


class Session:
    """A connection, possibly before its Connect request.

    Attributes:
        peer: Address of the client.
        opened: When it was accepted, `time.monotonic`.
        states: The UDP socket of the states; None before a Connect was answered with Success.
        move: Command id of the Move that has not got its second reply, None without one.
        recovery: Command id of the error recovery that is going on, None without one.
        waiting: The Connect request that waits for the owner to leave, None without one.
        waits_until: When it is refused, `time.monotonic`.
    """

    def __init__(self, connection: socket.socket, peer: str) -> None:
        connection.settimeout(SEND_LIMIT_S)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.peer = peer
        self.opened = time.monotonic()
        self.states: socket.socket | None = None
        self.move: int | None = None
        self.recovery: int | None = None
        self.waiting: Request | None = None
        self.waits_until = 0.0
        self._buffer = bytearray()

    def receive(self) -> bool:
        """Take what has arrived; False when the client has gone."""
        try:
            data = self.connection.recv(1 << 16)
        except OSError:
            return False
        self._buffer += data
        return bool(data)

    def requests(self) -> Iterator[Request]:
        """Complete requests in order of arrival.

        Raises:
            ValueError: The bytes are no request.
        """
        while len(self._buffer) >= HEADER.size:
            command, number, size = HEADER.unpack_from(self._buffer)
            if not HEADER.size <= size <= MAX_REQUEST:
                raise ValueError(f"a request of {size} bytes")
            if len(self._buffer) < size:
                return
            payload = bytes(self._buffer[HEADER.size : size])
            del self._buffer[:size]
            yield command, number, payload

    def reply(self, command: int, number: int, payload: bytes) -> None:
        """Send a reply.

        Raises:
            OSError: The client has gone or does not read.
        """
        self.connection.sendall(HEADER.pack(command, number, HEADER.size + len(payload)) + payload)

    def close(self) -> None:
        """Close both sockets."""
        self.connection.close()
        if self.states is not None:
            self.states.close()
            self.states = None
