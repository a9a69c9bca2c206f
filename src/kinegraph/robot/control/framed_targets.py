"""`FramedTargets`: targets of any link below the flange, in the frame of any link of the scene."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from kinegraph.robot.control.checks import check_finite_vector, check_kind
from kinegraph.robot.control.moving_targets import moving
from kinegraph.robot.control.options_layout import O_axis_velocity
from kinegraph.robot.control.rotation import checked_quaternion, quaternion_xyzw
from kinegraph.robot.control.scene_target import (
    FrameSource,
    SceneTarget,
    TrackedTarget,
)
from kinegraph.robot.control.target_layout import T_horizon, T_velocity
from kinegraph.robot.control.target_setters import TargetSetters, placement
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import VectorLike
from kinegraph.scene.errors import UnknownLinkError
from kinegraph.scene.pose import Isometry3d, TransformLike

__all__ = ["FramedTargets"]


class FramedTargets(TargetSetters):
    """Setters that know the scene; `frames_moved` keeps their target up with it.

    Attributes:
        frames: Of the scene; None without one.
    """

    frames: FrameSource | None = None
    _tracked: TrackedTarget | None = None

    def set_target(
        self,
        pose: TransformLike | VectorLike,
        quat_xyzw: VectorLike | None = None,
        *,
        link: str | None = None,
        frame: str | None = None,
    ) -> None:
        """Set position and orientation, of a link and in a frame if they are given.

        A frame that the scene moves takes the target along, with its velocity: see
        `SceneRobot.set_joint`. A frame that hangs on the arm is taken as it stands now. The target
        ends with the next one, by whatever setter.

        Args:
            pose: Transform, rigid within 1e-3; or, with `quat_xyzw`, (3,) position, m.
            quat_xyzw: (4,) quaternion x, y, z, w of norm 1 within 1e-3.
            link: Link at or below the flange that is to be there; left out: the controlled link.
            frame: Link of the scene in whose frame the pose is; left out: the robot's base.

        Raises:
            InvalidArgumentError: No such pose; the arm does not carry `link`; the target is
                outside the workspace; or a name without a scene. Also a `ValueError`.
            UnknownLinkError: `link` or `frame` is none. Also a `KeyError`.
            InvalidOperationError: The session has ended.
        """
        for field, name in (("link", link), ("frame", frame)):
            if name is not None:
                check_kind(field, name, str)
        position: Any = pose
        if quat_xyzw is None:
            position, quaternion = placement(pose)
        else:
            quaternion = checked_quaternion(quat_xyzw)
        if link is None and frame is None:
            self._publish(position, quaternion)
            return
        self._check_running()
        where = Isometry3d.from_quaternion(check_finite_vector("pose", position, 3), quaternion)
        self._track(SceneTarget(where, link, frame))

    def _track(self, target: SceneTarget) -> None:
        frames = self.frames
        if frames is None:
            raise InvalidArgumentError(
                f"link {target.link!r}, frame {target.frame!r}: this session has no scene",
                field="frame",
                value=target.frame,
            )
        # The scene's lock first, as whoever changes the scene has it.
        with frames.held(), self._controller.slot.lock:
            if target.link is None:
                target = replace(target, link=frames.tip_link())
            tracked = TrackedTarget(target, frames, self.robot_time())
            row = tracked.row() if frames.moves_by_itself(target) else tracked.resting()
            self._check_place("pose", row)
            self._keep(tracked, self.put(row))

    def frames_moved(self) -> bool:
        """Keep a target in a frame of the scene up with a change; return whether there is one.

        Called by who changes the scene, and holds it still.
        """
        with self._controller.slot.lock:
            tracked = self._tracked
            if tracked is None or self.frames is None or not self.is_newest(tracked.ticket):
                self._tracked = None
                return False
            limits = self._controller.extra.options[O_axis_velocity : O_axis_velocity + 6]
            try:
                if not self.frames.moves_by_itself(tracked.target):
                    raise UnknownLinkError(str(tracked.target.frame), [])
                row = tracked.moved(self.robot_time(), limits)
            except (UnknownLinkError, InvalidArgumentError):
                self.put_after(tracked.ticket, tracked.resting())
                self._tracked = None
                return False
            if row is not None:
                self._keep(tracked, self.put_after(tracked.ticket, row))
            return self._tracked is not None

    def change_tip(self, step: Isometry3d, publish: Callable[[], None]) -> None:
        """Go on with another controlled link, and the target with it, so that the arm stays.

        Args:
            step: Pose of the new link in the old one's frame.
            publish: Makes the loop go by the new link.
        """
        with self._controller.slot.lock:
            values, goal = self._slot_values(), self._goal()
            publish()
            self._deviation.start = None  # it was the old link's
            if self._tracked is not None and self.is_newest(self._tracked.ticket):
                self.frames_moved()
                return
            here = Isometry3d.from_quaternion(goal[:3], goal[3:])
            there = here @ step
            twist = values[T_velocity:T_horizon].copy()
            twist[:3] += np.cross(twist[3:], there.translation - here.translation)
            pose = np.concatenate([there.translation, quaternion_xyzw(there.linear)])
            self._controller.slot.publish(moving(pose, twist, float(values[T_horizon])))

    def _keep(self, tracked: TrackedTarget, ticket: int | None) -> None:
        if ticket is None:
            self._tracked = None
            return
        tracked.ticket = ticket
        self._tracked = tracked
