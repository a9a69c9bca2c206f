"""The backstop of streamed poses: the budgets as libfranka's pose limiter keeps them.

It stands behind a generator that keeps its budgets by itself, so that it alters nothing but what
an error would do. Its references are what this loop sent last: the robot's own are rounded to
binary32, which alone is worth some 200 rad/s^3.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_acceleration, G_velocity
from kinegraph.robot.control.memory_layout import (
    M_anchor,
    M_backstop_alteration,
    M_backstop_angular_alteration,
    M_desired,
    M_generator,
    M_out,
    M_stream_acceleration,
    M_stream_echo,
    M_stream_from,
    M_stream_limited,
    M_stream_pose,
    M_stream_sent,
    M_stream_twist,
    M_work,
)
from kinegraph.robot.control.options_layout import O_backstop, O_limit_rate
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.rotation_kernels import relative_log
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.limiter_kernels import limit_pose
from kinegraph.scene.array_types import Array

# What the limiter's own arithmetic moves a pose that it has nothing to say about, m and rad.
ROUNDING = 1e-12


@kernel
def write_columns(memory: Array, placement: int, pose: int) -> None:
    """Write a placement as a column-major pose."""
    for c in range(3):
        for r in range(3):
            memory[pose + 4 * c + r] = memory[placement + 3 + 3 * r + c]
        memory[pose + 4 * c + 3] = 0.0
        memory[pose + 12 + c] = memory[placement + c]
    memory[pose + 15] = 1.0


@kernel
def read_columns(memory: Array, pose: int, placement: int) -> None:
    """Write a column-major pose as a placement."""
    for c in range(3):
        for r in range(3):
            memory[placement + 3 + 3 * r + c] = memory[pose + 4 * c + r]
        memory[placement + c] = memory[pose + 12 + c]


@kernel
def apply_backstop(options: Array, memory: Array) -> None:
    """Limit the desired placement against the anchor; note how far that moved and turned it."""
    memory[M_backstop_alteration] = 0.0
    memory[M_backstop_angular_alteration] = 0.0
    if not is_finite(memory, M_desired):
        echo_instead(memory)
    if options[O_limit_rate] == 0.0:
        return
    write_columns(memory, M_desired, M_stream_limited)
    write_columns(memory, M_anchor, M_stream_from)
    limit_pose(
        options,
        O_backstop,
        memory,
        M_stream_limited,
        memory,
        M_stream_from,
        memory,
        M_stream_twist,
        memory,
        M_stream_acceleration,
        memory,
        M_stream_limited,
        memory[M_work:],
    )
    read_columns(memory, M_stream_limited, M_out)
    if not is_finite(memory, M_out):
        echo_instead(memory)
        return
    square = 0.0
    for i in range(3):
        square += (memory[M_out + i] - memory[M_desired + i]) ** 2
    x, y, z = relative_log(memory, M_out + 3, memory, M_desired + 3)
    moved, turned = math.sqrt(square), math.sqrt(x * x + y * y + z * z)
    if moved > ROUNDING or turned > ROUNDING:
        memory[M_backstop_alteration] = moved
        memory[M_backstop_angular_alteration] = turned
        copy(memory, M_out, M_desired, 12)


@kernel
def is_finite(memory: Array, placement: int) -> bool:
    """Tell whether every number of a placement is finite."""
    good = True
    for i in range(12):
        good = good and math.isfinite(memory[placement + i])
    return good


@kernel
def echo_instead(memory: Array) -> None:
    """Send what the robot echoes, and let the generator start again from rest."""
    copy(memory, M_stream_echo, M_desired, 12)
    for i in range(6):
        memory[M_generator + G_velocity + i] = 0.0
        memory[M_generator + G_acceleration + i] = 0.0
        memory[M_stream_twist + i] = 0.0


@kernel
def note_sent(memory: Array) -> None:
    """Remember the desired placement as sent, and the twist and acceleration that it stands for."""
    turn = relative_log(memory, M_desired + 3, memory, M_anchor + 3)
    for i in range(3):
        linear = (memory[M_desired + i] - memory[M_anchor + i]) / CYCLE_TIME
        note_rate(memory, i, linear)
    note_rate(memory, 3, turn[0] / CYCLE_TIME)
    note_rate(memory, 4, turn[1] / CYCLE_TIME)
    note_rate(memory, 5, turn[2] / CYCLE_TIME)
    copy(memory, M_desired, M_stream_sent, 12)
    write_columns(memory, M_desired, M_stream_pose)


@kernel
def note_rate(memory: Array, i: int, rate: float) -> None:
    """Remember one component of the twist, and its change."""
    memory[M_stream_acceleration + i] = (rate - memory[M_stream_twist + i]) / CYCLE_TIME
    memory[M_stream_twist + i] = rate
