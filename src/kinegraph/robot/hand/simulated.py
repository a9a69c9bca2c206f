"""The simulated hand as its user sees it."""

import socket
import sys
import threading
from types import TracebackType

from kinegraph.robot.argument_checks import check_duration, check_flag, check_host, check_whole
from kinegraph.robot.connection import PORT_MAX
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.hand.fingers import MAX_WIDTH, Fingers
from kinegraph.robot.hand.server import HandServer
from kinegraph.robot.hand.state import GripperState
from kinegraph.robot.listening import open_listener
from kinegraph.robot.wire.gripper_tables import GRIPPER

__all__ = ["SimulatedHand"]

TEMPERATURE_MAX = 0xFFFF


class SimulatedHand:
    """A simulated Franka Hand: TCP commands, UDP states.

    The fingers move at the speed that was asked for, up to 0.1 m/s, until they are where they
    should be or meet the object between them. A grasp closes them until they come to rest and holds
    on. A command is refused (`Fail`) when its width is no width of the hand, its speed or force is
    not positive, or a number is not finite; a newer action aborts the one that goes on.

    In real time (`realtime=True`) a thread moves the fingers and sends a state every `period_s`.
    Otherwise nothing moves but by `step`. Use it as a context manager, or call `start` and `stop`.

    Args:
        host: IPv4 address of both sockets.
        port: TCP port, 0 for any free one.
        max_width: Largest distance between the fingers, m.
        width: Distance at the start, m; None: the largest.
        object_width: Width of an object between the fingers, m; None for none.
        temperature: That the states report, degrees Celsius.
        period_s: Time between two states, s.
        realtime: Whether the clock runs by itself.

    Raises:
        InvalidArgumentError: A value that makes no hand. Also a `ValueError`.
        InvalidOperationError: This is not Linux.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = GRIPPER.tcp_port,
        *,
        max_width: float = MAX_WIDTH,
        width: float | None = None,
        object_width: float | None = None,
        temperature: int = 30,
        period_s: float = 0.01,
        realtime: bool = True,
    ) -> None:
        if not sys.platform.startswith("linux"):
            raise InvalidOperationError("the simulated hand needs Linux")
        check_host("host", host)
        check_flag("realtime", realtime)
        check_whole("port", port, 0, PORT_MAX)
        check_whole("temperature", temperature, 0, TEMPERATURE_MAX)
        check_duration("period_s", period_s, zero=False)
        if not 0.001 <= period_s <= 1.0:
            raise InvalidArgumentError(f"period_s is {period_s!r}; 0.001 to 1 s are possible")
        self._address = (host, port)
        self._fingers = Fingers(max_width, width)
        self._fingers.put_object(object_width)
        self._temperature, self._period_s = temperature, period_s
        self._realtime = realtime
        self._listener: socket.socket | None = None
        self._server: HandServer | None = None
        self._editing = threading.Lock()

    # --- life -----------------------------------------------------------------------------------

    def start(self) -> "SimulatedHand":
        """Listen, and run the clock if it is to run by itself. Returns the hand.

        Raises:
            NetworkError: The address cannot be bound.
            InvalidOperationError: It runs already.
        """
        with self._editing:
            if self._server is not None:
                raise InvalidOperationError("the simulated hand runs already")
            self._listener = open_listener(*self._address)
            self._server = HandServer(
                self._fingers, self._temperature, self._listener, self._period_s, self._realtime
            )
            self._server.start()
        return self

    def stop(self) -> None:
        """Close the connections and end the thread. A stopped hand may be started again."""
        with self._editing:
            server, self._server = self._server, None
            if server is not None:
                server.stop()
            if self._listener is not None:
                self._listener.close()

    def __enter__(self) -> "SimulatedHand":
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _running(self) -> HandServer:
        server = self._server
        if server is None:
            raise InvalidOperationError("the simulated hand does not run; call start first")
        return server

    # --- clock by hand --------------------------------------------------------------------------

    def step(self, milliseconds: int = 1) -> None:
        """Let time pass, with its states on the wire; for `realtime=False`.

        Raises:
            InvalidOperationError: The clock runs by itself, or the hand does not run.
            InvalidArgumentError: No whole number. Also a `ValueError`.
        """
        check_whole("milliseconds", milliseconds, 0, 1 << 31)
        if self._realtime:
            raise InvalidOperationError("step: the clock of this hand runs by itself")
        self._running().advance(milliseconds)

    # --- what a test or a user may look at and change -------------------------------------------

    @property
    def address(self) -> tuple[str, int]:
        """Address that clients connect to; the port is known after `start`."""
        if self._listener is not None and self._listener.fileno() >= 0:
            host, port = self._listener.getsockname()
            return host, port
        return self._address

    @property
    def state(self) -> GripperState:
        """The hand's state now."""
        server = self._server
        if server is not None:
            return server.state()
        f = self._fingers
        return GripperState(f.width, f.max_width, f.is_grasped, self._temperature, 0)

    @property
    def is_moving(self) -> bool:
        """Whether an action goes on."""
        return self._fingers.is_moving

    @property
    def client_count(self) -> int:
        """Clients that are connected."""
        return 0 if self._server is None else self._server.client_count

    @property
    def malformed(self) -> int:
        """Requests that were none, since the start."""
        return 0 if self._server is None else self._server.malformed

    @property
    def object_width(self) -> float | None:
        """Width of the object between the fingers, m; None for none. It can be set at any time.

        Fingers that hold an object which is taken away close, as the force is still there.

        Raises:
            InvalidArgumentError: It does not fit between the fingers. Also a `ValueError`.
        """
        return self._fingers.object_width

    @object_width.setter
    def object_width(self, width: float | None) -> None:
        server = self._server
        (self._fingers if server is None else server).put_object(width)
