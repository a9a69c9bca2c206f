"""Target sessions of a robot in its scene."""

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from kinegraph.kinematics.dynamics_plan import plan_dynamics
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.joined.editing import EditedScene
from kinegraph.robot.joined.frames import SceneFrames
from kinegraph.scene.array_types import Array

if TYPE_CHECKING:
    from kinegraph.robot.control.backends import TargetOptions
    from kinegraph.robot.control.joint_options import JointOptions
    from kinegraph.robot.control.joint_targets import JointTargets
    from kinegraph.robot.control.options import CartesianOptions
    from kinegraph.robot.control.target_handle import TargetHandle
    from kinegraph.robot.control.targets import CartesianTargets
    from kinegraph.robot.loop.target_controller import TargetController
    from kinegraph.robot.session import MotionSession

__all__ = ["ControlledScene"]

Targets = TypeVar("Targets", bound="TargetHandle")


class ControlledScene(EditedScene):
    """A scene whose arm a target controller moves."""

    def cartesian_targets(
        self,
        options: "CartesianOptions | None" = None,
        *,
        tool: Literal["robot", "scene"] = "robot",
    ) -> "CartesianTargets":
        """Start the Cartesian target controller for the controlled link.

        Poses and targets are in the robot's base frame O.

        Args:
            options: Left out: the defaults.
            tool: "robot" refuses to start when the robot's F_T_EE is not the controlled link;
                "scene" goes by the scene alone, not with `RobotController`.

        Returns:
            The running session; use it as a context manager.

        Raises:
            InvalidOperationError: The frames disagree, see `sync_tool`; a motion runs; or the
                robot's controller cannot go by the scene.
            InvalidArgumentError: An option is out of its range. Also a `ValueError`.
            FrankaError: What kept the motion from starting.
        """
        from kinegraph.robot.control.arms import arm_table
        from kinegraph.robot.control.backends import (
            checked_options,
            vertical_stiffness,
            within_robot,
        )
        from kinegraph.robot.control.options import CartesianOptions, RobotController
        from kinegraph.robot.control.targets import CartesianTargets

        chosen = within_robot(checked_options(options, CartesianOptions), self.robot.version)
        chosen.validate(arm_table(self.robot.version))
        by_robot = isinstance(chosen.backend, RobotController)
        self._check_tool(tool, by_robot=by_robot)

        def handle(
            session: "MotionSession", controller: "TargetController", chain: Array
        ) -> CartesianTargets:
            targets = CartesianTargets(
                session,
                controller,
                chain,
                self.robot.link.newest_row,
                self._axes_of,
                by_robot=by_robot,
                workspace=chosen.workspace,
            )
            targets.frames = SceneFrames(
                self.arm, self._graph, self._solver, self._lock, lambda: self._tip, self._speeds
            )
            return targets

        return self._start(chosen, handle, lambda _: vertical_stiffness(chosen))

    def joint_targets(self, options: "JointOptions | None" = None) -> "JointTargets":
        """Start the joint target controller.

        Targets are positions of the arm's joints, in the robot's order.

        Args:
            options: Left out: the defaults.

        Returns:
            The running session; use it as a context manager.

        Raises:
            InvalidOperationError: A motion runs.
            InvalidArgumentError: An option is out of its range. Also a `ValueError`.
            FrankaError: What kept the motion from starting.
        """
        from kinegraph.robot.control.arms import arm_table
        from kinegraph.robot.control.backends import (
            checked_options,
            joint_vertical_stiffness,
            joints_within_robot,
        )
        from kinegraph.robot.control.joint_options import JointOptions
        from kinegraph.robot.control.joint_targets import JointTargets

        arm = arm_table(self.robot.version)
        chosen = joints_within_robot(checked_options(options, JointOptions), arm)
        inset = chosen.backend.joint_limit_inset

        def handle(
            session: "MotionSession", controller: "TargetController", chain: Array
        ) -> JointTargets:
            newest = self.robot.link.newest_row
            return JointTargets(session, controller, chain, newest, arm=arm, inset=inset)

        def stiffness(targets: JointTargets) -> float:
            _, jacobian = self._chain().pose_and_jacobian(targets.measured())
            return joint_vertical_stiffness(chosen, jacobian)

        return self._start(chosen, handle, stiffness)

    def _check_tool(self, tool: object, *, by_robot: bool) -> None:
        """Refuse a tool that is not the robot's, unless the scene's is to count."""
        if by_robot and tool == "scene":
            raise InvalidOperationError(
                "tool='scene' needs the controller's own torques: the robot's controller moves "
                "the robot's end effector; sync_tool() sets that"
            )
        if tool == "robot":
            self._refuse_mismatch()
        elif tool != "scene":
            raise InvalidArgumentError(f"tool: 'robot' or 'scene', not {tool!r}")

    def _start(
        self,
        options: "TargetOptions",
        handle: "Callable[[MotionSession, TargetController, Array], Targets]",
        stiffness: Callable[[Targets], float],
    ) -> Targets:
        """Start a session with a controller for the chain as it is now.

        Args:
            options: Of the session; within what the robot takes.
            handle: Makes what the program gets of session, controller and chain.
            stiffness: Returns the spring against which an unknown load sags, N/m.
        """
        from kinegraph.robot.control.arms import arm_table
        from kinegraph.robot.control.backends import controller_of, session_of

        link = self.robot.link
        targets: Targets | None = None
        token: weakref.ref[TargetHandle] | None = None
        try:
            with self._lock:
                if self._is_starting or link.is_busy:
                    raise link.busy()
                chain, arm = self._chain().data, arm_table(self.robot.version)
                waiters = link.loop.waiters
                controller = controller_of(options, arm, chain, self._dynamics(), waiters)
                targets = handle(session_of(link, controller, options), controller, chain)
                targets.owner = self.robot
                token = cast("weakref.ref[TargetHandle]", weakref.ref(targets))
                # From here on every change of the scene goes to this session too.
                self._targets = self._starting = token
            link.loop.set_realtime(options.realtime_priority, options.cpu)
            targets.start()
            self._expect_sag(stiffness(targets))
            self._starting = None
            return targets
        except BaseException:
            if token is not None and self._starting is token:
                self._starting = None
            if targets is not None:
                targets.cancel()  # whoever asked for it gets no handle to end it by
            raise

    def _dynamics(self) -> Array:
        return plan_dynamics(
            self._solver,
            self.arm.joint_names,
            self.arm.flange_link,
            self.arm.base_link,
            inertials_from=self._graph,
        ).data
