"""A hand that answers as a test tells it to, right or wrong, and keeps what it was sent."""

import contextlib
import socket
import struct
import threading
import time
from collections import defaultdict

from kinegraph.robot.wire.gripper_tables import GRIPPER
from kinegraph.robot.wire.protocol import Protocol

HEADER = struct.Struct("<HII")
SUCCESS, FAIL, UNSUCCESSFUL, ABORTED = range(4)


def status(number: int, padding: bytes = b"") -> bytes:
    """The payload of a reply to an action."""
    return number.to_bytes(2, "little") + padding


class ScriptedHand:
    """Serves one client after the other until it is closed.

    Attributes:
        replies: Payloads by command, used up one by one; then the regular one of success.
        unanswered: Commands that are not answered.
        requests: All requests as they came, with their headers.
        udp: Socket that states are sent from.
    """

    def __init__(self, address: str, protocol: Protocol = GRIPPER) -> None:
        self.address = address
        self.protocol = protocol
        self.replies: dict[str, list[bytes]] = defaultdict(list)
        self.unanswered: set[str] = set()
        self.requests: list[bytes] = []
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((address, 0))
        self.destination: tuple[str, int] | None = None
        self._client: socket.socket | None = None
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((address, protocol.tcp_port))
        self._listener.listen(4)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def __enter__(self) -> "ScriptedHand":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop_client()
        self._thread.join(10.0)
        self.udp.close()

    def drop_client(self) -> None:
        """Close the TCP connection."""
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)

    def send_raw(self, data: bytes) -> None:
        """Send bytes over TCP."""
        assert self._client is not None
        self._client.sendall(data)

    def send_state(self, datagram: bytes, sender: socket.socket | None = None) -> None:
        """Send bytes to the client's UDP port."""
        assert self.destination is not None
        (sender or self.udp).sendto(datagram, self.destination)

    def await_request(self, name: str, within_s: float = 60.0) -> None:
        """Wait until a command has come."""
        end = time.monotonic() + within_s
        number = self.protocol.commands[name]
        while not any(HEADER.unpack_from(data)[0] == number for data in list(self.requests)):
            assert time.monotonic() < end, f"no {name}"
            time.sleep(0.001)

    def _serve(self) -> None:
        while True:
            try:
                client, peer = self._listener.accept()
            except OSError:
                return
            self._client = client
            with contextlib.suppress(OSError, EOFError), client:
                while True:
                    self._answer(client, peer[0])

    def _answer(self, client: socket.socket, peer: str) -> None:
        header = _read(client, HEADER.size)
        command, number, size = HEADER.unpack(header)
        payload = _read(client, size - HEADER.size)
        self.requests.append(header + payload)
        name = self.protocol.command_names[command]
        if name == "Connect":
            self.destination = (peer, struct.unpack("<HH", payload)[1])
        if name in self.unanswered:
            return
        regular = struct.pack("<HH", 0, self.protocol.version)
        if name != "Connect":
            regular = status(SUCCESS)
        reply = self.replies[name].pop(0) if self.replies[name] else regular
        client.sendall(HEADER.pack(command, number, HEADER.size + len(reply)) + reply)


def _read(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = client.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data
