"""What a command asks for: candidate joint motion and pose, and the error bit that refuses them.

Each `propose_*` fills the candidate (`new_*`) out of the command and returns an error bit, -1 for
none. `extrapolate` fills it where the command was lost.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.check_kernels import (
    JERKS,
    JUMPS,
    OUT_OF_RANGE,
    START_ANGLE,
    TOO_FAST,
    cartesian_rank,
    elbow_bit,
    joint_rank,
    pose_start_far,
)
from kinegraph.robot.sim.codes_layout import CARTESIAN_POSITION, DT
from kinegraph.robot.sim.float_layout import (
    X_acceleration,
    X_async_speed,
    X_command,
    X_ddelbow_c,
    X_ddq_d,
    X_delbow_c,
    X_dq_d,
    X_dtwist_c,
    X_elbow_c,
    X_lower,
    X_new_ddq,
    X_new_dq,
    X_new_dtwist,
    X_new_elbow,
    X_new_pose,
    X_new_q,
    X_new_twist,
    X_pose_c,
    X_q_d,
    X_target,
    X_twist_c,
    X_upper,
)
from kinegraph.robot.sim.frame_kernels import (
    advance_frame,
    copy_numbers,
    is_homogeneous,
    rotation_between,
)
from kinegraph.robot.sim.int_layout import (
    N_elbow_given,
    N_enforce,
    N_generator,
    N_started,
    N_version,
)
from kinegraph.robot.sim.inverse_kernels import solve_joints
from kinegraph.robot.wire.state_layout import (
    C_dq_c,
    C_elbow_c,
    C_O_dP_EE_c,
    C_O_T_EE_c,
    C_q_c,
    C_valid_elbow,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = [
    "FRAME_INVALID",
    "extrapolate_joints",
    "extrapolate_pose",
    "plan_to_target",
    "propose_positions",
    "propose_target",
    "propose_twist_or_pose",
    "propose_velocities",
]

JOINTS = 7
# Error bits by what is wrong (fci-protocol, section 10).
RANGE, RANGE_V5_JOINT, RANGE_V5_CARTESIAN = 0, 12, 27
JOINT_START, JOINT_SPEED, JOINT_JUMP, JOINT_JERK = 11, 13, 14, 15
POSE_START, POSE_SPEED, POSE_JUMP, POSE_JERK = 16, 18, 19, 20
INVERSE_SPEED, INVERSE_JUMP, INVERSE_JERK = 28, 29, 30
FRAME_INVALID = 31
# Targets of the asynchronous generator are approached with this share of the acceleration limit.
ASYNC_SHARE = 0.5


@kernel
def bit_of(rank: int, in_range: int, speed: int, jerk: int, jump: int) -> int:
    """Error bit of a rank, -1 for FINE."""
    if rank == JUMPS:
        return jump
    if rank == JERKS:
        return jerk
    if rank == TOO_FAST:
        return speed
    return in_range if rank == OUT_OF_RANGE else -1


@kernel
def range_bit(x: Array, n: IntArray, old: int) -> int:
    """Bit of a position outside the range: bit 0 since system 5.7.2, `old` before."""
    return RANGE if n[N_version] == 10 else old


@kernel
def difference_joints(x: Array, n: IntArray) -> None:
    """Velocities and accelerations of the candidate positions by backward differences."""
    for i in range(JOINTS):
        if n[N_enforce] == 0:  # what no robot would do stays at least on the scene
            x[X_new_q + i] = max(x[X_lower + i], min(x[X_upper + i], x[X_new_q + i]))
        x[X_new_dq + i] = (x[X_new_q + i] - x[X_q_d + i]) / DT
        x[X_new_ddq + i] = (x[X_new_dq + i] - x[X_dq_d + i]) / DT


@kernel
def propose_positions(x: Array, n: IntArray) -> int:
    """Joint positions, one step of the motion."""
    far = False
    for i in range(JOINTS):
        x[X_new_q + i] = x[X_command + C_q_c + i]
        far = far or abs(x[X_new_q + i] - x[X_q_d + i]) > START_ANGLE
    difference_joints(x, n)
    if far and n[N_started] == 0:
        return JOINT_START
    in_range = range_bit(x, n, RANGE_V5_JOINT)
    return bit_of(joint_rank(x, n), in_range, JOINT_SPEED, JOINT_JERK, JOINT_JUMP)


@kernel
def propose_velocities(x: Array, n: IntArray) -> int:
    """Joint velocities; the positions are their integral."""
    for i in range(JOINTS):
        x[X_new_q + i] = x[X_q_d + i] + DT * x[X_command + C_dq_c + i]
    difference_joints(x, n)
    in_range = range_bit(x, n, RANGE_V5_JOINT)
    jump = JOINT_JERK if n[N_started] == 1 else JOINT_JUMP
    return bit_of(joint_rank(x, n), in_range, JOINT_SPEED, JOINT_JERK, jump)


@kernel
def propose_target(x: Array, n: IntArray) -> int:
    """A target of the asynchronous generator; the robot plans the way to it."""
    bit = -1
    for i in range(JOINTS):
        q = x[X_command + C_q_c + i]
        if q > x[X_upper + i] or q < x[X_lower + i]:
            bit = range_bit(x, n, RANGE_V5_JOINT)
        x[X_target + i] = max(x[X_lower + i], min(x[X_upper + i], q))
    return bit


@kernel
def plan_to_target(x: Array, n: IntArray) -> bool:
    """One step towards the target, braking in time. Returns whether all joints have arrived."""
    arrived = True
    for i in range(JOINTS):
        left = x[X_target + i] - x[X_q_d + i]
        a = ASYNC_SHARE * x[X_acceleration + i]
        # The speed from which a DT-wise braking still stops in time.
        stop = -0.5 * a * DT + ((0.5 * a * DT) ** 2 + 2.0 * a * abs(left)) ** 0.5
        wanted = min(x[X_async_speed + i], stop, abs(left) / DT)
        wanted = wanted if left > 0.0 else -wanted
        change = max(-a * DT, min(a * DT, wanted - x[X_dq_d + i]))
        x[X_new_dq + i] = x[X_dq_d + i] + change
        x[X_new_q + i] = x[X_q_d + i] + DT * x[X_new_dq + i]
        x[X_new_ddq + i] = change / DT
        arrived = arrived and abs(left) < 1e-6 and abs(x[X_dq_d + i]) < 1e-3
    return arrived


@kernel
def propose_twist_or_pose(x: Array, n: IntArray) -> int:
    """A pose or a twist of the end effector, with or without an elbow."""
    by_pose = n[N_generator] == CARTESIAN_POSITION
    if by_pose:
        copy_numbers(x, X_command + C_O_T_EE_c, x, X_new_pose, 16)
        if not is_homogeneous(x, X_new_pose):
            return FRAME_INVALID
        rotation_between(x, X_pose_c, x, X_new_pose, x, X_new_twist + 3)
        for r in range(3):
            x[X_new_twist + r] = (x[X_new_pose + 12 + r] - x[X_pose_c + 12 + r]) / DT
            x[X_new_twist + 3 + r] /= DT
    else:
        copy_numbers(x, X_command + C_O_dP_EE_c, x, X_new_twist, 6)
        advance_frame(x, X_pose_c, x, X_new_twist, DT, x, X_new_pose)
    for r in range(6):
        x[X_new_dtwist + r] = (x[X_new_twist + r] - x[X_twist_c + r]) / DT
    if by_pose and n[N_started] == 0 and pose_start_far(x, n):
        follow_with_joints(x, n)
        return POSE_START
    return judge_pose(x, n, POSE_JUMP if by_pose else POSE_JERK)


@kernel
def judge_pose(x: Array, n: IntArray, jump: int) -> int:
    """Joint motion behind the candidate pose, and what is wrong with any of it."""
    bit = bit_of(cartesian_rank(x, n), POSE_SPEED, POSE_SPEED, POSE_JERK, jump)
    n[N_elbow_given] = 1 if x[X_command + C_valid_elbow] != 0.0 else 0
    if n[N_elbow_given] == 1:
        x[X_new_elbow] = x[X_command + C_elbow_c]
        difference_elbow(x, n)
        if bit < 0:
            bit = elbow_bit(x, n)
    follow_with_joints(x, n)
    if bit >= 0:
        return bit
    in_range = range_bit(x, n, RANGE_V5_CARTESIAN)
    return bit_of(joint_rank(x, n), in_range, INVERSE_SPEED, INVERSE_JERK, INVERSE_JUMP)


@kernel
def difference_elbow(x: Array, n: IntArray) -> None:
    """Velocity and acceleration of the candidate elbow."""
    x[X_new_elbow + 1] = (x[X_new_elbow] - x[X_elbow_c]) / DT
    x[X_new_elbow + 2] = (x[X_new_elbow + 1] - x[X_delbow_c]) / DT


@kernel
def follow_with_joints(x: Array, n: IntArray) -> None:
    """Inverse kinematics of the candidate; an elbow that is not given is where joint 3 goes."""
    solve_joints(x, n)
    difference_joints(x, n)
    if n[N_elbow_given] == 0:
        x[X_new_elbow] = x[X_new_q + 2]
        difference_elbow(x, n)


@kernel
def extrapolate_joints(x: Array, n: IntArray, hold: bool) -> None:
    """A lost joint command: constant acceleration; `hold` stands still instead."""
    for i in range(JOINTS):
        # Without enforcement accelerations may be anything; those are not carried on.
        a = x[X_ddq_d + i] if n[N_enforce] == 1 else 0.0
        v = 0.0 if hold else x[X_dq_d + i] + DT * a
        x[X_new_q + i] = x[X_q_d + i] + DT * v
    difference_joints(x, n)


@kernel
def extrapolate_pose(x: Array, n: IntArray, hold: bool) -> None:
    """A lost Cartesian command: constant acceleration; `hold` stands still instead."""
    for r in range(6):
        a = x[X_dtwist_c + r] if n[N_enforce] == 1 else 0.0
        x[X_new_twist + r] = 0.0 if hold else x[X_twist_c + r] + DT * a
        x[X_new_dtwist + r] = (x[X_new_twist + r] - x[X_twist_c + r]) / DT
    advance_frame(x, X_pose_c, x, X_new_twist, DT, x, X_new_pose)
    if n[N_elbow_given] == 1:
        a = x[X_ddelbow_c] if n[N_enforce] == 1 else 0.0
        v = 0.0 if hold else x[X_delbow_c] + DT * a
        x[X_new_elbow] = x[X_elbow_c] + DT * v
        difference_elbow(x, n)
    follow_with_joints(x, n)
