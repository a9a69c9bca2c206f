"""Scene graphs of pinocchio models, whoever made them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from kinematics_cases import named, robot, robot_folders, small_robot
from oracles import third_party
from random_scenes import trees

from kinegraph.kinematics import OFKTStateSolver, mass_matrix, plan_dynamics
from kinegraph.scene import (
    InvalidInertialError,
    InvalidNameError,
    Isometry3d,
    JointType,
    SceneGraph,
    UnsupportedError,
    WrongTypeError,
    from_pinocchio,
    match_pinocchio,
    to_pinocchio,
    writeURDFString,
)
from kinegraph.scene.array_types import Array

pinocchio: Any = third_party("pinocchio")

FOLDERS = pytest.mark.parametrize("folder", robot_folders(), ids=named)


def se3(xyz: Any, rpy: Any = (0.0, 0.0, 0.0)) -> Any:
    """A transform of pinocchio's."""
    return pinocchio.SE3(Isometry3d.from_rpy(xyz, rpy).matrix.copy())


def inertia(mass: float, x: float) -> Any:
    """A body with its centre beside its frame and a full inertia matrix."""
    about = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]])
    return pinocchio.Inertia(mass, np.array([x, 0.1, -0.2]), about)


def check_frames(graph: SceneGraph, model: Any, configurations: int = 3) -> None:
    """Every link stands where the frame (or joint) of its name stands; so do its Jacobian's."""
    solver = OFKTStateSolver(graph)
    order = match_pinocchio(graph, model, solver.getActiveJointNames())
    data, rng = model.createData(), np.random.default_rng(2)
    for _ in range(configurations):
        q = rng.uniform(-1.5, 1.5, len(order.joint_names))
        floating = {
            name: Isometry3d.from_rpy(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
            for name in solver.getFloatingJointNames()
        }
        solver.setState(q, floating)
        pinocchio.framesForwardKinematics(model, data, order.configuration(q, floating))
        for frame, pose in zip(model.frames, data.oMf, strict=True):
            if frame.type not in (pinocchio.JOINT, pinocchio.FIXED_JOINT):
                expected = solver.getLinkTransform(frame.name).matrix
                found = np.array(pose.homogeneous)
                np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=frame.name)


def check_masses(graph: SceneGraph, model: Any) -> None:
    """A model of the graph has the same bodies on the same joints."""
    again, _ = to_pinocchio(graph, "independent")
    for name in list(model.names)[1:]:
        mine, its = again.inertias[again.getJointId(name)], model.inertias[model.getJointId(name)]
        np.testing.assert_allclose(
            mine.toDynamicParameters(), its.toDynamicParameters(), rtol=1e-9, atol=1e-12
        )


@FOLDERS
@pytest.mark.parametrize("mimic", ["follow", "independent"])
def test_robot_comes_back_with_its_names_limits_and_bodies(folder: Path, mimic: Any) -> None:
    graph = robot(folder)
    model, _ = to_pinocchio(graph, mimic)
    back = from_pinocchio(model)
    check_frames(back, model)
    assert (back.getName(), back.getRoot()) == (graph.getName(), graph.getRoot())
    assert {link.getName() for link in back.getLinks()} == {
        link.getName() for link in graph.getLinks()
    }
    for joint in graph.getJoints():
        twin = back.getJoint(joint.getName())
        assert twin is not None
        assert (twin.parent_link_name, twin.child_link_name) == (
            joint.parent_link_name,
            joint.child_link_name,
        )
        follows = mimic == "follow" and joint.mimic is not None
        if not follows:
            assert twin.type is joint.type
        if joint.limits is not None and joint.type is not JointType.CONTINUOUS and not follows:
            assert twin.limits is not None
            assert (twin.limits.lower, twin.limits.upper) == (
                joint.limits.lower,
                joint.limits.upper,
            )
            assert (twin.limits.effort, twin.limits.velocity) == (
                joint.limits.effort,
                joint.limits.velocity,
            )
        assert (twin.mimic is None) == (not follows)


@FOLDERS
def test_bodies_come_back_where_they_were(folder: Path) -> None:
    graph = robot(folder)
    model, _ = to_pinocchio(graph, "independent")
    back = from_pinocchio(model)
    check_masses(back, model)
    for link in graph.getLinks():
        twin = back.getLink(link.getName())
        assert twin is not None
        mass = 0.0 if link.inertial is None else link.inertial.mass
        other = 0.0 if twin.inertial is None else twin.inertial.mass
        assert other == pytest.approx(mass, rel=1e-9, abs=1e-12), link.getName()


@FOLDERS
def test_model_of_pinocchios_own_reader_comes_over(folder: Path) -> None:
    model = pinocchio.buildModelFromXML(writeURDFString(robot(folder)))
    graph = from_pinocchio(model)
    check_frames(graph, model)
    check_masses(graph, model)


