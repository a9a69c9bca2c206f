"""Random trees and edits: the edited solver equals one built from the edited graph."""

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_scenes import edits, origins, trees

from kinegraph.kinematics import KDLStateSolver, OFKTStateSolver
from kinegraph.scene import SceneGraph

TOLERANCE = 1e-12

slowly = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def check_poses(found: Any, wanted: Any) -> None:
    assert found.keys() == wanted.keys()
    for name, pose in wanted.items():
        np.testing.assert_allclose(found[name], pose, atol=TOLERANCE, err_msg=name)


def check_same(solver: OFKTStateSolver, graph: SceneGraph, data: Any) -> None:
    """Compare with both solvers of the graph, at random values."""
    fresh, kdl = OFKTStateSolver(graph), KDLStateSolver(graph)
    for names in ("getLinkNames", "getJointNames", "getActiveJointNames"):
        assert sorted(getattr(solver, names)()) == sorted(getattr(fresh, names)())
    assert solver.getActiveLinkNames() == fresh.getActiveLinkNames()
    assert solver.getStaticLinkNames() == fresh.getStaticLinkNames()
    order = [solver.getActiveJointNames().index(name) for name in fresh.getActiveJointNames()]
    np.testing.assert_array_equal(
        solver.getLimits().velocity_limits[order], fresh.getLimits().velocity_limits
    )
    q = data.draw(st.lists(st.floats(-3.0, 3.0), min_size=len(order), max_size=len(order)))
    values = dict(zip(solver.getActiveJointNames(), q, strict=True))
    solver.setState(values)
    floating = solver.getState().floating_joints
    wanted = fresh.getState(values, floating)
    check_poses(solver.getState().link_transforms, wanted.link_transforms)
    check_poses(solver.getState().joint_transforms, wanted.joint_transforms)
    link = data.draw(st.sampled_from(solver.getLinkNames()))
    np.testing.assert_allclose(
        solver.getLinkTransform(link), wanted.link_transforms[link], atol=TOLERANCE
    )
    J = solver.getJacobian(values, link)[:, order]
    np.testing.assert_allclose(J, fresh.getJacobian(values, link, floating), atol=TOLERANCE)
    if floating == fresh.getState().floating_joints:
        check_poses(kdl.getState(values).link_transforms, wanted.link_transforms)
        columns = [fresh.getActiveJointNames().index(name) for name in kdl.getActiveJointNames()]
        np.testing.assert_allclose(kdl.getJacobian(values, link), J[:, columns], atol=TOLERANCE)


@slowly
@given(trees(largest=25), st.data())
def test_both_solvers_agree_on_random_trees(graph: SceneGraph, data: Any) -> None:
    check_same(OFKTStateSolver(graph), graph, data)


@slowly
@given(trees(), st.data())
def test_an_edited_solver_equals_a_solver_of_the_edited_graph(graph: SceneGraph, data: Any) -> None:
    solver = OFKTStateSolver(graph)
    for number in range(data.draw(st.integers(1, 6))):
        before = solver.getState()
        kept = solver.clone()
        edit = data.draw(edits(graph, number))
        # A joint that a move would replace may keep its name, in graph and solver alike.
        returned = edit(solver)
        assert edit(graph) == returned
        assert kept.getState() == before
        if not returned:
            assert solver.getState() == before
        check_same(solver, graph, data)


@slowly
@given(trees(largest=25), st.data())
def test_partial_updates_equal_a_fresh_evaluation(graph: SceneGraph, data: Any) -> None:
    solver = OFKTStateSolver(graph)
    active, floating = solver.getActiveJointNames(), solver.getFloatingJointNames()
    values, transforms = dict.fromkeys(active, 0.0), dict(solver.getState().floating_joints)
    for _ in range(data.draw(st.integers(1, 8))):
        changed = data.draw(st.lists(st.sampled_from(active), unique=True)) if active else []
        some = {name: data.draw(st.floats(-3.0, 3.0)) for name in changed}
        moved = data.draw(st.lists(st.sampled_from(floating), unique=True)) if floating else []
        given_ = {name: data.draw(origins()) for name in moved}
        solver.setState(some, given_)
        values |= some
        transforms |= given_
        if data.draw(st.booleans()):
            wanted = OFKTStateSolver(graph).getState(values, transforms)
            state = solver.getState()
            assert state.joints == values
            assert {n: p for n, p in state.link_transforms.items()} == wanted.link_transforms
