"""What a target session's loop does beside its controller: age of the target, states to observe."""

from kinegraph.kinematics.jit import kernel
from kinegraph.robot.loop.atomic_kernels import load
from kinegraph.robot.loop.loop_layout import (
    W_AGE,
    W_MAX_AGE,
    W_SEQUENCE,
    W_STALE,
    TargetMemory,
)
from kinegraph.robot.loop.ring_kernels import push
from kinegraph.scene.array_types import Array

__all__ = ["is_stale", "note_state"]

# The anchor is the first that is published; until a second one comes there is no target to age.
ANCHORED = 2


@kernel
def is_stale(extra: TargetMemory) -> bool:
    """Count this cycle; tell whether the newest target is older than it may be, now or before."""
    watch = extra.watch
    if watch[W_MAX_AGE] == 0:
        return False
    newest = load(extra.sequence, 0)
    if newest != watch[W_SEQUENCE] or newest <= ANCHORED:
        watch[W_SEQUENCE] = newest
        watch[W_AGE] = 0
    else:
        watch[W_AGE] += 1
        if watch[W_AGE] >= watch[W_MAX_AGE]:
            watch[W_STALE] = 1
    return bool(watch[W_STALE] != 0)


@kernel
def note_state(extra: TargetMemory, state: Array) -> None:
    """Append the state that is answered to the ring for observers, if there is one."""
    width = state.shape[0]
    if extra.observed.size >= width:
        push(extra.observed, extra.observed_head, width, state)
