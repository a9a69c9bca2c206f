"""The client of a Franka Hand."""

from kinegraph.robot.argument_checks import check_finite_number
from kinegraph.robot.hand.action import HandAction
from kinegraph.robot.hand.client import HandClient
from kinegraph.robot.hand.state import GripperState
from kinegraph.robot.wire.gripper_tables import GRIPPER

__all__ = ["Gripper"]

EPSILON = 0.005


class Gripper(HandClient[GripperState]):
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
        super().__init__(GRIPPER, GripperState.from_wire, host, timeout_s, port)

    def __enter__(self) -> "Gripper":
        return self

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
        return self._start("Move", _finite(width=width, speed=speed))

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
        fields = _finite(
            width=width,
            epsilon_inner=epsilon_inner,
            epsilon_outer=epsilon_outer,
            speed=speed,
            force=force,
        )
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


def _finite(**numbers: float) -> dict[str, float]:
    """Refuse what is no finite number."""
    for name, value in numbers.items():
        check_finite_number(name, value)
    return numbers
