"""Writing a cycle's record out of the controller's memory."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.memory_layout import (
    M_cap_scale,
    M_desired,
    M_generator,
    M_goal,
    M_goal_velocity,
    M_held,
    M_holding,
    M_ik_blend,
    M_ik_error,
    M_ik_passes,
    M_ik_step,
    M_ik_step_clipped,
    M_leash_alteration,
    M_leash_angular_alteration,
    M_pinned,
    M_stall_pressure,
    M_stalled,
    M_target,
    M_tau,
    M_tau_envelope,
    M_tau_position,
    M_wall_age,
)
from kinegraph.robot.control.record_layout import (
    R_acceleration,
    R_angular_acceleration,
    R_angular_velocity,
    R_backstop_alteration,
    R_backstop_angular_alteration,
    R_cap_scale,
    R_dq_goal,
    R_held,
    R_ik_blend,
    R_ik_error,
    R_ik_passes,
    R_ik_step,
    R_ik_step_clipped,
    R_leash_alteration,
    R_leash_angular_alteration,
    R_orientation,
    R_pinned,
    R_pose,
    R_q_goal,
    R_stall_pressure,
    R_stalled,
    R_target,
    R_target_orientation,
    R_tau,
    R_tau_envelope,
    R_tau_position,
    R_velocity,
    R_wall_age,
)
from kinegraph.robot.control.rotation_kernels import quaternion_of_rotation
from kinegraph.scene.array_types import Array


@kernel
def write_record(memory: Array, n: int, record: Array) -> None:
    """Write the record of the cycle."""
    write_pose(memory, record)
    write_motion(memory, record)
    record[R_backstop_alteration] = 0.0
    record[R_backstop_angular_alteration] = 0.0
    for i in range(n):
        record[R_q_goal + i] = memory[M_goal + i]
        record[R_dq_goal + i] = memory[M_goal_velocity + i]
        record[R_pinned + i] = memory[M_pinned + i]
        record[R_tau + i] = memory[M_tau + i]
        record[R_tau_envelope + i] = memory[M_tau_envelope + i]
        record[R_tau_position + i] = memory[M_tau_position + i]
    write_numbers(memory, record)


@kernel
def write_motion(memory: Array, record: Array) -> None:
    """Write the target and the generator's velocity and acceleration."""
    k = M_generator
    moving = memory[M_holding] == 0.0
    for i in range(3):
        record[R_target + i] = memory[M_target + i]
        record[R_velocity + i] = memory[k + G_velocity + i] if moving else 0.0
        record[R_acceleration + i] = memory[k + G_acceleration + i] if moving else 0.0
        record[R_angular_velocity + i] = memory[k + G_velocity + 3 + i] if moving else 0.0
        record[R_angular_acceleration + i] = memory[k + G_acceleration + 3 + i] if moving else 0.0
    for i in range(4):
        record[R_target_orientation + i] = memory[M_target + 3 + i]


@kernel
def write_pose(memory: Array, record: Array) -> None:
    """Write the desired pose, column-major, and its quaternion."""
    for c in range(3):
        for r in range(3):
            record[R_pose + 4 * c + r] = memory[M_desired + 3 + 3 * r + c]
        record[R_pose + 4 * c + 3] = 0.0
        record[R_pose + 12 + c] = memory[M_desired + c]
    record[R_pose + 15] = 1.0
    quaternion_of_rotation(memory, M_desired + 3, record, R_orientation)


@kernel
def write_numbers(memory: Array, record: Array) -> None:
    """Write what is one number or one per block."""
    record[R_cap_scale] = memory[M_cap_scale]
    record[R_ik_error] = memory[M_ik_error]
    record[R_ik_passes] = memory[M_ik_passes]
    record[R_stall_pressure] = memory[M_stall_pressure]
    record[R_stalled] = memory[M_stalled]
    record[R_ik_step] = memory[M_ik_step]
    record[R_ik_step_clipped] = memory[M_ik_step_clipped]
    record[R_ik_blend] = memory[M_ik_blend]
    record[R_held] = memory[M_held]
    record[R_wall_age] = memory[M_wall_age]
    record[R_wall_age + 1] = memory[M_wall_age + 1]
    record[R_leash_alteration] = memory[M_leash_alteration]
    record[R_leash_angular_alteration] = memory[M_leash_angular_alteration]
