"""How fast joints may go toward their limits, as arrays."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.arms import ArmTable
from kinegraph.robot.control.checks import check_finite_vector, check_kind, check_shape
from kinegraph.robot.control.ik import bounds_kernels
from kinegraph.robot.control.memory_layout import M_q
from kinegraph.robot.control.options import CartesianOptions, ImpedanceOptions
from kinegraph.robot.control.workspace import Workspace
from kinegraph.scene.array_types import Array, VectorLike

__all__ = ["GoalBox", "braking_speed", "goal_box", "robot_speed"]


@dataclass(frozen=True, slots=True, eq=False)
class GoalBox:
    """Where the goal may step to in one cycle, relative to where it is.

    Attributes:
        lower: (n,) rad, not above 0.
        upper: (n,) rad, not below 0.
        speed_lower: (n,) the velocity's bound alone, rad.
        speed_upper: (n,) rad.
        position_lower: (n,) whether a pin on the lower side is one of position.
        position_upper: (n,) the same for the upper side.
    """

    lower: Array
    upper: Array
    speed_lower: Array
    speed_upper: Array
    position_lower: npt.NDArray[np.bool_]
    position_upper: npt.NDArray[np.bool_]


def braking_speed(arm: ArmTable, distance: VectorLike | float) -> Array:
    """Return the speeds from which joints can still stop within a distance, rad/s.

    E(x) = min(flat velocity, sqrt(k x + c^2) - c), 0 for no distance and for NaN.

    Args:
        arm: The arm's table.
        distance: One distance for all joints or (n,), rad.

    Raises:
        InvalidArgumentError: No arm's table, or no such numbers. Also a `ValueError`.
    """
    options = CartesianOptions().packed(arm)
    given = as_numbers("distance", distance)
    x = np.full(arm.n, given) if given.ndim == 0 else check_shape("distance", given, (arm.n,))
    return np.array([bounds_kernels.braking_speed(options, i, float(x[i])) for i in range(arm.n)])


def robot_speed(arm: ArmTable, q: VectorLike) -> tuple[Array, Array]:
    """Return the speeds that the robot allows toward its lower and its upper limits, rad/s.

    Args:
        arm: The arm's table.
        q: (n,) rad.

    Raises:
        InvalidArgumentError: A number is not finite, or the shape is not (n,).
    """
    options = CartesianOptions().packed(arm)
    values = check_finite_vector("q", q, arm.n)
    sides = [
        np.array(
            [bounds_kernels.robot_speed(options, i, float(values[i]), upper) for i in range(arm.n)]
        )
        for upper in (False, True)
    ]
    return sides[0], sides[1]


def goal_box(arm: ArmTable, q: VectorLike, options: ImpedanceOptions | None = None) -> GoalBox:
    """Return the box of one cycle's step of a goal.

    Args:
        arm: The arm's table.
        q: (n,) the goal, rad.
        options: Margin and velocity fraction count.

    Raises:
        InvalidArgumentError: An option is refused, a number is not finite, or the shape is wrong.
    """
    impedance = ImpedanceOptions() if options is None else options
    check_kind("options", impedance, ImpedanceOptions)
    packed = CartesianOptions(backend=impedance).packed(arm)
    work = Workspace()
    work.write("q", check_finite_vector("q", q, arm.n))
    bounds_kernels.goal_box(packed, work.memory, M_q)
    return GoalBox(
        lower=work.read("box_lower", arm.n),
        upper=work.read("box_upper", arm.n),
        speed_lower=work.read("speed_lower", arm.n),
        speed_upper=work.read("speed_upper", arm.n),
        position_lower=work.read("pin_lower", arm.n) == 1.0,
        position_upper=work.read("pin_upper", arm.n) == 1.0,
    )
