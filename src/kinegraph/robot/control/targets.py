"""`CartesianTargets`: what a program holds of a running Cartesian target session."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kinegraph.robot.control.chunk_curves import smooth_poses
from kinegraph.robot.control.framed_targets import FramedTargets
from kinegraph.robot.control.generator.runner_kernels import REST_ACCELERATION, REST_VELOCITY
from kinegraph.robot.control.guards.deviation import PoseDeviation
from kinegraph.robot.control.guards.workspace_box import WorkspaceBox
from kinegraph.robot.control.moving_targets import brought_forward, paced, resting
from kinegraph.robot.control.options_layout import O_reference_delay
from kinegraph.robot.control.record_layout import (
    R_acceleration,
    R_angular_acceleration,
    R_angular_velocity,
    R_pose,
    R_velocity,
)
from kinegraph.robot.control.record_reader import RecordReader
from kinegraph.robot.control.records import CartesianSent
from kinegraph.robot.control.rotation import checked_pose
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.control.target_layout import POSE_SIZE, T_horizon, T_velocity
from kinegraph.robot.control.target_session import TargetSession
from kinegraph.robot.control.target_steps import PosesLike, checked_rows
from kinegraph.robot.control.tuning.tunable_targets import TunableTargets
from kinegraph.robot.errors import ControlError, InvalidOperationError
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.wire.state_layout import S_O_T_EE, S_q
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d, TransformLike

__all__ = ["CartesianTargets"]

# The generator is on a target at this distance, m and rad.
ON_TARGET = 1e-5


class CartesianTargets(FramedTargets, TunableTargets):
    """A running session: targets in from any thread at any rate, one record per cycle out.

    The newest target replaces the others. Poses are those of the controlled link in the robot's
    base frame O. Use it as a context manager: leaving it lands on the last target and finishes the
    motion; leaving it by an exception ends the motion at once.

    Args:
        session: The session to be run.
        controller: Its controller.
        chain: Constants of the chain from the robot's base to the controlled link.
        newest_state: Returns the newest state's row.
        axes_of: Returns the (3, 3) rotation of a link in the robot's base, by the newest state.
        by_robot: Whether the robot's own controller moves the robot's own end effector.
        workspace: Box that targets and motion are kept in; None: none.
    """

    _deviation_kind = PoseDeviation

    def __init__(
        self,
        session: TargetSession,
        controller: TargetController,
        chain: Array,
        newest_state: Callable[[], Array],
        axes_of: Callable[[str], Array],
        *,
        by_robot: bool = False,
        workspace: WorkspaceBox | None = None,
    ) -> None:
        super().__init__(session, controller, chain, newest_state, axes_of, workspace)
        self._by_robot = by_robot

    def _check_start(self) -> None:
        if self._workspace is not None:
            self._workspace.check("the start", self.measured_pose().translation)

    def measured_pose(self) -> Isometry3d:
        """Return the controlled link's pose by the newest state.

        It comes from the measured joint positions; with `RobotController` it is the robot's own
        `O_T_EE`, which its controller goes by.
        """
        if self._by_robot:
            reported = self._newest_state()[S_O_T_EE : S_O_T_EE + 16].reshape(4, 4).T
            return Isometry3d(checked_pose(reported))
        from kinegraph.kinematics.chain_kernels import chain_pose

        pose = np.empty((4, 4))
        chain = self._chain
        q = self._newest_state()[S_q : S_q + int(chain[0])]
        chain_pose(chain, np.ascontiguousarray(q), pose)
        return Isometry3d(pose)

    def at_rest(self) -> bool:
        """Whether the generator stands still on the newest target, or goes along with it."""
        row = self._controller.records.latest()
        if row is None:
            return False
        values, goal = self._slot_values(), self._goal()
        velocity = np.concatenate([row[at : at + 3] for at in (R_velocity, R_angular_velocity)])
        if values[T_horizon] > 0.0 and np.abs(velocity).max() >= REST_VELOCITY:
            # The record has the target of the cycle's start, and a pose that is ahead of its end.
            ahead = CYCLE_TIME + float(self._controller.extra.options[O_reference_delay])
            moving_goal = np.concatenate([goal, values[POSE_SIZE:T_horizon], [ahead]])
            goal = brought_forward(moving_goal, ahead)[:POSE_SIZE]
            velocity -= values[T_velocity:T_horizon]
        moving = np.abs(velocity).max()
        speeding = max(
            np.abs(row[at : at + 3]).max() for at in (R_acceleration, R_angular_acceleration)
        )
        desired = row[R_pose : R_pose + 16].reshape(4, 4).T
        distance, angle = pose_difference(desired, goal)
        stands = moving < REST_VELOCITY and speeding < REST_ACCELERATION
        return bool(stands and distance < ON_TARGET and angle < ON_TARGET)

    def distance(self) -> tuple[float, float]:
        """Return how far the measured pose is from the newest target, m and rad."""
        return pose_difference(self.measured_pose().matrix, self._goal())

    def missing(self) -> float:
        """Return how far the arm is from the newest target, the larger of m and rad."""
        return max(self.distance())

    def records(self) -> RecordReader[CartesianSent]:
        """Return a reader of the records, from the oldest that is still there."""
        return super().records()

    def newest_record(self) -> CartesianSent:
        """Return the record of the newest cycle."""
        record: CartesianSent = super().newest_record()
        return record

    # --- until it is there ----------------------------------------------------------------------

    def move_to(
        self, pose: TransformLike, tolerance: float = 1e-3, timeout_s: float = 10.0
    ) -> bool:
        """Set a target and wait until the measured pose is there.

        Args:
            pose: Transform, rigid within 1e-3, or (3,) position, m, which keeps the orientation.
            tolerance: m and rad.
            timeout_s: Longest wait, s.

        Returns:
            True when it got there, as `wait` has it; false when another target was set before, or
            the session was stopped elsewhere.

        Raises:
            InvalidArgumentError: No such pose, a tolerance that is not positive, or no time to
                wait. Also a `ValueError`.
            InvalidOperationError: The session had ended before.
            ControlError: The time is up; its `distance`, m, and `angle`, rad, are what is missing.
                The target stands.
            FrankaError: What ended the session, as `stop` raises it.
        """
        return self._move(pose, tolerance, timeout_s)

    def _checked_goal(self, goal: Any) -> Array:
        row: Array = checked_rows("pose", [goal], self.target_orientation())[0]
        self._check_place("pose", row)
        return resting(row)

    def _checked_chunk(self, goals: Any, dt: float) -> tuple[Array, float]:
        rows = checked_rows("poses", goals, self.target_orientation())
        self._check_place("poses", rows)
        rows, dt = smooth_poses(rows, dt)
        return paced(rows, dt, self._controller.extra.options), dt

    def brought_forward(self, row: Array, seconds: float) -> Array:
        """Return a target, as the controller reads it, as it is `seconds` after its time."""
        return brought_forward(row, seconds)

    def _not_there(self, tolerance: float, timeout_s: float) -> ControlError:
        distance, angle = self.distance()
        arrived = "stands on the target" if self.at_rest() else "is still under way"
        return ControlError(
            f"move_to: not there after {timeout_s:g} s: the measured pose is "
            f"{1e3 * distance:.3g} mm and {1e3 * angle:.3g} mrad off, {1e3 * tolerance:.3g} are "
            f"allowed; the trajectory {arrived}",
            distance=distance,
            angle=angle,
        )

    def follow(self, poses: PosesLike, dt: float) -> bool:
        """Set a chunk of targets, one after the other at a fixed rate, by the robot's clock.

        Row i is the target from i `dt` after the call on; the call returns when the last has been
        it for one `dt`, so that chunks follow each other without a gap. A row whose time has
        passed when this thread comes to it (the process was held up, or `dt` is below the robot's
        1 ms) is left out, the last never. The arm may still be under way at the end: see `wait`.

        From row to row the target goes along a smooth curve through them, which stays between
        them in each coordinate, so that the arm passes them without a stop and without a jolt, and
        toward the last one so that the budgets let it stop there. Rows more than 0.25 s apart are
        targets at rest.

        Another target or chunk, from any thread, takes over at once, and the rest of this one is
        dropped; so is it when the session is stopped.

        Args:
            poses: (n, 4, 4) transforms, rigid within 1e-3, or (n, 3) positions, m, which keep the
                orientation; n > 0. All are checked before the first is set.
            dt: s, above 0.

        Returns:
            True when the chunk is through; false when something else took over.

        Raises:
            InvalidArgumentError: A row that is no pose, no rows, or no such `dt`. Also a
                `ValueError`.
            InvalidOperationError: The session had ended before.
            FrankaError: What ended the session, as `stop` raises it.
        """
        return self._follow(poses, dt)

    # --- in an event loop -----------------------------------------------------------------------

    async def move_to_async(
        self, pose: TransformLike, tolerance: float = 1e-3, timeout_s: float = 10.0
    ) -> bool:
        """Move as `move_to`, and leave the event loop free meanwhile; cancelled as `wait_async`."""
        return await self._move_async(pose, tolerance, timeout_s)

    async def follow_async(self, poses: PosesLike, dt: float) -> bool:
        """Follow as `follow`, and leave the event loop free meanwhile.

        A cancelled call sets no more rows; the session goes on and the last row that was set
        stands. What holds the event loop up makes rows late or leaves them out.
        """
        return await self._follow_async(poses, dt)

    def replace_chain(self, chain: Array) -> None:
        """Give the loop the chain of a changed scene, if it is another one; see `SceneRobot`.

        Callers must exclude each other.

        Raises:
            InvalidArgumentError: It does not fit the loop. Also a `ValueError`.
            InvalidOperationError: The robot's own controller moves the controlled link.
            ControlError: The loop does not take it over.
        """
        if self._by_robot and not np.array_equal(chain, self._chain):
            raise InvalidOperationError(
                "the robot's controller moves its own end effector: the controlled link "
                "stays where it is on the flange until the motion is over"
            )
        super().replace_chain(chain)


def pose_difference(matrix: Array, target: Array) -> tuple[float, float]:
    """Return the distance, m, and the angle, rad, between a pose (4, 4) and a target (7,)."""
    goal = Isometry3d.from_quaternion(target[:3], target[3:7]).matrix
    turn = goal[:3, :3] @ matrix[:3, :3].T
    sine = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    angle = np.arctan2(np.linalg.norm(sine), 0.5 * (np.trace(turn) - 1.0))
    return math.dist(goal[:3, 3], matrix[:3, 3]), float(angle)
