"""`TargetHandle`: what the handles of all target sessions have in common."""

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar, TypeVar

import numpy as np

from kinegraph.robot.argument_checks import check_duration
from kinegraph.robot.control.checks import check_positive
from kinegraph.robot.control.guards.deviation import Deviation
from kinegraph.robot.control.guards.observation import Observation
from kinegraph.robot.control.memory_layout import M_deviated
from kinegraph.robot.control.record_reader import RecordReader
from kinegraph.robot.control.target_session import TargetSession
from kinegraph.robot.control.target_steps import following, landing, run, run_async
from kinegraph.robot.errors import ControlError, InvalidOperationError
from kinegraph.robot.loop.rings import RingReader
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import S_time
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d

__all__ = ["TargetHandle"]

# Longest wait for the observer to have been called for the last cycle, s.
OBSERVED_S = 5.0
Handle = TypeVar("Handle", bound="TargetHandle")


class TargetHandle(ABC):
    """A running target session; from any thread.

    The newest target replaces the others. Use it as a context manager: leaving it lands on the
    last target and finishes the motion; leaving it by an exception ends the motion at once.

    Args:
        session: The session to be run.
        controller: Its controller.
        chain: Constants of the chain from the robot's base to the controlled link.
        newest_state: Returns the newest state's row.

    Attributes:
        owner: What the session needs as long as it runs, such as the connected robot.
        is_stopping: Whether `stop` has been called.
        observation: What the options' observer was called for, and what it lost; None without one.
    """

    _deviation_kind: ClassVar[type[Deviation]]
    """The guard of the distance from the start."""

    def __init__(
        self,
        session: TargetSession,
        controller: TargetController,
        chain: Array,
        newest_state: Callable[[], Array],
    ) -> None:
        self._session = session
        self._controller = controller
        self._chain = chain
        self._newest_state = newest_state
        self._deviation = self._deviation_kind(controller.extra.options)
        self._dropped: weakref.finalize[[object], TargetHandle] | None = None
        self.owner: object = None
        self.is_stopping = False
        self.observation = self._observation()

    def _observation(self) -> Observation | None:
        controller, session = self._controller, self._session
        observer = controller.guards.observer
        if observer is None:
            return None
        return Observation(
            observer,
            controller.observed,
            controller.records,
            lambda: session.is_running,
            int(self._chain[0]),
            session.state_of,
        )

    def start(self: Handle) -> Handle:
        """Start the motion; return when its first cycle has run.

        Raises:
            FrankaError: What kept the motion from starting, or ended it at once.
        """
        self._check_start()
        if self._dropped is None:  # from before the start on, which may be interrupted
            # A handle that is dropped lands on its last target and finishes by itself; until then
            # the robot stays connected, also when nobody else has it.
            self._dropped = weakref.finalize(self, self._session.leave, self.owner)
            self._dropped.atexit = False
        self._session.start()
        self._deviation.start = self._slot_values()[: self._controller.form.anchor_size]
        if self.observation is not None:
            try:
                self.observation.start()
            except BaseException:
                self.cancel()
                raise
        return self

    def _check_start(self) -> None:
        """Raise what speaks against a start here."""
        return

    # --- what happens ---------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether the loop runs; false once it has ended for any reason."""
        return self._session.is_running

    @property
    def cycle_count(self) -> int:
        """Control cycles so far."""
        return self._session.cycle_count

    def records(self) -> RecordReader[Any]:
        """Return a reader of the records, from the oldest that is still there."""
        return RecordReader(self._controller.records, int(self._chain[0]))

    def newest_record(self) -> Any:
        """Return the record of the newest cycle.

        Raises:
            InvalidOperationError: The session has not been started.
        """
        row, reader = self._controller.records.latest(), self.records()
        if row is None:
            raise InvalidOperationError("the session has not been started, there is no record")
        return reader.kind.from_row(row, reader.joints)

    def cycles(self) -> RingReader:
        """Return a reader of the cycles: times, commands sent, success rate."""
        return self._session.cycles()

    def state(self) -> RobotState | Any:
        """Return the newest state that the loop received; an `ArmState` of a `TorqueArm`."""
        return self._session.state_of(self._newest_state())

    def robot_time(self) -> float:
        """Return the robot's clock by the newest state, s."""
        return 1e-3 * float(self._newest_state()[S_time])

    def clock(self) -> float:
        """Return the time by which waiting is limited, s: the robot's where it waits for us."""
        return self._session.clock()

    def take_time(self, pause: float) -> float:
        """Let a session that waits for us run for a while, s; return what is left to wait."""
        return self._session.take_time(pause)

    @abstractmethod
    def at_rest(self) -> bool:
        """Whether the generator stands still on the newest target."""

    @abstractmethod
    def missing(self) -> float:
        """Return how far the arm is from the newest target, the larger of m and rad."""

    # --- targets by turns -----------------------------------------------------------------------

    def put(self, values: Array) -> int:
        """Publish a checked target, as the controller reads it; return its ticket."""
        slot = self._controller.slot
        with slot.lock:
            slot.publish(values)
            return int(slot.sequence[0])

    def put_after(self, ticket: int, values: Array) -> int | None:
        """Publish a checked target unless another came after the one with the ticket.

        Args:
            ticket: Of the target that has to be the newest.
            values: The target as the controller reads it.

        Returns:
            The ticket of this target; None if it was not published.
        """
        with self._controller.slot.lock:
            return self.put(values) if self.is_newest(ticket) else None

    def is_newest(self, ticket: int) -> bool:
        """Return whether the target with the ticket is still the newest."""
        return int(self._controller.slot.sequence[0]) == ticket

    def _slot_values(self) -> Array:
        values = self._controller.slot.read()
        if values is not None:
            return values
        form, out = self._controller.form, np.zeros(self._controller.form.target_size)
        anchor = self._controller.extra.record[form.anchor_at :]
        out[: form.anchor_size] = anchor[: form.anchor_size]
        return out

    def _check_running(self) -> None:
        if not self.is_running:
            raise InvalidOperationError(
                "the session has ended, it takes no target; if it failed, stop() has the reason"
            )

    @abstractmethod
    def _checked_goal(self, goal: Any) -> Array:
        """Return a goal of `move_to` as the controller reads it, or raise."""

    @abstractmethod
    def _checked_chunk(self, goals: Any, dt: float) -> tuple[Array, float]:
        """Return the goals of `follow` as the controller reads them, one a row, or raise.

        There may be others between them; the second is the time between two of all, s.
        """

    @abstractmethod
    def brought_forward(self, row: Array, seconds: float) -> Array:
        """Return a target, as the controller reads it, as it is `seconds` after its time."""

    @abstractmethod
    def _not_there(self, tolerance: float, timeout_s: float) -> ControlError:
        """Return the error of a `move_to` whose time is up."""

    # --- until it is there ----------------------------------------------------------------------

    def wait(self, tolerance: float = 1e-3, timeout_s: float = 10.0) -> bool:
        """Wait until the arm is at the newest target.

        Args:
            tolerance: m and rad.
            timeout_s: Longest wait, s.

        Returns:
            Whether it got there in time: the generator at rest on the target, and what is measured
            within the tolerance.

        Raises:
            InvalidArgumentError: A tolerance that is not positive, or no time to wait. Also a
                `ValueError`.
            FrankaError: What ended the session, as `stop` raises it.
        """
        check_positive("tolerance", tolerance)
        check_duration("timeout_s", timeout_s)
        return run(landing(self, tolerance, timeout_s), self.stop)

    async def wait_async(self, tolerance: float = 1e-3, timeout_s: float = 10.0) -> bool:
        """Wait as `wait`, and leave the event loop free meanwhile.

        A cancelled call stops waiting; the session goes on and the newest target stands.
        """
        check_positive("tolerance", tolerance)
        check_duration("timeout_s", timeout_s)
        return await run_async(landing(self, tolerance, timeout_s), self.stop)

    def _move(self, goal: Any, tolerance: float, timeout_s: float) -> bool:
        ticket = self._begin_move(goal, tolerance, timeout_s)
        landed = run(landing(self, tolerance, timeout_s, ticket), self.stop)
        return self._landed(landed, ticket, tolerance, timeout_s)

    async def _move_async(self, goal: Any, tolerance: float, timeout_s: float) -> bool:
        ticket = self._begin_move(goal, tolerance, timeout_s)
        landed = await run_async(landing(self, tolerance, timeout_s, ticket), self.stop)
        return self._landed(landed, ticket, tolerance, timeout_s)

    def _begin_move(self, goal: Any, tolerance: float, timeout_s: float) -> int:
        check_positive("tolerance", tolerance)
        check_duration("timeout_s", timeout_s)
        with self._controller.slot.lock:
            row = self._checked_goal(goal)
            self._check_running()
            return self.put(row)

    def _landed(self, landed: bool, ticket: int, tolerance: float, timeout_s: float) -> bool:
        if landed or not self.is_running or not self.is_newest(ticket):
            return landed
        raise self._not_there(tolerance, timeout_s)

    def _follow(self, goals: Any, dt: float) -> bool:
        return run(following(self, *self._begin_chunk(goals, dt)), self.stop)

    async def _follow_async(self, goals: Any, dt: float) -> bool:
        return await run_async(following(self, *self._begin_chunk(goals, dt)), self.stop)

    def _begin_chunk(self, goals: Any, dt: float) -> tuple[Array, float]:
        check_positive("dt", dt)
        chunk = self._checked_chunk(goals, dt)
        self._check_running()
        return chunk

    # --- the end --------------------------------------------------------------------------------

    def stop(self, timeout_s: float = 15.0) -> None:
        """Land on the last target, finish the motion, and wait for it; a `follow` ends here.

        Raises:
            ControlError: The robot or another call ended the motion, the arm had strayed too far
                from its start, or a target was too old.
            FrankaError: Whatever else ended it.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        check_duration("timeout_s", timeout_s)
        self.is_stopping = True
        try:
            self._session.stop(timeout_s)
        finally:
            self._let_go()
        if self.observation is not None:
            self.observation.finish(OBSERVED_S)
        if self._controller.extra.memory[M_deviated] != 0.0:
            raise self._deviation.strayed(self._controller.extra.memory)
        if self._controller.ran_stale:
            age = 1e-3 * self._controller.guards.max_age_cycles
            raise ControlError(
                f"no new target for {age:g} s (max_target_age_s); the session landed on the last "
                "one and finished"
            )

    def cancel(self) -> None:
        """End the motion now; the robot stops it by itself."""
        self._session.cancel(quiet=True)
        self._let_go()

    def _let_go(self) -> None:
        """Release the owner of a session that has ended."""
        if self._dropped is not None and not self._session.is_running:
            self._dropped.detach()
            self.owner = None

    def frames_moved(self) -> bool:
        """Keep a target in a frame of the scene up with a change; return whether there is one."""
        return False

    def change_tip(self, step: Isometry3d, publish: Callable[[], None]) -> None:
        """Go on with another controlled link.

        Args:
            step: Pose of the new link in the old one's frame.
            publish: Makes the loop go by the new link.
        """
        publish()

    def replace_chain(self, chain: Array) -> None:
        """Give the loop the chain of a changed scene, if it is another one; see `SceneRobot`.

        Callers must exclude each other.

        Raises:
            InvalidArgumentError: It does not fit the loop. Also a `ValueError`.
            ControlError: The loop does not take it over.
        """
        if not np.array_equal(chain, self._chain):
            self._controller.replace_chain(chain)
            self._chain = chain

    def __enter__(self: Handle) -> Handle:
        """Return the running session."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop; after an exception end the motion at once."""
        if kind is not None:
            self.cancel()
            return
        try:
            self.stop()
        except Exception:
            raise
        except BaseException:  # Ctrl-C, while it lands
            self.cancel()
            raise
