"""Jacobians against finite differences and pinocchio, points, bases and frames."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinematics_cases import KINEMATICS, robot, small_robot
from oracles import third_party

from kinegraph.kinematics import (
    KDLStateSolver,
    OFKTStateSolver,
    StateSolver,
    jacobian,
    jacobianChangeBase,
    jacobianChangeRefPoint,
)

STEP = 1e-6
# Central differences: rounding 1e-16 / 1e-6 plus a cubic term of lengths of some metres.
DIFFERENCE_TOLERANCE = 1e-7


def relative(solver: StateSolver, q: Any, link: str, base: str) -> Any:
    poses = solver.getState(q).link_transforms
    return np.asarray(poses[base].inverse() @ poses[link])


def by_differences(solver: StateSolver, q: Any, link: str, base: str, point: Any) -> Any:
    """Derivative of the relative pose, base axes, reference point fixed in the link."""
    columns = []
    T = relative(solver, q, link, base)
    for i in range(len(q)):
        ahead, behind = q.copy(), q.copy()
        ahead[i] += STEP
        behind[i] -= STEP
        d = (relative(solver, ahead, link, base) - relative(solver, behind, link, base)) / (
            2 * STEP
        )
        W = d[:3, :3] @ T[:3, :3].T
        linear = d[:3, 3] + d[:3, :3] @ point
        columns.append([*linear, W[2, 1], W[0, 2], W[1, 0]])
    return np.array(columns).T


@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
@pytest.mark.parametrize("mimic", ["follow", "independent"])
@pytest.mark.parametrize("name", ["synth_a", "fr3_hand"])
def test_jacobians_are_the_derivative_of_poses(kind: Any, mimic: Any, name: str) -> None:
    solver = kind(small_robot(name), mimic=mimic)
    rng = np.random.default_rng(3)
    links = solver.getLinkNames()
    for _ in range(6):
        q = rng.uniform(-1.5, 1.5, len(solver.getActiveJointNames()))
        link, base = rng.choice(links, 2)
        point = rng.uniform(-0.5, 0.5, 3)
        found = solver.getJacobian(q, link, link_point=point, base_link=base)
        wanted = by_differences(solver, q, link, base, point)
        np.testing.assert_allclose(found, wanted, atol=DIFFERENCE_TOLERANCE * 10)
        plain = by_differences(solver, q, link, solver.getBaseLinkName(), np.zeros(3))
        np.testing.assert_allclose(solver.getJacobian(q, link), plain, atol=1e-6)


def test_a_static_base_only_turns_the_axes() -> None:
    solver = OFKTStateSolver(small_robot("fr3_hand"))
    q = np.linspace(-0.5, 0.5, 8)
    base = "fr3_link0_accelerometer_top"
    J = solver.getJacobian(q, "fr3_link8")
    T = solver.getLinkTransform(base).inverse()
    np.testing.assert_allclose(
        solver.getJacobian(q, "fr3_link8", base_link=base), jacobianChangeBase(J, T), atol=1e-14
    )


def test_a_point_moves_the_reference() -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    q = np.linspace(-1.0, 1.0, 6)
    point = [0.1, -0.2, 0.3]
    J = solver.getJacobian(q, "tool0")
    R = solver.getState(q).link_transforms["tool0"].rotation
    np.testing.assert_allclose(
        solver.getJacobian(q, "tool0", link_point=point),
        jacobianChangeRefPoint(J, R @ point),
        atol=1e-14,
    )


def test_the_base_link_has_a_zero_jacobian() -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    np.testing.assert_array_equal(
        solver.getJacobian(np.ones(6), solver.getBaseLinkName()), np.zeros((6, 6))
    )


@pytest.mark.parametrize("point", [[1.0, 2.0], [np.nan, 0, 0], "abc", np.zeros((3, 1))])
def test_a_bad_point_is_refused(point: Any) -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    with pytest.raises((TypeError, ValueError)):
        solver.getJacobian(np.ones(6), "tool0", link_point=point)


def test_helpers_refuse_what_is_no_jacobian() -> None:
    for bad in (np.zeros((5, 2)), np.zeros(6)):
        with pytest.raises(ValueError, match="Jacobian"):
            jacobianChangeRefPoint(bad, np.zeros(3))
        with pytest.raises(ValueError, match="Jacobian"):
            jacobianChangeBase(bad, np.eye(4))
    with pytest.raises(ValueError, match="finite"):
        jacobianChangeBase(np.full((6, 1), np.nan), np.eye(4))


FRAMES = {"base": "LOCAL_WORLD_ALIGNED", "body": "LOCAL", "spatial": "WORLD"}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", ["ur5", "fr3_hand"])
def test_every_frame_is_pinocchios(frame: Any, name: str) -> None:
    pin = third_party("pinocchio")
    solver = OFKTStateSolver(small_robot(name), mimic="independent")
    model = pin.buildModelFromUrdf(str(KINEMATICS / name / "robot.urdf"))
    data = model.createData()
    columns = [model.joints[model.getJointId(n)].idx_v for n in solver.getActiveJointNames()]
    rng = np.random.default_rng(5)
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, len(columns))
        theirs = np.zeros(model.nq)
        theirs[columns] = q
        for link in solver.getLinkNames()[1::4]:
            wanted = pin.computeFrameJacobian(
                model, data, theirs, model.getFrameId(link), getattr(pin, FRAMES[frame])
            )
            np.testing.assert_allclose(
                jacobian(solver, q, link, frame), wanted[:, columns], atol=1e-12
            )


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(-1e7, 1e7), min_size=6, max_size=6),
    st.sampled_from(["tool0", "wrist_1_link", "world"]),
)
def test_any_finite_angle_gives_rotations_and_unit_axes(q: list[float], link: str) -> None:
    solver = UR5
    state = solver.getState(q)
    for pose in state.link_transforms.values():
        np.testing.assert_allclose(pose.rotation.T @ pose.rotation, np.eye(3), atol=1e-13)
    J = solver.getJacobian(q, link)
    lengths = np.linalg.norm(J[3:], axis=0)
    np.testing.assert_allclose(lengths[lengths > 0.5], 1.0, atol=1e-13)
    assert solver.getLinkTransform(link) is not None


UR5 = OFKTStateSolver(robot(KINEMATICS / "ur5"))


def test_large_angles_are_as_exact_as_libm() -> None:
    solver = OFKTStateSolver(small_robot("ur5"))
    name = "shoulder_pan_joint"
    for angle in (1e5 - 0.1, 1e5 + 0.1, 1e9, -1e12, 1e15):
        small = np.arctan2(np.sin(angle), np.cos(angle))
        big = solver.getState({name: angle}).link_transforms["tool0"]
        np.testing.assert_allclose(
            big, solver.getState({name: small}).link_transforms["tool0"], atol=1e-13
        )
        solver.setState({name: angle})
        np.testing.assert_allclose(solver.getLinkTransform("tool0"), big, atol=1e-13)
