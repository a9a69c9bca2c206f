"""A target session on an arm: cycles by the computer's clock, by the arm's, or step by step."""

import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Literal

import numpy as np

from kinegraph.kinematics.announcing import announce_compiling
from kinegraph.robot.argument_checks import check_duration, check_whole
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.errors import ControlError, FrankaError, InvalidOperationError
from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_END,
    B_PHASE,
    B_STOP,
    BLOCK_SIZE,
    PHASE_ENDED,
    PHASE_RUNNING,
)
from kinegraph.robot.loop.realtime import raise_thread
from kinegraph.robot.loop.rings import RingReader
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.torque_arm.arm_answers import ArmAnswers
from kinegraph.robot.torque_arm.arm_clock import ArmClock
from kinegraph.robot.torque_arm.arm_cycles import CycleLog
from kinegraph.robot.torque_arm.arm_row import (
    empty_row,
    send_to,
    state_in_row,
)
from kinegraph.robot.torque_arm.description import ArmDescription
from kinegraph.robot.torque_arm.protocol import ArmState, TorqueArm
from kinegraph.robot.torque_arm.turns import Turns
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["ArmSession", "Pace"]

_LOG = logging.getLogger("kinegraph.robot")
_JOIN_S = 2.0
_START_S = 10.0
_MOST_CYCLES = 2**31 - 1

Pace = Literal["clock", "arm", "stepped"]


def _leave(block: IntArray, ended: threading.Event, pid: int) -> None:
    """End a session whose interpreter goes; a forked child has no thread of it."""
    if os.getpid() == pid:
        block[B_END] = 1
        ended.wait(_JOIN_S)


