"""This library, validation on."""

from typing import Any

import numpy as np
from robots import GRIPPER_TIP, PREFIX, Robot, gripper_text

from kinegraph.kinematics import (
    InverseOptions,
    OFKTStateSolver,
    inverse_kinematics,
    jacobian,
    jacobians,
    link_pose,
    link_poses,
    plan_inverse,
)
from kinegraph.scene import Joint, JointType, parseURDFString
from libraries.base import Library

__all__ = ["Kinegraph"]

TOLERANCE = 1e-6


class Kinegraph(Library):
    packages = ("kinegraph", "numba", "numpy")
    looped = False

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        # As in the others, mimic joints have values of their own.
        self.solver = OFKTStateSolver(parseURDFString(robot.text), mimic="independent")
        self.order = self.solver.getActiveJointNames()
        self.base = self.solver.getBaseLinkName()

    @property
    def links(self) -> list[str]:  # type: ignore[override]
        return self.solver.getLinkNames()

    def limits(self) -> Any:
        """Bounds from which configurations are drawn, (n, 2)."""
        return np.clip(self.solver.getLimits().joint_limits, -3.0, 3.0)

    def stack(self, q: Any) -> Any:
        return np.ascontiguousarray(q)

    def pose(self, q: Any) -> Any:
        return link_pose(self.solver, q, self.tip)

    def set_pose(self, q: Any) -> Any:
        self.solver.setState(q)
        return self.solver.getLinkTransform(self.tip).matrix

    def all_poses(self, q: Any) -> Any:
        return link_poses(self.solver, q)

    def all_dict(self, q: Any) -> Any:
        self.solver.setState(q)
        return self.solver.getState().link_transforms

    def jacobian(self, q: Any) -> Any:
        return jacobian(self.solver, q, self.tip)

    def set_jacobian(self, q: Any) -> Any:
        return self.solver.getJacobian(q, self.tip)

    def batch(self, stack: Any) -> Any:
        return link_pose(self.solver, stack, self.tip)

    def batch_out(self, pair: Any) -> Any:
        stack, poses = pair
        return link_pose(self.solver, stack, self.tip, out=poses)

    def jacobians(self, stack: Any) -> Any:
        return jacobians(self.solver, stack, self.tip)

    def start_leaf(self, row: Any) -> None:
        self.solver.setState(row)

    def leaf(self, value: float) -> Any:
        self.solver.setState({self.robot.leaf: value})
        return self.solver.getLinkTransform(self.tip).matrix

    def attach_setup(self) -> Any:
        solver = self.solver.clone()
        solver.setState(np.zeros(len(self.order)))
        mount = Joint(f"{PREFIX}mount")
        mount.type = JointType.FIXED
        mount.parent_link_name, mount.child_link_name = self.tip, f"{PREFIX}palm"
        return solver, parseURDFString(gripper_text()), mount

    def attach(self, setup: Any) -> Any:
        solver, gripper, mount = setup
        solver.insertSceneGraph(gripper, mount, PREFIX)
        return solver.getLinkTransform(PREFIX + GRIPPER_TIP).matrix

    def attach_whole_setup(self) -> Any:
        """The robot as the part that is attached, and a gripper that carries it."""
        mount = Joint(f"{PREFIX}mount")
        mount.type = JointType.FIXED
        mount.parent_link_name, mount.child_link_name = GRIPPER_TIP, f"{PREFIX}{self.base}"
        carrier = OFKTStateSolver(parseURDFString(gripper_text()), mimic="independent")
        return carrier, parseURDFString(self.robot.text), mount

    def attach_whole(self, setup: Any) -> Any:
        solver, part, mount = setup
        solver.insertSceneGraph(part, mount, PREFIX)
        return solver.getLinkTransform(PREFIX + self.tip).matrix

    def inverse_setup(self, targets: Any, seeds: Any) -> Any:
        plan = plan_inverse(self.solver, self.tip)
        columns = [self.order.index(name) for name in plan.joint_names]
        options = InverseOptions(position_tolerance=TOLERANCE, rotation_tolerance=TOLERANCE)
        return plan, targets, np.ascontiguousarray(seeds[:, columns]), options

    def inverse(self, problem: Any) -> Any:
        plan, targets, seeds, options = problem
        result = inverse_kinematics(plan, targets, seeds, options=options)
        return np.asarray(result.converged)
