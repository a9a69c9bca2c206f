"""Edits of a scene: of graph and solver in one transaction, seen by the loop between two cycles."""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from kinegraph.robot.argument_checks import check_finite_number
from kinegraph.robot.control.checks import check_kind
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.joined.carrying import CarryingScene
from kinegraph.scene.errors import UnknownLinkError
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.link import Link
from kinegraph.scene.pose import TransformLike

if TYPE_CHECKING:
    from kinegraph.robot.control.target_handle import TargetHandle

__all__ = ["EditedScene"]


class EditedScene(CarryingScene):
    """A carrying scene that may be changed, also while a target session runs."""

    # Weakly: a handle that is dropped ends its motion.
    _targets: "weakref.ref[TargetHandle] | None" = None
    # What is being started, weakly too: a start that was interrupted is over.
    _starting: "weakref.ref[TargetHandle] | None" = None

    @cached_property
    def _speeds(self) -> dict[str, float]:
        """Joints of the scene that are known to move, m/s or rad/s."""
        return {}

    def set_tip_link(self, link_name: str) -> None:
        """Choose the link to be controlled, also while a target session runs.

        The session goes on from where it is: its target becomes the pose that the new link has
        when the old one is at the target.

        Raises:
            UnknownLinkError: It is no link. Also a `KeyError`.
            InvalidArgumentError: The arm does not move it. Also a `ValueError`.
            InvalidOperationError: A session is being started, or runs by the robot's controller.
        """
        with self._lock:
            if self._is_starting:
                raise InvalidOperationError("set_tip_link: a controller is being started")
            if not self._solver.hasLinkName(link_name):
                raise UnknownLinkError(link_name, self._solver.getLinkNames())
            below = {self.arm.flange_link, *self._graph.getLinkChildrenNames(self.arm.flange_link)}
            if link_name not in below:
                raise InvalidArgumentError(
                    f"set_tip_link: {link_name!r} is not at or below the flange "
                    f"{self.arm.flange_link!r}"
                )
            before, running = self._tip, self._running()
            self._tip = link_name
            if running is None or before == link_name:
                return
            step = self._solver.getRelativeLinkTransform(before, link_name)
            try:
                running.change_tip(step, self._publish_chain)
            except BaseException:
                self._tip = before
                raise

    def insertSceneGraph(self, scene_graph: SceneGraph, joint: Joint, prefix: str = "") -> bool:
        """Attach a copy of another graph; as `SceneGraph.insertSceneGraph`."""
        return self._edit(
            lambda: self._solver.insertSceneGraph(scene_graph, joint, prefix),
            lambda: self._graph.insertSceneGraph(scene_graph, joint, prefix),
        )

    def addLink(self, link: Link, joint: Joint) -> bool:
        """Add a link; as `MutableStateSolver.addLink`."""
        return self._edit(
            lambda: self._solver.addLink(link, joint), lambda: self._graph.addLink(link, joint)
        )

    def moveLink(self, joint: Joint) -> bool:
        """Attach a link elsewhere; as `MutableStateSolver.moveLink`.

        A mass below the flange that the robot does not know is logged with the sag to expect while
        a controller runs.

        Raises:
            InvalidOperationError: It is a part of the arm or carries the controlled link.
        """
        if isinstance(joint, Joint):  # else the solver says so
            self._keep_arm(joint.child_link_name)
        return self._edit(lambda: self._solver.moveLink(joint), lambda: self._graph.moveLink(joint))

    def removeLink(self, name: str) -> bool:
        """Remove a link with all below it; as `MutableStateSolver.removeLink`.

        Raises:
            InvalidOperationError: The arm or the controlled link is part of it.
        """
        self._keep_arm(name, removed=True)
        return self._edit(
            lambda: self._solver.removeLink(name), lambda: self._graph.removeLink(name, True)
        )

    def changeJointOrigin(self, name: str, new_origin: TransformLike) -> bool:
        """Change a joint's origin; as `MutableStateSolver.changeJointOrigin`."""
        return self._edit(
            lambda: self._solver.changeJointOrigin(name, new_origin),
            lambda: self._graph.changeJointOrigin(name, new_origin),
        )

    def attach(self, link_name: str, to_link: str, joint_name: str | None = None) -> bool:
        """Fix a link where it is to another link, from now on moving with that.

        Args:
            link_name: Link to be moved, with all below it.
            to_link: Its new parent.
            joint_name: Name of the fixed joint; left out: "<link_name>_attachment".

        Returns:
            As `moveLink`, which also says what is logged.

        Raises:
            UnknownLinkError: One of them is no link. Also a `KeyError`.
            FrankaError: What ended the stream of states.
        """
        with self._lock:
            self._raise_failure()
            if self._follower is None:  # nobody else keeps the solver in step
                self.refresh()
            joint = Joint(joint_name or f"{link_name}_attachment")
            joint.type = JointType.FIXED
            joint.parent_link_name, joint.child_link_name = to_link, link_name
            joint.parent_to_joint_origin_transform = self._solver.getRelativeLinkTransform(
                to_link, link_name
            )
            return self.moveLink(joint)

    def set_joint(self, name: str, value: float, velocity: float | None = None) -> None:
        """Set a joint of the scene that is not the arm's, such as a gripper's or a conveyor's.

        A target in a frame that the joint moves goes along with it. Its velocity is that of the
        joint if it is given, else what follows from this change and the one before, by the robot's
        clock; it counts until the next change, for 0.25 s at most.

        Args:
            name: Joint.
            value: m or rad.
            velocity: m/s or rad/s from now on.

        Raises:
            InvalidArgumentError: It is the arm's, or value or velocity is not finite. Also a
                `ValueError`.
            UnknownJointError: It is no active joint. Also a `ValueError`.
        """
        check_kind("name", name, str)
        check_finite_number("value", value)
        if name in self.arm.joint_names:
            raise InvalidArgumentError(f"set_joint: the robot itself sets {name!r}")
        if velocity is not None:
            check_finite_number("velocity", velocity)
        with self._undone_on_error():
            self._solver.setState({name: value})
            self._publish_chain()
            if velocity is None:
                self._speeds.pop(name, None)
            else:
                self._speeds[name] = float(velocity)
            self._publish_frames()

    def _keep_arm(self, name: str, *, removed: bool = False) -> None:
        needed = {self.arm.base_link, self.arm.flange_link, self._tip}
        with self._lock:
            if name not in self._graph.getLinkChildrenNames(self._graph.getRoot()):
                return  # unknown or the root: the solver says so
            gone = {name, *self._graph.getLinkChildrenNames(name)}
            inside = set(self._graph.getLinkChildrenNames(self.arm.base_link))
            if (removed or name in inside) and gone & (needed | set(self.arm.links)):
                raise InvalidOperationError(
                    f"{name!r} belongs to the arm or carries the controlled link {self._tip!r}"
                )

    def _edit(self, solver: Callable[[], bool], graph: Callable[[], bool]) -> bool:
        with self._undone_on_error() as undo:
            if not solver():
                return False
            # The loop may refuse the chain, so it is asked before the graph is changed.
            self._publish_chain()
            try:
                done = graph()
            except BaseException:
                undo()
                self._publish_chain()
                raise
            if not done:
                undo()
                self._publish_chain()
                return False
            if self._running() is not None:
                self._report_unknown_mass()
            self._publish_frames()
            return True

    @contextmanager
    def _undone_on_error(self) -> Iterator[Callable[[], None]]:
        """Hold the scene still; the solver is as before if the block raises or undoes it."""
        with self._lock:
            before = self._solver.clone()

            def undo() -> None:
                self._solver.__setstate__(before.__getstate__())

            try:
                yield undo
            except BaseException:
                undo()
                raise

    def _publish_chain(self) -> None:
        targets = self._handle()
        if targets is not None and (self._is_starting or targets.is_running):
            targets.replace_chain(self._chain().data)

    def _publish_frames(self) -> None:
        running = self._running()
        if running is not None:
            running.frames_moved()

    @property
    def _is_starting(self) -> bool:
        starting = self._starting
        return starting is not None and starting() is not None

    def _handle(self) -> "TargetHandle | None":
        return None if self._targets is None else self._targets()

    def _running(self) -> "TargetHandle | None":
        targets = self._handle()
        return targets if targets is not None and targets.is_running else None
