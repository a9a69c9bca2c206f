"""One cycle of the differential inverse kinematics: from the desired placement to a joint goal.

The goal is the controller's own, it is neither measured nor ever clamped at the start. A pose that
is not finite keeps it and reports a NaN error.
"""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.ik.active_set_kernels import MAX_POSTURE_RATE, solve_boxed
from kinegraph.robot.control.ik.bounds_kernels import goal_box, limit_distance
from kinegraph.robot.control.ik.pull_kernels import set_pull
from kinegraph.robot.control.ik.stall_kernels import update_stall
from kinegraph.robot.control.memory_layout import (
    M_active,
    M_active_position,
    M_bias,
    M_blend_phase,
    M_box_lower,
    M_box_upper,
    M_columns,
    M_cut,
    M_desired,
    M_error,
    M_first_step,
    M_from,
    M_from_pose,
    M_goal,
    M_goal_jacobian,
    M_goal_pose,
    M_ik_blend,
    M_ik_error,
    M_ik_passes,
    M_ik_step,
    M_ik_step_clipped,
    M_out,
    M_pin_lower,
    M_pin_upper,
    M_pinned,
    M_posture,
    M_room_lower,
    M_room_upper,
    M_saved_active,
    M_saved_active_position,
    M_solve_clipped,
    M_solve_norm,
    M_speed_lower,
    M_speed_upper,
    M_stage_columns,
    M_stage_error,
    M_stalled,
    M_step,
)
from kinegraph.robot.control.options_layout import (
    O_ik_damping,
    O_ik_iterations,
    O_ik_nullspace_gain,
    O_ik_rotation_weight,
    O_ik_tolerance,
    O_joint_position_margin,
    O_lower,
    O_n,
    O_upper,
)
from kinegraph.robot.control.pose_kernels import copy, place, solve_chain
from kinegraph.robot.control.rotation_kernels import relative_log
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array

# The posture is faded in over this distance from the margin, and kept so far from it, rad.
POSTURE_DISTANCE = 0.3
# Cycles from the weighted task to position first.
PRIORITY_RAMP_CYCLES = 500
# Weight of the position rows at full priority.
TRANSLATION_PRIORITY = 30.0
# A step that leaves the velocity bounds by less is rounding.
CUT_TOLERANCE = 1e-9


@kernel
def step_goal(options: Array, chain: Array, memory: Array) -> None:
    """Carry the goal one cycle toward the desired placement, and note what held it."""
    n = int(options[O_n])
    copy(memory, M_goal, M_from, n)
    copy(memory, M_goal_pose, M_from_pose, 16)
    copy(memory, M_active, M_saved_active, n)
    copy(memory, M_active_position, M_saved_active_position, n)
    advance_blend(memory)
    goal_box(options, memory, M_goal)
    set_bias(options, memory, n)
    memory[M_ik_passes] = memory[M_ik_step] = memory[M_ik_step_clipped] = 0.0
    if iterate(options, chain, memory, n):
        cut_to_speed(chain, memory, n)
    else:
        refuse(chain, memory, n)
    set_task(options, memory, n)
    memory[M_ik_error] = norm_of_error(memory)
    for i in range(n):
        side = memory[M_active + i]
        pin = memory[M_pin_lower + i] if side < 0.0 else memory[M_pin_upper + i]
        memory[M_pinned + i] = side * pin
    update_stall(options, memory, n)


@kernel
def advance_blend(memory: Array) -> None:
    """Move the phase of the priority one cycle toward what the last cycle's stall asks for."""
    goal, step = memory[M_stalled], 1.0 / PRIORITY_RAMP_CYCLES
    phase = memory[M_blend_phase]
    if abs(goal - phase) <= step:
        phase = goal
    else:
        phase += step if goal > phase else -step
    memory[M_blend_phase] = phase
    memory[M_ik_blend] = phase * phase * (3.0 - 2.0 * phase)


@kernel
def set_bias(options: Array, memory: Array, n: int) -> None:
    """Write the joint steps that lead to the posture, faded out near the limits, rad per cycle."""
    margin = options[O_joint_position_margin]
    near = math.inf
    for i in range(n):
        q = memory[M_goal + i]
        near = min(near, limit_distance(options, i, q, False), limit_distance(options, i, q, True))
    fade = min(max((near - margin) / POSTURE_DISTANCE, 0.0), 1.0)
    rate = fade * options[O_ik_nullspace_gain] * CYCLE_TIME
    for i in range(n):
        lower = options[O_lower + i] + margin + POSTURE_DISTANCE
        upper = options[O_upper + i] - margin - POSTURE_DISTANCE
        if lower > upper:
            lower = upper = 0.5 * (options[O_lower + i] + options[O_upper + i])
        posture = min(max(memory[M_posture + i], lower), upper)
        memory[M_bias + i] = (posture - memory[M_goal + i]) * rate
    set_pull(memory, n)


