"""pinocchio through its Python bindings; it checks lengths only."""

import math
from typing import Any

import numpy as np
import pinocchio as pin
from robots import GRIPPER_TIP, PREFIX, Robot, gripper_text

from libraries.base import Library

__all__ = ["Pinocchio"]

MOST_JOINTS = 300
TOLERANCE, ITERATIONS, DAMPING = 1e-6, 100, 1e-12


class Pinocchio(Library):
    packages = ("pin",)

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        self.model: Any = pin.buildModelFromXML(robot.text)
        if self.model.njoints > MOST_JOINTS:
            raise NotImplementedError(
                f"its Data grows with the cube of the joints, to 1.7 GB for 300 of them and over "
                f"the limit of memory for {self.model.njoints}"
            )
        self.data = self.model.createData()
        self.frame = self.model.getFrameId(robot.tip)
        self.order = list(self.model.names)[1:]
        bodies = [i for i, f in enumerate(self.model.frames) if f.type == pin.FrameType.BODY]
        self.bodies = bodies
        self.neutral = pin.neutral(self.model)

    @property
    def links(self) -> list[str]:  # type: ignore[override]
        return [self.model.frames[i].name for i in self.bodies]

    def rows(self, q: Any) -> Any:
        # A continuous joint takes a cosine and a sine: the model makes them.
        return [pin.integrate(self.model, self.neutral, row) for row in q]

    def pose(self, q: Any) -> Any:
        pin.forwardKinematics(self.model, self.data, q)
        return pin.updateFramePlacement(self.model, self.data, self.frame).homogeneous

    def all_poses(self, q: Any) -> Any:
        pin.framesForwardKinematics(self.model, self.data, q)
        frames = self.data.oMf
        return [frames[i].homogeneous for i in self.bodies]

    def all_dict(self, q: Any) -> Any:
        pin.framesForwardKinematics(self.model, self.data, q)
        frames, names = self.data.oMf, self._names()
        return {name: frames[i].copy() for name, i in names}

    def _names(self) -> Any:
        if not hasattr(self, "_pairs"):
            self._pairs = list(zip(self.links, self.bodies, strict=True))
        return self._pairs

    def jacobian(self, q: Any) -> Any:
        return pin.computeFrameJacobian(
            self.model, self.data, q, self.frame, pin.LOCAL_WORLD_ALIGNED
        )

    def start_leaf(self, row: Any) -> None:
        joint = self.model.joints[self.model.getJointId(self.robot.leaf)]
        self.current, self.place, self.turning = row.copy(), joint.idx_q, joint.nq == 2

    def leaf(self, value: float) -> Any:
        if self.turning:
            self.current[self.place] = math.cos(value)
            self.current[self.place + 1] = math.sin(value)
        else:
            self.current[self.place] = value
        return self.pose(self.current)

    def attach_setup(self) -> Any:
        return pin.buildModelFromXML(gripper_text(PREFIX))

    def attach(self, setup: Any) -> Any:
        model: Any = pin.appendModel(self.model, setup, self.frame, pin.SE3.Identity())
        data = model.createData()
        frame = model.getFrameId(PREFIX + GRIPPER_TIP)
        pin.forwardKinematics(model, data, pin.neutral(model))
        return pin.updateFramePlacement(model, data, frame).homogeneous

    def inverse_setup(self, targets: Any, seeds: Any) -> Any:
        return list(zip([pin.SE3(target) for target in targets], self.rows(seeds), strict=True))

    def inverse(self, problem: Any) -> Any:
        return np.array([self._solve(target, seed.copy()) for target, seed in problem])

    def _solve(self, target: Any, q: Any) -> bool:
        """The closed loop that a user writes: damped steps on the logarithm of the error."""
        model, data, frame = self.model, self.data, self.frame
        damping = DAMPING * np.eye(6)
        for _ in range(ITERATIONS):
            pin.forwardKinematics(model, data, q)
            error_pose = pin.updateFramePlacement(model, data, frame).actInv(target)
            error = pin.log6(error_pose).vector
            if error @ error < TOLERANCE * TOLERANCE:
                return True
            J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
            J = pin.Jlog6(error_pose.inverse()) @ J
            q = pin.integrate(model, q, J.T @ np.linalg.solve(J @ J.T + damping, error))
        return False
