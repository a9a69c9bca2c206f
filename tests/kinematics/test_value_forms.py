"""Every form in which both solvers take values, and what it means."""

from array import array
from collections import ChainMap, OrderedDict, UserDict, UserList, deque
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from solver_kinds import current

from kinegraph.kinematics import OFKTStateSolver, StateSolver
from kinegraph.scene import Isometry3d


def unaligned(values: list[float]) -> Any:
    """An array that does not begin at a multiple of 8 bytes."""
    made: Any = np.ndarray((len(values),), np.float64, bytearray(8 * len(values) + 1), 1)
    made[:] = values
    return made


@pytest.mark.parametrize(
    "values",
    [
        np.array([0.5, 1.5]),
        [0.5, 1.5],
        (0.5, 1.5),
        np.array([0.5, 1.5], np.float32),
        np.array([0.5, 9.0, 1.5, 9.0])[::2],
        np.array([0.5, 1.5], ">f8"),
        np.array([1.5, 0.5])[::-1],
        np.array([0.5, 1.5], np.longdouble),
        unaligned([0.5, 1.5]),
        [np.float32(0.5), 1.5],
        deque([0.5, 1.5]),
        UserList([0.5, 1.5]),
        array("d", [0.5, 1.5]),
        memoryview(array("d", [0.5, 1.5])),
    ],
    ids=[
        "array",
        "list",
        "tuple",
        "float32",
        "strided",
        "big-endian",
        "backwards",
        "long double",
        "unaligned",
        "numpy-scalars",
        "deque",
        "UserList",
        "array.array",
        "memoryview",
    ],
)
def test_any_vector_of_numbers_is_taken(bent: StateSolver, values: Any) -> None:
    names, wanted = bent.getActiveJointNames(), {}
    wanted = dict(zip(names, [0.5, 1.5], strict=True))
    jacobian = bent.getJacobian(wanted, "l3")
    for _ in range(2):  # the second time from the compiled chain
        np.testing.assert_array_equal(bent.getJacobian(values, "l3"), jacobian)
    np.testing.assert_array_equal(bent.getJacobian(names, values, "l3"), jacobian)
    assert bent.getState(values).joints == wanted
    bent.setState({"j1": 0.0, "j2": 0.0})
    bent.setState(names, values)
    assert current(bent) == wanted
    bent.setState({"j1": 0.0, "j2": 0.0})
    bent.setState(values)
    assert current(bent) == wanted


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        deque,
        UserList,
        np.array,
        lambda names: np.array(names, object),
        lambda names: [np.str_(name) for name in names],
    ],
    ids=["list", "tuple", "deque", "UserList", "array", "objects", "numpy texts"],
)
def test_names_come_in_any_sequence(bent: StateSolver, kind: Any) -> None:
    names = kind(["j2", "j1"])
    wanted = {"j1": 0.5, "j2": -0.2}
    jacobian = bent.getJacobian(wanted, "l3")
    np.testing.assert_array_equal(bent.getJacobian(names, [-0.2, 0.5], "l3"), jacobian)
    assert bent.getState(names, np.array([-0.2, 0.5])).joints == wanted
    poses = bent.getLinkTransforms(names, [-0.2, 0.5])
    assert poses == bent.getState(wanted).link_transforms
    bent.setState(names, [-0.2, 0.5])
    assert current(bent) == wanted


def test_integers_are_taken(solver: StateSolver) -> None:
    solver.setState(range(1, 3))
    assert [current(solver)[name] for name in solver.getActiveJointNames()] == [1.0, 2.0]
    solver.setState(np.array([1, 2], np.uint8))
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


def test_all_forms_of_get_jacobian_agree(bent: StateSolver) -> None:
    solver: Any = bent
    names, values = solver.getActiveJointNames(), [0.7, -0.2]
    wanted = solver.getJacobian(values, "l3")
    before = solver.getState()
    assert np.abs(wanted - solver.getJacobian(values[::-1], "l3")).max() > 0.1
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
        solver.getJacobian(joint_values=np.array(values), link_name="l3"),
        solver.getJacobian(values[::-1], "l3", joint_names=names[::-1]),
        solver.getJacobian(np.array(values[::-1]), "l3", joint_names=names[::-1]),
        solver.getJacobian(names, joint_values=values, link_name="l3"),
        solver.getJacobian(names, values, link_name="l3", floating_joint_values={}),
        solver.getJacobian(values, "l3", floating_joint_values={}),
    ):
        np.testing.assert_allclose(found, wanted, atol=1e-15)
    assert solver.getState() == before


def test_a_jacobian_by_name_uses_the_current_values_of_the_others(bent: StateSolver) -> None:
    solver = bent
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


@pytest.mark.parametrize("kind", [OrderedDict, MappingProxyType, UserDict, ChainMap])
def test_maps_of_any_kind_are_taken(bent: StateSolver, kind: Any) -> None:
    numbers, wanted = kind({"j2": 0.7, "j1": np.float32(0.5)}), {"j1": 0.5, "j2": 0.7}
    assert bent.getState(numbers).joints == wanted
    jacobian = bent.getJacobian(wanted, "l3")
    np.testing.assert_array_equal(bent.getJacobian(numbers, "l3"), jacobian)
    bent.setState(numbers, kind({"jf": Isometry3d()}))
    assert current(bent) == wanted
    if isinstance(bent, OFKTStateSolver):
        bent.setState(kind({"jf": POSE}))
        assert bent.getState().floating_joints == {"jf": POSE}
    else:
        with pytest.raises(RuntimeError, match="not supported"):
            bent.setState(kind({"jf": POSE}))


POSE = Isometry3d.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
