"""Why a motion ended, in the words of libfranka (fci-protocol 8)."""

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kinegraph.robot import conversion_codes as codes
from kinegraph.robot.error_flags import Errors
from kinegraph.robot.errors import (
    ControlError,
    FrankaError,
    InvalidArgumentError,
    NetworkError,
    ProtocolError,
)
from kinegraph.robot.exchange import Exchange
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.loop_layout import (
    B_CONTROLLER,
    B_CYCLES,
    B_FAULT,
    B_GENERATOR,
    B_MOTION,
    END_BAD_DATAGRAMS,
    END_CONTROLLER,
    END_FINISHED,
    END_LEFT,
    END_MOVE_REPLIED,
    END_NEVER_IDLE,
    END_NO_POSE,
    END_NOT_FINITE,
    END_REFUSED,
    END_REQUESTED,
    END_SILENT,
    END_SOCKET,
    END_TCP_CLOSED,
    END_TORQUE_NOT_FINITE,
    Y_COMMAND,
    Y_MESSAGE_ID,
)
from kinegraph.robot.modes import RobotMode
from kinegraph.robot.replies import move_text, status_name
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import (
    STATE_FIELDS,
    STATE_OFFSETS,
    STATE_SIZE,
    S_control_command_success_rate,
    S_controller_mode,
    S_last_motion_errors,
    S_motion_generator_mode,
    S_robot_mode,
    S_time,
)
from kinegraph.scene.array_types import Array

__all__ = ["END_RAISED", "Cycle", "Ending"]

LOG_SIZE = 50
LEAVING = (END_NOT_FINITE, END_CONTROLLER, END_TORQUE_NOT_FINITE, END_REFUSED, END_NO_POSE)
KNOWN = range(END_REQUESTED, END_NO_POSE + 1)
END_RAISED = 1000
"""End code, beside those of the compiled loops, of a controller that raised in Python."""
_ERRORS = slice(S_last_motion_errors, S_last_motion_errors + 41)


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """One entry of the log that a `ControlError` carries.

    Attributes:
        state: A state as received.
        command: (COMMAND_SIZE,) command that answered it, see `wire/state_layout.py`; None if none
            was sent.
    """

    state: RobotState
    command: Array | None


