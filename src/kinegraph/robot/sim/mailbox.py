"""How Python's threads ask the robot's loop for something."""

import os
import threading
import time
from collections.abc import Sequence

import numpy as np

from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.sim.float_layout import X_request
from kinegraph.robot.sim.int_layout import (
    N_request_args,
    N_request_done,
    N_request_kind,
    N_request_number,
    N_request_status,
)
from kinegraph.robot.sim.memory import SimMemory
from kinegraph.scene.array_types import Array

__all__ = ["Mailbox"]

# The loop answers once per millisecond; a machine that stalls may take much longer.
ANSWER_LIMIT_S = 10.0
POLL_S = 0.0002


class Mailbox:
    """One request at a time to the robot: answered by the loop, or at once while none runs.

    Args:
        memory: The robot's memory.
    """

    def __init__(self, memory: SimMemory) -> None:
        self._memory = memory
        self.lock = threading.RLock()
        self.loop_runs = False
        self._process = 0

    def begin(self) -> None:
        """Leave the answers to the loop of this process from now on."""
        self._process, self.loop_runs = os.getpid(), True

    def ask(
        self, kind: int, numbers: "Array | Sequence[float]" = (), flags: Sequence[int] = ()
    ) -> int:
        """Post a request and return how it ended, a status of `codes_layout`.

        Raises:
            InvalidOperationError: The loop does not answer, or runs in another process.
        """
        with self.lock:
            memory = self._memory
            values = np.asarray(numbers, np.float64)
            memory.x[X_request : X_request + values.size] = values
            memory.n[N_request_args : N_request_args + len(flags)] = flags
            memory.n[N_request_kind] = kind
            number = int(memory.n[N_request_number]) + 1
            if self.loop_runs and os.getpid() != self._process:
                raise InvalidOperationError(
                    f"this simulated robot runs in process {self._process}; a forked process needs "
                    "its own"
                )
            if not self.loop_runs:
                self._answer_here(number)
            else:
                self._await_loop(number)
            return int(memory.n[N_request_status])

    def _answer_here(self, number: int) -> None:
        from kinegraph.robot.sim.serve_kernels import serve

        self._memory.n[N_request_number] = number
        serve(self._memory.x, self._memory.n, self._memory.datagram, 0)

    def _await_loop(self, number: int) -> None:
        from kinegraph.robot.loop.atomic_kernels import atomic_load, atomic_store

        atomic_store(self._memory.n, N_request_number, number)
        end = time.monotonic() + ANSWER_LIMIT_S
        while atomic_load(self._memory.n, N_request_done) != number:
            if time.monotonic() > end or not self.loop_runs:
                raise InvalidOperationError("the simulated robot's loop does not answer")
            time.sleep(POLL_S)
