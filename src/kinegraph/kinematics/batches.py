"""Running the batch kernels over slices, in two threads when it pays."""

import os
from collections.abc import Callable
from threading import Thread

import numpy as np

from kinegraph.kinematics.batch_layout import BLOCK, ROWS
from kinegraph.kinematics.chain_layout import STEP_COUNT
from kinegraph.kinematics.compiled import kernels
from kinegraph.kinematics.rows import pieces
from kinegraph.scene.array_types import Array

__all__ = ["chain_jacobians", "chain_poses", "run_batch"]

# Starting a thread costs about as much as this many configurations.
WORTH_A_THREAD = 4096

# Bytes of a cache line.
LINE = 64

# Configurations whose poses are held at a time where a Jacobian's frame is changed.
CHUNK = 512


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


def work_array() -> Array:
    """Return (ROWS * BLOCK,) numbers for a thread's batch kernel, as in a used block.

    They begin at a cache line: vectors that lie across two lines would cost a fifth of a batch.
    """
    spare = LINE // 8
    work = np.zeros(ROWS * BLOCK + spare)
    start = -(work.ctypes.data // 8) % spare
    return work[start : start + ROWS * BLOCK]


def chain_poses(chain: Array, q: Array, poses: Array) -> bool:
    """Write the poses of a chain's tip, (N, 4, 4), for q (N, n) of any kind and layout.

    Returns:
        False if a value is not finite; some poses are written then, perhaps.
    """
    failures: list[int] = []

    def some(first: int, end: int) -> None:
        work = work_array()
        for start, part in pieces(q, first, end):
            results = poses[start : start + len(part)]
            if kernels.batch_poses(chain, part.reshape(-1), work, results) >= 0:
                failures.append(start)
                return

    run_batch(some, len(q))
    return not failures


def chain_jacobians(chain: Array, q: Array, jacobians: Array, frame: str) -> bool:
    """Write the Jacobians of a chain's tip, (N, 6, n), for q (N, n) of any kind and layout.

    They are in base axes at the tip's origin, changed to "body" or "spatial" if `frame` says so.

    Returns:
        False if a value is not finite; some Jacobians are written then, perhaps.
    """
    steps = int(chain[STEP_COUNT])
    failures: list[int] = []

    def some(first: int, end: int) -> None:
        work, axes = work_array(), np.empty((6 * steps, BLOCK))
        for start, part in pieces(q, first, end):
            results = jacobians[start : start + len(part)]
            if kernels.batch_jacobians(chain, part.reshape(-1), work, axes, results) >= 0:
                failures.append(start)
                return
            if frame != "base":
                change_frame(chain, part, results, frame)

    run_batch(some, len(q))
    return not failures


def change_frame(chain: Array, q: Array, jacobians: Array, frame: str) -> None:
    """Change Jacobians (N, 6, n) from base axes at the tip to "body" or "spatial", in place."""
    poses, work = np.empty((min(CHUNK, len(q)), 4, 4)), work_array()
    for first in range(0, len(q), CHUNK):
        part = jacobians[first : first + CHUNK]
        some = poses[: len(part)]
        kernels.batch_poses(chain, q[first : first + CHUNK].reshape(-1), work, some)
        linear, angular = part[:, :3], part[:, 3:]
        if frame == "body":
            inverse = some[:, :3, :3].transpose(0, 2, 1)
            linear[:] = inverse @ linear
            angular[:] = inverse @ angular
        else:
            p = some[:, :3, 3]
            linear += np.cross(p[:, :, np.newaxis], angular, axis=1)
