"""A motion step by step: the caller reads a state and writes a command, once per millisecond."""

import time
import weakref
from types import TracebackType

from kinegraph.robot.command_base import Command, Motion
from kinegraph.robot.commands import Torques
from kinegraph.robot.errors import ControlError, InvalidArgumentError
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.cycle_kernels import CYCLE, end_session
from kinegraph.robot.loop.driving import QuickSwitching, cycle_calls
from kinegraph.robot.loop.loop_layout import (
    B_LAST_ID,
    B_RECEIVED,
    B_SHOWN,
    B_SLICE_NS,
    BOTH_HALVES,
    END_REQUESTED,
    LoopMemory,
)
from kinegraph.robot.motion_mode import MotionKind
from kinegraph.robot.parked_loop import SLICE_NS, ParkedLoop
from kinegraph.robot.python_loop import COMMAND_TYPES
from kinegraph.robot.session import MotionSession
from kinegraph.robot.state import RobotState

__all__ = ["ActiveControl"]

_NO_FILTER = 1000.0
# States that have piled up: a socket holds at least ninety and drops what comes then.
_PILE = 64
_TURN_S = 0.5
_WRONG = "Wrong writeOnce method called for currently active control!"
_OVER = "must not be called after the motion has finished."


class ActiveControl:
    """A motion that runs and is led step by step, made by the `start_...` calls of `Robot`.

    Use it as a context manager: read a state, write the command that answers it, and mark the last
    command finished. Leaving the block before that stops the robot. Commands are checked, but
    neither filtered nor limited.

    Args:
        link: The robot's connection and loop.
        kind: What is to run on the robot.

    Raises:
        InvalidOperationError: Another motion runs, or the robot was closed.
        CommandError: The robot refuses the motion.
        ControlError: It ended before it was shown, or the robot is in a motion already.
        NetworkError: No reply or no state in time, or the connection is gone.
        ProtocolError: The robot answers what it must not.
    """

    def __init__(self, link: RobotLink, kind: MotionKind) -> None:
        self._link = link
        self._kind = kind
        self._memory = link.loop.memory
        self._parked = ParkedLoop(receives=True)
        self._session = MotionSession(
            link, kind, self._parked, limit_rate=False, cutoff_frequency=_NO_FILTER
        )
        self._finished = False
        self._last_id: int | None = None
        self._session.begin()
        self._begin_cycle, self._end_cycle = cycle_calls(self._memory)
        self._switching = QuickSwitching().begin()
        weakref.finalize(self, self._switching.end)
        self._memory.block[B_SLICE_NS] = SLICE_NS
        # Also when nobody holds it any more: the robot must not wait for commands of nobody.
        self._finalizer = weakref.finalize(
            self, _cancel, self._parked, self._session, self._memory, True
        )
        try:
            self._await_shown()
        except BaseException:
            self._stop(quiet=True)
            raise

    def _await_shown(self) -> None:
        """Wait until a state shows the motion; the next one is the first that is read."""
        link, session, block = self._link, self._session, self._memory.block
        deadline = time.monotonic() + link.timeout_s
        answered = False
        with _Turn(link, self._parked):
            while not block[B_SHOWN]:
                self._check_running()
                todo = self._begin_cycle(self._memory)
                if not answered:
                    answered = session.poll_started()
                if todo < 0:
                    self._end(-todo)
                if time.monotonic() > deadline:
                    raise session.never_shown() if answered else session.no_reply()
            if not answered:  # the state may come before the reply
                session.await_started(max(deadline - time.monotonic(), 0.0))

    # --- reading and writing --------------------------------------------------------------------

    @property
    def is_finished(self) -> bool:
        """Whether the motion has ended, for whatever reason."""
        return self._finished or self._parked.is_over

    def read_once(self) -> tuple[RobotState, float]:
        """Wait for the next state.

        Returns:
            The state, and the time since the one that was read before by the robot's clock, s; 0
            for the first. After a pause it is a fresh state, not one of those that have piled up.

        Raises:
            ControlError: The robot or another thread ended the motion, or it had ended before.
            NetworkError: No state in time, or a lost connection.
            ProtocolError: A state has numbers that no command may be computed from.
            InvalidOperationError: Another thread is at it.
        """
        if self._finished:
            raise ControlError(f"readOnce {_OVER}")
        with _Turn(self._link, self._parked):
            self._check_running()
            self._next_state()
            number = int(self._memory.block[B_LAST_ID])
            last, self._last_id = self._last_id, number
            period_s = 0.0 if last is None else (number - last) * 1e-3
            return RobotState.from_row(self._memory.state), period_s

    def _next_state(self) -> None:
        block = self._memory.block
        before, fresh = int(block[B_RECEIVED]), False
        while not fresh:
            todo = self._begin_cycle(self._memory)
            if todo < 0:
                self._end(-todo)
            taken, before = int(block[B_RECEIVED]) - before, int(block[B_RECEIVED])
            fresh = todo == CYCLE and taken < _PILE

    def write_once(self, command: Command, torques: Torques | None = None) -> None:
        """Send the command that answers the state read last.

        One that is marked finished ends the motion: the call returns when the robot rests.

        Args:
            command: Of the type that the motion asks for.
            torques: Beside a motion that was started with torques.

        Raises:
            ControlError: The motion has ended, or the command has a half that the motion lacks, or
                lacks one; the motion goes on then.
            InvalidArgumentError: It cannot be sent; the motion goes on. Also a `ValueError`.
            NetworkError: The connection is lost, or the command cannot be sent.
            InvalidOperationError: Another thread is at it.
        """
        if self._finished:
            raise ControlError(f"writeOnce {_OVER}")
        self._check_command(command, torques)
        with _Turn(self._link, self._parked):
            self._check_running()
            memory = self._memory
            for half in (command, torques):
                if isinstance(half, Torques):
                    memory.torques[:] = half.tau_J
                elif isinstance(half, Motion):
                    values = half.wanted()
                    memory.motion[: len(values)] = values
            finished = command.motion_finished or (torques is not None and torques.motion_finished)
            todo = self._end_cycle(memory, int(finished), BOTH_HALVES)
            while todo >= 0 and finished:
                todo = self._begin_cycle(memory)  # the command goes out again until the robot rests
            if todo < 0:
                self._end(-todo)

    def _check_command(self, command: Command, torques: Torques | None) -> None:
        motion = self._kind.motion
        wanted = Torques if motion == 0 else COMMAND_TYPES[motion]
        external = self._kind.controller is None
        if not isinstance(command, Command) or not isinstance(torques, Torques | None):
            got = type(command if not isinstance(command, Command) else torques).__name__
            raise InvalidArgumentError(f"write_once: a {got} is no {wanted.__name__}")
        if not isinstance(command, wanted):
            raise ControlError(_WRONG, written=type(command).__name__, wanted=wanted.__name__)
        if torques is not None and motion == 0:
            raise ControlError(_WRONG, written="two Torques", wanted="one Torques")
        if torques is not None and not external:
            raise ControlError(
                "libfranka robot: Trying to send control command, but no controller running!"
            )
        if motion != 0 and external and torques is None:
            raise ControlError("libfranka robot: Trying to send partial robot command!")

    # --- the end --------------------------------------------------------------------------------

    def _check_running(self) -> None:
        if self._parked.is_over:  # it ended while the caller was away, or the robot was closed
            self._finish()
            self._session.wait()
            raise self._session.preempted()

    def _end(self, code: int) -> None:
        """Come to the end of the motion with an end code; raise what it means."""
        self._finish()
        self._parked.release(end_session(self._memory, code))
        self._session.wait()
        if code == END_REQUESTED:
            raise self._session.preempted()

    def _finish(self) -> None:
        self._finished = True
        self._finalizer.detach()
        self._switching.end()

    def _stop(self, *, quiet: bool) -> None:
        if not self._finished:
            self._finish()
            _cancel(self._parked, self._session, self._memory, quiet)

    def __enter__(self) -> "ActiveControl":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._finished:
            return
        if kind is None:
            # Whoever leaves early still hears why the robot has ended the motion, if it has.
            with _Turn(self._link, self._parked):
                self._check_running()
                todo = self._begin_cycle(self._memory)
                if todo < 0:
                    self._end(-todo)
        self._stop(quiet=kind is not None)


class _Turn:
    """One thread at a time works on the loop's memory; a second one is told so."""

    def __init__(self, link: RobotLink, parked: ParkedLoop) -> None:
        self._link, self._parked = link, parked

    def __enter__(self) -> None:
        # The loop thread has it while the caller is away, and gives it back after a state.
        if not self._parked.take_turn(_TURN_S):
            raise self._link.busy()

    def __exit__(self, *_: object) -> None:
        self._parked.end_turn()


def _cancel(parked: ParkedLoop, session: MotionSession, memory: LoopMemory, quiet: bool) -> None:
    """Leave a motion that has not come to its end, and stop the robot."""
    parked.take_turn(-1.0)  # the loop thread may have it, and gives it back
    try:
        if parked.is_over:
            return
        parked.release(end_session(memory, END_REQUESTED))
    finally:
        parked.end_turn()
    session.await_loop_end()
    session.stop_robot(quiet=quiet)
