"""One cycle of an arm's session: the controller, and what happens to its torques before they go.

Filter and rate limiter are those of a robot's session (cartesian-control 9.6), after the last
torques sent; the weight that the torques have to hold comes on top, within the rated torques.
"""

import math

from kinegraph.kinematics.chain_kernels import chain_pose
from kinegraph.kinematics.dynamics_kernels import gravity_torque
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.conversion_kernels import NO_FILTER
from kinegraph.robot.filter_kernels import filter_gain, filter_value
from kinegraph.robot.limiter_kernels import DT, limit_torque
from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_FAULT,
    P_CUTOFF,
    P_LIMIT_RATE,
    TargetMemory,
)
from kinegraph.robot.loop.ring_kernels import push
from kinegraph.robot.loop.target_session_kernels import answer_state
from kinegraph.robot.wire.state_layout import S_O_T_EE, S_q
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["arm_cycle"]


@kernel
def shape_torques(settings: Array, rate: Array, tau: Array, sent: Array) -> bool:
    """Filter and limit torques into those sent; False, with nothing written, if one is NaN."""
    n = sent.shape[0]
    for i in range(n):
        if not math.isfinite(tau[i]):
            return False
    filtered = settings[P_CUTOFF] < NO_FILTER
    gain = filter_gain(DT, settings[P_CUTOFF]) if filtered else 1.0
    for i in range(n):
        value = filter_value(gain, tau[i], sent[i]) if filtered else tau[i]
        if settings[P_LIMIT_RATE] != 0.0:
            value = limit_torque(rate[i], value, sent[i])
        sent[i] = value
    return True


@kernel
def arm_cycle(
    block: IntArray,
    extra: TargetMemory,
    address: int,
    guarded: Array,
    state: Array,
    settings: Array,
    limits: Array,
    gravity: Array,
    load: Array,
    pose: Array,
    work: Array,
    tau: Array,
    sent: Array,
    out: Array,
) -> int:
    """Answer a state.

    Args:
        block: Flags and counters of the session.
        extra: Target, options and memory of the controller.
        address: Of the controller's cycle.
        guarded: Chain to the link by which the deviation guard goes, `ChainPlan.data`.
        state: The arm's row, see `arm_row`; its pose is written here.
        settings: (SETTINGS_SIZE,) cutoff and limiter switch.
        limits: (2 n,) torque rates, Nm/s, and rated torques, Nm.
        gravity: (3,) that the torques have to hold.
        load: (13,) zeros.
        pose: (4, 4) scratch.
        work: Scratch of `dynamics_workspace` numbers.
        tau: (n,) the controller's torques.
        sent: (n,) last torques sent, without those that hold the weight; the new ones.
        out: (n,) torques to be sent.

    Returns:
        What the controller returns; below zero `out` is only what holds the weight.
    """
    n = sent.shape[0]
    q = state[S_q : S_q + n]
    chain_pose(guarded, q, pose)
    for c in range(4):
        for r in range(4):
            state[S_O_T_EE + 4 * c + r] = pose[r, c]
    answer: int = answer_state(block, extra, address, state, tau)
    if answer >= 0 and not shape_torques(settings, limits, tau, sent):
        answer = -4
    for i in range(n):
        out[i] = 0.0
    if gravity[0] != 0.0 or gravity[1] != 0.0 or gravity[2] != 0.0:
        gravity_torque(extra.arm, q, gravity, load, work, out)
    if answer < 0:
        block[B_FAULT] = answer
        return answer
    for i in range(n):
        rated = limits[n + i]
        out[i] = max(-rated, min(rated, out[i] + sent[i]))
    block[B_CYCLES] += 1
    push(extra.records, extra.records_head, extra.record.shape[0], extra.record)
    return answer
