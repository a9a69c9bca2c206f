"""Robot programs that others wrote, as processes: clients that end, servers that are ended.

Each lives in a virtual environment of its own, made by `make peers`. Nothing here waits without a
limit: what does not end in time is killed by its number and fails as a hang.
"""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from oracles import ALL_INSTALL

__all__ = [
    "environment",
    "franky_assets",
    "needs_peers",
    "peer_program",
    "running",
    "serving",
    "tell",
]

ROOT = Path(__file__).parents[2]
PEERS = Path(os.environ.get("KINEGRAPH_PEERS", ROOT / ".venv-peers"))
FOREIGN = Path(__file__).parent / "foreign"
# Ten times and more what the longest of the tasks takes on an idle machine.
LIMIT_S = 120.0
END_S = 10.0

# Where the programs install, one that is missing is a failure and not a skip.
needs_peers = pytest.mark.skipif(
    not ALL_INSTALL, reason="the third-party robot programs have no wheels here"
)


def peer_program(group: str, name: str = "python") -> str:
    """Program of one group: `v10`, `v5`, `franky-sim` or `franka-sim`."""
    path = PEERS / group / "bin" / name
    if not path.exists():
        pytest.fail(f"{path} is missing: `make peers` installs it")
    return str(path)


def environment() -> dict[str, str]:
    """Ours, without what points to our own packages; small products stay in one thread."""
    ours = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return ours | {"OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


def tell(group: str, script: str, *arguments: str, limit_s: float = LIMIT_S) -> dict[str, Any]:
    """Run a task of a client to its end; returns what it printed, one JSON object of all lines."""
    with running(group, script, *arguments) as process:
        try:
            out, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
            pytest.fail(f"{script} {arguments} hangs; so far it said {out}\n{errors}")
    assert process.returncode == 0, f"{script} {arguments}: {errors}\n{out}"
    said: dict[str, Any] = {}
    for line in out.splitlines():
        if line.startswith("{"):  # some programs print for themselves
            said |= json.loads(line)
    return said


@contextmanager
def running(group: str, script: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a script of `foreign`; it is gone when the block ends."""
    command = [peer_program(group), str(FOREIGN / script), *arguments]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    )
    try:
        yield process
    finally:
        end(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def end(process: subprocess.Popen[str]) -> None:
    """End a process: asked first, then killed."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def serving(group: str, script: str, host: str, *arguments: str) -> Iterator[None]:
    """Run a simulator of others until the block ends; it listens on both ports when it begins."""
    with running(group, script, host, *arguments) as process:
        texts: list[str] = []
        readers = [
            threading.Thread(target=lambda s=stream: texts.extend(s or ()), daemon=True)
            for stream in (process.stdout, process.stderr)
        ]
        for reader in readers:
            reader.start()
        limit = time.monotonic() + LIMIT_S
        while not all(listens(host, port) for port in (1337, 1338)):
            if process.poll() is not None or time.monotonic() > limit:
                pytest.fail(f"{script} does not serve: {''.join(texts)}")
            time.sleep(0.1)
        yield
        assert process.poll() is None, f"{script} ended by itself: {''.join(texts)}"
        end(process)
        for reader in readers:
            reader.join()


def listens(host: str, port: int) -> bool:
    """Whether something listens; asked of the kernel, for a connection would disturb a server."""
    wanted = f"{int.from_bytes(socket.inet_aton(host), 'little'):08X}:{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    anywhere = f"00000000:{port:04X}"
    return any(row[3] == "0A" and row[1] in (wanted, anywhere) for row in rows)


def franky_assets() -> str:
    """Folder of the FR3 that franky-sim brings: `fr3.xml` and `meshes`."""
    folder = Path(peer_program("franky-sim")).parents[1]
    return str(next(folder.glob("lib/python3*/site-packages/franky_sim/assets")))
