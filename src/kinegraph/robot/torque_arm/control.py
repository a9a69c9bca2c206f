"""`ArmControl`: the target controllers on a `TorqueArm`."""

import weakref
from typing import TYPE_CHECKING, TypeVar, cast, get_args

import numpy as np

from kinegraph.robot.errors import ControlError, InvalidArgumentError, InvalidOperationError
from kinegraph.robot.torque_arm.arm_row import read_arm
from kinegraph.robot.torque_arm.arm_scene import ArmScene
from kinegraph.robot.torque_arm.description import ArmDescription
from kinegraph.robot.torque_arm.one_session import OneSession
from kinegraph.robot.torque_arm.protocol import TorqueArm
from kinegraph.robot.torque_arm.session import ArmSession, Pace
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import Isometry3d

if TYPE_CHECKING:
    from kinegraph.robot.control.backends import TargetOptions
    from kinegraph.robot.control.joint_options import JointOptions
    from kinegraph.robot.control.joint_targets import JointTargets
    from kinegraph.robot.control.options import CartesianOptions
    from kinegraph.robot.control.target_handle import TargetHandle
    from kinegraph.robot.control.targets import CartesianTargets
    from kinegraph.robot.loop.target_controller import TargetController

__all__ = ["ArmControl"]

Targets = TypeVar("Targets", bound="TargetHandle")
PARTS = ("table", "torque_rate", "gravity", "read", "send", "stop")


