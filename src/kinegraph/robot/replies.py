"""Status bytes of replies as errors, with the meaning of libfranka's texts (fci-protocol 8)."""

from collections.abc import Callable

from kinegraph.robot.errors import CommandError, FrankaError, ModelError, ProtocolError
from kinegraph.robot.wire.protocol import Protocol, title

__all__ = ["MODE_NAMES", "check_status", "move_text", "status_name"]

MODE_NAMES = (
    "Other",
    "Idle",
    "Move",
    "Guiding",
    "Reflex",
    "User stopped",
    "Automatic error recovery",
)
"""Robot modes as error texts name them."""

_SAFETY = "Please disable all safety functions."


def status_name(protocol: Protocol, command: str, status: int) -> str:
    """Return the name of a status byte.

    Raises:
        ProtocolError: The command has no such status.
    """
    name = protocol.status_names[command].get(status)
    if name is None:
        raise ProtocolError(
            f"libfranka: Unexpected response while handling {title(command)} command!",
            command=command,
            status=status,
        )
    return name


def check_status(protocol: Protocol, command: str, status: int, mode: Callable[[], int]) -> None:
    """Accept Success, raise what any other answer to a command means.

    Args:
        protocol: Of the connection.
        command: Any command but Connect and Move.
        status: Its status byte.
        mode: Returns the robot's mode.

    Raises:
        CommandError: The robot refused or aborted the command.
        ModelError: It has no model library to hand out.
        ProtocolError: The command has no such status.
    """
    name = status_name(protocol, command, status)
    if name == "Success":
        return
    kind = ModelError if command == "LoadModelLibrary" else CommandError
    raise kind(f"libfranka: {_text(command, name, mode())}", command=command, status=name)


def _text(command: str, status: str, mode: int) -> str:
    what = title(command)
    if status == "CommandNotPossibleRejected" or (command, status) == ("StopMove", "Aborted"):
        return not_possible(what, mode)
    if status == "CommandRejectedDueToActivatedSafetyFunctions":
        # libfranka names these two Move, and puts a blank behind the setters' text.
        named = "Move" if command in ("StopMove", "AutomaticErrorRecovery") else what
        blank = " " if command.startswith("Set") else ""
        return f"{named} command rejected due to activated safety function! {_SAFETY}{blank}"
    return {
        "InvalidArgumentRejected": f"{what} command rejected: invalid argument!",
        "EmergencyAborted": f"{what} command aborted: User Stop pressed!",
        "ReflexAborted": f"{what} command aborted: motion aborted by reflex!",
        "ManualErrorRecoveryRequiredRejected": (
            f"{what} command rejected: manual error recovery required!"
        ),
        "Aborted": f"{what} command aborted!",
        "Error": "Server reports error when loading model library.",
    }[status]


def not_possible(what: str, mode: int) -> str:
    """Return the text of a command that the robot's mode does not allow."""
    name = MODE_NAMES[mode] if 0 <= mode < len(MODE_NAMES) else MODE_NAMES[0]
    brakes = " Did you open the brakes?" if name == "Other" else ""
    return f'{what} command rejected: command not possible in the current mode ("{name}")!{brakes}'


def move_text(status: str, mode: int) -> str:
    """Return the text of a Move that was refused or aborted.

    Args:
        status: Name of the status.
        mode: The robot's mode.
    """
    if status == "CommandNotPossibleRejected":
        return not_possible("Move", mode)
    return {
        "Preempted": "Move command preempted!",
        "PreemptedDueToActivatedSafetyFunctions": (
            f"Move command preempted due to activated safety function! {_SAFETY}"
        ),
        "CommandRejectedDueToActivatedSafetyFunctions": (
            f"Move command rejected due to activated safety function! {_SAFETY}"
        ),
        "StartAtSingularPoseRejected": "Move command rejected: cannot start at singular pose!",
        "InvalidArgumentRejected": "Move command rejected: maximum path deviation out of range!",
        "ReflexAborted": "Move command aborted: motion aborted by reflex!",
        "EmergencyAborted": "Move command aborted: User Stop pressed!",
        "InputErrorAborted": "Move command aborted: invalid input provided!",
        "Aborted": "Move command aborted!",
        "Success": "Move command finished!",
        "MotionStarted": "Move command started!",
    }[status]


def first_move_error(protocol: Protocol, status: int, mode: int) -> FrankaError | None:
    """Return the error that a first reply to Move stands for, None for MotionStarted."""
    name = status_name(protocol, "Move", status)
    if name == "MotionStarted":
        return None
    return CommandError(f"libfranka: {move_text(name, mode)}", command="Move", status=name)
