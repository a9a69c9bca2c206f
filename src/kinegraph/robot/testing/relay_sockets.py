"""The sockets of a client's way through a relay."""

import contextlib
import socket
import struct

from kinegraph.robot.testing.record import TcpScanner

__all__ = ["TcpStream", "bound_udp", "end", "receive"]

# SO_LINGER on, 0 s: closing resets the connection.
RESET = struct.pack("ii", 1, 0)


class TcpStream:
    """One direction of a TCP connection.

    Args:
        name: `"client"` or `"server"`: who sends.
        into: Socket of the one who gets it; it does not block.
        header_bytes: Of a message.

    Attributes:
        waiting: Bytes that could not be sent yet.
        scanner: Finds the messages.
    """

    def __init__(self, name: str, into: socket.socket, header_bytes: int) -> None:
        self.name = name
        self.into = into
        self.waiting = bytearray()
        self.scanner = TcpScanner(header_bytes, replies=name == "server")

    def send(self, data: bytes) -> None:
        """Send what waits and this, as far as the socket takes it.

        Raises:
            OSError: The connection is gone.
        """
        self.waiting += data
        with contextlib.suppress(BlockingIOError):
            while self.waiting:
                sent = self.into.send(self.waiting)
                del self.waiting[:sent]


def bound_udp(host: str) -> socket.socket:
    """Return a socket for datagrams at a free port of a host; it does not block."""
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind((host, 0))
    udp.setblocking(False)
    return udp


def receive(udp: socket.socket, buffer: bytearray) -> tuple[int, tuple[str, int] | None]:
    """Return the size and the sender of the next datagram, no sender if there is none."""
    try:
        return udp.recvfrom_into(buffer)
    except OSError:
        return 0, None


def end(sock: socket.socket, *, reset: bool) -> None:
    """Close a connection, or reset it as a peer that fails does."""
    if reset:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    sock.close()
