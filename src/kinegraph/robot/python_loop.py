"""A torque loop around an ordinary Python callback, in the thread that asks for it.

The loop thread stands aside meanwhile; receiving and sending are the same compiled code. A Python
callback needs the interpreter in every cycle, so another busy thread of the process can cost
commands: use a compiled callback where that matters.
"""

import threading
import time
from collections.abc import Callable

from kinegraph.robot.commands import Torques
from kinegraph.robot.errors import ControlError, FrankaError, InvalidArgumentError
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.cycle_kernels import (
    CYCLE,
    begin_cycle,
    begin_session,
    end_cycle,
    end_session,
)
from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_END,
    B_PERIOD_MS,
    B_SLICE_NS,
    B_STOP,
    END_REQUESTED,
    LoopMemory,
    rehearsal,
)
from kinegraph.robot.session import TorqueSession
from kinegraph.robot.state import RobotState

__all__ = ["TorqueCallback", "run_torque_callback"]

TorqueCallback = Callable[[RobotState, float], Torques]

_SLICE_NS = 50_000_000  # so that Ctrl-C is seen while no state comes
_PARKED_S = 0.05


class ParkedLoop:
    """Stands in for a session on the loop thread while another thread runs the loop."""

    def __init__(self) -> None:
        self.code = 0
        self.driven = False
        self._over = threading.Event()

    def prepare(self, memory: LoopMemory) -> None:
        """Compile what the caller's loop needs."""
        scratch = rehearsal(memory)
        begin_session(scratch)
        begin_cycle(scratch)
        # A torque that is no number comes back before anything is sent.
        scratch.torques[:] = float("nan")
        end_cycle(scratch, 0)
        end_session(scratch, 0)

    def run(self, memory: LoopMemory) -> int:
        """Announce the session and wait until the caller's loop is over."""
        begin_session(memory)
        while not self._over.wait(_PARKED_S):
            if memory.block[B_END] and not self.driven:
                return END_REQUESTED  # the start failed, nobody will come
        return self.code

    def release(self, code: int) -> None:
        """Let the loop thread go on."""
        self.code = code
        self._over.set()

    def explain(self, fault: int) -> FrankaError:
        """Return the error of a fault; a Python callback raises instead."""
        return ControlError(f"the callback reports fault {fault}")


def run_torque_callback(
    link: RobotLink,
    callback: TorqueCallback,
    *,
    limit_rate: bool | None,
    cutoff_frequency: float,
) -> None:
    """Run a torque loop in the calling thread until the callback finishes it.

    Args:
        link: The robot's connection and loop.
        callback: `(state, period_s) -> Torques`; the period is 0 in the first cycle.
        limit_rate: See `TorqueSession`.
        cutoff_frequency: See `TorqueSession`.

    Raises:
        InvalidArgumentError: The callback returns something else than finite torques.
        FrankaError: See `TorqueSession.start` and `TorqueSession.wait`.
    """
    parked = ParkedLoop()
    session = TorqueSession(link, parked, limit_rate=limit_rate, cutoff_frequency=cutoff_frequency)
    memory = link.loop.memory
    session.begin()
    parked.driven = True
    memory.block[B_SLICE_NS] = _SLICE_NS
    try:
        code = _cycles(link, session, memory, callback)
    except BaseException:
        parked.release(end_session(memory, END_REQUESTED))
        session.await_loop_end()  # else closing the robot would find it running and stop it again
        session.stop_robot(quiet=True)
        raise
    parked.release(end_session(memory, code))
    session.wait()
    if code == END_REQUESTED:
        raise session.preempted()


def _cycles(
    link: RobotLink, session: TorqueSession, memory: LoopMemory, callback: TorqueCallback
) -> int:
    """Run cycles until one ends the loop; returns the end code."""
    block = memory.block
    deadline = time.monotonic() + link.timeout_s
    answered = False
    while True:
        todo = begin_cycle(memory)
        if not answered:
            answered = session.poll_started()
        if todo < 0:
            return -todo
        if block[B_CYCLES] == 0 and time.monotonic() > deadline:
            raise session.never_shown() if answered else session.no_reply()
        if todo == CYCLE:
            todo = end_cycle(memory, _call(memory, callback))
            if todo < 0:
                return -todo


def _call(memory: LoopMemory, callback: TorqueCallback) -> int:
    """Let the callback fill the torques; returns 1 when they are the last ones."""
    block = memory.block
    torques = callback(RobotState.from_row(memory.state), float(block[B_PERIOD_MS]) * 1e-3)
    if not isinstance(torques, Torques):
        raise InvalidArgumentError(
            f"the callback returned {type(torques).__name__} instead of Torques"
        )
    memory.torques[:] = torques.tau_J
    return int(torques.motion_finished or block[B_STOP] != 0)
