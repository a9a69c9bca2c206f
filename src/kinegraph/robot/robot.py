"""The client: a connection to one Franka arm."""

import logging
import math
import sys
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from kinegraph.robot.argument_checks import check_duration
from kinegraph.robot.connection import open_connection
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError
from kinegraph.robot.limits import RateLimits, rate_limits
from kinegraph.robot.link import RECOVERY_S, SILENCE_S, RobotLink
from kinegraph.robot.loop.counters import LoopCounters, read_counters
from kinegraph.robot.loop.loop_thread import LoopThread, warm_up
from kinegraph.robot.loop.realtime import check_realtime
from kinegraph.robot.motions import RobotMotions
from kinegraph.robot.recording.flight import FlightRecorder
from kinegraph.robot.served_model import request_model, velocity_table
from kinegraph.robot.setters import RobotSettings
from kinegraph.robot.state import RobotState
from kinegraph.robot.state_stream import StateStream
from kinegraph.robot.steps import RobotSteps
from kinegraph.robot.target_control import RobotTargets
from kinegraph.robot.wire.state_layout import STATE_SIZE
from kinegraph.robot.wire.tables import TCP_PORT

if TYPE_CHECKING:
    from kinegraph.robot.model.model import Model

__all__ = ["LoopCounters", "Robot"]

_LOG = logging.getLogger("kinegraph.robot")
_ENFORCED_PRIORITY = 80


