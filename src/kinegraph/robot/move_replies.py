"""What a session does with the first reply to Move."""

import time

from kinegraph.robot.errors import FrankaError, NetworkError, ProtocolError
from kinegraph.robot.exchange import Exchange
from kinegraph.robot.link import RobotLink
from kinegraph.robot.loop.atomic_kernels import atomic_load, atomic_store
from kinegraph.robot.loop.loop_layout import B_CONTROLLER, B_GENERATOR, B_LIMIT_FROM
from kinegraph.robot.replies import first_move_error
from kinegraph.robot.wire.state_layout import (
    S_controller_mode,
    S_motion_generator_mode,
    S_robot_mode,
)

__all__ = ["MoveReplies"]


class MoveReplies:
    """The part of `MotionSession` that waits for the robot to accept the motion."""

    _link: RobotLink
    _move: Exchange | None
    _refused: bool

    def _settle(self, error: FrankaError | None) -> None:
        """Fix the result without asking the robot."""
        raise NotImplementedError

    def await_started(self, timeout_s: float) -> None:
        """Wait for the first reply to Move.

        Raises:
            CommandError: The robot refuses the motion.
            NetworkError: No reply in time, or the connection is gone.
            ProtocolError: The reply is none.
        """
        if self._move is None:
            return
        self.take_first_reply(self._move.take(timeout_s))

    def poll_started(self) -> bool:
        """Whether the first reply to Move has come; raises as `await_started` does."""
        payload = None if self._move is None else self._move.poll()
        if payload is None:
            return False
        self.take_first_reply(payload)
        return True

    def take_first_reply(self, payload: bytes) -> None:
        """Check the first reply to Move; from MotionStarted on states must come."""
        link = self._link
        try:
            error = first_move_error(link.connection.channel.protocol, payload[0], link.mode())
        except FrankaError as unexpected:
            error = unexpected
        if error is not None:
            self._refused = True
            self._settle(None)
            raise error
        block = link.loop.memory.block
        if atomic_load(block, B_LIMIT_FROM) == 0:
            atomic_store(block, B_LIMIT_FROM, time.monotonic_ns())

    def no_reply(self) -> NetworkError:
        """Return the error of a Move that is not answered."""
        return NetworkError(
            f"libfranka: no reply to Move within {self._link.timeout_s:g} s", command="Move"
        )

    def never_shown(self) -> ProtocolError:
        """Return the error of a motion that was accepted but does not show in the states."""
        row, block = self._link.newest_row(), self._link.loop.memory.block
        return ProtocolError(
            "the robot has started the motion but its states never show it: mode "
            f"{row[S_robot_mode]:.0f}, generator {row[S_motion_generator_mode]:.0f} instead of "
            f"{block[B_GENERATOR]}, controller {row[S_controller_mode]:.0f} instead of "
            f"{block[B_CONTROLLER]}"
        )
