"""Each of the 95 inputs that upstream dies of, hangs on or answers wrongly, by its number."""

from typing import Any

import numpy as np
import pytest
from bad_input_rows import ACCEPTED, ANSWERED, ON_THEIR_OWN, ONE_LINK, REFUSED, one_link
from bad_inputs import TABLE, elsewhere, everything, made, numbered, still_works, subject_of, tool
from shared_cases import shared

from kinegraph.scene import KinegraphError

ROWS: tuple[Any, ...] = (REFUSED, ANSWERED, ACCEPTED, ONE_LINK, ON_THEIR_OWN)


def test_every_row_of_the_table_is_tried_once() -> None:
    assert sorted(number for rows in ROWS for number in rows) == sorted(TABLE) == [*range(1, 96)]


def test_the_table_is_that_of_the_specification() -> None:
    text = shared("spec", "upstream-bad-inputs.md").read_text(encoding="utf-8")
    lines = [line.strip(" |") for line in text.splitlines() if line.startswith("| ")][2:]
    rows = [(line.split(" | ")[0].strip(), line.split(" | ")[-1].strip()) for line in lines]
    assert [(row["case"], row["kinegraph"]) for row in TABLE.values()] == rows


@pytest.mark.parametrize("number", numbered(REFUSED))
def test_an_input_is_refused_by_name_and_changes_nothing(number: int) -> None:
    call, error, words = REFUSED[number]
    subject = subject_of(number)
    before = everything(subject)
    with pytest.raises(error) as caught:
        call(subject)
    assert isinstance(caught.value, KinegraphError)
    for word in words:
        assert word in str(caught.value)
    assert everything(subject) == before
    assert still_works(subject)


@pytest.mark.parametrize("number", numbered(ANSWERED))
def test_names_that_do_not_fit_are_answered_and_change_nothing(number: int) -> None:
    call, answer = ANSWERED[number]
    subject = subject_of(number)
    before = everything(subject)
    found = call(subject)
    assert found == answer
    assert type(found) is type(answer)
    assert everything(subject) == before
    assert still_works(subject)


@pytest.mark.parametrize("number", numbered(ACCEPTED))
def test_an_input_is_accepted(number: int) -> None:
    call, joints = ACCEPTED[number]
    solver = subject_of(number)
    call(solver)
    assert solver.getState().joints == joints
    assert still_works(solver)


@pytest.mark.parametrize("number", numbered(ONE_LINK))
def test_a_scene_of_one_link_is_accepted(number: int) -> None:
    solver = ONE_LINK[number](one_link())
    solver.setState([])
    assert solver.getLinkNames() == ["only"]
    assert solver.getLimits().joint_limits.shape == (0, 2)
    assert solver.getJacobian([], "only").shape == (6, 0)
    assert list(solver.getState().link_transforms) == ["only"]


@pytest.mark.parametrize("number", numbered([33]))
def test_the_root_does_not_move(number: int) -> None:
    assert np.array_equal(subject_of(number).getJacobian([0.1, 0.2], "base"), np.zeros((6, 2)))


@pytest.mark.parametrize("number", numbered([62]))
def test_a_joint_replaced_in_place_has_its_new_axis_and_limits(number: int) -> None:
    solver = subject_of(number)
    limits = (-1.0, 1.0, 5.0, 6.0, 7.0, 8.0)
    assert solver.replaceJoint(made("j1", "base", "l1", "revolute", axis=(0, 1, 0), limits=limits))
    assert solver.getState().joints == {"j1": 0.11, "j2": -0.07}
    found = solver.getLimits()
    rows = (found.joint_limits, found.velocity_limits, found.acceleration_limits)
    assert [row[0].tolist() for row in rows] == [[-1, 1], [-6, 6], [-7, 7]]
    assert found.jerk_limits[0].tolist() == [-8, 8]
    wanted = [np.sin(0.11), 0.0, 1.0 + np.cos(0.11)]
    np.testing.assert_allclose(solver.getLinkTransform("l2").translation, wanted, atol=1e-15)
    assert solver.getJointNames() == ["j1", "j2", "j3", "jf"]


@pytest.mark.parametrize("number", numbered([65]))
def test_a_prefix_of_a_million_characters_works(number: int) -> None:
    solver, prefix = subject_of(number), "x" * 1_000_000
    mount = made("at", "base", prefix + "a")
    assert solver.insertSceneGraph(tool(), mount, prefix) is True
    assert [len(name) for name in solver.getLinkNames()] == [4, 2, 2, 2, 1, 1_000_001, 1_000_001]
    assert still_works(solver)


@pytest.mark.parametrize("number", numbered([84]))
def test_equal_states_are_equal_and_have_no_hash(number: int) -> None:
    solver = subject_of(number)
    assert solver.getState() == solver.getState()
    assert (solver.getState() != solver.getState()) is False
    with pytest.raises(TypeError):
        hash(solver.getState())


@pytest.mark.parametrize("number", numbered([85]))
def test_maps_of_a_state_that_nobody_keeps_are_whole(number: int) -> None:
    solver = subject_of(number)
    assert type(solver.getState().link_transforms) is dict
    assert list(solver.getState().link_transforms) == ["base", "l1", "l2", "l3", "f"]
    assert solver.getState().link_transforms["l3"].translation.tolist() == [0.0, 0.0, 3.0]


@pytest.mark.parametrize("number", numbered([86]))
@pytest.mark.parametrize("member", ["link_transforms", "joint_transforms", "floating_joints"])
def test_a_map_that_is_read_is_a_copy(number: int, member: str) -> None:
    state = subject_of(number).getState()
    name = next(iter(getattr(state, member)))
    before = getattr(state, member)[name].matrix.tolist()
    getattr(state, member)[name] = elsewhere()
    assert getattr(state, member)[name].matrix.tolist() == before
