"""One step of the Cartesian trajectory generator as a function of poses."""

from dataclasses import dataclass

import numpy as np

from kinegraph.robot.control.checks import check_finite_vector, check_kind
from kinegraph.robot.control.generator.generator import TrajectoryGenerator
from kinegraph.robot.control.options import CartesianOptions
from kinegraph.robot.control.rotation import checked_pose
from kinegraph.robot.control.rotation_kernels import relative_log, turn_by
from kinegraph.robot.control.table_layout import CYCLE_TIME, ROTATION_AXIS_FACTOR
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.pose import TransformLike

__all__ = ["PoseStep", "step_pose"]


@dataclass(frozen=True, slots=True, eq=False)
class PoseStep:
    """Where one step of the generator leads.

    Attributes:
        pose: (4, 4) base frame.
        velocity: (6,) linear, m/s, then angular, rad/s; base axes.
        acceleration: (6,) m/s^2, then rad/s^2.
    """

    pose: Array
    velocity: Array
    acceleration: Array


def step_pose(
    pose: TransformLike,
    velocity: VectorLike,
    acceleration: VectorLike,
    target: TransformLike,
    options: CartesianOptions | None = None,
    *,
    dt: float = CYCLE_TIME,
) -> PoseStep:
    """Carry a pose one step toward a target at rest, all six axes together.

    The axes are the position and the rotation vector from the pose; each has 1/sqrt(3) of the
    budget, of rotations 0.99 of that.

    Args:
        pose: Transform, rigid within 1e-3, base frame.
        velocity: (6,) linear, m/s, then angular, rad/s; base axes.
        acceleration: (6,) m/s^2, then rad/s^2.
        target: Transform, likewise.
        options: `limits` and `rotation_limits` count.
        dt: s; a value that is not finite and above zero moves nothing.

    Raises:
        InvalidArgumentError: No such pose, numbers that are not finite, or options that are none.
            Also a `ValueError`.
    """
    here, there = checked_pose(pose), checked_pose(target)
    rates = check_finite_vector("velocity", velocity, 6)
    changes = check_finite_vector("acceleration", acceleration, 6)
    chosen = CartesianOptions() if options is None else options
    check_kind("options", chosen, CartesianOptions)
    chosen.validate()
    linear, angular = chosen.limits, chosen.rotation_limits
    limits = [linear.per_axis()] * 3 + [angular.per_axis(ROTATION_AXIS_FACTOR)] * 3
    generator = TrajectoryGenerator(np.array(limits))
    rotations = np.concatenate([there[:3, :3].ravel(), here[:3, :3].ravel(), np.empty(9)])
    turn = relative_log(rotations, 0, rotations, 9)
    generator.set_state([*here[:3, 3], 0.0, 0.0, 0.0], rates, changes)
    generator.set_target([*there[:3, 3], *turn])
    generator.step(dt)
    x, y, z = (float(value) for value in generator.position[3:])
    turn_by(x, y, z, rotations, 9, rotations, 18)
    out = np.eye(4)
    out[:3, 3] = generator.position[:3]
    out[:3, :3] = rotations[18:].reshape(3, 3)
    return PoseStep(out, generator.velocity, generator.acceleration)
