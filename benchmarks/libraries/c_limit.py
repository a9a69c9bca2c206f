"""What C does with the same batch on the same machine: the yardstick `c_limit.c`."""

import ctypes
import math
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
from robots import Robot

from libraries.base import Library

__all__ = ["CLimit"]

SOURCE = Path(__file__).parents[1] / "c_limit.c"
FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
if COMPILER is None:
    raise ImportError("there is no C compiler")


class CLimit(Library):
    only = ("batch", "batch_out")
    looped = False

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        origins, self.order, tool = _chain(robot)
        self.model = np.concatenate([*origins, tool], axis=None)
        self.library = _compiled(len(self.order))

    def stack(self, q: Any) -> Any:
        return np.ascontiguousarray(q)

    def batch(self, stack: Any) -> Any:
        return self.batch_out((stack, np.empty((len(stack), 4, 4))))

    def batch_out(self, pair: Any) -> Any:
        q, poses = pair
        pointers = (array.ctypes.data for array in (self.model, q, poses))
        model, rows, out = (ctypes.c_void_p(pointer) for pointer in pointers)
        self.library.place_rows(model, rows, ctypes.c_long(len(q)), out)
        return poses


def _compiled(joints: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "c_limit.so"
        command = [str(COMPILER), *FLAGS, f"-DJOINTS={joints}", str(SOURCE), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode:
            raise ImportError(f"{COMPILER} does not compile it: {done.stderr.strip()[:200]}")
        library = ctypes.CDLL(str(target))
    library.place_rows.restype = None
    return library


def _chain(robot: Robot) -> tuple[list[Any], list[str], Any]:
    """Origins (3, 4) of the moving joints from the root on, their names, and the tip's offset."""
    joints = {_end(joint, "child"): joint for joint in ET.fromstring(robot.text).iter("joint")}
    path, link = [], robot.tip
    while link in joints:
        path.append(joints[link])
        link = _end(joints[link], "parent")
    origins, order, offset = [], [], np.eye(4)
    for joint in reversed(path):
        offset = offset @ _origin(joint)
        if joint.get("type") == "fixed":
            continue
        axis = joint.find("axis")
        if axis is None or [float(x) for x in axis.get("xyz", "").split()] != [0.0, 0.0, 1.0]:
            raise NotImplementedError("only for robots whose joints all turn about z")
        origins.append(offset[:3])
        order.append(joint.get("name", ""))
        offset = np.eye(4)
    return origins, order, offset[:3]


def _end(joint: Any, tag: str) -> str:
    return str(joint.find(tag).get("link"))


def _origin(joint: Any) -> Any:
    origin = joint.find("origin")
    matrix = np.eye(4)
    if origin is None:
        return matrix
    matrix[:3, 3] = [float(x) for x in origin.get("xyz", "0 0 0").split()]
    roll, pitch, yaw = (float(x) for x in origin.get("rpy", "0 0 0").split())
    matrix[:3, :3] = _turn(2, yaw) @ _turn(1, pitch) @ _turn(0, roll)
    return matrix


def _turn(axis: int, angle: float) -> Any:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = math.cos(angle)
    matrix[j, i], matrix[i, j] = math.sin(angle), -math.sin(angle)
    return matrix