class ArmSession:
    """Runs a controller's cycle on a `TorqueArm`, with `MotionSession`'s ways to start and end.

    Args:
        arm: The arm.
        description: Its kinematics and bodies.
        controller: The controller.
        cutoff_frequency: Low-pass on the torques, Hz; 1000 and more: none.
        limit_rate: Whether the arm's torque rates are kept.
        pace: "clock": 1000 cycles a second by this computer; "arm": as often as `arm.read`
            returns; both in a thread of the session's own. "stepped": as often as `step` says.
        realtime: FIFO priority and core of that thread, None: what it has.

    Attributes:
        on_end: Called once when the session has ended, on the thread that ends it.
    """

    def __init__(
        self,
        arm: TorqueArm,
        description: ArmDescription,
        controller: TargetController,
        *,
        cutoff_frequency: float,
        limit_rate: bool,
        pace: Pace,
        realtime: tuple[int | None, int | None] = (None, None),
    ) -> None:
        n = description.n
        self._arm, self._controller, self._n = arm, controller, n
        self.pace: Pace = pace
        self._dry = controller.guards.dry_run
        self._realtime = realtime
        self._block: IntArray = np.zeros(BLOCK_SIZE, dtype=np.int64)
        self._newest = empty_row()
        self._answers = ArmAnswers(
            arm, description, cutoff_frequency=cutoff_frequency, limit_rate=limit_rate
        )
        self._log = CycleLog(n)
        self._address = 0
        self._pid = os.getpid()
        self._begun, self._ended = threading.Event(), threading.Event()
        self._error: FrankaError | None = None
        self._thread: threading.Thread | None = None
        self._turns = Turns()
        self._clock = ArmClock(arm.table.name, advances=self._dry)
        self.on_end: Callable[[], None] | None = None

    # --- start ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Compile all, then run the first cycle; return after it.

        Raises:
            InvalidOperationError: It was started before.
            FrankaError: What ended it at once.
        """
        if self._block[B_PHASE] != 0 or self.is_over:
            raise InvalidOperationError("a session can be started once; make another one")
        with announce_compiling("the target controller"):
            self._address = self._controller.address()
            self._answers.rehearse(self._block.copy(), self._controller.copies(), self._address)
        self._controller.attach(self._block)
        self._block[B_PHASE] = PHASE_RUNNING
        if self.pace == "stepped":
            self.step()
            return
        self._thread = threading.Thread(target=self._main, name="kinegraph-arm", daemon=True)
        weakref.finalize(self, _leave, self._block, self._ended, self._pid)
        self._thread.start()
        if not self._begun.wait(_START_S):
            self._block[B_END] = 1  # for when the arm returns
            raise ControlError(
                f"the arm {self._arm.table.name!r} gave no state within {_START_S:g} s"
            )
        self._raise_error()

    # --- cycles ---------------------------------------------------------------------------------

    def _cycle(self) -> bool:
        """Answer one state; False when the motion has finished."""
        answers = self._answers
        answers.read()
        self._clock.check(answers.row)
        begun = time.monotonic_ns()
        answer = answers.answer(self._block, self._controller.extra, self._address)
        took = time.monotonic_ns() - begun
        self._newest = answers.row.copy()
        if answer < 0:
            raise self._controller.explain(answer)
        self._log.note(answers.row, answers.torques, took)
        if self._dry:
            return answer == 0 and not self._block[B_STOP]
        send_to(self._arm, answers.torques)
        return answer == 0

    def _advance(self) -> bool:
        """Run one cycle, or end the session; False when it has ended."""
        try:
            if self._block[B_END] == 0 and self._cycle() and self._block[B_END] == 0:
                self._begun.set()
                return True
            self._end(None)
        except FrankaError as error:
            self._end(error)
        except BaseException:  # Ctrl-C in the thread that steps, for one
            self._end(None)
            raise
        return False

    def _end(self, error: FrankaError | None) -> None:
        ran, self._block[B_PHASE] = self._block[B_PHASE] == PHASE_RUNNING, PHASE_ENDED
        self._error = None if error is None else error.anew()
        try:
            if ran and not self._dry:
                self._arm.stop()
        except Exception:
            _LOG.exception("the arm could not be stopped")
        self._ended.set()
        self._begun.set()
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end()

    def _main(self) -> None:
        with self._turns.take("start"):
            raise_thread(*self._realtime, enforce=False)
            self._run()

    def _run(self) -> None:
        due = time.monotonic()
        while self._advance():
            if self.pace == "clock":
                due += CYCLE_TIME
                ahead = due - time.monotonic()
                if ahead > 0.0:
                    time.sleep(ahead)
                else:  # late cycles are not made up for
                    due -= ahead

    def step(self, cycles: int = 1) -> bool:
        """Run cycles of a stepped session in this thread.

        Returns:
            Whether it still runs.

        Raises:
            InvalidOperationError: It runs by itself, or has not been started.
            FrankaError: What ended it, if not a regular end.
        """
        check_whole("cycles", cycles, 0, _MOST_CYCLES)
        self._check_process()
        if self.pace != "stepped" or self._block[B_PHASE] == 0:
            raise InvalidOperationError("step: only a session with pace='stepped' has steps")
        for _ in range(cycles):
            with self._turns.take("step"):
                if self.is_over or not self._advance():
                    break
        self._raise_error()
        return not self._ended.is_set()

    # --- what happens ---------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether it runs; false once it has ended for whatever reason, and in a forked child."""
        running = self._block[B_PHASE] == PHASE_RUNNING and not self._ended.is_set()
        return bool(running and os.getpid() == self._pid)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, or will never start."""
        return self._ended.is_set()

    @property
    def cycle_count(self) -> int:
        """Cycles so far."""
        return int(self._block[B_CYCLES])

    def cycles(self) -> RingReader:
        """Return a reader of the cycles, from the first that is still there."""
        return self._log.reader()

    def newest_row(self) -> Array:
        """Return the newest state's row, see `arm_row`; before the start the arm is asked."""
        if self._block[B_PHASE] == 0:
            self._answers.read()
            self._newest = self._answers.row.copy()
        return self._newest

    def state_of(self, row: Array) -> ArmState:
        """Return the arm's state in a row, see `arm_row`."""
        return state_in_row(row, self._n)

    def clock(self) -> float:
        """Return the time by which waiting is limited, s: by its cycles where it is stepped."""
        if self.pace == "stepped":
            return CYCLE_TIME * self.cycle_count
        return time.monotonic()

    def take_time(self, pause: float) -> float:
        """Step for `pause` s if it waits for its caller; return what is left to wait, s."""
        if self.pace != "stepped":
            return pause
        self.step(max(1, round(pause / CYCLE_TIME)))
        return 0.0

    # --- the end --------------------------------------------------------------------------------

    def request_stop(self) -> None:
        """Let the controller come to its end; return at once."""
        self._block[B_STOP] = 1

    def leave(self, owner: object = None) -> None:
        """Let the controller come to its end with nobody who waits for it; return at once."""
        self.request_stop()

    def stop(self, timeout_s: float | None = None) -> None:
        """Let the controller come to its end and wait for it, or step until it is there.

        Raises:
            ControlError: It has not come to its end after `timeout_s`; it goes on.
            FrankaError: What ended the session, if not a regular end.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        if timeout_s is not None:
            check_duration("timeout_s", timeout_s)
        self._check_process()
        self._turns.refuse_within("stop")
        self.request_stop()
        if self.pace == "stepped":
            end = self.clock() + (np.inf if timeout_s is None else timeout_s)
            while self.is_running and self.clock() < end:
                self.step()
        if not self._ended.wait(0.0 if self.pace == "stepped" else timeout_s):
            raise ControlError(f"the motion goes on {timeout_s:g} s after it was told to stop")
        self._raise_error()

    def cancel(self, *, quiet: bool = False) -> None:
        """End the motion now; the arm holds still by its own means.

        Args:
            quiet: As for `MotionSession.cancel`; there is nothing to be refused here.
        """
        if os.getpid() != self._pid:
            return
        self._block[B_END] = 1
        if self._turns.is_mine:
            return  # it ends with this cycle
        if self._thread is None:
            with self._turns.take("cancel"):
                if not self.is_over:
                    self._end(None)
        else:
            self._thread.join(_JOIN_S)

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error.anew()

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise InvalidOperationError(
                f"this session belongs to process {self._pid}; a forked process has none"
            )
