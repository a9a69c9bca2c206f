"""Options of the Cartesian target controller: budgets, gains, guards, and their refusals.

`validate` touches no robot; `packed` turns options and an arm's table into the flat array that the
compiled cycle reads.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from kinegraph.robot.argument_checks import check_flag, is_number
from kinegraph.robot.control.arms import ArmTable, frozen
from kinegraph.robot.control.checks import (
    check_finite_vector,
    check_in_range,
    check_kind,
    check_positive,
    check_positive_vector,
    check_posture,
    refuse,
)
from kinegraph.robot.control.frozen_data import FrozenData
from kinegraph.robot.control.gains import CARTESIAN_GAINS, Gains, scaled_cartesian
from kinegraph.robot.control.guards.session_guards import Observer, check_session
from kinegraph.robot.control.guards.workspace_box import WorkspaceBox
from kinegraph.robot.control.option_packing import (
    arm_values,
    dwell_cycles,
    impedance_values,
    packed_row,
)
from kinegraph.robot.control.option_parts import (
    FEEDFORWARD_SOURCES,
    FeedforwardSource,
    FrictionTerm,
    IkOptions,
    IntegralTerm,
    Leash,
    MotionLimits,
    Settle,
)
from kinegraph.robot.control.robot_controller import (
    JOINT_LIMIT_INSET,
    RobotController,
    backstop_limits,
    check_controller_mode,
)
from kinegraph.robot.control.table_layout import ROTATION_AXIS_FACTOR
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.modes import ControllerMode
from kinegraph.scene.array_types import Array, VectorLike

__all__ = [
    "CartesianOptions",
    "FrictionTerm",
    "Gains",
    "IkOptions",
    "ImpedanceOptions",
    "IntegralTerm",
    "Leash",
    "MotionLimits",
    "RobotController",
    "Settle",
    "WorkspaceBox",
    "scaled_cartesian",
]


@dataclass(frozen=True, slots=True, eq=False)
class ImpedanceOptions(FrozenData):
    """The controller's own torque law and what guards it.

    Attributes:
        gains: Springs and dampers.
        torque_limits: (n,) clamp of the torques, Nm; None: the arm's default.
        cutoff_frequency: Low-pass on the torques sent, Hz; 1000 or more: off.
        posture: (n,) configuration that the null space is pulled to, rad; None: where it starts.
        ik: The inverse kinematics.
        velocity_feedforward: Whether the law's dampers act against the goal's velocity.
        velocity_feedforward_gain: Share of it, 0 to 1.
        velocity_feedforward_cutoff: Low-pass on the goal's velocity, Hz; 1000: off.
        reference_cutoff: Low-pass on what the law follows, Hz: from there on 48 dB of it are kept
            off, for a delay of 0.70 / cutoff, 35 ms at 20 Hz; 500 or more: off.
        feedback_cutoff: Two low-passes in a row on the torques of springs and dampers, Hz: where
            joints stick and slip, and with noise. Dampers above those of `CARTESIAN` raise it by
            their ratio; 1000 or more: off.
        feedforward_from: Where the goal's velocity and acceleration come from: `"generator"`, the
            trajectory generator's own through the Jacobian of the free joints, or `"goal"`, the
            difference of two goals (no acceleration).
        acceleration_feedforward: Share, 0 to 1, of the torques that the goal's acceleration needs.
        friction: Compensation of the joints' friction; None: off.
        integral: Force that removes what is left of the position error at rest; None: off.
        wall_depth: How far behind a wall the generator aims, m and rad: so that an orientation that
            a joint limit keeps it from gives way to the position; a stop aims 0.1 mm behind it at
            most. inf: at the target itself, which makes every axis as slow as the one that cannot
            move.
        max_lead: How far the desired pose may be ahead of what the inverse kinematics reaches, m;
            rotations count by `ik.rotation_weight`. Near singular poses the generator then waits,
            and where the goal gets no nearer to its target the arm goes to the nearest pose within
            reach, and rests there; inf: it goes on to the target, and the arm swings.
        leash: How far the desired pose may lead.
        project_joint_gains: Whether joint springs act in the null space of the task only.
        joint_velocity_fraction: Share of the robot's velocity limits that the goal may use.
        velocity_barrier_fraction: Share of them at which the barrier begins.
        joint_position_margin: Distance that the goal keeps from the position limits, rad.
        max_spring_force: Largest force of the springs at the tool, N; None: no cap. Dampers and
            the integral force come on top.
    """

    gains: Gains = CARTESIAN_GAINS
    torque_limits: VectorLike | None = None
    cutoff_frequency: float = 100.0
    posture: VectorLike | None = None
    ik: IkOptions = field(default_factory=IkOptions)
    velocity_feedforward: bool = True
    velocity_feedforward_gain: float = 1.0
    velocity_feedforward_cutoff: float = 1000.0
    reference_cutoff: float = 20.0
    feedback_cutoff: float = 20.0
    feedforward_from: FeedforwardSource = "generator"
    acceleration_feedforward: float = 1.0
    friction: FrictionTerm | None = field(default_factory=FrictionTerm)
    integral: IntegralTerm | None = field(default_factory=IntegralTerm)
    wall_depth: float = 3e-3
    max_lead: float = 2e-3
    leash: Leash = field(default_factory=Leash)
    project_joint_gains: bool = False
    joint_velocity_fraction: float = 0.7
    velocity_barrier_fraction: float = 0.85
    joint_position_margin: float = 0.05
    max_spring_force: float | None = None

    def __post_init__(self) -> None:
        for name in ("torque_limits", "posture"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, frozen(value, name))

    @property
    def joint_limit_inset(self) -> float:
        """Nearest that a posture or a joint target may be to a position limit, rad."""
        return max(JOINT_LIMIT_INSET, self.joint_position_margin)

    def validate(self, arm: ArmTable | None = None) -> None:
        """Raise InvalidArgumentError for the first field that the controller cannot use.

        Args:
            arm: The arm's table; without it what depends on the arm is checked at the start.
        """
        for name, kind in (("gains", Gains), ("ik", IkOptions), ("leash", Leash)):
            check_kind(name, getattr(self, name), kind)
        for name in ("velocity_feedforward", "project_joint_gains"):
            check_flag(name, getattr(self, name))
        self.gains.validate(None if arm is None else arm.n)
        self._validate_torque_limits(arm)
        self.ik.validate()
        self.leash.validate()
        check_positive("cutoff_frequency", self.cutoff_frequency)
        check_in_range("velocity_feedforward_gain", self.velocity_feedforward_gain, 0.0, 1.0)
        check_in_range("velocity_feedforward_cutoff", self.velocity_feedforward_cutoff, 1.0, np.inf)
        self._validate_terms(arm)
        fraction = self.joint_velocity_fraction
        check_in_range("joint_velocity_fraction", fraction, 0.0, 1.0, open_below=True)
        check_in_range("velocity_barrier_fraction", self.velocity_barrier_fraction, fraction, 1.0)
        check_in_range("joint_position_margin", self.joint_position_margin, 0.035, 0.5)
        self._validate_posture(arm)
        if self.max_spring_force is not None:
            check_positive("max_spring_force", self.max_spring_force)

    def _validate_terms(self, arm: ArmTable | None) -> None:
        source = self.feedforward_from
        if not isinstance(source, str) or source not in FEEDFORWARD_SOURCES:
            raise refuse("feedforward_from", source, "is not 'generator' or 'goal'")
        check_in_range("reference_cutoff", self.reference_cutoff, 1.0, np.inf)
        check_in_range("feedback_cutoff", self.feedback_cutoff, 10.0, np.inf)
        check_in_range("acceleration_feedforward", self.acceleration_feedforward, 0.0, 1.0)
        if self.friction is not None:
            check_kind("friction", self.friction, FrictionTerm)
            self.friction.validate(None if arm is None else arm.n)
        if self.integral is not None:
            check_kind("integral", self.integral, IntegralTerm)
            self.integral.validate()
        for name in ("wall_depth", "max_lead"):
            value = getattr(self, name)
            if not is_number(value) or value != np.inf:
                check_positive(name, value)

    def _validate_torque_limits(self, arm: ArmTable | None) -> None:
        if self.torque_limits is None:
            return
        count = None if arm is None else arm.n
        limits = check_positive_vector("torque_limits", self.torque_limits, count)
        if arm is None:
            return
        for i, (value, rated) in enumerate(zip(limits, arm.rated_torque, strict=True)):
            if value > rated:
                raise InvalidArgumentError(
                    f"torque_limits: joint {i + 1} has {value:g} Nm, rated are {rated:g} Nm",
                    field="torque_limits",
                    joint=i + 1,
                    value=float(value),
                )

    def _validate_posture(self, arm: ArmTable | None) -> None:
        if self.posture is None:
            return
        posture = check_finite_vector("posture", self.posture, None if arm is None else arm.n)
        if arm is not None:
            check_posture("posture", posture, arm, self.joint_limit_inset)


def validate_backend(
    backend: ImpedanceOptions | RobotController, mode: ControllerMode, arm: ArmTable | None
) -> None:
    """Raise InvalidArgumentError for a backend that is none, or that the controller cannot use."""
    if isinstance(backend, ImpedanceOptions):
        backend.validate(arm)
    elif not isinstance(backend, RobotController):
        raise refuse("backend", backend, "is neither ImpedanceOptions nor a RobotController")
    check_controller_mode(mode)


@dataclass(frozen=True, slots=True, eq=False)
class CartesianOptions:
    """Options of a Cartesian target session.

    Attributes:
        limits: Budget of the translation, a norm.
        rotation_limits: Budget of the rotation, a norm.
        backend: What follows the desired pose: the controller's own torque law, or the robot's
            controller.
        controller_mode: Which controller of the robot, with `RobotController`.
        max_deviation: Distance from the start at which the session ends, m.
        max_angular_deviation: Angle from the start at which the session ends, rad.
        settle: Landing of a stop.
        limit_rate: Whether the torques sent are limited in their rate.
        realtime_priority: FIFO priority of the loop's thread, 1 to 99; None: the one that was
            given to `Robot`, else the highest that can be had.
        cpu: Core of the loop's thread, None: what it has.
        max_target_age_s: Longest time between two targets, s, from the first one on. One that is
            older ends the session: it lands there, finishes, and `stop()` raises. None: any age.
        dry_run: Whether all is computed and recorded, and nothing sent: there is no Move.
        observer: Called off the loop's thread with the `RobotState` and the record of every cycle;
            see `TargetHandle.observation`. None: nobody.
        workspace: Box that targets and motion are kept in; None: none.
    """

    limits: MotionLimits = field(default_factory=lambda: MotionLimits(0.3, 0.5, 20.0))
    rotation_limits: MotionLimits = field(default_factory=lambda: MotionLimits(0.5, 1.0, 20.0))
    backend: ImpedanceOptions | RobotController = field(default_factory=ImpedanceOptions)
    controller_mode: ControllerMode = ControllerMode.CartesianImpedance
    max_deviation: float = 0.30
    max_angular_deviation: float = 0.5
    settle: Settle = field(default_factory=Settle)
    limit_rate: bool = True
    realtime_priority: int | None = None
    cpu: int | None = None
    max_target_age_s: float | None = None
    dry_run: bool = False
    observer: Observer | None = None
    workspace: WorkspaceBox | None = None

    def validate(self, arm: ArmTable | None = None) -> None:
        """Raise InvalidArgumentError for the first field that the controller cannot use.

        Args:
            arm: The arm's table; without it what depends on the arm is checked at the start.
        """
        for name in ("limits", "rotation_limits"):
            check_kind(name, getattr(self, name), MotionLimits)
            getattr(self, name).validate(name)
        validate_backend(self.backend, self.controller_mode, arm)
        check_positive("max_deviation", self.max_deviation)
        check_positive("max_angular_deviation", self.max_angular_deviation)
        check_session(self)
        if self.workspace is not None:
            check_kind("workspace", self.workspace, WorkspaceBox)
            self.workspace.validate()

    def with_arm_defaults(self, arm: ArmTable) -> "CartesianOptions":
        """Return options with the arm's own values where none were given."""
        backend = self.backend
        if isinstance(backend, RobotController) or backend.torque_limits is not None:
            return self
        return replace(self, backend=replace(backend, torque_limits=arm.torque_limits))

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
        return packed_row((*self._motion_values(), *arm_values(arm), *law))

    def _motion_values(self) -> list[tuple[str, VectorLike | float]]:
        axes = np.column_stack(
            [self.limits.per_axis()] * 3 + [self.rotation_limits.per_axis(ROTATION_AXIS_FACTOR)] * 3
        )
        box = self.workspace
        guards: list[tuple[str, VectorLike | float]] = []
        if box is not None:
            guards = [
                ("has_box", 1.0),
                ("workspace_lower", box.lower),
                ("workspace_upper", box.upper),
            ]
        return [
            *guards,
            ("axis_velocity", axes[0]),
            ("axis_acceleration", axes[1]),
            ("axis_jerk", axes[2]),
            ("settle_tolerance", self.settle.tolerance),
            ("settle_cycles", self.settle.cycles),
            ("dwell", dwell_cycles(self.settle.tolerance, axes[2])),
            ("max_deviation", self.max_deviation),
            ("max_angular_deviation", self.max_angular_deviation),
            ("limit_rate", float(self.limit_rate)),
            ("dry_run", float(self.dry_run)),
            (
                "backstop",
                np.append(backstop_limits(self.limits), backstop_limits(self.rotation_limits)),
            ),
        ]
