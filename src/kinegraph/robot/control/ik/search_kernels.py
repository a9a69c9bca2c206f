"""The search for the joints whose pose is nearest to a target, inside the position limits.

Levenberg and Marquardt on the target's weighted error, one step per cycle, begun at the goal. As
the inverse kinematics does it, the whole weighted task comes first; where a position limit stands
in its way, the position comes first.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.ik.active_set_kernels import solve_boxed
from kinegraph.robot.control.ik.reach_layout import (
    M_beyond,
    M_found,
    M_least_left,
    M_reach_active,
    M_reach_columns,
    M_reach_damping,
    M_reach_error,
    M_reach_jacobian,
    M_reach_mark,
    M_reach_pose,
    M_reach_q,
    M_reach_steps,
    M_reach_weight,
    M_sought,
    M_standstill,
    M_trial_jacobian,
    M_trial_pose,
    M_trial_q,
)
from kinegraph.robot.control.memory_layout import (
    M_error,
    M_goal,
    M_goal_jacobian,
    M_goal_pose,
    M_out,
    M_room_lower,
    M_room_upper,
    M_step,
    M_target,
    M_target_rotation,
)
from kinegraph.robot.control.options_layout import (
    O_ik_rotation_weight,
    O_joint_position_margin,
    O_lower,
    O_upper,
)
from kinegraph.robot.control.pose_kernels import copy, place, solve_chain
from kinegraph.robot.control.rotation_kernels import relative_log
from kinegraph.scene.array_types import Array

# A weighted error up to this is none, m.
WITHIN = 1e-4
# What is found keeps so far off the margins, that no pin is needed to stay there, rad.
INSET = 2e-3
# No joint goes further in one step, rad.
LONGEST_STEP = 0.3
# A step of the joints below this is the last, rad; so is the one of that number, and one after
# several that together take less off the weighted error, m: far along the bottom of a valley is
# not next to the target.
LAST_STEP = 1e-5
MOST_STEPS = 400
SEVERAL = 10
LEAST_GAIN = 1e-4
# The damping squared: its share of the error at first, what a good and a bad step change it by,
# and its bounds.
FIRST_DAMPING = 0.25
EASED = 0.3
RAISED = 4.0
LEAST_DAMPING = 1e-6
MOST_DAMPING = 1e3
# Weight of the position where it comes first.
POSITION_WEIGHT = 30.0


@kernel
def begin(options: Array, memory: Array) -> None:
    """Begin a search at the joints that were found last."""
    memory[M_reach_error] = weighted_error(options, memory, M_reach_pose, memory[M_reach_weight])
    memory[M_reach_damping] = FIRST_DAMPING * memory[M_reach_error]
    memory[M_reach_steps] = memory[M_sought] = memory[M_found] = 0.0
    memory[M_reach_mark] = math.inf


@kernel
def take_goal(memory: Array, n: int) -> None:
    """Take the goal for what was found."""
    copy(memory, M_goal, M_reach_q, n)
    copy(memory, M_goal_pose, M_reach_pose, 16)
    copy(memory, M_goal_jacobian, M_reach_jacobian, 6 * n)


@kernel
def go_beyond(memory: Array) -> None:
    """End the search: from now on the generator goes to what was found."""
    memory[M_beyond], memory[M_sought] = 1.0, 1.0
    memory[M_least_left], memory[M_standstill] = math.inf, 0.0


@kernel
def improve(options: Array, chain: Array, memory: Array, n: int) -> None:
    """Try one step; end the search where none leads on."""
    weight = memory[M_reach_weight]
    weighted_error(options, memory, M_reach_pose, weight)
    for i in range(n):
        for r in range(6):
            row = weight if r < 3 else options[O_ik_rotation_weight]
            memory[M_reach_columns + 6 * i + r] = row * memory[M_reach_jacobian + r * n + i]
        q, inset = memory[M_reach_q + i], options[O_joint_position_margin] + INSET
        # Inside the inset it may stay, or leave it.
        low = min(0.0, options[O_lower + i] + inset - q)
        high = max(0.0, options[O_upper + i] - inset - q)
        memory[M_room_lower + i] = max(low, -LONGEST_STEP)
        memory[M_room_upper + i] = min(high, LONGEST_STEP)
    damping = math.sqrt(memory[M_reach_damping])
    passes = solve_boxed(
        memory,
        n,
        M_reach_columns,
        M_error,
        M_reach_active,
        M_step,
        damping,
        False,
        0.0,
    )
    memory[M_reach_steps] += 1.0
    largest = 0.0
    for i in range(n):
        memory[M_trial_q + i] = memory[M_reach_q + i] + memory[M_step + i]
        largest = max(largest, abs(memory[M_step + i]))
    error = math.inf
    if passes >= 0:
        solve_chain(chain, memory, n, M_trial_q, M_trial_pose, M_trial_jacobian)
        error = weighted_error(options, memory, M_trial_pose, weight)
    if error < memory[M_reach_error]:
        memory[M_reach_error] = error
        copy(memory, M_trial_q, M_reach_q, n)
        copy(memory, M_trial_pose, M_reach_pose, 16)
        copy(memory, M_trial_jacobian, M_reach_jacobian, 6 * n)
        memory[M_reach_damping] = max(EASED * memory[M_reach_damping], LEAST_DAMPING)
    else:
        memory[M_reach_damping] *= RAISED
    judge(options, memory, n, largest)


@kernel
def judge(options: Array, memory: Array, n: int, largest: float) -> None:
    """End the search at the target, or where it leads no further."""
    if memory[M_reach_error] <= WITHIN:
        memory[M_beyond], memory[M_sought], memory[M_found] = 0.0, 1.0, 1.0
        memory[M_least_left], memory[M_standstill] = math.inf, 0.0
        return
    ended = largest < LAST_STEP or memory[M_reach_steps] >= MOST_STEPS
    ended = ended or memory[M_reach_damping] > MOST_DAMPING
    if memory[M_reach_steps] % SEVERAL == 0.0:
        ended = ended or memory[M_reach_mark] - memory[M_reach_error] < LEAST_GAIN
        memory[M_reach_mark] = memory[M_reach_error]
    if not ended:
        return
    held = False
    for i in range(n):
        held = held or memory[M_reach_active + i] != 0.0
    if held and memory[M_reach_weight] == 1.0:
        memory[M_reach_weight] = POSITION_WEIGHT
        memory[M_reach_error] = weighted_error(options, memory, M_reach_pose, POSITION_WEIGHT)
        memory[M_reach_damping] = FIRST_DAMPING
        memory[M_reach_steps] = 0.0
        memory[M_reach_mark] = math.inf
        return
    go_beyond(memory)


@kernel
def weighted_error(options: Array, memory: Array, pose: int, weight: float) -> float:
    """Write the target's weighted error at a pose and return its norm, m."""
    place(memory, pose, M_out)
    turn = relative_log(memory, M_target_rotation, memory, M_out + 3)
    square = 0.0
    for r in range(3):
        memory[M_error + r] = weight * (memory[M_target + r] - memory[M_out + r])
        square += memory[M_error + r] ** 2
    for r in range(3):
        memory[M_error + 3 + r] = options[O_ik_rotation_weight] * turn[r]
        square += memory[M_error + 3 + r] ** 2
    return math.sqrt(square)
