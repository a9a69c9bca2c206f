"""Where the generator goes: to the target, or, out of reach, to the pose within reach next to it.

Chased beyond what the joints can do, a target keeps the arm swinging: pins come and go, and with
them the walls, the priority, and the way that the generator is led along them. So where the goal
is hindered and gets no nearer, a search goes ahead (`search_kernels`), and the generator is given
the pose that was found. What a motion reaches without that is not touched by it.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.ik.reach_layout import (
    M_aim,
    M_beyond,
    M_found,
    M_least_left,
    M_reach_error,
    M_reach_mark,
    M_reach_pose,
    M_reach_q,
    M_reach_weight,
    M_sought,
    M_standstill,
    M_trial_jacobian,
    M_trial_pose,
    M_trial_q,
)
from kinegraph.robot.control.ik.search_kernels import (
    begin,
    go_beyond,
    improve,
    take_goal,
    weighted_error,
)
from kinegraph.robot.control.memory_layout import (
    M_cap_scale,
    M_cycle,
    M_deviated,
    M_goal,
    M_goal_pose,
    M_goal_velocity,
    M_held,
    M_ik_error,
    M_target_changed,
)
from kinegraph.robot.control.options_layout import (
    O_axis_velocity,
    O_ik_rotation_weight,
    O_max_lead,
    O_n,
)
from kinegraph.robot.control.pose_kernels import place, solve_chain
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# From out of reach, one that near to
# the goal, or so much nearer to it than to
# what was found, is gone to straight, m.
NEAR = 0.05
# The generator's aim is not further ahead of the goal, rad.
AHEAD = 0.3
# A way that gets shorter at less than this share of the budget for so many cycles leads nowhere:
# before a search, and after it.
PROGRESS = 0.3
SHORT_PATIENCE = 50
PATIENCE = 300
# A joint slower than this stands, rad/s.
REST_VELOCITY = 1e-3
# Joints this near to what was found are there, rad.
ARRIVED = 1e-2


@kernel
def seek(options: Array, chain: Array, memory: Array, stop: bool) -> None:
    """Write where the generator goes: to the target, or to the pose within reach next to it."""
    if options[O_max_lead] == math.inf or memory[M_cycle] == 0.0 or memory[M_deviated] != 0.0:
        memory[M_beyond] = 0.0
        memory[M_sought] = 1.0
        return
    n = int(options[O_n])
    if memory[M_target_changed] != 0.0:
        go_on(options, memory)
    if memory[M_sought] == 0.0:
        improve(options, chain, memory, n)
    elif memory[M_found] == 0.0 or not stop:  # A stop takes no other way to its target.
        watch(options, memory, n)
    if memory[M_beyond] != 0.0:
        lead(options, chain, memory, n)


@kernel
def go_on(options: Array, memory: Array) -> None:
    """Take a new target: straight, or, out of reach, by a search from what was found last."""
    if memory[M_found] != 0.0:
        memory[M_found] = memory[M_standstill] = 0.0
    error = weighted_error(options, memory, M_goal_pose, 1.0)
    straight = memory[M_beyond] == 0.0 and memory[M_sought] != 0.0
    straight = straight or error < NEAR
    if straight or weighted_error(options, memory, M_reach_pose, 1.0) > error + NEAR:
        memory[M_beyond], memory[M_sought] = 0.0, 1.0
        memory[M_least_left] = error
    elif memory[M_sought] != 0.0:
        begin(options, memory)
    else:
        weight = memory[M_reach_weight]
        memory[M_reach_error] = weighted_error(options, memory, M_reach_pose, weight)
        memory[M_reach_mark] = math.inf


@kernel
def watch(options: Array, memory: Array, n: int) -> None:
    """Give up a way on which the goal is hindered and gets no nearer.

    First comes the straight way of the pose, then a search; then the straight way of the joints to
    what it found, which is out of reach of the target, or at the target, but on another way; and
    at last the place where the goal is.
    """
    if not is_hindered(options, memory, n):
        return
    left = way_left(options, memory, n)
    patience = PATIENCE if memory[M_beyond] != 0.0 or memory[M_found] != 0.0 else SHORT_PATIENCE
    # A joint moves the tip by 1 m/rad at most.
    speed, turning = options[O_axis_velocity], options[O_axis_velocity + 3]
    if memory[M_beyond] == 0.0:
        turning *= options[O_ik_rotation_weight]
    progress = PROGRESS * min(speed, turning) * patience * CYCLE_TIME
    if left < memory[M_least_left] - progress:
        memory[M_least_left] = left
        memory[M_standstill] = 0.0
        return
    memory[M_standstill] += 1.0
    if memory[M_standstill] < patience:
        return
    if memory[M_beyond] == 0.0 and memory[M_found] == 0.0:
        take_goal(memory, n)
        memory[M_reach_weight] = 1.0
        begin(options, memory)
        return
    if memory[M_beyond] != 0.0:
        take_goal(memory, n)
    go_beyond(memory)


@kernel
def is_hindered(options: Array, memory: Array, n: int) -> bool:
    """Tell whether the last cycle's goal fell short of the desired pose, or stands on its way."""
    if memory[M_beyond] != 0.0 and way_left(options, memory, n) <= ARRIVED:
        return False
    short = memory[M_cap_scale] < 1.0 or memory[M_held] != 0.0
    if short or memory[M_ik_error] > options[O_max_lead]:
        return True
    stands = memory[M_beyond] != 0.0
    for i in range(n):
        stands = stands and abs(memory[M_goal_velocity + i]) < REST_VELOCITY
    return bool(stands)


@kernel
def way_left(options: Array, memory: Array, n: int) -> float:
    """Return how far the goal is from the target, m, or from the joints that were found, rad."""
    if memory[M_beyond] == 0.0:
        return weighted_error(options, memory, M_goal_pose, 1.0)
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(memory[M_reach_q + i] - memory[M_goal + i]))
    return largest


@kernel
def lead(options: Array, chain: Array, memory: Array, n: int) -> None:
    """Aim at what was found, or at a nearer point of the straight way of the joints to it.

    The joints' limits are a box: a straight way of the joints is always free, one of the pose is
    not.
    """
    largest = way_left(options, memory, n)
    if largest <= AHEAD:
        place(memory, M_reach_pose, M_aim)
        return
    for i in range(n):
        way = memory[M_reach_q + i] - memory[M_goal + i]
        memory[M_trial_q + i] = memory[M_goal + i] + AHEAD / largest * way
    solve_chain(chain, memory, n, M_trial_q, M_trial_pose, M_trial_jacobian)
    place(memory, M_trial_pose, M_aim)
