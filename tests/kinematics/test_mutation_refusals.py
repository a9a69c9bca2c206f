"""Edits that are refused: False or an exception, and nothing has changed. Upstream dies of many."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kinematics_cases import graph_of, gripper_graph, joint, plain_graph, up
from solver_kinds import snapshot

from kinegraph.kinematics import KDLStateSolver, MutableStateSolver, OFKTStateSolver
from kinegraph.scene import Joint, JointLimits, JointMimic, KinegraphError, Link, SceneGraph

Edit = Callable[[Any], Any]


@pytest.fixture
def solver() -> OFKTStateSolver:
    made = OFKTStateSolver(plain_graph())
    made.setState({"j1": 0.3, "j2": -0.4}, {"jf": up(2.0)})
    made.setRevision(5)
    return made


REFUSED: dict[str, Edit] = {
    "addLink: link exists": lambda s: s.addLink(Link("l1"), joint("jx", "base", "l1")),
    "addLink: joint exists": lambda s: s.addLink(Link("x"), joint("j1", "base", "x")),
    "addLink: unknown parent": lambda s: s.addLink(Link("x"), joint("jx", "nope", "x")),
    "addLink: another child": lambda s: s.addLink(Link("x"), joint("jx", "base", "l1")),
    "addLink: own parent": lambda s: s.addLink(Link("x"), joint("jx", "x", "x")),
    "moveLink: unknown child": lambda s: s.moveLink(joint("jx", "base", "nope")),
    "moveLink: unknown parent": lambda s: s.moveLink(joint("jx", "nope", "l1")),
    "moveLink: the base": lambda s: s.moveLink(joint("jx", "l1", "base")),
    "moveLink: below itself": lambda s: s.moveLink(joint("jx", "l2", "l1")),
    "moveLink: under itself": lambda s: s.moveLink(joint("jx", "l1", "l1")),
    "moveLink: name of another": lambda s: s.moveLink(joint("jf", "base", "l2")),
    "removeLink: unknown": lambda s: s.removeLink("nope"),
    "removeLink: the base": lambda s: s.removeLink("base"),
    "removeJoint: unknown": lambda s: s.removeJoint("nope"),
    "replaceJoint: unknown": lambda s: s.replaceJoint(joint("nope", "base", "l1")),
    "replaceJoint: unknown parent": lambda s: s.replaceJoint(joint("j1", "nope", "l1")),
    "replaceJoint: another child": lambda s: s.replaceJoint(joint("j1", "base", "l2")),
    "replaceJoint: own child": lambda s: s.replaceJoint(joint("j1", "l1", "l1", "revolute")),
    "replaceJoint: below itself": lambda s: s.replaceJoint(joint("j1", "l3", "l1", "revolute")),
    "moveJoint: unknown joint": lambda s: s.moveJoint("nope", "base"),
    "moveJoint: unknown link": lambda s: s.moveJoint("j1", "nope"),
    "moveJoint: own child": lambda s: s.moveJoint("j1", "l1"),
    "moveJoint: below itself": lambda s: s.moveJoint("j1", "l3"),
    "origin: unknown": lambda s: s.changeJointOrigin("nope", up()),
    "position: unknown": lambda s: s.changeJointPositionLimits("nope", -1.0, 1.0),
    "position: fixed": lambda s: s.changeJointPositionLimits("j3", -9.0, 9.0),
    "velocity: unknown": lambda s: s.changeJointVelocityLimits("nope", 1.0),
    "velocity: floating": lambda s: s.changeJointVelocityLimits("jf", 9.0),
    "acceleration: fixed": lambda s: s.changeJointAccelerationLimits("j3", 9.0),
    "jerk: floating": lambda s: s.changeJointJerkLimits("jf", 9.0),
    "insert: unknown parent": lambda s: s.insertSceneGraph(
        gripper_graph(), joint("a", "nope", "palm")
    ),
    "insert: unknown child": lambda s: s.insertSceneGraph(
        gripper_graph(), joint("a", "l3", "nope")
    ),
    "insert: not the root": lambda s: s.insertSceneGraph(gripper_graph(), joint("a", "l3", "tcp")),
    "insert: joint exists": lambda s: s.insertSceneGraph(
        gripper_graph(), joint("j1", "l3", "palm")
    ),
    "insert: no prefix before the child": lambda s: s.insertSceneGraph(
        gripper_graph(), joint("a", "l3", "zz_palm"), "pp_"
    ),
    "insert: prefix longer than the child": lambda s: s.insertSceneGraph(
        gripper_graph(), joint("a", "l3", "palm"), "a_long_prefix_"
    ),
    "insert: empty": lambda s: s.insertSceneGraph(SceneGraph(), joint("a", "l3", "palm")),
    "insert: link exists": lambda s: s.insertSceneGraph(
        graph_of("palm", joint("new", "palm", "l1")), joint("a", "l3", "palm")
    ),
    "insert: inner joint exists": lambda s: s.insertSceneGraph(
        graph_of("palm", joint("j1", "palm", "x")), joint("a", "l3", "palm")
    ),
    "insert: joint is also inside": lambda s: s.insertSceneGraph(
        gripper_graph(), joint("g_left", "l3", "g_palm"), "g_"
    ),
}


RAISES: dict[str, tuple[type[Exception], str, Edit]] = {
    "addLink planar": (
        RuntimeError,
        "jx",
        lambda s: s.addLink(Link("x"), joint("jx", "l2", "x", "planar")),
    ),
    "addLink unknown type": (
        RuntimeError,
        "jx",
        lambda s: s.addLink(Link("x"), joint("jx", "l2", "x", "unknown")),
    ),
    "addLink of a name": (TypeError, "Link", lambda s: s.addLink("x", joint("a", "l2", "x"))),
    "addLink by a name": (TypeError, "Joint", lambda s: s.addLink(Link("x"), "a")),
    "moveLink by a name": (TypeError, "Joint", lambda s: s.moveLink("a")),
    "moveLink planar": (
        RuntimeError,
        "jx",
        lambda s: s.moveLink(joint("jx", "base", "l2", "planar")),
    ),
    "replaceJoint planar": (
        RuntimeError,
        "j1",
        lambda s: s.replaceJoint(joint("j1", "base", "l1", "planar")),
    ),
    "origin NaN": (ValueError, "j1", lambda s: s.changeJointOrigin("j1", np.full((4, 4), np.nan))),
    "origin scaled": (
        ValueError,
        "j1",
        lambda s: s.changeJointOrigin("j1", np.diag([2.0, 2.0, 2.0, 1.0])),
    ),
    "origin no matrix": (TypeError, "j1", lambda s: s.changeJointOrigin("j1", "up")),
    "position reversed": (
        ValueError,
        "j1",
        lambda s: s.changeJointPositionLimits("j1", 1.0, -1.0),
    ),
    "position NaN": (
        ValueError,
        "j1",
        lambda s: s.changeJointPositionLimits("j1", float("nan"), 1.0),
    ),
    "velocity negative": (ValueError, "j1", lambda s: s.changeJointVelocityLimits("j1", -3.0)),
    "acceleration NaN": (
        ValueError,
        "j1",
        lambda s: s.changeJointAccelerationLimits("j1", float("nan")),
    ),
    "jerk of text": (TypeError, "limit", lambda s: s.changeJointJerkLimits("j1", "9")),
    "insert no graph": (
        TypeError,
        "SceneGraph",
        lambda s: s.insertSceneGraph(None, joint("a", "l3", "p")),
    ),
    "insert by a name": (TypeError, "Joint", lambda s: s.insertSceneGraph(gripper_graph(), "a")),
    "insert prefix no text": (
        TypeError,
        "prefix",
        lambda s: s.insertSceneGraph(gripper_graph(), joint("a", "l3", "palm"), 3),
    ),
    "revision no number": (TypeError, "int", lambda s: s.setRevision("7")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_names_that_do_not_fit_give_false_and_change_nothing(
    solver: OFKTStateSolver, case: str
) -> None:
    before = snapshot(solver)
    assert REFUSED[case](solver) is False
    assert snapshot(solver) == before


@pytest.mark.parametrize("case", RAISES)
def test_malformed_arguments_raise_and_change_nothing(solver: OFKTStateSolver, case: str) -> None:
    error, part, edit = RAISES[case]
    before = snapshot(solver)
    with pytest.raises(error, match=part):
        edit(solver)
    assert snapshot(solver) == before


def test_a_graph_that_is_no_tree_is_not_inserted(solver: OFKTStateSolver) -> None:
    loose = gripper_graph()
    loose.addLink(Link("loose"))
    with pytest.raises(RuntimeError, match="loose"):
        solver.insertSceneGraph(loose, joint("a", "l3", "palm"))
    assert not solver.hasLinkName("palm")


LIMITS = ("lower", "upper", "velocity", "acceleration", "jerk")
NAN = float("nan")

BAD_JOINTS: list[tuple[str, dict[str, Any], type[Exception]]] = [
    ("planar", {}, RuntimeError),
    ("unknown", {}, RuntimeError),
    ("revolute", {"limits": None}, ValueError),
    ("prismatic", {"limits": None}, ValueError),
]
for each in ("revolute", "prismatic", "continuous"):
    BAD_JOINTS += [
        (each, {"axis": (0.0, 0.0, 0.0)}, ValueError),
        (each, {"lower": 1.0, "upper": -1.0}, ValueError),
        (each, {"mimic": JointMimic(0.0, 1.0, "nope")}, ValueError),
        (each, {"mimic": JointMimic(0.0, 1.0, "j3")}, ValueError),
        (each, {"mimic": JointMimic(0.0, 1.0, "jf")}, ValueError),
        *((each, {name: NAN}, ValueError) for name in LIMITS),
        *((each, {name: -1.0}, ValueError) for name in LIMITS[2:]),
    ]


def bad_joint(name: str, ends: tuple[str, str], kind: str, changes: dict[str, Any]) -> Joint:
    made = joint(name, *ends, kind)
    for what, value in changes.items():
        setattr(made.limits if what in LIMITS else made, what, value)
    return made


TAKERS: dict[str, tuple[str, tuple[str, str], Callable[[Any, Joint], bool]]] = {
    "addLink": ("jx", ("l2", "x"), lambda s, bad: s.addLink(Link("x"), bad)),
    "moveLink": ("jx", ("l1", "l3"), lambda s, bad: s.moveLink(bad)),
    "moveLink, old name": ("j3", ("l1", "l3"), lambda s, bad: s.moveLink(bad)),
    "replaceJoint": ("j3", ("l2", "l3"), lambda s, bad: s.replaceJoint(bad)),
    "replaceJoint, same type": ("j2", ("l1", "l2"), lambda s, bad: s.replaceJoint(bad)),
    "replaceJoint, new parent": ("j2", ("f", "l2"), lambda s, bad: s.replaceJoint(bad)),
    "insertSceneGraph": ("jx", ("l3", "x"), lambda s, bad: s.insertSceneGraph(graph_of("x"), bad)),
}


@pytest.mark.parametrize(("kind", "changes", "error"), BAD_JOINTS, ids=str)
@pytest.mark.parametrize("taker", TAKERS)
def test_a_joint_that_no_solver_takes_is_refused_by_every_edit(
    solver: OFKTStateSolver, taker: str, kind: str, changes: dict[str, Any], error: type[Exception]
) -> None:
    name, ends, edit = TAKERS[taker]
    before = snapshot(solver)
    with pytest.raises(error, match=name) as caught:
        edit(solver, bad_joint(name, ends, kind, changes))
    assert isinstance(caught.value, KinegraphError)
    assert snapshot(solver) == before


@pytest.mark.parametrize("name", ["j1", "j3", "jf", "nope"])
def test_impossible_numbers_raise_whatever_the_joint(solver: OFKTStateSolver, name: str) -> None:
    before = snapshot(solver)
    found: Any = solver
    for method in (
        found.changeJointVelocityLimits,
        found.changeJointAccelerationLimits,
        found.changeJointJerkLimits,
    ):
        for number in (NAN, -1e-300, -np.inf):
            with pytest.raises(ValueError, match="limit"):
                method(name, number)
        for wrong in ("1", None, True, 1j, [1.0], np.array([1.0]), b"1", np.timedelta64(1)):
            with pytest.raises(TypeError):
                method(name, wrong)
    for bounds in ((NAN, 1.0), (0.0, NAN), (2.0, 1.0), (np.inf, -np.inf)):
        with pytest.raises(ValueError, match="limit"):
            found.changeJointPositionLimits(name, *bounds)
    for matrix in (np.full((4, 4), NAN), np.diag([1.0, 1.0, 1.0, 2.0]), np.zeros((4, 4))):
        with pytest.raises(ValueError, match=name):
            found.changeJointOrigin(name, matrix)
    for wrong in (None, "x", 3, np.eye(4, dtype=bool), np.eye(4, dtype=complex), np.eye(3)):
        with pytest.raises(TypeError):
            found.changeJointOrigin(name, wrong)
    assert snapshot(solver) == before


@pytest.mark.parametrize("revision", [None, "1", 1.5, True, [1], np.float64(3)])
def test_a_revision_is_an_int(solver: Any, revision: Any) -> None:
    with pytest.raises(TypeError):
        solver.setRevision(revision)
    assert solver.getRevision() == 5
    solver.setRevision(np.int64(9))
    assert type(solver.getRevision()) is int


def bad_graph(case: str) -> SceneGraph:
    if case == "loose link":
        graph = graph_of("x")
        graph.addLink(Link("loose"))
    elif case == "planar":
        inner = joint("inner", "x", "y", "planar")
        inner.limits = JointLimits(-1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
        graph = graph_of("x", inner)
    else:
        inner = joint("inner", "x", "y", "revolute", mimic=("j1", 1.0, 0.0))
        graph = graph_of("x", inner)
    return graph


@pytest.mark.parametrize(
    ("case", "error", "part"),
    [
        ("loose link", RuntimeError, "loose"),
        ("planar", RuntimeError, "inner"),
        ("master in the solver alone", ValueError, "j1"),
    ],
)
def test_a_graph_that_no_solver_takes_is_not_inserted(
    solver: OFKTStateSolver, case: str, error: type[Exception], part: str
) -> None:
    before = snapshot(solver)
    with pytest.raises(error, match=part):
        solver.insertSceneGraph(bad_graph(case), joint("a", "l3", "x"))
    assert snapshot(solver) == before


def test_kdl_has_none_of_the_edits() -> None:
    names = [name for name in vars(MutableStateSolver) if not name.startswith("_")]
    assert len(names) == 14  # eleven mutations, insertSceneGraph and the revision
    for name in names:
        assert callable(getattr(OFKTStateSolver, name))
        assert not hasattr(KDLStateSolver, name)


def test_nothing_that_was_given_is_shared(solver: OFKTStateSolver) -> None:
    given, origin = joint("jx", "l2", "x", "revolute"), np.eye(4)
    assert solver.addLink(Link("x"), given)
    assert solver.changeJointOrigin("j1", origin)
    solver.setState({"j1": 0.1}, {"jf": origin})
    before = snapshot(solver)
    given.axis, given.parent_to_joint_origin_transform = (1, 0, 0), up(9.0)
    assert given.limits is not None
    given.limits.upper = 9.0
    origin[0, 3] = 9.0
    solver.getLimits().joint_limits[:] = 9.0
    assert snapshot(solver) == before


def test_arguments_have_tesseracts_names(solver: OFKTStateSolver) -> None:
    part = joint("jx", "l2", "x")
    assert solver.addLink(link=Link("x"), joint=part)
    assert solver.moveLink(joint=joint("jx", "l1", "x"))
    assert solver.moveJoint(name="jx", parent_link="base")
    assert solver.replaceJoint(joint=joint("jx", "base", "x"))
    assert solver.changeJointOrigin(name="jx", new_origin=up())
    assert solver.changeJointPositionLimits(name="j1", lower=0, upper=1)
    assert solver.changeJointVelocityLimits(name="j1", limit=1)
    assert solver.changeJointAccelerationLimits(name="j1", limit=1)
    assert solver.changeJointJerkLimits(name="j1", limit=np.inf)
    mount = joint("mount", "x", "p_palm")
    assert solver.insertSceneGraph(scene_graph=gripper_graph(), joint=mount, prefix="p_")
    assert solver.removeJoint(name="mount")
    assert solver.removeLink(name="x")
    solver.setRevision(revision=3)