class Robot(RobotSettings, RobotMotions, RobotSteps, RobotTargets):
    """A connection to one Franka arm, of both generations.

    States are received from the first moment to the last by a compiled loop that never needs the
    interpreter; the newest one is at most a millisecond old, whatever the program does. Use it as a
    context manager: leaving the block ends a running motion and closes the connection. All methods
    may be called from any thread; one motion runs at a time.

    Args:
        host: Name or IPv4 address of the robot.
        realtime: `"enforce"` insists on a realtime kernel, a FIFO priority and the core;
            `"ignore"` tries what was asked for and logs what cannot be had.
        version: FCI version to insist on; None: 10, and 5 if the robot speaks that.
        timeout_s: Limit for each reply, s; 60 s for error recovery.
        loop_priority: FIFO priority of the loop thread, 1 to 99; 0: an ordinary thread, in target
            sessions too; None: ordinary until a target session raises it, or 80 with `"enforce"`.
        loop_cpu: Core of the loop thread; None: any.
        port: TCP port.

    Raises:
        NetworkError: No connection, no reply, or no states.
        IncompatibleVersionError: The robot speaks another version.
        ProtocolError: The answer is none of this protocol.
        RealtimeError: `"enforce"`, and something could not be had.
        InvalidOperationError: This is not Linux.
        CommandError: The robot refuses to tell its model.
        ModelError: The served model lacks what the limits are read from.
        InvalidArgumentError: An argument is none of those listed. Also a `ValueError`.
    """

    def __init__(
        self,
        host: str,
        realtime: Literal["ignore", "enforce"] = "ignore",
        version: int | None = None,
        timeout_s: float = 10.0,
        *,
        loop_priority: int | None = None,
        loop_cpu: int | None = None,
        port: int = TCP_PORT,
    ) -> None:
        if not sys.platform.startswith("linux"):
            raise InvalidOperationError("the robot's client needs Linux")
        check_realtime(realtime, loop_priority, loop_cpu)
        _check_timeout(timeout_s)
        enforce = realtime == "enforce"
        if enforce and loop_priority is None:
            loop_priority = _ENFORCED_PRIORITY
        warm_up()
        connection = open_connection(host, port=port, version=version, timeout_s=timeout_s)
        self._limits = rate_limits(connection.version)
        try:
            loop = LoopThread(
                connection.channel.protocol,
                self._limits,
                priority=loop_priority,
                cpu=loop_cpu,
                enforce=enforce,
            )
        except BaseException:
            connection.close()
            raise
        self._link = RobotLink(connection, loop, timeout_s)
        # Also at the interpreter's end: compiled code must not outlive the memory it works on.
        self._finalizer = weakref.finalize(self, self._link.close)
        self._reading = threading.Lock()
        self._last_read = 0
        try:
            self._link.open()
            if connection.version >= 10:
                self._read_model()
        except BaseException:
            self.close()
            raise

    def _read_model(self) -> None:
        self._link.served_model = request_model(self._link)
        table = velocity_table(self._link.served_model)
        self._limits = rate_limits(self._link.connection.version, table)
        self._link.loop.memory.limits[:] = self._limits.array

    # --- the connection -------------------------------------------------------------------------

    def __enter__(self) -> "Robot":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End a running motion and the connection; later calls do nothing.

        Who waits for the motion in another thread gets a `ControlError`.
        """
        self._finalizer()
        self._link.close()  # another thread may be at it: wait until it is done

    @property
    def version(self) -> int:
        """FCI version of the connection."""
        return self._link.connection.version

    @property
    def server_version(self) -> int:
        """Version that the robot called its own when it accepted the connection."""
        return self._link.connection.server_version

    @property
    def host(self) -> str:
        """Host as given."""
        return self._link.connection.host

    @property
    def is_connected(self) -> bool:
        """Whether commands can be sent."""
        return self._finalizer.alive and self._link.connection.channel.is_open

    @property
    def counters(self) -> LoopCounters:
        """What the loop has counted so far."""
        return read_counters(self._link.loop.memory.block)

    @property
    def link(self) -> RobotLink:
        """Connection and loop, for what is built on top of the client."""
        return self._link

    # --- states ---------------------------------------------------------------------------------

    @property
    def state(self) -> RobotState:
        """The newest state, without waiting."""
        return RobotState.from_row(self._link.newest_row())

    @property
    def state_age_s(self) -> float:
        """Time since the newest state was received, s."""
        return self._link.loop.state_age_s

    def read_once(self, timeout_s: float = SILENCE_S) -> RobotState:
        """Return the newest state that was not returned before; wait for one if needed.

        Works during a motion too, and from several threads; each state is returned once. As long as
        the robot sends, what is returned is a millisecond old, whatever the program did before;
        after a robot has fallen silent its last state is returned once, see `state_age_s`, and the
        next call raises.

        Args:
            timeout_s: Longest wait, s.

        Raises:
            NetworkError: No state in time, twenty bad datagrams in a row, or a lost connection.
            InvalidOperationError: The robot was closed.
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        check_duration("timeout_s", timeout_s)
        states = self._link.loop.states
        while True:
            self._link.check_open()
            self._link.wait_for_row(self._last_read, timeout_s)
            with self._reading:
                published, row = states.newest()
                if row is not None and published > self._last_read:
                    self._last_read = published
                    return RobotState.from_row(row[:STATE_SIZE])

    def states(self, timeout_s: float = SILENCE_S) -> StateStream:
        """Return an iterator over every state from now on, without gaps on our side.

        Args:
            timeout_s: Longest wait for a state, s.

        Raises:
            InvalidArgumentError: No time to wait. Also a `ValueError`.
        """
        return StateStream(self._link, timeout_s)

    # --- commands -------------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop whatever motion runs; its loop ends with `Move command preempted!`.

        Raises:
            CommandError: The robot refuses.
            NetworkError: No reply in time, or a lost connection.
        """
        self._link.command("StopMove")

    def automatic_error_recovery(self) -> None:
        """Clear the errors after a reflex; starts nothing again.

        Raises:
            CommandError: The robot refuses, or it needs recovery by hand.
            NetworkError: No reply within 60 s, or a lost connection.
        """
        self._link.command("AutomaticErrorRecovery", timeout_s=RECOVERY_S)

    def robot_model(self) -> str:
        """Ask the robot for its URDF (version 10).

        Raises:
            InvalidOperationError: Version 5 serves none, or the robot was closed.
            CommandError: The robot refuses.
            ModelError: The answer is no text.
            NetworkError: No reply in time, or a lost connection.
        """
        return request_model(self._link)

    def load_model(self, source: Literal["auto", "native", "robot"] = "auto") -> "Model":
        """Return the arm's kinematics and dynamics in libfranka's terms.

        Args:
            source: `"native"`: evaluated here, of version 10 from the served URDF, of version 5
                from the parameters that were identified and published for the Franka Emika Robot,
                see `kinegraph.robot.model.fer`. `"robot"`: version 5's own library, downloaded and
                run in this process; see `SoModelBackend` for the trust it takes. `"auto"`: as
                `"native"`, because code from elsewhere runs only when asked for.

        Raises:
            ModelError: The robot has no library for this machine, it cannot be loaded, or the
                served URDF holds no arm.
            InvalidOperationError: Version 10 has no library, or the robot was closed.
            CommandError: The robot refuses.
            NetworkError: No reply in time, or a lost connection.
            InvalidArgumentError: There is no such source. Also a `ValueError`.
        """
        from kinegraph.robot.model.loading import load_backend
        from kinegraph.robot.model.model import Model

        return Model(load_backend(self._link, source))

    @property
    def rate_limits(self) -> RateLimits:
        """Limits of the rate limiters; version 10's velocities come from the served model."""
        return self._limits

    def record(self, path: Path | str, notes: Mapping[str, Any] | None = None) -> FlightRecorder:
        """Record every state, command and record from here on into a file.

        Use what is returned as a context manager around the motions; see `FlightRecorder`. Several
        may run at once.

        Args:
            path: File to be written; an existing one is replaced.
            notes: What the reader of the run should know; JSON types.

        Raises:
            InvalidArgumentError: Notes that JSON cannot hold. Also a `ValueError`.
        """
        return FlightRecorder(self, path, notes)


def _check_timeout(timeout_s: float) -> None:
    check_duration("timeout_s", timeout_s, zero=False)
    if not math.isfinite(timeout_s):
        raise InvalidArgumentError("timeout_s is infinite; every reply needs a limit")
