"""tesseract's scene graph: the same robot on both sides, and back without a loss."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from kinematics_cases import named, robot, robot_folders, small_robot
from oracles import third_party
from scene_builders import at, five_links, make_graph, make_joint, trees

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import (
    Box,
    Collision,
    GeneralResourceLocator,
    InvalidJointError,
    Isometry3d,
    Joint,
    JointType,
    Mesh,
    NotRigidError,
    Octree,
    SceneGraph,
    SignedDistanceField,
    UnsupportedError,
    Visual,
    WrongTypeError,
    from_tesseract,
    parseURDFString,
    to_tesseract,
)

tesseract_graphs: Any = third_party("tesseract_robotics.tesseract_scene_graph")
tesseract_solvers: Any = third_party("tesseract_robotics.tesseract_state_solver")
tesseract_common: Any = third_party("tesseract_robotics.tesseract_common")

FILES = (Mesh, SignedDistanceField, Octree)
FOLDERS = pytest.mark.parametrize("folder", robot_folders(), ids=named)
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"


def without_what_tesseract_lacks(graph: SceneGraph) -> SceneGraph:
    """The graph as tesseract can hold it: no files, no velocity envelopes."""
    kept = SceneGraph(graph.getName())
    for link in graph.getLinks():
        copy = link.clone()
        copy.visual = [v for v in copy.visual if not isinstance(v.geometry, FILES)]
        copy.collision = [c for c in copy.collision if not isinstance(c.geometry, FILES)]
        kept.addLink(copy)
    for joint in graph.getJoints():
        made = joint.clone()
        made.position_based_velocity_limits = None
        kept.addJoint(made)
    kept.setRoot(graph.getRoot())
    return kept


@pytest.fixture
def states() -> np.random.Generator:
    return np.random.default_rng(20)


def poses_of(state: Any) -> dict[str, Any]:
    """Poses of tesseract's state, copied; the caller keeps the state alive meanwhile."""
    transforms = state.link_transforms
    return {name: np.array(pose.matrix()) for name, pose in transforms.items()}


@FOLDERS
def test_robot_has_the_same_poses_in_tesseract(folder: Path, states: np.random.Generator) -> None:
    graph = robot(folder)
    peer = to_tesseract(graph)
    ours = OFKTStateSolver(graph, mimic="independent")
    theirs = tesseract_solvers.OFKTStateSolver(peer)
    assert list(theirs.getActiveJointNames()) == ours.getActiveJointNames()
    assert sorted(theirs.getLinkNames()) == sorted(ours.getLinkNames())
    for _ in range(3):
        q = states.uniform(-2.0, 2.0, len(ours.getActiveJointNames()))
        ours.setState(q)
        theirs.setState(q)
        state = theirs.getState()
        for name, pose in poses_of(state).items():
            expected = ours.getLinkTransform(name).matrix
            np.testing.assert_allclose(pose, expected, rtol=0, atol=1e-12, err_msg=name)


@FOLDERS
def test_robot_has_the_same_jacobians_in_tesseract(
    folder: Path, states: np.random.Generator
) -> None:
    graph = robot(folder)
    peer = to_tesseract(graph)
    ours = KDLStateSolver(graph, mimic="independent")
    theirs = tesseract_solvers.KDLStateSolver(peer)
    names = ours.getActiveJointNames()
    assert list(theirs.getActiveJointNames()) == names
    q = states.uniform(-2.0, 2.0, len(names))
    for name in ours.getLinkNames():
        expected = ours.getJacobian(q, name)
        jacobian = np.array(theirs.getJacobian(q, name))
        np.testing.assert_allclose(jacobian, expected, rtol=0, atol=1e-9, err_msg=name)


