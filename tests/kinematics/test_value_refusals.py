"""What both solvers refuse as values: types, names, lengths, numbers, in a fixed order."""

from typing import Any

import numpy as np
import pytest
from kinematics_cases import up
from printed_names import shown

from kinegraph.kinematics import StateSolver
from kinegraph.scene import Isometry3d


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
        ({"jf": Isometry3d()}, [0.1, 0.2]),
        (b"12",),
        (bytearray(b"12"),),
        ({"j1", "j2"},),
        ({"j1", "j2"}, [0.1, 0.2]),
        ("j1", [0.1]),
        (b"j1", [0.1]),
        (iter([0.1, 0.2]),),
        (np.array(["j1"]),),
        (np.array([["j1"]]), [0.1]),
        (np.array([1.0]), [0.1]),
        (np.array([0.1, 0.2], object),),
        (np.array([1, 2], "m8[s]"),),
        (np.array([1, 2], "M8[s]"),),
        (np.zeros(2, "f8,f8"),),
        ({"j1": np.timedelta64(1)},),
        ({"j1": [0.5]},),
        ({"j1": np.array([0.5])},),
        ({"j1": 0.5}, {"jf": np.eye(4, dtype=bool)}),
        ({"j1": 0.5}, {"jf": np.eye(4, dtype=complex)}),
        ({"j1": 0.5}, {"jf": np.eye(3)}),
        ({"j1": 0.5}, {3: Isometry3d()}),
        (),
    ],
    ids=shown,
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
    for call in (solver.setState, solver.getState, solver.getLinkTransforms):
        with pytest.raises(TypeError):
            call({"jf": up()}, joint_values=[0.1, 0.2])
        with pytest.raises(TypeError):
            call([0.1, 0.2], {}, floating_joint_values={})
        for nothing in ("joint_names", "joint_values", "floating_joint_values"):
            with pytest.raises(TypeError):
                call(**{nothing: None})
    with pytest.raises(TypeError, match="floating_joint_values"):
        solver.getJacobian([0.1, 0.2], "l3", {}, floating_joint_values={})
    with pytest.raises(TypeError):
        solver.getJacobian([0.1, 0.2], "l3", link_name="l3")


def test_a_jacobian_needs_joint_values_and_a_link(solver: Any) -> None:
    calls: list[Any] = [
        lambda: solver.getJacobian({"jf": up()}, "l3"),
        lambda: solver.getJacobian({"jf": up()}, link_name="l3"),
        lambda: solver.getJacobian(floating_joint_values={"jf": up()}, link_name="l3"),
        lambda: solver.getJacobian(floating_joint_values={}, link_name="l3"),
        lambda: solver.getJacobian(link_name="l3"),
        lambda: solver.getJacobian("l3"),
        lambda: solver.getJacobian([0.1, 0.2]),
        lambda: solver.getJacobian(["j1"], [0.1]),
        lambda: solver.getJacobian("l3", [0.1, 0.2]),
        lambda: solver.getJacobian([0.1, 0.2], {}, "l3"),
        lambda: solver.getJacobian(),
    ]
    for call in calls:
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(
    "arguments",
    [
        {"floating_joint_values": {"jf": "x"}},
        {"floating_joint_values": {"jf": np.eye(3)}},
        {"floating_joint_values": {"jf": np.eye(4, dtype=complex)}},
        {"floating_joint_values": {3: up()}},
        {"floating_joint_values": None},
        {"link_name": 3},
        {"link_name": None},
        {"base_link": 3},
        {"link_point": "abc"},
        {"link_point": [True, 0.0, 0.0]},
        {"link_point": [0.0, 1.0]},
    ],
    ids=shown,
)
def test_a_wrong_type_is_reported_before_all_else(solver: Any, arguments: Any) -> None:
    given: Any = {"link_name": "nowhere", **arguments}
    for values in ({"joint_names": ["x"], "joint_values": [np.nan, 1.0]}, {"joint_values": [1.0]}):
        with pytest.raises(TypeError):
            solver.getJacobian(**values, **given)
        if "floating_joint_values" in arguments:
            for call in (solver.setState, solver.getState, solver.getLinkTransforms):
                with pytest.raises(TypeError):
                    call(**values, **arguments)


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


def test_mistakes_are_reported_in_a_fixed_order(solver: Any) -> None:
    nan = float("nan")
    with pytest.raises(TypeError):
        solver.getJacobian(["x", "y"], ["a"], "nowhere")
    with pytest.raises(ValueError, match="length"):
        solver.getJacobian(["x", "y"], [nan], "nowhere", {"z": up()})
    with pytest.raises(ValueError, match="x, y"):
        solver.getJacobian(["x", "y"], [nan, 1.0], "nowhere", {"z": up()})
    bad: Any = {"link_point": [nan, 0.0, 0.0], "base_link": "elsewhere"}
    with pytest.raises(ValueError, match="length"):
        solver.getJacobian([nan], "nowhere", {"z": up()}, **bad)
    with pytest.raises(ValueError, match="x, y"):
        solver.getJacobian(["x", "y"], [1.0, 1.0], "nowhere", {"z": up()}, **bad)
    with pytest.raises(ValueError, match=r"point.*nan"):
        solver.getJacobian(["j1"], [1.0], "nowhere", {"z": up()}, **bad)
    with pytest.raises(ValueError, match="finite"):
        solver.getJacobian(["j1"], [1.0], "nowhere", {"z": np.full((4, 4), nan)})
    with pytest.raises(ValueError, match="j1"):
        solver.getJacobian(["j1"], [nan], "nowhere", {"z": up()})
    with pytest.raises(ValueError, match="z"):
        solver.getJacobian(["j1"], [1.0], "nowhere", {"z": up()})
    with pytest.raises(KeyError, match="nowhere"):
        solver.getJacobian(["j1"], [1.0], "nowhere", {"jf": up()})
