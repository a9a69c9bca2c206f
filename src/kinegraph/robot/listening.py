"""The TCP sockets on which simulated devices and the relay wait for clients."""

import socket

from kinegraph.robot.errors import NetworkError

__all__ = ["open_listener"]

_BACKLOG = 8


def open_listener(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: IPv4 address of this machine.
        port: TCP port, 0 for any free one.

    Raises:
        NetworkError: The address cannot be had.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except (OSError, TypeError) as problem:  # TypeError: a name that cannot be encoded
        listener.close()
        text = f"cannot listen on {host}:{port}: {problem}"
        raise NetworkError(text, host=host, port=port) from problem
    return listener
