"""The edge of a cycle: reading the state, anchoring, tool changes, and the deviation guard."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.ik.reach_layout import M_beyond, M_found, M_sought
from kinegraph.robot.control.memory_layout import (
    M_dq,
    M_goal,
    M_goal_jacobian,
    M_goal_pose,
    M_jacobian,
    M_load,
    M_measured,
    M_out,
    M_pose,
    M_posture,
    M_q,
    M_reference,
    M_robot_pose,
    M_robot_tool,
    M_start,
    M_started,
    M_turn,
)
from kinegraph.robot.control.options_layout import (
    O_has_posture,
    O_max_angular_deviation,
    O_max_deviation,
    O_posture,
)
from kinegraph.robot.control.pose_kernels import copy, place, place_measured, solve_chain
from kinegraph.robot.control.rotation_kernels import nearest_rotation, relative_log
from kinegraph.robot.control.walls.landing_kernels import not_blocked
from kinegraph.robot.control.walls.wall_kernels import clear_walls
from kinegraph.robot.wire.state_layout import (
    S_F_T_EE,
    S_O_T_EE,
    S_dq,
    S_F_x_Ctotal,
    S_I_total,
    S_m_total,
    S_q,
)
from kinegraph.scene.array_types import Array


@kernel
def read_joints(state: Array, memory: Array, n: int) -> int:
    """Copy joint positions, velocities and load of the cycle; -1 if one is not finite, else 0."""
    for i in range(n):
        memory[M_q + i] = state[S_q + i]
        memory[M_dq + i] = state[S_dq + i]
        if not math.isfinite(state[S_q + i]) or not math.isfinite(state[S_dq + i]):
            return -1
    memory[M_load] = state[S_m_total]
    for i in range(3):
        memory[M_load + 1 + i] = state[S_F_x_Ctotal + i]
    for i in range(9):
        memory[M_load + 4 + i] = state[S_I_total + i]
    for i in range(13):
        if not math.isfinite(memory[M_load + i]):
            return -1
    return 0


@kernel
def read_state(state: Array, memory: Array, n: int) -> int:
    """Copy the cycle's inputs; -1 if one is not finite, -2 if O_T_EE is no pose, else 0."""
    if read_joints(state, memory, n) < 0:
        return -1
    for i in range(16):
        if not math.isfinite(state[S_O_T_EE + i]):
            return -2
    return 0 if place_measured(state, S_O_T_EE, memory, M_robot_pose) else -2


@kernel
def anchor(options: Array, memory: Array, state: Array, n: int) -> None:
    """Start the session where the arm is: by the model's pose, not by the one reported."""
    memory[M_started] = 1.0
    copy(memory, M_robot_pose, M_start, 12)
    copy(memory, M_measured, M_reference, 12)
    copy(memory, M_q, M_goal, n)
    copy(memory, M_pose, M_goal_pose, 16)
    copy(memory, M_jacobian, M_goal_jacobian, 6 * n)
    for i in range(n):
        given = options[O_has_posture] != 0.0
        memory[M_posture + i] = options[O_posture + i] if given else memory[M_q + i]
    for i in range(16):
        memory[M_robot_tool + i] = state[S_F_T_EE + i]
    clear_walls(memory)
    not_blocked(memory)


@kernel
def move_start(memory: Array, state: Array) -> None:
    """Carry the guard's start pose over a change of F_T_EE, so that it does not see the tool.

    start := start F_old^-1 F_new
    """
    changed = False
    for i in range(16):
        changed = changed or memory[M_robot_tool + i] != state[S_F_T_EE + i]
    if not changed:
        return
    old = M_robot_tool
    # F_old^-1 F_new, one column after the other, moved by the start at once; columns 0-2 are the
    # axes of the new tool, column 3 its origin.
    for c in range(4):
        for r in range(3):
            value = 0.0
            for k in range(3):
                shift = memory[old + 12 + k] if c == 3 else 0.0
                value += memory[old + 4 * r + k] * (state[S_F_T_EE + 4 * c + k] - shift)
            memory[M_turn + r] = value
        for r in range(3):
            value = memory[M_start + r] if c == 3 else 0.0
            for k in range(3):
                value += memory[M_start + 3 + 3 * r + k] * memory[M_turn + k]
            memory[M_out + (r if c == 3 else 3 + 3 * r + c)] = value
    if nearest_rotation(memory, M_out + 3):
        copy(memory, M_out, M_start, 12)
    for i in range(16):
        memory[M_robot_tool + i] = state[S_F_T_EE + i]


@kernel
def change_tool(chain: Array, memory: Array, n: int) -> None:
    """Go on with another chain: from the goal's pose, not the arm's, and without walls."""
    solve_chain(chain, memory, n, M_goal, M_goal_pose, M_goal_jacobian)
    place(memory, M_goal_pose, M_reference)
    memory[M_beyond], memory[M_sought], memory[M_found] = 0.0, 1.0, 0.0
    clear_walls(memory)


@kernel
def has_strayed(options: Array, memory: Array) -> bool:
    """Tell whether the pose that the robot reports is further from the start than allowed."""
    square = 0.0
    for r in range(3):
        square += (memory[M_robot_pose + r] - memory[M_start + r]) ** 2
    x, y, z = relative_log(memory, M_robot_pose + 3, memory, M_start + 3)
    turn = math.sqrt(x * x + y * y + z * z)
    far = math.sqrt(square) > options[O_max_deviation]
    return bool(far or turn > options[O_max_angular_deviation])
