"""The session of a target controller: targets in by the slot, torques or a motion out, records."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.tuning.tuning_kernels import take_tuning
from kinegraph.robot.loop.atomic_kernels import load, store
from kinegraph.robot.loop.cycle_kernels import (
    CYCLE,
    begin_cycle,
    begin_session,
    end_cycle,
    end_session,
)
from kinegraph.robot.loop.dry_cycle_kernels import begin_dry_cycle, end_dry_cycle
from kinegraph.robot.loop.loop_layout import (
    B_CHAIN_ACTIVE,
    B_CHAIN_CHANGES,
    B_CHAIN_IN_USE,
    B_CYCLES,
    B_FAULT,
    B_STOP,
    B_TORN,
    B_TORQUES,
    BOTH_HALVES,
    END_CONTROLLER,
    W_DRY_RUN,
    LoopMemory,
    TargetMemory,
)
from kinegraph.robot.loop.native_call_kernels import call_cycle
from kinegraph.robot.loop.ring_kernels import publish, push, read_slot
from kinegraph.robot.loop.watch_kernels import is_stale, note_state
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["answer_state", "target_session"]

FLAG_STOP = 1
FLAG_CHAIN_CHANGED = 2


@kernel
def read_target(block: IntArray, extra: TargetMemory) -> int:
    """Take over the newest target.

    The stop flag is read before the slot: a target that was published just before a stop is never
    lost. A stop counts only together with a consistent target; until then the slot is read again
    in every cycle.

    Returns:
        1 when the motion is to stop, else 0.
    """
    stop = load(block, B_STOP) != 0 or is_stale(extra)
    got = read_slot(extra.sequence, extra.slot, extra.fresh)
    if got == 1:
        for i in range(extra.target.shape[0]):
            extra.target[i] = extra.fresh[i]
    elif got < 0:
        block[B_TORN] += 1
        return 0
    return 1 if stop else 0


@kernel
def take_chain(block: IntArray) -> int:
    """Take over a newly published chain; returns the flag for the controller."""
    active = load(block, B_CHAIN_ACTIVE)
    if active == block[B_CHAIN_IN_USE]:
        return 0
    store(block, B_CHAIN_IN_USE, active)
    block[B_CHAIN_CHANGES] += 1
    return FLAG_CHAIN_CHANGED


@kernel
def publish_anchor(extra: TargetMemory) -> None:
    """Make what the controller holds in its first cycle the target, unless there is one."""
    at, size = extra.anchor[0], extra.anchor[1]
    for i in range(extra.target.shape[0]):
        extra.fresh[i] = extra.record[at + i] if i < size else 0.0
        extra.target[i] = extra.fresh[i]
    if load(extra.sequence, 0) == 0:
        publish(extra.sequence, extra.slot, extra.fresh)


@kernel
def answer_state(
    block: IntArray, extra: TargetMemory, address: int, state: Array, out: Array
) -> int:
    """Run the controller for one state: the newest target and chain in, torques or a motion out.

    Args:
        block: Flags and counters of the loop.
        extra: What a target session has.
        address: Of the controller's cycle, see `native_address`.
        state: The state to be answered.
        out: Receives the controller's torques or motion.

    Returns:
        What the controller returns.
    """
    take_tuning(extra.tuning_sequence, extra.tuning_slot, extra.tuning, extra.options)
    flags = read_target(block, extra) | take_chain(block)
    note_state(extra, state)
    chain = extra.chain_1 if block[B_CHAIN_IN_USE] == 1 else extra.chain_0
    answer: int = call_cycle(
        address,
        extra.options,
        chain,
        extra.arm,
        extra.memory,
        state,
        extra.target,
        flags,
        extra.record,
        out,
    )
    if answer >= 0 and block[B_CYCLES] == 0:
        publish_anchor(extra)
    return answer


@kernel
def target_session(memory: LoopMemory, extra: TargetMemory, address: int) -> int:
    """Run a target controller, which gives torques, or the motion where no torques are sent.

    Args:
        memory: The loop's memory.
        extra: What a target session adds.
        address: Of the controller's cycle, see `native_address`.

    Returns:
        The end code.
    """
    block = memory.block
    out = memory.torques if block[B_TORQUES] != 0 else memory.motion
    dry = extra.watch[W_DRY_RUN] != 0
    begin_session(memory)
    code = 0
    while code >= 0:
        code = begin_dry_cycle(memory) if dry else begin_cycle(memory)
        if code != CYCLE:
            continue
        answer = answer_state(block, extra, address, memory.state, out)
        if answer < 0:
            block[B_FAULT] = answer
            code = -END_CONTROLLER
            continue
        code = end_dry_cycle(memory, answer) if dry else end_cycle(memory, answer, BOTH_HALVES)
        push(extra.records, extra.records_head, extra.record.shape[0], extra.record)
    return end_session(memory, -code)
