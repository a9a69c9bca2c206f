"""An edit, and the poses of single links after it, touch what lies below and nothing else."""

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest
from kinematics_cases import graph_of, joint, small_robot, up

from kinegraph.kinematics import OFKTStateSolver
from kinegraph.kinematics.tree_table import TreeTable
from kinegraph.scene import (
    Link,
    SceneGraph,
    parseURDFString,
    writeURDFString,
)

DEEP = 3000
"""More links in a row than Python nests calls."""


def chain(count: int, kind: str = "revolute", prefix: str = "") -> SceneGraph:
    """Links in a row, `l0` to `l{count - 1}`."""
    names = [f"{prefix}l{i}" for i in range(count)]
    made = [
        joint(f"{prefix}j{i}", names[i - 1], names[i], kind, origin=up(0.01))
        for i in range(1, count)
    ]
    return graph_of(names[0], *made)


def branches(arms: int = 3, length: int = 4) -> OFKTStateSolver:
    """Arms of turning joints on one base: links `a0` to `a3`, `b0` ..., joints `ja0` ..."""
    made = []
    for arm in "abcdefgh"[:arms]:
        parent = "base"
        for i in range(length):
            made.append(joint(f"j{arm}{i}", parent, f"{arm}{i}", "revolute", origin=up()))
            parent = f"{arm}{i}"
    return OFKTStateSolver(graph_of("base", *made))


def check_poses(solver: OFKTStateSolver, links: list[str]) -> None:
    """Compare poses, read one by one, with those of a copy that computes everything.

    Read first: making the copy puts all rows in order.
    """
    found = [solver.getLinkTransform(link) for link in links]
    wanted = solver.clone().getState().link_transforms
    for link, pose in zip(links, found, strict=True):
        np.testing.assert_allclose(pose, wanted[link], atol=1e-13, err_msg=link)


def q_of(solver: OFKTStateSolver) -> list[float]:
    """Current values, without a look at the scene."""
    values: list[float] = solver.flat_state.q.tolist()
    return values


