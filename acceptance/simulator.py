"""Our simulated robot as a process of its own."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from children import Child, kinegraph

__all__ = ["CLIENT_FIFO", "RELAY_FIFO", "RELAY_HOST", "SERVER_FIFO", "SERVER_HOST", "simulator"]

# Other addresses for when these are taken: KINEGRAPH_ACCEPT_HOSTS=server,relay.
SERVER_HOST, RELAY_HOST = os.environ.get(
    "KINEGRAPH_ACCEPT_HOSTS", "127.0.0.21,127.0.0.51"
).split(",")  # fmt: skip
SERVER_FIFO, RELAY_FIFO, CLIENT_FIFO = 50, 60, 40
# Kernels may have to be compiled first.
START_S = 300.0


@contextmanager
def simulator(
    *options: str, fci: int = 10, host: str = SERVER_HOST, fifo: bool = False
) -> Iterator[Child]:
    """Serve until the block ends; gives the process.

    Args:
        options: More options of `kinegraph sim`.
        fci: Protocol version.
        host: Address of its sockets.
        fifo: Whether its loop runs at `SERVER_FIFO`.
    """
    command: Sequence[str] = kinegraph("sim", "--host", host, "--fci", str(fci), *options)
    if fifo:
        command = [*command, "--priority", str(SERVER_FIFO)]
    with Child(command) as child:
        child.wait_for("serving FCI", START_S)
        yield child
