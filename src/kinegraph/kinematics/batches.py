"""Running the batch kernels over slices, in two threads when it pays."""

import os
from collections.abc import Callable
from threading import Thread

import numpy as np

from kinegraph.kinematics.batch_layout import BLOCK, ROWS
from kinegraph.kinematics.chain_layout import COLUMN, STEP_COUNT, STEP_SIZE, STEPS
from kinegraph.kinematics.compiled import kernels
from kinegraph.scene.array_types import Array

__all__ = ["chain_jacobians", "chain_poses", "change_frame", "run_batch"]

# Starting a thread costs about as much as this many configurations.
WORTH_A_THREAD = 4096

# Configurations whose poses are held at a time where a Jacobian's frame is changed.
CHUNK = 2048


def run_batch(some: Callable[[int, int], None], count: int) -> None:
    """Call `some(first, end)` for all of `count`; the kernels in it release the GIL."""
    if count < WORTH_A_THREAD or processors() < 2:
        some(0, count)
        return
    middle = count // 2 // BLOCK * BLOCK
    failures: list[BaseException] = []

    def second() -> None:
        try:
            some(middle, count)
        except BaseException as error:  # handed to the caller's thread
            failures.append(error)

    helper = Thread(target=second, name="kinegraph-batch")
    helper.start()
    try:
        some(0, middle)
    finally:
        helper.join()
    if failures:
        raise failures[0]


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def chain_poses(chain: Array, q: Array, poses: Array) -> None:
    """Write the poses of a chain's tip, (N, 4, 4), for q (N, n)."""

    def some(first: int, end: int) -> None:
        kernels.batch_poses(chain, q[first:end], np.empty(ROWS * BLOCK), poses[first:end])

    run_batch(some, len(q))


def chain_jacobians(chain: Array, q: Array, jacobians: Array) -> None:
    """Write the Jacobians of a chain's tip, (N, 6, n), for q (N, n)."""
    steps = int(chain[STEP_COUNT])
    used = {int(chain[STEPS + STEP_SIZE * i + COLUMN]) for i in range(steps)}
    others = [column for column in range(jacobians.shape[2]) if column not in used]

    def some(first: int, end: int) -> None:
        part = jacobians[first:end]
        if others:
            part[:, :, others] = 0.0
        f, axes = np.empty(ROWS * BLOCK), np.empty((6 * steps, BLOCK))
        kernels.batch_jacobians(chain, q[first:end], f, axes, part)

    run_batch(some, len(q))


def change_frame(chain: Array, q: Array, jacobians: Array, frame: str) -> None:
    """Change Jacobians (N, 6, n) from base axes at the tip to "body" or "spatial", in place."""
    poses = np.empty((min(CHUNK, len(q)), 4, 4))
    for first in range(0, len(q), CHUNK):
        part = jacobians[first : first + CHUNK]
        some = poses[: len(part)]
        kernels.batch_poses(chain, q[first : first + CHUNK], np.empty(ROWS * BLOCK), some)
        linear, angular = part[:, :3], part[:, 3:]
        if frame == "body":
            inverse = some[:, :3, :3].transpose(0, 2, 1)
            linear[:] = inverse @ linear
            angular[:] = inverse @ angular
        else:
            p = some[:, :3, 3]
            linear += np.cross(p[:, :, np.newaxis], angular, axis=1)
