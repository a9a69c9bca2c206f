"""The connection to one robot: TCP for commands, a UDP socket for states, the handshake."""

import logging
import os
import socket
import struct
import weakref

import numpy as np

from kinegraph.robot.argument_checks import check_host, check_whole
from kinegraph.robot.command_channel import CommandChannel
from kinegraph.robot.errors import (
    IncompatibleVersionError,
    InvalidArgumentError,
    NetworkError,
    ProtocolError,
)
from kinegraph.robot.wire.protocol import Protocol
from kinegraph.robot.wire.tables import PROTOCOLS, TCP_PORT

__all__ = ["Connection", "check_address", "connect", "open_connection"]

_LOG = logging.getLogger("kinegraph.robot")
_CONNECT_S = 3.0
_SEND_S = 1
_NEWEST, _FALLBACK = 10, 5
_RECEIVE_BUFFER = 4 << 20
PORT_MAX = 65535


class Connection:
    """An accepted connection.

    Attributes:
        channel: The commands.
        udp: Socket on which states arrive.
        version: Version that both sides speak.
        server_version: What the robot's reply said.
        host: As given.
        local_address: Own address and UDP port.
    """

    def __init__(
        self, host: str, channel: CommandChannel, udp: socket.socket, server_version: int
    ) -> None:
        self.host = host
        self.channel = channel
        self.udp = udp
        self.version = channel.protocol.version
        self.server_version = server_version
        self.local_address: tuple[str, int] = udp.getsockname()
        _open.add(self)

    def close(self) -> None:
        """Close both sockets."""
        self.channel.close()
        self.udp.close()


_open: "weakref.WeakSet[Connection]" = weakref.WeakSet()


def _drop_in_child() -> None:
    # A child's copies would keep the robot's side open after this process has died.
    for connection in list(_open):
        connection.channel.drop()
        connection.udp.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_in_child)


def open_connection(
    host: str, *, port: int = TCP_PORT, version: int | None = None, timeout_s: float = 10.0
) -> Connection:
    """Connect to a robot and agree on a version.

    Args:
        host: Name or IPv4 address.
        port: TCP port.
        version: Version to insist on; None announces 10 and falls back to 5.
        timeout_s: Limit for each reply, s.

    Raises:
        NetworkError: No connection, or no answer.
        IncompatibleVersionError: The robot speaks another version.
        ProtocolError: The answer is none of this protocol.
        InvalidArgumentError: There is no such version, or no such host or port can be.
    """
    check_address(host, port)
    if version is not None and (not isinstance(version, int) or version not in PROTOCOLS):
        raise InvalidArgumentError(
            f"no FCI version {version!r}; {', '.join(map(str, sorted(PROTOCOLS)))} are spoken",
            version=version,
        )
    try:
        return connect(host, port, PROTOCOLS[version or _NEWEST], timeout_s)
    except IncompatibleVersionError as error:
        if version is not None or error.server_version != _FALLBACK:
            raise
    return connect(host, port, PROTOCOLS[_FALLBACK], timeout_s)


def check_address(host: object, port: object) -> None:
    """Refuse what can be no host and no port.

    Raises:
        InvalidArgumentError: It is none. Also a `ValueError`.
    """
    check_host("host", host)
    check_whole("port", port, 1, PORT_MAX)


def connect(host: str, port: int, protocol: Protocol, timeout_s: float) -> Connection:
    """Connect to a device and announce the version of a protocol.

    Raises:
        NetworkError: No connection, or no answer.
        IncompatibleVersionError: The device speaks another version.
        ProtocolError: The answer is none of this protocol.
    """
    tcp = _connect_tcp(host, port, min(timeout_s, _CONNECT_S))
    channel = CommandChannel(tcp, protocol)
    udp = None
    try:
        udp = _bind_udp(tcp.getsockname()[0])
        fields = {"version": protocol.version, "udp_port": udp.getsockname()[1]}
        payload = channel.request("Connect", fields, timeout_s=timeout_s)
        reply = np.frombuffer(payload, protocol.dtype("Connect.Response"), count=1)[0]
        server_version = int(reply["version"])
        _check_connected(protocol, int(reply["status"]), server_version)
        return Connection(host, channel, udp, server_version)
    except BaseException:
        channel.close()
        if udp is not None:
            udp.close()
        raise


def _check_connected(protocol: Protocol, status: int, server_version: int) -> None:
    name = protocol.status_names["Connect"].get(status)
    if name == "IncompatibleLibraryVersion":
        raise IncompatibleVersionError(
            f"libfranka: Incompatible library version (server version: {server_version}, "
            f"library version: {protocol.version}). kinegraph speaks {_spoken(protocol)}.",
            server_version=server_version,
            library_version=protocol.version,
        )
    if name is None:
        raise ProtocolError(
            "libfranka: Protocol error during connection attempt", command="Connect", status=status
        )
    if server_version != protocol.version:
        _LOG.warning(
            "the %s accepted version %d and calls its own version %d",
            protocol.device,
            protocol.version,
            server_version,
        )


def _spoken(protocol: Protocol) -> str:
    if protocol.device != "robot":
        return f"version {protocol.version} with a {protocol.device.replace('_', ' ')}"
    return f"the versions {' and '.join(map(str, sorted(PROTOCOLS)))}"


def _connect_tcp(host: str, port: int, timeout_s: float) -> socket.socket:
    where = f"({host}:{port})"
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout_s)
        sock.connect((host, port))
        sock.settimeout(None)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A peer that reads nothing must not hold a sender for ever.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", _SEND_S, 0))
    except BaseException as error:
        sock.close()
        if isinstance(error, ConnectionRefusedError):
            raise NetworkError(
                "libfranka: Connection to FCI refused. Please install FCI feature or enable FCI "
                f"mode in Desk. {where}",
                host=host,
                port=port,
            ) from error
        if isinstance(error, TimeoutError):
            raise NetworkError(
                "libfranka: Connection timeout. Please check your network connection or settings. "
                f"{where}",
                host=host,
                port=port,
            ) from error
        if isinstance(error, OSError):
            raise NetworkError(
                f"libfranka: Connection error: {error} {where}", host=host, port=port
            ) from error
        raise
    return sock


def _bind_udp(address: str) -> socket.socket:
    """A UDP socket on the interface that leads to the robot, with as much room as is granted."""
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        # The forced form needs a privilege; the other is cut to the system's limit.
        force = getattr(socket, "SO_RCVBUFFORCE", 33)
        try:
            udp.setsockopt(socket.SOL_SOCKET, force, _RECEIVE_BUFFER)
        except OSError:
            udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
        udp.bind((address, 0))
        udp.setblocking(False)
    except BaseException:
        udp.close()
        raise
    return udp
