"""The two halves of a control cycle that every session shares: before and after its controller.

Before: wait for a state, see where the motion stands, check what the controller will read.
After: shape the torques, send, log. The finish and the hand-over at the start live here too.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import load, store
from kinegraph.robot.loop.loop_layout import (
    B_CONTROLLER,
    B_CYCLES,
    B_END_CODE,
    B_FAILED_SENDS,
    B_FAULT,
    B_FINISH_MS,
    B_FINISHED_NS,
    B_FINISHED_SENDS,
    B_GENERATOR,
    B_LAST_ID,
    B_LATE_STATES,
    B_LIMIT_FROM,
    B_MOTION,
    B_MOVE_REPLIED,
    B_PERIOD_MS,
    B_PHASE,
    B_PREVIOUS_ID,
    B_RECEIVED_NS,
    B_REPLIED_STATES,
    B_SEND_FAILURES,
    B_SENT,
    B_SHOWN,
    B_STARTED_NS,
    B_VERSION,
    CYCLE_ROW,
    END_FINISHED,
    END_LEFT,
    END_MOVE_REPLIED,
    END_NEVER_IDLE,
    END_SOCKET,
    FAILED_SENDS_MAX,
    JOINTS,
    MOTION_SIZE,
    PHASE_ENDED,
    PHASE_FINISHING,
    PHASE_RUNNING,
    PHASE_WAIT,
    REPLIED_STATES_MAX,
    Y_COMMAND,
    Y_COMPUTE_NS,
    Y_LOST,
    Y_MESSAGE_ID,
    Y_PERIOD_MS,
    Y_PHASE,
    Y_RECEIVED_NS,
    Y_SENT_NS,
    Y_SUCCESS_RATE,
    LoopMemory,
)
from kinegraph.robot.loop.receive_kernels import receive_states
from kinegraph.robot.loop.ring_kernels import begin_row, end_row
from kinegraph.robot.loop.send_path_kernels import shape_command
from kinegraph.robot.loop.socket_kernels import monotonic_ns, notify, send
from kinegraph.robot.loop.state_check_kernels import check_state
from kinegraph.robot.wire.state_layout import (
    COMMAND_SIZE,
    C_message_id,
    C_motion_generation_finished,
    C_torque_command_finished,
    S_control_command_success_rate,
    S_controller_mode,
    S_motion_generator_mode,
    S_robot_mode,
)
from kinegraph.robot.wire.wire_kernels import encode_command
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["begin_cycle", "begin_session", "end_cycle", "end_session"]

CYCLE = 1  # begin_cycle: compute and call end_cycle
AGAIN = 0  # begin_cycle: nothing to compute, call it again
MODE_MOVE = 2.0
EXTERNAL = 2.0
GENERATOR_IDLE = 0.0
GENERATOR_NONE = 5.0
NS_OF_MS = 1_000_000


@kernel
def in_motion(memory: LoopMemory) -> bool:
    """Whether the newest state shows the requested motion."""
    state, block = memory.state, memory.block
    shown: bool = (
        state[S_robot_mode] == MODE_MOVE
        and state[S_motion_generator_mode] == block[B_GENERATOR]
        and state[S_controller_mode] == block[B_CONTROLLER]
    )
    return shown


@kernel
def is_idle(state: Array) -> bool:
    """Whether a state shows neither a running generator nor an external controller."""
    generator = state[S_motion_generator_mode]
    runs = generator != GENERATOR_IDLE and generator != GENERATOR_NONE
    return not runs and state[S_controller_mode] != EXTERNAL


@kernel
def begin_session(memory: LoopMemory) -> None:
    """Enter the phase WAIT: from now on the states are looked at for the motion."""
    block = memory.block
    block[B_CYCLES] = 0
    block[B_FINISHED_SENDS] = 0
    block[B_REPLIED_STATES] = 0
    block[B_FAILED_SENDS] = 0
    block[B_PREVIOUS_ID] = -1
    block[B_FAULT] = 0
    block[B_END_CODE] = 0
    block[B_SHOWN] = 0
    for i in range(COMMAND_SIZE):
        memory.command[i] = 0.0
    for i in range(MOTION_SIZE):
        memory.motion[i] = 0.0
    for i in range(JOINTS):
        memory.torques[i] = 0.0
    store(block, B_PHASE, PHASE_WAIT)
    notify(memory.io, memory.waiters)


@kernel
def end_session(memory: LoopMemory, code: int) -> int:
    """Leave the session with an end code."""
    memory.block[B_END_CODE] = code
    store(memory.block, B_PHASE, PHASE_ENDED)
    notify(memory.io, memory.waiters)
    return code


@kernel
def transmit(memory: LoopMemory) -> int:
    """Send the command for the newest state and log the cycle.

    Returns:
        0, or the end code when sending fails for good.
    """
    block, io = memory.block, memory.io
    memory.command[C_message_id] = block[B_LAST_ID]
    length = encode_command(block[B_VERSION], memory.command, memory.packet)
    computed = monotonic_ns(io)
    failure = send(block, io, memory.packet, length)
    if failure == 0:
        block[B_SENT] += 1
        block[B_FAILED_SENDS] = 0
    else:
        block[B_SEND_FAILURES] += 1
        block[B_FAILED_SENDS] += 1
        if block[B_FAILED_SENDS] >= FAILED_SENDS_MAX:
            block[B_FAULT] = failure
            return END_SOCKET
    log_cycle(memory, computed - block[B_STARTED_NS], monotonic_ns(io))
    return 0


@kernel
def log_cycle(memory: LoopMemory, compute_ns: int, sent_ns: int) -> None:
    """Append this cycle to the ring of cycles."""
    block, ring = memory.block, memory.cycles
    at = begin_row(memory.cycles_head, ring.size // CYCLE_ROW, CYCLE_ROW)
    ring[at + Y_MESSAGE_ID] = block[B_LAST_ID]
    ring[at + Y_RECEIVED_NS] = block[B_RECEIVED_NS]
    ring[at + Y_SENT_NS] = sent_ns
    ring[at + Y_COMPUTE_NS] = compute_ns
    ring[at + Y_PERIOD_MS] = block[B_PERIOD_MS]
    ring[at + Y_LOST] = max(block[B_PERIOD_MS] - 1, 0)
    ring[at + Y_PHASE] = block[B_PHASE]
    ring[at + Y_SUCCESS_RATE] = memory.state[S_control_command_success_rate]
    for i in range(COMMAND_SIZE):
        ring[at + Y_COMMAND + i] = memory.command[i]
    end_row(memory.cycles_head)


@kernel
def step_ids(block: IntArray) -> None:
    """Work out the time step of this cycle, in ids: 0 in the first."""
    previous = block[B_PREVIOUS_ID]
    block[B_PERIOD_MS] = 0 if previous < 0 else block[B_LAST_ID] - previous
    block[B_PREVIOUS_ID] = block[B_LAST_ID]


@kernel
def wait_for_motion(memory: LoopMemory) -> int:
    """Phase WAIT: begin with the state after the one that shows the motion, as libfranka does.

    Returns:
        `CYCLE`, `AGAIN` or the negative end code.
    """
    block = memory.block
    if in_motion(memory):
        if load(block, B_LIMIT_FROM) == 0:
            store(block, B_LIMIT_FROM, block[B_RECEIVED_NS])
        if block[B_SHOWN] == 0:
            store(block, B_SHOWN, 1)
            notify(memory.io, memory.waiters)
            return AGAIN
        store(block, B_PHASE, PHASE_RUNNING)
        return CYCLE
    if block[B_SHOWN] != 0:
        return -END_LEFT
    if load(block, B_MOVE_REPLIED) != 0:
        return -END_MOVE_REPLIED
    return AGAIN


@kernel
def repeat_finished(memory: LoopMemory) -> int:
    """Phase FINISHING: the last command goes out again until the robot is idle."""
    block = memory.block
    if is_idle(memory.state):
        return -END_FINISHED
    if block[B_RECEIVED_NS] - block[B_FINISHED_NS] > block[B_FINISH_MS] * NS_OF_MS:
        return -END_NEVER_IDLE
    step_ids(block)
    code = transmit(memory)
    if code != 0:
        return -code
    block[B_FINISHED_SENDS] += 1
    return AGAIN


@kernel
def stay_in_motion(memory: LoopMemory) -> int:
    """Phase RUNNING: go on as long as the states show the motion."""
    block = memory.block
    if not in_motion(memory):
        return -END_LEFT
    if load(block, B_MOVE_REPLIED) != 0:
        # Either order of reply and state is right, but the states must follow some time.
        block[B_REPLIED_STATES] += 1
        if block[B_REPLIED_STATES] > REPLIED_STATES_MAX:
            return -END_MOVE_REPLIED
    return CYCLE


@kernel
def begin_cycle(memory: LoopMemory) -> int:
    """Wait for a state and say what to do about it.

    Returns:
        `CYCLE`: compute torques for `memory.state`, then call `end_cycle`. `AGAIN`: nothing to
        compute. Otherwise the negative end code.
    """
    block = memory.block
    received = receive_states(memory)
    if received <= 0:
        return received
    block[B_STARTED_NS] = block[B_RECEIVED_NS]
    phase = block[B_PHASE]
    if phase == PHASE_WAIT:
        todo = wait_for_motion(memory)
    elif phase == PHASE_FINISHING:
        todo = repeat_finished(memory)
    else:
        block[B_LATE_STATES] += received - 1
        todo = stay_in_motion(memory)
    if todo != CYCLE:
        return todo
    code = check_state(memory)
    if code != 0:
        return code
    step_ids(block)
    return CYCLE


@kernel
def end_cycle(memory: LoopMemory, finished: int, given: int) -> int:
    """Send `memory.torques` and `memory.motion`, as far as the motion has them.

    Args:
        memory: The loop's memory.
        finished: Not 0 when this is the last command of the motion.
        given: `HALF_TORQUES`, `HALF_MOTION` or both: what is new. The other half is sent again.

    Returns:
        0, or the negative end code.
    """
    block, command = memory.block, memory.command
    code = shape_command(memory, given)
    if code != 0:
        return code
    if finished != 0:
        # A generator ends the motion, also where torques go beside it.
        if block[B_MOTION] != 0:
            command[C_motion_generation_finished] = 1.0
        else:
            command[C_torque_command_finished] = 1.0
    code = transmit(memory)
    if code != 0:
        return -code
    block[B_CYCLES] += 1
    if finished != 0:
        block[B_FINISHED_NS] = block[B_RECEIVED_NS]
        block[B_FINISHED_SENDS] += 1
        store(block, B_PHASE, PHASE_FINISHING)
    if block[B_CYCLES] == 1:
        notify(memory.io, memory.waiters)
    return 0
