"""One motion, from Move to its last reply."""

import contextlib
import logging
import threading
import time

from kinegraph.robot.argument_checks import check_duration, check_flag, check_frequency
from kinegraph.robot.ending import END_RAISED, Ending
from kinegraph.robot.errors import (
    ControlError,
    FrankaError,
    InvalidOperationError,
)
from kinegraph.robot.exchange import Exchange
from kinegraph.robot.limits import DEFAULT_CUTOFF_FREQUENCY
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.atomic_kernels import atomic_load
from kinegraph.robot.loop.cycle_kernels import end_session
from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_MOVE_REPLIED,
    B_STOP,
    END_FINISHED,
    END_REQUESTED,
    END_TCP_CLOSED,
    LoopMemory,
)
from kinegraph.robot.loop.loop_thread import Program
from kinegraph.robot.loop.rings import RingReader
from kinegraph.robot.loop_controller import LoopController, check_controller
from kinegraph.robot.motion_mode import MotionKind, MotionMode
from kinegraph.robot.move_replies import MoveReplies
from kinegraph.robot.state import RobotState
from kinegraph.scene.array_types import Array

__all__ = ["MotionSession"]

_LOG = logging.getLogger("kinegraph.robot")
_END_S = 5.0
_IDLE_S = 1.0
_QUIET_S = 1.0


