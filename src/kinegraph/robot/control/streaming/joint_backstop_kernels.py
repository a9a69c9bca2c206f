"""Echo and backstop of streamed joint positions: as for poses, by joint.

The backstop is libfranka's limiter of positions with the robot's own limits: the velocity that it
allows where the joint is, and the arm's acceleration and jerk.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.ik.bounds_kernels import robot_speed
from kinegraph.robot.control.memory_layout import (
    M_backstop_alteration,
    M_generator,
    M_holding,
    M_joint_anchor,
    M_joint_desired,
    M_sent,
    M_started,
    M_stream_joint_acceleration,
    M_stream_joint_velocity,
    M_stream_joints,
)
from kinegraph.robot.control.options_layout import (
    O_backstop_acceleration,
    O_backstop_jerk,
    O_dry_run,
    O_limit_rate,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.streaming.backstop_kernels import ROUNDING
from kinegraph.robot.control.streaming.echo_kernels import is_echo, lost_cycles
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.limiter_kernels import limit_position
from kinegraph.robot.wire.state_layout import S_q_d
from kinegraph.scene.array_types import Array


@kernel
def anchor_joints_on_echo(options: Array, state: Array, memory: Array, n: int) -> bool:
    """Write the anchor as `anchor_on_echo`; False if the echo is not finite."""
    lost = lost_cycles(state, memory)
    started, dry = memory[M_started] != 0.0, options[O_dry_run] != 0.0
    finite, echoed = True, started and not dry
    for i in range(n):
        finite = finite and math.isfinite(state[S_q_d + i])
        echoed = echoed and is_echo(state[S_q_d + i], memory[M_stream_joints + i])
    if memory[M_holding] != 0.0 or not finite:
        return finite
    for i in range(n):
        if echoed or (started and dry):
            memory[M_joint_anchor + i] = memory[M_stream_joints + i]
        else:
            change = lost * CYCLE_TIME * memory[M_stream_joint_acceleration + i]
            memory[M_joint_anchor + i] = state[S_q_d + i]
            memory[M_stream_joint_velocity + i] += change
            memory[M_generator + G_velocity + i] += change
    return True


@kernel
def hold_joint_echo(options: Array, state: Array, memory: Array, n: int) -> None:
    """Send what the robot echoed in the first cycle of the hold, past the backstop.

    In a dry run there is no echo: what was not sent last is held.
    """
    memory[M_backstop_alteration] = 0.0
    if memory[M_sent] == 1.0 and options[O_dry_run] == 0.0:
        for i in range(n):
            memory[M_joint_anchor + i] = state[S_q_d + i]
    copy(memory, M_joint_anchor, M_joint_desired, n)


@kernel
def apply_joint_backstop(options: Array, memory: Array, n: int) -> None:
    """Limit the desired positions against the anchor; note by how much at most."""
    largest = 0.0
    for i in range(n):
        q, wanted = memory[M_joint_anchor + i], memory[M_joint_desired + i]
        sent = wanted
        if options[O_limit_rate] != 0.0:
            sent = limit_position(
                robot_speed(options, i, q, True),
                -robot_speed(options, i, q, False),
                options[O_backstop_acceleration + i],
                options[O_backstop_jerk + i],
                wanted,
                q,
                memory[M_stream_joint_velocity + i],
                memory[M_stream_joint_acceleration + i],
            )
        if not math.isfinite(sent):
            rest_joints(memory, n)
            return
        if abs(sent - wanted) > ROUNDING:
            memory[M_joint_desired + i] = sent
            largest = max(largest, abs(sent - wanted))
    memory[M_backstop_alteration] = largest


@kernel
def rest_joints(memory: Array, n: int) -> None:
    """Send what the robot echoes, and let the generator start again from rest."""
    memory[M_backstop_alteration] = 0.0
    for i in range(n):
        memory[M_joint_desired + i] = memory[M_joint_anchor + i]
        memory[M_stream_joint_velocity + i] = 0.0
        memory[M_generator + G_velocity + i] = 0.0
        memory[M_generator + G_acceleration + i] = 0.0


@kernel
def note_joints_sent(memory: Array, n: int) -> None:
    """Remember the desired positions as sent, with the rates that they stand for."""
    for i in range(n):
        rate = (memory[M_joint_desired + i] - memory[M_joint_anchor + i]) / CYCLE_TIME
        change = rate - memory[M_stream_joint_velocity + i]
        memory[M_stream_joint_acceleration + i] = change / CYCLE_TIME
        memory[M_stream_joint_velocity + i] = rate
        memory[M_stream_joints + i] = memory[M_joint_desired + i]
