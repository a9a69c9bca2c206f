"""What keeps the measured arm inside its velocity and position limits, whatever the law says.

Each envelope fades the law's torque toward the limit out, and adds a barrier of its own.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.ik.bounds_kernels import (
    braking_speed,
    limit_distance,
    robot_speed,
)
from kinegraph.robot.control.memory_layout import (
    M_cycle,
    M_dq,
    M_law,
    M_q,
    M_tau,
    M_tau_envelope,
    M_tau_position,
)
from kinegraph.robot.control.options_layout import (
    O_default_torque_limits,
    O_joint_position_margin,
    O_joint_velocity_fraction,
    O_n,
    O_torque_limits,
    O_velocity_barrier_fraction,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# The law's torque is faded over this share of the robot's limit at least.
FADE_BAND = 0.15
# Nm s/rad at the default torque limits.
VELOCITY_BARRIER_GAIN = 20.0
# The law's torque toward a limit is gone this far inside the margin, and the spring begins, rad.
POSITION_FADE_BAND = 0.02
# Torque limits per rad: 1075 Nm/rad at 86 Nm.
POSITION_BARRIER_STIFFNESS = 12.5
# The spring comes in over so many cycles: an arm may start inside its reach.
RAMP_CYCLES = 500


@kernel
def speed_onsets(options: Array, i: int, q: float, upper: bool) -> tuple[float, float]:
    """Return the speeds at q where the law's fade starts, and where the barrier begins."""
    v = robot_speed(options, i, q, upper)
    s = limit_distance(options, i, q, upper)
    margin = options[O_joint_position_margin]
    barrier = min(v, braking_speed(options, i, s - (margin - POSITION_FADE_BAND)))
    onset = options[O_velocity_barrier_fraction] * barrier
    start = options[O_joint_velocity_fraction] * min(v, braking_speed(options, i, s - margin))
    return max(0.0, min(start, onset - FADE_BAND * v)), onset


@kernel
def velocity_envelope(
    options: Array, i: int, q: float, dq: float, law: float
) -> tuple[float, float]:
    """Return (kept torque, barrier) of joint i: no torque along a motion near its speed limit."""
    upper = dq >= 0.0
    start, onset = speed_onsets(options, i, q, upper)
    next_start, next_onset = speed_onsets(options, i, q + dq * CYCLE_TIME, upper)
    start, onset = min(start, next_start), min(onset, next_onset)
    speed = abs(dq)
    kept = law
    if law * dq > 0.0 and speed > start:
        gain = 0.0
        if onset > start:
            gain = min(max((onset - speed) / (onset - start), 0.0), 1.0)
        kept = law * gain
    if not speed > onset:
        return kept, 0.0
    limit = options[O_torque_limits + i]
    gain = VELOCITY_BARRIER_GAIN * min(1.0, limit / options[O_default_torque_limits + i])
    barrier = min(limit, gain * (speed - onset))
    return kept, -barrier if upper else barrier


@kernel
def position_envelope(
    options: Array, i: int, q: float, kept: float, ramp: float
) -> tuple[float, float]:
    """Return (kept torque, spring) of joint i: no torque into a limit, and a push out of it."""
    onset = options[O_joint_position_margin] - POSITION_FADE_BAND
    s = limit_distance(options, i, q, kept >= 0.0)
    gain = min(max((s - onset) / POSITION_FADE_BAND, 0.0), 1.0)
    limit = options[O_torque_limits + i]
    stiffness = ramp * POSITION_BARRIER_STIFFNESS * limit
    lower = min(limit, stiffness * max(0.0, onset - limit_distance(options, i, q, False)))
    upper = min(limit, stiffness * max(0.0, onset - limit_distance(options, i, q, True)))
    return kept * gain, lower - upper


@kernel
def apply_envelopes(options: Array, memory: Array) -> None:
    """Write the torques of the cycle and what of them is each envelope's.

    tau = clamp(law + tau_envelope + tau_position).
    """
    ramp = min(memory[M_cycle], RAMP_CYCLES) / RAMP_CYCLES
    for i in range(int(options[O_n])):
        q, law = memory[M_q + i], memory[M_law + i]
        by_speed, barrier = velocity_envelope(options, i, q, memory[M_dq + i], law)
        kept, spring = position_envelope(options, i, q, by_speed, ramp)
        limit = options[O_torque_limits + i]
        memory[M_tau + i] = min(max(kept + barrier + spring, -limit), limit)
        memory[M_tau_envelope + i] = barrier - (law - by_speed)
        memory[M_tau_position + i] = spring - (by_speed - kept)