class Ending:
    """Turns an end code and the robot's reply into the error that a user sees.

    Args:
        link: The robot's connection and loop.
        explain: Says what a controller's fault code means.

    Attributes:
        raised: What the controller raised on the loop's thread.
        cycles: Control cycles that there were.
    """

    def __init__(self, link: RobotLink, explain: Callable[[int], FrankaError]) -> None:
        self._link = link
        self._explain = explain
        self.raised: Exception | None = None
        self.cycles = 0
        self._status: int | None = None
        self._code = 0
        self._fault = 0
        self._motion = 0
        self._rows: Array | None = None
        self._cycles: Array | None = None

    def note(self, code: int) -> None:
        """Keep what the end is about, before the loop goes on to something else."""
        loop = self._link.loop
        self._code = code
        self.cycles = int(loop.memory.block[B_CYCLES])
        self._fault = int(loop.memory.block[B_FAULT])
        self._motion = int(loop.memory.block[B_MOTION])
        self._cycles = loop.cycles.last(2 * LOG_SIZE)
        self._rows = self._up_to_the_end(loop.states.last(2 * LOG_SIZE))[-LOG_SIZE:]

    def _up_to_the_end(self, rows: Array) -> Array:
        """Return the states up to the one that shows the end; more may have come with it."""
        block = self._link.loop.memory.block
        if not block[B_CYCLES] or self._cycles is None or not len(self._cycles):
            return rows
        shows = (
            (rows[:, S_robot_mode] == RobotMode.Move.value)
            & (rows[:, S_motion_generator_mode] == block[B_GENERATOR])
            & (rows[:, S_controller_mode] == block[B_CONTROLLER])
        )
        later = rows[:, S_time] > self._cycles[-1][Y_MESSAGE_ID]
        ended = np.flatnonzero(later & ~shows)
        return rows[: ended[0] + 1] if len(ended) else rows

    @property
    def leaves_motion(self) -> bool:
        """Whether the client ended the loop while the robot was in the motion."""
        return self._code in LEAVING or self._code not in KNOWN

    def error(self, move: Exchange | None) -> FrankaError | None:
        """Return what ended the motion, None for a regular end.

        Args:
            move: The Move request, whose last reply may still be on its way.
        """
        code = self._code
        if code == END_REQUESTED:
            return None
        if code in (END_FINISHED, END_LEFT, END_MOVE_REPLIED, END_NEVER_IDLE) and move is not None:
            return self._after_reply(move)
        simple = {
            END_SILENT: self._silence,
            END_BAD_DATAGRAMS: self._silence,
            END_TCP_CLOSED: self._closed,
            END_NOT_FINITE: self._not_finite,
            END_CONTROLLER: lambda: self._explain(self._fault),
            END_TORQUE_NOT_FINITE: self._torque_not_finite,
            END_REFUSED: self._refused,
            END_NO_POSE: self._no_pose,
            END_SOCKET: self._socket,
            END_RAISED: self._raised,
        }
        return simple.get(code, self._unknown)()

    # --- the robot's word -----------------------------------------------------------------------

    def _after_reply(self, move: Exchange) -> FrankaError | None:
        link = self._link
        timeout_s = 0.0 if self._code == END_NEVER_IDLE else link.timeout_s
        try:
            if self._status is None:  # kept: it comes once, and the first to ask may be interrupted
                self._status = move.status(timeout_s)
            name = status_name(link.connection.channel.protocol, "Move", self._status)
        except NetworkError as error:
            if self._code == END_NEVER_IDLE and link.connection.channel.is_open:
                return self._control("the robot does not leave the finished motion", "")
            return error
        except FrankaError as error:
            return error
        if self._code == END_FINISHED and name in ("Success", "MotionStarted"):
            return None
        if name in ("Success", "MotionStarted"):
            return ProtocolError("Unexpected reply to a Move command", command="Move", status=name)
        return self._aborted(name)

    def _aborted(self, name: str) -> ControlError:
        text = f"libfranka: {move_text(name, self._mode())}"
        if name != "ReflexAborted":
            if self._code == END_LEFT and self._mode() == RobotMode.Other.value:
                text += ' The states show the robot mode "Other"'  # what made us stop it
            return self._control(text, name)
        if self._code == END_FINISHED:
            text = "Motion finished commanded, but the robot is still moving!"
        return self._control(f"{text} {self._reasons()}{self._success_rate()}", name)

    def _mode(self) -> int:
        rows = self._rows
        return 0 if rows is None or not len(rows) else int(rows[-1][S_robot_mode])

    def _reasons(self) -> Errors:
        # The reply may have come with a state that was still on its way at the loop's end.
        row = self._link.newest_row()
        reasons = Errors.from_flags(row[_ERRORS])
        rows = self._rows
        if reasons or rows is None or not len(rows):
            return reasons
        return Errors.from_flags(rows[-1][_ERRORS])

    def _success_rate(self) -> str:
        rows = self._rows
        if rows is None or len(rows) < 2:
            return ""
        lost = max(int(rows[-1][S_time] - rows[-2][S_time]) - 1, 0)
        rate = rows[-2][S_control_command_success_rate] * (1.0 - lost / 100.0)
        text = f"\ncontrol_command_success_rate: {rate:g}"
        return text if lost == 0 else f"{text} packets lost in a row in the last sample: {lost}"

    def _control(self, text: str, status: str) -> ControlError:
        return ControlError(text, status=status, reflex_reason=self._reasons(), log=self._log())

    def _log(self) -> tuple[Cycle, ...]:
        if self._rows is None or self._cycles is None:
            return ()
        commands = {int(row[Y_MESSAGE_ID]): row[Y_COMMAND:] for row in self._cycles}
        return tuple(
            Cycle(RobotState.from_row(row[:STATE_SIZE]), commands.get(int(row[S_time])))
            for row in self._rows
        )

    # --- the client's own findings --------------------------------------------------------------

    def _silence(self) -> FrankaError:
        return self._link.silence()

    def _closed(self) -> FrankaError:
        failure = self._link.connection.channel.failure
        if failure is None:
            return NetworkError("libfranka: server closed connection")
        return failure.anew()

    def _not_finite(self) -> ProtocolError:
        name = field_of(self._fault)
        value = self._rows[-1][self._fault] if self._rows is not None and len(self._rows) else None
        return ProtocolError(
            f"the robot's state has {name} = {value}; commands computed from it are not sent",
            field=name,
            value=value,
        )

    def _no_pose(self) -> ProtocolError:
        name = field_of(self._fault).partition("[")[0]
        value = self._rows[-1][self._fault : self._fault + 16] if self._rows is not None else None
        return ProtocolError(
            f"the robot's state has a {name} that is no pose (columns not orthonormal or last row "
            f"not 0 0 0 1): {value}; commands computed from it are not sent",
            field=name,
            value=value,
        )

    def _refused(self) -> InvalidArgumentError:
        text = codes.text_of(self._fault, self._motion)
        return InvalidArgumentError(f"{text}; it was not sent", code=self._fault)

    def _torque_not_finite(self) -> InvalidArgumentError:
        return InvalidArgumentError(
            "libfranka: Commanding value is infinite or NaN: tau_J of joint "
            f"{self._fault + 1}; it was not sent",
            joint=self._fault + 1,
        )

    def _raised(self) -> ControlError:
        error = ControlError(
            f"the controller raised {type(self.raised).__name__}: {self.raised}", log=self._log()
        )
        error.__cause__ = self.raised
        return error

    def _unknown(self) -> ControlError:
        return ControlError(f"the controller ended the loop with the unknown code {self._code}")

    def _socket(self) -> NetworkError:
        return NetworkError(f"libfranka: UDP: {os.strerror(self._fault)}", errno=self._fault)


def field_of(index: int) -> str:
    """Return the name of a state's number, for instance `q[3]`."""
    for name, count in STATE_FIELDS:
        at = STATE_OFFSETS[name]
        if at <= index < at + count:
            return name if count == 1 else f"{name}[{index - at}]"
    return f"number {index}"
