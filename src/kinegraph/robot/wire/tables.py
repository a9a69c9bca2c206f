"""The tables of both versions of the robot: messages, commands, status bytes, enumerations.

One declarative table per version. From it come the packed numpy types, the ids of the commands and
the names of the status bytes; nothing else in the package writes an offset or an id.
Facts: FCI of libfranka 0.20/0.21 (version 10) and 0.9.2 (version 5).
"""

from collections.abc import Mapping
from types import MappingProxyType

from kinegraph.robot.wire.datagram_layout import (
    COMMAND_V5,
    COMMAND_V10,
    CONTROLLER_COMMAND_V5,
    CONTROLLER_COMMAND_V10,
    MOTION_COMMAND,
    STATE_V5,
    STATE_V10,
    Row,
)
from kinegraph.robot.wire.error_bits import ERROR_NAMES
from kinegraph.robot.wire.protocol import STATUS, Message, Protocol, messages, numbered

__all__ = ["ERROR_NAMES", "PROTOCOLS", "TCP_PORT", "Message", "Protocol"]

TCP_PORT = 1337

_DEVIATIONS: tuple[Row, ...] = tuple(
    (f"maximum_{which}_deviation.{part}", "f8", 1)
    for which in ("path", "goal_pose")
    for part in ("translation", "rotation", "elbow")
)
_MOVE: tuple[Row, ...] = (
    ("controller_mode", "u4", 1),
    ("motion_generator_mode", "u4", 1),
    *_DEVIATIONS,
)
_CONNECT: dict[str, tuple[Row, ...]] = {
    "Connect.Request": (("version", "u2", 1), ("udp_port", "u2", 1)),
}
_ROBOT_MESSAGES: dict[str, tuple[Row, ...]] = {
    "CommandHeader": (("command", "u4", 1), ("command_id", "u4", 1), ("size", "u4", 1)),
    **_CONNECT,
    "Connect.Response": (("status", "u1", 1), ("version", "u2", 1)),
    "StopMove.Request": (),
    "SetCollisionBehavior.Request": tuple(
        (f"{bound}_{what}_thresholds_{phase}", "f8", count)
        for what, count in (("torque", 7), ("force", 6))
        for phase in ("acceleration", "nominal")
        for bound in ("lower", "upper")
    ),
    "SetJointImpedance.Request": (("K_theta", "f8", 7),),
    "SetCartesianImpedance.Request": (("K_x", "f8", 6),),
    "SetGuidingMode.Request": (("guiding_mode", "bool", 6), ("nullspace", "bool", 1)),
    "SetEEToK.Request": (("EE_T_K", "f8", 16),),
    "SetNEToEE.Request": (("NE_T_EE", "f8", 16),),
    "SetLoad.Request": (("m_load", "f8", 1), ("F_x_Cload", "f8", 3), ("I_load", "f8", 9)),
    "AutomaticErrorRecovery.Request": (),
    "MotionGeneratorCommand": MOTION_COMMAND,
}
_SETTERS = (
    "SetCollisionBehavior",
    "SetJointImpedance",
    "SetCartesianImpedance",
    "SetGuidingMode",
    "SetEEToK",
    "SetNEToEE",
    "SetLoad",
)
_PLAIN_REPLIES = ("Move", "StopMove", *_SETTERS, "AutomaticErrorRecovery")
_CONNECT_STATUS = numbered("Success", "IncompatibleLibraryVersion")
_SETTER_STATUS = numbered("Success", "CommandNotPossibleRejected", "InvalidArgumentRejected")
_SETTER_STATUS_V10 = numbered(*_SETTER_STATUS, "CommandRejectedDueToActivatedSafetyFunctions")
_ROBOT_ENUMS: dict[str, Mapping[str, int]] = {
    "MoveControllerMode": numbered("JointImpedance", "CartesianImpedance", "ExternalController"),
    "StateControllerMode": numbered(
        "JointImpedance", "CartesianImpedance", "ExternalController", "Other"
    ),
    "RobotMode": numbered(
        "Other", "Idle", "Move", "Guiding", "Reflex", "UserStopped", "AutomaticErrorRecovery"
    ),
}
_GENERATORS = ("JointPosition", "JointVelocity", "CartesianPosition", "CartesianVelocity")

