"""Keep the states that come to an address: `state_listener.py HOST FILE`, until SIGTERM.

Reads copies of the datagrams from the loopback device, so that nobody is held up. The file has each
state with its length, four bytes, before it.
"""

import contextlib
import ctypes
import os
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any

ETH_P_IP = 0x0800
SO_ATTACH_FILTER, SO_RCVBUFFORCE = 26, 33
ROOM = 64 << 20
HEADERS = 28  # IPv4 without options, UDP
SMALLEST = 1000  # commands are shorter, states longer
LIFELINE = 256


def only(host: str) -> Any:
    """A filter of the kernel: UDP to an address; packets begin with the IP header."""
    address = struct.unpack("!I", socket.inet_aton(host))[0]
    steps = (
        (0x30, 0, 0, 9),  # the protocol
        (0x15, 0, 3, socket.IPPROTO_UDP),
        (0x20, 0, 0, 16),  # to
        (0x15, 0, 1, address),
        (0x06, 0, 0, 0xFFFF),
        (0x06, 0, 0, 0),
    )
    return ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))


def listen(host: str, path: str) -> None:
    """Keep each state with its length before it, and write all at SIGTERM."""
    ended = False

    def end(*_: object) -> None:
        nonlocal ended
        ended = True

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = only(host)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    program = struct.pack("HL", 6, ctypes.addressof(code))
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)
    with contextlib.suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
    sock.settimeout(0.05)
    sock.bind(("lo", ETH_P_IP))
    kept: dict[int, bytes] = {}
    parent = os.getppid()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while not ended and os.getppid() == parent:
        for _ in range(LIFELINE):
            try:
                data = sock.recv(65536)[HEADERS:]
            except TimeoutError:
                break
            if len(data) >= SMALLEST:
                kept[int.from_bytes(data[:8], "little")] = data
    rows = (len(data).to_bytes(4, "little") + data for data in kept.values())
    Path(path).write_bytes(b"".join(rows))


if __name__ == "__main__":
    listen(sys.argv[1], sys.argv[2])
