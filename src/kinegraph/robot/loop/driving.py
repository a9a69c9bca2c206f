"""What a loop needs whose commands come from the interpreter, in a thread of the program."""

import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, ClassVar

from kinegraph.kinematics.jit import entry_point
from kinegraph.robot.loop.cycle_kernels import begin_cycle
from kinegraph.robot.loop.driven_kernels import end_driven_cycle
from kinegraph.robot.loop.loop_layout import LoopMemory

__all__ = ["BeginCycle", "EndCycle", "QuickSwitching", "cycle_calls"]

SWITCH_S = 1e-4

BeginCycle = Callable[[LoopMemory], int]
EndCycle = Callable[[LoopMemory, int, int], int]


def cycle_calls(memory: LoopMemory) -> tuple[BeginCycle, EndCycle]:
    """Return `begin_cycle` and `end_driven_cycle` as functions that do not look at the memory.

    Else finding out the types of its twenty arrays takes longer than the cycle itself.

    Args:
        memory: The loop's; what it holds may change, its types may not.
    """
    import numba

    begin: Any = begin_cycle
    if not hasattr(begin, "compile"):  # compilation is off
        return begin_cycle, end_driven_cycle
    typeof: Any = numba.typeof
    kind, whole = typeof(memory), numba.int64
    return (
        entry_point(begin_cycle, (kind,)),
        entry_point(end_driven_cycle, (kind, whole, whole)),
    )


class QuickSwitching:
    """Lets the interpreter change threads every 0.1 ms instead of 5, while a loop needs it.

    Otherwise a thread that computes would keep a state waiting for five cycles. The setting is the
    whole process's; the last loop that ends gives it back.
    """

    _lock: ClassVar[Any] = threading.RLock()  # a finalizer may come in between
    _loops: ClassVar[int] = 0
    _before_s: ClassVar[float] = 0.0

    def __init__(self) -> None:
        self._on = False

    def begin(self) -> "QuickSwitching":
        """Begin; once."""
        own = QuickSwitching
        with own._lock:
            if not self._on:
                if own._loops == 0:
                    own._before_s = sys.getswitchinterval()
                    sys.setswitchinterval(min(SWITCH_S, own._before_s))
                own._loops += 1
                self._on = True
        return self

    def end(self) -> None:
        """End; later calls do nothing."""
        own = QuickSwitching
        with own._lock:
            if self._on:
                self._on = False
                own._loops -= 1
                if own._loops == 0:
                    sys.setswitchinterval(own._before_s)

    def __enter__(self) -> "QuickSwitching":
        """Begin."""
        return self.begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""
        self.end()
