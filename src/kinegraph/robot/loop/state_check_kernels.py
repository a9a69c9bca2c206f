"""What a state must be before a command is computed from it."""

import math

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.loop_layout import (
    B_FAULT,
    B_MOTION,
    CONTROL_INPUT_RUNS,
    END_NO_POSE,
    END_NOT_FINITE,
    LoopMemory,
)
from kinegraph.robot.wire.state_layout import S_O_T_EE, S_O_T_EE_c
from kinegraph.scene.array_types import Array

__all__ = ["check_state"]

CARTESIAN = 3  # motions from here on refer to poses of the state
POSE_TOLERANCE = 1e-3  # a robot's binary32 is off by 1e-7


@kernel
def first_not_finite(state: Array) -> int:
    """Index of the first control input that is NaN or infinite, -1 if none is."""
    runs = CONTROL_INPUT_RUNS
    for run in range(runs.shape[0]):
        for i in range(runs[run, 0], runs[run, 0] + runs[run, 1]):
            if not math.isfinite(state[i]):
                return i
    return -1


@kernel
def is_pose(state: Array, at: int) -> bool:
    """Whether sixteen numbers are a pose: orthonormal columns, last row 0 0 0 1."""
    for j in range(3):
        if abs(state[at + 4 * j + 3]) > POSE_TOLERANCE:
            return False
        for k in range(j + 1):
            product = 0.0
            for i in range(3):
                product += state[at + 4 * j + i] * state[at + 4 * k + i]
            if abs(product - (1.0 if j == k else 0.0)) > POSE_TOLERANCE:
                return False
    fine: bool = abs(state[at + 15] - 1.0) <= POSE_TOLERANCE
    return fine


@kernel
def first_no_pose(state: Array) -> int:
    """Where the first pose that a Cartesian motion refers to starts if it is none, else -1."""
    if not is_pose(state, S_O_T_EE):
        return S_O_T_EE
    return -1 if is_pose(state, S_O_T_EE_c) else S_O_T_EE_c


@kernel
def check_state(memory: LoopMemory) -> int:
    """Refuse a state that no command may be computed from.

    Returns:
        0, or the negative end code; the fault is where the bad number or pose stands.
    """
    block = memory.block
    bad = first_not_finite(memory.state)
    if bad >= 0:
        block[B_FAULT] = bad
        return -END_NOT_FINITE
    if block[B_MOTION] >= CARTESIAN:
        bad = first_no_pose(memory.state)
        if bad >= 0:
            block[B_FAULT] = bad
            return -END_NO_POSE
    return 0
