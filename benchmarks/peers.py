"""The libraries of the side-by-side timings, each behind the same questions.

Joint values are handed over in the library's own order and type, prepared outside the timed part.
Results are numpy arrays in float64. Mimic joints are ordinary joints here, as in both peers.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kinegraph.kinematics import OFKTStateSolver, jacobian, link_pose, link_poses
from kinegraph.scene import parseURDFString
from kinegraph.scene.array_types import Array

__all__ = ["Kinegraph", "Pinocchio", "Tesseract", "load"]

ROBOTS = {
    "fr3": ("tests/golden/kinematics/fr3_hand/robot.urdf", "fr3_link8"),
    "pr2": ("benchmarks/robots/pr2.urdf", "r_gripper_tool_frame"),
}


def load(name: str) -> tuple[str, str]:
    """URDF text and tip link of a robot."""
    path, tip = ROBOTS[name]
    return (Path(__file__).parents[1] / path).read_text(encoding="utf-8"), tip


class Kinegraph:
    """This library, validation on."""

    def __init__(self, text: str, tip: str) -> None:
        self.tip = tip
        self.solver = OFKTStateSolver(parseURDFString(text), mimic="independent")
        self.order = self.solver.getActiveJointNames()

    def rows(self, q: Array, order: Sequence[str]) -> list[Array]:
        columns = [list(order).index(name) for name in self.order]
        return list(np.ascontiguousarray(q[:, columns]))

    def set_and_pose(self, q: Array) -> Array:
        self.solver.setState(q)
        return self.solver.getLinkTransform(self.tip).matrix

    def pose(self, q: Array) -> Array:
        return link_pose(self.solver, q, self.tip)

    def all_poses(self, q: Array) -> Array:
        return link_poses(self.solver, q)

    def all_as_dict(self, q: Array) -> Any:
        self.solver.setState(q)
        return self.solver.getState().link_transforms

    def jacobian(self, q: Array) -> Array:
        return jacobian(self.solver, q, self.tip)

    def get_jacobian(self, q: Array) -> Array:
        return self.solver.getJacobian(q, self.tip)

    def batch(self, q: Array) -> Array:
        return link_pose(self.solver, q, self.tip)


class Pinocchio:
    """pinocchio through its Python bindings."""

    def __init__(self, text: str, tip: str) -> None:
        import pinocchio as pin

        self.pin: Any = pin
        self.model = pin.buildModelFromXML(text)
        self.data = self.model.createData()
        self.tip = self.model.getFrameId(tip)
        self.bodies = [i for i, f in enumerate(self.model.frames) if f.type == pin.FrameType.BODY]
        self.neutral = pin.neutral(self.model)
        self.order = list(self.model.names)[1:]

    def rows(self, q: Array, order: Sequence[str]) -> list[Array]:
        columns = [list(order).index(name) for name in self.order]
        # A continuous joint takes a cosine and a sine: the model makes them.
        return [self.pin.integrate(self.model, self.neutral, row) for row in q[:, columns]]

    def pose(self, q: Array) -> Array:
        self.pin.forwardKinematics(self.model, self.data, q)
        placement = self.pin.updateFramePlacement(self.model, self.data, self.tip)
        return placement.homogeneous  # type: ignore[no-any-return]

    def all_poses(self, q: Array) -> list[Array]:
        self.pin.framesForwardKinematics(self.model, self.data, q)
        frames = self.data.oMf
        return [frames[i].homogeneous for i in self.bodies]

    def jacobian(self, q: Array) -> Array:
        return self.pin.computeFrameJacobian(  # type: ignore[no-any-return]
            self.model, self.data, q, self.tip, self.pin.LOCAL_WORLD_ALIGNED
        )

    def batch(self, rows: Sequence[Array]) -> Array:
        poses = np.empty((len(rows), 4, 4))
        for i, row in enumerate(rows):
            poses[i] = self.pose(row)
        return poses


class Tesseract:
    """tesseract's state solvers through tesseract-robotics 0.5.1."""

    def __init__(self, text: str, tip: str, kind: str = "OFKTStateSolver") -> None:
        from tesseract_robotics import tesseract_common, tesseract_state_solver, tesseract_urdf

        if "make_convex" not in text:
            mark = 'xmlns:tesseract="tesseract" tesseract:make_convex="false"'
            text = text.replace("<robot ", f"<robot {mark} ", 1)
        graph = tesseract_urdf.parseURDFString(text, tesseract_common.GeneralResourceLocator())
        self.graph = graph.release() if hasattr(graph, "release") else graph
        self.solver: Any = getattr(tesseract_state_solver, kind)(self.graph)
        self.tip = tip
        self.order = list(self.solver.getActiveJointNames())

    def rows(self, q: Array, order: Sequence[str]) -> list[Array]:
        columns = [list(order).index(name) for name in self.order]
        return list(np.ascontiguousarray(q[:, columns]))

    def pose(self, q: Array) -> Array:
        self.solver.setState(q)
        return self.solver.getLinkTransform(self.tip).matrix()  # type: ignore[no-any-return]

    def all_poses(self, q: Array) -> list[Array]:
        self.solver.setState(q)
        return [transform.matrix() for transform in self.solver.getLinkTransforms()]

    def all_as_dict(self, q: Array) -> Any:
        self.solver.setState(q)
        state = self.solver.getState()  # kept: its maps point into it
        transforms = state.link_transforms
        return {name: transforms[name] for name in self.names()}

    def names(self) -> list[str]:
        if not hasattr(self, "_names"):
            self._names = list(self.solver.getLinkNames())
        return self._names

    def jacobian(self, q: Array) -> Array:
        return self.solver.getJacobian(q, self.tip)  # type: ignore[no-any-return]

    def batch(self, rows: Sequence[Array]) -> Array:
        poses = np.empty((len(rows), 4, 4))
        for i, row in enumerate(rows):
            poses[i] = self.pose(row)
        return poses
