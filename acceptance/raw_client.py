"""A client of plain sockets: byte by byte what a client may send, and what none should."""

import random
import select
import socket
import struct
import time
from collections import Counter
from types import TracebackType

import numpy as np

from kinegraph.robot.wire import state_layout as layout
from kinegraph.robot.wire.tables import PROTOCOLS
from kinegraph.robot.wire.wire_kernels import decode_state, encode_command

__all__ = ["HEADER", "RawClient", "accepted_within_s"]

HEADER = struct.Struct("<III")
PATIENCE_S = 10.0
STARTED, SUCCESS = 1, 0
DEVIATIONS = {
    f"maximum_{what}.{part}": value
    for what in ("path_deviation", "goal_pose_deviation")
    for part, value in (("translation", 10.0), ("rotation", 3.12), ("elbow", 6.28))
}


class RawClient:
    """Connects to a robot of version 10 and holds or moves its first joint.

    Args:
        host: Address of the robot.
    """

    def __init__(self, host: str) -> None:
        self.tcp = socket.create_connection((host, 1337), timeout=PATIENCE_S)
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind((self.tcp.getsockname()[0], 0))  # states go to where TCP comes from
        self.number = -1
        self.sender: tuple[str, int] = ("", 0)
        self._datagram = np.zeros(4096, np.uint8)
        self._row = np.zeros(layout.STATE_SIZE)
        self._answered = -1.0
        self._command = np.zeros(layout.COMMAND_SIZE)
        self._packet = np.zeros(512, np.uint8)

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close both sockets."""
        self.tcp.close()
        self.udp.close()

    def request(self, command: int, payload: bytes = b"") -> int:
        """Send a request; returns its number."""
        self.number += 1
        self.tcp.sendall(HEADER.pack(command, self.number, 12 + len(payload)) + payload)
        return self.number

    def reply(self) -> bytes:
        """The next reply's payload.

        Raises:
            ConnectionError: The robot has closed the connection.
            TimeoutError: No reply came.
        """
        _, _, size = HEADER.unpack(self._exactly(12))
        return self._exactly(size - 12)

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = self.tcp.recv(size - len(data))
            if not part:
                raise ConnectionError("the robot has closed the connection")
            data += part
        return data

    def connect(self) -> bytes:
        """Announce version 10; returns the reply."""
        self.request(0, struct.pack("<HH", 10, self.udp.getsockname()[1]))
        return self.reply()

    def start_joint_motion(self) -> None:
        """Start a motion of joint positions with joint impedance."""
        record = np.zeros(1, PROTOCOLS[10].dtype("Move.Request"))
        enums = PROTOCOLS[10].enums
        record["controller_mode"] = enums["MoveControllerMode"]["JointImpedance"]
        record["motion_generator_mode"] = enums["MoveMotionGeneratorMode"]["JointPosition"]
        for name, value in DEVIATIONS.items():
            record[name] = value
        self.request(PROTOCOLS[10].command("Move"), record.tobytes())
        status = self.reply()[0]
        if status != STARTED:
            raise ConnectionError(f"Move was answered with {status}")
        while self.state()[layout.S_motion_generator_mode] != 1:
            pass  # of before the motion

    def state(self) -> np.ndarray:
        """The newest state; waits for one.

        Raises:
            TimeoutError: None came.
        """
        if not select.select([self.udp], [], [], PATIENCE_S)[0]:
            raise TimeoutError("no state came")
        data = b""
        while select.select([self.udp], [], [], 0.0)[0]:
            data, self.sender = self.udp.recvfrom(4096)
        self._datagram[: len(data)] = np.frombuffer(data, np.uint8)
        if decode_state(10, self._datagram, len(data), self._row) != 0:
            raise ConnectionError("a datagram that is no state")
        return self._row

    def command(self, number: float, q: np.ndarray, finished: bool = False) -> bytes:
        """Bytes of a command of joint positions that answers a state."""
        row, at = self._command, layout.COMMAND_OFFSETS
        row[:] = 0.0
        row[layout.C_message_id] = number
        row[at["q_c"] : at["q_c"] + 7] = q
        row[at["motion_generation_finished"]] = float(finished)
        length = encode_command(10, row, self._packet)
        return self._packet[:length].tobytes()

    def send(self, data: bytes) -> None:
        """Send a datagram to where the states come from."""
        self.udp.sendto(data, self.sender)

    def hold(self, cycles: int, extra: random.Random | None = None) -> Counter[str]:
        """Answer states of a running motion with the positions they show, from the newest on.

        Args:
            cycles: States to answer; the last ends the motion.
            extra: Chance that sends one bad datagram of each kind in a hundred cycles, too.

        Returns:
            How many datagrams of each kind were sent; `valid` are the answers.
        """
        sent: Counter[str] = Counter()
        for cycle in range(cycles):
            number, q, good = self._answer(cycle == cycles - 1)
            sent["valid"] += 1
            for kind in noise(extra):
                self.send(self._bad(kind, good, number, q, extra))
                sent[kind] += 1
        return sent

    def hold_on(self, cycles: int) -> None:
        """Answer states without ending the motion."""
        for _ in range(cycles):
            self._answer(False)

    def _answer(self, finished: bool) -> tuple[float, np.ndarray, bytes]:
        row, at = self._unanswered(), layout.STATE_OFFSETS["q_d"]
        number, q = float(row[layout.S_time]), row[at : at + 7].copy()
        good = self.command(number, q, finished)
        self.send(good)
        return number, q, good

    def _unanswered(self) -> np.ndarray:
        """The newest state; the one that was read already if it has no answer yet."""
        if self._row[layout.S_time] == self._answered:
            self.state()
        self._answered = float(self._row[layout.S_time])
        return self._row

    def refusal(self) -> str:
        """What became of a Connect request: `nothing` yet, `refused` or `accepted`."""
        if not select.select([self.tcp], [], [], 0.0)[0]:
            return "nothing"
        try:
            reply = self.tcp.recv(64)
        except ConnectionError:
            return "refused"
        return "accepted" if len(reply) > 12 and reply[12] == SUCCESS else "refused"

    def _bad(
        self, kind: str, good: bytes, number: float, q: np.ndarray, chance: random.Random | None
    ) -> bytes:
        chance = chance or random.Random(0)
        if kind == "truncated":
            return good[: chance.randrange(1, len(good))]
        if kind == "oversized":
            return good + bytes(chance.randrange(1, 1000))
        if kind == "random":
            return chance.randbytes(chance.randrange(1, 1500))
        if kind == "duplicated":
            return good
        by = -chance.randrange(1, 50) if kind == "stale" else chance.randrange(2, 50)
        return self.command(number + by, q + 0.5)

    def end_of_motion(self) -> int:
        """Status of the reply that ends the Move."""
        return self.reply()[0]


KINDS = ("truncated", "oversized", "random", "duplicated", "stale", "future")


def noise(chance: random.Random | None, share: float = 0.01) -> list[str]:
    """Kinds of bad datagrams for one cycle, each with the same share."""
    return [] if chance is None else [kind for kind in KINDS if chance.random() < share]


def accepted_within_s(host: str) -> float:
    """Seconds until a client has connected, has a state and an answer to StopMove."""
    begun = time.monotonic()
    with RawClient(host) as client:
        if client.connect()[0] != SUCCESS:
            raise ConnectionError("Connect was refused")
        client.state()
        client.request(PROTOCOLS[10].command("StopMove"))
        client.reply()
    return time.monotonic() - begun
