"""One cycle of joint targets through the robot's own controller: from a state to positions."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.cartesian_kernels import FAULT_STATE, FINISHED, FLAG_STOP, GO_ON
from kinegraph.robot.control.entry_kernels import read_joints
from kinegraph.robot.control.generator.joint_runner_kernels import run_joints
from kinegraph.robot.control.joint_kernels import joints_strayed
from kinegraph.robot.control.joint_record_kernels import write_joint_motion
from kinegraph.robot.control.memory_layout import (
    M_backstop_alteration,
    M_cycle,
    M_finished,
    M_holding,
    M_joint_anchor,
    M_joint_desired,
    M_joint_start,
    M_started,
)
from kinegraph.robot.control.options_layout import O_n
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.record_layout import (
    JOINT_RECORD_SIZE,
    J_backstop_alteration,
    J_cap_scale,
    J_q,
)
from kinegraph.robot.control.streaming.joint_backstop_kernels import (
    anchor_joints_on_echo,
    apply_joint_backstop,
    hold_joint_echo,
    note_joints_sent,
)
from kinegraph.scene.array_types import Array


@kernel
def joint_position_cycle(
    options: Array,
    chain: Array,
    arm: Array,
    memory: Array,
    state: Array,
    target: Array,
    flags: int,
    record: Array,
    motion: Array,
) -> int:
    """Compute one cycle.

    Args:
        options: Packed options, `JointOptions.packed`.
        chain: Not used.
        arm: Not used.
        memory: (MEMORY_SIZE,) the session's memory, zeros before its first cycle.
        state: Canonical row of the robot's state (`state_layout`).
        target: (n,) joint positions, rad, at rest; or (2n + 1,) with velocities, rad/s, and how
            long they go on, s.
        flags: `FLAG_STOP`: a stop is asked for.
        record: (JOINT_RECORD_SIZE,) out, see `record_layout`.
        motion: (n,) or more, out: the positions to be sent, rad.

    Returns:
        `GO_ON`; `FINISHED` with the last command of the motion; `FAULT_STATE`, after which the
        motion has to be ended: nothing is written then.
    """
    n = int(options[O_n])
    if read_joints(state, memory, n) < 0 or not anchor_joints_on_echo(options, state, memory, n):
        return FAULT_STATE
    if memory[M_started] == 0.0:
        memory[M_started] = 1.0
        copy(memory, M_joint_anchor, M_joint_start, n)
    strayed = joints_strayed(options, memory, n)
    run_joints(options, memory, target, n, flags & FLAG_STOP != 0, strayed)
    if memory[M_holding] != 0.0:
        hold_joint_echo(options, state, memory, n)
    else:
        apply_joint_backstop(options, memory, n)
        note_joints_sent(memory, n)
    for i in range(JOINT_RECORD_SIZE):
        record[i] = 0.0
    write_joint_motion(memory, n, record)
    for i in range(n):
        motion[i] = memory[M_joint_desired + i]
        record[J_q + i] = memory[M_joint_desired + i]
    record[J_backstop_alteration] = memory[M_backstop_alteration]
    record[J_cap_scale] = 1.0
    memory[M_cycle] += 1.0
    return FINISHED if memory[M_finished] != 0.0 else GO_ON
