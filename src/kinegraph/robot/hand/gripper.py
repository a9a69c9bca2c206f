"""The client of a Franka Hand."""

import sys
import weakref
from collections.abc import Callable, Iterator
from types import TracebackType

from kinegraph.robot.argument_checks import check_duration, check_finite_number
from kinegraph.robot.connection import Connection, check_address, connect
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.hand.action import HandAction, outcome
from kinegraph.robot.hand.receiver import StateReceiver
from kinegraph.robot.hand.state import GripperState
from kinegraph.robot.wire.gripper_tables import GRIPPER

__all__ = ["Gripper"]

REPLY_S = 10.0
SILENCE_S = 1.0
EPSILON = 0.005


class Gripper:
    """A connection to one Franka Hand.

    Its states are taken in by a thread from the first moment on: `state` is the newest one and
    takes no time. `homing`, `move` and `grasp` wait for their end, `start_homing`, `start_move` and
    `start_grasp` return at once with a `HandAction`; `stop` from any thread ends what goes on, and
    so does Ctrl-C while waiting. All methods may be called from any thread. Use it as a context
    manager, or call `close`.

    Args:
        host: Name or IPv4 address of the robot that carries the hand.
        timeout_s: Limit for the end of an action, s; other replies have 10 s at most.
        port: TCP port.

    Raises:
        NetworkError: No connection or no reply.
        IncompatibleVersionError: The hand speaks another version.
        ProtocolError: The answer is none of this protocol.
        InvalidOperationError: This is not Linux.
        InvalidArgumentError: An argument that can be none. Also a `ValueError`.
    """

    def __init__(self, host: str, timeout_s: float = 60.0, *, port: int = GRIPPER.tcp_port) -> None:
        if not sys.platform.startswith("linux"):
            raise InvalidOperationError("the hand's client needs Linux")
        check_duration("timeout_s", timeout_s, zero=False)
        if timeout_s == float("inf"):
            raise InvalidArgumentError("timeout_s is infinite; every action needs a limit")
        check_address(host, port)
        self._timeout_s = float(timeout_s)
        self._reply_s = min(self._timeout_s, REPLY_S)
        self._connection = connect(host, port, GRIPPER, self._reply_s)
        channel = self._connection.channel
        self._states = StateReceiver(self._connection.udp, lambda: channel.failure)
        channel.on_close = self._states.notify
        self._finalizer = weakref.finalize(self, _close, self._connection, self._states)

    # --- the connection -------------------------------------------------------------------------

    def __enter__(self) -> "Gripper":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; later calls do nothing. A hand that moves goes on."""
        self._finalizer()

    @property
    def server_version(self) -> int:
        """Version that the hand called its own when it accepted the connection."""
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
            raise InvalidOperationError("this gripper has been closed")

    # --- states ---------------------------------------------------------------------------------

    @property
    def state(self) -> GripperState:
        """The newest state; waits only if none has come yet.

        Raises:
            NetworkError: None came within 1 s, or a lost connection.
            InvalidOperationError: The gripper was closed.
        """
        self._check_open()
        newest = self._states.newest
        if newest is not None and self._connection.channel.is_open:
            return newest
        return self._states.take(0, SILENCE_S, newest=True)[1]

    def read_once(self, timeout_s: float = SILENCE_S) -> GripperState:
        """Wait for the next state and return it; `state` is there without waiting.

        Args:
            timeout_s: Longest wait, s.

        Raises:
            NetworkError: No state in time, twenty bad datagrams in a row, or a lost connection.
            InvalidOperationError: The gripper was closed.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        check_duration("timeout_s", timeout_s)
        self._check_open()
        return self._states.take(self._states.received, timeout_s)[1]

    def states(self, timeout_s: float = SILENCE_S) -> Iterator[GripperState]:
        """Iterate over every state from now on; the last 4096 are kept for a slow reader.

        Args:
            timeout_s: Longest wait for a state, s.

        Raises:
            NetworkError: As `read_once`; at the state that does not come.
            InvalidOperationError: The gripper was closed.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        check_duration("timeout_s", timeout_s)
        self._check_open()
        return self._iterate(self._states.received, timeout_s)

    def _iterate(self, position: int, timeout_s: float) -> Iterator[GripperState]:
        while True:
            self._check_open()
            position, state = self._states.take(position, timeout_s)
            yield state

    @property
    def dropped(self) -> int:
        """Datagrams that were no states of this hand, or old ones."""
        return self._states.dropped

    # --- actions --------------------------------------------------------------------------------

    def start_homing(self) -> HandAction:
        """Begin to find the largest width; see `homing`.

        Raises:
            NetworkError: The connection is gone.
            InvalidOperationError: The gripper was closed.
        """
        return self._start("Homing", {})

    def start_move(self, width: float, speed: float) -> HandAction:
        """Begin to move the fingers; see `move`.

        Raises:
            InvalidArgumentError: No finite number. Also a `ValueError`.
            NetworkError: The connection is gone.
            InvalidOperationError: The gripper was closed.
        """
        return self._start("Move", {"width": width, "speed": speed})

    def start_grasp(
        self,
        width: float,
        speed: float,
        force: float,
        epsilon_inner: float = EPSILON,
        epsilon_outer: float = EPSILON,
    ) -> HandAction:
        """Begin to grasp; see `grasp`.

        Raises:
            InvalidArgumentError: No finite number. Also a `ValueError`.
            NetworkError: The connection is gone.
            InvalidOperationError: The gripper was closed.
        """
        fields = {
            "width": width,
            "epsilon_inner": epsilon_inner,
            "epsilon_outer": epsilon_outer,
            "speed": speed,
            "force": force,
        }
        return self._start("Grasp", fields)

    def homing(self) -> bool:
        """Find the largest width: the fingers close and open. Needed after fingers were changed.

        Returns:
            Whether it was found.

        Raises:
            CommandError: The hand could not do it, or it was stopped.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidOperationError: The gripper was closed.
        """
        return self._run(self.start_homing)

    def move(self, width: float, speed: float) -> bool:
        """Move the fingers to a width.

        Args:
            width: Distance between them, m.
            speed: m/s.

        Returns:
            Whether the width was reached.

        Raises:
            InvalidArgumentError: No finite number. Also a `ValueError`.
            CommandError: The hand could not do it, or it was stopped.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidOperationError: The gripper was closed.
        """
        return self._run(lambda: self.start_move(width, speed))

    def grasp(
        self,
        width: float,
        speed: float,
        force: float,
        epsilon_inner: float = EPSILON,
        epsilon_outer: float = EPSILON,
    ) -> bool:
        """Close the fingers onto an object and hold it.

        It is held when the fingers come to rest between `width - epsilon_inner` and
        `width + epsilon_outer`.

        Args:
            width: Width of the object, m.
            speed: m/s.
            force: N.
            epsilon_inner: How much narrower the object may be, m.
            epsilon_outer: How much wider it may be, m.

        Returns:
            Whether an object is held.

        Raises:
            InvalidArgumentError: No finite number. Also a `ValueError`.
            CommandError: The hand could not do it, or it was stopped.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidOperationError: The gripper was closed.
        """
        return self._run(
            lambda: self.start_grasp(width, speed, force, epsilon_inner, epsilon_outer)
        )

    def stop(self) -> bool:
        """Stop whatever goes on; who waits for it gets a `CommandError` that says aborted.

        Returns:
            Whether the hand has stopped.

        Raises:
            CommandError: The hand could not stop.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidOperationError: The gripper was closed.
        """
        self._check_open()
        reply = self._connection.channel.request("Stop", timeout_s=self._reply_s)
        return outcome("Stop", reply)

    def _start(self, command: str, fields: dict[str, float]) -> HandAction:
        for name, value in fields.items():
            check_finite_number(name, value)
        self._check_open()
        exchange = self._connection.channel.send(command, fields)
        return HandAction(exchange, self._timeout_s)

    def _run(self, start: Callable[[], HandAction]) -> bool:
        try:
            return start().wait()
        except Exception:
            raise
        except BaseException:  # Ctrl-C, even just behind the request: nothing goes on by itself
            self._connection.channel.post("Stop")
            raise


def _close(connection: Connection, states: StateReceiver) -> None:
    states.close()
    connection.close()
