"""From options and an arm's table to the numbers of the packed array, by their names there."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.options_layout import OPTION_OFFSETS, OPTION_SIZE
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.control.torques.reference_filter import reference_delay, reference_sections
from kinegraph.scene.array_types import Array, VectorLike

if TYPE_CHECKING:
    from kinegraph.robot.control.options import ImpedanceOptions

__all__ = ["arm_values", "dwell_cycles", "impedance_values", "packed_row"]


def packed_row(values: Iterable[tuple[str, VectorLike | float]]) -> Array:
    """Return the (OPTION_SIZE,) array with each value at the place of its name, else zeros."""
    row = np.zeros(OPTION_SIZE)
    for name, value in values:
        at = OPTION_OFFSETS[name]
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64))
        row[at : at + numbers.size] = numbers
    return row


def dwell_cycles(tolerance: float, jerk: Array) -> float:
    """Return the cycles that the slowest axis needs from rest to cover two tolerances."""
    return float(np.max(np.ceil(np.cbrt(12.0 * tolerance / jerk) / CYCLE_TIME)))


def impedance_values(options: "ImpedanceOptions") -> list[tuple[str, VectorLike | float]]:
    """Return the numbers of the impedance options by their names in the packed array."""
    gain = options.velocity_feedforward_gain if options.velocity_feedforward else 0.0
    posture = options.posture
    return [
        ("leash_translation", options.leash.translation),
        ("leash_rotation", options.leash.rotation),
        ("leash_joint", options.leash.joint),
        ("ik_damping", options.ik.damping),
        ("ik_nullspace_gain", options.ik.nullspace_gain),
        ("ik_iterations", options.ik.iterations),
        ("ik_tolerance", options.ik.tolerance),
        ("ik_rotation_weight", options.ik.rotation_weight),
        ("has_posture", float(posture is not None)),
        ("posture", 0.0 if posture is None else posture),
        ("cartesian_stiffness", np.asarray(options.gains.cartesian_stiffness)),
        ("cartesian_damping", np.asarray(options.gains.cartesian_damping)),
        ("joint_stiffness", np.asarray(options.gains.joint_stiffness)),
        ("joint_damping", np.asarray(options.gains.joint_damping)),
        ("project_joint_gains", float(options.project_joint_gains)),
        ("feedforward_gain", gain),
        ("feedforward_cutoff", options.velocity_feedforward_cutoff),
        ("torque_limits", 0.0 if options.torque_limits is None else options.torque_limits),
        ("joint_velocity_fraction", options.joint_velocity_fraction),
        ("velocity_barrier_fraction", options.velocity_barrier_fraction),
        ("joint_position_margin", options.joint_position_margin),
        *term_values(options),
        ("max_spring_force", options.max_spring_force or 0.0),
    ]


def term_values(options: "ImpedanceOptions") -> list[tuple[str, VectorLike | float]]:
    """Return the numbers of what the law has beside springs and dampers; zeros switch it off."""
    sections = reference_sections(options.reference_cutoff)
    values: list[tuple[str, VectorLike | float]] = [
        ("reference_sections", sections.ravel()),
        ("reference_delay", reference_delay(sections)),
        ("feedback_cutoff", options.feedback_cutoff),
        ("feedforward_source", float(options.feedforward_from == "generator")),
        ("acceleration_gain", options.acceleration_feedforward),
        ("wall_depth", options.wall_depth),
        ("max_lead", options.max_lead),
    ]
    if options.friction is not None:
        values += [
            ("friction_time", options.friction.time),
            ("friction_speed", options.friction.speed),
        ]
        if options.friction.limits is not None:
            values.append(("friction_limits", options.friction.limits))
    if options.integral is not None:
        values += [
            ("integral_force", options.integral.max_force),
            ("integral_time", options.integral.time),
            ("integral_window", options.integral.window),
        ]
    return values


def arm_values(arm: ArmTable) -> list[tuple[str, VectorLike | float]]:
    """Return the numbers of an arm's table by their names in the packed array."""
    values: list[tuple[str, VectorLike | float]] = [
        ("n", arm.n),
        ("default_torque_limits", arm.torque_limits),
        ("lower", arm.lower),
        ("upper", arm.upper),
        ("flat_velocity", arm.flat_velocity),
        ("braking_slope", arm.braking_slope),
        ("braking_onset", arm.braking_onset),
        ("drive_inertia", arm.drive_inertia),
        ("friction_limits", arm.friction_limits),
        ("position_dependent", float(arm.robot_limits is not None)),
        ("backstop_acceleration", arm.max_joint_acceleration),
        ("backstop_jerk", arm.max_joint_jerk),
    ]
    if arm.robot_limits is not None:
        values += [
            (f"robot_{name}", getattr(arm.robot_limits, name))
            for name in ("velocity", "lower", "upper", "offset", "deceleration")
        ]
    return values
