"""A small robot that does what a test tells it to, right or wrong.

It serves one client at a time over TCP and UDP on a loopback address, from threads of its own. It
is no simulation: states are a row that the test may change, motions start and end by the script.
Run as a program it serves one lock-step motion and prints what it counted.
"""

import contextlib
import json
import select
import socket
import struct
import sys
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.tables import PROTOCOLS
from kinegraph.robot.wire.wire_kernels import decode_command, encode_state

IDLE, MOVE, REFLEX = 1, 2, 4
EXTERNAL, OTHER = 2, 3
HEADER = struct.Struct("<III")

LIMITS = (
    ("-2.7501", "2.7501", "2.62", "0.30", "6.0"),
    ("-1.7918", "1.7918", "2.62", "0.20", "2.585"),
    ("-2.9065", "2.9065", "2.62", "0.20", "3.5"),
    ("-3.0481", "-0.1458", "2.62", "0.30", "4.0"),
    ("-2.8101", "2.8101", "5.26", "0.35", "17.0"),
    ("0.54092", "4.5205", "4.18", "0.35", "5.5"),
    ("-3.0196", "3.0196", "5.26", "0.35", "17.0"),
)


def small_urdf(name: str = "fr3") -> str:
    """The least that a client wants of a robot's model."""
    joints = "".join(
        f'<joint name="fr3_joint{i + 1}" type="revolute"><parent link="l{i}"/>'
        f'<child link="l{i + 1}"/><axis xyz="0 0 1"/>'
        f'<limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="87"/>'
        f'<position_based_velocity_limits velocity_offset="{offset}" '
        f'deceleration_limit="{slope}"/></joint>'
        for i, (lower, upper, velocity, offset, slope) in enumerate(LIMITS)
    )
    links = "".join(f'<link name="l{i}"/>' for i in range(8))
    return f'<robot name="{name}">{links}{joints}</robot>'


def rest_row(version: int = 10) -> np.ndarray:
    """A state at rest, every transform the identity."""
    row = np.zeros(layout.STATE_SIZE)
    for name in ("O_T_EE", "O_T_EE_d", "F_T_EE", "F_T_NE", "NE_T_EE", "EE_T_K", "O_T_EE_c"):
        at = layout.STATE_OFFSETS[name]
        row[at : at + 16] = np.eye(4).flatten()
    row[layout.S_q : layout.S_q + 7] = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)
    row[layout.S_q_d : layout.S_q_d + 7] = row[layout.S_q : layout.S_q + 7]
    row[layout.S_robot_mode] = IDLE
    row[layout.S_controller_mode] = OTHER
    return row


