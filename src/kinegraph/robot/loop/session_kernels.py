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
    B_CYCLES,
    B_FAULT,
    B_PERIOD_MS,
    B_PHASE,
    B_STOP,
    BOTH_HALVES,
    END_CONTROLLER,
    HALF_TORQUES,
    PHASE_STREAM,
    LoopMemory,
)
from kinegraph.robot.loop.native_call_kernels import call_controller
from kinegraph.robot.loop.receive_kernels import receive_states
from kinegraph.robot.loop.send_path_kernels import rest
from kinegraph.scene.array_types import IntArray

__all__ = ["callback_session", "stream_session"]

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
def call_torques(memory: LoopMemory, address: int) -> int:
    """Let the callback at an address fill the torques."""
    return int(call_controller(address, memory.state, period_s(memory.block), memory.torques))


@kernel
def call_motion(memory: LoopMemory, address: int) -> int:
    """Let the callback at an address fill the motion."""
    return int(call_controller(address, memory.state, period_s(memory.block), memory.motion))


@kernel
def period_s(block: IntArray) -> float:
    """Time since the state answered before, s."""
    return float(block[B_PERIOD_MS] * 1e-3)


@kernel
def callback_session(memory: LoopMemory, first: int, second: int, order: int) -> int:
    """Run a loop with one or two compiled callbacks.

    The second callback is not called in the cycle in which the first one finishes: what it gave
    in the cycle before is sent again.

    Args:
        memory: The loop's memory.
        first: Address of `int64 f(double *state, double period_s, double *out)`.
        second: Address of the other half's, 0 for none.
        order: Half that the first one fills: `HALF_TORQUES` or `HALF_MOTION`.

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
        torques_first = order == HALF_TORQUES
        answer = call_torques(memory, first) if torques_first else call_motion(memory, first)
        given = BOTH_HALVES if second == 0 else order
        if second != 0 and answer == GO_ON:
            answer = call_motion(memory, second) if torques_first else call_torques(memory, second)
            given = BOTH_HALVES
        elif second != 0 and block[B_CYCLES] == 0:
            rest(memory)
            given = BOTH_HALVES
        if answer == RAISED:
            block[B_FAULT] = 0
            code = -END_CONTROLLER
        else:
            code = end_cycle(memory, 1 if stop != 0 or answer == FINISHED else 0, given)
    return end_session(memory, -code)