@FOLDERS
def test_robot_comes_back_equal_and_in_the_solvers_order(folder: Path) -> None:
    graph = robot(folder)
    back = from_tesseract(to_tesseract(graph))
    assert back == without_what_tesseract_lacks(graph)
    assert (back.getName(), back.getRoot()) == (graph.getName(), graph.getRoot())
    before, after = OFKTStateSolver(graph), OFKTStateSolver(back)
    assert after.getLinkNames() == before.getLinkNames()
    assert after.getJointNames() == before.getJointNames()
    assert after.getActiveJointNames() == before.getActiveJointNames()
    np.testing.assert_array_equal(after.getLimits().joint_limits, before.getLimits().joint_limits)


@settings(max_examples=60, deadline=None)
@given(trees())
def test_any_tree_comes_back_number_by_number(graph: SceneGraph) -> None:
    back = from_tesseract(to_tesseract(graph))
    assert back == without_what_tesseract_lacks(graph)
    assert back.getRoot() == graph.getRoot()
    for joint in graph.getJoints():
        twin = back.getJoint(joint.getName())
        assert twin is not None
        np.testing.assert_array_equal(twin.axis, joint.axis)
        np.testing.assert_array_equal(
            twin.parent_to_joint_origin_transform.matrix,
            joint.parent_to_joint_origin_transform.matrix,
        )


def test_flags_and_allowed_collisions_go_there_and_back() -> None:
    graph = five_links()
    graph.setLinkVisibility("link_2", False)
    graph.setLinkCollisionEnabled("link_3", False)
    graph.addAllowedCollision("link_5", "link_1", "never")
    graph.addAllowedCollision("link_2", "elsewhere", "adjacent")
    peer = to_tesseract(graph)
    assert not peer.getLinkVisibility("link_2")
    assert peer.getLinkVisibility("link_3")
    assert not peer.getLinkCollisionEnabled("link_3")
    assert peer.isCollisionAllowed("link_1", "link_5")
    back = from_tesseract(peer)
    assert back == graph
    pairs = back.getAllowedCollisionMatrix().getAllAllowedCollisions()
    assert pairs == {("link_1", "link_5"): "never", ("elsewhere", "link_2"): "adjacent"}


def test_graph_that_is_no_tree_is_copied_too() -> None:
    graph = make_graph(
        make_joint("a", "x", "y"), make_joint("b", "y", "z"), make_joint("c", "x", "z")
    )
    graph.addLink(make_graph(make_joint("d", "v", "w")).getLink("v"))
    peer = to_tesseract(graph)
    assert not peer.isTree()
    assert from_tesseract(peer) == graph


def test_empty_graph_goes_there_and_back() -> None:
    back = from_tesseract(to_tesseract(SceneGraph("nothing")))
    assert back.isEmpty()
    assert back.getName() == "nothing"


def test_copies_are_independent() -> None:
    graph = five_links()
    peer = to_tesseract(graph)
    back = from_tesseract(peer)
    del peer
    assert graph.changeJointOrigin("joint_4", at(5))
    assert back == five_links()


def with_shapes(path: Path) -> SceneGraph:
    """One link with a box, meshes and an octree."""
    graph = SceneGraph("shapes")
    link = make_graph(make_joint("j", "a", "b")).getLink("a").clone()
    for geometry in (Box(1, 2, 3), Mesh(f"file://{path}", (1.0, 2.0, 1.0)), Octree("x.bt")):
        visual = Visual()
        visual.name = "v"
        visual.geometry = geometry
        visual.origin = at(0.5)
        link.addVisual(visual)
    collision = Collision()
    collision.geometry = Mesh(f"file://{path}", (1.0, 1.0, 1.0), True)
    link.addCollision(collision)
    link.addCollision(Collision())
    graph.addLink(link)
    return graph


def test_shapes_without_counterpart_are_left_out_with_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        peer = to_tesseract(with_shapes(tmp_path / "t.obj"))
    assert [record.getMessage() for record in caplog.records] == [
        "to_tesseract: shapes left out: 1 mesh, 1 octree, 1 convex_mesh, 1 without geometry"
    ]
    link = peer.getLink("a")
    assert (len(link.visual), len(link.collision)) == (1, 0)


