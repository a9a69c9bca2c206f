"""Low-passes of the law: on what it follows (`reference_filter`), and on what it answers with."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.law_layout import (
    M_against_friction,
    M_change,
    M_feedback,
    M_filtered_change,
    M_filtered_friction,
    M_filtered_rate,
    M_filtered_reference,
    M_friction,
    M_half_feedback,
    M_law_change,
    M_law_friction,
    M_law_rate,
    M_law_reference,
    M_rate,
    M_share,
    M_soft_feedback,
)
from kinegraph.robot.control.memory_layout import M_cycle, M_goal
from kinegraph.robot.control.options_layout import (
    CUTOFF_OFF,
    O_friction_time,
    O_reference_delay,
    O_reference_sections,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME, FILTER_SECTIONS
from kinegraph.robot.control.torques.compensation_kernels import lasting_share
from kinegraph.scene.array_types import Array


@kernel
def soften(options: Array, memory: Array, n: int) -> None:
    """Write what the law follows.

    All by the same filter, so that velocity and acceleration stay those of the position, and
    friction turns when the velocity does.
    """
    soften_one(options, memory, n, M_goal, M_filtered_reference, M_law_reference)
    soften_one(options, memory, n, M_rate, M_filtered_rate, M_law_rate)
    soften_one(options, memory, n, M_change, M_filtered_change, M_law_change)
    if options[O_friction_time] > 0.0:
        for i in range(n):
            share = lasting_share(options, memory[M_rate + i], memory[M_share + i])
            memory[M_share + i] = share
            memory[M_against_friction + i] = share * memory[M_friction + i]
        soften_one(options, memory, n, M_against_friction, M_filtered_friction, M_law_friction)


@kernel
def soften_one(options: Array, memory: Array, n: int, source: int, filtered: int, out: int) -> None:
    """Carry the filter of n numbers one cycle on; before the first it rests at the source."""
    off = options[O_reference_delay] == 0.0
    begins = memory[M_cycle] == 0.0
    for i in range(n):
        x = memory[source + i]
        if off:
            memory[out + i] = x
            continue
        for k in range(FILTER_SECTIONS):
            c = O_reference_sections + 5 * k
            m = filtered + 2 * (FILTER_SECTIONS * i + k)
            y = x if begins else options[c] * x + memory[m]
            rest = options[c + 2] * x - options[c + 4] * y
            memory[m] = options[c + 1] * x - options[c + 3] * y
            memory[m] += rest if begins else memory[m + 1]
            memory[m + 1] = rest
            x = y
        memory[out + i] = x


@kernel
def soften_feedback(memory: Array, n: int, cutoff: float) -> None:
    """Carry the two low-passes at `cutoff`, Hz, on springs and dampers one cycle on."""
    gain = 1.0
    if cutoff < CUTOFF_OFF and memory[M_cycle] > 0.0:
        gain = CYCLE_TIME / (CYCLE_TIME + 1.0 / (2.0 * math.pi * cutoff))
    for i in range(n):
        half = memory[M_half_feedback + i]
        half += gain * (memory[M_feedback + i] - half)
        memory[M_half_feedback + i] = half
        soft = memory[M_soft_feedback + i]
        memory[M_soft_feedback + i] = soft + gain * (half - soft)