EDITS: dict[str, Callable[[OFKTStateSolver], bool]] = {
    "addLink": lambda s: s.addLink(Link("new"), joint("jn", "a1", "new", "revolute", origin=up())),
    "insertSceneGraph": lambda s: s.insertSceneGraph(chain(4), joint("jn", "a1", "p/l0"), "p/"),
    "moveLink": lambda s: s.moveLink(joint("jn", "a1", "b2", "revolute", origin=up())),
    "moveJoint": lambda s: s.moveJoint("jb2", "a1"),
    "replaceJoint": lambda s: s.replaceJoint(joint("jb2", "a1", "b2", "prismatic", origin=up())),
    "replaceJoint in place": lambda s: s.replaceJoint(joint("jb2", "b1", "b2", "revolute")),
    "changeJointOrigin": lambda s: s.changeJointOrigin("jb2", up(3.0)),
}
BELOW = {
    "addLink": {"new"},
    "insertSceneGraph": {"p/l0", "p/l1", "p/l2", "p/l3"},
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("edited", [False, True], ids=["first edit", "later edit"])
def test_an_edit_places_what_is_below_it_and_no_other_link(name: str, edited: bool) -> None:
    solver = branches()
    solver.setState(np.linspace(-1.0, 1.0, 12))
    solver.getState()
    if edited:
        assert solver.moveJoint("jc0", "base")
        solver.getLinkTransform("c0")
    below = BELOW.get(name, {"b2", "b3"})
    assert EDITS[name](solver)
    table = solver.flat_state.table
    if solver.flat_state.edited:
        kept = {link: table.poses[row].copy() for link, row in table.link_rows.items()}
        table.poses[:] = np.nan  # whatever is not computed again stays so
        for link in ("a1", "b1"):
            table.poses[table.link_rows[link]] = kept[link]
        solver.getLinkTransform(min(below))
        rows = table.link_rows.items()
        written = {link for link, row in rows if np.isfinite(table.poses[row]).all()}
        assert written == below | {"a1", "b1"}
        for link in set(kept) - written:
            table.poses[table.link_rows[link]] = kept[link]
    check_poses(solver, sorted(below))


def test_edits_and_single_poses_never_put_all_rows_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solver = branches()
    solver.getState()
    assert solver.removeLink("c1")

    def refuse(_table: TreeTable) -> None:
        raise AssertionError("all rows were put in order")

    monkeypatch.setattr(TreeTable, "flat", refuse)
    for name in ("insertSceneGraph", "addLink", "moveLink", "moveJoint", "replaceJoint in place"):
        edit = EDITS["replaceJoint in place" if name == "moveJoint" else name]
        edit(solver)
        n = len(solver.flat_state.q)
        solver.setState(np.zeros(n))
        solver.setState({"ja0": 0.5})
        assert solver.hasLinkName("a0")
        solver.getLinkTransform("a3")
        solver.getRelativeLinkTransform("a3", "b1")
        assert solver.getJacobian(np.zeros(n), "a3").shape == (6, n)
    assert solver.changeJointOrigin("ja1", up())
    assert solver.changeJointVelocityLimits("ja1", 2.0)
    assert solver.removeJoint("ja1")
    assert solver.removeLink("b0")
    assert solver.getBaseLinkName() == "base"
    solver.getLinkTransform("a0")


@pytest.mark.parametrize("count", [6, 80], ids=["short chain", "long chain"])
@pytest.mark.parametrize("edited", [False, True], ids=["no edit", "edited"])
def test_values_that_go_back_and_forth_are_followed(count: int, edited: bool) -> None:
    tip = "more" if edited else f"l{count - 1}"

    def grown() -> OFKTStateSolver:
        solver = OFKTStateSolver(chain(count))
        solver.getState()
        made = joint("more", f"l{count - 1}", "more", "revolute", origin=up())
        assert not edited or solver.addLink(Link("more"), made)
        return solver

    solver, names = grown(), grown().getActiveJointNames()
    one = np.linspace(-0.1, 0.2, len(names))
    other = one.copy()
    other[len(names) // 2] = 0.7
    zeros = np.zeros(len(names))
    for values in (
        one,
        zeros,
        other,
        one,
        {"j3": 0.4},
        one,
        zeros,
        {"j3": 0.4},
        {"j3": float(one[2])},
        other,
    ):
        solver.setState(values)
        found = solver.getLinkTransform(tip)
        assert solver.flat_state.edited == edited
        wanted = grown().getState(dict(zip(names, q_of(solver), strict=True)))
        np.testing.assert_allclose(found, wanted.link_transforms[tip], atol=1e-13)
        if not edited:
            assert solver.getState() == wanted


@pytest.mark.parametrize("arms", [1, 8], ids=["one arm", "eight arms"])
def test_a_leaf_of_a_long_chain_is_placed_alone(arms: int) -> None:
    solver = branches(arms, 40)
    solver.getState()
    poses = solver.flat_state.poses()
    kept = poses[39].copy()
    poses[:] = np.nan  # whatever is not computed again stays so
    poses[39] = kept
    for value in (0.5, -0.5):
        solver.setState({"ja39": value})
        assert np.isfinite(solver.getLinkTransform("a39").matrix).all()
    assert np.isfinite(poses[40]).all()
    assert np.isnan(poses[:39]).all()
    assert np.isnan(poses[41:]).all()


def test_a_value_set_before_an_edit_counts_after_it_when_rows_are_out_of_order() -> None:
    solver = branches()
    assert solver.moveLink(joint("jn", "a1", "b2", "revolute", origin=up()))
    solver.getState()
    solver.setState({"jb1": 0.5, "jn": 0.25})
    assert solver.changeJointOrigin("jc0", up(5.0))
    assert solver.moveJoint("jc2", "c0")
    check_poses(solver, ["b1", "b2", "b3", "c0", "c1", "c2", "c3"])


def test_a_follower_that_was_removed_does_not_hold_its_master() -> None:
    solver = branches()
    made = joint("jf", "base", "f", "revolute", mimic=("ja2", 2.0, 0.0))
    for _ in range(2):
        assert solver.addLink(Link("f"), made)
        assert not solver.removeLink("a2")
        assert solver.removeLink("f")
    assert solver.removeLink("a2")


def test_children_removed_in_any_order_are_gone() -> None:
    solver = branches()
    for i in range(6):
        assert solver.addLink(Link(f"x{i}"), joint(f"jx{i}", "a1", f"x{i}", "revolute"))
    for i in (2, 4, 0, 5):
        assert solver.removeLink(f"x{i}")
    assert solver.moveJoint("jx3", "b1")
    assert solver.removeLink("a1")
    assert solver.getLinkNames() == [
        "base",
        "a0",
        *(f"{arm}{i}" for arm in "bc" for i in range(4)),
        "x3",
    ]
    check_poses(solver, solver.getLinkNames())


def test_holes_of_removed_rows_are_closed_before_arrays_grow() -> None:
    solver = branches()
    for i in range(200):
        assert solver.addLink(Link(f"x{i}"), joint(f"jx{i}", "a1", f"x{i}", "revolute"))
        assert solver.addLink(Link(f"y{i}"), joint(f"jy{i}", "a2", f"y{i}", "fixed"))
        assert solver.removeLink(f"x{i}")  # never the last row
        if i % 7:
            assert solver.removeLink(f"y{i}")
    table = solver.flat_state.table
    assert table.room < 4 * len(solver.getLinkNames())
    kept = [f"y{i}" for i in range(0, 200, 7)]
    assert solver.getLinkNames()[13:] == kept


def test_a_thousandfold_nesting_needs_no_thousandfold_calls() -> None:
    graph = chain(DEEP)
    tip = f"l{DEEP - 1}"
    assert graph.isTree()
    assert graph.isAcyclic()
    assert len(graph.getShortestPath(tip, "l0").joints) == DEEP - 1
    assert len(graph.getLinkChildrenNames("l0")) == DEEP - 1
    assert copy.deepcopy(graph) == graph == pickle.loads(pickle.dumps(graph))
    assert parseURDFString(writeURDFString(graph)) == graph
    whole = small_robot("ur5")
    assert whole.insertSceneGraph(graph, joint("mount", "tool0", "p/l0"), "p/")
    solver = OFKTStateSolver(whole)
    assert pickle.loads(pickle.dumps(solver)).getState() == solver.getState()
    assert solver.insertSceneGraph(graph, joint("again", "p/" + tip, "q/l0"), "q/")
    solver.getJacobian(np.zeros(len(solver.flat_state.q)), "q/" + tip)
    assert solver.removeLink("p/l1")
    assert whole.removeLink("p/l1", True)
    assert set(solver.getLinkNames()) == {link.getName() for link in whole.getLinks()}
