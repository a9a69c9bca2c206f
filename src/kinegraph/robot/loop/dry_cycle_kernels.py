"""The two halves of a cycle that sends nothing: states in, the controller's answer kept."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import load, store
from kinegraph.robot.loop.cycle_kernels import CYCLE, step_ids
from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_LATE_STATES,
    B_LIMIT_FROM,
    B_PHASE,
    B_RECEIVED_NS,
    B_STARTED_NS,
    B_STOP,
    END_REQUESTED,
    PHASE_RUNNING,
    PHASE_WAIT,
    LoopMemory,
)
from kinegraph.robot.loop.receive_kernels import receive_states
from kinegraph.robot.loop.socket_kernels import notify
from kinegraph.robot.loop.state_check_kernels import check_state

__all__ = ["begin_dry_cycle", "end_dry_cycle"]


@kernel
def begin_dry_cycle(memory: LoopMemory) -> int:
    """Wait for a state, whatever the robot does; returns as `begin_cycle`."""
    block = memory.block
    received = receive_states(memory)
    if received <= 0:
        return received
    block[B_STARTED_NS] = block[B_RECEIVED_NS]
    if block[B_PHASE] == PHASE_WAIT:
        store(block, B_LIMIT_FROM, block[B_RECEIVED_NS])
        store(block, B_PHASE, PHASE_RUNNING)
    else:
        block[B_LATE_STATES] += received - 1
    code = check_state(memory)
    if code != 0:
        return code
    step_ids(block)
    return CYCLE


@kernel
def end_dry_cycle(memory: LoopMemory, finished: int) -> int:
    """Count the cycle; it is the last when the controller says so, or a stop is asked for.

    There is no motion to be brought to an end, and the arm would not follow it.
    """
    block = memory.block
    block[B_CYCLES] += 1
    if block[B_CYCLES] == 1:
        notify(memory.io, memory.waiters)
    if finished != 0 or load(block, B_STOP) != 0:
        return -END_REQUESTED
    return 0
