"""A pinocchio model of a graph: the same robot on both sides, as pinocchio itself would read it."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from kinematics_cases import joint, named, robot, robot_folders, small_robot
from oracles import third_party
from random_scenes import trees

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import (
    InvalidJointError,
    InvalidNameError,
    Isometry3d,
    Link,
    PinocchioOrder,
    SceneGraph,
    TreeError,
    UnknownJointError,
    UnsupportedError,
    WrongTypeError,
    match_pinocchio,
    to_pinocchio,
    writeURDFString,
)
from kinegraph.scene.array_types import Array

pinocchio: Any = third_party("pinocchio")

FOLDERS = pytest.mark.parametrize("folder", robot_folders(), ids=named)
MIMIC = pytest.mark.parametrize("mimic", ["follow", "independent"])


def chain(*joints: Any) -> SceneGraph:
    """A graph of these joints, links made as they are named."""
    graph = SceneGraph("chain")
    for made in joints:
        for name in (made.parent_link_name, made.child_link_name):
            graph.addLink(Link(name))
        assert graph.addJoint(made)
    return graph


def random_floating(solver: Any, rng: np.random.Generator) -> dict[str, Isometry3d]:
    """A transform for each floating joint."""
    return {
        name: Isometry3d.from_rpy(rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3))
        for name in solver.getFloatingJointNames()
    }


class Peer:
    """A model at one configuration."""

    def __init__(self, model: Any, order: PinocchioOrder, configuration: Array) -> None:
        self.model, self.order, self.data = model, order, model.createData()
        pinocchio.framesForwardKinematics(model, self.data, configuration)
        pinocchio.computeJointJacobians(model, self.data, configuration)

    def pose(self, link: str) -> Array:
        """(4, 4) of a link."""
        return np.array(self.data.oMf[self._frame(link)].homogeneous)

    def jacobian(self, link: str) -> Array:
        """(6, n) of a link in kinegraph's columns and axes."""
        if self.model.nv == 0:
            return np.zeros((6, 0))  # pinocchio dies when it is asked for six times nothing
        frame, axes = self._frame(link), pinocchio.LOCAL_WORLD_ALIGNED
        return self.order.jacobian(pinocchio.getFrameJacobian(self.model, self.data, frame, axes))

    def _frame(self, link: str) -> int:
        number = self.model.getFrameId(link, pinocchio.BODY)
        assert number < self.model.nframes
        return int(number)


def check_agreement(graph: SceneGraph, mimic: Any, states: int, pose_tolerance: float) -> None:
    """Poses and Jacobians of all links, at random states."""
    rng = np.random.default_rng(5)
    solver = OFKTStateSolver(graph, mimic=mimic)
    model, order = to_pinocchio(graph, mimic)
    assert list(order.joint_names) == solver.getActiveJointNames()
    for _ in range(states):
        q = rng.uniform(-2.0, 2.0, len(order.joint_names))
        floating = random_floating(solver, rng)
        solver.setState(q, floating)
        peer = Peer(model, order, order.configuration(q, floating))
        for name in solver.getLinkNames():
            pose, expected = peer.pose(name), solver.getLinkTransform(name).matrix
            np.testing.assert_allclose(pose, expected, rtol=0, atol=pose_tolerance, err_msg=name)
            jacobian, expected = peer.jacobian(name), solver.getJacobian(q, name)
            np.testing.assert_allclose(jacobian, expected, rtol=0, atol=1e-9, err_msg=name)


@FOLDERS
@MIMIC
def test_robot_has_the_same_poses_and_jacobians(folder: Path, mimic: Any) -> None:
    check_agreement(robot(folder), mimic, states=3, pose_tolerance=1e-12)


@settings(max_examples=40, deadline=None)
@given(trees())
def test_any_tree_has_the_same_poses_and_jacobians(graph: SceneGraph) -> None:
    check_agreement(graph, "follow", states=1, pose_tolerance=1e-12)


