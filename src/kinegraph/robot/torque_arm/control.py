"""`ArmControl`: the target controllers on a `TorqueArm`."""

from typing import TYPE_CHECKING, get_args

import numpy as np

from kinegraph.robot.errors import ControlError, InvalidArgumentError, InvalidOperationError
from kinegraph.robot.torque_arm.arm_row import read_arm
from kinegraph.robot.torque_arm.description import ArmDescription
from kinegraph.robot.torque_arm.protocol import TorqueArm
from kinegraph.robot.torque_arm.session import ArmSession, Pace
from kinegraph.robot.wire.state_layout import S_q
from kinegraph.scene.array_types import Array

if TYPE_CHECKING:
    from kinegraph.robot.control.joint_options import JointOptions
    from kinegraph.robot.control.joint_targets import JointTargets
    from kinegraph.robot.control.options import CartesianOptions
    from kinegraph.robot.control.target_form import TargetForm
    from kinegraph.robot.control.targets import CartesianTargets
    from kinegraph.robot.loop.target_controller import TargetController

__all__ = ["ArmControl"]


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
        if not isinstance(arm, TorqueArm):
            raise InvalidArgumentError(f"arm: {arm!r:.100} is no TorqueArm")
        if arm.table.n != description.n or np.shape(arm.torque_rate) != (description.n,):
            raise InvalidArgumentError(
                f"arm: its table has {arm.table.n} joints and it has {np.size(arm.torque_rate)} "
                f"torque rates, the description has {description.n} joints"
            )
        self.arm = arm
        self.description = description
        self._session: ArmSession | None = None

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
        from kinegraph.robot.control.options import CartesianOptions
        from kinegraph.robot.control.target_form import CARTESIAN_FORM
        from kinegraph.robot.control.targets import CartesianTargets
        from kinegraph.robot.torque_arm.laws import cartesian_law

        if options is None:
            law = cartesian_law(self.arm.table, inertia=self._inertia())
            chosen = CartesianOptions(backend=law)
        else:
            chosen = options
        if not isinstance(chosen, CartesianOptions):
            raise InvalidArgumentError(f"options: {options!r:.100} are no CartesianOptions")
        session, controller = self._session_of(chosen, CARTESIAN_FORM, pace)
        return CartesianTargets(
            session,
            controller,
            self.description.chain.data,
            session.newest_row,
            lambda link: self._axes_of(session, link),
            workspace=chosen.workspace,
        ).start()

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
        from kinegraph.robot.control.backends import joint_form
        from kinegraph.robot.control.joint_options import JointOptions
        from kinegraph.robot.control.joint_targets import JointTargets
        from kinegraph.robot.torque_arm.laws import joint_law

        table = self.arm.table
        if options is None:
            chosen = JointOptions(backend=joint_law(table, inertia=self._inertia()))
        else:
            chosen = options
        if not isinstance(chosen, JointOptions):
            raise InvalidArgumentError(f"options: {options!r:.100} are no JointOptions")
        session, controller = self._session_of(chosen, joint_form(chosen, table.n), pace)
        return JointTargets(
            session,
            controller,
            self.description.chain.data,
            session.newest_row,
            arm=table,
            inset=chosen.backend.joint_limit_inset,
        ).start()

    def step(self, cycles: int = 1) -> bool:
        """Run cycles of the running session, which was started with `pace="stepped"`.

        Returns:
            Whether it still runs.

        Raises:
            InvalidOperationError: No such session was started.
            FrankaError: What ended it, if not a regular end.
        """
        if self._session is None:
            raise InvalidOperationError("step: no session has been started")
        return self._session.step(cycles)

    def _session_of(
        self, options: "CartesianOptions | JointOptions", form: "TargetForm", pace: Pace
    ) -> tuple[ArmSession, "TargetController"]:
        from kinegraph.robot.control.checks import check_margin
        from kinegraph.robot.control.guards.session_guards import SessionGuards
        from kinegraph.robot.control.memory_layout import MEMORY_SIZE
        from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
        from kinegraph.robot.control.tuning.live_tuning import LiveTuning
        from kinegraph.robot.loop.target_controller import TargetController
        from kinegraph.robot.loop.waiting import Waiters

        if pace not in get_args(Pace):
            raise InvalidArgumentError(f"pace: {pace!r:.100} is none of {get_args(Pace)}")
        backend = options.backend
        if not isinstance(backend, ImpedanceOptions):
            raise InvalidArgumentError(
                "backend: an arm that takes torques has no controller of its own; give "
                "ImpedanceOptions",
                field="backend",
            )
        check_margin("joint_position_margin", backend.joint_position_margin, self.arm.table)
        if self._session is not None and self._session.is_running:
            raise InvalidOperationError("a session runs on the arm already")
        packed = options.packed(self.arm.table)
        tuning = None
        if isinstance(options, CartesianOptions):
            tuning = LiveTuning.of_session(options, packed)
        controller = TargetController(
            packed,
            self.description.chain.data,
            self.description.bodies.data,
            np.zeros(MEMORY_SIZE),
            Waiters(),
            form=form,
            tuning=tuning,
            guards=SessionGuards.of(options),
        )
        session = ArmSession(
            self.arm,
            self.description,
            controller,
            cutoff_frequency=backend.cutoff_frequency,
            limit_rate=options.limit_rate,
            pace=pace,
            realtime=(options.realtime_priority, options.cpu),
        )
        self._session = session
        return session, controller

    def _inertia(self) -> Array:
        """What the joints move where the arm is now."""
        state = read_arm(self.arm, self.description.n)
        if not np.isfinite(state.q).all():
            raise ControlError(f"the arm's joint positions are not finite: {state.q.tolist()}")
        return self.description.joint_inertia(state.q)

    def _axes_of(self, session: ArmSession, link_name: str) -> Array:
        q = session.newest_row()[S_q : S_q + self.description.n]
        return self.description.link_pose(q, link_name).matrix[:3, :3]
