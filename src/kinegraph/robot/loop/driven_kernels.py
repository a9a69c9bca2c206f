"""The end of a cycle for a loop whose commands come from the interpreter."""

from kinegraph.kinematics.jit import short_kernel
from kinegraph.robot.loop.cycle_kernels import end_cycle
from kinegraph.robot.loop.loop_layout import LoopMemory

__all__ = ["end_driven_cycle"]


@short_kernel
def end_driven_cycle(memory: LoopMemory, finished: int, given: int) -> int:
    """Do what `end_cycle` does without letting the GIL go: nothing in it waits.

    A thread that lets it go may get it back only after the interpreter's switch interval, when the
    next state has long come.
    """
    return end_cycle(memory, finished, given)
