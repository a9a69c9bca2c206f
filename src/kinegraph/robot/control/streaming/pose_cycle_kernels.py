"""One cycle of Cartesian targets through the robot's own controller: from a state to a pose.

The order is section 10 of the controller's specification. There is neither leash nor inverse
kinematics: the robot echoes what it was commanded, and follows it by itself.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.cartesian_kernels import FAULT_POSE, FINISHED, FLAG_STOP, GO_ON
from kinegraph.robot.control.entry_kernels import has_strayed
from kinegraph.robot.control.generator.runner_kernels import run
from kinegraph.robot.control.generator.tracking_kernels import choose_target
from kinegraph.robot.control.memory_layout import (
    M_anchor,
    M_backstop_alteration,
    M_backstop_angular_alteration,
    M_cycle,
    M_desired,
    M_finished,
    M_holding,
    M_sent,
    M_start,
    M_started,
    M_stream_echo,
    M_stream_pose,
)
from kinegraph.robot.control.options_layout import O_dry_run
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.record_kernels import write_motion
from kinegraph.robot.control.record_layout import (
    RECORD_SIZE,
    R_backstop_alteration,
    R_backstop_angular_alteration,
    R_cap_scale,
    R_orientation,
    R_pose,
    R_wall_age,
)
from kinegraph.robot.control.rotation_kernels import quaternion_of_rotation
from kinegraph.robot.control.streaming.backstop_kernels import (
    apply_backstop,
    note_sent,
    write_columns,
)
from kinegraph.robot.control.streaming.echo_kernels import anchor_on_echo, read_poses
from kinegraph.robot.wire.state_layout import S_O_T_EE_c
from kinegraph.scene.array_types import Array


@kernel
def pose_cycle(
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
        options: Packed options, `CartesianOptions.packed`.
        chain: Not used: the robot knows its end effector.
        arm: Not used.
        memory: (MEMORY_SIZE,) the session's memory, zeros before its first cycle.
        state: Canonical row of the robot's state (`state_layout`).
        target: Position, m, and quaternion x, y, z, w of the end effector, in the base frame.
        flags: `FLAG_STOP`: a stop is asked for.
        record: (RECORD_SIZE,) out, see `record_layout`.
        motion: (18,) out: the pose to be sent, column-major, and no elbow.

    Returns:
        `GO_ON`; `FINISHED` with the last command of the motion; `FAULT_POSE`, after which the
        motion has to be ended: nothing is written then.
    """
    if not read_poses(state, memory):
        return FAULT_POSE
    anchor_on_echo(options, state, memory)
    if memory[M_started] == 0.0:
        memory[M_started] = 1.0
        copy(memory, M_anchor, M_start, 12)
    strayed = has_strayed(options, memory)
    stop = flags & FLAG_STOP != 0
    if memory[M_holding] == 0.0:
        choose_target(memory, target, stop, strayed)
    run(options, memory, stop)
    if memory[M_holding] != 0.0:
        hold_echo(options, memory, state)
    else:
        apply_backstop(options, memory)
        note_sent(memory)
    for i in range(16):
        motion[i] = memory[M_stream_pose + i]
    write_stream_record(memory, record)
    memory[M_cycle] += 1.0
    return FINISHED if memory[M_finished] != 0.0 else GO_ON


@kernel
def hold_echo(options: Array, memory: Array, state: Array) -> None:
    """Send what the robot echoed in the first cycle of the hold, bit for bit, past the backstop.

    In a dry run there is no echo: what was not sent last is held.
    """
    memory[M_backstop_alteration] = 0.0
    memory[M_backstop_angular_alteration] = 0.0
    if options[O_dry_run] != 0.0:
        write_columns(memory, M_anchor, M_stream_pose)
    elif memory[M_sent] == 1.0:
        write_columns(memory, M_stream_echo, M_stream_pose)
        for c in range(4):
            for r in range(3):
                memory[M_stream_pose + 4 * c + r] = state[S_O_T_EE_c + 4 * c + r]
        copy(memory, M_stream_echo, M_anchor, 12)
    copy(memory, M_anchor, M_desired, 12)


@kernel
def write_stream_record(memory: Array, record: Array) -> None:
    """Write the record of the cycle; what only a torque law has is zero, or its sign of nothing."""
    for i in range(RECORD_SIZE):
        record[i] = 0.0
    for i in range(16):
        record[R_pose + i] = memory[M_stream_pose + i]
    quaternion_of_rotation(memory, M_desired + 3, record, R_orientation)
    write_motion(memory, record)
    record[R_backstop_alteration] = memory[M_backstop_alteration]
    record[R_backstop_angular_alteration] = memory[M_backstop_angular_alteration]
    record[R_cap_scale] = 1.0
    record[R_wall_age] = -1.0
    record[R_wall_age + 1] = -1.0
