"""Serve franka-sim on one address: `serve_franka_sim.py HOST ASSETS [enforce]`.

Its own command binds every interface and downloads a robot. Here it is given franky-sim's FR3,
whose meshes it looks for in a folder of another name. SIGUSR1 pushes the arm for a second.
"""

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

HOST, ASSETS = sys.argv[1], Path(sys.argv[2])
ENFORCE = "enforce" in sys.argv[3:]
PUSH_N, PUSH_S = 10.0, 1.0


def push(simulation: Any, force: float) -> None:
    simulation.data.xfrc_applied[simulation.ee_body_id, 0] = force


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "fr3.xml"
        model.write_bytes((ASSETS / "fr3.xml").read_bytes())
        (Path(folder) / "assets").symlink_to(ASSETS / "meshes")
        os.environ["FR3_MJCF"] = str(model)  # read when the module is imported
        from franka_sim import FrankaSimServer

        server = FrankaSimServer(
            host=HOST,
            physics="mujoco",
            enforce_comm_constraints=ENFORCE,
            enforce_motion_limits=ENFORCE,
        )

        def pushed(*_: object) -> None:
            push(server.physics_sim, PUSH_N)
            threading.Timer(PUSH_S, push, (server.physics_sim, 0.0)).start()

        signal.signal(signal.SIGUSR1, pushed)
        server.start()


if __name__ == "__main__":
    main()
