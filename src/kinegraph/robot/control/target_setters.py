"""`TargetSetters`: the ways to set the target of a running Cartesian session."""

from collections.abc import Callable
from typing import Any

import numpy as np

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.checks import check_finite_vector
from kinegraph.robot.control.guards.workspace_box import WorkspaceBox
from kinegraph.robot.control.memory_layout import M_given
from kinegraph.robot.control.moving_targets import resting
from kinegraph.robot.control.record_layout import R_target
from kinegraph.robot.control.relative_moves import checked_step, moved
from kinegraph.robot.control.rotation import (
    checked_placement,
    checked_quaternion,
    quaternion_xyzw,
)
from kinegraph.robot.control.target_handle import TargetHandle
from kinegraph.robot.control.target_layout import POSE_SIZE, TARGET_SIZE, T_horizon
from kinegraph.robot.control.target_session import TargetSession
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.pose import Isometry3d, TransformLike

__all__ = ["TargetSetters"]

KEEP = object()


class TargetSetters(TargetHandle):
    """Sets and tells the newest target; from any thread, each call as a whole.

    Args:
        session: The session that takes the targets.
        controller: Its controller.
        chain: Constants of the chain from the robot's base to the controlled link.
        newest_state: Returns the newest state's row.
        axes_of: Returns the (3, 3) rotation of a link in the robot's base, by the newest state.
        workspace: Box that targets have to be in; None: none.
    """

    def __init__(
        self,
        session: TargetSession,
        controller: TargetController,
        chain: Array,
        newest_state: Callable[[], Array],
        axes_of: Callable[[str], Array],
        workspace: WorkspaceBox | None = None,
    ) -> None:
        super().__init__(session, controller, chain, newest_state)
        self._axes_of = axes_of
        self._workspace = workspace

    def set_position(self, position: VectorLike) -> None:
        """Set the position, keep the orientation of the newest target.

        Args:
            position: (3,) m, base frame.

        Raises:
            InvalidArgumentError: Not three finite numbers. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        self._publish(position)

    def set_orientation(self, quat_xyzw: VectorLike) -> None:
        """Set the orientation, keep the position of the newest target.

        Args:
            quat_xyzw: (4,) quaternion x, y, z, w of norm 1 within 1e-3.

        Raises:
            InvalidArgumentError: Not a unit quaternion. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        self._publish(KEEP, checked_quaternion(quat_xyzw))

    def set_pose(self, pose: TransformLike) -> None:
        """Set position and orientation by a transform, rigid within 1e-3.

        Raises:
            InvalidArgumentError: Not a rigid transform. Also a `ValueError`.
            InvalidOperationError: The session has ended.
        """
        self._publish(*placement(pose))

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
            values = moved(self._goal(), step, axes)
            self._check_place("delta", values)
            slot.publish(resting(check_finite_vector("delta", values, 7)))
        return Isometry3d.from_quaternion(values[:3], values[3:])

    def _publish(self, position: Any, orientation: Array | None = None) -> None:
        self._check_running()
        slot = self._controller.slot
        with slot.lock:
            values = self._goal()
            if position is not KEEP:
                values[:3] = check_finite_vector("position", position, 3)
            if orientation is not None:
                values[3:] = orientation
            self._check_place("position", values)
            slot.publish(resting(values))

    def _goal(self) -> Array:
        """Return (7,) the pose of the newest target; one that moves as it was in the last cycle."""
        values = self._slot_values()
        if values[T_horizon] != 0.0:
            given = self._controller.extra.memory[M_given : M_given + TARGET_SIZE]
            row = self._controller.records.latest()
            if row is not None and np.array_equal(given, values):
                return np.array(row[R_target : R_target + POSE_SIZE])
        return values[:POSE_SIZE]

    def _check_place(self, field: str, targets: Array) -> None:
        """Refuse targets, poses first in a row, outside the workspace; warn of far ones."""
        if self._workspace is not None:
            self._workspace.check(field, targets[..., :3])
        self._deviation.expect(targets)

    def target(self) -> Array:
        """Return (3,) the newest target's position, m; the anchor until something is set."""
        return self._goal()[:3]

    def target_orientation(self) -> Array:
        """Return (4,) the newest target's orientation, quaternion x, y, z, w."""
        return self._goal()[3:]

    def target_pose(self) -> Isometry3d:
        """Return the newest target; one that moves as it was in the last cycle."""
        values = self._goal()
        return Isometry3d.from_quaternion(values[:3], values[3:])


def placement(pose: TransformLike | VectorLike) -> tuple[Array, Array]:
    """Return position (3,), m, and quaternion (4,) of a target's transform.

    Raises:
        InvalidArgumentError: Not rigid within 1e-3. Also a `ValueError`.
    """
    matrix = as_numbers("pose", getattr(pose, "homogeneous", pose))
    if matrix.shape == (3,):
        raise InvalidArgumentError(
            "pose: a position alone; a transform (4, 4) is needed, or quat_xyzw with the "
            "position; set_position keeps the orientation",
            field="pose",
        )
    position, rotation = checked_placement(matrix)
    return position, quaternion_xyzw(rotation)
