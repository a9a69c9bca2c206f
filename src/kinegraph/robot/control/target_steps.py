"""What waiting for a target and following a chunk do, a step at a time.

Each is a generator that yields how long to sleep, s, and returns how it ended: true or false, or
None when the session has ended. `run` and `run_async` are its two drivers.
"""

import asyncio
import time
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.control.rotation import checked_pose, quaternion_xyzw
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.scene.array_types import Array, VectorLike
from kinegraph.scene.pose import TransformLike

if TYPE_CHECKING:
    from kinegraph.robot.control.target_handle import TargetHandle

__all__ = [
    "PosesLike",
    "RowsLike",
    "Steps",
    "checked_rows",
    "following",
    "landing",
    "run",
    "run_async",
]

POLL_S = 0.002
FINE_POLL_S = 0.001
ROUNDING = 1e-6

PosesLike: TypeAlias = NDArray[np.floating | np.integer] | Sequence[TransformLike | VectorLike]
"""Poses or positions, one a row."""

RowsLike: TypeAlias = NDArray[np.floating | np.integer] | Sequence[VectorLike]
"""Vectors, one a row."""

Steps: TypeAlias = Generator[float, None, bool | None]


def run(steps: Steps, ended: Callable[[], None]) -> bool:
    """Run the steps in this thread; call `ended` if the session has ended."""
    while True:
        try:
            pause = next(steps)
        except StopIteration as stop:
            how: bool | None = stop.value
            break
        time.sleep(pause)
    if how is None:
        ended()
    return bool(how)


async def run_async(steps: Steps, ended: Callable[[], None]) -> bool:
    """Run the steps in the event loop, which goes on between them."""
    while True:
        try:
            pause = next(steps)
        except StopIteration as stop:
            how: bool | None = stop.value
            break
        await asyncio.sleep(pause)
    if how is None:
        await asyncio.to_thread(ended)  # waits for the robot's reply
    return bool(how)


def landing(
    targets: "TargetHandle", tolerance: float, timeout_s: float, ticket: int | None = None
) -> Steps:
    """Wait until the arm is at the newest target; with a ticket, only as long as that is its own.

    Returns:
        Whether it got there before the time was up and before another target was set.
    """
    end = targets.clock() + timeout_s
    while targets.clock() < end:
        if ticket is not None and not targets.is_newest(ticket):
            return False
        if not targets.is_running:
            return None
        if targets.at_rest() and targets.missing() <= tolerance:
            # Of a newer target, maybe, that was set meanwhile.
            return ticket is None or targets.is_newest(ticket)
        yield targets.take_time(POLL_S)
    return False if targets.is_running else None


def following(targets: "TargetHandle", rows: Array, dt: float) -> Steps:
    """Set each row at its time, the first at once; end one `dt` after the last.

    Returns:
        Whether every row's time came before another target was set or the session was stopped.
    """
    count, at, begun = len(rows), 0, targets.robot_time()
    ticket: int | None = targets.put(rows[0])
    while ticket is not None and not targets.is_stopping and targets.is_newest(ticket):
        if not targets.is_running:
            return None
        elapsed = targets.robot_time() - begun
        passed = min(elapsed / dt + ROUNDING, float(count))
        due = min(int(passed), count - 1)
        if due > at:
            row = targets.brought_forward(rows[due], elapsed - due * dt)
            at, ticket = due, targets.put_after(ticket, row)
        elif int(passed) >= count:
            return True
        else:
            yield targets.take_time(min(max((at + 1) * dt - elapsed, 0.0), FINE_POLL_S))
    return False


def checked_rows(name: str, poses: object, orientation: Array) -> Array:
    """Return targets (n, 7) of a chunk, each with position, m, and quaternion x, y, z, w.

    Args:
        name: How error messages call it.
        poses: (n, 4, 4) poses, rigid within 1e-3, (n, 3) positions, m, or a sequence of either.
        orientation: (4,) quaternion for positions.

    Raises:
        InvalidArgumentError: It is neither, is empty or not finite. Also a `ValueError`.
    """
    if isinstance(poses, list | tuple):
        # One by one: an array of masked arrays would no longer be masked.
        poses = [as_numbers(name, getattr(pose, "homogeneous", pose)) for pose in poses]
    array = as_numbers(name, poses)
    if array.shape[1:] not in ((3,), (4, 4)) or len(array) == 0:
        raise InvalidArgumentError(
            f"{name}: shape {array.shape}, expected (n, 4, 4) poses or (n, 3) positions, n > 0",
            field=name,
        )
    flat = array.reshape(len(array), -1)
    bad = np.flatnonzero(~np.isfinite(flat).all(axis=1))
    if bad.size:
        raise InvalidArgumentError(
            f"{name}: row {bad[0]} is not finite: {flat[bad[0]].tolist()}", field=name
        )
    out = np.empty((len(array), 7))
    out[:, 3:] = orientation
    if array.ndim == 2:
        out[:, :3] = array
        return out
    for i, pose in enumerate(array):
        try:
            rigid = checked_pose(pose)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(f"{name}: row {i}: {error}", field=name) from None
        out[i, :3], out[i, 3:] = rigid[:3, 3], quaternion_xyzw(rigid[:3, :3])
    return out
