"""Serve franky-sim with a Connect reply that strict clients accept: `serve_franky_sim.py HOST`.

Its own reply has the version where libfranka does not look for it; franka-rs refuses that.
"""

import struct
import sys
from types import SimpleNamespace
from typing import Any

from franky_sim import franka_server
from franky_sim.run_server import main


def pack(form: str, *values: Any) -> bytes:
    return struct.pack("<BH5x" if form == "<HH4x" else form, *values)


if __name__ == "__main__":
    franka_server.struct = SimpleNamespace(**{**vars(struct), "pack": pack})
    sys.argv[1:] = ["--hostname", sys.argv[1], "-s", "mujoco"]
    main()