def test_meshes_are_loaded_with_a_locator_and_come_back_as_references(tmp_path: Path) -> None:
    path = tmp_path / "t.obj"
    path.write_text(TETRAHEDRON)
    graph = with_shapes(path)
    peer = to_tesseract(graph, GeneralResourceLocator())
    link = peer.getLink("a")
    assert link.visual[1].geometry.getVertexCount() == 4
    back = from_tesseract(peer).getLink("a")
    assert back is not None
    visuals, collisions = graph.getLinks()[0].visual, graph.getLinks()[0].collision
    assert back.visual == visuals[:2]
    assert back.collision == collisions[:1]


def test_mesh_that_is_nowhere_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"link 'a': mesh 'file:.*nowhere\.obj'"):
        to_tesseract(with_shapes(tmp_path / "nowhere.obj"), GeneralResourceLocator())


def test_file_that_is_no_mesh_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.obj"
    path.write_text("no mesh")
    with pytest.raises(UnsupportedError, match="cannot load"):
        to_tesseract(with_shapes(path), GeneralResourceLocator())


@pytest.mark.parametrize("wrong", [None, "robot", 3, Joint("j")])
def test_what_is_no_graph_is_refused(wrong: Any) -> None:
    with pytest.raises(WrongTypeError, match="to_tesseract"):
        to_tesseract(wrong)
    with pytest.raises(WrongTypeError, match="from_tesseract"):
        from_tesseract(wrong)
    with pytest.raises(WrongTypeError, match="from_tesseract"):
        from_tesseract(five_links())


def foreign(kind: int, child: str = "b", origin: Any = None) -> Any:
    """A graph of tesseract with one joint."""
    graph = tesseract_graphs.SceneGraph("foreign")
    for name in "ab":
        graph.addLink(tesseract_graphs.Link(name))
    joint = tesseract_graphs.Joint("j")
    joint.type = kind
    joint.parent_link_name, joint.child_link_name = "a", child
    if origin is not None:
        joint.parent_to_joint_origin_transform = tesseract_common.Isometry3d(origin)
    assert graph.addJoint(joint)
    return graph


def test_joint_from_a_link_to_itself_is_refused() -> None:
    with pytest.raises(InvalidJointError, match="'j'"):
        from_tesseract(foreign(tesseract_graphs.JointType_FIXED, child="a"))


def test_origin_that_is_not_rigid_is_refused() -> None:
    with pytest.raises(NotRigidError, match="'j'"):
        from_tesseract(foreign(tesseract_graphs.JointType_FIXED, origin=np.diag([2.0, 2, 2, 1])))


def test_graph_built_in_tesseract_comes_over() -> None:
    pose = Isometry3d.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    graph = from_tesseract(foreign(tesseract_graphs.JointType_FLOATING, origin=pose.matrix.copy()))
    joint = graph.getJoints()[0]
    assert joint.type is JointType.FLOATING
    assert joint.parent_to_joint_origin_transform.isApprox(pose, 1e-15)
    assert OFKTStateSolver(graph).getFloatingJointNames() == ["j"]


def test_what_tesseracts_reader_returns_is_taken() -> None:
    text = (
        '<robot name="read" xmlns:tesseract="tesseract" tesseract:make_convex="false">'
        '<link name="a"/><link name="b"/><joint name="j" type="revolute">'
        '<parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
        '<limit lower="-1" upper="2" effort="3" velocity="4"/></joint></robot>'
    )
    locator = tesseract_common.GeneralResourceLocator()
    pointer = third_party("tesseract_robotics.tesseract_urdf").parseURDFString(text, locator)
    assert from_tesseract(pointer) == parseURDFString(text)


def test_solver_of_tesseract_outlives_the_graph_that_it_was_made_of() -> None:
    solver = tesseract_solvers.OFKTStateSolver(to_tesseract(small_robot("ur5")))
    state = solver.getState()
    assert set(poses_of(state)) == {link.getName() for link in small_robot("ur5").getLinks()}
