"""MuJoCo through its Python bindings; nothing is checked."""

from typing import Any

import mujoco
import numpy as np
from robots import GRIPPER_TIP, PREFIX, Robot, gripper_text

from libraries.base import Library

__all__ = ["MuJoCo"]

# Keep every link as a body, and do not ask for the masses of dynamics.
OPTIONS = (
    '<mujoco><compiler fusestatic="false" boundmass="1e-4" boundinertia="1e-6" '
    'balanceinertia="true" strippath="true"/></mujoco></robot>'
)


def _readable(text: str) -> str:
    return text.replace("</robot>", OPTIONS)


def _matrix(data: Any, body: int) -> Any:
    matrix = np.eye(4)
    matrix[:3, :3] = data.xmat[body].reshape(3, 3)
    matrix[:3, 3] = data.xpos[body]
    return matrix


class MuJoCo(Library):
    packages = ("mujoco",)

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        self.model: Any = mujoco.MjModel.from_xml_string(_readable(robot.text))
        self.data = mujoco.MjData(self.model)
        self.body = self.model.body(robot.tip).id
        self.order = [self.model.joint(i).name for i in range(self.model.njnt)]
        self.linear = np.zeros((3, self.model.nv))
        self.angular = np.zeros((3, self.model.nv))
        self.blank = np.tile(np.eye(4), (self.model.nbody, 1, 1))

    @property
    def links(self) -> list[str]:  # type: ignore[override]
        return [self.model.body(i).name for i in range(self.model.nbody)]

    def pose(self, q: Any) -> Any:
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        return _matrix(self.data, self.body)

    def all_poses(self, q: Any) -> Any:
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        poses = self.blank.copy()
        poses[:, :3, :3] = self.data.xmat.reshape(-1, 3, 3)
        poses[:, :3, 3] = self.data.xpos
        return poses

    def jacobian(self, q: Any) -> Any:
        self.data.qpos[:] = q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_jacBody(self.model, self.data, self.linear, self.angular, self.body)
        return np.concatenate((self.linear, self.angular))

    def start_leaf(self, row: Any) -> None:
        self.data.qpos[:] = row
        self.place = self.model.joint(self.robot.leaf).qposadr[0]

    def leaf(self, value: float) -> Any:
        self.data.qpos[self.place] = value
        mujoco.mj_kinematics(self.model, self.data)
        return _matrix(self.data, self.body)

    def attach_setup(self) -> Any:
        spec = mujoco.MjSpec.from_string(_readable(self.robot.text))
        return spec, mujoco.MjSpec.from_string(_readable(gripper_text()))

    def attach(self, setup: Any) -> Any:
        spec, gripper = setup
        spec.attach(gripper, prefix=PREFIX, frame=spec.body(self.tip).add_frame())
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        return _matrix(data, model.body(PREFIX + GRIPPER_TIP).id)
