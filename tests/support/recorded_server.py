"""A server that plays the robot's side of a recorded session and compares what the client sends.

It goes through the records in their order: what the robot sent it sends, what the client sent it
waits for and compares byte by byte. Not compared or not sent, each for a reason:

* the UDP port in Connect: every client has its own;
* the URDF: only its first bytes were recorded, a small one of the same length takes its place;
* states of a motion that the recorded client did not answer because they came in a burst: our
  client would answer them, so they are left out, but for the one before the first answered, which
  a client takes as the sign that the motion runs;
* commands whose states were left out of the record;
* a command is awaited right behind the state that it answers, whatever came between.
"""

import base64
import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from fci_sessions import decode, records, version_of
from scripted_robot import HEADER, small_urdf

from kinegraph.robot.modes import RobotMode
from kinegraph.robot.wire.tables import PROTOCOLS

PATIENCE_S = 20.0
CONNECT_BYTES = 16


@dataclass(frozen=True)
class Step:
    """One message of the session.

    Attributes:
        kind: `request`, `reply`, `state` or `command`.
        name: Of the message.
        data: Its bytes.
    """

    kind: str
    name: str
    data: bytes


@dataclass(frozen=True)
class Mismatch:
    """What the client sent otherwise than recorded."""

    step: int
    name: str
    wanted: bytes
    got: bytes


def steps_of(path: Path) -> list[Step]:
    """The messages of a session in the order in which they are played."""
    version = version_of(path)
    messages = [record for record in records(path) if record["kind"] == "message"]
    commands = {m["message_id"]: m for m in messages if m["name"] == "RobotCommand"}
    steps: list[Step] = []
    unanswered: Step | None = None
    waiting = bool(commands)
    for message in messages:
        data = base64.b64decode(message["b64"])
        if message["name"] == "Move.Request":
            unanswered, waiting = None, True
        if message["name"] == "RobotState":
            step, command = Step("state", "RobotState", data), commands.get(message["message_id"])
            if command is not None:
                if waiting and unanswered is not None:
                    steps.append(unanswered)
                waiting = False
                steps.append(step)
                steps.append(Step("command", "RobotCommand", base64.b64decode(command["b64"])))
            elif commands and decode(version, data).robot_mode is RobotMode.Move:
                unanswered = step
            else:
                steps.append(step)
        elif message["direction"] == "client_to_server" and message["channel"] == "tcp":
            steps.append(Step("request", message["name"], data))
        elif message["channel"] == "tcp":
            if "truncated_to" in message:
                start = HEADER.size + 1
                data = data[:start] + small_urdf().encode().ljust(message["length"] - start)
            steps.append(Step("reply", message["name"], data))
    return steps


class RecordedServer:
    """Serves one client by the script of a session; see the module.

    Args:
        address: Loopback address.
        path: Recorded session.

    Attributes:
        mismatches: What the client sent otherwise.
        failure: Why the script could not be played to its end.
        steps: The script.
        newest: Id of the newest state that the client has; once it is set, each state is sent when
            the client has the one before, so that none is skipped.
    """

    def __init__(self, address: str, path: Path) -> None:
        self.address = address
        self.version = version_of(path)
        self.steps = steps_of(path)
        self.mismatches: list[Mismatch] = []
        self.failure: str | None = None
        self._dtype = PROTOCOLS[self.version].dtype("RobotCommand")
        self._listener = socket.create_server((address, 1337))
        self._listener.settimeout(PATIENCE_S)
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind((address, 0))
        self._udp.settimeout(PATIENCE_S)
        self._destination: tuple[str, int] | None = None
        self._peer = ""
        self.newest: Callable[[], int] | None = None
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def __enter__(self) -> "RecordedServer":
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join(2 * PATIENCE_S)
        self._listener.close()
        self._udp.close()

    def await_end(self) -> None:
        """Wait until the script has been played; the client may be open still."""
        self._thread.join(2 * PATIENCE_S)

    def inexact(self, tolerance: float) -> list[Mismatch]:
        """The commands that differ in numbers, but nowhere by more than a tolerance."""
        return [m for m in self.mismatches if m.name == "RobotCommand" and self._near(m, tolerance)]

    def _near(self, mismatch: Mismatch, tolerance: float) -> bool:
        if len(mismatch.got) != len(mismatch.wanted):
            return False
        wanted, got = (np.frombuffer(d, self._dtype)[0] for d in (mismatch.wanted, mismatch.got))
        return all(
            np.abs(np.subtract(wanted[name], got[name], dtype=float)).max() <= tolerance
            for name in self._dtype.names or ()
        )

    def _play(self) -> None:
        number = -1
        client = None
        try:
            client, (self._peer, _) = self._listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.settimeout(PATIENCE_S)
            for number, step in enumerate(self.steps):
                self._take(client, number, step)
            with contextlib.suppress(OSError):
                client.settimeout(PATIENCE_S)
                if rest := client.recv(4096):
                    self.mismatches.append(Mismatch(len(self.steps), "surplus", b"", rest))
        except (OSError, ConnectionError) as error:
            name = self.steps[number].name if number >= 0 else "accept"
            self.failure = f"step {number} of {len(self.steps)}, {name}: {error!r}"
        finally:
            if client is not None:
                client.close()

    def _take(self, client: socket.socket, number: int, step: Step) -> None:
        if step.kind == "reply":
            client.sendall(step.data)
        elif step.kind == "state":
            assert self._destination is not None
            self._udp.sendto(step.data, self._destination)
            self._await_seen(int.from_bytes(step.data[:8], "little"))
        elif step.kind == "request":
            self._compare(number, step, self._request(client))
        else:
            self._compare(number, step, self._udp.recv(4096))

    def _await_seen(self, number: int) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while self.newest is not None and self.newest() < number and time.monotonic() < deadline:
            time.sleep(2e-4)

    def _request(self, client: socket.socket) -> bytes:
        head = self._exactly(client, HEADER.size)
        return head + self._exactly(client, HEADER.unpack(head)[2] - HEADER.size)

    @staticmethod
    def _exactly(client: socket.socket, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = client.recv(count - len(data))
            if not piece:
                raise ConnectionError("the client has closed the connection")
            data += piece
        return data

    def _compare(self, number: int, step: Step, got: bytes) -> None:
        wanted = step.data
        if step.name == "Connect.Request" and len(got) == CONNECT_BYTES:
            (port,) = struct.unpack("<H", got[-2:])
            self._destination = (self._peer, port)
            wanted = wanted[:-2] + got[-2:]
        if got != wanted:
            self.mismatches.append(Mismatch(number, step.name, wanted, got))


def requests_of(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """Name and fields of every request of a session."""
    from kinegraph.robot.wire.messages import FrameReader, decode_request

    protocol = PROTOCOLS[version_of(path)]
    found = []
    for step in steps_of(path):
        if step.kind == "request":
            (frame,) = FrameReader(protocol).feed(step.data)
            found.append(decode_request(protocol, frame))
    return found
