"""Takes a hand's states off its socket, in a thread, so that the newest is always there."""

import contextlib
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from kinegraph.robot.errors import FrankaError, NetworkError, ProtocolError

__all__ = ["DeviceState", "StateReceiver", "StateT"]

KEPT = 4096
BAD_RUN = 20
_WRAP, _HALF = 1 << 32, 1 << 31
_DATAGRAM = 2048
_TICK_S = 0.5


class DeviceState(Protocol):
    """What every state has."""

    @property
    def time(self) -> int:
        """The device's counter at this state, ms."""
        ...


StateT = TypeVar("StateT", bound=DeviceState)


class StateReceiver(Generic[StateT]):
    """The states of one connection.

    A datagram that is too short, comes from elsewhere than the first state or is older than the
    newest one is dropped and counted.

    Args:
        udp: Non-blocking socket, read by this object alone.
        decode: Returns the state of a datagram; raises a `ProtocolError` for what is none.
        failure: Returns why the connection has ended, None while it is open.

    Attributes:
        received: States that were taken.
        dropped: Datagrams that were not.
    """

    def __init__(
        self,
        udp: socket.socket,
        decode: Callable[[bytes], StateT],
        failure: Callable[[], FrankaError | None],
    ) -> None:
        self.received = 0
        self.dropped = 0
        self._udp = udp
        self._decode = decode
        self._failure = failure
        self._kept: deque[StateT] = deque(maxlen=KEPT)
        self._reading = threading.Lock()
        self._changed = threading.Condition()
        self._sender: tuple[str, int] | None = None
        self._bad = 0
        self._ending = threading.Event()
        self._wake, self._woken = socket.socketpair()
        self._thread = threading.Thread(
            target=self._receive, name="kinegraph-hand-states", daemon=True
        )
        self._thread.start()

    @property
    def newest(self) -> StateT | None:
        """The newest state, None before the first."""
        with self._changed:
            return self._kept[-1] if self._kept else None

    def catch_up(self) -> int:
        """Take what waits in the socket, however late the thread is; return how many came so far.

        What comes after those is newer than this call.
        """
        with contextlib.suppress(OSError, ValueError):  # the socket was closed
            self._drain()
        with self._changed:
            return self.received

    def take(self, after: int, timeout_s: float, *, newest: bool = False) -> tuple[int, StateT]:
        """Return the next state behind the first `after` ones, and how many there are with it.

        Args:
            after: States that were taken before; older than what is kept: the oldest kept follows.
            timeout_s: Longest wait, s.
            newest: Whether to skip to the newest.

        Raises:
            NetworkError: None came in time, twenty bad datagrams in a row, or a lost connection.
            FrankaError: What else ended the connection.
        """
        end = time.monotonic() + timeout_s
        with self._changed:
            self._changed.wait_for(
                lambda: self.received > after or self._is_over, max(end - time.monotonic(), 0.0)
            )
            failure = self._failure()
            if failure is not None:
                raise failure.anew()
            if self.received > after:
                first = self.received - len(self._kept)
                number = self.received - 1 if newest else max(after, first)
                return number + 1, self._kept[number - first]
            raise self._silence(timeout_s)

    @property
    def _is_over(self) -> bool:
        return self._ending.is_set() or self._failure() is not None or self._bad >= BAD_RUN

    def _silence(self, timeout_s: float) -> NetworkError:
        facts = {"received": self.received, "dropped": self.dropped}
        if self._bad >= BAD_RUN:
            return NetworkError(
                "libfranka: incorrect object size: twenty UDP datagrams in a row are not this "
                "hand's states",
                **facts,
            )
        return NetworkError(
            f"libfranka: UDP receive: Timeout. No state of the hand within {timeout_s:g} s", **facts
        )

    def notify(self) -> None:
        """Let those who wait look again: the connection has ended."""
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """End the thread."""
        self._ending.set()
        with contextlib.suppress(OSError):
            self._wake.send(b"\0")
        if threading.current_thread() is not self._thread:
            self._thread.join(2.0 * _TICK_S)
        self.notify()
        self._wake.close()
        self._woken.close()

    def _receive(self) -> None:
        poll = select.poll()  # select() knows no descriptor above 1023
        poll.register(self._udp, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        while not self._ending.is_set():
            try:
                poll.poll(1000.0 * _TICK_S)
                self._drain()
            except (OSError, ValueError):  # the socket was closed
                return

    def _drain(self) -> None:
        for _ in range(KEPT):  # a flood does not hold up who catches up
            with self._reading:
                try:
                    datagram, sender = self._udp.recvfrom(_DATAGRAM)
                except BlockingIOError:
                    return
                with self._changed:
                    self._take(datagram, sender)
                    self._changed.notify_all()

    def _take(self, datagram: bytes, sender: tuple[str, int]) -> None:
        try:
            state = self._decode(datagram)
        except ProtocolError:
            self._drop()
            return
        if self._sender not in (None, sender):
            self._drop()
            return
        # The counter may wrap after 49 days.
        if self._kept and not 0 < (state.time - self._kept[-1].time) % _WRAP < _HALF:
            self.dropped += 1
            return
        self._sender = sender
        self._bad = 0
        self._kept.append(state)
        self.received += 1

    def _drop(self) -> None:
        self.dropped += 1
        self._bad += 1
