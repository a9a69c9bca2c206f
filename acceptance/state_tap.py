"""What a robot reports while a client moves it, taken from the wire: the same for every client.

The states are read where the relay receives them, whichever client they are for, and become poses
of the end effector by one model: a simulator of others may report the pose of another frame.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import numpy as np
from children import PROGRAMS, Child

__all__ = ["StateTap", "Track"]

START_S = 30.0


class Track:
    """States in the order of their ids, each once.

    Attributes:
        ms: (n,) the robot's time.
        pose: (n, 4, 4) of the end effector, by the model from the measured joint positions.
        tau: (n, 7) torques commanded, Nm.
        success: (n,) success rate of the commands.
        ids: (n,) message ids.
    """

    def __init__(self, datagrams: list[bytes], tool: np.ndarray | None = None) -> None:
        from kinegraph.robot import RobotState
        from kinegraph.robot.model import NativeModelBackend
        from kinegraph.robot.sim.descriptions import description_text

        model = NativeModelBackend.from_urdf(description_text("fr3"))
        unique = {int.from_bytes(data[:8], "little"): data for data in datagrams}
        self.ids = np.array(sorted(unique))
        states = [RobotState.from_wire(unique[number]) for number in sorted(unique)]
        self.ms = np.array([state.time for state in states], dtype=float)
        self.tau = np.array([state.tau_J_d for state in states])
        self.success = np.array([state.control_command_success_rate for state in states])
        frame = None if tool is None else np.asarray(tool).ravel(order="F")
        columns = [
            model.pose_ee(state.q, state.F_T_EE if frame is None else frame) for state in states
        ]
        self.pose = np.reshape(columns, (-1, 4, 4)).transpose(0, 2, 1)

    def between(self, begin_ms: float, end_ms: float) -> np.ndarray:
        """Return which states belong to a span of the robot's time."""
        return (self.ms >= begin_ms) & (self.ms < end_ms)


class StateTap:
    """Reads states for as long as the block lasts.

    Args:
        host: IPv4 address at which the relay receives them.
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self._folder = TemporaryDirectory()
        self._file = Path(self._folder.name) / "states"
        self._child: Child | None = None
        self._datagrams: list[bytes] = []

    def __enter__(self) -> "StateTap":
        command = [sys.executable, str(PROGRAMS / "state_listener.py"), self._host, str(self._file)]
        self._child = Child(command)
        self._child.wait_for("ready", START_S)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._child is not None:
            self._child.end()
        data = self._file.read_bytes() if self._file.exists() else b""
        self._folder.cleanup()
        at = 0
        while at + 4 <= len(data):
            size = int.from_bytes(data[at : at + 4], "little")
            self._datagrams.append(data[at + 4 : at + 4 + size])
            at += 4 + size

    def track(self, tool: np.ndarray | None = None) -> Track:
        """Return what was read; poses of another frame than the end effector by `tool` (4, 4)."""
        return Track(self._datagrams, tool)
