"""A control loop around ordinary Python callbacks, in the thread that asks for it.

The loop thread stands aside meanwhile; receiving and sending are the same compiled code. A Python
callback needs the interpreter in every cycle, so another busy thread of the process can cost
commands: use a compiled callback where that matters.
"""

import time
from collections.abc import Callable
from typing import Any

from kinegraph.robot.command_base import Motion
from kinegraph.robot.commands import (
    CartesianPose,
    CartesianVelocities,
    JointPositions,
    JointVelocities,
    Torques,
)
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.cycle_kernels import CYCLE, end_session
from kinegraph.robot.loop.driving import QuickSwitching, cycle_calls
from kinegraph.robot.loop.loop_layout import (
    B_CYCLES,
    B_PERIOD_MS,
    B_SLICE_NS,
    B_STOP,
    B_VERSION,
    BOTH_HALVES,
    END_REQUESTED,
    HALF_MOTION,
    HALF_TORQUES,
    LoopMemory,
)
from kinegraph.robot.loop.send_path_kernels import rest
from kinegraph.robot.motion_mode import MotionKind
from kinegraph.robot.parked_loop import SLICE_NS, ParkedLoop
from kinegraph.robot.session import MotionSession
from kinegraph.robot.state import RobotState

__all__ = ["COMMAND_TYPES", "MotionCallback", "TorqueCallback", "run_callbacks"]

TorqueCallback = Callable[[RobotState, float], Torques]
MotionCallback = Callable[[RobotState, float], Motion]

COMMAND_TYPES: dict[int, type[Motion]] = {
    kind.KIND: kind
    for kind in (JointPositions, JointVelocities, CartesianPose, CartesianVelocities)
}
"""What a callback of each kind of motion returns."""


class _Callbacks:
    """One or two callbacks, asked in the order of the version.

    The second one is not asked in the cycle in which the first one finishes; what it gave in the
    cycle before is sent again.
    """

    def __init__(
        self,
        memory: LoopMemory,
        kind: MotionKind,
        motion: MotionCallback | None,
        torques: TorqueCallback | None,
    ) -> None:
        self._memory = memory
        self._kind = kind
        halves: list[tuple[int, Callable[[RobotState, float], Any]]] = []
        if torques is not None:
            halves.append((HALF_TORQUES, torques))
        if motion is not None:
            halves.append((HALF_MOTION, motion))
        if memory.block[B_VERSION] == 5:
            halves.reverse()
        self._halves = halves

    def call(self) -> tuple[int, int]:
        """Fill torques and motion; returns whether they are the last ones and what is new."""
        memory, block = self._memory, self._memory.block
        period_s = float(block[B_PERIOD_MS]) * 1e-3
        finished, given = int(block[B_STOP] != 0), 0
        for half, callback in self._halves:
            command = callback(RobotState.from_row(memory.state), period_s)
            self._fill(half, command)
            given |= half
            if command.motion_finished:
                finished = 1
                break
        if len(self._halves) == 1:
            given = BOTH_HALVES
        elif given != BOTH_HALVES and block[B_CYCLES] == 0:
            rest(memory)
            given = BOTH_HALVES
        return finished, given

    def _fill(self, half: int, command: Any) -> None:
        wanted = Torques if half == HALF_TORQUES else COMMAND_TYPES[self._kind.motion]
        if not isinstance(command, wanted):
            raise InvalidArgumentError(
                f"the callback returned {type(command).__name__} instead of {wanted.__name__}"
            )
        if isinstance(command, Torques):
            self._memory.torques[:] = command.tau_J
        elif isinstance(command, Motion):
            values = command.wanted()
            self._memory.motion[: len(values)] = values


def run_callbacks(
    link: RobotLink,
    kind: MotionKind,
    motion: MotionCallback | None,
    torques: TorqueCallback | None,
    *,
    limit_rate: bool | None,
    cutoff_frequency: float,
) -> None:
    """Run a loop in the calling thread until a callback finishes it.

    Args:
        link: The robot's connection and loop.
        kind: What is to run on the robot.
        motion: `(state, period_s) -> command` of the kind; None for torques alone.
        torques: `(state, period_s) -> Torques`; None where the robot's controller follows.
        limit_rate: See `MotionSession`.
        cutoff_frequency: See `MotionSession`.

    Raises:
        InvalidArgumentError: A callback returns something else, or what cannot be sent.
        FrankaError: See `MotionSession.start` and `MotionSession.wait`.
    """
    parked = ParkedLoop()
    session = MotionSession(
        link, kind, parked, limit_rate=limit_rate, cutoff_frequency=cutoff_frequency
    )
    memory = link.loop.memory
    callbacks = _Callbacks(memory, kind, motion, torques)
    session.begin()
    with parked.driving, QuickSwitching():
        if parked.is_over:  # the robot was closed meanwhile
            raise session.preempted()
        memory.block[B_SLICE_NS] = SLICE_NS
        try:
            code = _cycles(link, session, memory, callbacks)
        except BaseException:
            parked.release(end_session(memory, END_REQUESTED))
            session.await_loop_end()  # else closing the robot would find it running, and stop it
            session.stop_robot(quiet=True)
            raise
        parked.release(end_session(memory, code))
    session.wait()
    if code == END_REQUESTED:
        raise session.preempted()


def _cycles(
    link: RobotLink, session: MotionSession, memory: LoopMemory, callbacks: _Callbacks
) -> int:
    """Run cycles until one ends the loop; returns the end code."""
    block = memory.block
    begin_cycle, end_cycle = cycle_calls(memory)
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
            finished, given = callbacks.call()
            todo = end_cycle(memory, finished, given)
            if todo < 0:
                return -todo
