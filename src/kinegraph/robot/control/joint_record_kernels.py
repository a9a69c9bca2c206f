"""Writing a joint controller's record out of its memory."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.memory_layout import (
    M_cap_scale,
    M_generator,
    M_goal,
    M_goal_velocity,
    M_holding,
    M_joint_target,
    M_leash_alteration,
    M_pinned,
    M_tau,
    M_tau_envelope,
    M_tau_position,
)
from kinegraph.robot.control.record_layout import (
    J_acceleration,
    J_backstop_alteration,
    J_cap_scale,
    J_dq_goal,
    J_leash_alteration,
    J_pinned,
    J_q,
    J_q_goal,
    J_target,
    J_tau,
    J_tau_envelope,
    J_tau_position,
    J_velocity,
)
from kinegraph.scene.array_types import Array


@kernel
def write_joint_record(memory: Array, n: int, record: Array) -> None:
    """Write the record of the cycle."""
    write_joint_motion(memory, n, record)
    for i in range(n):
        record[J_q + i] = memory[M_goal + i]
        record[J_q_goal + i] = memory[M_goal + i]
        record[J_dq_goal + i] = memory[M_goal_velocity + i]
        record[J_pinned + i] = memory[M_pinned + i]
        record[J_tau + i] = memory[M_tau + i]
        record[J_tau_envelope + i] = memory[M_tau_envelope + i]
        record[J_tau_position + i] = memory[M_tau_position + i]
    record[J_backstop_alteration] = 0.0
    record[J_cap_scale] = memory[M_cap_scale]
    record[J_leash_alteration] = memory[M_leash_alteration]


@kernel
def write_joint_motion(memory: Array, n: int, record: Array) -> None:
    """Write the target and the generator's velocity and acceleration."""
    moving = memory[M_holding] == 0.0
    k = M_generator
    for i in range(n):
        record[J_target + i] = memory[M_joint_target + i]
        record[J_velocity + i] = memory[k + G_velocity + i] if moving else 0.0
        record[J_acceleration + i] = memory[k + G_acceleration + i] if moving else 0.0
