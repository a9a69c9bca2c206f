"""Calling every kernel once, so that nothing is compiled later."""

import numpy as np

from kinegraph.kinematics import arrays
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.joint_parts import JointLimits
from kinegraph.scene.link import Link

__all__ = ["touch_all"]


def touch_all() -> None:
    """Use each kind of query once, on a scene of three links."""
    solver = OFKTStateSolver(_scene())
    q = np.zeros(2)
    many = np.zeros((2, 2))
    solver.setState(q)
    solver.getLinkTransform("tip")
    solver.getState()
    solver.setState({"first": 0.1})
    solver.getState()
    solver.getJacobian(q, "tip")
    solver.getJacobian({"first": 0.1}, "tip")
    arrays.link_pose(solver, q, "tip")
    arrays.link_poses(solver, q)
    arrays.link_pose(solver, many, "tip")
    arrays.link_poses(solver, many)
    arrays.jacobians(solver, many, "tip")


def _scene() -> SceneGraph:
    graph = SceneGraph("warm_up")
    graph.addLink(Link("base"))
    for name, parent, child in (("first", "base", "middle"), ("second", "middle", "tip")):
        joint = Joint(name)
        joint.type = JointType.REVOLUTE
        joint.parent_link_name, joint.child_link_name = parent, child
        joint.limits = JointLimits(-1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
        graph.addLink(Link(child), joint)
    return graph
