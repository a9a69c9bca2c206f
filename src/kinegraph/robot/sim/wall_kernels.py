"""Virtual walls of version 5: cuboids that the end effector must not enter."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.sim.float_layout import (
    X_ee,
    X_request,
    X_walls,
)
from kinegraph.robot.sim.frame_kernels import copy_numbers
from kinegraph.robot.sim.int_layout import (
    N_request_args,
    N_wall_active,
    N_wall_count,
    N_wall_id,
    N_wall_inside,
)
from kinegraph.scene.array_types import Array, IntArray

__all__ = ["enters_a_wall", "set_wall"]

# A wall: the corner opposite to the origin of its frame, and the frame.
WALL_SIZE = 19


@kernel
def is_inside(x: Array, wall: int) -> bool:
    """Whether the origin of the end effector lies in the cuboid at `x[wall]`."""
    p, frame = X_ee + 12, wall + 3
    for axis in range(3):
        along = 0.0
        for r in range(3):
            along += x[frame + 4 * axis + r] * (x[p + r] - x[frame + 12 + r])
        corner = x[wall + axis]
        if not min(0.0, corner) <= along <= max(0.0, corner):
            return False
    return True


@kernel
def set_wall(x: Array, n: IntArray) -> None:
    """Put the wall of the request into its slot; one around the end effector lets it leave."""
    slot = n[N_request_args]
    wall = X_walls + WALL_SIZE * slot
    copy_numbers(x, X_request, x, wall, WALL_SIZE)
    n[N_wall_id + slot], n[N_wall_active + slot] = n[N_request_args + 1], n[N_request_args + 2]
    n[N_wall_inside + slot] = 1 if is_inside(x, wall) else 0
    n[N_wall_count] = max(n[N_wall_count], slot + 1)


@kernel
def enters_a_wall(x: Array, n: IntArray) -> bool:
    """Whether the end effector has come into an active wall in this millisecond."""
    entered = False
    for slot in range(n[N_wall_count]):
        inside = is_inside(x, X_walls + WALL_SIZE * slot)
        if inside and n[N_wall_inside + slot] == 0 and n[N_wall_active + slot] == 1:
            entered = True
        n[N_wall_inside + slot] = 1 if inside else 0
    return entered
