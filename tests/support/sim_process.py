"""A simulated robot as a process of its own, to be killed."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["sim_process"]

STOP_S = 20.0


@contextmanager
def sim_process(host: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Run `kinegraph sim` on an address until the block ends; it serves when the block begins."""
    command = [sys.executable, "-m", "kinegraph.cli.main", "sim", "--host", host, *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            while line and "serving" not in line:
                line = process.stdout.readline()
            assert line, "the simulated robot does not come up"
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