class ArmControl:
    """Runs the target controllers on an arm; one session at a time.

    Args:
        arm: Takes the torques; its table has the limits.
        description: Its kinematics and bodies.

    Raises:
        InvalidArgumentError: `arm` lacks a part of a `TorqueArm`, `description` is none, or they
            disagree about the number of joints. Also a `ValueError`.
    """

    def __init__(self, arm: TorqueArm, description: ArmDescription) -> None:
        if not isinstance(description, ArmDescription):
            raise InvalidArgumentError(f"description: {description!r:.100} is no ArmDescription")
        missing = [name for name in PARTS if not hasattr(arm, name)]
        if missing:
            raise InvalidArgumentError(
                f"arm: {arm!r:.100} is no TorqueArm, it has no {', '.join(missing)}", field="arm"
            )
        if arm.table.n != description.n or np.shape(arm.torque_rate) != (description.n,):
            raise InvalidArgumentError(
                f"arm: its table has {arm.table.n} joints and it has {np.size(arm.torque_rate)} "
                f"torque rates, the description has {description.n} joints"
            )
        self.arm = arm
        self.description = description
        self._sessions = OneSession(arm, description.n)
        self._targets: weakref.ref[TargetHandle] | None = None
        self._scene = ArmScene(description, self._sessions.newest_q)

    def cartesian_targets(
        self, options: "CartesianOptions | None" = None, *, pace: Pace = "clock"
    ) -> "CartesianTargets":
        """Start the Cartesian target controller for the description's tip link.

        Poses and targets are in the description's base frame. The deviation guard goes by the
        pose that follows from the measured joints.

        Args:
            options: Left out: the defaults with `cartesian_law` for the arm as it stands. Gains and
                other vectors of joints need the arm's number of entries.
            pace: "clock": 1000 cycles a second by this computer, in a thread; "arm": as often as
                `arm.read` returns; "stepped": when `step` is called, and as the handle's `wait`,
                `move_to`, `follow` and `stop` need it.

        Returns:
            The running session; use it as a context manager.

        Raises:
            InvalidArgumentError: An option is out of its range, asks for the robot's own
                controller, or is no option. Also a `ValueError`.
            InvalidOperationError: A session runs.
            ControlError: The arm raised an exception, or its state is none.
        """
        from kinegraph.robot.control.backends import checked_options
        from kinegraph.robot.control.options import CartesianOptions
        from kinegraph.robot.control.targets import CartesianTargets
        from kinegraph.robot.torque_arm.laws import cartesian_law

        if options is None:
            law = cartesian_law(self.arm.table, inertia=self._inertia())
            options = CartesianOptions(backend=law)
        chosen = checked_options(options, CartesianOptions)
        session, controller, chain = self._session_of(chosen, pace)
        targets = CartesianTargets(
            session,
            controller,
            chain,
            session.newest_row,
            lambda link: self.link_pose(link).matrix[:3, :3],
            workspace=chosen.workspace,
        )
        targets.frames = self._scene
        return self._started(session, targets)

    def joint_targets(
        self, options: "JointOptions | None" = None, *, pace: Pace = "clock"
    ) -> "JointTargets":
        """Start the joint target controller; targets are in the order of the description's joints.

        Args:
            options: Left out: the defaults with `joint_law` for the arm as it stands, budgets a
                fifth of the arm's limits.
            pace: As for `cartesian_targets`.

        Returns:
            The running session; use it as a context manager.

        Raises:
            FrankaError: As for `cartesian_targets`.
        """
        from kinegraph.robot.control.backends import checked_options
        from kinegraph.robot.control.joint_options import JointOptions
        from kinegraph.robot.control.joint_targets import JointTargets
        from kinegraph.robot.torque_arm.laws import joint_law

        table = self.arm.table
        if options is None:
            options = JointOptions(backend=joint_law(table, inertia=self._inertia()))
        chosen = checked_options(options, JointOptions)
        session, controller, chain = self._session_of(chosen, pace)
        targets = JointTargets(
            session,
            controller,
            chain,
            session.newest_row,
            arm=table,
            inset=chosen.backend.joint_limit_inset,
        )
        return self._started(session, targets)

    def step(self, cycles: int = 1) -> bool:
        """Run cycles of the running session, which was started with `pace="stepped"`.

        Returns:
            Whether it still runs.

        Raises:
            InvalidOperationError: No such session was started.
            FrankaError: What ended it, if not a regular end.
        """
        session = self._sessions.current()
        if session is None:
            raise InvalidOperationError("step: no session runs")
        return session.step(cycles)

    # --- the scene around it --------------------------------------------------------------------

    def link_pose(self, link_name: str) -> Isometry3d:
        """Return a link's pose in the arm's base, by the newest state and by `set_joint`.

        Raises:
            UnknownLinkError: It is no link. Also a `KeyError`.
        """
        return self._scene.link_pose(link_name)

    def set_joint(self, name: str, value: float, velocity: float | None = None) -> None:
        """Set a joint of the scene that is not the arm's, such as a conveyor's or a tool's.

        A target in a frame that the joint moves goes along with it, and a tool's joint moves the
        controlled link of the running session; see `SceneRobot.set_joint`. In stepped time a
        session takes one change of a tool in a cycle.

        Args:
            name: Joint.
            value: m or rad.
            velocity: m/s or rad/s from now on; left out: by this change and the one before.

        Raises:
            InvalidArgumentError: It is the arm's, or value or velocity is not finite. Also a
                `ValueError`.
            UnknownJointError: It is no active joint. Also a `ValueError`.
        """
        with self._scene.lock:
            self._scene.set_joint(name, value, velocity)
            targets = None if self._targets is None else self._targets()
            if targets is not None and targets.is_running:
                if name in self._scene.tip_joints:
                    targets.replace_chain(self._scene.chain())
                targets.frames_moved()

    # --- parts of a session ---------------------------------------------------------------------

    def _session_of(
        self, options: "TargetOptions", pace: Pace
    ) -> tuple[ArmSession, "TargetController", Array]:
        from kinegraph.robot.control.backends import controller_of
        from kinegraph.robot.control.checks import check_margin
        from kinegraph.robot.control.options import ImpedanceOptions
        from kinegraph.robot.loop.waiting import Waiters

        if not isinstance(pace, str) or pace not in get_args(Pace):
            raise InvalidArgumentError(f"pace: {pace!r:.100} is none of {get_args(Pace)}")
        backend = options.backend
        if not isinstance(backend, ImpedanceOptions):
            raise InvalidArgumentError(
                "backend: an arm that takes torques has no controller of its own; give "
                "ImpedanceOptions",
                field="backend",
            )
        check_margin("joint_position_margin", backend.joint_position_margin, self.arm.table)
        self._sessions.check_free()
        chain, bodies = self._scene.chain(), self.description.bodies.data
        controller = controller_of(options, self.arm.table, chain, bodies, Waiters())
        session = ArmSession(
            self.arm,
            self.description,
            controller,
            cutoff_frequency=backend.cutoff_frequency,
            limit_rate=options.limit_rate,
            pace=pace,
            realtime=(options.realtime_priority, options.cpu),
        )
        return session, controller, chain

    def _started(self, session: ArmSession, targets: Targets) -> Targets:
        with self._sessions.starting(session):
            self._targets = cast("weakref.ref[TargetHandle]", weakref.ref(targets))
            return targets.start()

    def _inertia(self) -> Array:
        """What the joints move where the arm is now."""
        state = read_arm(self.arm, self.description.n)
        if not np.isfinite(state.q).all():
            raise ControlError(f"the arm's joint positions are not finite: {state.q.tolist()}")
        return self.description.joint_inertia(state.q)
