"""tesseract's state solvers through tesseract-robotics 0.5.1, and its KDL inverse kinematics."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import tesseract_robotics
from robots import GRIPPER_TIP, PREFIX, Robot, gripper_text
from tesseract_robotics import (
    tesseract_common,
    tesseract_scene_graph,
    tesseract_state_solver,
    tesseract_urdf,
)

from libraries.base import Library

__all__ = ["TesseractKDL", "TesseractOFKT"]


def _graph(text: str) -> Any:
    if "make_convex" not in text:
        mark = 'xmlns:tesseract="tesseract" tesseract:make_convex="false"'
        text = text.replace("<robot ", f"<robot {mark} ", 1)
    graph = tesseract_urdf.parseURDFString(text, tesseract_common.GeneralResourceLocator())
    return graph.release() if hasattr(graph, "release") else graph


class TesseractOFKT(Library):
    packages = ("tesseract-robotics",)
    kind: ClassVar[str] = "OFKTStateSolver"

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        self.graph = _graph(robot.text)
        self.solver: Any = self._solver(self.graph)
        self.order = list(self.solver.getActiveJointNames())
        self.leaf_name, self.leaf_value = [robot.leaf], np.zeros(1)

    def _solver(self, graph: Any) -> Any:
        return getattr(tesseract_state_solver, self.kind)(graph)

    @property
    def links(self) -> list[str]:  # type: ignore[override]
        return list(self.solver.getLinkNames())

    def pose(self, q: Any) -> Any:
        self.solver.setState(q)
        return self.solver.getLinkTransform(self.tip).matrix()

    def all_poses(self, q: Any) -> Any:
        self.solver.setState(q)
        return [transform.matrix() for transform in self.solver.getLinkTransforms()]

    def all_dict(self, q: Any) -> Any:
        self.solver.setState(q)
        state = self.solver.getState()  # kept: its maps point into it
        return dict(state.link_transforms.items())

    def jacobian(self, q: Any) -> Any:
        return self.solver.getJacobian(q, self.tip)

    def start_leaf(self, row: Any) -> None:
        self.solver.setState(row)

    def leaf(self, value: float) -> Any:
        self.leaf_value[0] = value
        self.solver.setState(self.leaf_name, self.leaf_value)
        return self.solver.getLinkTransform(self.tip).matrix()

    def attach_setup(self) -> Any:
        mount = tesseract_scene_graph.Joint(f"{PREFIX}mount")
        mount.type = tesseract_scene_graph.JointType_FIXED
        mount.parent_link_name, mount.child_link_name = self.tip, f"{PREFIX}palm"
        graph = _graph(self.robot.text)
        return graph, self._solver(graph), _graph(gripper_text()), mount

    def attach(self, setup: Any) -> Any:
        _, solver, gripper, mount = setup
        if not solver.insertSceneGraph(gripper, mount, PREFIX):
            raise RuntimeError("insertSceneGraph refused the gripper")
        return solver.getLinkTransform(PREFIX + GRIPPER_TIP).matrix()


class TesseractKDL(TesseractOFKT):
    kind = "KDLStateSolver"

    def attach(self, setup: Any) -> Any:
        graph, _, gripper, mount = setup
        graph.insertSceneGraph(gripper, mount, PREFIX)
        return self._solver(graph).getLinkTransform(PREFIX + GRIPPER_TIP).matrix()

    def inverse_setup(self, targets: Any, seeds: Any) -> Any:
        solver = self._inverse_solver()
        columns = [self.order.index(name) for name in solver.getJointNames()]
        problems = []
        for target, seed in zip(targets, seeds[:, columns], strict=True):
            wanted = tesseract_common.TransformMap()
            wanted[self.tip] = tesseract_common.Isometry3d(target)
            problems.append((wanted, np.ascontiguousarray(seed)))
        return solver, problems

    def _inverse_solver(self) -> Any:
        from tesseract_robotics import tesseract_kinematics

        package = Path(tesseract_robotics.__file__).parent
        folder = package.with_name("tesseract_robotics.libs")
        found = sorted(folder.glob("libtesseract_kinematics_kdl_factories*.so"))
        if not found:
            raise NotImplementedError("the KDL plugin is not where the wheel has it")
        base = self.solver.getBaseLinkName()
        plugin = {"class": "KDLInvKinChainLMAFactory"}
        text = (
            "kinematic_plugins: {"
            f"search_paths: ['{folder}'], search_libraries: ['{found[0].stem[3:]}'], "
            "inv_kin_plugins: {arm: {default: lma, plugins: {lma: "
            f"{{class: {plugin['class']}, config: {{base_link: {base}, tip_link: {self.tip}}}}}"
            "}}}}"
        )
        locator = tesseract_common.GeneralResourceLocator()
        self.factory = tesseract_kinematics.KinematicsPluginFactory(text, locator)
        return self.factory.createInvKin("arm", "lma", self.graph, self.solver.getState())

    def inverse(self, problem: Any) -> Any:
        solver, problems = problem
        return np.array([len(solver.calcInvKin(*one)) > 0 for one in problems])
