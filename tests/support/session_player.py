"""Plays the client's side of a recorded session to a simulated robot, byte by byte.

What the recorded client sent is sent again, in its order; the clock stands still but for what is
played. Changed on the way, each for a reason:

* the UDP port in Connect, which is this player's own;
* the id of a command, which is that of the state that it answers here;
* the position of a Cartesian pose, which is carried to where this arm stands: the recorded robots
  have other arms (one reports the identity, one the seventh joint in place of the flange).

Commands that were not recorded are lost ones for the robot.
"""

import base64
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from fci_sessions import decode, records, version_of
from sim_client import HEADER, SimClient, field

from kinegraph.robot.modes import RobotMode
from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.state import RobotState
from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.messages import FrameReader, decode_request
from kinegraph.robot.wire.tables import PROTOCOLS
from kinegraph.robot.wire.wire_kernels import decode_command, encode_command

STEPS_MAX = 3000
CARTESIAN_POSE = 2
REFLEX = RobotMode.Reflex


class SessionPlayer:
    """The client of a recorded session.

    Args:
        path: Recorded session.
        robot: Robot whose clock stands still, started.
        injected: Whether the reflex of the session is made here, because a script made it there.

    Attributes:
        replies: (name, recorded payload, payload got here) in the recorded order.
        answered: Commands that the robot got.
        shown: (generator, controller) of each motion that the robot showed.
        recorded_motions: The same of the recorded robot.
        errors: Last motion errors that recorded robot and ours showed after each reflex.
    """

    def __init__(self, path: Path, robot: SimulatedRobot, *, injected: bool = False) -> None:
        self.path, self.robot = path, robot
        self.version = version_of(path)
        self.protocol = PROTOCOLS[self.version]
        self.client = SimClient(robot.address, self.version)
        self.replies: list[tuple[str, bytes, bytes]] = []
        self.answered = 0
        self.shown: list[tuple[int, int]] = []
        self.recorded_motions: list[tuple[int, int]] = []
        self.errors: list[tuple[list[str], list[str]]] = []
        self._injected = injected
        self._messages = [r for r in records(path) if r["kind"] == "message"]
        self._generator = -1
        self._shift: np.ndarray | None = None

    def __enter__(self) -> "SessionPlayer":
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def play(self) -> None:
        """Play the whole session."""
        for index, message in enumerate(self._messages):
            data = base64.b64decode(message["b64"])
            if message["name"] == "RobotState":
                self._state(data)
            elif message["name"] == "RobotCommand":
                self._command(data)
            elif message["direction"] == "client_to_server":
                self._request(index, message["name"], data)
            else:
                self._reply(message["name"], message["command_id"], data)

    # --- what the client sent -------------------------------------------------------------------

    def _request(self, index: int, name: str, data: bytes) -> None:
        if name == "Connect.Request":
            data = data[:-2] + struct.pack("<H", self.client.udp.getsockname()[1])
        elif name == "Move.Request":
            (frame,) = FrameReader(self.protocol).feed(data)
            _, fields = decode_request(self.protocol, frame)
            self._generator = fields["motion_generator_mode"]
            self._shift = None
            if (start := self._start_of_motion(index)) is not None:
                self.robot.place(start.q_d)
                self._step()
        self.client.tcp.sendall(data)

    def _start_of_motion(self, index: int) -> RobotState | None:
        """The first recorded state of the motion that a Move begins."""
        for message in self._messages[index:]:
            if message["name"] == "RobotState":
                state = decode(self.version, base64.b64decode(message["b64"]))
                if state.robot_mode is RobotMode.Move:
                    return state
        return None

    def _command(self, data: bytes) -> None:
        row, buffer = np.zeros(layout.COMMAND_SIZE), np.frombuffer(bytearray(data), np.uint8)
        assert decode_command(self.version, buffer, len(data), row) == 0
        newest = self.client.current()
        row[layout.C_message_id] = newest[layout.S_time]
        if self._generator == CARTESIAN_POSE:
            self._carry(row, newest)
        packet = np.zeros(512, np.uint8)
        length = encode_command(self.version, row, packet)
        assert length == len(data)
        sent = packet[:length].tobytes()
        if self._generator != CARTESIAN_POSE:
            assert sent[8:] == data[8:]
        self.client.udp.sendto(sent, self.client.sender)
        self.answered += 1
        self._step()

    def _carry(self, row: np.ndarray, newest: np.ndarray) -> None:
        """Carry a pose to where this arm stands."""
        at = slice(layout.C_O_T_EE_c, layout.C_O_T_EE_c + 16)
        pose = row[at].reshape(4, 4).T
        if self._shift is None:
            self._shift = field(newest, "O_T_EE_c").reshape(4, 4).T @ np.linalg.inv(pose)
        row[at] = (self._shift @ pose).T.ravel()
        if row[layout.C_valid_elbow]:
            row[layout.C_elbow_c : layout.C_elbow_c + 2] = field(newest, "elbow_c")

    # --- what the robot sends -------------------------------------------------------------------

    def _state(self, data: bytes) -> None:
        recorded = decode(self.version, data)
        if self._generator >= 0 and recorded.robot_mode is RobotMode.Move:
            row = np.zeros(layout.STATE_SIZE)
            row[:] = recorded.row
            modes = (int(row[layout.S_motion_generator_mode]), int(row[layout.S_controller_mode]))
            if not self.recorded_motions or self.recorded_motions[-1] != modes:
                self.recorded_motions.append(modes)
        if self._generator >= 0 and recorded.robot_mode is REFLEX:
            if self._injected and not self.errors:
                self.robot.inject_reflex(next(iter(recorded.last_motion_errors)))
            self._step()
            ours = RobotState.from_row(self.client.current())
            self.errors.append((list(recorded.last_motion_errors), list(ours.last_motion_errors)))

    def _step(self) -> None:
        self.robot.step()
        row = self.client.state()
        modes = (int(row[layout.S_motion_generator_mode]), int(row[layout.S_controller_mode]))
        moving = row[layout.S_robot_mode] == RobotMode.Move.value
        if moving and (not self.shown or self.shown[-1] != modes):
            self.shown.append(modes)

    def _reply(self, name: str, number: int, data: bytes) -> None:
        """Let time pass until the robot has answered; compare the frame of the answer."""
        for _ in range(STEPS_MAX):
            if self._arrived(number):
                break
            self.robot.step()
        payload = self.client.reply(number)
        if name == "Connect.Response" or (name == "Move.Response" and payload[0] == self._started):
            self._step()
        self.replies.append((name, data[HEADER.size :], payload))

    @property
    def _started(self) -> int:
        return self.protocol.statuses["Move"]["MotionStarted"]

    def _arrived(self, number: int) -> bool:
        if not self.client.waiting.get(number):
            self.client.collect(0.002)
        return bool(self.client.waiting.get(number))


def recorded_states(path: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Datagram and record of every recorded state."""
    for record in records(path):
        if record["kind"] == "message" and record["name"] == "RobotState":
            yield base64.b64decode(record["b64"]), record