@FOLDERS
def test_model_is_what_pinocchio_reads_from_the_same_urdf(folder: Path) -> None:
    graph = robot(folder)
    ours, order = to_pinocchio(graph, "independent")
    theirs = pinocchio.buildModelFromXML(writeURDFString(graph))
    assert sorted(ours.names) == sorted(theirs.names)
    frames = {(f.name, f.type): f for f in theirs.frames}
    assert {(f.name, f.type) for f in ours.frames} == set(frames)
    for frame in ours.frames:
        twin = frames[frame.name, frame.type]
        assert frame.placement.isApprox(twin.placement, 1e-12), frame.name
        assert ours.names[frame.parentJoint] == theirs.names[twin.parentJoint]
        assert ours.frames[frame.parentFrame].name == theirs.frames[twin.parentFrame].name
        assert frame.inertia.isApprox(twin.inertia, 1e-9), frame.name
    peer_order = match_pinocchio(graph, theirs)
    assert peer_order.joint_names == order.joint_names
    for name in order.joint_names:
        mine, its = ours.getJointId(name), theirs.getJointId(name)
        assert ours.jointPlacements[mine].isApprox(theirs.jointPlacements[its], 1e-12)
        assert ours.inertias[mine].isApprox(theirs.inertias[its], 1e-9), name
    columns, its_columns = order.v_columns, peer_order.v_columns
    for field in ("upperEffortLimit", "upperVelocityLimit", "damping", "upperDryFrictionLimit"):
        mine, its = getattr(ours, field), getattr(theirs, field)
        np.testing.assert_array_equal(mine[columns], its[its_columns], err_msg=field)
    for field in ("lowerPositionLimit", "upperPositionLimit"):
        bounded = ~peer_order.on_circle
        mine = getattr(ours, field)[order.q_columns[bounded]]
        its = getattr(theirs, field)[peer_order.q_columns[bounded]]
        np.testing.assert_array_equal(mine, its, err_msg=field)


@FOLDERS
def test_masses_move_as_in_pinocchios_own_model(folder: Path) -> None:
    graph = robot(folder)
    ours, order = to_pinocchio(graph, "independent")
    theirs = pinocchio.buildModelFromXML(writeURDFString(graph))
    peer_order = match_pinocchio(graph, theirs)
    q = np.random.default_rng(3).uniform(-1.5, 1.5, len(order.joint_names))
    mass = pinocchio.crba(ours, ours.createData(), order.configuration(q))
    peer_mass = pinocchio.crba(theirs, theirs.createData(), peer_order.configuration(q))
    columns, its = order.v_columns, peer_order.v_columns
    scale = max(1.0, float(np.abs(peer_mass).max()))
    np.testing.assert_allclose(
        mass[np.ix_(columns, columns)], peer_mass[np.ix_(its, its)], rtol=0, atol=1e-9 * scale
    )


def test_continuous_joint_of_pinocchios_reader_is_an_angle_here() -> None:
    graph = chain(joint("a", "base", "x", "continuous"), joint("b", "x", "y", "revolute"))
    model = pinocchio.buildModelFromXML(writeURDFString(graph))
    order = match_pinocchio(graph, model)
    assert order.on_circle.tolist() == [True, False]
    q = np.array([[2.5, 0.3], [-3.0, -0.1]])
    configurations = order.configuration(q)
    assert configurations.shape == (2, 3)
    np.testing.assert_allclose(np.hypot(*configurations[:, :2].T), 1.0, atol=1e-15)
    np.testing.assert_allclose(order.joint_values(configurations), q, atol=1e-15)
    solver = OFKTStateSolver(graph)
    solver.setState(q[0])
    peer = Peer(model, order, configurations[0])
    np.testing.assert_allclose(peer.pose("y"), solver.getLinkTransform("y").matrix, atol=1e-12)