@kernel
def set_task(options: Array, memory: Array, n: int) -> None:
    """Write the weighted Jacobian's columns and the weighted error at the goal."""
    weight = options[O_ik_rotation_weight]
    for i in range(n):
        for r in range(6):
            value = memory[M_goal_jacobian + r * n + i]
            memory[M_columns + 6 * i + r] = value if r < 3 else weight * value
    place(memory, M_goal_pose, M_out)
    turn = relative_log(memory, M_desired + 3, memory, M_out + 3)
    for r in range(3):
        memory[M_error + r] = memory[M_desired + r] - memory[M_out + r]
    memory[M_error + 3] = weight * turn[0]
    memory[M_error + 4] = weight * turn[1]
    memory[M_error + 5] = weight * turn[2]


@kernel
def norm_of_error(memory: Array) -> float:
    """Return the norm of the weighted error."""
    square = 0.0
    for r in range(6):
        square += memory[M_error + r] * memory[M_error + r]
    return math.sqrt(square)


@kernel
def iterate(options: Array, chain: Array, memory: Array, n: int) -> bool:
    """Iterate the goal toward the desired placement within its box; False if a solve fails."""
    for iteration in range(int(options[O_ik_iterations])):
        set_task(options, memory, n)
        if iteration > 0 and norm_of_error(memory) < options[O_ik_tolerance]:
            break
        for i in range(n):
            gone = memory[M_goal + i] - memory[M_from + i]
            memory[M_room_lower + i] = memory[M_box_lower + i] - gone
            memory[M_room_upper + i] = memory[M_box_upper + i] - gone
        if memory[M_ik_blend] > 0.0:
            done = solve_by_priority(options, memory, n, iteration == 0)
        else:
            done = note(memory, solve_task(options, memory, n, iteration == 0))
            copy(memory, M_active, M_active_position, n)
        if not done:
            return False
        for i in range(n):
            memory[M_goal + i] += memory[M_step + i]
        solve_chain(chain, memory, n, M_goal, M_goal_pose, M_goal_jacobian)
    return True


@kernel
def solve_task(options: Array, memory: Array, n: int, biased: bool) -> int:
    """Solve the whole weighted task."""
    cap = MAX_POSTURE_RATE * CYCLE_TIME
    damping = options[O_ik_damping]
    return solve_boxed(memory, n, M_columns, M_error, M_active, M_step, damping, biased, cap)


@kernel
def note(memory: Array, passes: int) -> bool:
    """Add a solve to the cycle's counts; False if it failed."""
    if passes < 0:
        return False
    memory[M_ik_passes] += passes
    if memory[M_solve_norm] > memory[M_ik_step]:
        memory[M_ik_step] = memory[M_solve_norm]
        memory[M_ik_step_clipped] = memory[M_solve_clipped]
    return True


@kernel
def solve_by_priority(options: Array, memory: Array, n: int, biased: bool) -> bool:
    """Solve the position first, as far as it is blended in, then the task with it held."""
    blend, damping = memory[M_ik_blend], options[O_ik_damping]
    for k in range(6 * n):
        memory[M_stage_columns + k] = memory[M_columns + k] if k % 6 < 3 else 0.0
    for r in range(6):
        memory[M_stage_error + r] = memory[M_error + r] if r < 3 else 0.0
    passes = solve_boxed(
        memory,
        n,
        M_stage_columns,
        M_stage_error,
        M_active_position,
        M_first_step,
        damping,
        False,
        0.0,
    )
    if not note(memory, passes):
        return False
    stage = TRANSLATION_PRIORITY**blend
    for i in range(n):
        memory[M_first_step + i] *= blend
        memory[M_room_lower + i] -= memory[M_first_step + i]
        memory[M_room_upper + i] -= memory[M_first_step + i]
        for r in range(6):
            memory[M_error + r] -= memory[M_columns + 6 * i + r] * memory[M_first_step + i]
    for r in range(3):
        memory[M_error + r] *= (1.0 - blend) * stage
        for i in range(n):
            memory[M_columns + 6 * i + r] *= stage
    if not note(memory, solve_task(options, memory, n, biased)):
        return False
    for i in range(n):
        memory[M_step + i] += memory[M_first_step + i]
    return True


@kernel
def cut_to_speed(chain: Array, memory: Array, n: int) -> None:
    """Scale the whole step of the cycle until no joint is over its velocity bound."""
    scale = 1.0
    for i in range(n):
        gone = memory[M_goal + i] - memory[M_from + i]
        if gone * scale > memory[M_speed_upper + i]:
            scale = memory[M_speed_upper + i] / gone
        elif gone * scale < memory[M_speed_lower + i]:
            scale = memory[M_speed_lower + i] / gone
    memory[M_cut] = 1.0
    if scale < 1.0 - CUT_TOLERANCE:
        memory[M_cut] = scale
        for i in range(n):
            gone = memory[M_goal + i] - memory[M_from + i]
            memory[M_goal + i] = memory[M_from + i] + scale * gone
        solve_chain(chain, memory, n, M_goal, M_goal_pose, M_goal_jacobian)


@kernel
def refuse(chain: Array, memory: Array, n: int) -> None:
    """Take the cycle's steps back after a solve that failed."""
    copy(memory, M_from, M_goal, n)
    copy(memory, M_saved_active, M_active, n)
    copy(memory, M_saved_active_position, M_active_position, n)
    memory[M_ik_passes] = memory[M_ik_step] = memory[M_ik_step_clipped] = 0.0
    memory[M_cut] = 1.0
    solve_chain(chain, memory, n, M_goal, M_goal_pose, M_goal_jacobian)
