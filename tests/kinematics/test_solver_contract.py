"""What both solvers promise: overloads, checks, names, copies. Every test runs on both."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kinematics_cases import graph_of, joint, plain_graph, small_robot, up

from kinegraph.kinematics import KDLStateSolver, MutableStateSolver, OFKTStateSolver, StateSolver
from kinegraph.scene import Isometry3d, SceneGraph

SOLVERS = [OFKTStateSolver, KDLStateSolver]
ALIASES = [("setState", "setStateByMap"), ("setState", "setStateByNamesAndValues")]


@pytest.fixture(params=SOLVERS, ids=lambda kind: kind.__name__)
def solver(request: pytest.FixtureRequest) -> StateSolver:
    """A solver of the plain graph at j1 = 0.3, j2 = -0.4."""
    made: StateSolver = request.param(plain_graph())
    made.setState({"j1": 0.3, "j2": -0.4})
    return made


def current(solver: StateSolver) -> dict[str, float]:
    return solver.getState().joints


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize(("name", "upstream_name"), ALIASES)
def test_upstream_name_is_the_same_function(kind: type, name: str, upstream_name: str) -> None:
    assert getattr(kind, upstream_name) is getattr(kind, name)


@pytest.mark.parametrize("kind", [StateSolver, MutableStateSolver])
def test_abstract_solvers_cannot_be_made(kind: type) -> None:
    with pytest.raises(TypeError):
        kind(plain_graph())


def test_the_class_tree_is_tesseracts() -> None:
    assert issubclass(OFKTStateSolver, MutableStateSolver)
    assert issubclass(MutableStateSolver, StateSolver)
    assert issubclass(KDLStateSolver, StateSolver)
    assert not issubclass(KDLStateSolver, MutableStateSolver)
    assert not hasattr(KDLStateSolver, "addLink")


def test_a_new_solver_stands_at_zero() -> None:
    assert (
        OFKTStateSolver(small_robot("ur5"))
        .getState()
        .getJointValues(OFKTStateSolver(small_robot("ur5")).getActiveJointNames())
        .tolist()
        == [0.0] * 6
    )


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.5, 1.5]),
        [0.5, 1.5],
        (0.5, 1.5),
        np.array([0.5, 1.5], np.float32),
        np.array([0.5, 9.0, 1.5, 9.0])[::2],
        np.array([0.5, 1.5], ">f8"),
        [np.float32(0.5), 1.5],
    ],
    ids=["array", "list", "tuple", "float32", "strided", "big-endian", "numpy-scalars"],
)
def test_any_vector_of_numbers_is_taken(solver: StateSolver, values: Any) -> None:
    solver.setState(values)
    assert [current(solver)[name] for name in solver.getActiveJointNames()] == [0.5, 1.5]


def test_integers_are_taken(solver: StateSolver) -> None:
    solver.setState(np.array([1, 2]))
    assert [current(solver)[name] for name in solver.getActiveJointNames()] == [1.0, 2.0]
    solver.setState({"j1": 3, "j2": np.int8(4)})
    assert current(solver) == {"j1": 3.0, "j2": 4.0}


def test_a_read_only_vector_is_taken(solver: StateSolver) -> None:
    q = np.array([0.5, 1.5])
    q.setflags(write=False)
    solver.setState(q)
    solver.getJacobian(q, "l3")
    assert solver.getJacobian(q, "l3").shape == (6, 2)
    assert sorted(current(solver).values()) == [0.5, 1.5]


def test_a_given_vector_is_copied(solver: StateSolver) -> None:
    q = np.array([0.5, 1.5])
    solver.setState(q)
    q[:] = 9.0
    assert sorted(current(solver).values()) == [0.5, 1.5]


def test_joints_that_are_not_named_keep_their_values(solver: StateSolver) -> None:
    solver.setState({"j2": 1.0})
    assert current(solver) == {"j1": 0.3, "j2": 1.0}
    solver.setState(["j1"], [2.0])
    assert current(solver) == {"j1": 2.0, "j2": 1.0}
    assert solver.getState({"j1": -1.0}).joints == {"j1": -1.0, "j2": 1.0}


def test_all_forms_of_set_state_mean_the_same(solver: StateSolver) -> None:
    names = solver.getActiveJointNames()
    values = [0.7, -0.2]
    wanted = dict(zip(names, values, strict=True))
    calls: list[Any] = [
        lambda s: s.setState(values),
        lambda s: s.setState(wanted),
        lambda s: s.setState(names, values),
        lambda s: s.setState(names[::-1], values[::-1]),
        lambda s: s.setState(tuple(names), np.array(values)),
        lambda s: s.setState(np.array(names), np.array(values)),
        lambda s: s.setState(joint_values=values),
        lambda s: s.setState(joint_values=wanted),
        lambda s: s.setState(joint_names=names, joint_values=values),
        lambda s: s.setState(names, joint_values=values),
        lambda s: s.setState(values, {}),
        lambda s: s.setState(values, floating_joint_values={}),
        lambda s: s.setState(wanted, {}),
        lambda s: s.setState(names, values, {}),
        lambda s: s.setStateByMap(wanted),
        lambda s: s.setStateByNamesAndValues(names, values),
    ]
    for call in calls:
        solver.setState({"j1": 0.0, "j2": 0.0})
        call(solver)
        assert current(solver) == wanted


def test_all_forms_of_get_state_agree_and_change_nothing(solver: StateSolver) -> None:
    names, values = solver.getActiveJointNames(), [0.7, -0.2]
    before = solver.getState()
    states = [
        solver.getState(values),
        solver.getState(dict(zip(names, values, strict=True))),
        solver.getState(names, values),
        solver.getState(joint_values=values),
        solver.getState(joint_names=names, joint_values=values, floating_joint_values={}),
    ]
    assert all(state == states[0] for state in states)
    assert states[0] != before
    assert solver.getState() == before
    solver.setState(values)
    assert solver.getState() == states[0]


def test_all_forms_of_get_jacobian_agree(solver: StateSolver) -> None:
    names, values = solver.getActiveJointNames(), [0.7, -0.2]
    wanted = solver.getJacobian(values, "l3")
    before = solver.getState()
    for found in (
        solver.getJacobian(np.array(values), "l3"),
        solver.getJacobian(np.array(values), "l3"),  # now from the compiled chain
        solver.getJacobian(dict(zip(names, values, strict=True)), "l3"),
        solver.getJacobian(names, values, "l3"),
        solver.getJacobian(names[::-1], values[::-1], "l3"),
        solver.getJacobian(values, "l3", {}),
        solver.getJacobian(names, values, "l3", {}),
        solver.getJacobian(values, link_name="l3"),
        solver.getJacobian(joint_names=names, joint_values=values, link_name="l3"),
        solver.getJacobian(values, "l3", floating_joint_values={}),
    ):
        np.testing.assert_allclose(found, wanted, atol=1e-15)
    assert solver.getState() == before


def test_a_jacobian_by_name_uses_the_current_values_of_the_others(solver: StateSolver) -> None:
    full = solver.getJacobian({"j1": 0.3, "j2": 1.0}, "l3")
    np.testing.assert_array_equal(solver.getJacobian({"j2": 1.0}, "l3"), full)


def test_an_empty_dict_is_the_form_for_joint_values(solver: StateSolver) -> None:
    before = solver.getState()
    solver.setState({})
    assert solver.getState() == before == solver.getState({})


def test_an_empty_vector_is_right_without_active_joints() -> None:
    solver = OFKTStateSolver("only")
    solver.setState([])
    solver.setState(np.zeros(0))
    assert solver.getState([]).joints == {}
    assert solver.getJacobian(np.zeros(0), "only").shape == (6, 0)
    assert solver.getLimits().joint_limits.shape == (0, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ("j1",),
        (None,),
        (0.5,),
        (["a", 2],),
        ([0.1, None],),
        (np.array([0.1 + 0j, 0.2]),),
        (np.array([[0.1, 0.2]]),),
        (np.array([[0.1], [0.2]]),),
        ([[0.1, 0.2]],),
        ([[0.1], [0.2, 0.3]],),
        ({"j1": "0.5"},),
        ({"j1": None},),
        ({"j1": True},),
        ({"j1": 1j},),
        ({1: 0.5},),
        ([True, False],),
        (np.array([True, False]),),
        ({"j1": 0.5, "jf": Isometry3d()},),
        ([0.1, 0.2], None),
        ({"j1": 0.5}, None),
        (["j1"],),
        (["j1"], None),
        (["j1"], {"j1": 0.5}),
        (["j1"], [0.5], None),
        ([0.1, 0.2], {}, {}),
        (["j1"], [0.5], {}, {}),
        ([0.1, 0.2], {"jf": 0.5}),
        ([0.1, 0.2], [0.3]),
        ({"jf": Isometry3d()}, {}),
        (),
    ],
    ids=repr,
)
def test_what_no_form_takes_is_a_type_error(solver: Any, arguments: Any) -> None:
    before = solver.getState()
    with pytest.raises(TypeError):
        solver.setState(*arguments)
    if arguments:
        with pytest.raises(TypeError):
            solver.getState(*arguments)
    with pytest.raises(TypeError):
        solver.getJacobian(*arguments, "l3")
    assert solver.getState() == before


def test_two_values_for_one_argument_are_a_type_error(solver: Any) -> None:
    with pytest.raises(TypeError, match="joint_values"):
        solver.setState([0.1, 0.2], joint_values=[0.1, 0.2])
    with pytest.raises(TypeError, match="joint_names"):
        solver.setState(["j1"], [0.1], joint_names=["j1"])
    with pytest.raises(TypeError):
        solver.setState(values=[0.1, 0.2])


@pytest.mark.parametrize("shape", [(2, 1), (1, 2), (2, 2), ()])
def test_a_wrong_number_of_axes_is_type_and_value_error(
    solver: StateSolver, shape: tuple[int, ...]
) -> None:
    for kind in (TypeError, ValueError):
        with pytest.raises(kind):
            solver.setState(np.zeros(shape))


def calls_with(values: Any) -> list[Any]:
    return [
        lambda s: s.setState(values),
        lambda s: s.getState(values),
        lambda s: s.getJacobian(values, "l3"),
        lambda s: s.getLinkTransforms(values),
    ]


def check_refused(solver: StateSolver, kind: type[Exception], parts: list[str], call: Any) -> None:
    before = solver.getState()
    with pytest.raises(kind) as caught:
        call(solver)
    assert all(part in str(caught.value) for part in parts), str(caught.value)
    assert solver.getState() == before


@pytest.mark.parametrize("name", ["nope", "j3", "jf"], ids=["unknown", "fixed", "floating"])
def test_a_name_that_is_no_active_joint_is_refused(solver: StateSolver, name: str) -> None:
    for call in calls_with({"j1": 9.0, name: 1.0}):
        check_refused(solver, ValueError, [name], call)
    by_names: list[Any] = [
        lambda s: s.setState(["j1", name], [9.0, 1.0]),
        lambda s: s.getState(["j1", name], [9.0, 1.0]),
        lambda s: s.getJacobian(["j1", name], [9.0, 1.0], "l3"),
        lambda s: s.getLinkTransforms(["j1", name], [9.0, 1.0]),
    ]
    for call in by_names:
        check_refused(solver, ValueError, [name], call)


def test_every_wrong_name_and_the_method_are_named(solver: StateSolver) -> None:
    check_refused(
        solver,
        ValueError,
        ["setState", "x1, x2"],
        lambda s: s.setState({"x1": 1.0, "j1": 0.0, "x2": 2.0}),
    )
    check_refused(
        solver, ValueError, ["getJacobian", "x1"], lambda s: s.getJacobian({"x1": 1.0}, "l3")
    )


@pytest.mark.parametrize("count", [0, 1, 3, 5, 1000])
def test_a_vector_of_another_length_is_refused(solver: StateSolver, count: int) -> None:
    for call in calls_with(np.zeros(count)) + calls_with([0.0] * count):
        check_refused(solver, ValueError, [str(count), "2", "length"], call)


@pytest.mark.parametrize(("names", "values"), [(["j1", "j2"], [0.1]), (["j1"], [0.1, 0.2, 0.3])])
def test_names_and_values_must_be_as_many(
    solver: StateSolver, names: list[str], values: list[float]
) -> None:
    parts = [str(len(names)), str(len(values)), "length"]
    for call in (
        lambda s: s.setState(names, values),
        lambda s: s.getState(names, values),
        lambda s: s.getJacobian(names, values, "l3"),
        lambda s: s.getLinkTransforms(names, values),
    ):
        check_refused(solver, ValueError, parts, call)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused(solver: StateSolver, bad: float) -> None:
    place = solver.getActiveJointNames().index("j2")
    q = np.zeros(2)
    q[place] = bad
    strided = np.zeros(4)[::2]
    strided[place] = bad
    for call in calls_with({"j1": 0.5, "j2": bad}) + calls_with(q) + calls_with(strided):
        check_refused(solver, ValueError, ["j2"], call)
    check_refused(solver, ValueError, ["j2"], lambda s: s.setState(["j2"], [bad]))


def test_a_joint_named_twice_is_refused(solver: StateSolver) -> None:
    check_refused(solver, ValueError, ["j1"], lambda s: s.setState(["j1", "j1"], [0.1, 0.2]))


def test_an_unknown_link_is_a_key_error_that_names_it(solver: StateSolver) -> None:
    q = [0.0, 0.0]
    calls: list[Any] = [
        lambda s: s.getJacobian(q, "l4"),
        lambda s: s.getJacobian(np.zeros(2), "l4"),
        lambda s: s.getJacobian({}, "l4"),
        lambda s: s.getJacobian(["j1"], [0.1], "l4"),
        lambda s: s.getJacobian(q, "l3", base_link="l4"),
        lambda s: s.getJacobian(q, ""),
        lambda s: s.getLinkTransform("l4"),
        lambda s: s.getRelativeLinkTransform("l4", "l3"),
        lambda s: s.getRelativeLinkTransform("l3", "l4"),
    ]
    for call in calls:
        check_refused(solver, KeyError, [], call)
    with pytest.raises(KeyError, match=r"^no link 'base1'; did you mean 'base'\?$"):
        solver.getLinkTransform("base1")


def test_mistakes_are_reported_in_a_fixed_order(solver: StateSolver) -> None:
    nan = float("nan")
    with pytest.raises(TypeError):
        solver.getJacobian(["x", "y"], ["a"], "nowhere")
    with pytest.raises(ValueError, match="length"):
        solver.getJacobian(["x", "y"], [nan], "nowhere", {"z": up()})
    with pytest.raises(ValueError, match="x, y"):
        solver.getJacobian(["x", "y"], [nan, 1.0], "nowhere", {"z": up()})
    with pytest.raises(ValueError, match="j1"):
        solver.getJacobian(["j1"], [nan], "nowhere", {"z": up()})
    with pytest.raises(ValueError, match="z"):
        solver.getJacobian(["j1"], [1.0], "nowhere", {"z": up()})
    with pytest.raises(KeyError, match="nowhere"):
        solver.getJacobian(["j1"], [1.0], "nowhere", {"jf": up()})


def test_names_come_as_fresh_lists(solver: StateSolver) -> None:
    for names in (
        solver.getJointNames,
        solver.getActiveJointNames,
        solver.getFloatingJointNames,
        solver.getLinkNames,
        solver.getActiveLinkNames,
        solver.getStaticLinkNames,
    ):
        first = names()
        first.append("mine")
        assert "mine" not in names()


def test_link_activity_agrees_with_the_lists(solver: StateSolver) -> None:
    assert solver.getBaseLinkName() == "base"
    assert solver.getLinkNames() == ["base", "l1", "l2", "l3", "f"]
    assert solver.getActiveLinkNames() == ["l1", "l2", "l3"]
    assert solver.getStaticLinkNames() == ["base", "f"]
    for name in solver.getLinkNames():
        assert solver.isActiveLinkName(name) == (name in solver.getActiveLinkNames())
        assert solver.hasLinkName(name)
    assert not solver.isActiveLinkName("nope")
    assert not solver.hasLinkName("nope")


def test_transforms_of_links_agree_in_every_way(solver: StateSolver) -> None:
    state = solver.getState()
    listed = solver.getLinkTransforms()
    by_name = solver.getLinkTransforms(list(state.joints), list(state.joints.values()))
    for name, pose in zip(solver.getLinkNames(), listed, strict=True):
        assert pose == state.link_transforms[name] == by_name[name]
        np.testing.assert_allclose(solver.getLinkTransform(name), pose, atol=1e-15)
    for carrier, link in (("j1", "l1"), ("j3", "l3"), ("jf", "f")):
        assert state.joint_transforms[carrier] == state.link_transforms[link]


def test_relative_transforms_are_those_of_the_poses(solver: StateSolver) -> None:
    for first in solver.getLinkNames():
        for second in solver.getLinkNames():
            found = solver.getRelativeLinkTransform(first, second)
            wanted = solver.getLinkTransform(first).inverse() @ solver.getLinkTransform(second)
            np.testing.assert_allclose(found, wanted, atol=1e-14)


def test_small_changes_are_not_lost(solver: StateSolver) -> None:
    solver.setState({"j1": 0.0, "j2": 0.0})
    first = np.asarray(solver.getLinkTransform("l3"))
    solver.setState({"j1": 1e-9})
    for pose in (solver.getLinkTransform("l3"), solver.getState().link_transforms["l3"]):
        assert np.asarray(pose)[1, 0] - first[1, 0] == pytest.approx(1e-9, rel=1e-6)
    assert np.asarray(solver.getState({"j1": 1e-11}).link_transforms["l3"])[1, 0] == 1e-11


def test_position_limits_are_not_enforced(solver: StateSolver) -> None:
    solver.setState({"j1": 50.0})
    assert current(solver)["j1"] == 50.0


def test_returned_matrices_share_nothing_with_the_solver(solver: StateSolver) -> None:
    wanted = np.array(solver.getLinkTransform("l3"))
    for pose in (solver.getLinkTransform("l3"), solver.getState().link_transforms["l3"]):
        with pytest.raises(ValueError, match="read-only"):
            pose.matrix[0, 3] = 9.0
        np.array(pose)[0, 3] = 9.0
    np.testing.assert_array_equal(solver.getLinkTransform("l3"), wanted)


def test_a_state_does_not_follow_the_solver(solver: StateSolver) -> None:
    state = solver.getState()
    pose = state.link_transforms["l3"]
    solver.setState({"j1": 1.0})
    assert state.joints["j1"] == 0.3
    assert state.link_transforms["l3"] == pose


@pytest.mark.parametrize("way", ["clone", "copy", "deepcopy", "pickle"])
def test_a_copy_is_equal_and_independent(solver: StateSolver, way: str) -> None:
    ways: dict[str, Callable[[StateSolver], StateSolver]] = {
        "clone": lambda s: s.clone(),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda s: pickle.loads(pickle.dumps(s)),
    }
    made = ways[way](solver)
    assert type(made) is type(solver)
    assert made.getState() == solver.getState()
    assert made.getLimits() == solver.getLimits()
    assert made.getActiveJointNames() == solver.getActiveJointNames()
    made.setState({"j1": 1.0})
    assert current(solver)["j1"] == 0.3
    solver.setState({"j1": 2.0})
    assert current(made)["j1"] == 1.0


def test_a_solver_does_not_follow_its_graph(solver: StateSolver) -> None:
    graph = plain_graph()
    made = type(solver)(graph)  # type: ignore[call-arg]
    pose = made.getLinkTransform("l3")
    graph.changeJointOrigin("j1", up(5.0))
    assert graph.removeLink("f")
    assert made.getLinkTransform("l3") == pose
    assert made.hasLinkName("f")
    again = type(solver)(graph)  # type: ignore[call-arg]
    assert np.asarray(again.getLinkTransform("l3"))[2, 3] == 7.0


def test_random_states_lie_within_the_limits_and_can_be_repeated(solver: StateSolver) -> None:
    before = solver.getState()
    states = [solver.getRandomState(7), solver.getRandomState(np.random.default_rng(7))]
    assert states[0] == states[1]
    assert solver.getRandomState() != solver.getRandomState()
    for _ in range(50):
        assert all(-2.0 <= value <= 2.0 for value in solver.getRandomState().joints.values())
    assert states[0] == solver.getState(states[0].joints)
    assert solver.getState() == before


def not_a_tree(case: str) -> SceneGraph:
    graph = graph_of("base", joint("j", "base", "l"))
    if case == "empty":
        return SceneGraph("empty")
    if case == "root below another link":
        graph.setRoot("l")
    else:
        from kinegraph.scene import Link

        graph.addLink(Link("m"))
        if case == "cycle":
            graph.addLink(Link("n"))
            graph.addJoint(joint("mn", "m", "n"))
            graph.addJoint(joint("nm", "n", "m"))
        if case == "two parents":
            graph.addJoint(joint("bm", "base", "m"))
            graph.addJoint(joint("lm", "l", "m"))
    return graph


@pytest.mark.parametrize("kind", SOLVERS)
@pytest.mark.parametrize(
    "case", ["empty", "root below another link", "loose link", "cycle", "two parents"]
)
def test_what_is_no_tree_is_refused(kind: Any, case: str) -> None:
    with pytest.raises(RuntimeError):
        kind(not_a_tree(case))


@pytest.mark.parametrize("kind", SOLVERS)
def test_one_link_is_a_tree(kind: Any) -> None:
    made = kind(graph_of("only"))
    assert made.getLinkNames() == ["only"]
    assert made.getJointNames() == []
    np.testing.assert_array_equal(made.getLinkTransform("only"), np.eye(4))


@pytest.mark.parametrize("kind", SOLVERS)
def test_joints_that_no_solver_takes_are_refused(kind: Any) -> None:
    for bad, error, part in (
        (joint("jx", "base", "x", "planar"), RuntimeError, "jx"),
        (joint("jx", "base", "x", "unknown"), RuntimeError, "jx"),
        (joint("jx", "base", "x", "revolute", axis=(0, 0, 0)), ValueError, "axis"),
        (joint("jx", "base", "x", "prismatic", axis=(0, 0, 0)), ValueError, "jx"),
    ):
        from kinegraph.scene.joint_parts import JointLimits

        bad.limits = JointLimits(-1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
        with pytest.raises(error, match=part):
            kind(graph_of("base", bad))


@pytest.mark.parametrize("kind", SOLVERS)
def test_a_zero_axis_of_a_fixed_joint_does_not_matter(kind: Any) -> None:
    made = kind(graph_of("base", joint("jx", "base", "x", axis=(0, 0, 0), origin=up())))
    assert np.asarray(made.getLinkTransform("x"))[2, 3] == 1.0


@pytest.mark.parametrize("kind", SOLVERS)
def test_wrong_constructor_arguments_are_refused(kind: Any) -> None:
    with pytest.raises(TypeError):
        kind(None)
    with pytest.raises(ValueError, match="follow"):
        kind(plain_graph(), mimic="copy")


def test_a_continuous_joint_without_limits_gets_defaults() -> None:
    graph = graph_of("base", joint("c", "base", "l", "continuous", limits=None))
    bound = 4 * np.pi
    limits = OFKTStateSolver(graph).getLimits()
    np.testing.assert_array_equal(limits.joint_limits, [[-bound, bound]])
    np.testing.assert_array_equal(limits.velocity_limits, [[-2.0, 2.0]])
    np.testing.assert_array_equal(limits.jerk_limits, [[-1000.0, 1000.0]])


def test_kdl_sorts_columns_by_child_link_in_byte_order() -> None:
    graph = graph_of(
        "base",
        joint("a", "base", "\u00e9", "revolute"),
        joint("b", "base", "z", "revolute"),
        joint("c", "base", "B", "revolute"),
        joint("d", "base", "a", "revolute"),
    )
    assert KDLStateSolver(graph).getActiveJointNames() == ["c", "d", "b", "a"]
    assert OFKTStateSolver(graph).getActiveJointNames() == ["a", "b", "c", "d"]


def test_a_prefix_stands_before_every_name() -> None:
    plain, prefixed = OFKTStateSolver(small_robot()), OFKTStateSolver(small_robot(), "left/")
    for names in ("getLinkNames", "getJointNames", "getActiveJointNames", "getFloatingJointNames"):
        assert getattr(prefixed, names)() == ["left/" + name for name in getattr(plain, names)()]
    q = np.linspace(-1.0, 1.0, len(plain.getActiveJointNames()))
    np.testing.assert_array_equal(
        prefixed.getState(q).link_transforms["left/" + plain.getLinkNames()[-1]],
        plain.getState(q).link_transforms[plain.getLinkNames()[-1]],
    )
    assert OFKTStateSolver("root", "p_").getBaseLinkName() == "p_root"
