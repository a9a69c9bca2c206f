"""What a robot checks on commanded signals, and which error bit says so (fci-protocol section 16).

Limits are the nominal ones. What a client can see of its last command in version 10 is rounded to
binary32, so a command that keeps a limit exactly may break it by that rounding: differences get the
slack of half a unit in the last place of the echo, per derivative.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.codes_layout import DT, NO_DECELERATION_LIMIT
from kinegraph.robot.sim.float_layout import (
    X_acceleration,
    X_angular_limits,
    X_command,
    X_ddelbow_c,
    X_ddq_d,
    X_deceleration,
    X_dtwist_c,
    X_elbow_c,
    X_elbow_limits,
    X_jerk,
    X_linear_limits,
    X_lower,
    X_new_ddq,
    X_new_dq,
    X_new_dtwist,
    X_new_elbow,
    X_new_pose,
    X_new_q,
    X_new_twist,
    X_other_frame,
    X_pose_c,
    X_q_d,
    X_speed,
    X_speed_offset,
    X_tau_d,
    X_torque,
    X_upper,
)
from kinegraph.robot.sim.frame_kernels import rotation_between
from kinegraph.robot.sim.int_layout import (
    N_elbow_sign,
    N_started,
    N_version,
)
from kinegraph.robot.wire.state_layout import C_elbow_c, C_tau_J_d
from kinegraph.scene.array_types import Array, IntArray

__all__ = [
    "FINE",
    "cartesian_rank",
    "elbow_bit",
    "joint_rank",
    "pose_start_far",
    "speed_bound",
    "torque_bit",
]

JOINTS = 7
# Ranks of what is wrong with a signal; the higher one is reported.
FINE, OUT_OF_RANGE, TOO_FAST, JERKS, JUMPS = 0, 1, 2, 3, 4
# How far a motion may start from where the arm is: rad, m (not published; franka-sim's values).
START_ANGLE, START_DISTANCE = 0.1, 0.05
HALF_ULP = 2.0**-24
RANGE_SLACK = 1e-6
TORQUE_RATE = 1000.0  # Nm/s

ELBOW_LIMIT, ELBOW_SIGN, ELBOW_START = 17, 21, 22
TORQUE_JUMP, TORQUE_RANGE = 32, 34


@kernel
def echo_rounding(x: Array, n: IntArray, value: float) -> float:
    """Largest rounding of a value's echo in the state, with its last two predecessors as large."""
    if n[N_version] != 10:
        return 1e-15
    return 2.0 * HALF_ULP * max(abs(value), 0.25)


@kernel
def speed_bound(x: Array, i: int, toward_upper: bool, q: float) -> float:
    """Speed that joint i may have at q toward one of its limits, rad/s (fci-protocol 12.3)."""
    if x[X_deceleration + i] >= NO_DECELERATION_LIMIT:
        speed: float = x[X_speed + i]
        return speed
    room = x[X_upper + i] - q if toward_upper else q - x[X_lower + i]
    root = math.sqrt(max(0.0, 2.0 * x[X_deceleration + i] * room))
    bound: float = min(x[X_speed + i], max(0.0, root - x[X_speed_offset + i]))
    return bound


@kernel
def joint_rank(x: Array, n: IntArray) -> int:
    """Worst thing about the candidate joint motion: FINE, or one of the ranks above it."""
    worst = FINE
    for i in range(JOINTS):
        q, v, a = x[X_new_q + i], x[X_new_dq + i], x[X_new_ddq + i]
        e = echo_rounding(x, n, q)
        jerk = (a - x[X_ddq_d + i]) / DT
        up = speed_bound(x, i, True, x[X_q_d + i])
        down = speed_bound(x, i, False, x[X_q_d + i])
        rank = FINE
        if not abs(a) <= x[X_acceleration + i] + 2.0 * e / DT**2:
            rank = JUMPS
        elif not abs(jerk) <= x[X_jerk + i] + 4.0 * e / DT**3:
            rank = JERKS
        elif v > up + e / DT or v < -down - e / DT:
            rank = TOO_FAST
        elif q > x[X_upper + i] + RANGE_SLACK or q < x[X_lower + i] - RANGE_SLACK:
            rank = OUT_OF_RANGE
        worst = max(worst, rank)
    return worst


@kernel
def norm3(a: Array, i: int) -> float:
    """Length of three numbers."""
    return math.sqrt(a[i] * a[i] + a[i + 1] * a[i + 1] + a[i + 2] * a[i + 2])


@kernel
def half_rank(x: Array, n: IntArray, at: int, limits: int, e: float) -> int:
    """Rank of the linear (`at` 0) or angular (3) half of the candidate twist."""
    total = 0.0
    for r in range(at, at + 3):
        jerk = (x[X_new_dtwist + r] - x[X_dtwist_c + r]) / DT
        total += jerk * jerk
    if not norm3(x, X_new_dtwist + at) <= x[limits + 1] + 2.0 * e / DT**2:
        return JUMPS
    if not math.sqrt(total) <= x[limits + 2] + 4.0 * e / DT**3:
        return JERKS
    if not norm3(x, X_new_twist + at) <= x[limits] + e / DT:
        return TOO_FAST
    return FINE


@kernel
def cartesian_rank(x: Array, n: IntArray) -> int:
    """Worst thing about the candidate twist and its derivative."""
    e = echo_rounding(x, n, 0.5)
    return max(
        half_rank(x, n, 0, X_linear_limits, e), half_rank(x, n, 3, X_angular_limits, 2.0 * e)
    )


@kernel
def pose_start_far(x: Array, n: IntArray) -> bool:
    """Whether the first commanded pose lies too far from the pose that was held."""
    angle = rotation_between(x, X_pose_c, x, X_new_pose, x, X_other_frame)
    distance = 0.0
    for r in range(12, 15):
        distance += (x[X_new_pose + r] - x[X_pose_c + r]) ** 2
    return not (angle <= START_ANGLE and math.sqrt(distance) <= START_DISTANCE)


@kernel
def elbow_bit(x: Array, n: IntArray) -> int:
    """Error bit of the candidate elbow, -1 for none. `new_elbow` is position, velocity, change."""
    if x[X_command + C_elbow_c + 1] != n[N_elbow_sign]:
        return ELBOW_SIGN
    if n[N_started] == 0 and not abs(x[X_new_elbow] - x[X_elbow_c]) <= START_ANGLE:
        return ELBOW_START
    e = echo_rounding(x, n, x[X_new_elbow])
    jerk = (x[X_new_elbow + 2] - x[X_ddelbow_c]) / DT
    fine = (
        abs(x[X_new_elbow + 1]) <= x[X_elbow_limits] + e / DT
        and abs(x[X_new_elbow + 2]) <= x[X_elbow_limits + 1] + 2.0 * e / DT**2
        and abs(jerk) <= x[X_elbow_limits + 2] + 4.0 * e / DT**3
    )
    return -1 if fine else ELBOW_LIMIT


@kernel
def torque_bit(x: Array, n: IntArray) -> int:
    """Error bit of the commanded torques, -1 for none: 1000 Nm/s, the drives' range."""
    bit = -1
    for i in range(JOINTS):
        torque = x[X_command + C_tau_J_d + i]
        e = echo_rounding(x, n, torque)
        if not abs(torque - x[X_tau_d + i]) <= TORQUE_RATE * DT + e:
            return TORQUE_JUMP
        if not abs(torque) <= x[X_torque + i]:
            bit = TORQUE_RANGE
    return bit
