"""The tables of the Franka Hand and of the vacuum gripper, the same on both robots."""

from types import MappingProxyType

from kinegraph.robot.wire.datagram_layout import Row
from kinegraph.robot.wire.protocol import Protocol, messages, numbered

__all__ = ["GRIPPER", "VACUUM_GRIPPER"]

_CONNECT_STATUS = numbered("Success", "IncompatibleLibraryVersion")
_SMALL_HEADER: tuple[Row, ...] = (("command", "u2", 1), ("command_id", "u4", 1), ("size", "u4", 1))
_SMALL_STATUS: tuple[Row, ...] = (("status", "u2", 1),)
_ACTION_STATUS = numbered("Success", "Fail", "Unsuccessful", "Aborted")
_SMALL_CONNECT: dict[str, tuple[Row, ...]] = {
    "CommandHeader": _SMALL_HEADER,
    "Connect.Request": (("version", "u2", 1), ("udp_port", "u2", 1)),
    "Connect.Response": (("status", "u2", 1), ("version", "u2", 1)),
}

GRIPPER = Protocol(
    device="gripper",
    version=3,
    tcp_port=1338,
    commands=numbered("Connect", "Homing", "Grasp", "Move", "Stop"),
    statuses=MappingProxyType(
        {
            "Connect": _CONNECT_STATUS,
            **dict.fromkeys(("Homing", "Grasp", "Move", "Stop"), _ACTION_STATUS),
        }
    ),
    enums=MappingProxyType({}),
    messages=messages(
        {
            **_SMALL_CONNECT,
            "Homing.Request": (),
            "Stop.Request": (),
            "Move.Request": (("width", "f8", 1), ("speed", "f8", 1)),
            "Grasp.Request": (
                ("width", "f8", 1),
                ("epsilon_inner", "f8", 1),
                ("epsilon_outer", "f8", 1),
                ("speed", "f8", 1),
                ("force", "f8", 1),
            ),
            **{f"{name}.Response": _SMALL_STATUS for name in ("Homing", "Grasp", "Move", "Stop")},
            "GripperState": (
                ("message_id", "u4", 1),
                ("width", "f8", 1),
                ("max_width", "f8", 1),
                ("is_grasped", "bool", 1),
                ("temperature", "u2", 1),
            ),
        },
        {},
        (),
    ),
)
"""The Franka Hand, the same on both robots."""

VACUUM_GRIPPER = Protocol(
    device="vacuum_gripper",
    version=1,
    tcp_port=1339,
    commands=numbered("Connect", "Vacuum", "DropOff", "Stop"),
    statuses=MappingProxyType(
        {
            "Connect": _CONNECT_STATUS,
            **dict.fromkeys(("Vacuum", "DropOff", "Stop"), _ACTION_STATUS),
        }
    ),
    enums=MappingProxyType(
        {
            "Profile": numbered("P0", "P1", "P2", "P3"),
            "DeviceStatus": numbered("Green", "Yellow", "Orange", "Red"),
        }
    ),
    messages=messages(
        {
            **_SMALL_CONNECT,
            "Vacuum.Request": (("vacuum", "u1", 1), ("profile", "u1", 1), ("timeout_ms", "i8", 1)),
            "DropOff.Request": (("timeout_ms", "i8", 1),),
            "Stop.Request": (),
            **{f"{name}.Response": _SMALL_STATUS for name in ("Vacuum", "DropOff", "Stop")},
            "VacuumGripperState": (
                ("message_id", "u4", 1),
                ("in_control_range", "bool", 1),
                ("part_detached", "bool", 1),
                ("part_present", "bool", 1),
                ("device_status", "u1", 1),
                ("actual_power", "i4", 1),
                ("vacuum", "i4", 1),
            ),
        },
        {},
        (),
    ),
)
"""The vacuum gripper."""
