# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""What a user writes: it runs, and type checkers take it at their strictest and refuse the wrong.

The second half is in this file, too: an ignore that is not needed is an error.
"""

import numpy as np
import pytest
from kinematics_cases import bent_graph
from numpy.typing import NDArray

from kinegraph.kinematics import (
    KDLStateSolver,
    KinematicLimits,
    MutableStateSolver,
    OFKTStateSolver,
    SceneState,
    StateSolver,
    jacobianChangeBase,
    jacobianChangeRefPoint,
)
from kinegraph.scene import Isometry3d, Joint, JointType, Link, SceneGraph

Numbers = NDArray[np.float64]
POSE = Isometry3d.Identity()


def both() -> list[StateSolver]:
    return [
        OFKTStateSolver(bent_graph(), "", mimic="independent"),
        KDLStateSolver(bent_graph(), mimic="follow"),
    ]


def test_every_way_to_set_values_is_typed() -> None:
    for solver in both():
        names = solver.getActiveJointNames()
        q: Numbers = np.zeros(len(names))
        solver.setState(q)
        solver.setState([0.0] * len(names))
        solver.setState(tuple(0.0 for _ in names))
        solver.setState(np.zeros(len(names), np.float32))
        solver.setState(np.arange(len(names)))
        solver.setState(range(len(names)))
        solver.setState({names[0]: 0.3})
        solver.setState({names[0]: 1})
        solver.setState({names[0]: np.float64(0.3)})
        solver.setState({})
        solver.setState(names[:1], np.array([0.3]))
        solver.setState(names[:1], [0.3])
        solver.setState(np.array(names), q)
        solver.setState(q, {"jf": POSE})
        solver.setState({names[0]: 0.1}, {"jf": np.eye(4)})
        solver.setState(names, q, {"jf": POSE})
        solver.setState(joint_values=q)
        solver.setState(joint_values={names[0]: 0.1}, floating_joint_values={})
        solver.setState(joint_names=names, joint_values=q)
        solver.setState(names, joint_values=q)
        solver.setState(floating_joint_values={})
        solver.setStateByMap({names[0]: 0.3})
        solver.setStateByNamesAndValues(names, q)
    OFKTStateSolver(bent_graph()).setState({"jf": POSE})
    OFKTStateSolver(bent_graph()).setState(floating_joint_values={"jf": np.eye(4)})


def test_every_way_to_get_a_state_is_typed() -> None:
    for solver in both():
        names = solver.getActiveJointNames()
        q: Numbers = np.zeros(len(names))
        states: list[SceneState] = [
            solver.getState(),
            solver.getState(q),
            solver.getState([0.0, 0.0]),
            solver.getState({names[0]: 0.0}),
            solver.getState(names, q),
            solver.getState(names, q, {"jf": Isometry3d()}),
            solver.getState(floating_joint_values={}),
            solver.getState(joint_values=q),
            solver.getState(joint_names=names, joint_values=[0.0, 0.0]),
            solver.getRandomState(),
            solver.getRandomState(3),
            solver.getRandomState(rng=np.random.default_rng(1)),
        ]
        state = states[0]
        values: Numbers = state.getJointValues(names)
        floating: dict[str, Isometry3d] = state.getFloatingJointValues(["jf"])
        state.joints = {"a": 1.0}
        joints: dict[str, float] = state.joints
        links: dict[str, Isometry3d] = states[1].link_transforms
        assert (values.shape, list(floating), joints) == ((2,), ["jf"], {"a": 1.0})
        assert links["l3"].isApprox(solver.getLinkTransform("l3"), 1e-14)
        limits: KinematicLimits = solver.getLimits()
        low: Numbers = limits.joint_limits[:, 0]
        assert low.tolist() == [-2.0, -2.0]


def test_every_way_to_get_jacobians_and_poses_is_typed() -> None:
    for solver in both():
        names = solver.getActiveJointNames()
        q: Numbers = np.zeros(len(names))
        jacobians: list[Numbers] = [
            solver.getJacobian({names[0]: 0.0}, "l3"),
            solver.getJacobian(q, "l3"),
            solver.getJacobian([0.0, 0.0], "l3", {"jf": Isometry3d()}),
            solver.getJacobian(names, q, "l3"),
            solver.getJacobian(names, [0.0, 0.0], "l3", {"jf": Isometry3d()}),
            solver.getJacobian(q, "l3", link_point=[0, 0, 0.0], base_link="base"),
            solver.getJacobian(joint_names=names, joint_values=q, link_name="l3"),
            solver.getJacobian(q, link_name="l3", floating_joint_values={}),
            solver.getJacobian(joint_values={names[0]: 0.0}, link_name="l3"),
        ]
        jacobians += [
            jacobianChangeBase(jacobians[0], Isometry3d()),
            jacobianChangeRefPoint(jacobians[0], np.zeros(3)),
        ]
        for jacobian in jacobians:
            np.testing.assert_allclose(jacobian, jacobians[0], atol=1e-15)
        listed: list[Isometry3d] = solver.getLinkTransforms()
        named: list[dict[str, Isometry3d]] = [
            solver.getLinkTransforms(names, q),
            solver.getLinkTransforms(joint_names=names, joint_values=q),
            solver.getLinkTransforms(q),
            solver.getLinkTransforms({names[0]: 0.0}),
        ]
        assert all(list(poses.values()) == listed for poses in named)
        relative = solver.getRelativeLinkTransform("l1", "l3")
        wanted = solver.getLinkTransform("l1") @ relative
        assert wanted.isApprox(solver.getLinkTransform("l3"), 1e-14)
        copied = solver.clone()
        copied.setState(q)
        flags: list[bool] = [solver.hasLinkName("l1"), solver.isActiveLinkName("l1")]
        assert flags == [True, True]


def fixed(name: str, parent: str, child: str) -> Joint:
    joint = Joint(name)
    joint.type = JointType.FIXED
    joint.parent_link_name, joint.child_link_name = parent, child
    return joint


def test_every_mutation_is_typed() -> None:
    solver: MutableStateSolver = OFKTStateSolver(bent_graph())
    part = SceneGraph("part")
    part.addLink(Link("tip"))
    done: list[bool] = [
        solver.addLink(Link("x"), fixed("jx", "l3", "x")),
        solver.moveLink(fixed("jx", "l1", "x")),
        solver.replaceJoint(fixed("jx", "base", "x")),
        solver.moveJoint("jx", "l2"),
        solver.changeJointOrigin("jx", np.eye(4)),
        solver.changeJointOrigin("jx", POSE),
        solver.changeJointPositionLimits("j1", -1, 1.0),
        solver.changeJointVelocityLimits("j1", 1),
        solver.changeJointAccelerationLimits("j1", 1.0),
        solver.changeJointJerkLimits("j1", 1.0),
        solver.insertSceneGraph(part, fixed("mount", "x", "p_tip"), prefix="p_"),
        solver.removeJoint("mount"),
        solver.removeLink("x"),
    ]
    assert all(done)
    solver.setRevision(solver.getRevision() + 1)
    assert OFKTStateSolver("root").getRevision() == 0


def test_what_is_wrong_is_refused_by_type_checkers_too() -> None:
    solver, q = OFKTStateSolver(bent_graph()), np.zeros(2)
    with pytest.raises(TypeError):
        solver.setState("abc")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        solver.setState(None)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        solver.setState(q, None)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        solver.setState(["a"], q, 3)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        solver.getState(5.0)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        solver.getJacobian(q)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        solver.getJacobian(q, 3)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        solver.getLinkTransform(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mimic"):
        OFKTStateSolver(bent_graph(), mimic="copy")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        KDLStateSolver("name")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        StateSolver()  # type: ignore[abstract]
    with pytest.raises(TypeError):
        solver.addLink("x", "y")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        solver.changeJointVelocityLimits("j1", "3")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        solver.setRevision("7")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        solver.getRandomState("x")  # type: ignore[arg-type]
