"""One cycle of the Cartesian target controller: from a robot state to torques and a record.

The order is section 4 of the controller's specification. All that lasts from cycle to cycle is in
`memory` (`memory_layout`); a zeroed memory is a session before its first cycle. The first cycle
anchors: nothing moves, whatever the target says, and the record holds the anchor as its target.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.entry_kernels import (
    anchor,
    change_tool,
    has_strayed,
    move_start,
    read_state,
)
from kinegraph.robot.control.generator.leash_kernels import pull
from kinegraph.robot.control.generator.runner_kernels import run, take_restart
from kinegraph.robot.control.generator.tracking_kernels import choose_target
from kinegraph.robot.control.ik.goal_kernels import step_goal
from kinegraph.robot.control.ik.reach_kernels import seek
from kinegraph.robot.control.memory_layout import (
    M_cap_scale,
    M_cycle,
    M_desired,
    M_dq,
    M_finished,
    M_from,
    M_goal,
    M_goal_velocity,
    M_holding,
    M_jacobian,
    M_measured,
    M_pose,
    M_q,
    M_reference,
    M_started,
    M_tau,
    M_waited,
)
from kinegraph.robot.control.options_layout import CUTOFF_OFF, O_feedforward_cutoff, O_n
from kinegraph.robot.control.pose_kernels import copy, place, solve_chain
from kinegraph.robot.control.record_kernels import write_record
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.control.torques.feedforward_kernels import feed_forward
from kinegraph.robot.control.torques.reference_kernels import soften
from kinegraph.robot.control.torques.torque_kernels import set_torques
from kinegraph.robot.control.walls.landing_kernels import not_blocked, update_blocked
from kinegraph.robot.control.walls.restart_kernels import needs_restart, restart
from kinegraph.robot.control.walls.wall_kernels import update_walls
from kinegraph.scene.array_types import Array

# Bits of the flags of a cycle.
FLAG_STOP = 1
FLAG_TOOL_CHANGED = 2

# What a cycle returns; a fault leaves the torques at zero and the record as it was.
GO_ON = 0
FINISHED = 1
FAULT_STATE = -1  # q, dq or the load of the state is not finite
FAULT_POSE = -2  # O_T_EE is no pose
FAULT_CHAIN = -3  # chain, arm and options disagree about the number of joints
FAULT_TORQUE = -4  # the law gave a number that is not finite

# A joint slower than this, rad/s, is at rest.
REST_JOINT_VELOCITY = 0.01
# A finished motion waits so many cycles for the arm to come to rest.
REST_TIMEOUT_CYCLES = 5000


@kernel
def cartesian_cycle(
    options: Array,
    chain: Array,
    arm: Array,
    memory: Array,
    state: Array,
    target: Array,
    flags: int,
    record: Array,
    tau: Array,
) -> int:
    """Compute one cycle.

    Args:
        options: Packed options, `CartesianOptions.packed`.
        chain: Chain from the base to the controlled link, `ChainPlan.data`.
        arm: Bodies of the arm down to the flange, `DynamicsPlan.data`.
        memory: (MEMORY_SIZE,) the session's memory, zeros before its first cycle.
        state: Canonical row of the robot's state (`state_layout`).
        target: (7,) position, m, and quaternion x, y, z, w, both in the base frame, at rest; or
            (14,) with linear and angular velocity, m/s and rad/s, and how long they go on, s.
        flags: `FLAG_STOP`: a stop is asked for. `FLAG_TOOL_CHANGED`: the chain is another one
            than in the last cycle.
        record: (RECORD_SIZE,) out, see `record_layout`.
        tau: (n,) out, Nm, clamped; filter and rate limiter come after.

    Returns:
        `GO_ON`; `FINISHED` with the last command of the motion; a fault, below zero, after which
        the motion has to be ended: torques are zero then.
    """
    n = int(options[O_n])
    for i in range(tau.shape[0]):
        tau[i] = 0.0
    if chain[0] != n or arm[0] != n:
        return FAULT_CHAIN
    fault = read_state(state, memory, n)
    if fault < 0:
        return fault
    # Few levels of calls: each costs seconds of compilation.
    solve_chain(chain, memory, n, M_q, M_pose, M_jacobian)
    place(memory, M_pose, M_measured)
    if memory[M_started] == 0.0:
        anchor(options, memory, state, n)
    else:
        move_start(memory, state)
        if flags & FLAG_TOOL_CHANGED:
            change_tool(chain, memory, n)
    pull(options, memory)
    strayed = has_strayed(options, memory)
    take_restart(memory)
    stop = flags & FLAG_STOP != 0
    if memory[M_holding] == 0.0:
        choose_target(memory, target, stop, strayed)
        seek(options, chain, memory, stop)
    run(options, memory, stop)
    step_goal(options, chain, memory)
    set_goal_velocity(options, memory, n)
    feed_forward(options, memory, n)
    soften(options, memory, n)
    prepare_next(options, memory)
    if not set_torques(options, arm, memory, n):
        return FAULT_TORQUE
    for i in range(n):
        tau[i] = memory[M_tau + i]
    write_record(memory, n, record)
    memory[M_cycle] += 1.0
    return FINISHED if at_rest(memory, n) else GO_ON


@kernel
def set_goal_velocity(options: Array, memory: Array, n: int) -> None:
    """Write the goal's velocity: its difference, filtered on request, zero at start and hold."""
    moving = memory[M_cycle] > 0.0 and memory[M_holding] == 0.0
    gain, cutoff = 1.0, options[O_feedforward_cutoff]
    if cutoff < CUTOFF_OFF:
        gain = CYCLE_TIME / (CYCLE_TIME + 1.0 / (2.0 * math.pi * cutoff))
    for i in range(n):
        value = 0.0
        if moving:
            raw = (memory[M_goal + i] - memory[M_from + i]) / CYCLE_TIME
            value = gain * raw + (1.0 - gain) * memory[M_goal_velocity + i]
        memory[M_goal_velocity + i] = value


@kernel
def prepare_next(options: Array, memory: Array) -> None:
    """Update walls, and decide where and how the generator goes on in the next cycle."""
    update_walls(memory)
    memory[M_cap_scale] = 1.0
    if memory[M_holding] != 0.0:
        return
    if needs_restart(options, memory):
        restart(options, memory)
        update_blocked(options, memory)
    else:
        not_blocked(memory)
        copy(memory, M_desired, M_reference, 12)


@kernel
def at_rest(memory: Array, n: int) -> bool:
    """Tell whether a finished motion may be reported: the arm rests, or it was waited for."""
    if memory[M_finished] == 0.0:
        return False
    rest = True
    for i in range(n):
        rest = rest and abs(memory[M_dq + i]) < REST_JOINT_VELOCITY
    memory[M_waited] += 1.0
    return rest or memory[M_waited] > REST_TIMEOUT_CYCLES
