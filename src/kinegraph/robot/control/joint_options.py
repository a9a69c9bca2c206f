"""Options of the joint target controller: budgets of the joints, law, guards, and refusals."""

from dataclasses import dataclass, field, replace

import numpy as np

from kinegraph.robot.control.arms import ArmTable, frozen
from kinegraph.robot.control.checks import check_kind, check_positive, check_positive_vector
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.robot.control.gains import JOINT_GAINS
from kinegraph.robot.control.guards.session_guards import Observer, check_session
from kinegraph.robot.control.option_packing import arm_values, impedance_values, packed_row
from kinegraph.robot.control.option_parts import Settle
from kinegraph.robot.control.options import ImpedanceOptions, validate_backend
from kinegraph.robot.control.robot_controller import RobotController
from kinegraph.robot.modes import ControllerMode
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["JointLimits", "JointOptions"]

DEFAULT_LIMIT_FRACTION = 0.2
"""Share of the arm's limits that is the budget unless one is given."""


@dataclass(frozen=True, slots=True, eq=False)
class JointLimits(FrozenData):
    """A budget for the motion of each joint.

    Attributes:
        max_velocity: (n,) rad/s.
        max_acceleration: (n,) rad/s^2.
        max_jerk: (n,) rad/s^3.
    """

    max_velocity: VectorLike
    max_acceleration: VectorLike
    max_jerk: VectorLike

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, frozen(getattr(self, name), name))

    def validate(self, n: int | None = None, name: str = "limits") -> None:
        """Raise InvalidArgumentError unless every limit is finite and above zero.

        Args:
            n: Number of joints, None if it is not known yet.
            name: How messages call it.
        """
        for part in self.__slots__:
            check_positive_vector(f"{name}.{part}", getattr(self, part), n)

    @classmethod
    def share_of(cls, arm: ArmTable, share: float = DEFAULT_LIMIT_FRACTION) -> "JointLimits":
        """Return a share of an arm's own velocity, acceleration and jerk limits.

        Raises:
            InvalidArgumentError: No arm's table, or the share is not finite or not above zero.
                Also a `ValueError`.
        """
        check_kind("arm", arm, ArmTable)
        check_positive("share", share)
        return cls(
            share * np.asarray(arm.max_joint_velocity),
            share * np.asarray(arm.max_joint_acceleration),
            share * np.asarray(arm.max_joint_jerk),
        )


@dataclass(frozen=True, slots=True, eq=False)
class JointOptions:
    """Options of a joint target session.

    Attributes:
        limits: Budget of each joint; None: a fifth of the arm's limits.
        backend: What follows the desired positions: the controller's own torque law, by default
            with the gains of `JOINT` and the feed-forward and friction compensation of
            `ImpedanceOptions`, or the robot's controller. Of the law's options the inverse
            kinematics' and `posture` are checked but not used, but for `ik.damping` with
            `project_joint_gains`; without Cartesian springs `integral` does nothing.
        controller_mode: Which controller of the robot, with `RobotController`.
        max_deviation: Distance of any joint from its start at which the session ends, rad.
        settle: Landing of a stop.
        limit_rate: Whether what is sent is limited in its rate.
        realtime_priority: FIFO priority of the loop's thread, 1 to 99; None: the one that was
            given to `Robot`, else the highest that can be had.
        cpu: Core of the loop's thread, None: what it has.
        max_target_age_s: Longest time between two targets, s, from the first one on. One that is
            older ends the session: it lands there, finishes, and `stop()` raises. None: any age.
        dry_run: Whether all is computed and recorded, and nothing sent: there is no Move.
        observer: Called off the loop's thread with the `RobotState` and the record of every cycle;
            see `TargetHandle.observation`. None: nobody.
    """

    limits: JointLimits | None = None
    backend: ImpedanceOptions | RobotController = field(
        default_factory=lambda: ImpedanceOptions(gains=JOINT_GAINS)
    )
    controller_mode: ControllerMode = ControllerMode.JointImpedance
    max_deviation: float = 1.0
    settle: Settle = field(default_factory=Settle)
    limit_rate: bool = True
    realtime_priority: int | None = None
    cpu: int | None = None
    max_target_age_s: float | None = None
    dry_run: bool = False
    observer: Observer | None = None

    def validate(self, arm: ArmTable | None = None) -> None:
        """Raise InvalidArgumentError for the first field that the controller cannot use.

        Args:
            arm: The arm's table; without it what depends on the arm is checked at the start.
        """
        if self.limits is not None:
            check_kind("limits", self.limits, JointLimits)
            self.limits.validate(None if arm is None else arm.n)
        validate_backend(self.backend, self.controller_mode, arm)
        check_positive("max_deviation", self.max_deviation)
        check_session(self)

    def with_arm_defaults(self, arm: ArmTable) -> "JointOptions":
        """Return options with the arm's own values where none were given."""
        limits = JointLimits.share_of(arm) if self.limits is None else self.limits
        backend = self.backend
        if isinstance(backend, ImpedanceOptions) and backend.torque_limits is None:
            backend = replace(backend, torque_limits=arm.torque_limits)
        return replace(self, limits=limits, backend=backend)

    def packed(self, arm: ArmTable) -> Array:
        """Return the flat array that the compiled cycle reads.

        Args:
            arm: The arm's table.

        Returns:
            (OPTION_SIZE,) see `options_layout`.

        Raises:
            InvalidArgumentError: A field is refused.
        """
        check_kind("arm", arm, ArmTable)
        self.validate(arm)
        backend = self.with_arm_defaults(arm).backend
        law = [] if isinstance(backend, RobotController) else impedance_values(backend)
        return packed_row((*self._motion_values(arm), *arm_values(arm), *law))

    def _motion_values(self, arm: ArmTable) -> list[tuple[str, VectorLike | float]]:
        limits = JointLimits.share_of(arm) if self.limits is None else self.limits
        return [
            ("joint_velocity", limits.max_velocity),
            ("joint_acceleration", limits.max_acceleration),
            ("joint_jerk", limits.max_jerk),
            ("settle_tolerance", self.settle.tolerance),
            ("settle_cycles", self.settle.cycles),
            ("max_deviation", self.max_deviation),
            ("limit_rate", float(self.limit_rate)),
            ("dry_run", float(self.dry_run)),
        ]
