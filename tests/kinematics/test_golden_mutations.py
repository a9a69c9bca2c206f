"""Recorded edits of real robots: returns, exact name orders, limits and poses after every step."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kinematics_cases import TOLERANCE, apply_step, meta, named, robot, robot_folders

from kinegraph.kinematics.ofkt import OFKTStateSolver

ORDERS = {
    "joint_names": OFKTStateSolver.getJointNames,
    "active_joint_names": OFKTStateSolver.getActiveJointNames,
    "floating_joint_names": OFKTStateSolver.getFloatingJointNames,
    "link_names": OFKTStateSolver.getLinkNames,
    "active_link_names": OFKTStateSolver.getActiveLinkNames,
    "static_link_names": OFKTStateSolver.getStaticLinkNames,
}


def snapshot(solver: OFKTStateSolver) -> tuple[Any, ...]:
    limits = solver.getLimits()
    return (
        [names(solver) for names in ORDERS.values()],
        solver.getState(),
        limits.joint_limits.tolist(),
        limits.velocity_limits.tolist(),
        limits.acceleration_limits.tolist(),
        limits.jerk_limits.tolist(),
    )


def check_after(solver: OFKTStateSolver, after: dict[str, Any], arrays: Any, key: str) -> None:
    for what, names in ORDERS.items():
        assert names(solver) == after[what], what
    state = solver.getState()
    assert state.joints == after["joints"]
    links, probe = after["link_names"], after["probe"]
    close(poses(state.link_transforms, links), arrays[key + "state"])
    close(poses(solver.getState(probe).link_transforms, links), arrays[key + "probe"])
    close(solver.getJacobian(probe, after["jacobian_link"]), arrays[key + "jac"])
    if after["floating_joint_names"]:
        floating = state.getFloatingJointValues(after["floating_joint_names"])
        close([np.asarray(pose) for pose in floating.values()], arrays[key + "floating"])
    limits = solver.getLimits()
    found = [
        limits.joint_limits,
        limits.velocity_limits,
        limits.acceleration_limits,
        limits.jerk_limits,
    ]
    np.testing.assert_array_equal(found, arrays[key + "limits"])


def poses(transforms: dict[str, Any], names: list[str]) -> Any:
    return np.array([np.asarray(transforms[name])[:3] for name in names])


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("folder", robot_folders(), ids=named)
def test_every_recorded_edit_gives_the_recorded_tree(folder: Path) -> None:
    arrays = np.load(folder / "mutations.npz")
    sequences = json.loads((folder / "mutations.json").read_text())["sequences"]
    for number, sequence in enumerate(sequences):
        solver = OFKTStateSolver(robot(folder), mimic="independent")
        for place, step in enumerate(sequence):
            before = snapshot(solver)
            returned = apply_step(solver, step)
            assert returned == step["returns"], (place, step["kind"])
            if step.get("unchanged"):
                assert snapshot(solver) == before
            else:
                check_after(solver, step["after"], arrays, f"q{number}_s{place:02d}_")


@pytest.mark.parametrize("folder", robot_folders(), ids=named)
def test_every_list_has_the_recorded_order(folder: Path) -> None:
    solver = OFKTStateSolver(robot(folder), mimic="independent")
    recorded = meta(folder)
    assert solver.getBaseLinkName() == recorded["base_link"]
    for what, names in ORDERS.items():
        assert names(solver) == recorded[what], what
