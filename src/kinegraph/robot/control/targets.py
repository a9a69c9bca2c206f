"""`CartesianTargets`: what a program holds of a running Cartesian target session."""

import time
import weakref
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import check_duration
from kinegraph.robot.control.checks import check_finite_vector, check_positive
from kinegraph.robot.control.memory_layout import M_deviated
from kinegraph.robot.control.record_layout import (
    R_acceleration,
    R_angular_acceleration,
    R_angular_velocity,
    R_pose,
    R_target,
    R_target_orientation,
    R_velocity,
)
from kinegraph.robot.control.relative_moves import checked_step, moved
from kinegraph.robot.control.rotation import (
    checked_placement,
    checked_quaternion,
    quaternion_xyzw,
)
from kinegraph.robot.errors import ControlError, InvalidArgumentError, InvalidOperationError
from kinegraph.robot.loop.rings import RingReader
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.session import TorqueSession
from kinegraph.robot.wire.state_layout import S_q
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d, TransformLike

__all__ = ["CartesianTargets"]

REST = 1e-4
REST_ACCELERATION = 0.05
POLL_S = 0.002
KEEP = object()


class CartesianTargets:
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
    """

    def __init__(
        self,
        session: TorqueSession,
        controller: TargetController,
        chain: Array,
        newest_state: Callable[[], Array],
        axes_of: Callable[[str], Array],
    ) -> None:
        self._session = session
        self._controller = controller
        self._chain = chain
        self._newest_state = newest_state
        self._axes_of = axes_of

    def start(self) -> "CartesianTargets":
        """Start the motion; return when its first cycle has run.

        Raises:
            FrankaError: What kept the motion from starting, or ended it at once.
        """
        self._session.start()
        # A handle that is dropped lands on its last target and finishes by itself.
        weakref.finalize(self, self._session.request_stop)
        return self

    # --- targets --------------------------------------------------------------------------------

    def set_position(self, position: Any) -> None:
        """Set the position, keep the orientation of the newest target.

        Args:
            position: (3,) m, base frame.

        Raises:
            InvalidArgumentError: Not three finite numbers. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        self._publish(position)

    def set_orientation(self, quat_xyzw: Any) -> None:
        """Set the orientation, keep the position of the newest target.

        Args:
            quat_xyzw: (4,) quaternion x, y, z, w of norm 1 within 1e-3.

        Raises:
            InvalidArgumentError: Not a unit quaternion. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        self._publish(KEEP, checked_quaternion(quat_xyzw))

    def set_target(self, position: Any, quat_xyzw: Any) -> None:
        """Set position (3,) m and orientation (4,) quaternion x, y, z, w.

        Raises:
            InvalidArgumentError: As `set_position` and `set_orientation`. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        self._publish(position, checked_quaternion(quat_xyzw))

    def set_pose(self, pose: TransformLike) -> None:
        """Set position and orientation by a transform, rigid within 1e-3.

        Raises:
            InvalidArgumentError: Not a rigid transform. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        position, rotation = checked_placement(getattr(pose, "homogeneous", pose))
        self._publish(position, quaternion_xyzw(rotation))

    def move_by(self, delta: TransformLike, frame: str = "base") -> Isometry3d:
        """Move the newest target by a step; moves in a row add up without the arm's lag in them.

        A turn is about the target's own origin, so that it does not shift the target.

        Args:
            delta: (3,) translation, m; (6,) translation and rotation vector, rad; or a transform,
                rigid within 1e-3.
            frame: Axes in which the step is given: "base", "tool" (the newest target's own), or
                the name of a link of the scene, whose axes are taken as they are now.

        Returns:
            The new target.

        Raises:
            InvalidArgumentError: No such step, or `frame` is no text. Also a `ValueError`.
            UnknownLinkError: `frame` is no link. Also a `KeyError`.
            InvalidOperationError: The session has ended.
        """
        step = checked_step(delta)
        if not isinstance(frame, str):
            raise InvalidArgumentError(
                f"frame: {frame!r:.100} is neither 'base' nor 'tool' nor the name of a link",
                field="frame",
                value=frame,
            )
        self._check_running()
        axes = None
        if frame != "tool":
            axes = np.eye(3) if frame == "base" else self._axes_of(frame)
        slot = self._controller.slot
        with slot.lock:
            values = moved(self._slot_values(), step, axes)
            slot.publish(check_finite_vector("delta", values, 7))
        return Isometry3d.from_quaternion(values[:3], values[3:])

    def _check_running(self) -> None:
        if not self.is_running:
            raise InvalidOperationError(
                "the session has ended, it takes no target; if it failed, stop() has the reason"
            )

    def _publish(self, position: Any, orientation: Array | None = None) -> None:
        self._check_running()
        slot = self._controller.slot
        with slot.lock:
            values = self._slot_values()
            if position is not KEEP:
                values[:3] = check_finite_vector("position", position, 3)
            if orientation is not None:
                values[3:] = orientation
            slot.publish(values)

    def _slot_values(self) -> Array:
        values = self._controller.slot.read()
        if values is not None:
            return values
        record = self._controller.extra.record
        position = record[R_target : R_target + 3]
        return np.concatenate([position, record[R_target_orientation : R_target_orientation + 4]])

    def target(self) -> Array:
        """Return (3,) the newest target's position, m; the anchor until something is set."""
        return self._slot_values()[:3]

    def target_orientation(self) -> Array:
        """Return (4,) the newest target's orientation, quaternion x, y, z, w."""
        return self._slot_values()[3:]

    def target_pose(self) -> Isometry3d:
        """Return the newest target."""
        values = self._slot_values()
        return Isometry3d.from_quaternion(values[:3], values[3:])

    # --- what happens ---------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether the loop runs; false once it has ended for any reason."""
        return self._session.is_running

    @property
    def cycle_count(self) -> int:
        """Control cycles so far."""
        return self._session.cycle_count

    def records(self) -> RingReader:
        """Return a reader of the records, from the oldest that is still there."""
        return self._controller.records.reader(0)

    def cycles(self) -> RingReader:
        """Return a reader of the cycles: times, commands sent, success rate."""
        return self._session.cycles()

    def measured_pose(self) -> Isometry3d:
        """Return the controlled link's pose by the measured joint positions of the newest state."""
        from kinegraph.kinematics.chain_kernels import chain_pose

        pose = np.empty((4, 4))
        chain = self._chain
        q = self._newest_state()[S_q : S_q + int(chain[0])]
        chain_pose(chain, np.ascontiguousarray(q), pose)
        return Isometry3d(pose)

    def at_rest(self) -> bool:
        """Whether the generator stands still on the newest target."""
        row = self._controller.records.latest()
        if row is None:
            return False
        goal = self._slot_values()
        moving = max(np.abs(row[at : at + 3]).max() for at in (R_velocity, R_angular_velocity))
        speeding = max(
            np.abs(row[at : at + 3]).max() for at in (R_acceleration, R_angular_acceleration)
        )
        desired = row[R_pose : R_pose + 16].reshape(4, 4).T
        distance, angle = pose_difference(desired, goal)
        return bool(
            moving < REST and speeding < REST_ACCELERATION and distance < 1e-5 and angle < 1e-5
        )

    def wait(self, tolerance: float = 1e-3, timeout_s: float = 10.0) -> bool:
        """Wait until the measured pose is at the newest target.

        Args:
            tolerance: m and rad.
            timeout_s: Longest wait, s.

        Returns:
            Whether it got there in time: the generator at rest on the target, and the measured
            pose within the tolerance.

        Raises:
            InvalidArgumentError: A tolerance that is not positive, or no time to wait. Also a
                `ValueError`.
            FrankaError: What ended the session, as `stop` raises it.
        """
        check_positive("tolerance", tolerance)
        check_duration("timeout_s", timeout_s)
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if not self.is_running:
                self.stop()
                return False
            if self.at_rest():
                difference = pose_difference(self.measured_pose().matrix, self._slot_values())
                if max(difference) <= tolerance:
                    return True
            time.sleep(POLL_S)
        return False

    # --- the end --------------------------------------------------------------------------------

    def stop(self, timeout_s: float = 15.0) -> None:
        """Land on the last target, finish the motion, and wait for it.

        Raises:
            ControlError: The robot or another call ended the motion, or the measured pose had
                strayed too far from its start.
            FrankaError: Whatever else ended it.
        """
        self._session.stop(timeout_s)
        if self._controller.extra.memory[M_deviated] != 0.0:
            raise ControlError(
                "the measured pose strayed from its start by more than max_deviation or "
                "max_angular_deviation allow; the session braked and finished"
            )

    def cancel(self) -> None:
        """End the motion now; the robot stops it by itself."""
        self._session.cancel(quiet=True)

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

    def __enter__(self) -> "CartesianTargets":
        """Return the running session."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop; after an exception end the motion at once."""
        if kind is None:
            self.stop()
        else:
            self.cancel()


def pose_difference(matrix: Array, target: Array) -> tuple[float, float]:
    """Return the distance, m, and the angle, rad, between a pose (4, 4) and a target (7,)."""
    goal = Isometry3d.from_quaternion(target[:3], target[3:]).matrix
    turn = goal[:3, :3] @ matrix[:3, :3].T
    sine = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    angle = np.arctan2(np.linalg.norm(sine), 0.5 * (np.trace(turn) - 1.0))
    return float(np.linalg.norm(goal[:3, 3] - matrix[:3, 3])), float(angle)
