"""Poses and placements in the controller's memory.

A pose is a row-major 4x4 matrix, as the chain kernels write it; a placement is a position and a
rotation by rows, 12 numbers.
"""

from kinegraph.kinematics.chain_kernels import chain_pose_jacobian
from kinegraph.kinematics.jit import kernel
from kinegraph.robot.control.rotation_kernels import nearest_rotation
from kinegraph.scene.array_types import Array


@kernel
def solve_chain(chain: Array, memory: Array, n: int, q: int, pose: int, jacobian: int) -> None:
    """Write pose and Jacobian (6 x n by rows) of the n joint values at `q` into the memory."""
    # The one place with views: the chain's kernel takes shaped arrays.
    chain_pose_jacobian(
        chain,
        memory[q : q + n],
        memory[pose : pose + 16].reshape((4, 4)),
        memory[jacobian : jacobian + 6 * n].reshape((6, n)),
    )


@kernel
def place(memory: Array, pose: int, placement: int) -> None:
    """Write the placement of a pose."""
    for r in range(3):
        memory[placement + r] = memory[pose + 4 * r + 3]
        for c in range(3):
            memory[placement + 3 + 3 * r + c] = memory[pose + 4 * r + c]


@kernel
def place_measured(state: Array, at: int, memory: Array, placement: int) -> bool:
    """Write the placement of a column-major pose that came over the wire; False if it is none.

    The wire may be float32: the rotation is the one nearest to what arrived.
    """
    for r in range(3):
        memory[placement + r] = state[at + 12 + r]
        for c in range(3):
            memory[placement + 3 + 3 * r + c] = state[at + 4 * c + r]
    return nearest_rotation(memory, placement + 3)


@kernel
def copy(memory: Array, source: int, target: int, count: int) -> None:
    """Copy `count` numbers within the memory."""
    for i in range(count):
        memory[target + i] = memory[source + i]
