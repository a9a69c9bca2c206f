"""A scene whose arm stands as the robot does, by every state that it sends."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TypeVar

import numpy as np

from kinegraph.kinematics.chain import ChainPlan, plan_chain
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.kinematics.solver import Mimic
from kinegraph.robot.arm_in_scene import ArmInScene, find_arm
from kinegraph.robot.errors import FrankaError, InvalidArgumentError, ProtocolError
from kinegraph.robot.robot import Robot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire.state_layout import S_q
from kinegraph.scene.array_types import Array
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.pose import Isometry3d
from kinegraph.scene.urdf import parseURDFString

__all__ = ["FollowedScene"]

# Longest wait for a state, and the pause after none came.
FOLLOW_S = 1.0
RETRY_S = 0.1

Scene = TypeVar("Scene", bound="FollowedScene")


class FollowedScene:
    """Graph and solver of a scene, and the thread that keeps the arm in it in step.

    Args:
        robot: Connected robot.
        scene_graph: Scene with the arm in it; it is copied. Left out: the robot's own description.
        joint_names: (7) the arm's joints in the robot's order.
        flange_link: Link at the arm's flange.
        base_link: Link whose frame is the robot's base O.
        mimic: As for the solvers.
    """

    def __init__(
        self,
        robot: Robot,
        scene_graph: SceneGraph | None,
        *,
        joint_names: Sequence[str] | None,
        flange_link: str | None,
        base_link: str | None,
        mimic: Mimic,
    ) -> None:
        if not isinstance(robot, Robot):
            raise InvalidArgumentError(f"robot: {robot!r:.100} is no Robot")
        if not isinstance(scene_graph, SceneGraph | None):
            raise InvalidArgumentError(f"scene_graph: {scene_graph!r:.100} is no SceneGraph")
        graph = parseURDFString(robot.robot_model()) if scene_graph is None else scene_graph.clone()
        self.robot = robot
        self._graph = graph
        self._solver = OFKTStateSolver(graph, mimic=mimic)
        self.arm: ArmInScene = find_arm(graph, joint_names, flange_link, base_link)
        self._tip = self.arm.flange_link
        self._lock = threading.RLock()
        self._follower: threading.Thread | None = None
        self._stop_following = threading.Event()
        self._failure: FrankaError | None = None
        self.states_received = 0
        self.states_missed = 0

    @property
    def tip_link(self) -> str:
        """The controlled link."""
        return self._tip

    @contextmanager
    def scene(self) -> Iterator[tuple[SceneGraph, OFKTStateSolver]]:
        """Give graph and solver for reading, held still for as long as the block lasts."""
        with self._lock:
            self._raise_failure()
            yield self._graph, self._solver

    def follow(self: Scene) -> Scene:
        """Start to set the solver to every state that arrives; ends with `close`.

        A silence of the robot, and a state that no solver can be set to, are raised by whatever
        asks for poses meanwhile, until the next good state.
        """
        if self._follower is None or not self._follower.is_alive():
            self._stop_following.clear()
            self._failure = None
            self._follower = threading.Thread(
                target=self._follow, name="kinegraph-follow", daemon=True
            )
            self._follower.start()
        return self

    def _follow(self) -> None:
        reader = self.robot.link.loop.states.reader()
        while not self._stop_following.is_set():
            try:
                self.robot.link.wait_for_row(reader.position, FOLLOW_S)
                self._take(*reader.read())
            except FrankaError as failure:
                self._failure = failure
                if not self.robot.is_connected:
                    return
                self._stop_following.wait(RETRY_S)

    def _take(self, rows: Array, lost: int) -> None:
        if not len(rows):
            return
        with self._lock:
            self.states_received += len(rows)
            self.states_missed += lost
            self._set_positions(rows[-1][S_q : S_q + len(self.arm.joint_names)])
            self._failure = None

    def refresh(self) -> RobotState:
        """Set the solver to the newest state; return that state.

        Raises:
            FrankaError: What ended the stream of states.
        """
        with self._lock:
            self._raise_failure()
            self.robot.link.check_open()
            state = self.robot.state
            self._set_positions(state.q)
            return state

    def link_pose(self, link_name: str) -> Isometry3d:
        """Return a link's pose in the scene's base, by the newest state.

        Raises:
            UnknownLinkError: It is no link. Also a `KeyError`.
            FrankaError: What ended the stream of states.
        """
        with self._lock:
            self.refresh()
            return self._solver.getLinkTransform(link_name)

    def relative_pose(self, from_link: str, to_link: str) -> Isometry3d:
        """Return the pose of one link in another's frame, by the newest state.

        Raises:
            UnknownLinkError: One of them is no link. Also a `KeyError`.
        """
        with self._lock:
            self.refresh()
            return self._solver.getRelativeLinkTransform(from_link, to_link)

    def tip_pose(self) -> Isometry3d:
        """Return the controlled link's pose in the robot's base, by the newest state."""
        return self.relative_pose(self.arm.base_link, self._tip)

    def _axes_of(self, link_name: str) -> Array:
        return self.relative_pose(self.arm.base_link, link_name).matrix[:3, :3]

    def tip_jacobian(self) -> Array:
        """Return (6, 7), base axes at the controlled link's origin, by the newest state."""
        with self._lock:
            state = self.refresh()
            return self._chain().pose_and_jacobian(np.array(state.q))[1]

    def _set_positions(self, q: Array) -> None:
        if not np.isfinite(q).all():
            at = int(np.flatnonzero(~np.isfinite(q))[0])
            raise ProtocolError(
                f"the robot's state has q[{at}] = {q[at]}; the scene keeps its pose",
                field=f"q[{at}]",
                value=float(q[at]),
            )
        self._solver.setState(list(self.arm.joint_names), q)

    def _raise_failure(self) -> None:
        failure = self._failure
        if failure is not None:
            raise failure.anew()

    def _chain(self) -> ChainPlan:
        return plan_chain(self._solver, self._tip, self.arm.joint_names, self.arm.base_link)

    def close(self) -> None:
        """Stop following. The robot stays connected."""
        self._stop_following.set()
        if self._follower is not None:
            self._follower.join(2.0 * FOLLOW_S)
            self._follower = None

    def __enter__(self: Scene) -> Scene:
        """Start to follow the robot's states."""
        return self.follow()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop following."""
        self.close()
