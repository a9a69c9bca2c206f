"""The torques of a cycle: the model's, the law's with its terms, and the envelopes."""

import math

from kinegraph.kinematics.dynamics_kernels import newton_euler
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.law_layout import (
    M_dq_before,
    M_law_change,
    M_law_rate,
    M_missed_change,
    M_soft_feedback,
    M_unexplained,
)
from kinegraph.robot.control.memory_layout import (
    M_coriolis,
    M_cycle,
    M_dq,
    M_load,
    M_q,
    M_tau,
    M_work,
)
from kinegraph.robot.control.options_layout import O_drive_inertia, O_friction_time
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.control.torques.compensation_kernels import compensate, learn
from kinegraph.robot.control.torques.envelope_kernels import apply_envelopes
from kinegraph.robot.control.torques.law_kernels import (
    complete_law,
    feedback_cutoff,
    impedance_law,
)
from kinegraph.robot.control.torques.reference_kernels import soften_feedback
from kinegraph.scene.array_types import Array

# A goal slower than this in each joint, rad/s, teaches nothing about friction.
REST = 1e-9


@kernel
def motion_torques(arm: Array, memory: Array, n: int, change: int, moving: float, out: int) -> None:
    """Write what the accelerations at `change` need at the measured state, without gravity.

    The measured velocities count `moving` times.
    """
    newton_euler(
        arm,
        memory[M_q : M_q + n],
        memory[M_dq : M_dq + n],
        memory[change : change + n],
        0,
        moving,
        1.0,
        0.0,
        0.0,
        0.0,
        memory[M_load : M_load + 13],
        memory[M_work:],
        memory[out : out + n],
    )


@kernel
def explain_motion(options: Array, arm: Array, memory: Array, n: int) -> None:
    """Write what springs and dampers do that the motion does not show: friction beside the known.

    feedback + M (reference acceleration - measured acceleration). Where this is integrated, what is
    left of the measured acceleration is the measured velocity; noise does not grow.
    """
    moves = False
    for i in range(n):
        moves = moves or abs(memory[M_law_rate + i]) > REST
        memory[M_unexplained + i] = 0.0
        dq = memory[M_dq + i]
        measured = (dq - memory[M_dq_before + i]) / CYCLE_TIME if memory[M_cycle] > 0.0 else 0.0
        memory[M_dq_before + i] = dq
        memory[M_missed_change + i] = memory[M_law_change + i] - measured
    if not moves:
        return  # nothing is learned
    motion_torques(arm, memory, n, M_missed_change, 0.0, M_unexplained)
    for i in range(n):
        drive = options[O_drive_inertia + i] * memory[M_missed_change + i]
        memory[M_unexplained + i] += drive + memory[M_soft_feedback + i]


@kernel
def set_torques(options: Array, arm: Array, memory: Array, n: int) -> bool:
    """Write the clamped torques of the goal and its rates; tell whether all are finite.

    One order for every cycle, and for its replay from records.
    """
    motion_torques(arm, memory, n, M_law_change, 1.0, M_coriolis)
    compensate(options, memory, n)
    cutoff = feedback_cutoff(options, n)
    impedance_law(options, memory, cutoff)
    soften_feedback(memory, n, cutoff)
    complete_law(options, memory, M_soft_feedback)
    if options[O_friction_time] > 0.0:
        explain_motion(options, arm, memory, n)
    learn(options, memory, n)
    apply_envelopes(options, memory)
    finite = True
    for i in range(n):
        finite = finite and math.isfinite(memory[M_tau + i])
    return finite
