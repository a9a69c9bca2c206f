"""yourdfpy: a reader with forward kinematics in pure Python and numpy."""

import tempfile
from pathlib import Path
from typing import Any

import yourdfpy
from robots import Robot

from libraries.base import Library

__all__ = ["Yourdfpy"]


class Yourdfpy(Library):
    packages = ("yourdfpy",)

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        with tempfile.TemporaryDirectory() as folder:  # it reads files only
            path = Path(folder) / "robot.urdf"
            path.write_text(robot.text, encoding="utf-8")
            self.urdf = yourdfpy.URDF.load(str(path), load_meshes=False)
        self.order = list(self.urdf.actuated_joint_names)
        self.links = list(self.urdf.link_map)

    def pose(self, q: Any) -> Any:
        self.urdf.update_cfg(q)
        return self.urdf.get_transform(self.tip)

    def all_poses(self, q: Any) -> Any:
        self.urdf.update_cfg(q)
        return [self.urdf.get_transform(link) for link in self.links]

    def all_dict(self, q: Any) -> Any:
        self.urdf.update_cfg(q)
        return {link: self.urdf.get_transform(link) for link in self.links}

    def start_leaf(self, row: Any) -> None:
        self.urdf.update_cfg(row)

    def leaf(self, value: float) -> Any:
        self.urdf.update_cfg({self.robot.leaf: value})
        return self.urdf.get_transform(self.tip)
