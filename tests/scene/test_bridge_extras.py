"""Bridges without their libraries, and the libraries' transforms on our side."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kinematics_cases import joint, small_robot
from oracles import third_party

from kinegraph.kinematics import (
    KDLStateSolver,
    KinematicGroup,
    KinGroupIKInput,
    OFKTStateSolver,
    inverse_kinematics,
    link_pose,
    plan_inverse,
)
from kinegraph.scene import (
    Collision,
    Inertial,
    Isometry3d,
    Joint,
    Link,
    NotFiniteError,
    SceneGraph,
    UnsupportedError,
    Visual,
    as_isometry,
    from_pinocchio,
    from_tesseract,
    match_pinocchio,
    to_pinocchio,
    to_tesseract,
)

CALLS: list[tuple[str, Callable[[], Any]]] = [
    ("tesseract_robotics", lambda: to_tesseract(SceneGraph())),
    ("tesseract_robotics", lambda: from_tesseract(None)),
    ("pinocchio", lambda: to_pinocchio(small_robot("ur5"))),
    ("pinocchio", lambda: from_pinocchio(None)),
]


@pytest.mark.parametrize(("library", "call"), CALLS)
def test_missing_library_is_named_with_its_extra(
    library: str, call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UnsupportedError, match=rf"{library}.*kinegraph\[interop\]"):
        call()


def test_importing_the_bridges_loads_no_foreign_library() -> None:
    script = (
        "import sys, kinegraph.scene.bridges\n"
        "foreign = {'pinocchio', 'tesseract_robotics', 'numba', 'networkx', 'lxml', 'scipy'}\n"
        "print(sorted(foreign & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.strip() == "[]"


POSE = Isometry3d.from_rpy((0.1, -0.2, 0.3), (0.4, -0.5, 0.6))


@pytest.fixture
def se3() -> Any:
    """`POSE` as pinocchio's SE3."""
    return third_party("pinocchio").SE3(POSE.matrix.copy())


def test_se3_stands_for_a_transform_in_poses(se3: Any) -> None:
    other = Isometry3d.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    assert Isometry3d(se3) == as_isometry(se3) == POSE
    assert POSE.isApprox(se3, 1e-15)
    assert (other @ se3).isApprox(other @ POSE, 1e-15)
    assert (other * se3).isApprox(other @ POSE, 1e-15)


def test_se3_stands_for_a_transform_in_elements(se3: Any) -> None:
    for element in (Visual(), Collision(), Inertial()):
        element.origin = se3
        assert element.origin == POSE
    made = Joint("j")
    made.parent_to_joint_origin_transform = se3
    assert made.parent_to_joint_origin_transform == POSE


def test_se3_stands_for_a_transform_in_graph_edits(se3: Any) -> None:
    graph = small_robot("ur5")
    assert graph.changeJointOrigin("elbow_joint", se3)
    changed = graph.getJoint("elbow_joint")
    assert changed is not None
    assert changed.parent_to_joint_origin_transform == POSE


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_se3_stands_for_a_transform_in_solvers(kind: Any, se3: Any) -> None:
    graph = SceneGraph()
    graph.addLink(Link("base"))
    graph.addLink(Link("arm"), joint("turn", "base", "arm", "revolute"))
    graph.addLink(Link("part"), joint("free", "arm", "part", "floating"))
    solver = kind(graph)
    solver.setState([0.5], {"free": se3})
    expected = kind(graph)
    expected.setState([0.5], {"free": POSE})
    assert solver.getLinkTransform("part") == expected.getLinkTransform("part")
    np.testing.assert_array_equal(
        solver.getJacobian([0.5], "part", floating_joint_values={"free": se3}),
        solver.getJacobian([0.5], "part", floating_joint_values={"free": POSE}),
    )
    if kind is OFKTStateSolver:  # KDL leaves floating joints where they are
        state = solver.getState({"turn": 0.5}, {"free": se3})
        assert state.getFloatingJointValues(["free"])["free"] == POSE
        assert solver.changeJointOrigin("turn", se3)
        solver.setState({"turn": 0.0})
        assert solver.getLinkTransform("arm").isApprox(POSE, 1e-15)


def test_se3_stands_for_a_target_alone_and_in_pinocchios_vectors() -> None:
    pin = third_party("pinocchio")
    graph, tip = small_robot("ur5"), "wrist_3_link"
    plan = plan_inverse(graph, tip)
    rows = np.random.default_rng(1).uniform(-1, 1, (5, 6))
    matrices = link_pose(graph, rows, tip)
    expected = inverse_kinematics(plan, matrices, rows + 0.1).q
    vector = pin.StdVec_SE3()
    for matrix in matrices:
        vector.append(pin.SE3(matrix.copy()))
    for targets in (vector, list(vector)):
        np.testing.assert_allclose(
            inverse_kinematics(plan, targets, rows + 0.1).q, expected, atol=1e-9
        )
    one = inverse_kinematics(plan, vector[3], rows[3] + 0.1)
    np.testing.assert_allclose(one.q, expected[3], atol=1e-9)
    group = KinematicGroup("arm", plan.joint_names, graph)
    pose = KinGroupIKInput(vector[3], "world", tip)
    np.testing.assert_allclose(group.calcInvKin(pose, rows[3] + 0.1)[0], expected[3], atol=1e-9)


def test_se3_with_a_nan_is_refused(se3: Any) -> None:
    se3.translation = np.array([0.0, np.nan, 0.0])
    graph = small_robot("ur5")
    with pytest.raises(NotFiniteError, match="elbow_joint"):
        graph.changeJointOrigin("elbow_joint", se3)


def test_match_needs_no_more_than_names(se3: Any) -> None:
    graph = small_robot("ur5")
    model, order = to_pinocchio(graph)
    assert match_pinocchio(graph, model).joint_names == order.joint_names
    assert match_pinocchio(graph, model, ["elbow_joint"]).q_columns.tolist() == [2]
