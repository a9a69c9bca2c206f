"""The torques of a cycle: the model's, the law's with its terms, and the envelopes."""

import math

from kinegraph.kinematics.dynamics_kernels import newton_euler
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.law_layout import M_law_change
from kinegraph.robot.control.memory_layout import (
    M_coriolis,
    M_dq,
    M_load,
    M_q,
    M_tau,
    M_work,
)
from kinegraph.robot.control.torques.compensation_kernels import compensate, learn
from kinegraph.robot.control.torques.envelope_kernels import apply_envelopes
from kinegraph.robot.control.torques.law_kernels import impedance_law
from kinegraph.scene.array_types import Array


@kernel
def set_torques(options: Array, arm: Array, memory: Array, n: int) -> bool:
    """Write the clamped torques of the goal and its rates; tell whether all are finite.

    One order for every cycle, and for its replay from records.
    """
    newton_euler(
        arm,
        memory[M_q : M_q + n],
        memory[M_dq : M_dq + n],
        memory[M_law_change : M_law_change + n],
        0,
        1.0,
        1.0,
        0.0,
        0.0,
        0.0,
        memory[M_load : M_load + 13],
        memory[M_work:],
        memory[M_coriolis : M_coriolis + n],
    )
    compensate(options, memory, n)
    impedance_law(options, memory)
    learn(options, memory, n)
    apply_envelopes(options, memory)
    finite = True
    for i in range(n):
        finite = finite and math.isfinite(memory[M_tau + i])
    return finite
