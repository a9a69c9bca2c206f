"""A client of plain sockets for the simulated robot, and motions driven by hand."""

import select
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from robot_addresses import fresh_address

from kinegraph.robot.sim import SimulatedRobot
from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.tables import PROTOCOLS
from kinegraph.robot.wire.wire_kernels import decode_state, encode_command
from kinegraph.scene.array_types import Array

HEADER = struct.Struct("<III")
PATIENCE_S = 10.0
DEVIATIONS = {
    f"maximum_{what}.{part}": value
    for what in ("path_deviation", "goal_pose_deviation")
    for part, value in (("translation", 10.0), ("rotation", 3.12), ("elbow", 6.28))
}
IMPEDANCE, EXTERNAL = "JointImpedance", "ExternalController"


def readable(waited_for: socket.socket, wait_s: float) -> bool:
    """Whether something can be read within a time; of any descriptor, unlike select()."""
    poll = select.poll()
    poll.register(waited_for, select.POLLIN)
    return bool(poll.poll(1000.0 * wait_s))


class SimClient:
    """What a client sends and receives, byte by byte."""

    def __init__(self, address: tuple[str, int], version: int = 10) -> None:
        self.protocol = PROTOCOLS[version]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.tcp = socket.create_connection(address, timeout=PATIENCE_S)
        self.number = -1
        self.sender: Any = None
        self.datagram = np.zeros(4096, np.uint8)
        self.waiting: dict[int, list[bytes]] = {}
        self.newest: Array | None = None

    def __enter__(self) -> "SimClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.tcp.close()
        self.udp.close()

    # --- commands ------------------------------------------------------------------------------

    def send(self, command: int, payload: bytes = b"") -> int:
        self.number += 1
        self.tcp.sendall(HEADER.pack(command, self.number, HEADER.size + len(payload)) + payload)
        return self.number

    def reply(self, number: int) -> bytes:
        """The next reply to a request, whatever comes before it."""
        while not self.waiting.get(number):
            _, other, size = HEADER.unpack(self._exactly(HEADER.size))
            self.waiting.setdefault(other, []).append(self._exactly(size - HEADER.size))
        return self.waiting[number].pop(0)

    def has_reply(self, number: int) -> bool:
        """Whether one is there already."""
        self.collect(0.05)
        return bool(self.waiting.get(number))

    def collect(self, wait_s: float) -> None:
        """Take the replies that are there, and those that come within a time of each other."""
        while readable(self.tcp, wait_s):
            _, other, size = HEADER.unpack(self._exactly(HEADER.size))
            self.waiting.setdefault(other, []).append(self._exactly(size - HEADER.size))

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.tcp.recv(size - len(data))
            if not part:
                raise ConnectionError("the robot has closed the connection")
            data += part
        return data

    def connect(self, version: int | None = None) -> bytes:
        announced = self.protocol.version if version is None else version
        port = self.udp.getsockname()[1]
        return self.reply(self.send(0, struct.pack("<HH", announced, port)))

    def request(self, name: str, **fields: Any) -> str:
        """Send a request and return the name of the status that answers it."""
        return self.status(name, self.reply(self.post(name, **fields)))

    def post(self, name: str, **fields: Any) -> int:
        record = np.zeros(1, self.protocol.dtype(f"{name}.Request"))
        for field, value in fields.items():
            record[field] = value
        return self.send(self.protocol.command(name), record.tobytes())

    def status(self, name: str, payload: bytes) -> str:
        return self.protocol.status_names[name][payload[0]]

    def move(self, generator: str, controller: str = IMPEDANCE, **fields: Any) -> int:
        """Start a motion; returns the number of the Move."""
        enums = self.protocol.enums
        modes = {
            "controller_mode": enums["MoveControllerMode"][controller],
            "motion_generator_mode": enums["MoveMotionGeneratorMode"][generator],
        }
        number = self.post("Move", **{**DEVIATIONS, **modes, **fields})
        assert self.status("Move", self.reply(number)) == "MotionStarted"
        return number

    def ended(self, number: int) -> str:
        """How the Move of that number ended."""
        return self.status("Move", self.reply(number))

    # --- states --------------------------------------------------------------------------------

    def state(self) -> Array:
        """The newest state, after waiting for the first one."""
        assert readable(self.udp, PATIENCE_S), "no state came"
        data = b""
        while readable(self.udp, 0.0):
            data, self.sender = self.udp.recvfrom(4096)
            self.datagram[: len(data)] = np.frombuffer(data, np.uint8)
        row = np.zeros(layout.STATE_SIZE)
        assert decode_state(self.protocol.version, self.datagram, len(data), row) == 0
        self.newest = row
        return row

    def current(self) -> Array:
        """The newest state; one that was read already when no other has come."""
        if self.newest is None or readable(self.udp, 0.0):
            return self.state()
        return self.newest

    def command(self, message_id: float, **fields: Any) -> None:
        """Send a command datagram with some fields filled."""
        row = np.zeros(layout.COMMAND_SIZE)
        row[layout.C_message_id] = message_id
        for name, value in fields.items():
            at = layout.COMMAND_OFFSETS[name]
            row[at : at + np.size(value)] = value
        packet = np.zeros(512, np.uint8)
        length = encode_command(self.protocol.version, row, packet)
        self.udp.sendto(packet[:length].tobytes(), self.sender)


@contextmanager
def served(**options: Any) -> Iterator[tuple[SimulatedRobot, SimClient]]:
    """A robot whose clock stands still unless told otherwise, with a client that has a state."""
    settings = {"realtime": False, **options}
    robot = SimulatedRobot(fresh_address(), **settings)
    with robot, SimClient(robot.address, robot.fci_version) as client:
        client.connect()
        if not settings["realtime"]:
            robot.step()
        yield robot, client


def field(row: Array, name: str) -> Array:
    """A field of a state row."""
    at, count = layout.STATE_OFFSETS[name], dict(layout.STATE_FIELDS)[name]
    return row[at : at + count]


Commander = Callable[[Array, int], dict[str, Any] | None]


def drive(robot: SimulatedRobot, client: SimClient, commander: Commander, cycles: int) -> Array:
    """Answer each state by what `commander(state, cycle)` returns; None is a lost command.

    Returns the state after the last cycle.
    """
    state = client.current()
    for cycle in range(cycles):
        fields = commander(state, cycle)
        if fields is not None:
            client.command(state[layout.S_time], **fields)
        robot.step()
        state = client.state()
    return state
