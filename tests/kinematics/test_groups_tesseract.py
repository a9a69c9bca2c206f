"""Joint groups beside tesseract's own: names, limits, poses and Jacobians of every robot."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kinematics_cases import named, robot, robot_folders, small_robot
from oracles import third_party

from kinegraph import kinematics
from kinegraph.kinematics import JointGroup, KinematicGroup, OFKTStateSolver
from kinegraph.scene import Isometry3d, JointType
from kinegraph.scene.bridges import to_tesseract
from kinegraph.scene.errors import UnknownLinkError

third_party("tesseract_robotics")
from tesseract_robotics import tesseract_kinematics, tesseract_state_solver  # noqa: E402

# tesseract's group cannot be made of a scene with floating joints.
FOLDERS = [folder for folder in robot_folders() if folder.name != "synth_a"]
every_robot = pytest.mark.parametrize("folder", FOLDERS, ids=named)


@pytest.fixture
def pair(folder: Path) -> tuple[Any, JointGroup, Any]:
    """tesseract's group and ours of the same joints in random order, and values for them."""
    graph = robot(folder)
    theirs = to_tesseract(graph)
    solver = OFKTStateSolver(graph, mimic="independent")
    rng = np.random.default_rng(len(folder.name))
    names = [str(name) for name in rng.permutation(solver.getActiveJointNames())]
    names = names[: max(1, 2 * len(names) // 3)]
    state = tesseract_state_solver.OFKTStateSolver(theirs).getState()
    group = tesseract_kinematics.JointGroup("some", names, theirs, state)
    return group, JointGroup("some", names, solver), rng.uniform(-0.5, 0.5, len(names))


@every_robot
def test_names_and_limits_are_tesseracts(pair: tuple[Any, JointGroup, Any]) -> None:
    theirs, ours, _ = pair
    assert ours.getName() == theirs.getName()
    assert ours.getBaseLinkName() == theirs.getBaseLinkName()
    assert ours.numJoints() == theirs.numJoints()
    assert ours.getJointNames() == list(theirs.getJointNames())
    # The order is that of our solvers; tesseract's depends on its KDL tree.
    for method in ("getLinkNames", "getActiveLinkNames", "getStaticLinkNames"):
        assert sorted(getattr(ours, method)()) == sorted(getattr(theirs, method)()), method
    for link in ours.getLinkNames():
        assert ours.isActiveLinkName(link) == theirs.isActiveLinkName(link)
        assert ours.hasLinkName(link)
    places = ours.getRedundancyCapableJointIndices()
    assert places == list(theirs.getRedundancyCapableJointIndices())
    expected, limits = theirs.getLimits(), ours.getLimits()
    for kind in ("joint_limits", "velocity_limits", "acceleration_limits"):
        np.testing.assert_array_equal(getattr(limits, kind), getattr(expected, kind), kind)


@every_robot
def test_poses_and_jacobians_are_tesseracts(pair: tuple[Any, JointGroup, Any]) -> None:
    theirs, ours, q = pair
    expected = theirs.calcFwdKin(q)
    poses = ours.calcFwdKin(q)
    assert set(poses) == set(expected.keys())
    for link, pose in poses.items():
        np.testing.assert_allclose(pose.matrix, expected[link].matrix(), atol=1e-12)
    root, point = ours.getBaseLinkName(), np.array([0.1, -0.2, 0.3])
    active, static = ours.getActiveLinkNames(), ours.getStaticLinkNames()
    for link in active:
        plain, at = ours.calcJacobian(q, link), ours.calcJacobian(q, link, point)
        np.testing.assert_allclose(plain, theirs.calcJacobian(q, link), atol=1e-12)
        np.testing.assert_allclose(at, theirs.calcJacobian(q, link, point), atol=1e-12)
        # With base and point tesseract turns the point by the wrong rotation, but at the root.
        below_root = theirs.calcJacobian(q, root, link, point)
        np.testing.assert_allclose(ours.calcJacobian(q, root, link, point), below_root, atol=1e-12)
        base = static[len(static) // 2]
        below = theirs.calcJacobian(q, base, link)
        np.testing.assert_allclose(ours.calcJacobian(q, base, link), below, atol=1e-12)


@every_robot
def test_joints_are_checked_as_by_tesseract(
    folder: Path, pair: tuple[Any, JointGroup, Any]
) -> None:
    theirs, ours, q = pair
    lower, upper = ours.getLimits().joint_limits.T
    graph = robot(folder)
    for i, name in enumerate(ours.getJointNames()):
        found = graph.getJoint(name)
        if found is not None and found.type is JointType.CONTINUOUS:
            lower[i] = upper[i] = q[i]  # without limits here, within two turns there
    bounded = lower < upper
    for values in (q, lower, upper, upper + 1e-3 * bounded, lower - 1e-3 * bounded):
        assert ours.checkJoints(values) == theirs.checkJoints(values.copy())
    assert ours.checkJoints(q[:-1]) is theirs.checkJoints(q[:-1]) is False


def test_a_script_for_tesseracts_groups_needs_another_import_line_only() -> None:
    graph = small_robot("ur5")
    group = KinematicGroup("arm", OFKTStateSolver(graph).getActiveJointNames(), graph)
    poses = group.calcFwdKin(np.full(6, 0.3))
    for module in (kinematics, tesseract_kinematics):
        # As in the examples of tesseract_python.
        ik = module.KinGroupIKInput()
        assert (ik.working_frame, ik.tip_link_name) == ("", "")
        ik.tip_link_name = "wrist_3_link"
        ik.working_frame = "base_link"
        iks = module.KinGroupIKInputs()
        iks.append(ik)
        assert len(iks) == 1
    mine = kinematics.KinGroupIKInput()
    assert mine.pose == Isometry3d()
    mine.pose = poses["base_link"].inverse() * poses["wrist_3_link"]
    mine.tip_link_name, mine.working_frame = "wrist_3_link", "base_link"
    inputs = kinematics.KinGroupIKInputs([mine])
    (solution,) = group.calcInvKin(inputs, np.full(6, 0.25))
    np.testing.assert_allclose(solution, np.full(6, 0.3), atol=1e-7)
    with pytest.raises(UnknownLinkError):
        group.calcInvKin(kinematics.KinGroupIKInput(), np.zeros(6))
