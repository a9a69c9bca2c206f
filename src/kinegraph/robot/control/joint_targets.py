"""`JointTargets`: what a program holds of a running joint target session."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_finite_vector, check_posture
from kinegraph.robot.control.chunk_curves import smooth_vectors
from kinegraph.robot.control.generator.runner_kernels import REST_ACCELERATION, REST_VELOCITY
from kinegraph.robot.control.guards.deviation import JointDeviation
from kinegraph.robot.control.moving_joints import (
    joints_brought_forward,
    joints_resting,
    paced_joints,
)
from kinegraph.robot.control.record_layout import J_acceleration, J_q, J_velocity
from kinegraph.robot.control.record_reader import RecordReader
from kinegraph.robot.control.records import JointSent
from kinegraph.robot.control.target_session import TargetSession
from kinegraph.robot.control.target_steps import RowsLike
from kinegraph.robot.control.tuning.tunable_targets import TunableTargets
from kinegraph.robot.errors import ControlError, InvalidArgumentError
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.wire.state_layout import S_q
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["JointTargets"]

# The generator is on a target at this distance, rad.
ON_TARGET = 1e-6


class JointTargets(TunableTargets):
    """A running session: joint positions in from any thread at any rate, one record per cycle out.

    The newest target replaces the others. Use it as a context manager: leaving it lands on the
    last target and finishes the motion; leaving it by an exception ends the motion at once.

    Args:
        session: The session to be run.
        controller: Its controller.
        chain: Constants of the chain from the robot's base to the controlled link.
        newest_state: Returns the newest state's row.
        arm: The arm's table.
        inset: Nearest that a target may be to a position limit, rad.
    """

    _deviation_kind = JointDeviation

    def __init__(
        self,
        session: TargetSession,
        controller: TargetController,
        chain: Array,
        newest_state: Callable[[], Array],
        *,
        arm: ArmTable,
        inset: float,
    ) -> None:
        super().__init__(session, controller, chain, newest_state)
        self._arm = arm
        self._inset = inset

    # --- targets --------------------------------------------------------------------------------

    def set_joints(self, q: VectorLike) -> None:
        """Set the target.

        Args:
            q: (n,) joint positions, rad, within `bounds()`: 0.02 rad from the position limits, or
                the law's `joint_position_margin` if that is more.

        Raises:
            InvalidArgumentError: Not n finite numbers, or a joint is too near to a limit; the
                target before stands. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        row = as_numbers("q", q)
        if row.shape == (self._arm.n,) and np.isfinite(row).all():
            check_posture("q", row, self._arm, self._inset)
        self._check_running()
        self.put(self._checked_goal(row))

    def move_by(self, delta: VectorLike) -> Array:
        """Move the newest target by a step; moves in a row add up without the arm's lag in them.

        Args:
            delta: (n,) rad.

        Returns:
            (n,) the new target, rad.

        Raises:
            InvalidArgumentError: Not n finite numbers, or it would lead too near to a limit. Also
                a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        step = check_finite_vector("delta", delta, self._arm.n)
        self._check_running()
        with self._controller.slot.lock:
            q = self.target() + step
            self.put(self._checked_goal(q))
        return q

    def target(self) -> Array:
        """Return (n,) the newest target, rad; the anchor until something is set."""
        return self._slot_values()[: self._arm.n]

    def bounds(self) -> tuple[Array, Array]:
        """Return the least and the greatest positions that a target may have, (n,) each, rad."""
        return self._arm.lower + self._inset, self._arm.upper - self._inset

    # --- what happens ---------------------------------------------------------------------------

    def measured(self) -> Array:
        """Return (n,) the measured joint positions of the newest state, rad."""
        return np.array(self._newest_state()[S_q : S_q + self._arm.n])

    def distance(self) -> Array:
        """Return (n,) how far each measured joint is from the newest target, rad."""
        return np.abs(self.measured() - self.target())

    def missing(self) -> float:
        """Return how far the joint is that is furthest from the newest target, rad."""
        return float(self.distance().max())

    def at_rest(self) -> bool:
        """Whether the generator stands still on the newest target."""
        row, n = self._controller.records.latest(), self._arm.n
        if row is None:
            return False
        left = np.abs(row[J_q : J_q + n] - self.target()).max()
        moving = np.abs(row[J_velocity : J_velocity + n]).max()
        speeding = np.abs(row[J_acceleration : J_acceleration + n]).max()
        return bool(left < ON_TARGET and moving < REST_VELOCITY and speeding < REST_ACCELERATION)

    def records(self) -> RecordReader[JointSent]:
        """Return a reader of the records, from the oldest that is still there."""
        return super().records()

    def newest_record(self) -> JointSent:
        """Return the record of the newest cycle."""
        record: JointSent = super().newest_record()
        return record

    # --- until it is there ----------------------------------------------------------------------

    def move_to(self, q: VectorLike, tolerance: float = 1e-3, timeout_s: float = 10.0) -> bool:
        """Set a target and wait until the measured joints are there.

        Args:
            q: (n,) rad, as for `set_joints`.
            tolerance: rad, of each joint.
            timeout_s: Longest wait, s.

        Returns:
            True when it got there, as `wait` has it; false when another target was set before, or
            the session was stopped elsewhere.

        Raises:
            InvalidArgumentError: No such target, a tolerance that is not positive, or no time to
                wait. Also a `ValueError`.
            InvalidOperationError: The session had ended before.
            ControlError: The time is up; its `distance`, rad, of the joint `joint`, counted from
                1, is the largest that is missing. The target stands.
            FrankaError: What ended the session, as `stop` raises it.
        """
        return self._move(q, tolerance, timeout_s)

    async def move_to_async(
        self, q: VectorLike, tolerance: float = 1e-3, timeout_s: float = 10.0
    ) -> bool:
        """Move as `move_to`, and leave the event loop free meanwhile; cancelled as `wait_async`."""
        return await self._move_async(q, tolerance, timeout_s)

    def follow(self, q: RowsLike, dt: float) -> bool:
        """Set a chunk of targets, one after the other at a fixed rate, by the robot's clock.

        Row i is the target at i `dt` after the call. Toward the next row it goes on along a smooth
        curve, which stays between the two in each joint: the joints go along with it as far as
        their budgets let them. Rows more than 0.25 s apart are joined by straight lines. The call
        returns when the last has been the target for one `dt`, so that chunks follow each other
        without a gap. A row whose time has passed when this thread comes to it is left out, the
        last never. The arm may still be under way at the end: see `wait`.

        Another target or chunk, from any thread, takes over at once, and the rest of this one is
        dropped; so is it when the session is stopped.

        Args:
            q: (m, n) rad, each row as for `set_joints`; m > 0. All are checked before the first
                is set.
            dt: s, above 0.

        Returns:
            True when the chunk is through; false when something else took over.

        Raises:
            InvalidArgumentError: A row that is no target, no rows, or no such `dt`. Also a
                `ValueError`.
            InvalidOperationError: The session had ended before.
            FrankaError: What ended the session, as `stop` raises it.
        """
        return self._follow(q, dt)

    async def follow_async(self, q: RowsLike, dt: float) -> bool:
        """Follow as `follow`, and leave the event loop free meanwhile.

        A cancelled call sets no more rows; the session goes on and the last row that was set
        stands.
        """
        return await self._follow_async(q, dt)

    def _checked_goal(self, goal: Any) -> Array:
        row = check_finite_vector("q", goal, self._arm.n)
        check_posture("q", row, self._arm, self._inset)
        self._deviation.expect(row)
        return joints_resting(row)

    def _checked_chunk(self, goals: Any, dt: float) -> tuple[Array, float]:
        if isinstance(goals, list | tuple):
            goals = [as_numbers("q", goal) for goal in goals]  # a masked one is seen only so
        rows = as_numbers("q", goals)
        if rows.ndim != 2 or rows.shape[1] != self._arm.n or len(rows) == 0:
            raise InvalidArgumentError(
                f"q: shape {rows.shape}, expected (m, {self._arm.n}), m > 0", field="q"
            )
        for i, row in enumerate(rows):
            try:
                self._checked_goal(row)
            except InvalidArgumentError as error:
                raise InvalidArgumentError(f"q: row {i}: {error}", field="q") from None
        rows, dt = smooth_vectors(rows, dt)
        return paced_joints(rows, dt, self._controller.extra.options), dt

    def brought_forward(self, row: Array, seconds: float) -> Array:
        """Return a target, as the controller reads it, as it is `seconds` after its time."""
        return joints_brought_forward(row, seconds)

    def _not_there(self, tolerance: float, timeout_s: float) -> ControlError:
        distance = self.distance()
        joint = int(distance.argmax())
        arrived = "stands on the target" if self.at_rest() else "is still under way"
        return ControlError(
            f"move_to: not there after {timeout_s:g} s: joint {joint + 1} is "
            f"{1e3 * distance[joint]:.3g} mrad off, {1e3 * tolerance:.3g} are allowed; the "
            f"trajectory {arrived}",
            distance=float(distance[joint]),
            joint=joint + 1,
        )
