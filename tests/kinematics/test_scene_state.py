"""`SceneState` and `KinematicLimits` as values."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from kinematics_cases import plain_graph, up

from kinegraph.kinematics import KinematicLimits, OFKTStateSolver, SceneState
from kinegraph.scene import Isometry3d

MAPS = ["joints", "floating_joints", "link_transforms", "joint_transforms"]


@pytest.fixture
def state() -> SceneState:
    solver = OFKTStateSolver(plain_graph())
    solver.setState({"j1": 0.3, "j2": -0.4})
    return solver.getState()


def shifted(distance: float) -> Isometry3d:
    return Isometry3d.from_rpy((distance, 0.0, 0.0), (0.0, 0.0, 0.0))


def test_a_new_state_is_empty() -> None:
    empty = SceneState()
    assert all(getattr(empty, name) == {} for name in MAPS)
    assert empty == SceneState()


def test_a_state_of_a_solver_has_every_name(state: SceneState) -> None:
    assert set(state.joints) == {"j1", "j2"}
    assert set(state.floating_joints) == {"jf"}
    assert set(state.link_transforms) == {"base", "l1", "l2", "l3", "f"}
    assert set(state.joint_transforms) == {"j1", "j2", "j3", "jf"}


@pytest.mark.parametrize("name", MAPS)
def test_maps_are_copies_on_read(state: SceneState, name: str) -> None:
    before = getattr(state, name)
    changed = getattr(state, name)
    changed["mine"] = 1.0 if name == "joints" else up()
    changed.pop(next(iter(before)))
    assert getattr(state, name) == before


@pytest.mark.parametrize("name", MAPS)
def test_maps_are_assigned_as_a_whole_and_copied(state: SceneState, name: str) -> None:
    value: Any = 1.5 if name == "joints" else up(9.0)
    given = {"x": value}
    setattr(state, name, given)
    given["y"] = value
    assert getattr(state, name) == {"x": value}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("bad", [None, [("x", 1.0)], {1: 1.0}, {"x": "1"}, {"x": None}])
def test_only_maps_of_the_right_kind_are_assigned(state: SceneState, name: str, bad: Any) -> None:
    before = getattr(state, name)
    with pytest.raises(TypeError):
        setattr(state, name, bad)
    assert getattr(state, name) == before


def test_a_matrix_is_taken_as_transform(state: SceneState) -> None:
    state.link_transforms = {"x": np.eye(4)}
    assert state.link_transforms["x"] == Isometry3d()
    with pytest.raises(ValueError, match="x"):
        state.link_transforms = {"x": 2.0 * np.eye(4)}


def test_matrices_handed_out_cannot_reach_the_state(state: SceneState) -> None:
    wanted = np.array(state.link_transforms["l3"])
    for matrix in (state.link_transforms["l3"].matrix, state.joint_transforms["j3"].matrix):
        with pytest.raises(ValueError, match="read-only"):
            matrix += 1.0
        with pytest.raises(ValueError, match="WRITEABLE"):
            matrix.setflags(write=True)
    np.testing.assert_array_equal(state.link_transforms["l3"], wanted)


def test_values_come_in_the_order_asked_for(state: SceneState) -> None:
    assert state.getJointValues(["j2", "j1"]).tolist() == [-0.4, 0.3]
    assert state.getJointValues([]).shape == (0,)
    assert state.getFloatingJointValues(["jf"]) == {"jf": up()}


@pytest.mark.parametrize("name", ["nope", "j3", "jf"])
def test_a_name_without_a_value_is_a_key_error(state: SceneState, name: str) -> None:
    with pytest.raises(KeyError, match=name):
        state.getJointValues(["j1", name])


@pytest.mark.parametrize("name", ["nope", "j1", "j3"])
def test_a_name_that_is_not_floating_is_a_key_error(state: SceneState, name: str) -> None:
    with pytest.raises(KeyError, match=name):
        state.getFloatingJointValues(["jf", name])


def test_states_are_not_hashable(state: SceneState) -> None:
    with pytest.raises(TypeError):
        hash(state)
    with pytest.raises(TypeError):
        hash(KinematicLimits())


@pytest.mark.parametrize("name", MAPS)
def test_equality_needs_the_same_names(state: SceneState, name: str) -> None:
    other = copy.copy(state)
    assert other == state
    setattr(other, name, dict(list(getattr(state, name).items())[1:]))
    assert other != state


def test_equality_does_not_mind_the_order_of_names(state: SceneState) -> None:
    other = copy.copy(state)
    for name in MAPS:
        setattr(other, name, dict(reversed(list(getattr(state, name).items()))))
    assert other == state


def test_joint_values_compare_exactly(state: SceneState) -> None:
    other = copy.copy(state)
    other.joints = {**state.joints, "j1": np.nextafter(0.3, 1.0)}
    assert other != state
    other.joints = {**state.joints, "j1": float("nan")}
    assert other != copy.copy(other)


@pytest.mark.parametrize("name", MAPS[1:])
@pytest.mark.parametrize("length", [0.0, 100.0])
def test_transforms_compare_relatively_within_1e5th(name: str, length: float) -> None:
    norm = np.sqrt(4.0 + length**2)
    first, near, far = SceneState(), SceneState(), SceneState()
    setattr(first, name, {"x": shifted(length)})
    setattr(near, name, {"x": shifted(length + 0.99e-5 * norm)})
    setattr(far, name, {"x": shifted(length + 1.01e-5 * norm)})
    assert first == near
    assert near == first
    assert first != far
    assert far != first


def test_a_state_equals_nothing_else(state: SceneState) -> None:
    assert state != 1
    assert state != None  # noqa: E711
    assert state.__eq__("x") is NotImplemented


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copy_is_equal_and_independent(state: SceneState, way: Any) -> None:
    other = way(state)
    assert other == state
    assert other.link_transforms == state.link_transforms
    other.joints = {}
    assert state.joints
    assert other != state


class Noted(SceneState):
    """A state with a remark."""

    remark: Any


def test_copies_of_a_subclass_have_what_it_adds() -> None:
    state = Noted()
    state.joints, state.remark = {"j": 1.0}, ["mine"]
    assert type(copy.copy(state)) is Noted
    assert copy.copy(state).remark is state.remark
    for other in (copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert type(other) is Noted
        assert other == state
        assert other.remark == ["mine"]
        assert other.remark is not state.remark


def test_transforms_far_away_compare_like_others() -> None:
    first, same, other = SceneState(), SceneState(), SceneState()
    first.link_transforms = {"x": shifted(1e200), "y": up()}
    same.link_transforms = {"x": shifted(1.000001e200), "y": up()}
    other.link_transforms = {"x": shifted(1.0001e200), "y": up()}
    assert first == same
    assert first != other
    other.link_transforms = {"x": shifted(1e200), "y": up(1.0001)}
    assert first != other


def limits_of(graph: Any) -> KinematicLimits:
    return OFKTStateSolver(graph).getLimits()


def test_limits_are_a_copy_and_compare_relatively() -> None:
    solver = OFKTStateSolver(plain_graph())
    limits = solver.getLimits()
    limits.joint_limits[:] = 0.0
    assert limits != solver.getLimits()
    close = solver.getLimits()
    close.velocity_limits *= 1.0 + 0.99e-5
    assert close == solver.getLimits()
    close.velocity_limits *= 1.0 + 1e-6
    assert close != solver.getLimits()
    assert KinematicLimits() != solver.getLimits()
    assert KinematicLimits() == KinematicLimits()
    assert solver.getLimits() != 3


def test_infinite_limits_compare_by_the_finite_ones() -> None:
    solver = OFKTStateSolver(plain_graph())
    assert solver.changeJointPositionLimits("j1", -np.inf, np.inf)
    other = solver.clone()
    assert solver.getLimits() == other.getLimits()
    assert other.changeJointPositionLimits("j2", -1.0, 1.0)
    assert solver.getLimits() != other.getLimits()
