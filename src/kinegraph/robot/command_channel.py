"""The TCP connection to a robot: numbered requests out, replies in.

A thread takes replies off the connection, so that a connection that closes is noticed at once,
whatever else goes on. Replies are matched by the id of their command; a command may be answered
more than once (Move is). Nothing here waits without a limit.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kinegraph.robot.errors import (
    FrankaError,
    InvalidOperationError,
    NetworkError,
    ProtocolError,
)
from kinegraph.robot.exchange import Exchange
from kinegraph.robot.wire.protocol import Protocol, title

__all__ = ["CommandChannel"]

_CHUNK = 1 << 16
_REPLY_BYTES = 1 << 16
_FILE_BYTES = 64 << 20
_FILES = ("GetRobotModel", "LoadModelLibrary")
_CLOSED = "libfranka: server closed connection"

Watcher = Callable[[str, str, int, bytes], None]


class CommandChannel:
    """The TCP connection: numbered requests out, replies in.

    Args:
        sock: Connected socket, owned from now on.
        protocol: Tables of the version that is announced.
        on_close: Called once when the connection ends, in any thread.

    Attributes:
        dropped: Replies that nobody waited for.
        watchers: Called with "request" or "reply", the command, its id and the payload, in the
            thread that sends or receives; they must be quick and raise nothing.
    """

    def __init__(
        self, sock: socket.socket, protocol: Protocol, on_close: Callable[[], None] | None = None
    ) -> None:
        self.protocol = protocol
        self._header = protocol.header
        self.on_close = on_close
        self.dropped = 0
        self.watchers: tuple[Watcher, ...] = ()
        self._socket = sock
        self._process = os.getpid()
        self._sending = threading.Lock()
        self._changed = threading.Condition()
        self._exchanges: dict[int, Exchange] = {}
        self._next = 0
        self._failure: FrankaError | None = None
        self._reader = threading.Thread(
            target=self._read_replies, name="kinegraph-replies", daemon=True
        )
        self._reader.start()

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self._failure is None

    @property
    def failure(self) -> FrankaError | None:
        """Why the connection ended, None while it is open."""
        return self._failure

    def send(
        self,
        command: str,
        fields: Mapping[str, Any] | None = None,
        on_reply: Callable[[int], None] | None = None,
    ) -> Exchange:
        """Send a request.

        Args:
            command: Name of the command.
            fields: Entries of its request by name; what is not named is zero.
            on_reply: Called in the reader's thread with the number of replies so far.

        Raises:
            InvalidOperationError: The version has no such command, or the process was forked.
            NetworkError: The connection is closed or takes nothing more.
        """
        number_of_command = self.protocol.command(command)
        payload = self._pack(f"{command}.Request", fields or {})
        self._check_process()
        with self._sending:
            exchange = Exchange(self, command, self._next, on_reply)
            self._next += 1
            with self._changed:
                self._raise_failure()
                self._exchanges[exchange.number] = exchange
            size = self._header.size + len(payload)
            header = self._header.pack(number_of_command, exchange.number, size)
            self._show("request", command, exchange.number, payload)
            try:
                self._socket.sendall(header + payload)
            except OSError as error:
                self.fail(NetworkError(f"libfranka: TCP send: {error}", command=command))
                self._raise_failure()
        return exchange

    def request(
        self, command: str, fields: Mapping[str, Any] | None = None, *, timeout_s: float
    ) -> bytes:
        """Send a request and return the payload of its reply.

        Raises:
            InvalidOperationError: The version has no such command, or the process was forked.
            NetworkError: No reply in time, or the connection is closed.
            ProtocolError: What came cannot be a reply.
        """
        exchange = self.send(command, fields)
        try:
            return exchange.take(timeout_s)
        finally:
            exchange.forget()

    def post(self, command: str) -> None:
        """Send a request whose reply does not matter, if the connection is still open."""
        with contextlib.suppress(NetworkError):
            self.send(command).forget()

    def wait_for(self, exchange: Exchange, timeout_s: float) -> bytes:
        """Return the next reply of an exchange; see `Exchange.take`."""
        payload = self.await_reply(exchange, timeout_s)
        if payload is None:
            raise NetworkError(
                f"libfranka: no reply to {title(exchange.command)} within {timeout_s:g} s",
                command=exchange.command,
                timeout_s=timeout_s,
            )
        return payload

    def await_reply(self, exchange: Exchange, timeout_s: float) -> bytes | None:
        """Return the next reply of an exchange; see `Exchange.await_reply`."""
        with self._changed:
            self._changed.wait_for(lambda: exchange.waiting or self._failure is not None, timeout_s)
        return self.take_ready(exchange)

    def take_ready(self, exchange: Exchange) -> bytes | None:
        """Return a reply that is there; see `Exchange.poll`."""
        with self._changed:
            payload = exchange.pop()
        if payload is None:
            self._raise_failure()
            return None
        needed = self.protocol.size(f"{exchange.command}.Response")
        if len(payload) < needed:
            raise ProtocolError(
                f"libfranka: Incorrect TCP message size. The reply to {exchange.command} has "
                f"{len(payload)} bytes, {needed} are needed.",
                command=exchange.command,
                size=len(payload),
                expected=needed,
            )
        return payload

    def forget(self, exchange: Exchange) -> None:
        """Drop whatever replies of an exchange are there or still come."""
        with self._changed:
            self._exchanges.pop(exchange.number, None)

    def fail(self, error: FrankaError) -> None:
        """End the connection; all that wait get the error."""
        with self._changed:
            first = self._failure is None
            if first:
                self._failure = error
            self._changed.notify_all()
        if first:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            if self.on_close is not None:
                self.on_close()

    def close(self) -> None:
        """Close the connection."""
        if os.getpid() == self._process:
            self.fail(NetworkError("libfranka: the connection was closed by this program"))
            if threading.current_thread() is not self._reader:
                self._reader.join(1.0)
            with self._changed:
                exchanges = list(self._exchanges.values())
            for exchange in exchanges:  # no more replies come; those that came can be taken
                exchange.forget()
        self._socket.close()

    def drop(self) -> None:
        """Close this process's copy of the socket, in a process that was forked."""
        self._socket.close()

    def _show(self, what: str, command: str, number: int, payload: bytes) -> None:
        for watcher in self.watchers:
            watcher(what, command, number, payload)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise InvalidOperationError(
                f"this connection belongs to process {self._process}; a forked process needs its "
                "own Robot"
            )

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure.anew()

    def _pack(self, message: str, fields: Mapping[str, Any]) -> bytes:
        layout = self.protocol.message(message)
        if not layout.fields:
            return b""
        record = np.zeros((), layout.dtype)
        for name, value in fields.items():
            record[name] = value
        return record.tobytes()

    def _read_replies(self) -> None:
        try:
            while True:
                _, number, size = self._header.unpack(self._read(self._header.size))
                self._take_reply(number, size)
        except FrankaError as error:
            # Its frames hold this channel: kept with it, both would wait for the garbage collector.
            self.fail(error.with_traceback(None))
        except OSError as error:
            self.fail(NetworkError(f"libfranka: TCP receive: {error}"))

    def _take_reply(self, number: int, size: int) -> None:
        with self._changed:
            exchange = self._exchanges.get(number)
        room = _FILE_BYTES
        if exchange is not None and exchange.command not in _FILES:
            room = _REPLY_BYTES
        if not self._header.size <= size <= room:
            raise ProtocolError(
                f"libfranka: Incorrect TCP message size: a reply of {size} bytes, "
                f"{self._header.size} to {room} are possible",
                size=size,
            )
        payload = self._read(size - self._header.size, keep=exchange is not None)
        with self._changed:
            exchange = self._exchanges.get(number)
            if exchange is None:
                self.dropped += 1
            else:
                self._show("reply", exchange.command, number, payload)
                exchange.put(payload)
            self._changed.notify_all()

    def _read(self, count: int, *, keep: bool = True) -> bytes:
        """Read exactly `count` bytes; memory grows only with what has come."""
        data = bytearray()
        left = count
        while left:
            piece = self._socket.recv(min(left, _CHUNK))
            if not piece:
                raise NetworkError(_CLOSED)
            left -= len(piece)
            if keep:
                data += piece
        return bytes(data)
