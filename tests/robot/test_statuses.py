"""Every status byte of every command of both versions, as the client tells them."""

import numpy as np
import pytest
from robot_addresses import fresh_address
from scripted_robot import ScriptedRobot

from kinegraph.robot import CommandError, FrankaError, ModelError, ProtocolError, Robot, Torques
from kinegraph.robot.wire.protocol import title
from kinegraph.robot.wire.tables import PROTOCOLS

pytestmark = pytest.mark.compiled

SEVEN, SIX, FIVE = [10.0] * 7, [10.0] * 6, [100.0] * 5
CALLS = {
    "SetCollisionBehavior": lambda r: r.set_collision_behavior(SEVEN, SEVEN, SIX, SIX),
    "SetJointImpedance": lambda r: r.set_joint_impedance(SEVEN),
    "SetCartesianImpedance": lambda r: r.set_cartesian_impedance(SIX),
    "SetGuidingMode": lambda r: r.set_guiding_mode([False] * 6, False),
    "SetEEToK": lambda r: r.set_K(np.eye(4)),
    "SetNEToEE": lambda r: r.set_EE(np.eye(4)),
    "SetLoad": lambda r: r.set_load(0.0, np.zeros(3), np.zeros(9)),
    "SetFilters": lambda r: r.set_filters(*FIVE),
    "GetCartesianLimit": lambda r: r.get_virtual_wall(1),
    "AutomaticErrorRecovery": lambda r: r.automatic_error_recovery(),
    "StopMove": lambda r: r.stop(),
    "GetRobotModel": lambda r: r.robot_model(),
    "LoadModelLibrary": lambda r: r.load_model("robot"),
    "Move": lambda r: r.control_torques(lambda *_: Torques(np.zeros(7), motion_finished=True)),
}
SAFETY = "activated safety function! Please disable all safety functions."
MODE = 'rejected: command not possible in the current mode ("Idle")!'
TEXTS = {
    "CommandNotPossibleRejected": MODE,
    "InvalidArgumentRejected": "rejected: invalid argument!",
    "CommandRejectedDueToActivatedSafetyFunctions": f"rejected due to {SAFETY}",
    "EmergencyAborted": "aborted: User Stop pressed!",
    "ReflexAborted": "aborted: motion aborted by reflex!",
    "ManualErrorRecoveryRequiredRejected": "rejected: manual error recovery required!",
    "Aborted": "aborted!",
}
MOVE_TEXTS = {
    "Success": "finished!",
    "Preempted": "preempted!",
    "PreemptedDueToActivatedSafetyFunctions": f"preempted due to {SAFETY}",
    "StartAtSingularPoseRejected": "rejected: cannot start at singular pose!",
    "InvalidArgumentRejected": "rejected: maximum path deviation out of range!",
    "InputErrorAborted": "aborted: invalid input provided!",
}


def wanted(command: str, status: str) -> str:
    """The text of a status."""
    if command == "LoadModelLibrary":
        return "libfranka: Server reports error when loading model library."
    if command == "Move":
        return f"libfranka: Move command {(TEXTS | MOVE_TEXTS)[status]}"
    if (command, status) == ("StopMove", "Aborted"):
        return f"libfranka: Stop Move command {MODE}"
    named, blank = title(command), ""
    if status == "CommandRejectedDueToActivatedSafetyFunctions":
        named = "Move" if command in ("StopMove", "AutomaticErrorRecovery") else named
        blank = " " if command.startswith("Set") else ""
    return f"libfranka: {named} command {TEXTS[status]}{blank}"


@pytest.mark.parametrize("version", [10, 5])
def test_every_status_of_every_command_is_told(version: int) -> None:
    protocol = PROTOCOLS[version]
    commands = [name for name in protocol.commands if name != "Connect"]
    assert set(commands) <= CALLS.keys()
    with (
        ScriptedRobot(fresh_address(), version) as server,
        Robot(server.address, version=version) as robot,
    ):
        for command in commands:
            table = dict(protocol.statuses[command])
            undefined = max(table.values()) + 1
            for status, byte in table.items():
                if status == ("MotionStarted" if command == "Move" else "Success"):
                    continue
                kind = ModelError if command == "LoadModelLibrary" else CommandError
                text = wanted(command, status)
                assert str(refused(server, robot, command, byte, kind)) == text
            for byte in (undefined, 255):
                error = refused(server, robot, command, byte, ProtocolError)
                assert str(error) == (
                    f"libfranka: Unexpected response while handling {title(command)} command!"
                )
                assert (error.command, error.status) == (command, byte)
        assert robot.is_connected


def refused(
    server: ScriptedRobot, robot: Robot, command: str, byte: int, kind: type[FrankaError]
) -> FrankaError:
    """Make a call that is answered with a status."""
    if command == "Move":
        server.move_first = byte
    else:
        server.statuses[command] = [byte]
    with pytest.raises(FrankaError) as caught:
        CALLS[command](robot)
    assert type(caught.value) is kind
    return caught.value


@pytest.mark.parametrize("version", [10, 5])
def test_commands_of_the_other_version_are_refused_before_they_are_sent(version: int) -> None:
    own, other = PROTOCOLS[version], PROTOCOLS[15 - version]
    with (
        ScriptedRobot(fresh_address(), version) as server,
        Robot(server.address, version=version) as robot,
    ):
        before = len(server.requests)
        for command in other.commands.keys() - own.commands.keys():
            with pytest.raises(FrankaError, match="is not available on FCI version") as caught:
                CALLS[command](robot)
            assert caught.value.kind == "invalid_operation"
        assert len(server.requests) == before
