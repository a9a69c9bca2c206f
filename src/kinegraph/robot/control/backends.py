"""What options make of a session: its controller, its motion, and what the robot bounds."""

from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import numpy as np

from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.guards.session_guards import SessionGuards
from kinegraph.robot.control.joint_options import JointLimits, JointOptions
from kinegraph.robot.control.memory_layout import MEMORY_SIZE
from kinegraph.robot.control.option_parts import MotionLimits
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.robot_controller import RobotController
from kinegraph.robot.control.target_form import CARTESIAN_FORM, JOINT_FORM, TargetForm
from kinegraph.robot.control.tuning.live_tuning import LiveTuning
from kinegraph.robot.dry_session import DrySession
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.limits import MAX_CUTOFF_FREQUENCY, rate_limits
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.target_controller import TargetController
from kinegraph.robot.loop.waiting import Waiters
from kinegraph.robot.loop_controller import LoopController
from kinegraph.robot.motion_mode import MotionKind
from kinegraph.robot.session import MotionSession
from kinegraph.scene.array_types import Array

__all__ = [
    "TargetOptions",
    "checked_options",
    "controller_of",
    "form_of",
    "joint_vertical_stiffness",
    "joints_within_robot",
    "session_of",
    "vertical_stiffness",
    "within_robot",
]

TargetOptions: TypeAlias = CartesianOptions | JointOptions
Options = TypeVar("Options", CartesianOptions, JointOptions)

# Numbers of the robot's motions, see `MotionKind`.
JOINT_POSITION, CARTESIAN_POSE = 1, 3
ROBOT_STIFFNESS = 3000.0
"""Translational stiffness of the robot's own Cartesian impedance unless set otherwise, N/m."""


def checked_options(options: Options | None, kind: type[Options]) -> Options:
    """Return the options of a session, the defaults if there are none.

    Raises:
        InvalidArgumentError: They are of another kind. Also a `ValueError`.
    """
    if options is None:
        return kind()
    if isinstance(options, kind):
        return options
    law = isinstance(options, ImpedanceOptions | RobotController)
    hint = f"; as what follows the targets it is {kind.__name__}(backend=...)" if law else ""
    raise InvalidArgumentError(
        f"options: {options!r:.100} are no {kind.__name__}{hint}", field="options"
    )


# --- controller and motion ------------------------------------------------------------------------


def _pose_cycle() -> Any:
    from kinegraph.robot.control.streaming.pose_cycle_kernels import pose_cycle

    return pose_cycle


def _joint_position_cycle() -> Any:
    from kinegraph.robot.control.streaming.joint_position_cycle_kernels import joint_position_cycle

    return joint_position_cycle


STREAMED_CARTESIAN_FORM = replace(CARTESIAN_FORM, load_cycle=_pose_cycle)
"""As `CARTESIAN_FORM`; the cycle gives a pose instead of torques."""

STREAMED_JOINT_FORM = replace(JOINT_FORM, load_cycle=_joint_position_cycle)
"""As `JOINT_FORM`; the cycle gives positions instead of torques."""


def form_of(options: TargetOptions, joints: int) -> TargetForm:
    """Return the form of a controller with these options, for an arm of so many joints."""
    streams = isinstance(options.backend, RobotController)
    if isinstance(options, CartesianOptions):
        return STREAMED_CARTESIAN_FORM if streams else CARTESIAN_FORM
    form = STREAMED_JOINT_FORM if streams else JOINT_FORM
    return replace(form, target_size=2 * joints + 1, anchor_size=joints)


def controller_of(
    options: TargetOptions, arm: ArmTable, chain: Array, bodies: Array, waiters: Waiters
) -> TargetController:
    """Return the controller of a new session.

    Args:
        options: Of the session.
        arm: The arm's table.
        chain: From the base to the controlled link, `ChainPlan.data`.
        bodies: Of the arm, `DynamicsPlan.data`.
        waiters: Of the loop that will run it.

    Raises:
        InvalidArgumentError: A field of the options is refused. Also a `ValueError`.
    """
    packed = options.packed(arm)
    tuning = None
    if isinstance(options, CartesianOptions):
        tuning = LiveTuning.of_session(options, packed)
    return TargetController(
        packed,
        chain,
        bodies,
        np.zeros(MEMORY_SIZE),
        waiters,
        form=form_of(options, arm.n),
        tuning=tuning,
        guards=SessionGuards.of(options),
    )


def session_of(
    link: RobotLink, controller: LoopController, options: TargetOptions
) -> MotionSession:
    """Return the session that runs a controller with these options.

    Poses and positions are limited by the backstop in the controller, and go through no filter.
    """
    session = DrySession if options.dry_run else MotionSession
    backend = options.backend
    if isinstance(backend, ImpedanceOptions):
        return session(
            link,
            MotionKind.torques(),
            controller,
            limit_rate=options.limit_rate,
            cutoff_frequency=backend.cutoff_frequency,
        )
    motion = CARTESIAN_POSE if isinstance(options, CartesianOptions) else JOINT_POSITION
    return session(
        link,
        MotionKind.generator(motion, options.controller_mode, external=False),
        controller,
        limit_rate=False,
        cutoff_frequency=MAX_CUTOFF_FREQUENCY,
    )


# --- what the robot bounds ------------------------------------------------------------------------


def within_robot(options: CartesianOptions, version: int) -> CartesianOptions:
    """Return options whose budgets the robot takes, if its own controller is to follow them.

    Raises:
        InvalidArgumentError: A field is refused. Also a `ValueError`.
    """
    options.validate()
    if not isinstance(options.backend, RobotController):
        return options
    bounds = rate_limits(version).cartesian.tolist()
    return replace(
        options,
        limits=options.limits.within(MotionLimits(*bounds[:3])),
        rotation_limits=options.rotation_limits.within(MotionLimits(*bounds[3:])),
    )


def joints_within_robot(options: JointOptions, arm: ArmTable) -> JointOptions:
    """Return options whose budgets the robot takes, if its own controller is to follow them.

    Raises:
        InvalidArgumentError: A field is refused. Also a `ValueError`.
    """
    options.validate(arm)
    limits = options.limits
    if limits is None or not isinstance(options.backend, RobotController):
        return options
    most = JointLimits.share_of(arm, 1.0)
    return replace(
        options,
        limits=JointLimits(
            np.minimum(limits.max_velocity, most.max_velocity),
            np.minimum(limits.max_acceleration, most.max_acceleration),
            np.minimum(limits.max_jerk, most.max_jerk),
        ),
    )


# --- what an unknown load does --------------------------------------------------------------------


def vertical_stiffness(options: CartesianOptions) -> float:
    """Return the spring against which an unknown load sags, N/m, at least 1."""
    if isinstance(options.backend, ImpedanceOptions):
        return max(float(options.backend.gains.cartesian_stiffness[2]), 1.0)
    return ROBOT_STIFFNESS


def joint_vertical_stiffness(options: JointOptions, jacobian: Array) -> float:
    """Return the spring against which an unknown load sags, N/m, at least 1.

    1 / (J_z Kq^-1 J_z^T) of the joint springs alone.

    Args:
        options: Of the session.
        jacobian: (6, n) at the tip, base axes.
    """
    if not isinstance(options.backend, ImpedanceOptions):
        return ROBOT_STIFFNESS
    springs = np.asarray(options.backend.gains.joint_stiffness)
    moved = jacobian[2] ** 2
    give = np.divide(moved, springs, out=np.full_like(moved, np.inf), where=springs > 0.0)
    give[moved == 0.0] = 0.0
    return max(1.0 / max(float(give.sum()), 1e-9), 1.0)
