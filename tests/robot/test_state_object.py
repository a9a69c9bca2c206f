"""`RobotState`, `Errors` and the modes as objects."""

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot import ControllerMode, Errors, MotionGeneratorMode, RobotMode, RobotState
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.state_fields import SHAPES, Field
from kinegraph.robot.state_values import HIDDEN_FIELDS, PUBLIC_FIELDS, TRANSFORMS
from kinegraph.robot.wire.state_layout import STATE_FIELDS, STATE_OFFSETS, STATE_SIZE
from kinegraph.scene.errors import NotRigidError
from kinegraph.scene.pose import Isometry3d

SEED_FIELDS = [
    "O_T_EE",
    "O_T_EE_d",
    "F_T_EE",
    "F_T_NE",
    "NE_T_EE",
    "EE_T_K",
    "m_ee",
    "I_ee",
    "F_x_Cee",
    "m_load",
    "I_load",
    "F_x_Cload",
    "m_total",
    "I_total",
    "F_x_Ctotal",
    "elbow",
    "elbow_d",
    "elbow_c",
    "delbow_c",
    "ddelbow_c",
    "tau_J",
    "tau_J_d",
    "dtau_J",
    "q",
    "q_d",
    "dq",
    "dq_d",
    "ddq_d",
    "joint_contact",
    "cartesian_contact",
    "joint_collision",
    "cartesian_collision",
    "tau_ext_hat_filtered",
    "O_F_ext_hat_K",
    "K_F_ext_hat_K",
    "O_dP_EE_d",
    "O_ddP_O",
    "O_T_EE_c",
    "O_dP_EE_c",
    "O_ddP_EE_c",
    "theta",
    "dtheta",
    "accelerometer_top",
    "accelerometer_bottom",
    "current_errors",
    "last_motion_errors",
    "control_command_success_rate",
    "robot_mode",
    "time",
]


def numbered() -> RobotState:
    """A state with another value in every entry."""
    row = np.arange(STATE_SIZE) / 7 + 1
    for name in ("current_errors", "last_motion_errors"):
        row[STATE_OFFSETS[name] : STATE_OFFSETS[name] + 41] = np.arange(41) % 3 == 0
    for name, value in {"robot_mode": 4, "time": 99, "motion_generator_mode": 1}.items():
        row[STATE_OFFSETS[name]] = value
    row[STATE_OFFSETS["controller_mode"]] = 2
    return RobotState.from_row(row)


def test_public_fields_are_the_49_of_the_seed_in_order() -> None:
    assert len(SEED_FIELDS) == 49
    assert list(PUBLIC_FIELDS) == SEED_FIELDS
    assert list(RobotState().to_dict()) == SEED_FIELDS


@pytest.mark.parametrize("name", PUBLIC_FIELDS + HIDDEN_FIELDS)
def test_every_field_reads_its_own_entries_and_is_documented(name: str) -> None:
    descriptor = getattr(RobotState, name)
    assert isinstance(descriptor, Field)
    assert descriptor.__doc__
    value = getattr(numbered(), name)
    count = dict(STATE_FIELDS)[name]
    if isinstance(value, np.ndarray):
        assert value.shape == SHAPES[name]
        start = STATE_OFFSETS[name]
        np.testing.assert_array_equal(value.ravel(), np.arange(start, start + count) / 7 + 1)
    else:
        assert count in (1, 41)


def test_default_state_is_that_of_the_seed() -> None:
    state = RobotState()
    for name in TRANSFORMS:
        np.testing.assert_array_equal(getattr(state, name), np.eye(4).ravel())
    assert state.O_ddP_O.tolist() == [0, 0, -9.81]
    assert state.robot_mode is RobotMode.Other
    rest = np.delete(state.row, [i for i, value in enumerate(state.row) if value])
    assert not rest.any()
    assert sum(map(bool, state.row)) == 7 * 4 + 1 + 1  # identities, gravity, controller Other
    assert state.accelerometer_top.shape == (6, 3)


