"""Our own client on a robot of others: the same motions as the scripts of `foreign` do.

The callbacks are compiled: they need the interpreter as little as libfranka's loop does.
"""

import functools
from pathlib import Path
from typing import Any

import numba
import numpy as np
from landings import STEP

from kinegraph.robot import ControllerMode, Robot, RobotState, read_run
from kinegraph.robot.wire import state_layout as layout
from kinegraph.scene.array_types import Array

__all__ = ["KINDS", "PATH_M", "STIFFNESS", "callback", "drive", "shown", "success_rate"]

PATH_M, MOVE_S, ALL_S, SETTLED = 0.03, 1.0, 1.3, 100
# Springs of a torque loop, Nm/rad and Nms/rad, as the others have them.
STIFFNESS = np.array([600.0, 600.0, 600.0, 600.0, 250.0, 150.0, 100.0])
DAMPING = np.array([50.0, 50.0, 50.0, 20.0, 10.0, 10.0, 5.0])
KINDS = ("JointPositions", "JointVelocities", "CartesianPose", "CartesianVelocities", "Torques")
CARTESIAN_POSE, CARTESIAN_VELOCITIES = 2, 3
# What a callback remembers.
M_TIME, M_BEGUN, M_BEGIN = 0, 1, 2
# As libfranka's own loop, which takes 99: a fair pair.
PRIORITY = 80
S_q, S_dq, S_q_d, S_pose = layout.S_q, layout.S_dq, layout.S_q_d, layout.S_O_T_EE_c


@functools.cache
def callback(kind: str, sign: float) -> Any:
    """Build a compiled callback that goes a smooth way and then says that it has finished.

    Args:
        kind: One of `KINDS`.
        sign: 1 to go there, -1 to come back.
    """
    number, end_s = KINDS.index(kind), 2.0 if kind == "Torques" else ALL_S
    source = {"CartesianPose": S_pose, "Torques": S_q}.get(kind, S_q_d)

    @numba.njit
    def step(state: Array, period_s: float, out: Array, memory: Array) -> int:
        if memory[M_BEGUN] == 0.0:
            memory[M_BEGUN] = 1.0
            for i in range(16):
                memory[M_BEGIN + i] = state[source + i]
        memory[M_TIME] += period_s
        x = min(memory[M_TIME] / MOVE_S, 1.0)
        way = sign * x * x * x * (10.0 + x * (6.0 * x - 15.0))
        speed = sign * 30.0 * x * x * (1.0 - x) * (1.0 - x) / MOVE_S
        if number == CARTESIAN_POSE:
            for i in range(16):
                out[i] = memory[M_BEGIN + i]
            out[12] += PATH_M * way
        elif number == CARTESIAN_VELOCITIES:
            out[0] = PATH_M * speed
        else:
            for i in range(7):
                goal = memory[M_BEGIN + i] + STEP[i] * way
                spring = STIFFNESS[i] * (goal - state[S_q + i]) - DAMPING[i] * state[S_dq + i]
                out[i] = (goal, STEP[i] * speed, 0.0, 0.0, spring)[number]
        return 1 if memory[M_TIME] >= end_s else 0

    return step


def drive(host: str, kind: str, controller: ControllerMode, sign: float, log: Path) -> Any:
    """Do a motion, recorded in a file; returns what the scripts of the others say."""
    step = callback(kind, sign)
    with Robot(host, loop_priority=PRIORITY) as robot:
        begin = robot.read_once()
        with robot.record(log):
            if kind == "Torques":
                robot.control_torques(step)
            elif kind == "JointPositions":
                robot.control_joint_positions(step, controller_mode=controller)
            elif kind == "JointVelocities":
                robot.control_joint_velocities(step, controller_mode=controller)
            elif kind == "CartesianPose":
                robot.control_cartesian_pose(step, controller_mode=controller)
            else:
                robot.control_cartesian_velocities(step, controller_mode=controller)
        end = robot.read_once()
    return shown(begin, end) | {"rate": success_rate(log)}


def shown(begin: RobotState, end: RobotState) -> dict[str, Any]:
    """What the scripts of the others say of two states."""
    return {
        "begin": {"q": begin.q, "O_T_EE": np.ravel(begin.O_T_EE, order="F")},
        "end": {"q": end.q, "O_T_EE": np.ravel(end.O_T_EE, order="F")},
        "mode": end.robot_mode.name,
        "errors": list(end.last_motion_errors),
    }


def success_rate(log: Path) -> float:
    """Mean success rate that the robot reported once its window of 100 cycles was full."""
    rates = read_run(log).table("cycles")["control_command_success_rate"]
    return float(np.mean(rates[SETTLED:]))
