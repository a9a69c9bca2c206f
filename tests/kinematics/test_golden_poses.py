"""Poses, Jacobians and limits of real robots against tesseract, KDL and pinocchio."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kinematics_cases import TOLERANCE, meta, named, robot, robot_folders

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver, StateSolver

FOLDERS = robot_folders()
MIMIC_FOLDERS = [folder for folder in FOLDERS if (folder / "mimic.npz").exists()]


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)


def check_poses(found: dict[str, Any], names: list[str], wanted: Any) -> None:
    close([np.asarray(found[name])[:3] for name in names], wanted)


def floating_of(arrays: Any, names: list[str], row: int) -> dict[str, Any]:
    if "floating_given" not in arrays or not arrays["floating_given"][row]:
        return {}
    return dict(zip(names, arrays["floating_values"][row], strict=True))


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_ofkt_poses_and_jacobians_are_the_recorded_ones(folder: Path) -> None:
    solver, recorded = OFKTStateSolver(robot(folder), mimic="independent"), meta(folder)
    arrays = np.load(folder / "fk.npz")
    for row, q in enumerate(arrays["q"]):
        floating = floating_of(arrays, recorded["floating_joint_names"], row)
        state = solver.getState(q, floating)
        check_poses(state.link_transforms, recorded["link_names"], arrays["link_transforms"][row])
        check_poses(
            state.joint_transforms, recorded["joint_names"], arrays["joint_transforms"][row]
        )
        for link, wanted in zip(recorded["jacobian_links"], arrays["jacobian"][row], strict=True):
            close(solver.getJacobian(q, link, floating), wanted)


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_kdl_has_its_own_order_and_the_same_poses(folder: Path) -> None:
    solver, recorded = KDLStateSolver(robot(folder), mimic="independent"), meta(folder)
    names = recorded["active_joint_names"]
    assert solver.getActiveJointNames() == recorded["kdl_active_joint_names"]
    columns = [names.index(name) for name in solver.getActiveJointNames()]
    arrays = np.load(folder / "fk.npz")
    for row, q in enumerate(arrays["q"]):
        if floating_of(arrays, recorded["floating_joint_names"], row):
            continue
        state = solver.getState(q[columns])
        check_poses(state.link_transforms, recorded["link_names"], arrays["link_transforms"][row])
        for link, wanted in zip(recorded["jacobian_links"], arrays["jacobian"][row], strict=True):
            close(solver.getJacobian(q[columns], link), wanted[:, columns])


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_link_by_link_gives_the_recorded_poses(folder: Path) -> None:
    solver, recorded = OFKTStateSolver(robot(folder), mimic="independent"), meta(folder)
    arrays = np.load(folder / "fk.npz")
    for row, q in enumerate(arrays["q"][:4]):
        solver.setState(q)
        poses = [np.asarray(solver.getLinkTransform(name)) for name in recorded["link_names"]]
        close(np.array(poses)[:, :3], arrays["link_transforms"][row])


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_limits_are_the_recorded_ones(folder: Path, kind: type[StateSolver]) -> None:
    solver = kind(robot(folder), mimic="independent")  # type: ignore[call-arg]
    names = meta(folder)["active_joint_names"]
    rows = [names.index(name) for name in solver.getActiveJointNames()]
    limits, arrays = solver.getLimits(), np.load(folder / "fk.npz")
    np.testing.assert_array_equal(limits.joint_limits, arrays["limits_position"][rows])
    np.testing.assert_array_equal(limits.velocity_limits, arrays["limits_velocity"][rows])
    np.testing.assert_array_equal(limits.acceleration_limits, arrays["limits_acceleration"][rows])
    np.testing.assert_array_equal(limits.jerk_limits, arrays["limits_jerk"][rows])


@pytest.mark.parametrize("folder", MIMIC_FOLDERS, ids=named)
def test_mimic_joints_follow_as_recorded(folder: Path) -> None:
    solver, recorded = OFKTStateSolver(robot(folder)), meta(folder)
    assert solver.getActiveJointNames() == recorded["mimic"]["independent"]
    arrays = np.load(folder / "mimic.npz")
    for row, q in enumerate(arrays["q"]):
        state = solver.getState(q)
        check_poses(state.link_transforms, recorded["link_names"], arrays["link_transforms"][row])
        close(state.getJointValues(recorded["active_joint_names"]), arrays["full_q"][row])
        for link, wanted in zip(recorded["jacobian_links"], arrays["jacobian"][row], strict=True):
            close(solver.getJacobian(q, link), wanted)


@pytest.mark.parametrize("folder", MIMIC_FOLDERS, ids=named)
def test_mimic_joints_follow_in_kdl_too(folder: Path) -> None:
    solver, recorded = KDLStateSolver(robot(folder)), meta(folder)
    arrays = np.load(folder / "mimic.npz")
    names = recorded["mimic"]["independent"]
    for row, q in enumerate(arrays["q"]):
        state = solver.getState(names, q)
        check_poses(state.link_transforms, recorded["link_names"], arrays["link_transforms"][row])
        columns = [names.index(name) for name in solver.getActiveJointNames()]
        for link, wanted in zip(recorded["jacobian_links"], arrays["jacobian"][row], strict=True):
            close(solver.getJacobian(names, q, link), wanted[:, columns])


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
@pytest.mark.parametrize("kind", [OFKTStateSolver, KDLStateSolver])
def test_every_form_of_input_gives_the_recorded_poses_and_jacobians(
    folder: Path, kind: type[StateSolver]
) -> None:
    solver: Any = kind(robot(folder), mimic="independent")  # type: ignore[call-arg]
    recorded = meta(folder)
    arrays, names = np.load(folder / "fk.npz"), recorded["active_joint_names"]
    columns = [names.index(name) for name in solver.getActiveJointNames()]
    link, row = recorded["jacobian_links"][-1], 2  # a row without floating values
    q, wanted = arrays["q"][row], arrays["jacobian"][row, -1][:, columns]
    by_name = dict(zip(names, q.tolist(), strict=True))
    forms: list[tuple[Any, ...]] = [(q[columns],), (by_name,), (names, q), (names[::-1], q[::-1])]
    for form in forms:
        close(solver.getJacobian(*form, link), wanted)
        state = solver.getState(*form)
        check_poses(state.link_transforms, recorded["link_names"], arrays["link_transforms"][row])
        assert state.joints == by_name
        moved = solver.clone()
        moved.setState(*form)
        assert moved.getState() == state
    poses = solver.getLinkTransforms(names, q)
    check_poses(poses, recorded["link_names"], arrays["link_transforms"][row])