def test_scalars_have_plain_types() -> None:
    state = numbered()
    assert type(state.m_ee) is float
    assert type(state.time) is int
    assert state.time == 99
    assert state.robot_mode is RobotMode.Reflex
    assert state.motion_generator_mode is MotionGeneratorMode.JointPosition
    assert state.controller_mode is ControllerMode.ExternalController


@pytest.mark.parametrize("name", ["q", "O_T_EE", "accelerometer_top", "row"])
def test_arrays_cannot_be_written_or_made_writable(name: str) -> None:
    array = getattr(numbered(), name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1.0
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.setflags(write=True)


def test_attributes_cannot_be_set_or_deleted() -> None:
    state = RobotState()
    with pytest.raises(AttributeError, match=r"replace\(q="):
        state.q = np.zeros(7)  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(AttributeError, match="immutable"):
        del state.q
    with pytest.raises(AttributeError):
        state.O_T_EF = 1


def test_row_is_copied_in() -> None:
    row = np.zeros(STATE_SIZE)
    state = RobotState.from_row(row)
    row[:] = 1.0
    assert not state.row.any()
    with pytest.raises(InvalidArgumentError, match=f"{STATE_SIZE} numbers"):
        RobotState.from_row(np.zeros(STATE_SIZE + 1))


@pytest.mark.parametrize("name", PUBLIC_FIELDS)
def test_states_that_differ_in_one_field_are_not_equal(name: str) -> None:
    state = numbered()
    row = state.row.copy()
    row[STATE_OFFSETS[name]] = 0.0 if row[STATE_OFFSETS[name]] else 1.0
    assert RobotState.from_row(row) != state
    assert RobotState.from_row(state.row) == state


def test_equal_states_have_one_hash_and_hidden_fields_do_not_count() -> None:
    state = numbered()
    assert state == state.replace(controller_mode=0)
    assert hash(state) == hash(state.replace(controller_mode=0))
    zero = state.replace(q=[0.0] * 7)
    assert zero == state.replace(q=[-0.0] * 7)
    assert hash(zero) == hash(state.replace(q=[-0.0] * 7))
    assert state != 1


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_copies_and_pickles_are_equal_and_read_only(copied: Any) -> None:
    state = numbered()
    again = copied(state)
    assert again == state
    assert again.controller_mode is state.controller_mode
    assert not again.q.flags.writeable


def test_dict_has_plain_values() -> None:
    data = numbered().to_dict()
    assert data["time"] == 99
    assert data["robot_mode"] == "Reflex"
    assert data["current_errors"][:2] == [Errors.NAMES[0], Errors.NAMES[3]]
    assert isinstance(data["q"], list)
    assert np.shape(data["accelerometer_bottom"]) == (6, 3)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"q": [0.0] * 6}, "q has shape"),
        ({"q": "abc"}, "no array of numbers"),
        ({"O_T_EE": np.eye(3)}, "O_T_EE has shape"),
        ({"qq": 1}, "no field 'qq'.*did you mean 'q"),
        ({"time": 1.5}, "whole milliseconds"),
        ({"time": -1}, "outside 0 to 2"),
        ({"time": 2**60}, "outside 0 to 2"),
        ({"robot_mode": "Moving"}, "robot_mode: 'Moving' is none of Other, Idle"),
        ({"robot_mode": 9}, "robot_mode: 9"),
        ({"current_errors": ["joint_refex"]}, "did you mean 'joint_reflex'"),
        ({"m_ee": [1.0, 2.0]}, "m_ee has shape"),
    ],
)
def test_replacement_that_does_not_fit_is_refused(change: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidArgumentError, match=text):
        RobotState().replace(**change)
    with pytest.raises(ValueError, match=text):
        RobotState.from_dict({**RobotState().to_dict(), **change})


def test_dict_that_lacks_a_field_is_refused() -> None:
    data = RobotState().to_dict()
    del data["theta"], data["q"]
    with pytest.raises(InvalidArgumentError, match="missing: q, theta"):
        RobotState.from_dict(data)


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_text_that_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError):
        RobotState.from_json(text)