@settings(max_examples=40, deadline=None)
@given(trees())
def test_any_tree_comes_back_with_its_frames(tree: SceneGraph) -> None:
    model, _ = to_pinocchio(tree)
    graph = from_pinocchio(model)
    check_frames(graph, model, configurations=1)
    assert {joint.getName() for joint in graph.getJoints()} == {
        joint.getName() for joint in tree.getJoints()
    }


def test_two_bodies_on_one_fixed_frame_share_no_mass() -> None:
    model = two_joints()
    kinds = pinocchio.FrameType
    fixed = model.addFrame(
        pinocchio.Frame("fix", 2, 0, se3((1, 0, 0)), kinds.FIXED_JOINT, inertia(0.2, 0))
    )
    for name in ("left", "right"):
        model.addFrame(pinocchio.Frame(name, 2, fixed, se3((1, 0, 0)), kinds.BODY))
    graph = from_pinocchio(model)
    check_masses(graph, model)
    names = [joint.getName() for joint in graph.getJoints()]
    assert names == ["turn", "slide", "fix", "right"]


def test_robot_on_a_free_flyer_comes_over() -> None:
    text = writeURDFString(small_robot("ur5"))
    model = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    graph = from_pinocchio(model)
    assert graph.getRoot() == "universe"
    joint = graph.getJoint("root_joint")
    assert joint is not None
    assert joint.type is JointType.FLOATING
    check_frames(graph, model)


def test_reduced_model_comes_over_with_the_locked_joints_fixed() -> None:
    text = writeURDFString(small_robot("ur5"))
    whole = pinocchio.buildModelFromXML(text)
    locked = [whole.getJointId("elbow_joint"), whole.getJointId("wrist_2_joint")]
    model = pinocchio.buildReducedModel(whole, locked, np.full(whole.nq, 0.4))
    graph = from_pinocchio(model)
    joint = graph.getJoint("elbow_joint")
    assert joint is not None
    assert joint.type is JointType.FIXED
    check_frames(graph, model)
    check_masses(graph, model)


def test_sample_models_of_pinocchio_come_over() -> None:
    model = pinocchio.buildSampleModelManipulator()
    graph = from_pinocchio(model)
    check_frames(graph, model)
    check_masses(graph, model)


def two_joints() -> Any:
    """A model without body frames: a turning joint and a sliding one."""
    model = pinocchio.Model()
    model.name = "bare"
    first = model.addJoint(0, pinocchio.JointModelRY(), se3((0, 0, 1), (0.1, 0.2, 0.3)), "turn")
    model.appendBodyToJoint(first, inertia(2.0, 0.3), se3((0.1, 0, 0)))
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    kind = pinocchio.JointModelPrismaticUnaligned(axis)
    second = model.addJoint(first, kind, se3((1, 0, 0), (0, 0.5, 0)), "slide")
    model.appendBodyToJoint(second, inertia(1.0, -0.3), se3((0, 0, 0)))
    return model


def test_model_without_frames_gets_links_named_after_its_joints() -> None:
    model = two_joints()
    graph = from_pinocchio(model)
    assert [link.getName() for link in graph.getLinks()] == ["universe", "turn", "slide"]
    kinds = [joint.type for joint in graph.getJoints()]
    assert kinds == [JointType.CONTINUOUS, JointType.PRISMATIC]
    limits = graph.getJointLimits("slide")
    assert limits is not None
    assert (limits.lower, limits.upper, limits.velocity) == (-1e9, 1e9, 1e9)
    solver = OFKTStateSolver(graph)
    q, data = np.array([0.7, -0.4]), model.createData()
    solver.setState(q)
    pinocchio.forwardKinematics(model, data, q)
    for number, name in enumerate(model.names):
        expected = solver.getLinkTransform(name).matrix
        np.testing.assert_allclose(data.oMi[number].homogeneous, expected, rtol=0, atol=1e-14)
    check_masses(graph, model)


def test_masses_move_as_in_the_model() -> None:
    model = two_joints()
    q = np.array([0.7, -0.4])
    plan = plan_dynamics(from_pinocchio(model), None, "slide")
    expected = pinocchio.crba(model, model.createData(), q)
    np.testing.assert_allclose(mass_matrix(plan, q), expected, rtol=0, atol=1e-12)


def test_operational_frames_become_links_on_fixed_joints() -> None:
    model = two_joints()
    kinds = pinocchio.FrameType
    tool = model.addFrame(
        pinocchio.Frame("tool", 2, 0, se3((0, 0, 0.2), (0, 1, 0)), kinds.OP_FRAME, inertia(0.5, 0))
    )
    model.addFrame(pinocchio.Frame("camera", 2, tool, se3((0.1, 0, 0.2)), kinds.SENSOR))
    model.addFrame(pinocchio.Frame("slide", 1, 0, se3((0.1, 0, 0.2)), kinds.OP_FRAME))
    graph = from_pinocchio(model)
    assert [link.getName() for link in graph.getLinks()] == [
        "universe",
        "turn",
        "slide",
        "slide_link",
        "tool",
        "camera",
    ]
    camera = graph.getInboundJoints("camera")[0]
    assert (camera.type, camera.parent_link_name) == (JointType.FIXED, "tool")
    assert graph.getInboundJoints("slide")[0].getName() == "slide_joint"
    check_frames(graph, model)
    check_masses(graph, model)


