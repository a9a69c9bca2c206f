"""The client of a vacuum gripper (cobot-pump), by libfranka's protocol.

No program of others that serves one was at hand: messages and texts follow libfranka's sources
(fci-protocol section 15), the tests use a scripted device.
"""

from dataclasses import dataclass
from enum import Enum

from kinegraph.robot.argument_checks import check_duration, check_whole
from kinegraph.robot.errors import InvalidArgumentError, ProtocolError
from kinegraph.robot.hand.action import HandAction
from kinegraph.robot.hand.client import HandClient
from kinegraph.robot.hand.state import first_record
from kinegraph.robot.wire.gripper_tables import VACUUM_GRIPPER

__all__ = ["VacuumDeviceStatus", "VacuumGripper", "VacuumGripperState", "VacuumProfile"]

_LAYOUT = VACUUM_GRIPPER.dtype("VacuumGripperState")
BYTE_MAX, WAIT_MAX_S = 255, 1e9


class VacuumProfile(Enum):
    """A production setup of the device, see its manual."""

    P0 = 0
    P1 = 1
    P2 = 2
    P3 = 3


class VacuumDeviceStatus(Enum):
    """How the device is."""

    Green = 0
    Yellow = 1
    Orange = 2
    Red = 3


@dataclass(frozen=True, slots=True)
class VacuumGripperState:
    """One state of a vacuum gripper, immutable; `==` compares exactly.

    Attributes:
        in_control_range: Whether the vacuum is within the range that was asked for.
        part_detached: Whether the part has been let go of after a suction.
        part_present: Whether there is enough vacuum for a part.
        device_status: How the device is.
        actual_power: Power of the pump, %.
        vacuum: mbar.
        time: The device's counter at this state, ms.
    """

    in_control_range: bool = False
    part_detached: bool = False
    part_present: bool = False
    device_status: VacuumDeviceStatus = VacuumDeviceStatus.Green
    actual_power: int = 0
    vacuum: int = 0
    time: int = 0

    @classmethod
    def from_wire(cls, datagram: bytes) -> "VacuumGripperState":
        """Decode a datagram; what follows the state is ignored.

        Raises:
            ProtocolError: It is shorter, or its status is none.
        """
        record = first_record(datagram, _LAYOUT, "VacuumGripperState")
        status = int(record["device_status"])
        if status not in {each.value for each in VacuumDeviceStatus}:
            raise ProtocolError(f"a vacuum gripper has no device status {status}", status=status)
        return cls(
            bool(record["in_control_range"]),
            bool(record["part_detached"]),
            bool(record["part_present"]),
            VacuumDeviceStatus(status),
            int(record["actual_power"]),
            int(record["vacuum"]),
            int(record["message_id"]),
        )


class VacuumGripper(HandClient[VacuumGripperState]):
    """A connection to one vacuum gripper; states, handles and `stop` are as with `Gripper`.

    Args:
        host: Name or IPv4 address of the robot that carries it.
        timeout_s: Limit for the end of an action, s; other replies have 10 s at most.
        port: TCP port.

    Raises:
        NetworkError: No connection or no reply.
        IncompatibleVersionError: The device speaks another version.
        ProtocolError: The answer is none of this protocol.
        InvalidOperationError: This is not Linux.
        InvalidArgumentError: An argument that can be none. Also a `ValueError`.
    """

    def __init__(
        self, host: str, timeout_s: float = 60.0, *, port: int = VACUUM_GRIPPER.tcp_port
    ) -> None:
        super().__init__(VACUUM_GRIPPER, VacuumGripperState.from_wire, host, timeout_s, port)

    def __enter__(self) -> "VacuumGripper":
        return self

    def start_vacuum(
        self, vacuum: int, within_s: float, profile: VacuumProfile = VacuumProfile.P0
    ) -> HandAction:
        """Begin to suck; see `vacuum`.

        Raises:
            InvalidArgumentError: No such vacuum, time or profile. Also a `ValueError`.
            NetworkError: The connection is gone.
            InvalidOperationError: The connection was closed.
        """
        check_whole("vacuum", vacuum, 0, BYTE_MAX)
        if not isinstance(profile, VacuumProfile):
            raise InvalidArgumentError(f"profile is {profile!r}; a VacuumProfile is needed")
        fields = {"vacuum": vacuum, "profile": profile.value, "timeout_ms": _milliseconds(within_s)}
        return self._start("Vacuum", fields)

    def start_drop_off(self, within_s: float) -> HandAction:
        """Begin to let go; see `drop_off`.

        Raises:
            InvalidArgumentError: No such time. Also a `ValueError`.
            NetworkError: The connection is gone.
            InvalidOperationError: The connection was closed.
        """
        return self._start("DropOff", {"timeout_ms": _milliseconds(within_s)})

    def vacuum(
        self, vacuum: int, within_s: float, profile: VacuumProfile = VacuumProfile.P0
    ) -> bool:
        """Suck until a part is held.

        Args:
            vacuum: Vacuum to reach, in 10 mbar.
            within_s: How long the device tries, s.
            profile: Production setup.

        Returns:
            Whether the vacuum was reached.

        Raises:
            InvalidArgumentError: No such vacuum, time or profile. Also a `ValueError`.
            CommandError: The device could not do it, or it was stopped.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidOperationError: The connection was closed.
        """
        return self._run(lambda: self.start_vacuum(vacuum, within_s, profile))

    def drop_off(self, within_s: float) -> bool:
        """Let go of the part.

        Args:
            within_s: How long the device tries, s.

        Returns:
            Whether the part is gone.

        Raises:
            InvalidArgumentError: No such time. Also a `ValueError`.
            CommandError: The device could not do it, or it was stopped.
            NetworkError: No reply in time, or a lost connection.
            ProtocolError: The reply is none.
            InvalidOperationError: The connection was closed.
        """
        return self._run(lambda: self.start_drop_off(within_s))


def _milliseconds(seconds: float) -> int:
    check_duration("within_s", seconds)
    if not seconds <= WAIT_MAX_S:
        raise InvalidArgumentError(
            f"within_s is {seconds!r}; at most {WAIT_MAX_S:g} s are possible"
        )
    return round(1000.0 * seconds)
