"""What a hand was asked to do: a handle to wait for, poll or stop."""

import threading
import time

from kinegraph.robot.argument_checks import check_duration
from kinegraph.robot.errors import CommandError, FrankaError, NetworkError, ProtocolError
from kinegraph.robot.exchange import Exchange
from kinegraph.robot.wire.protocol import Protocol, title

__all__ = ["HandAction", "outcome"]

_STATUS_BYTES = 2


def outcome(protocol: Protocol, command: str, payload: bytes) -> bool:
    """Return what a reply says: done as asked, or done otherwise.

    Raises:
        CommandError: The hand could not do it, or it was aborted.
        ProtocolError: There is no such status.
    """
    status = int.from_bytes(payload[:_STATUS_BYTES], "little")
    name = protocol.status_names[command].get(status)
    who = f"libfranka {protocol.device.replace('_', ' ')}:"
    if name == "Success":
        return True
    if name == "Unsuccessful":
        return False
    if name is None:
        raise ProtocolError(
            f"{who} Unexpected response while handling command!",
            command=command,
            status=status,
        )
    said = "failed" if name == "Fail" else "aborted"
    raise CommandError(f"{who} Command {said}!", command=command, status=name)


class HandAction:
    """What goes on in a device on the flange; its reply comes when it has ended.

    Any thread may wait for it, several at a time.

    Args:
        protocol: Of the device.
        exchange: The request.
        timeout_s: How long after the request its reply must have come, s.
    """

    def __init__(self, protocol: Protocol, exchange: Exchange, timeout_s: float) -> None:
        self._protocol = protocol
        self._exchange = exchange
        self._timeout_s = timeout_s
        self._until = time.monotonic() + timeout_s
        self._taking = threading.Lock()
        self._result: bool | FrankaError | None = None

    @property
    def command(self) -> str:
        """Name of the command, such as `Move`."""
        return self._exchange.command

    @property
    def done(self) -> bool:
        """Whether it has ended, well or not."""
        if self._result is None and self._taking.acquire(blocking=False):
            try:
                self._take(0.0)
            finally:
                self._taking.release()
        return self._result is not None

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end.

        Args:
            timeout_s: Longest wait, s; None: until the reply's time limit.

        Returns:
            Whether it ended as asked: the width was reached, an object is held.

        Raises:
            CommandError: The hand could not do it, or it was stopped.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        if timeout_s is not None:
            check_duration("timeout_s", timeout_s)
        limit = self._until - time.monotonic()
        wait_s = max(limit if timeout_s is None else min(limit, timeout_s), 0.0)
        end = time.monotonic() + wait_s
        if self._taking.acquire(timeout=wait_s):
            try:
                self._take(max(end - time.monotonic(), 0.0))
            finally:
                self._taking.release()
        if self._result is None:
            waited = self._timeout_s if timeout_s is None else timeout_s
            raise NetworkError(
                f"libfranka: no reply to {title(self.command)} within {waited:g} s",
                command=self.command,
                timeout_s=waited,
            )
        if isinstance(self._result, FrankaError):
            raise type(self._result)(str(self._result), **self._result.facts)
        return self._result

    def _take(self, wait_s: float) -> None:
        """Take the reply if it comes; the lock is held."""
        if self._result is not None:
            return
        try:
            payload = self._exchange.poll()
            if payload is None and wait_s > 0.0:
                payload = self._exchange.await_reply(wait_s)
            if payload is None:
                return
            self._result = outcome(self._protocol, self.command, payload)
        except FrankaError as error:
            self._result = error
        self._exchange.forget()

    def __repr__(self) -> str:
        return f"HandAction({self.command}, {'done' if self.done else 'going on'})"
