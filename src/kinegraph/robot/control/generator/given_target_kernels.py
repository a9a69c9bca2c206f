"""What targets of poses and of joints have in common: when they are new, and how long they move.

A target stands in the memory as it was given: the numbers of its place, those of its velocity, and
for how long it goes on with that, s.
"""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.memory_layout import (
    M_cycle,
    M_deviated,
    M_given,
    M_given_age,
    M_moving,
)
from kinegraph.robot.control.pose_kernels import copy
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.scene.array_types import Array


@kernel
def takes_anchor(memory: Array, strayed: bool) -> bool:
    """Tell whether the anchor is the target now: in the first cycle, and when the arm strays."""
    if memory[M_cycle] != 0.0 and not (strayed and memory[M_deviated] == 0.0):
        return False
    memory[M_deviated] = 1.0 if strayed else 0.0
    return True


@kernel
def give_resting(memory: Array, at: int, place: int, size: int) -> None:
    """Count the place at `at` as given, at rest.

    Args:
        memory: The session's.
        at: Where the place stands in it.
        place: Its numbers.
        size: Numbers of a target.
    """
    copy(memory, at, M_given, place)
    for i in range(place, size):
        memory[M_given + i] = 0.0
    memory[M_moving] = 0.0


@kernel
def take_given(memory: Array, target: Array, size: int) -> bool:
    """Take the first `size` numbers of a target over; tell whether they are others than before."""
    fresh = False
    for i in range(size):
        fresh = fresh or memory[M_given + i] != target[i]
        memory[M_given + i] = target[i]
    if fresh:
        memory[M_given_age] = 0.0
    return fresh


@kernel
def goes_on(memory: Array, place: int, size: int) -> bool:
    """Tell whether the time of the given target is not over; note whether it moves."""
    memory[M_moving] = 0.0
    if not memory[M_given + size - 1] > (memory[M_given_age] + 0.5) * CYCLE_TIME:
        return False
    for i in range(place, size - 1):
        if memory[M_given + i] != 0.0:
            memory[M_moving] = 1.0
    return True