class MotionSession(MoveReplies):
    """A motion.

    The loop runs until it is stopped, ends by itself, or the robot ends it; `wait` and `stop`
    return then, or raise what ended it.

    Args:
        link: The robot's connection and loop.
        kind: What is to run on the robot.
        controller: Computes the commands.
        limit_rate: Whether rates are limited before a command is sent; None: as libfranka does
            (not in version 10, in version 5).
        cutoff_frequency: Of the low-pass filter of the commands, Hz; 1000 and more: none.

    Attributes:
        controller: As given.
        cycles_from: Number of the first row of this session in the ring of cycles.
    """

    def __init__(
        self,
        link: RobotLink,
        kind: MotionKind,
        controller: LoopController,
        *,
        limit_rate: bool | None = None,
        cutoff_frequency: float = DEFAULT_CUTOFF_FREQUENCY,
    ) -> None:
        check_frequency("cutoff_frequency", cutoff_frequency)
        if limit_rate is not None:
            check_flag("limit_rate", limit_rate)
        check_controller(controller)
        self.controller = controller
        self.cycles_from = 0
        self._link = link
        self._mode = MotionMode(link.connection.channel.protocol, kind)
        default = self._mode.limits_rate
        self._limit_rate = default if limit_rate is None else bool(limit_rate)
        self._cutoff = float(cutoff_frequency)
        self._program = Program()
        self._move: Exchange | None = None
        self._claimed = False
        self._handed_over = False
        self._failed = False
        self._refused = False
        self._asked = False
        self._ending = Ending(link, controller.explain)
        self._resolving = threading.Lock()
        self._resolved = False
        self._error: FrankaError | None = None
        self._shown = False
        self._preempted = False

    # --- start ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Start the motion; return when the first cycle has run.

        Raises:
            InvalidOperationError: Another motion runs, or the robot was closed.
            CommandError: The robot refuses the motion.
            ControlError: It ended before its first cycle, or the robot is in a motion already.
            NetworkError: No reply or no state in time, or the connection is gone.
            ProtocolError: The robot answers what it must not.
        """
        self._check_new()
        try:
            self.begin()
            self.await_started(self._link.timeout_s)
            self._await_first_cycle()
        except BaseException:
            self.cancel(quiet=True)
            raise

    def begin(self) -> None:
        """Take over the loop and send Move, without waiting for the reply.

        Raises:
            InvalidOperationError: Another motion runs, or the robot was closed.
            ControlError: The robot is in a motion already.
            NetworkError: The connection is gone.
        """
        self._check_new()
        link, loop = self._link, self._link.loop
        link.check_open()  # a robot that is gone shows its last motion for ever
        if self._mode.shows_motion(link.newest_row()) and not link.is_busy:
            raise self._mode.running_already(link.newest_row())
        try:
            link.claim(self)
            self.controller.prepare(loop.memory)
            self._mode.configure(loop.memory, self._limit_rate, self._cutoff)
            self.cycles_from = loop.cycles.published
            self._handed_over = True
            self._program.run, self._program.on_end = self._run, self._on_end
            loop.switch_to(self._program)
            if not self._program.ended.is_set():  # else nobody would answer the states
                self._move = self._request_move()
        except BaseException:  # Ctrl-C at any place, too, leaves no loop and no motion behind
            if self._claimed:
                self._end_loop()
                self._failed = True
                self.stop_robot(quiet=True)
            raise

    def _check_new(self) -> None:
        if self._claimed:
            raise InvalidOperationError("a session can be started once; make another one")

    def _request_move(self) -> Exchange | None:
        """Send Move; return the request whose replies are to come."""
        channel = self._link.connection.channel
        self._asked = True
        return channel.send("Move", self._mode.request(), self._on_reply)

    def mark_claimed(self) -> None:
        """Count as running from now on; called by the link, which lets only one in."""
        self._claimed = True

    def _on_reply(self, count: int) -> None:
        if count > 1:
            self._link.loop.raise_flag(B_MOVE_REPLIED)

    def _await_first_cycle(self) -> None:
        block = self._link.loop.memory.block
        in_time = self._link.loop.waiters.wait(
            lambda: atomic_load(block, B_CYCLES) > 0 or self._program.ended.is_set(),
            self._link.timeout_s,
        )
        if self._program.ended.is_set():
            self.wait()
        elif not in_time:
            raise self.never_shown()

    @staticmethod
    def state_of(row: Array) -> RobotState:
        """Return the robot's state in a row of the ring of states."""
        return RobotState.from_row(row)

    @staticmethod
    def clock() -> float:
        """Return the time by which waiting is limited, s."""
        return time.monotonic()

    @staticmethod
    def take_time(pause: float) -> float:
        """Return `pause`, s: the motion goes on by itself."""
        return pause

    # --- the end --------------------------------------------------------------------------------

    def _run(self, memory: LoopMemory) -> int:
        # On the loop thread, which has to outlive whatever a controller does.
        try:
            return int(self.controller.run(memory))
        except Exception as error:
            _LOG.exception("a controller raised an exception")
            self._ending.raised = error
            return int(end_session(memory, END_RAISED))

    def _on_end(self, code: int) -> None:
        # On the loop thread. The robot is told at once, whoever asks for the result, and when.
        if code not in (END_FINISHED, END_TCP_CLOSED, END_REQUESTED):
            self._link.connection.channel.post("StopMove")
        self._ending.note(code)

    @property
    def is_running(self) -> bool:
        """Whether the loop runs; false once it has ended for whatever reason."""
        return (
            self._claimed
            and not self._failed
            and not self._program.ended.is_set()
            and self._link.is_ours
        )

    @property
    def error(self) -> FrankaError | None:
        """What ended the motion, None if it runs or came to a regular end."""
        return self._resolve() if self._program.ended.is_set() else None

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end of the motion.

        Returns:
            Whether it has ended; always true without a `timeout_s`.

        Raises:
            FrankaError: What ended the motion, if not a regular end.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        if timeout_s is not None:
            check_duration("timeout_s", timeout_s)
        if not self._claimed:
            raise InvalidOperationError("the motion has not been started")
        if not self._link.is_ours:
            raise self._link.of_another_process()
        if not self._failed and not self._program.ended.wait(timeout_s):
            return False
        error = self._resolve()
        if error is None and self._preempted:
            error = self.preempted()
        self._shown = True
        self._link.release(self)
        if error is not None:
            raise error.anew()
        return True

    @staticmethod
    def preempted() -> ControlError:
        """Return the error of a motion that ended because the robot was closed."""
        return ControlError("libfranka: Move command preempted! The robot was closed")

    def stop(self, timeout_s: float | None = None) -> None:
        """Let the controller come to its end, finish the motion, and wait for it.

        Raises:
            ControlError: The controller has not come to its end after `timeout_s`; it goes on.
            FrankaError: What ended the motion, if not a regular end.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        if timeout_s is not None:
            check_duration("timeout_s", timeout_s)
        self.request_stop()
        if not self.wait(timeout_s):
            raise ControlError(f"the motion goes on {timeout_s:g} s after it was told to stop")

    def request_stop(self) -> None:
        """Let the controller come to its end; return at once."""
        self._link.raise_flag(self, B_STOP)

    def leave(self, owner: object = None) -> None:
        """Let the controller come to its end with nobody who waits for it; return at once.

        Args:
            owner: What has to live until then.
        """
        self.request_stop()
        if owner is not None and self.is_running:
            thread = threading.Thread(target=self._outlast, args=(owner,), name="kinegraph-landing")
            thread.daemon = True
            thread.start()

    def _outlast(self, _owner: object) -> None:
        self._program.ended.wait()
        self.abandon()

    def cancel(self, *, quiet: bool = False, preempts: bool = False) -> None:
        """End the motion now: the robot stops it by itself.

        Sends StopMove, waits until the robot is idle, and drops the reply to Move.

        Args:
            quiet: Whether a refusal and a lost connection are passed over.
            preempts: Whether those who ask for its result get a `ControlError`.

        Raises:
            CommandError: The robot refuses to stop.
            NetworkError: No reply in time, or the connection is gone.
        """
        if self.is_running:
            self._preempted = preempts
            self._end_loop()
            self.stop_robot(quiet=quiet)

    def stop_robot(self, *, quiet: bool) -> None:
        """Send StopMove for a loop that has ended, unless the robot refused the motion.

        Raises:
            CommandError: The robot refuses to stop, and not `quiet`.
            NetworkError: No reply in time, or the connection is gone, and not `quiet`.
        """
        self._settle(None)
        if not self._asked or self._refused or not self._link.connection.channel.is_open:
            return
        timeout_s = min(self._link.timeout_s, _QUIET_S) if quiet else self._link.timeout_s
        try:
            self._link.command("StopMove", timeout_s=timeout_s)
            self._await_idle()
        except FrankaError:
            if not quiet:
                raise

    def _end_loop(self) -> None:
        if self._handed_over and not self._program.ended.is_set():
            self._link.loop.drop(self._program)
            self.await_loop_end()

    def await_loop_end(self) -> None:
        """Wait until the loop thread has left the session, which it was told to do."""
        if not self._program.ended.wait(_END_S):
            _LOG.error("the loop does not end; a controller in it hangs")

    def _settle(self, error: FrankaError | None) -> None:
        """Fix the result without asking the robot."""
        with self._resolving:
            if not self._resolved:
                self._resolved, self._error = True, error
            if self._move is not None:
                self._move.forget()
        self._link.release(self)

    def _await_idle(self) -> None:
        def idle() -> bool:
            return not self._mode.shows_motion(self._link.newest_row())

        with contextlib.suppress(FrankaError):
            self._link.loop.waiters.wait(idle, _IDLE_S)

    def _resolve(self) -> FrankaError | None:
        with self._resolving:
            if not self._resolved:
                self._error = self._ending.error(self._move)
                self._resolved = True
                if self._ending.leaves_motion:
                    self._await_idle()  # else the next motion would meet this one
                if self._move is not None:
                    self._move.forget()
            return self._error

    def abandon(self) -> None:
        """Give way to another motion; an error that nobody has seen is logged."""
        error = self._resolve()
        if error is not None and not self._shown:
            _LOG.error("a motion had ended with an error that was not asked for: %s", error)

    # --- what happened --------------------------------------------------------------------------

    def cycles(self) -> RingReader:
        """Return a reader of this session's cycles from the first one on that is still there."""
        return self._link.loop.cycles.reader(self.cycles_from)

    @property
    def cycle_count(self) -> int:
        """Control cycles so far; none before the start."""
        if self._program.ended.is_set() or not self._handed_over:
            return self._ending.cycles
        return int(self._link.loop.memory.block[B_CYCLES])
