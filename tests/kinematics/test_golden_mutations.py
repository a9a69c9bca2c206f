"""Recorded edits of real robots: returns, exact name orders, limits and poses after every step."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kinematics_cases import (
    TOLERANCE,
    apply_step,
    joint_of_step,
    meta,
    named,
    robot,
    robot_folders,
)
from solver_kinds import snapshot

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import SceneGraph

ORDERS = {
    "joint_names": OFKTStateSolver.getJointNames,
    "active_joint_names": OFKTStateSolver.getActiveJointNames,
    "floating_joint_names": OFKTStateSolver.getFloatingJointNames,
    "link_names": OFKTStateSolver.getLinkNames,
    "active_link_names": OFKTStateSolver.getActiveLinkNames,
    "static_link_names": OFKTStateSolver.getStaticLinkNames,
}


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


def edit_graph(graph: SceneGraph, step: dict[str, Any]) -> None:
    """Carry out the same edit on the graph, where it has the same method."""
    if step["op"] == "replaceJoint":
        made = joint_of_step(step["joint"])
        assert graph.removeJoint(made.getName())
        assert graph.addJoint(made)
    elif step["op"].startswith("remove"):
        assert getattr(graph, step["op"])(step["name"], recursive=True)
    elif step["op"] != "setState":
        assert apply_step(graph, step)


@pytest.mark.parametrize("folder", robot_folders(), ids=named)
def test_a_kdl_solver_of_the_equally_edited_graph_agrees(folder: Path) -> None:
    arrays = np.load(folder / "mutations.npz")
    sequences = json.loads((folder / "mutations.json").read_text())["sequences"]
    for number, sequence in enumerate(sequences):
        graph = robot(folder)
        for place, step in enumerate(sequence):
            if step.get("unchanged"):
                continue
            edit_graph(graph, step)
            check_kdl(graph, step["after"], arrays, f"q{number}_s{place:02d}_")


def check_kdl(graph: SceneGraph, after: dict[str, Any], arrays: Any, key: str) -> None:
    solver = KDLStateSolver(graph, mimic="independent")
    names = after["active_joint_names"]
    assert sorted(solver.getActiveJointNames()) == sorted(names)
    assert sorted(solver.getLinkNames()) == sorted(after["link_names"])
    columns = [names.index(name) for name in solver.getActiveJointNames()]
    np.testing.assert_array_equal(
        solver.getLimits().joint_limits, arrays[key + "limits"][0][columns]
    )
    if not after["floating_joint_names"]:  # which KDL holds at their origins
        found = poses(solver.getState(after["probe"]).link_transforms, after["link_names"])
        close(found, arrays[key + "probe"])
        found = solver.getJacobian(after["probe"], after["jacobian_link"])
        close(found, arrays[key + "jac"][:, columns])
