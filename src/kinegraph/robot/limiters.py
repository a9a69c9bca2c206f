"""The rate limiters of the robot's interface as functions, checked; one step is 1 ms."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.command_checks import is_homogeneous_transformation, pose_values
from kinegraph.robot.conversion_codes import COMMANDING, LIMITER_POSE
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.limits import numbers
from kinegraph.scene.array_types import Array
from kinegraph.scene.pose import TransformLike

__all__ = [
    "limit_rate_cartesian_pose",
    "limit_rate_cartesian_velocity",
    "limit_rate_joint_position",
    "limit_rate_joint_velocity",
    "limit_rate_torques",
]


def limit_rate_torques(max_derivatives: ArrayLike, commanded: ArrayLike, last: ArrayLike) -> Array:
    """Limit how fast torques change.

    Args:
        max_derivatives: (7,) Nm/s.
        commanded: (7,) wanted torques, Nm.
        last: (7,) torques of the cycle before, Nm: `tau_J_d` of the state that is answered.

    Returns:
        (7,) Nm.

    Raises:
        InvalidArgumentError: Something is not seven finite numbers, or a rate is negative. Also a
            `ValueError`.
    """
    from kinegraph.robot.limiter_kernels import limit_torque

    rates, before = numbers(max_derivatives, 7, "max_derivatives"), numbers(last, 7, "last")
    _check_signs(max_derivatives=rates)
    wanted = _commanded(commanded, (7,), COMMANDING)
    rows = zip(rates.tolist(), wanted.tolist(), before.tolist(), strict=True)
    return np.array([limit_torque(*row) for row in rows])


def limit_rate_joint_velocity(
    upper_velocity: ArrayLike,
    lower_velocity: ArrayLike,
    max_acceleration: ArrayLike,
    max_jerk: ArrayLike,
    commanded: ArrayLike,
    last_velocity: ArrayLike,
    last_acceleration: ArrayLike,
) -> Any:
    """Limit velocity, acceleration and jerk of one joint, or of several.

    A last velocity outside the limits is braked with up to the acceleration.

    Args:
        upper_velocity: rad/s; this and all others are numbers, or arrays of one shape.
        lower_velocity: rad/s.
        max_acceleration: rad/s^2.
        max_jerk: rad/s^3.
        commanded: Wanted velocity, rad/s.
        last_velocity: rad/s.
        last_acceleration: rad/s^2.

    Returns:
        Velocity, rad/s: a float for numbers, else an array.

    Raises:
        InvalidArgumentError: Something is not finite, shapes do not fit, or acceleration or jerk
            is not positive. Also a `ValueError`.
    """
    from kinegraph.robot.limiter_kernels import limit_velocity

    bounds = _bounds(upper_velocity, lower_velocity, max_acceleration, max_jerk)
    state = _finite(last_velocity=last_velocity, last_acceleration=last_acceleration)
    wanted = _several(commanded, "commanded_velocity", "commanded_velocities")
    return _each(limit_velocity, (*bounds, wanted, *state))


def limit_rate_joint_position(
    upper_velocity: ArrayLike,
    lower_velocity: ArrayLike,
    max_acceleration: ArrayLike,
    max_jerk: ArrayLike,
    commanded: ArrayLike,
    last_position: ArrayLike,
    last_velocity: ArrayLike,
    last_acceleration: ArrayLike,
) -> Any:
    """Limit the velocity that a position step stands for, and its acceleration and jerk.

    Args:
        upper_velocity: rad/s; this and all others are numbers, or arrays of one shape.
        lower_velocity: rad/s.
        max_acceleration: rad/s^2.
        max_jerk: rad/s^3.
        commanded: Wanted position, rad.
        last_position: rad.
        last_velocity: rad/s.
        last_acceleration: rad/s^2.

    Returns:
        Position, rad: a float for numbers, else an array.

    Raises:
        InvalidArgumentError: As `limit_rate_joint_velocity`. Also a `ValueError`.
    """
    from kinegraph.robot.limiter_kernels import limit_position

    bounds = _bounds(upper_velocity, lower_velocity, max_acceleration, max_jerk)
    state = _finite(
        last_position=last_position,
        last_velocity=last_velocity,
        last_acceleration=last_acceleration,
    )
    wanted = _several(commanded, "commanded_position", "commanded_positions")
    return _each(limit_position, (*bounds, wanted, *state))


def limit_rate_cartesian_velocity(
    limits: ArrayLike, commanded: ArrayLike, last_velocity: ArrayLike, last_acceleration: ArrayLike
) -> Array:
    """Limit velocity, acceleration and jerk of a twist, of either half by its norm.

    Args:
        limits: (6,) translational velocity, acceleration, jerk, then the rotational ones; as
            `RateLimits.cartesian`.
        commanded: (6,) wanted twist, m/s and rad/s.
        last_velocity: (6,) twist of the cycle before.
        last_acceleration: (6,) its acceleration.

    Returns:
        (6,) twist, m/s and rad/s.

    Raises:
        InvalidArgumentError: Wrong counts, something not finite, or a limit not positive. Also a
            `ValueError`.
    """
    from kinegraph.robot.limiter_kernels import limit_twist

    bounds, velocity, acceleration = _cartesian(limits, last_velocity, last_acceleration)
    twist = _commanded(commanded, (6,), "O_dP_EE_c is infinite or NaN.")
    limit_twist(bounds, 0, twist, 0, velocity, 0, acceleration, 0, twist, 0)
    return twist


def limit_rate_cartesian_pose(
    limits: ArrayLike,
    commanded: TransformLike,
    last_pose: TransformLike,
    last_velocity: ArrayLike,
    last_acceleration: ArrayLike,
) -> Array:
    """Limit the twist that a step between two poses stands for; 0.99 of the rotational limits.

    Args:
        limits: (6,) as for `limit_rate_cartesian_velocity`.
        commanded: Wanted pose: (16,) column-major, 4x4 or `Isometry3d`.
        last_pose: Pose of the cycle before, likewise.
        last_velocity: (6,) twist of the cycle before, m/s and rad/s.
        last_acceleration: (6,) its acceleration.

    Returns:
        (16,) pose, column-major.

    Raises:
        InvalidArgumentError: Wrong counts, something not finite, a limit not positive, or
            `commanded` is no pose. Also a `ValueError`.
    """
    from kinegraph.robot.limiter_kernels import POSE_LIMITER_WORK, limit_pose

    bounds, velocity, acceleration = _cartesian(limits, last_velocity, last_acceleration)
    last = pose_values(last_pose, "last_pose")
    pose = pose_values(commanded, "O_T_EE_c")
    if not np.isfinite(pose).all():
        raise InvalidArgumentError(f"O_T_EE_c is infinite or NaN. ({pose.tolist()})")
    if not is_homogeneous_transformation(pose):
        raise InvalidArgumentError(f"{LIMITER_POSE} ({pose.tolist()})")
    numbers(last, 16, "last_pose")
    work = np.empty(POSE_LIMITER_WORK)
    limit_pose(bounds, 0, pose, 0, last, 0, velocity, 0, acceleration, 0, pose, 0, work)
    return pose


def _cartesian(
    limits: ArrayLike, last_velocity: ArrayLike, last_acceleration: ArrayLike
) -> tuple[Array, Array, Array]:
    bounds = numbers(limits, 6, "limits").copy()
    _check_signs(limits=bounds)
    velocity = numbers(last_velocity, 6, "last_velocity").copy()
    return bounds, velocity, numbers(last_acceleration, 6, "last_acceleration").copy()


def _bounds(upper: ArrayLike, lower: ArrayLike, a: ArrayLike, j: ArrayLike) -> tuple[Array, ...]:
    bounds = _finite(upper_velocity=upper, lower_velocity=lower, max_acceleration=a, max_jerk=j)
    _check_signs(max_acceleration=bounds[2], max_jerk=bounds[3])
    return bounds


def _finite(**values: ArrayLike) -> tuple[Array, ...]:
    arrays = []
    for name, value in values.items():
        array = as_numbers(name, value)
        if not np.isfinite(array).all():
            raise InvalidArgumentError(f"{name} is infinite or NaN. ({array.tolist()})", field=name)
        arrays.append(array)
    return tuple(arrays)


def _check_signs(**values: Array) -> None:
    for name, array in values.items():
        if not (array > 0.0).all():
            raise InvalidArgumentError(f"{name} must be positive: {array.tolist()}", field=name)


def _commanded(value: ArrayLike, shape: tuple[int, ...], text: str) -> Array:
    array = as_numbers("commanded", value)
    if array.shape != shape:
        raise InvalidArgumentError(f"a commanded array of shape {shape} is needed: {array.shape}")
    if not np.isfinite(array).all():
        raise InvalidArgumentError(f"{text} ({array.tolist()})")
    return array


def _several(value: ArrayLike, one: str, many: str) -> Array:
    array = as_numbers(one, value)
    if not np.isfinite(array).all():
        name = many if array.ndim else one
        raise InvalidArgumentError(f"{name} is infinite or NaN. ({array.tolist()})", field=name)
    return array


def _each(limit: Any, arguments: tuple[Array, ...]) -> Any:
    try:
        columns = np.broadcast_arrays(*arguments)
    except ValueError as error:
        shapes = [array.shape for array in arguments]
        raise InvalidArgumentError(f"shapes do not fit together: {shapes}") from error
    rows = zip(*(column.ravel().tolist() for column in columns), strict=True)
    limited = [limit(*row) for row in rows]
    return np.array(limited).reshape(columns[0].shape) if columns[0].ndim else limited[0]
