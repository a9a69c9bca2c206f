"""The relay as a process of its own, between a client and a robot."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from children import Child, kinegraph
from simulator import RELAY_FIFO, RELAY_HOST, SERVER_HOST

__all__ = ["RelayProcess", "relay"]

START_S = 60.0


class RelayProcess:
    """What a relay has seen, once its block has ended."""

    def __init__(self, child: Child, arrays: Path) -> None:
        self.child = child
        self._arrays = arrays
        self._figures: dict[str, Any] = {}
        self.arrays: dict[str, np.ndarray] = {}

    def end(self) -> None:
        """End the process and read what it leaves."""
        text = self.child.end()
        start = text.find("{")
        self._figures = json.loads(text[start:])["arm"] if start >= 0 else {}
        if self._arrays.exists():
            with np.load(self._arrays) as arrays:
                self.arrays = {name.removeprefix("arm_"): arrays[name] for name in arrays}

    def figures(self) -> dict[str, Any]:
        """What `relay_figures` says."""
        return self._figures


@contextmanager
def relay(*options: str, server: str = SERVER_HOST, fifo: bool = True) -> Iterator[RelayProcess]:
    """Relay until the block ends.

    Args:
        options: Faults and more, as `kinegraph relay` takes them.
        server: Address of the robot.
        fifo: Whether it runs at `RELAY_FIFO`.
    """
    with TemporaryDirectory() as folder:
        arrays = Path(folder) / "arrays.npz"
        command = kinegraph("relay", "--listen", RELAY_HOST, "--server", server)
        command += ["--arrays", str(arrays), *options]
        if fifo:
            command += ["--priority", str(RELAY_FIFO)]
        with Child(command) as child:
            child.wait_for(RELAY_HOST, START_S)
            process = RelayProcess(child, arrays)
            try:
                yield process
            finally:
                process.end()
