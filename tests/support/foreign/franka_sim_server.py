"""Serve franka-sim 1.1.7 on one address: `franka_sim_server.py HOST ASSETS FOLDER [OPTION ...]`.

Options are `enforce` and `frictionless`. Its own command binds every interface and downloads a
robot. It is given franky-sim's FR3 instead (`ASSETS`), whose meshes it expects in a folder of
another name, beside a copy in `FOLDER`.
"""

import os
import re
import sys
from pathlib import Path

host, assets, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
options = sys.argv[4:]
model = (assets / "fr3.xml").read_text(encoding="utf-8")
if "frictionless" in options:
    model = re.sub(r' frictionloss="[^"]*"', "", model)
(folder / "fr3.xml").write_text(model, encoding="utf-8")
(folder / "assets").symlink_to(assets / "meshes")
os.environ["FR3_MJCF"] = str(folder / "fr3.xml")

from franka_sim import FrankaSimServer  # noqa: E402  # it reads the variable when imported

enforce = "enforce" in options
FrankaSimServer(
    host=host,
    physics="mujoco",
    enforce_comm_constraints=enforce,
    enforce_motion_limits=enforce,
    gripper_object_width=0.04,
).start()
