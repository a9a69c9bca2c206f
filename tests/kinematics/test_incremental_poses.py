"""Only what lies below a changed joint is computed again."""

from typing import Any

import numpy as np
import pytest
from kinematics_cases import graph_of, joint, small_robot, up

from kinegraph.kinematics import OFKTStateSolver


def branches() -> OFKTStateSolver:
    """Two arms of three joints on one turning base."""
    made = [joint("turn", "base", "post", "revolute", origin=up())]
    for arm in "ab":
        parent = "post"
        for i in range(3):
            made.append(joint(f"{arm}{i}", parent, f"{arm}_l{i}", "revolute", origin=up()))
            parent = f"{arm}_l{i}"
    return OFKTStateSolver(graph_of("base", *made))


@pytest.mark.parametrize(
    ("changed", "below"),
    [
        ({"a2": 0.5}, {"a_l2"}),
        ({"a1": 0.5}, {"a_l1", "a_l2"}),
        ({"b0": 0.5, "b2": 0.1}, {"b_l0", "b_l1", "b_l2"}),
        ({"a2": 0.5, "b2": 0.1}, {"a_l2", "b_l2"}),
        ({}, set()),
    ],
    ids=lambda value: "+".join(sorted(value)) if value else "nothing",
)
def test_the_rest_is_not_touched(changed: dict[str, float], below: set[str]) -> None:
    solver = branches()
    solver.getState()
    poses = solver.flat_state.poses()
    poses[:] = np.nan  # whatever is not computed again stays so
    poses[0] = np.eye(4)
    solver.setState(changed)
    computed = solver.flat_state.poses()
    rows = solver.flat_state.tree.link_rows
    written = {name for name, row in rows.items() if (computed[row, 3] == [0, 0, 0, 1]).all()}
    assert written == below | {"base"}


@pytest.mark.parametrize(
    "change",
    [
        lambda s, q: s.setState(q),
        lambda s, q: s.setState(np.append(q, 0.0)[:-1]),
        lambda s, q: s.setState(q.tolist()),
        lambda s, q: s.setState(q, {}),
        lambda s, q: s.setState(dict(zip(s.getActiveJointNames(), q.tolist(), strict=True))),
        lambda s, q: s.setState(dict(zip(s.getActiveJointNames(), q.tolist(), strict=True)), {}),
        lambda s, q: s.setState({"turn": int(q[0]), "a0": q[1]}),
        lambda s, q: s.setState(s.getActiveJointNames(), q),
        lambda s, q: s.setState(joint_values=q),
    ],
)
@pytest.mark.parametrize("read", [True, False])
def test_poses_follow_every_way_to_set_values(change: Any, read: bool) -> None:
    solver, q = branches(), np.array([1.0, -0.5, *([0.0] * 5)])
    if read:
        solver.getLinkTransforms()
    change(solver, q)
    wanted = branches().getState(q)
    assert solver.getState() == wanted
    assert dict(zip(solver.getLinkNames(), solver.getLinkTransforms(), strict=True)) == (
        wanted.link_transforms
    )


def test_many_changes_are_one_full_computation() -> None:
    solver = OFKTStateSolver(small_robot())
    solver.getState()
    names = solver.getActiveJointNames()
    for number, name in enumerate(names * 2):
        solver.setState({name: 0.01 * number})
    wanted = solver.getState(solver.getState().joints and {})
    assert solver.getState() == wanted
    fresh = OFKTStateSolver(small_robot())
    fresh.setState({name: solver.getState().joints[name] for name in names})
    assert fresh.getState() == solver.getState()


def test_followers_are_updated_with_their_master() -> None:
    solver = OFKTStateSolver(small_robot("fr3_hand"))
    solver.getState()
    master = next(iter(solver.flat_state.tree.mimics.values()))[0]
    solver.setState({master: 0.02})
    fresh = OFKTStateSolver(small_robot("fr3_hand"))
    assert fresh.getState({master: 0.02}).link_transforms == solver.getState().link_transforms