def test_frame_whose_mass_was_not_added_leaves_the_joints_body_alone() -> None:
    model = two_joints()
    frame = pinocchio.Frame("ghost", 2, 0, se3((1, 0, 0)), pinocchio.BODY, inertia(50.0, 0))
    model.addFrame(frame, False)
    graph = from_pinocchio(model)
    check_masses(graph, model)
    ghost = graph.getLink("ghost")
    assert ghost is not None
    assert ghost.inertial is None


def mimicking(kind: Any, factor: float) -> Any:
    """A joint that follows the first one of `two_joints`."""
    model = two_joints()
    model.lowerPositionLimit[0], model.upperPositionLimit[0] = -1.0, 2.0
    model.upperVelocityLimit[0] = 3.0
    master = model.joints[1]
    kind.setIndexes(master.id, master.idx_q, master.idx_v)
    follower = pinocchio.JointModelMimic(pinocchio.JointModel(kind), factor, 0.1)
    model.addJoint(2, follower, se3((0, 1, 0)), "follower")
    return model


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("JointModelRX", JointType.REVOLUTE), ("JointModelPX", JointType.PRISMATIC)],
)
def test_mimic_joint_comes_over_with_its_rule(kind: str, expected: JointType) -> None:
    model = mimicking(getattr(pinocchio, kind)(), -2.0)
    graph = from_pinocchio(model)
    joint = graph.getJoint("follower")
    assert joint is not None
    assert joint.mimic is not None
    assert joint.limits is not None
    assert joint.type is expected
    assert (joint.mimic.joint_name, joint.mimic.multiplier) == ("turn", -2.0)
    assert (joint.limits.lower, joint.limits.upper) == pytest.approx((-3.9, 2.1))
    assert joint.limits.velocity == 6.0
    np.testing.assert_allclose(joint.axis, (1, 0, 0), atol=1e-15)
    check_frames(graph, model)


def test_mimic_joint_that_never_moves_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="'follower' mimics with factor 0"):
        from_pinocchio(mimicking(pinocchio.JointModelRX(), 0.0))


def test_circle_of_pinocchio_becomes_a_continuous_joint() -> None:
    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelRUBY(), se3((0, 0, 1)), "round")
    graph = from_pinocchio(model)
    assert graph.getJoints()[0].type is JointType.CONTINUOUS
    np.testing.assert_allclose(graph.getJoints()[0].axis, (0, 1, 0), atol=1e-15)
    assert match_pinocchio(graph, model).on_circle.tolist() == [True]


@pytest.mark.parametrize(
    "kind",
    ["JointModelSpherical", "JointModelPlanar", "JointModelTranslation", "JointModelSphericalZYX"],
)
def test_joint_without_counterpart_is_refused(kind: str) -> None:
    model = pinocchio.Model()
    model.addJoint(0, getattr(pinocchio, kind)(), se3((0, 0, 0)), "odd")
    with pytest.raises(UnsupportedError, match=f"'odd' is a {kind}"):
        from_pinocchio(model)


def test_screw_joint_is_refused() -> None:
    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelHX(0.1), se3((0, 0, 0)), "screw")
    with pytest.raises(UnsupportedError, match="'screw' both turns and slides"):
        from_pinocchio(model)


def test_two_frames_of_one_name_are_refused() -> None:
    model = two_joints()
    kinds = pinocchio.FrameType
    model.addFrame(pinocchio.Frame("same", 1, 0, se3((1, 0, 0)), kinds.BODY))
    model.addFrame(pinocchio.Frame("same", 2, 0, se3((2, 0, 0)), kinds.SENSOR))
    with pytest.raises(InvalidNameError, match="'same'"):
        from_pinocchio(model)


def test_body_of_negative_mass_is_refused() -> None:
    model = two_joints()
    model.inertias[2] = pinocchio.Inertia(-1.0, np.zeros(3), np.eye(3))
    with pytest.raises(InvalidInertialError, match="mass"):
        from_pinocchio(model)


@pytest.mark.parametrize("wrong", [None, "robot", SceneGraph(), 3])
def test_what_is_no_model_is_refused(wrong: Any) -> None:
    with pytest.raises(WrongTypeError, match="from_pinocchio"):
        from_pinocchio(wrong)


def dynamics_numbers(graph: SceneGraph, name: str) -> Array:
    """Damping and friction of a joint."""
    joint = graph.getJoint(name)
    assert joint is not None
    if joint.dynamics is None:
        return np.zeros(2)
    return np.array([joint.dynamics.damping, joint.dynamics.friction])


@FOLDERS
def test_damping_and_friction_go_there_and_back(folder: Path) -> None:
    graph = robot(folder)
    model, order = to_pinocchio(graph, "independent")
    back = from_pinocchio(model)
    for name in order.joint_names:
        np.testing.assert_array_equal(dynamics_numbers(back, name), dynamics_numbers(graph, name))
