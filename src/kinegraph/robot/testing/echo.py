"""What the relay itself adds to a response: measured with a client that answers at once."""

import select
import socket
import struct
import subprocess
import sys
import time
from typing import Any

from kinegraph.robot.argument_checks import check_duration
from kinegraph.robot.errors import InvalidArgumentError, NetworkError

__all__ = ["relay_cost"]

STATE_BYTES, COMMAND_BYTES, PERIOD_S = 1377, 371, 1e-3
HEADER = struct.Struct("<III")
CONNECT = HEADER.pack(0, 0, HEADER.size + 4)
PATIENCE_S = 10.0


def relay_cost(
    listen: str = "127.0.0.51",
    server: str = "127.0.0.21",
    *,
    seconds: float = 1.0,
    priority: int | None = None,
) -> dict[str, Any]:
    """Measure what a relay's response figures hold of its own, at 1 kHz.

    A process of its own plays a robot that only sends states and a client that answers each at
    once; a relay stands between them on ports that are free. Subtract the figures from those of a
    real client to get what that took.

    Args:
        listen: IPv4 address of the relay.
        server: IPv4 address of the robot.
        seconds: How long, s.
        priority: SCHED_FIFO priority of the relay.

    Returns:
        Percentiles of the response, `count`, `p50_us`, `p99_us`, `p99_9_us`, `max_us`.

    Raises:
        InvalidArgumentError: No duration. Also a `ValueError`.
        NetworkError: An address cannot be had.
    """
    from kinegraph.robot.testing.relay import Relay

    check_duration("seconds", seconds, zero=False)
    if seconds > 3600.0:
        raise InvalidArgumentError(f"seconds is {seconds!r}; at most an hour is measured")
    try:
        listener = socket.create_server((server, 0))
    except OSError as problem:
        raise NetworkError(
            f"an echo cannot listen on {server}: {problem}", host=server
        ) from problem
    with listener:
        port = listener.getsockname()[1]
        with Relay(listen, server, port=0, server_port=port, priority=priority) as relay:
            host, relay_port = relay.address
            words = [str(listener.fileno()), server, host, str(relay_port), repr(float(seconds))]
            try:
                subprocess.run(
                    [sys.executable, "-m", __name__, *words],
                    pass_fds=[listener.fileno()],
                    timeout=seconds + PATIENCE_S,
                    check=True,
                )
            except subprocess.SubprocessError as problem:
                raise NetworkError(f"the echo fails: {problem}") from problem
            response: dict[str, Any] = relay.figures()["response"]
    return response


def _main(fd: int, server: str, host: str, port: int, seconds: float) -> None:
    """Play robot and client; one thread, so that neither waits for the other's interpreter."""
    robot_udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client_udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    robot_udp.bind((server, 0))
    client_udp.bind((host, 0))
    client = socket.create_connection((host, port), PATIENCE_S, source_address=(host, 0))
    with socket.socket(fileno=fd) as listener, client, robot_udp, client_udp:
        client.sendall(CONNECT + struct.pack("<HH", 10, client_udp.getsockname()[1]))
        robot, _ = listener.accept()
        with robot:
            request = robot.recv(100)
            destination = (host, struct.unpack_from("<H", request, HEADER.size + 2)[0])
            robot.sendall(HEADER.pack(0, 0, HEADER.size + 3) + struct.pack("<BH", 0, 10))
            client.recv(100)
            _echo(robot_udp, client_udp, destination, seconds)


def _echo(
    robot: socket.socket, client: socket.socket, destination: tuple[str, int], seconds: float
) -> None:
    padding, answer = bytes(STATE_BYTES - 8), bytes(COMMAND_BYTES - 8)
    due = began = time.monotonic()
    number = 0
    while due - began < seconds:
        wait = max(due - time.monotonic(), 0.0)
        readable, _, _ = select.select([client, robot], [], [], wait)
        if client in readable:
            state, sender = client.recvfrom(2048)
            client.sendto(state[:8] + answer, sender)
        if robot in readable:
            robot.recv(2048)
        if time.monotonic() >= due:
            number, due = number + 1, due + PERIOD_S
            robot.sendto(struct.pack("<Q", number) + padding, destination)


if __name__ == "__main__":
    _fd, _server, _host, _port, _seconds = sys.argv[1:]
    _main(int(_fd), _server, _host, int(_port), float(_seconds))