_V10 = Protocol(
    device="robot",
    version=10,
    tcp_port=TCP_PORT,
    commands=numbered(
        "Connect",
        "Move",
        "StopMove",
        *_SETTERS,
        "AutomaticErrorRecovery",
        "GetRobotModel",
    ),
    statuses=MappingProxyType(
        {
            "Connect": _CONNECT_STATUS,
            "Move": numbered(
                "Success",
                "MotionStarted",
                "Preempted",
                "PreemptedDueToActivatedSafetyFunctions",
                "CommandRejectedDueToActivatedSafetyFunctions",
                "CommandNotPossibleRejected",
                "StartAtSingularPoseRejected",
                "InvalidArgumentRejected",
                "ReflexAborted",
                "EmergencyAborted",
                "InputErrorAborted",
                "Aborted",
            ),
            "StopMove": numbered(
                "Success",
                "CommandNotPossibleRejected",
                "CommandRejectedDueToActivatedSafetyFunctions",
                "EmergencyAborted",
                "ReflexAborted",
                "Aborted",
            ),
            **dict.fromkeys(_SETTERS, _SETTER_STATUS_V10),
            "AutomaticErrorRecovery": numbered(
                "Success",
                "CommandNotPossibleRejected",
                "CommandRejectedDueToActivatedSafetyFunctions",
                "ManualErrorRecoveryRequiredRejected",
                "ReflexAborted",
                "EmergencyAborted",
                "Aborted",
            ),
            "GetRobotModel": numbered(
                "Success",
                "CommandNotPossibleRejected",
                "CommandRejectedDueToActivatedSafetyFunctions",
            ),
        }
    ),
    enums=MappingProxyType(
        {
            **_ROBOT_ENUMS,
            "MoveMotionGeneratorMode": numbered(*_GENERATORS, "None"),
            "StateMotionGeneratorMode": numbered("Idle", *_GENERATORS, "None"),
        }
    ),
    messages=messages(
        {
            **_ROBOT_MESSAGES,
            "Move.Request": (
                *_MOVE,
                ("use_async_motion_generator", "bool", 1),
                ("maximum_velocity", "f8", 7),
            ),
            "GetRobotModel.Request": (),
            "GetRobotModel.Response": STATUS,
            "RobotState": STATE_V10,
            "ControllerCommand": CONTROLLER_COMMAND_V10,
            "RobotCommand": COMMAND_V10,
        },
        {"GetRobotModel.Response": "robot_model"},
        _PLAIN_REPLIES,
    ),
)

_V5 = Protocol(
    device="robot",
    version=5,
    tcp_port=TCP_PORT,
    commands=numbered(
        "Connect",
        "Move",
        "StopMove",
        "GetCartesianLimit",
        *_SETTERS,
        "SetFilters",
        "AutomaticErrorRecovery",
        "LoadModelLibrary",
    ),
    statuses=MappingProxyType(
        {
            "Connect": _CONNECT_STATUS,
            "Move": numbered(
                "Success",
                "MotionStarted",
                "Preempted",
                "CommandNotPossibleRejected",
                "StartAtSingularPoseRejected",
                "InvalidArgumentRejected",
                "ReflexAborted",
                "EmergencyAborted",
                "InputErrorAborted",
                "Aborted",
            ),
            "StopMove": numbered(
                "Success",
                "CommandNotPossibleRejected",
                "EmergencyAborted",
                "ReflexAborted",
                "Aborted",
            ),
            **dict.fromkeys(("GetCartesianLimit", *_SETTERS, "SetFilters"), _SETTER_STATUS),
            "AutomaticErrorRecovery": numbered(
                "Success",
                "CommandNotPossibleRejected",
                "ManualErrorRecoveryRequiredRejected",
                "ReflexAborted",
                "EmergencyAborted",
                "Aborted",
            ),
            "LoadModelLibrary": numbered("Success", "Error"),
        }
    ),
    enums=MappingProxyType(
        {
            **_ROBOT_ENUMS,
            "MoveMotionGeneratorMode": numbered(*_GENERATORS),
            "StateMotionGeneratorMode": numbered("Idle", *_GENERATORS),
            "Architecture": numbered("X64", "X86", "ARM", "ARM64"),
            "System": numbered("Linux", "Windows"),
        }
    ),
    messages=messages(
        {
            **_ROBOT_MESSAGES,
            "Move.Request": _MOVE,
            "GetCartesianLimit.Request": (("id", "i4", 1),),
            "GetCartesianLimit.Response": (
                ("status", "u1", 1),
                ("object_world_size", "f8", 3),
                ("object_frame", "f8", 16),
                ("object_activation", "bool", 1),
            ),
            "SetFilters.Request": tuple(
                (f"{what}_filter_frequency", "f8", 1)
                for what in (
                    "joint_position",
                    "joint_velocity",
                    "cartesian_position",
                    "cartesian_velocity",
                    "controller",
                )
            ),
            "LoadModelLibrary.Request": (("architecture", "u1", 1), ("system", "u1", 1)),
            "LoadModelLibrary.Response": STATUS,
            "RobotState": STATE_V5,
            "ControllerCommand": CONTROLLER_COMMAND_V5,
            "RobotCommand": COMMAND_V5,
        },
        {"LoadModelLibrary.Response": "library"},
        (*_PLAIN_REPLIES, "SetFilters"),
    ),
)

PROTOCOLS: Mapping[int, Protocol] = MappingProxyType({10: _V10, 5: _V5})
"""The robot's protocols by version."""
