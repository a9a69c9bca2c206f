"""How fast a joint may go toward a limit: braking profile, the robot's own limit, goal box."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.memory_layout import (
    M_box_lower,
    M_box_upper,
    M_pin_lower,
    M_pin_upper,
    M_speed_lower,
    M_speed_upper,
)
from kinegraph.robot.control.options_layout import (
    O_braking_onset,
    O_braking_slope,
    O_flat_velocity,
    O_joint_position_margin,
    O_joint_velocity_fraction,
    O_lower,
    O_n,
    O_position_dependent,
    O_robot_deceleration,
    O_robot_lower,
    O_robot_offset,
    O_robot_upper,
    O_robot_velocity,
    O_upper,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# What the robot's velocity limits are undercut by, rad/s.
VELOCITY_RESERVE = 1e-3
# A position bound this much below the velocity bound names the pin, rad.
PIN_DIFFERENCE = 1e-12


@kernel
def braking_speed(options: Array, i: int, x: float) -> float:
    """Return the speed from which joint i can still stop within x, rad/s; 0 for none or NaN.

    E = sqrt(k x + c^2) - c has the finite slope k / 2c at 0 and stays under sqrt(k x).
    """
    if not x > 0.0:
        return 0.0
    c = options[O_braking_onset + i]
    speed = math.sqrt(options[O_braking_slope + i] * x + c * c) - c
    return float(min(options[O_flat_velocity + i], speed))


@kernel
def robot_speed(options: Array, i: int, q: float, upper: bool) -> float:
    """Return the speed that the robot allows joint i at q toward a side, rad/s."""
    if options[O_position_dependent] == 0.0:
        return float(options[O_flat_velocity + i])
    d = options[O_robot_upper + i] - q if upper else q - options[O_robot_lower + i]
    speed = math.sqrt(max(0.0, 2.0 * options[O_robot_deceleration + i] * d))
    speed = max(0.0, speed - options[O_robot_offset + i])
    return float(max(0.0, min(options[O_robot_velocity + i], speed) - VELOCITY_RESERVE))


@kernel
def limit_distance(options: Array, i: int, q: float, upper: bool) -> float:
    """Return the distance of joint i at q from its limit on a side, rad."""
    return float(options[O_upper + i] - q if upper else q - options[O_lower + i])


@kernel
def goal_bound(options: Array, i: int, q: float, upper: bool) -> tuple[float, float, float]:
    """Return how far a goal at q may step toward a side in one cycle, rad.

    Both bounds are evaluated where the step would end, so that the next cycle finds no joint too
    fast.

    Returns:
        The bound, the velocity's bound alone, and what a pin on it means: 1 for the position bound
        (margin or braking), 2 for the velocity bound.
    """
    f = options[O_joint_velocity_fraction] * CYCLE_TIME
    v = f * robot_speed(options, i, q, upper)
    if options[O_position_dependent] != 0.0:
        v = f * robot_speed(options, i, q + v if upper else q - v, upper)
    x = limit_distance(options, i, q, upper) - options[O_joint_position_margin]
    b = f * braking_speed(options, i, x)
    b = f * braking_speed(options, i, x - b)
    bound = min(v, max(0.0, min(x, b)))
    return bound, v, 1.0 if b < v - PIN_DIFFERENCE else 2.0


@kernel
def goal_box(options: Array, memory: Array, q: int) -> None:
    """Write the box of this cycle's step for the goal at `q`, and what its pins would mean."""
    for i in range(int(options[O_n])):
        bound, v, pin = goal_bound(options, i, memory[q + i], False)
        memory[M_box_lower + i] = -bound
        memory[M_speed_lower + i] = -v
        memory[M_pin_lower + i] = pin
        bound, v, pin = goal_bound(options, i, memory[q + i], True)
        memory[M_box_upper + i] = bound
        memory[M_speed_upper + i] = v
        memory[M_pin_upper + i] = pin
