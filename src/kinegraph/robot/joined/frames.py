"""Where the controlled link has to be for another link to be somewhere in the scene."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

import numpy as np

from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.robot.arm_in_scene import ArmInScene
from kinegraph.robot.control.rotation import quaternion_xyzw
from kinegraph.robot.control.scene_target import SceneTarget
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array
from kinegraph.scene.errors import UnknownLinkError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.pose import Isometry3d

__all__ = ["SceneFrames"]


class SceneFrames:
    """The frames of a scene, as a target session asks for them.

    Args:
        arm: Of the scene.
        graph: The scene's graph.
        solver: Its solver.
        lock: Held by who changes them.
        tip: Returns the controlled link.
        speeds: Known speeds of the scene's joints; the owner keeps them.
    """

    def __init__(
        self,
        arm: ArmInScene,
        graph: SceneGraph,
        solver: OFKTStateSolver,
        lock: AbstractContextManager[object],
        tip: Callable[[], str],
        speeds: Mapping[str, float],
    ) -> None:
        self._arm = arm
        self._graph = graph
        self._solver = solver
        self._lock = lock
        self._tip = tip
        self._speeds = speeds

    def held(self) -> AbstractContextManager[object]:
        """Return what holds the scene still as long as it is entered."""
        return self._lock

    def tip_link(self) -> str:
        """Return the controlled link."""
        return self._tip()

    def speeds(self, target: SceneTarget) -> Mapping[str, float]:
        """Return the known speeds of the joints that move the target, m/s or rad/s."""
        with self._lock:
            moving: set[str] = set()
            for link in (self._arm.base_link, target.frame, target.link, self._tip()):
                moving |= self._joints_above(link)
        return {name: speed for name, speed in self._speeds.items() if name in moving}

    def moves_by_itself(self, target: SceneTarget) -> bool:
        """Return whether the frame does not hang on the arm that is to follow it."""
        if target.frame is None:
            return True
        with self._lock:
            return target.frame not in self._below(self._arm.links[0])

    def tip_target(self, target: SceneTarget, ahead_s: float = 0.0) -> Array:
        """Return (7,) where the controlled link has to be; see `FrameSource`."""
        with self._lock:
            tip = self._tip()
            link = tip if target.link is None else target.link
            frame = self._arm.base_link if target.frame is None else target.frame
            for name in (link, frame):
                if not self._solver.hasLinkName(name):
                    raise UnknownLinkError(name, self._solver.getLinkNames())
            if link not in self._below(self._arm.flange_link):
                raise InvalidArgumentError(
                    f"link: {link!r} is not at or below the flange {self._arm.flange_link!r}",
                    field="link",
                    value=link,
                )
            poses = self._poses((self._arm.base_link, frame, link, tip), ahead_s)
        T_WB, T_WF, T_WL, T_WT = poses
        T_BT = T_WB.inverse() @ T_WF @ target.pose @ T_WL.inverse() @ T_WT
        return np.concatenate([T_BT.translation, quaternion_xyzw(T_BT.linear)])

    def _poses(self, links: tuple[str, ...], ahead_s: float) -> list[Isometry3d]:
        if ahead_s == 0.0 or not self._speeds:
            return [self._solver.getLinkTransform(name) for name in links]
        state = self._solver.getState()
        later = {
            name: state.joints[name] + ahead_s * speed
            for name, speed in self._speeds.items()
            if name in state.joints
        }
        found = self._solver.getState(later).link_transforms
        return [found[name] for name in links]

    def _joints_above(self, link: str | None) -> set[str]:
        found: set[str] = set()
        while link is not None and self._graph.getLink(link) is not None:
            joints = self._graph.getInboundJoints(link)
            found |= {joint.getName() for joint in joints}
            link = joints[0].parent_link_name if joints else None
        return found

    def _below(self, link: str) -> set[str]:
        return {link, *self._graph.getLinkChildrenNames(link)}
