"""Where a streamed cycle starts: what was sent last, while the robot echoes it.

The robot says what it commanded last, in version 10 rounded to binary32. As long as that is what
was sent, the generator goes on from the number that was sent, so that no rounding gets into the
motion. When it is something else, the robot lost commands and went on by itself, and the generator
goes on from there.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.generator.generator_layout import G_velocity
from kinegraph.robot.control.memory_layout import (
    M_anchor,
    M_generator,
    M_holding,
    M_robot_pose,
    M_started,
    M_stream_acceleration,
    M_stream_echo,
    M_stream_pose,
    M_stream_sent,
    M_stream_time,
    M_stream_twist,
)
from kinegraph.robot.control.options_layout import O_dry_run
from kinegraph.robot.control.pose_kernels import copy, place_measured
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.wire.state_layout import S_O_T_EE, S_O_T_EE_c, S_time
from kinegraph.scene.array_types import Array

# Half a unit in the last place of a binary32 number below 1.
ECHO_ROUNDING = 2.0**-24
# The robot goes on by itself over so many lost cycles, ms; then it gives up.
MOST_LOST_MS = 20.0


@kernel
def read_poses(state: Array, memory: Array) -> bool:
    """Take over the measured pose and the echoed one; False if one of them is no pose."""
    for i in range(16):
        if not math.isfinite(state[S_O_T_EE + i] + state[S_O_T_EE_c + i]):
            return False
    measured = place_measured(state, S_O_T_EE, memory, M_robot_pose)
    return place_measured(state, S_O_T_EE_c, memory, M_stream_echo) and measured


@kernel
def is_echo(number: float, sent: float) -> bool:
    """Tell whether a number of the state is one that was sent, rounded."""
    return abs(number - sent) <= ECHO_ROUNDING * max(1.0, abs(sent))


@kernel
def lost_cycles(state: Array, memory: Array) -> float:
    """Return how many states were missed since the last cycle, at most 20, and note the time."""
    time = float(state[S_time])
    lost = time - memory[M_stream_time] - 1.0
    memory[M_stream_time] = time
    if not lost > 0.0:
        return 0.0
    return float(min(lost, MOST_LOST_MS))


@kernel
def anchor_on_echo(options: Array, state: Array, memory: Array) -> None:
    """Write the anchor, which stays where it is during a hold.

    Over lost states the robot kept its acceleration; so does what is remembered of its motion. In
    a dry run the robot would have done what was not sent.
    """
    lost = lost_cycles(state, memory)
    if memory[M_holding] != 0.0:
        return
    started, dry = memory[M_started] != 0.0, options[O_dry_run] != 0.0
    echoed = started and not dry
    for c in range(4):
        for r in range(3):
            k = 4 * c + r
            echoed = echoed and is_echo(state[S_O_T_EE_c + k], memory[M_stream_pose + k])
    if echoed or (started and dry):
        copy(memory, M_stream_sent, M_anchor, 12)
        return
    copy(memory, M_stream_echo, M_anchor, 12)
    for i in range(6):
        change = lost * CYCLE_TIME * memory[M_stream_acceleration + i]
        memory[M_stream_twist + i] += change
        memory[M_generator + G_velocity + i] += change
