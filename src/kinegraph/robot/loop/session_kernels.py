"""The sessions: compiled loops that run one after the other on a robot's loop thread."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import load, store
from kinegraph.robot.loop.cycle_kernels import (
    CYCLE,
    begin_cycle,
    begin_session,
    end_cycle,
    end_session,
)
from kinegraph.robot.loop.loop_layout import (
    B_FAULT,
    B_PERIOD_MS,
    B_PHASE,
    B_STOP,
    END_CONTROLLER,
    PHASE_STREAM,
    LoopMemory,
)
from kinegraph.robot.loop.native_call_kernels import call_controller
from kinegraph.robot.loop.receive_kernels import receive_states

__all__ = ["stream_session", "torque_session"]

# What a compiled controller answers through its C address; 0 means that it raised.
RAISED = 0
GO_ON = 1
FINISHED = 2


@kernel
def stream_session(memory: LoopMemory) -> int:
    """Receive states until told to leave; never send.

    Returns:
        The end code.
    """
    block = memory.block
    store(block, B_PHASE, PHASE_STREAM)
    code = 0
    while code >= 0:
        code = receive_states(memory)
    return end_session(memory, -code)


@kernel
def torque_session(memory: LoopMemory, address: int) -> int:
    """Run a torque loop with the controller at a C address.

    Args:
        memory: The loop's memory.
        address: Of `int64 f(double *state, double period_s, double *torques)`.

    Returns:
        The end code.
    """
    block = memory.block
    begin_session(memory)
    code = 0
    while code >= 0:
        code = begin_cycle(memory)
        if code != CYCLE:
            continue
        stop = load(block, B_STOP)
        period = block[B_PERIOD_MS] * 1e-3
        answer = call_controller(address, memory.state, period, memory.torques)
        if answer == RAISED:
            block[B_FAULT] = 0
            code = -END_CONTROLLER
        else:
            code = end_cycle(memory, 1 if stop != 0 or answer == FINISHED else 0)
    return end_session(memory, -code)
