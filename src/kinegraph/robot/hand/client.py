"""What the clients of both hands share: connection, states, actions that go on."""

import math
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Generic

from kinegraph.robot.argument_checks import check_duration
from kinegraph.robot.connection import Connection, check_address, connect
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.hand.action import HandAction, outcome
from kinegraph.robot.hand.receiver import StateReceiver, StateT
from kinegraph.robot.wire.protocol import Protocol

__all__ = ["HandClient"]

REPLY_S = 10.0
SILENCE_S = 1.0


class HandClient(Generic[StateT]):
    """A connection to one device on the flange; see `Gripper` and `VacuumGripper`.

    Args:
        protocol: Of the device.
        decode: Returns the state of a datagram.
        host: Name or IPv4 address.
        timeout_s: Limit for the end of an action, s; other replies have 10 s at most.
        port: TCP port.
    """

    def __init__(
        self,
        protocol: Protocol,
        decode: Callable[[bytes], StateT],
        host: str,
        timeout_s: float,
        port: int,
    ) -> None:
        if not sys.platform.startswith("linux"):
            raise InvalidOperationError("the hand's client needs Linux")
        check_duration("timeout_s", timeout_s, zero=False)
        if math.isinf(timeout_s):
            raise InvalidArgumentError("timeout_s is infinite; every action needs a limit")
        check_address(host, port)
        self._timeout_s = float(timeout_s)
        self._reply_s = min(self._timeout_s, REPLY_S)
        self._connection = connect(host, port, protocol, self._reply_s)
        channel = self._connection.channel
        self._states = StateReceiver(self._connection.udp, decode, lambda: channel.failure)
        channel.on_close = self._states.notify
        self._finalizer = weakref.finalize(self, _close, self._connection, self._states)

    # --- the connection -------------------------------------------------------------------------

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; later calls do nothing. What goes on is not stopped."""
        self._finalizer()

    @property
    def server_version(self) -> int:
        """Version that the device called its own when it accepted the connection."""
        return self._connection.server_version

    @property
    def host(self) -> str:
        """Host as given."""
        return self._connection.host

    @property
    def is_connected(self) -> bool:
        """Whether commands can be sent."""
        return self._finalizer.alive and self._connection.channel.is_open

    def _check_open(self) -> None:
        if not self._finalizer.alive:
            raise InvalidOperationError("this connection has been closed")

    # --- states ---------------------------------------------------------------------------------

    @property
    def state(self) -> StateT:
        """The newest state; waits only if none has come yet.

        Raises:
            NetworkError: None came within 1 s, or a lost connection.
            InvalidOperationError: The connection was closed.
        """
        self._check_open()
        newest = self._states.newest
        if newest is not None and self._connection.channel.is_open:
            return newest
        return self._states.take(0, SILENCE_S, newest=True)[1]

    def read_once(self, timeout_s: float = SILENCE_S) -> StateT:
        """Wait for a state that comes from now on and return it; `state` is there without waiting.

        Args:
            timeout_s: Longest wait, s.

        Raises:
            NetworkError: No state in time, twenty bad datagrams in a row, or a lost connection.
            InvalidOperationError: The connection was closed.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        check_duration("timeout_s", timeout_s)
        self._check_open()
        return self._states.take(self._states.catch_up(), timeout_s)[1]

    def states(self, timeout_s: float = SILENCE_S) -> Iterator[StateT]:
        """Iterate over every state from now on; the last 4096 are kept for a slow reader.

        Args:
            timeout_s: Longest wait for a state, s.

        Raises:
            NetworkError: As `read_once`; at the state that does not come.
            InvalidOperationError: The connection was closed.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        check_duration("timeout_s", timeout_s)
        self._check_open()
        return self._iterate(self._states.catch_up(), timeout_s)

    def _iterate(self, position: int, timeout_s: float) -> Iterator[StateT]:
        while True:
            self._check_open()
            position, state = self._states.take(position, timeout_s)
            yield state

    @property
    def dropped(self) -> int:
        """Datagrams that were no states of this device, or old ones."""
        return self._states.dropped

    # --- actions --------------------------------------------------------------------------------

    def stop(self) -> bool:
        """Stop whatever goes on; who waits for it gets a `CommandError` that says aborted.

        Returns:
            Whether it has stopped.

        Raises:
            CommandError: The device could not stop.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidOperationError: The connection was closed.
        """
        self._check_open()
        channel = self._connection.channel
        return outcome(channel.protocol, "Stop", channel.request("Stop", timeout_s=self._reply_s))

    def _start(self, command: str, fields: Mapping[str, float]) -> HandAction:
        self._check_open()
        channel = self._connection.channel
        return HandAction(channel.protocol, channel.send(command, fields), self._timeout_s)

    def _run(self, start: Callable[[], HandAction]) -> bool:
        try:
            return start().wait()
        except Exception:
            raise
        except BaseException:  # Ctrl-C, even just behind the request: nothing goes on by itself
            self._connection.channel.post("Stop")
            raise


def _close(connection: Connection, states: StateReceiver[Any]) -> None:
    states.close()
    connection.close()
