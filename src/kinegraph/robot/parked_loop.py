"""What runs on the loop thread while another thread receives and sends."""

import threading

from kinegraph.robot.errors import ControlError, FrankaError
from kinegraph.robot.loop.cycle_kernels import begin_session, end_session
from kinegraph.robot.loop.driving import cycle_calls
from kinegraph.robot.loop.loop_layout import (
    B_END,
    B_TORQUES,
    BOTH_HALVES,
    END_REQUESTED,
    LoopMemory,
    rehearsal,
)

__all__ = ["SLICE_NS", "ParkedLoop"]

SLICE_NS = 50_000_000
"""Longest wait inside one receive, so that Ctrl-C is seen while no state comes."""
_PARKED_S = 0.05


class ParkedLoop:
    """Stands in for a session on the loop thread while another thread runs the loop.

    Attributes:
        code: End code.
        driving: Held by the other thread while it works on the loop's memory.
    """

    def __init__(self) -> None:
        self.code = 0
        self.driving = threading.Lock()
        self._over = threading.Event()

    def prepare(self, memory: LoopMemory) -> None:
        """Compile what the caller's loop needs."""
        scratch = rehearsal(memory)
        scratch.block[B_TORQUES] = 1
        begin_session(scratch)
        begin_cycle, end_cycle = cycle_calls(scratch)
        begin_cycle(scratch)
        # Numbers that are none come back before anything is sent.
        scratch.torques[:] = scratch.motion[:] = float("nan")
        end_cycle(scratch, 0, BOTH_HALVES)
        end_session(scratch, 0)

    def run(self, memory: LoopMemory) -> int:
        """Announce the session and wait until the caller's loop is over."""
        begin_session(memory)
        while not self._over.wait(_PARKED_S):
            if memory.block[B_END] and self.driving.acquire(blocking=False):
                # Nobody is at it, and the session is to end: it did not start, or was cancelled.
                if not self.is_over:
                    self.release(END_REQUESTED)
                self.driving.release()
        return self.code

    def release(self, code: int) -> None:
        """Let the loop thread go on."""
        self.code = code
        self._over.set()

    @property
    def is_over(self) -> bool:
        """Whether the loop has come to its end."""
        return self._over.is_set()

    def explain(self, fault: int) -> FrankaError:
        """Return the error of a fault; a Python callback raises instead."""
        return ControlError(f"the callback reports fault {fault}")
