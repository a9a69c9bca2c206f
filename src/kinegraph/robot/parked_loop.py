"""What runs on the loop thread while another thread receives and sends."""

import threading
import time

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
_AWAY_S = 0.02


class ParkedLoop:
    """Stands in for a session on the loop thread while another thread runs the loop.

    Args:
        receives: Whether states are received here while the other thread is away for long.

    Attributes:
        code: End code.
        driving: Held by the other thread while it works on the loop's memory.
        in_demand: Whether the other thread waits for its turn.
    """

    def __init__(self, *, receives: bool = False) -> None:
        self.code = 0
        self.driving = threading.Lock()
        self.in_demand = False
        self._receives = receives
        self._used_at = 0.0
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
        self._used_at = time.monotonic()
        while not self._over.wait(_AWAY_S if self._receives else _PARKED_S):
            if memory.block[B_END] and self.driving.acquire(blocking=False):
                # Nobody is at it, and the session is to end: it did not start, or was cancelled.
                if not self.is_over:
                    self.release(END_REQUESTED)
                self.driving.release()
            elif self._receives and time.monotonic() - self._used_at > _AWAY_S:
                self._receive(memory)
        return self.code

    def _receive(self, memory: LoopMemory) -> None:
        """Keep the newest state new until the other thread comes back or the motion ends."""
        if not self.driving.acquire(blocking=False):
            return
        begin_cycle, _ = cycle_calls(memory)
        try:
            while not (self.in_demand or self.is_over):
                todo = begin_cycle(memory)
                if todo < 0:
                    self.release(end_session(memory, -todo))
        finally:
            self.driving.release()

    def take_turn(self, timeout_s: float) -> bool:
        """Take the lock for the other thread; returns whether it could be had in time."""
        self.in_demand = True
        try:
            return self.driving.acquire(timeout=timeout_s)
        finally:
            self.in_demand = False

    def end_turn(self) -> None:
        """Give the lock back."""
        self._used_at = time.monotonic()
        self.driving.release()

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