def test_transforms_are_taken_as_matrix_isometry_or_column_major() -> None:
    pose = Isometry3d.from_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    flat = pose.matrix.T.ravel()
    states = [
        RobotState().replace(O_T_EE=form) for form in (pose, pose.matrix, flat, flat.tolist())
    ]
    assert all(state == states[0] for state in states)
    np.testing.assert_array_equal(states[0].O_T_EE, flat)
    assert states[0].isometry("O_T_EE").isApprox(pose, 1e-12)


def test_isometry_mends_rounding_and_refuses_nonsense() -> None:
    pose = Isometry3d.from_rpy([0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
    state = RobotState.from_wire(RobotState().replace(O_T_EE=pose).to_wire())
    rotation = state.isometry("O_T_EE").linear
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-15)
    with pytest.raises(NotRigidError, match="EE_T_K is no rigid transform"):
        RobotState().replace(EE_T_K=2 * np.eye(4)).isometry("EE_T_K")
    with pytest.raises(NotRigidError):
        RobotState().replace(EE_T_K=np.full(16, np.nan)).isometry("EE_T_K")
    with pytest.raises(InvalidArgumentError, match="did you mean 'O_T_EE"):
        RobotState().isometry("O_T_E")


def test_repr_says_when_how_and_where() -> None:
    text = repr(numbered())
    assert "time=99" in text
    assert "Reflex" in text
    assert "joint_position_limits_violation" in text


def test_errors_have_41_flags_by_name_and_both_spellings() -> None:
    for bit, name in enumerate(Errors.NAMES):
        errors = Errors([name])
        assert getattr(errors, name) is True
        assert errors.flags[bit]
        assert sum(errors.flags) == len(errors) == 1
        assert list(errors) == [name]
        assert errors[name]
    assert Errors([Errors.NAMES[31]]).cartesian_position_motion_generator_invalid_frame
    assert Errors(["tau_j_range_violation"]) == Errors(["tau_J_range_violation"])
    assert not Errors().tau_j_range_violation


def test_errors_print_as_libfranka_prints_them() -> None:
    errors = Errors(["cartesian_reflex", "joint_reflex"])
    assert str(errors) == '["joint_reflex", "cartesian_reflex"]'
    assert repr(errors) == "Errors(['joint_reflex', 'cartesian_reflex'])"
    assert str(Errors()) == "[]"
    assert bool(errors)
    assert not Errors()
    assert "joint_reflex" in errors
    assert "nonsense" not in errors


@settings(deadline=None)
@given(st.integers(0, 2**41 - 1))
def test_errors_go_through_bits_flags_names_and_pickle(bits: int) -> None:
    errors = Errors.from_bits(bits)
    assert errors.bits == bits
    assert Errors.from_flags(errors.flags) == Errors(list(errors)) == errors
    assert pickle.loads(pickle.dumps(errors)) == errors
    assert hash(Errors(iter(errors))) == hash(errors)


def test_errors_are_immutable_and_refuse_strange_names() -> None:
    with pytest.raises(AttributeError):
        Errors().joint_reflex = True
    with pytest.raises(InvalidArgumentError, match="no error 'joint_refleks'; did you mean"):
        Errors(["joint_refleks"])
    with pytest.raises(InvalidArgumentError, match="41"):
        Errors.from_flags([1] * 40)


def test_modes_have_the_texts_of_the_errors() -> None:
    texts = [mode.text for mode in RobotMode]
    assert texts == [
        "Other",
        "Idle",
        "Move",
        "Guiding",
        "Reflex",
        "User stopped",
        "Automatic error recovery",
    ]
    assert RobotMode.from_byte(9) is RobotMode.from_byte(255) is RobotMode.Other


def test_public_modules_decode_nothing_before_they_are_asked() -> None:
    script = (
        "import sys; from kinegraph.robot import RobotState; RobotState()\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
