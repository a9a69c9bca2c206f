"""What a backend makes of a session: its form, its kind of motion, and what the robot bounds."""

from dataclasses import replace
from typing import Any

from kinegraph.robot.control.option_parts import MotionLimits
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.robot_controller import RobotController
from kinegraph.robot.control.target_form import CARTESIAN_FORM, TargetForm
from kinegraph.robot.limits import MAX_CUTOFF_FREQUENCY, rate_limits
from kinegraph.robot.link import RobotLink
from kinegraph.robot.motion_mode import MotionKind
from kinegraph.robot.session import LoopController, MotionSession, TorqueSession

__all__ = ["cartesian_form", "cartesian_session", "vertical_stiffness", "within_robot"]

CARTESIAN_POSE = 3
ROBOT_STIFFNESS = 3000.0
"""Translational stiffness of the robot's own Cartesian impedance unless set otherwise, N/m."""


def within_robot(options: CartesianOptions, version: int) -> CartesianOptions:
    """Return options whose budgets the robot takes, if its own controller is to follow them."""
    if not isinstance(options.backend, RobotController):
        return options
    bounds = rate_limits(version).cartesian.tolist()
    return replace(
        options,
        limits=options.limits.within(MotionLimits(*bounds[:3])),
        rotation_limits=options.rotation_limits.within(MotionLimits(*bounds[3:])),
    )


def _pose_cycle() -> Any:
    from kinegraph.robot.control.streaming.pose_cycle_kernels import pose_cycle

    return pose_cycle


STREAMED_CARTESIAN_FORM = replace(CARTESIAN_FORM, load_cycle=_pose_cycle)
"""As `CARTESIAN_FORM`; the cycle gives a pose instead of torques."""


def cartesian_form(options: CartesianOptions) -> TargetForm:
    """Return the form of a controller with these options."""
    streams = isinstance(options.backend, RobotController)
    return STREAMED_CARTESIAN_FORM if streams else CARTESIAN_FORM


def cartesian_session(
    link: RobotLink, controller: LoopController, options: CartesianOptions
) -> MotionSession:
    """Return the session that runs a controller with these options.

    Poses are limited by the backstop in the controller, and go through no filter.
    """
    backend = options.backend
    if isinstance(backend, ImpedanceOptions):
        return TorqueSession(
            link,
            controller,
            limit_rate=options.limit_rate,
            cutoff_frequency=backend.cutoff_frequency,
        )
    return MotionSession(
        link,
        MotionKind.generator(CARTESIAN_POSE, options.controller_mode, external=False),
        controller,
        limit_rate=False,
        cutoff_frequency=MAX_CUTOFF_FREQUENCY,
    )


def vertical_stiffness(options: CartesianOptions) -> float:
    """Return the spring against which an unknown load sags, N/m, at least 1."""
    if isinstance(options.backend, ImpedanceOptions):
        return max(float(options.backend.gains.cartesian_stiffness[2]), 1.0)
    return ROBOT_STIFFNESS
