"""Calling every kernel once, so that nothing is compiled later."""

import numpy as np

from kinegraph.kinematics import arrays, dynamics
from kinegraph.kinematics.dynamics_plan import plan_dynamics
from kinegraph.kinematics.inverse import inverse_kinematics
from kinegraph.kinematics.inverse_plan import plan_inverse
from kinegraph.kinematics.ofkt import OFKTStateSolver
from kinegraph.scene.graph import SceneGraph
from kinegraph.scene.joint import Joint, JointType
from kinegraph.scene.joint_parts import JointLimits
from kinegraph.scene.link import Link
from kinegraph.scene.link_parts import Inertial
from kinegraph.scene.pose import Isometry3d

__all__ = ["touch_all"]

Q = np.zeros(2)


def touch_all() -> None:
    """Use each kind of query and edit once, on a scene of three links."""
    solver = OFKTStateSolver(_scene())
    _touch_solver(solver)
    _touch_arrays(solver)
    _touch_inverse(solver)
    _touch_dynamics(solver)
    _touch_edits(solver)


def _touch_solver(solver: OFKTStateSolver) -> None:
    solver.setState(Q)
    solver.getLinkTransform("tip")
    solver.getRelativeLinkTransform("tip", "middle")
    for values in ({"first": 0.1}, Q):
        solver.getState()
        solver.setState(values)
    solver.getState()
    solver.getState(Q)
    solver.getJacobian({"first": 0.1}, "tip")
    solver.getJacobian(Q, "tip")


def _touch_arrays(solver: OFKTStateSolver) -> None:
    many = np.zeros((2, 2))
    for q in (Q, many):
        arrays.link_pose(solver, q, "tip")
        arrays.link_poses(solver, q)
    arrays.link_pose(solver, Q, "tip")
    arrays.jacobian(solver, Q, "tip")
    arrays.jacobian(solver, Q, "tip", "body")
    arrays.jacobians(solver, many, "tip")


def _touch_inverse(solver: OFKTStateSolver) -> None:
    plan = plan_inverse(solver, "tip")
    inverse_kinematics(plan, np.eye(4))
    inverse_kinematics(plan, np.stack((np.eye(4),) * 2))
    inverse_kinematics(plan, Isometry3d(), Q)


def _touch_dynamics(solver: OFKTStateSolver) -> None:
    plan = plan_dynamics(solver, None, "tip", inertials_from=_scene())
    dynamics.mass_matrix(plan, Q)
    dynamics.inverse_dynamics(plan, Q, Q, Q)
    dynamics.forward_dynamics(plan, Q, Q, Q)
    dynamics.jacobian_derivative(plan, Q, Q)


def _touch_edits(solver: OFKTStateSolver) -> None:
    """Edit with poses kept up, read single poses in between and everything at the end."""
    for name in ("a", "b"):
        solver.addLink(Link(name), _joint(name, "tip", name))
        solver.getLinkTransform(name)
    solver.setState(np.zeros(4))
    solver.moveLink(_joint("c", "base", "a"))
    solver.getState()
    solver.removeLink("tip")
    solver.changeJointOrigin("first", Isometry3d())
    solver.getState()


def _scene() -> SceneGraph:
    graph = SceneGraph("warm_up")
    graph.addLink(Link("base"))
    for name, parent, child in (("first", "base", "middle"), ("second", "middle", "tip")):
        link = Link(child)
        link.inertial = Inertial()
        link.inertial.mass = link.inertial.ixx = link.inertial.iyy = link.inertial.izz = 1.0
        graph.addLink(link, _joint(name, parent, child))
    return graph


def _joint(name: str, parent: str, child: str) -> Joint:
    joint = Joint(name)
    joint.type = JointType.REVOLUTE
    joint.parent_link_name, joint.child_link_name = parent, child
    joint.limits = JointLimits(-1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    return joint
