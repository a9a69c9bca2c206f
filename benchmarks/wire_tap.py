"""Listens to the datagrams between a robot and its client, with the kernel's own time stamps.

The stamps are taken where a datagram is handed to the receiver's side, whoever is late to read
them: the time from a state to the command that answers it is measured in the same way for every
client. Needs the right to open a packet socket.

    with WireTap("127.0.0.63") as tap:
        ...
    tap.responses()
"""

import array
import contextlib
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

__all__ = ["Responses", "WireTap"]

ETH_P_IP = 0x0800
SO_TIMESTAMPNS = 35
SO_ATTACH_FILTER = 26
SO_RCVBUFFORCE = 33
ROOM = 64 << 20
HEADERS = 28  # IPv4 without options, UDP
STATE, COMMAND = 0, 1
ID = struct.Struct("<Q")
TIMESPEC = struct.Struct("@qq")
LIFELINE = 256

Times = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Responses:
    """What a client made of the states of its motion.

    Attributes:
        state_ns: (n,) CLOCK_MONOTONIC at which each answered state was sent, ns.
        command_ns: (n,) when the first command for it was sent, ns.
        states: States from the first to the last answered one.
    """

    state_ns: Times
    command_ns: Times
    states: int

    @property
    def unanswered(self) -> int:
        """States in between that got no command."""
        return self.states - len(self.state_ns)

    def within(self, kept: npt.NDArray[np.bool_]) -> "Responses":
        """Return some of them."""
        return Responses(self.state_ns[kept], self.command_ns[kept], self.states)

    @property
    def latency_us(self) -> npt.NDArray[np.float64]:
        """(n,) from state to command, us."""
        return 1e-3 * (self.command_ns - self.state_ns)


class WireTap:
    """Listens for as long as the block lasts.

    Args:
        host: IPv4 address of the robot.

    Raises:
        PermissionError: No packet socket may be opened.
    """

    def __init__(self, host: str) -> None:
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0).close()
        self._host = host
        self._rows: Times = np.empty((0, 3), np.int64)
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "WireTap":
        """Start to listen."""
        command = [
            sys.executable,
            "-I",
            str(Path(__file__).resolve()),
            "--child",
            self._host,
        ]
        self._child = subprocess.Popen(command, stdout=subprocess.PIPE)
        if self._child.stdout is None or self._child.stdout.readline() != b"ready\n":
            raise RuntimeError("the wire tap did not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and gather what was heard."""
        if self._child is not None:
            self._child.send_signal(signal.SIGTERM)
            said = self._child.communicate(timeout=30.0)[0]
            self._rows = np.frombuffer(said, np.int64).reshape(-1, 3)

    def responses(self) -> Responses:
        """Return each state's time beside that of its first command."""
        states = self._rows[self._rows[:, 0] == STATE]
        commands = self._rows[self._rows[:, 0] == COMMAND]
        if not len(commands) or not len(states):
            nothing = np.empty(0, np.int64)
            return Responses(nothing, nothing, 0)
        state_ids, at = np.unique(states[:, 1], return_index=True)
        command_ids, first = np.unique(commands[:, 1], return_index=True)
        _, s, c = np.intersect1d(state_ids, command_ids, return_indices=True)
        inside = (state_ids >= command_ids[0]) & (state_ids <= command_ids[-1])
        return Responses(states[at[s], 2], commands[first[c], 2], int(np.sum(inside)))


def _only(host: str) -> bytes:
    """A filter of the kernel: UDP from or to an address; packets begin with the IP header."""
    address = struct.unpack("!I", socket.inet_aton(host))[0]
    steps = (
        (0x30, 0, 0, 9),  # the protocol
        (0x15, 0, 5, socket.IPPROTO_UDP),
        (0x20, 0, 0, 12),  # from
        (0x15, 2, 0, address),
        (0x20, 0, 0, 16),  # to
        (0x15, 0, 1, address),
        (0x06, 0, 0, HEADERS + ID.size),
        (0x06, 0, 0, 0),
    )
    return b"".join(struct.pack("HBBI", *step) for step in steps)


def _listen(host: str) -> None:
    """Write direction, id and time of each datagram to stdout, at SIGTERM."""
    import ctypes

    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        ended = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = ctypes.create_string_buffer(_only(host))
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    program = struct.pack("HL", len(code) // 8, ctypes.addressof(code))
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.settimeout(0.05)
    sock.bind(("lo", ETH_P_IP))
    ours, rows, parent = socket.inet_aton(host), array.array("q"), os.getppid()
    shift = time.time_ns() - time.monotonic_ns()
    print("ready", flush=True)
    while not ended and os.getppid() == parent:
        for _ in range(LIFELINE):
            try:
                data, ancillary, _, _ = sock.recvmsg(HEADERS + ID.size, 64)
            except TimeoutError:
                break
            if len(data) < HEADERS + ID.size:
                continue
            seconds, rest = TIMESPEC.unpack(ancillary[0][2])
            direction = STATE if data[12:16] == ours else COMMAND
            number = ID.unpack_from(data, HEADERS)[0]
            rows.extend((direction, number, seconds * 10**9 + rest - shift))
    left = memoryview(rows.tobytes())
    with contextlib.suppress(BrokenPipeError):  # whoever asked has gone
        while left:
            left = left[os.write(1, left) :]


if __name__ == "__main__":
    _listen(sys.argv[2])
