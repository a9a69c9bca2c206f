"""Arguments of the wrong kind: one error of ours for each, and nothing has changed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from kinematics_cases import joint

from kinegraph.kinematics import (
    JointGroup,
    KDLStateSolver,
    OFKTStateSolver,
    jacobian,
    jacobianChangeBase,
    jacobianChangeRefPoint,
    jacobians,
    link_pose,
    link_poses,
    plan_chain,
    plan_dynamics,
)
from kinegraph.scene import Isometry3d, Joint, Link, SceneGraph
from kinegraph.scene.errors import InvalidNameError, NotFiniteError, ShapeError, WrongTypeError

BOTH = (OFKTStateSolver, KDLStateSolver)
HUGE = 10**5000  # more digits than Python would print
# The largest long double, or infinity where that is no longer than a float.
LONG = np.finfo(np.longdouble).max
if float(LONG) < float("inf"):
    LONG = np.longdouble("inf")
J = np.zeros((6, 2))


def scene() -> SceneGraph:
    graph = SceneGraph("kinds")
    graph.addLink(Link("base"))
    for name, parent, child, kind in (
        ("a", "base", "one", "revolute"),
        ("b", "one", "two", "prismatic"),
        ("f", "base", "free", "floating"),
    ):
        assert graph.addLink(Link(child), joint(name, parent, child, kind))
    return graph


def solver(cls: Any = OFKTStateSolver) -> Any:
    made = cls(scene())
    made.setState([0.3, -0.4])
    return made


def number_calls(found: Any) -> list[Callable[[Any], Any]]:
    """Calls that take two numbers as a vector."""
    return [
        found.setState,
        found.getState,
        found.getLinkTransforms,
        lambda q: found.setState(["a", "b"], q),
        lambda q: found.getJacobian(q, "two"),
        lambda q: link_poses(found, q),
        lambda q: link_pose(found, q, "two"),
        lambda q: jacobian(found, q, "two"),
        lambda q: (
            jacobians(found, [q], "two") if isinstance(q, list) else jacobians(found, q, "two")
        ),
    ]


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize(
    "values",
    [
        np.ma.array([0.1, 0.2], mask=[False, True]),
        [0.1, True],
        [10**400, 0.1],
        ["0.1", "0.2"],
        [0.1, 0.2j],
        np.array([0.1, 0.2], dtype=object),
        np.array(["0.1", "0.2"]),
    ],
)
def test_what_is_no_vector_of_real_numbers_is_refused_everywhere(cls: Any, values: Any) -> None:
    found = solver(cls)
    before = found.getState()
    for call in number_calls(found):
        with pytest.raises(WrongTypeError):
            call(values)
        assert found.getState() == before


@pytest.mark.parametrize("cls", BOTH)
def test_a_mask_that_hides_nothing_is_no_hindrance(cls: Any) -> None:
    found = solver(cls)
    plain = found.getState([0.1, 0.2])
    assert found.getState(np.ma.array([0.1, 0.2])) == plain


@pytest.mark.parametrize("cls", BOTH)
def test_numbers_that_no_float_can_hold_are_not_finite(cls: Any) -> None:
    found = solver(cls)
    before = found.getState()
    calls: list[Callable[[], Any]] = [
        lambda: found.setState({"a": HUGE}),
        lambda: found.getState({"a": HUGE}),
        lambda: found.getJacobian({"a": -HUGE}, "two"),
        lambda: found.setState({"a": LONG}),
    ]
    calls += [partial(call, np.array([LONG, 0.0])) for call in number_calls(found)]
    for call in calls:
        with pytest.raises(NotFiniteError):  # and no warning, which would be an error here
            call()
        assert found.getState() == before


def test_limits_and_origins_that_no_float_can_hold_are_not_finite() -> None:
    found = solver()
    before = found.getLimits()
    calls: list[Callable[[], Any]] = [
        lambda: found.changeJointVelocityLimits("a", HUGE),
        lambda: found.changeJointPositionLimits("a", -HUGE, 1.0),
        lambda: found.changeJointOrigin("a", np.full((4, 4), LONG)),
    ]
    for call in calls:
        with pytest.raises(NotFiniteError):
            call()
    assert found.getLimits() == before


NO_NAMES = (None, 3, 1.5, b"a", ["a"], {"a": 1}, np.zeros(2), memoryview(bytearray(2)))


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_that_are_no_str_are_type_errors_and_change_nothing(name: Any) -> None:
    found = solver()
    before, names = found.getState(), found.getJointNames()
    calls: list[Callable[[], Any]] = [
        lambda: found.getLinkTransform(name),
        lambda: found.hasLinkName(name),
        lambda: found.isActiveLinkName(name),
        lambda: found.getRelativeLinkTransform(name, "two"),
        lambda: found.getRelativeLinkTransform("two", name),
        lambda: found.getJacobian([0.0, 0.0], name),
        lambda: found.removeLink(name),
        lambda: found.removeJoint(name),
        lambda: found.moveJoint(name, "one"),
        lambda: found.moveJoint("a", name),
        lambda: found.changeJointOrigin(name, np.eye(4)),
        lambda: found.changeJointPositionLimits(name, 0.0, 1.0),
        lambda: found.changeJointVelocityLimits(name, 1.0),
        lambda: found.changeJointAccelerationLimits(name, 1.0),
        lambda: found.changeJointJerkLimits(name, 1.0),
        lambda: link_pose(found, [0.0, 0.0], name),
        lambda: link_pose(found, np.zeros(2), name),
        lambda: jacobian(found, np.zeros(2), name),
        lambda: jacobian(found, np.zeros(2), "two", name),
        lambda: jacobians(found, np.zeros((3, 2)), "two", name),
        lambda: plan_chain(found, name),
        lambda: plan_dynamics(scene(), ["a"], name),
    ]
    for call in calls:
        with pytest.raises(WrongTypeError):
            call()
    assert found.getState() == before
    assert found.getJointNames() == names


def test_a_text_is_no_list_of_names() -> None:
    found = solver()
    state = found.getState()
    calls: list[Callable[[], Any]] = [
        lambda: state.getJointValues("a"),
        lambda: state.getFloatingJointValues("f"),
        lambda: plan_chain(found, "two", "a"),
        lambda: plan_dynamics(scene(), "a", "two"),
        lambda: found.setState(joint_names="a", joint_values=[1.0]),
        lambda: found.setState(joint_names=np.array("a"), joint_values=[1.0]),
        lambda: state.getJointValues([["a"]]),
        lambda: state.getJointValues(None),
    ]
    for call in calls:
        with pytest.raises((WrongTypeError, ShapeError)):
            call()


def test_names_that_can_be_gone_through_only_once_are_all_seen() -> None:
    state: Any = solver().getState()
    assert state.getJointValues(iter(["b", "a"])).tolist() == [-0.4, 0.3]
    assert list(state.getFloatingJointValues(name for name in ["f"])) == ["f"]
    once: Any = iter(["b"])
    assert plan_chain(solver(), "two", once).joint_names == ("b",)


@pytest.mark.parametrize(
    "numbers", [None, "1", [["1"] * 2] * 6, J.astype(complex), J.astype(object), J.astype(bool)]
)
def test_a_jacobian_of_anything_but_real_numbers_is_refused(numbers: Any) -> None:
    with pytest.raises(WrongTypeError):
        jacobianChangeBase(numbers, Isometry3d())
    with pytest.raises(WrongTypeError):
        jacobianChangeRefPoint(numbers, [0.0, 0.0, 1.0])


@pytest.mark.parametrize("mimic", [None, "", "Follow", 1, np.zeros(2), ["follow"]])
def test_there_are_two_ways_with_mimic_joints(mimic: Any) -> None:
    for cls in BOTH:
        with pytest.raises(InvalidNameError):
            cls(scene(), mimic=mimic)


@pytest.mark.parametrize("source", [None, "base", {}, np.zeros(3), Link("x")])
def test_plans_are_made_of_solvers_and_graphs(source: Any) -> None:
    with pytest.raises(WrongTypeError):
        plan_chain(source, "two")
    with pytest.raises(WrongTypeError):
        plan_dynamics(source, ["a"], "two")


def test_half_a_surrogate_pair_is_a_name_like_others() -> None:
    graph = SceneGraph("half")
    graph.addLink(Link("base"))
    for name in ("\ud800", "z", "\U0001f600"):
        made: Joint = joint("j" + name, "base", name, "revolute")
        assert graph.addLink(Link(name), made)
    order = KDLStateSolver(graph).getActiveJointNames()
    assert order == ["jz", "j\ud800", "j\U0001f600"]


@pytest.mark.parametrize("names", [np.array(1.0), np.array("a"), 5, "a", b"a", [1], None])
def test_what_is_no_list_of_names_is_refused(names: Any) -> None:
    with pytest.raises(WrongTypeError, match="str"):
        JointGroup("group", names, scene())


@pytest.mark.parametrize("revision", [int, np.zeros(7), np.array([1]), "7", 1.5, True, None])
def test_a_revision_that_is_no_int_is_refused_and_the_old_one_stays(revision: Any) -> None:
    solver = OFKTStateSolver(scene())
    solver.setRevision(3)
    with pytest.raises(WrongTypeError, match="an int is needed"):
        solver.setRevision(revision)
    assert solver.getRevision() == 3