def test_continuous_joint_is_one_unbounded_angle_in_our_model() -> None:
    graph = chain(joint("a", "base", "x", "continuous", limits=(-1, 1, 5, 2, 1, 1)))
    model, order = to_pinocchio(graph)
    assert (model.nq, model.nv) == (1, 1)
    assert model.lowerPositionLimit[0] == -np.inf
    assert (model.upperEffortLimit[0], model.upperVelocityLimit[0]) == (5.0, 2.0)
    assert order.jacobian(
        pinocchio.computeJointJacobian(model, model.createData(), np.zeros(1), 1)
    ).shape == (6, 1)


def test_floating_joint_multiplies_after_its_origin_in_pinocchio() -> None:
    origin = Isometry3d.from_rpy((1, 2, 3), (0.3, -0.2, 0.9))
    below = joint(
        "mount", "base", "plate", origin=Isometry3d.from_rpy((0, 0, 1), (0.5, 0, 0)).matrix
    )
    graph = chain(below, joint("free", "plate", "part", "floating", origin=origin.matrix))
    model, order = to_pinocchio(graph)
    assert (model.nq, model.nv) == (7, 6)
    solver = OFKTStateSolver(graph)
    at_origin = Peer(model, order, order.neutral)
    np.testing.assert_allclose(
        at_origin.pose("part"), solver.getLinkTransform("part").matrix, atol=1e-15
    )
    value = Isometry3d.from_rpy((-1, 0.5, 0), (1, 2, 3))
    solver.setState({"free": value})
    configuration = order.configuration([], {"free": value})
    moved = Peer(model, order, configuration)
    np.testing.assert_allclose(
        moved.pose("part"), solver.getLinkTransform("part").matrix, atol=1e-14
    )
    assert order.floating_joint_values(configuration)["free"].isApprox(value, 1e-14)
    by_se3 = order.configuration([], {"free": pinocchio.SE3(value.matrix.copy())})
    np.testing.assert_array_equal(by_se3, configuration)


@FOLDERS
def test_order_of_any_solver_can_be_matched(folder: Path) -> None:
    graph = robot(folder)
    solver = KDLStateSolver(graph)
    model, _ = to_pinocchio(graph)
    order = match_pinocchio(graph, model, solver.getActiveJointNames())
    q = np.random.default_rng(1).uniform(-1, 1, len(order.joint_names))
    solver.setState(q)
    peer = Peer(model, order, order.configuration(q))
    for name in solver.getLinkNames():
        expected = solver.getLinkTransform(name).matrix
        np.testing.assert_allclose(peer.pose(name), expected, rtol=0, atol=1e-12, err_msg=name)
        expected = solver.getJacobian(q, name)
        np.testing.assert_allclose(peer.jacobian(name), expected, rtol=0, atol=1e-9, err_msg=name)
    np.testing.assert_array_equal(order.joint_values(order.configuration(q)), q)


def test_branches_are_turned_so_that_masters_come_first() -> None:
    graph = chain(
        joint("first", "base", "a", "revolute", mimic=("second", 2.0, 0.1)),
        joint("tail", "a", "b", "prismatic", mimic=("third", -1.0, 0.2)),
        joint("second", "base", "c", "revolute", mimic=("third", 0.5, 0.0), origin=np.eye(4)),
        joint("third", "base", "d", "continuous", axis=(1, 1, 0)),
        joint("last", "d", "e", "revolute"),
    )
    model, order = to_pinocchio(graph)
    names = list(model.names)[1:]
    assert names == ["third", "last", "first", "tail", "second"]
    assert (order.joint_names, model.nq) == (("third", "last"), 2)
    check_agreement(graph, "follow", states=4, pose_tolerance=1e-14)


def test_master_below_its_follower_is_refused_and_taken_independently() -> None:
    graph = chain(
        joint("f", "base", "a", "revolute", mimic=("m", 2.0, 0.1)), joint("m", "a", "b", "revolute")
    )
    with pytest.raises(UnsupportedError, match=r"'f' mimics 'm', which lies below.*independent"):
        to_pinocchio(graph)
    check_agreement(graph, "independent", states=2, pose_tolerance=1e-14)


