"""`OneSession`: the session that runs on an arm, one at a time."""

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from kinegraph.robot.errors import InvalidOperationError
from kinegraph.robot.torque_arm.arm_row import read_arm
from kinegraph.robot.torque_arm.protocol import TorqueArm
from kinegraph.robot.torque_arm.session import ArmSession
from kinegraph.robot.wire.state_layout import S_q
from kinegraph.scene.array_types import Array

__all__ = ["OneSession"]


class OneSession:
    """Holds the session of an arm from its start to its end, and no longer.

    Args:
        arm: The arm.
        joints: Its number of joints.
    """

    def __init__(self, arm: TorqueArm, joints: int) -> None:
        self._arm, self._joints = arm, joints
        self._lock = threading.Lock()
        self._running: ArmSession | None = None
        self._last: weakref.ref[ArmSession] | None = None

    def check_free(self) -> None:
        """Raise InvalidOperationError while a session runs or is being started."""
        running = self._running
        if running is not None and not running.is_over:
            raise InvalidOperationError("a session runs on the arm already")

    @contextmanager
    def starting(self, session: ArmSession) -> Iterator[None]:
        """Let a session start in the block; one that does not come out of it running is dropped.

        Raises:
            InvalidOperationError: Another one runs or is being started.
        """
        with self._lock:
            self.check_free()
            self._running, self._last = session, weakref.ref(session)
            session.on_end = self._release
        try:
            yield
        except BaseException:
            session.cancel()
            raise

    def _release(self) -> None:
        # On the session's thread, at its end, when no other one can have taken its place.
        self._running = None

    def current(self) -> ArmSession | None:
        """Return the session that runs, else the last one as long as somebody holds it."""
        running = self._running
        if running is not None:
            return running
        return None if self._last is None else self._last()

    def newest_q(self) -> Array:
        """Return (n,) the arm's measured joint positions."""
        running = self._running
        if running is None or not running.is_running:
            return read_arm(self._arm, self._joints).q
        return np.array(running.newest_row()[S_q : S_q + self._joints])