class ScriptedRobot:
    """Serves clients until it is closed; see the attributes for what can be scripted.

    Attributes:
        row: The next state; changed freely by tests, the id is set at sending.
        statuses: Status bytes by command, used up one by one; then 0.
        delays: Seconds before the reply, by command.
        silent_delays: Whether no states are sent during those.
        unanswered: Commands that are not answered.
        connect_version: What the Connect reply names.
        connect_payload: The whole Connect reply payload, None: a right one.
        move_first: First reply to Move.
        move_final: Second reply.
        final_first: Whether the second reply is sent before the idle state.
        shows_motion: Whether the states show the motion that was started.
        abort_after: Commands after which the robot leaves the motion by itself.
        abort_mode: Robot mode that it then shows.
        abort_error: Error bit that it then shows.
        idle_controller: Controller mode that states show outside of motions.
        keeps_moving: Whether a finished command leaves the state in motion.
        step: Step of the message id.
        sends: Whether states are sent.
        mangle: Called with each datagram, returns the datagrams to be sent instead.
        lock_step_s: In a motion, from its first command on: longest wait for the answer to a state
            before the next one.
        requests: (name, id, payload) of all requests.
        commands: Rows of all commands in motions, as they came.
        answered: Ids of states that showed the motion and were answered.
        shown: Ids of states that showed the motion.
        destination: Where states are sent to, once a client has connected.
    """

    def __init__(
        self,
        address: str,
        version: int = 10,
        urdf: str | None = None,
        states_from: str | None = None,
    ) -> None:
        self.address = address
        self.protocol = PROTOCOLS[version]
        self.urdf = small_urdf() if urdf is None else urdf
        self.row = rest_row(version)
        self.statuses: dict[str, list[int]] = defaultdict(list)
        self.delays: dict[str, float] = {}
        self.silent_delays = False
        self.idle_controller = OTHER
        self.unanswered: set[str] = set()
        self.connect_version = version
        self.connect_payload: bytes | None = None
        self.move_first = 1
        self.move_final = 0
        self.final_first = False
        self.shows_motion = True
        self.abort_after: int | None = None
        self.abort_mode = REFLEX
        self.abort_error: int | None = None
        self.keeps_moving = False
        self.step = 1
        self.sends = True
        self.mangle: Callable[[bytes], list[bytes]] = lambda datagram: [datagram]
        self.lock_step_s = 0.0
        self.period_s = 0.001
        self.requests: list[tuple[str, int, bytes]] = []
        self.commands: list[np.ndarray] = []
        self.shown: list[int] = []
        self.answered: set[int] = set()
        self.message_id = 1000
        self.clients = 0
        self._client: socket.socket | None = None
        self.destination: tuple[str, int] | None = None
        self._move_id: int | None = None
        self._in_motion = False
        self._motion_commands = 0
        self._pending: deque[Callable[[], None]] = deque()
        self._closing = False
        self._sending = threading.Lock()
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((address, 1337))
        self._listener.listen(4)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((states_from or address, 0))
        self.udp.setblocking(False)
        # Compiled before a client waits for it.
        encode_state(version, self.row, np.zeros(4096, np.uint8))
        decode_command(version, np.zeros(512, np.uint8), 512, np.zeros(layout.COMMAND_SIZE))
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._serve, self._stream)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "ScriptedRobot":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all."""
        self._closing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.drop_client()
        for thread in self._threads:
            thread.join(5.0)
        self.udp.close()

    def drop_client(self, *, keep_streaming: bool = False) -> None:
        """Close the TCP connection."""
        client, self._client = self._client, None
        if not keep_streaming:
            self.destination = None
        if client is not None:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
            client.close()

    # --- TCP ------------------------------------------------------------------------------------

    def _serve(self) -> None:
        while not self._closing:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._client = client
            self.clients += 1
            with contextlib.suppress(OSError, ConnectionError):
                while not self._closing:
                    self._handle(client)
            if self._client is client:
                self.drop_client()
            self._in_motion = False

    def _read(self, client: socket.socket, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = client.recv(count - len(data))
            if not piece:
                raise ConnectionError
            data += piece
        return data

    def _handle(self, client: socket.socket) -> None:
        command, number, size = HEADER.unpack(self._read(client, HEADER.size))
        payload = self._read(client, size - HEADER.size)
        name = self.protocol.command_names[command]
        self.requests.append((name, number, payload))
        if name in self.unanswered:
            return
        if name in self.delays:
            self.sends = not self.silent_delays
            time.sleep(self.delays[name])
            self.sends = True
        status = self.statuses[name].pop(0) if self.statuses[name] else 0
        if name == "Connect":
            self._connect(client, number, payload, status)
        elif name == "Move":
            self._start(number)
        elif name == "GetRobotModel":
            self.reply("GetRobotModel", number, bytes([status]) + self.urdf.encode())
        else:
            size = self.protocol.size(f"{name}.Response")
            self.reply(name, number, bytes([status]).ljust(size, b"\0"))
            if name == "StopMove" and self._in_motion and status == 0:
                preempted = self.protocol.statuses["Move"]["Preempted"]
                self._pending.append(lambda: self.leave(IDLE, preempted))

    def _connect(self, client: socket.socket, number: int, payload: bytes, status: int) -> None:
        reply = self.connect_payload
        if reply is None:
            reply = struct.pack("<BH", status, self.connect_version)
        self.reply("Connect", number, reply)
        if status == 0:
            _, port = struct.unpack("<HH", payload)
            self.destination = (client.getpeername()[0], port)

    def reply(self, name: str, number: int, payload: bytes) -> None:
        """Answer a request."""
        self.send_raw(
            HEADER.pack(self.protocol.commands[name], number, HEADER.size + len(payload)) + payload
        )

    def send_raw(self, data: bytes) -> None:
        """Send bytes over TCP."""
        client = self._client
        if client is not None:
            with self._sending, contextlib.suppress(OSError):
                client.sendall(data)

    def _start(self, number: int) -> None:
        self._move_id = number
        started = self.protocol.statuses["Move"]["MotionStarted"]
        if self.move_first == started and self.shows_motion:
            self._pending.append(self._enter)
        self.reply("Move", number, bytes([self.move_first]))

    def _enter(self) -> None:
        request = np.frombuffer(
            [payload for name, _, payload in self.requests if name == "Move"][-1],
            self.protocol.dtype("Move.Request"),
        )[0]
        self._motion_commands = 0
        self._in_motion = True
        self.row[layout.S_robot_mode] = MOVE
        self.row[layout.S_motion_generator_mode] = request["motion_generator_mode"] + 1
        self.row[layout.S_controller_mode] = request["controller_mode"]

    def leave(self, mode: int, status: int | None) -> None:
        """Leave the motion and answer the Move."""
        self._in_motion = False
        move = self._move_id  # a client that sees the idle state may ask for the next motion
        if self.final_first and status is not None and move is not None:
            self.reply("Move", move, bytes([status]))
            time.sleep(0.02)
        self.row[layout.S_robot_mode] = mode
        self.row[layout.S_motion_generator_mode] = 0
        self.row[layout.S_controller_mode] = self.idle_controller
        if mode == REFLEX and self.abort_error is not None:
            self.row[layout.S_current_errors + self.abort_error] = 1.0
            self.row[layout.S_last_motion_errors + self.abort_error] = 1.0
        self.send_state()
        if not self.final_first and status is not None and move is not None:
            self.reply("Move", move, bytes([status]))

    def later(self, action: Callable[[], None]) -> None:
        """Do something between two states."""
        self._pending.append(action)

    # --- UDP ------------------------------------------------------------------------------------

    def _stream(self) -> None:
        due = time.monotonic()
        while not self._closing:
            while self._pending:
                self._pending.popleft()()
            if self.sends:
                self.send_state()
            # No client answers the first state of a motion: it is the one that shows it.
            if self._in_motion and self.lock_step_s and self._motion_commands:
                self._await_answer()
            else:
                due = max(due + self.period_s, time.monotonic() - 0.05)
                self._take_commands(max(due - time.monotonic(), 0.0))

    def send_state(self) -> None:
        """Send the state row under the next id."""
        self.message_id += self.step
        self.row[layout.S_time] = self.message_id
        datagram = np.zeros(4096, np.uint8)
        length = encode_state(self.protocol.version, self.row, datagram)
        if self._in_motion:
            self.shown.append(self.message_id)
        for piece in self.mangle(datagram[:length].tobytes()):
            self.send_datagram(piece)

    def send_datagram(self, data: bytes, sender: socket.socket | None = None) -> None:
        """Send bytes to the client's UDP port."""
        destination = self.destination
        if destination is not None:
            with contextlib.suppress(OSError):
                (sender or self.udp).sendto(data, destination)

    def _take_commands(self, wait_s: float) -> None:
        deadline = time.monotonic() + wait_s
        while True:
            left = max(deadline - time.monotonic(), 0.0)
            if select.select([self.udp], [], [], left)[0]:
                self._take_command()
            elif left <= 0.0:
                return

    def _await_answer(self) -> None:
        deadline = time.monotonic() + self.lock_step_s
        current = self.message_id
        while self._in_motion and current not in self.answered:
            left = deadline - time.monotonic()
            if left <= 0.0 or self._closing:
                return
            if select.select([self.udp], [], [], left)[0]:
                self._take_command()

    def _take_command(self) -> None:
        data = np.frombuffer(self.udp.recv(4096), np.uint8).copy()
        row = np.zeros(layout.COMMAND_SIZE)
        if decode_command(self.protocol.version, data, data.size, row):
            return
        self.commands.append(row)
        self.answered.add(int(row[layout.C_message_id]))
        if not self._in_motion:
            return
        self._motion_commands += 1
        self.row[layout.S_tau_J_d : layout.S_tau_J_d + 7] = row[
            layout.C_tau_J_d : layout.C_tau_J_d + 7
        ]
        finished = row[layout.C_motion_generation_finished] or row[layout.C_torque_command_finished]
        if finished and not self.keeps_moving:
            self.leave(IDLE, self.move_final)
        elif self.abort_after is not None and self._motion_commands >= self.abort_after:
            self.leave(self.abort_mode, self.move_final)

    def count(self, name: str) -> int:
        """How many requests of a command have come."""
        return sum(1 for request, _, _ in self.requests if request == name)


def serve_lock_step(address: str, states: int, wait_s: float) -> dict[str, Any]:
    """Serve one motion in lock step; leave it after so many states and say what was answered."""
    with ScriptedRobot(address) as robot:
        robot.lock_step_s = wait_s
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        deadline = time.monotonic() + 240.0  # the client may have to compile first
        while len(robot.shown) < states and time.monotonic() < deadline:
            time.sleep(0.01)
        robot.later(lambda: robot.leave(IDLE, 2))
        time.sleep(0.2)
        shown = {number for number in robot.shown if number >= min(robot.answered)}
        return {"shown": len(shown), "unanswered": len(shown - robot.answered)}


if __name__ == "__main__":
    result = serve_lock_step(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
    sys.stdout.write(json.dumps(result) + "\n")