def test_branches_that_wait_for_each_other_are_refused() -> None:
    graph = chain(
        joint("m1", "base", "a", "revolute"),
        joint("f2", "a", "b", "revolute", mimic=("m2", 1.0, 0.0)),
        joint("m2", "base", "c", "revolute"),
        joint("f1", "c", "d", "revolute", mimic=("m1", 1.0, 0.0)),
    )
    with pytest.raises(UnsupportedError, match="m1, m2"):
        to_pinocchio(graph)


@pytest.mark.parametrize(
    ("mimic", "message"),
    [
        (("nobody", 1.0, 0.0), "no joint"),
        (("f", 1.0, 0.0), "follow each other: f -> f"),
        (("rigid", 1.0, 0.0), "has no value"),
    ],
)
def test_mimic_rule_that_leads_nowhere_is_refused(mimic: Any, message: str) -> None:
    graph = chain(joint("rigid", "base", "a"), joint("f", "a", "b", "revolute", mimic=mimic))
    with pytest.raises(InvalidJointError, match=message):
        to_pinocchio(graph)


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (joint("p", "base", "a", "planar"), UnsupportedError, "PLANAR"),
        (joint("universe", "base", "a", "revolute"), UnsupportedError, "universe"),
        (joint("universe", "base", "a"), UnsupportedError, "universe"),
        (joint("z", "base", "a", "revolute", axis=(0, 0, 0)), InvalidJointError, "axis"),
    ],
)
def test_joint_without_counterpart_is_refused(
    made: Any, error: type[Exception], message: str
) -> None:
    graph = SceneGraph()
    graph.addLink(Link("base"))
    if made.limits is None:
        made.limits = joint("l", "x", "y", "revolute").limits
    assert graph.addLink(Link("a"), made)
    with pytest.raises(error, match=message):
        to_pinocchio(graph)


def test_what_is_no_tree_is_refused() -> None:
    loop = chain(joint("a", "x", "y"), joint("b", "y", "z"), joint("c", "x", "z"))
    rooted_below = chain(joint("a", "x", "y"))
    rooted_below.setRoot("y")
    for graph in (SceneGraph("empty"), loop, rooted_below):
        with pytest.raises(TreeError, match="to_pinocchio"):
            to_pinocchio(graph)


def test_wrong_arguments_are_refused() -> None:
    graph = small_robot("ur5")
    model, order = to_pinocchio(graph)
    with pytest.raises(WrongTypeError, match="to_pinocchio"):
        to_pinocchio(model)
    with pytest.raises(InvalidNameError, match="mimic"):
        to_pinocchio(graph, "ignore")  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="match_pinocchio"):
        match_pinocchio(graph, graph)
    with pytest.raises(UnknownJointError, match="elbow"):
        match_pinocchio(graph, model, ["elbow"])
    with pytest.raises(UnknownJointError, match="free"):
        order.configuration(np.zeros(6), {"free": np.eye(4)})
    for call in (order.configuration, order.joint_values):
        with pytest.raises(ValueError, match="length 5 was given, 6 is needed"):
            call(np.zeros(5))
        with pytest.raises(ValueError, match="shape"):
            call(np.zeros((1, 1, 6)))
        with pytest.raises(ValueError, match="finite"):
            call([0, 0, 0, 0, 0, np.nan])
        with pytest.raises(TypeError, match="numbers"):
            call(["a"] * 6)
    with pytest.raises(ValueError, match=r"\(6, 6\)"):
        order.jacobian(np.zeros((6, 5)))
    with pytest.raises(UnknownJointError, match="elbow_joint"):
        match_pinocchio(graph, pinocchio.Model())


def test_order_is_read_only_and_survives_pickling() -> None:
    _, order = to_pinocchio(small_robot("synth_a"))
    with pytest.raises(ValueError, match="read-only"):
        order.neutral[0] = 1.0
    copy = pickle.loads(pickle.dumps(order))
    q = np.linspace(-1, 1, len(order.joint_names))
    np.testing.assert_array_equal(copy.configuration(q), order.configuration(q))
