"""The control types as objects: what they take, refuse, keep and become."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot import (
    CartesianPose,
    CartesianVelocities,
    ControllerCommand,
    InvalidArgumentError,
    JointPositions,
    JointVelocities,
    MotionGeneratorCommand,
    RobotState,
    Torques,
    motion_finished,
)
from kinegraph.robot.wire.state_layout import COMMAND_OFFSETS, COMMAND_SIZE
from kinegraph.scene.pose import Isometry3d

SEVEN = np.arange(7) / 10
POSE = Isometry3d.from_rpy([0.4, -0.1, 0.5], [3.0, 0.1, 0.2])
EXAMPLES: list[Any] = [
    Torques(SEVEN),
    JointPositions(SEVEN),
    JointVelocities(SEVEN, motion_finished=True),
    CartesianPose(POSE, elbow=[0.1, -1.0]),
    CartesianVelocities(SEVEN[:6]),
]
MAKERS: dict[str, Callable[[Any], Any]] = {
    "torques": Torques,
    "joint_positions": JointPositions,
    "joint_velocities": JointVelocities,
    "cartesian_velocities": CartesianVelocities,
}


@pytest.mark.parametrize("command", EXAMPLES, ids=lambda c: type(c).__name__)
def test_command_survives_dict_json_pickle_and_copy(command: Any) -> None:
    kind = type(command)
    assert kind.from_dict(command.to_dict()) == command
    assert kind.from_dict(json.loads(json.dumps(command.to_dict()))) == command
    assert pickle.loads(pickle.dumps(command)) == command
    assert copy.deepcopy(command) == copy.copy(command) == command
    assert repr(command).startswith(f"{kind.__name__}({kind.FIELD}=[")


@pytest.mark.parametrize("command", EXAMPLES, ids=lambda c: type(c).__name__)
def test_finished_copy_leaves_the_command_as_it_is(command: Any) -> None:
    before = command.is_finished()
    last = motion_finished(command)
    assert last.is_finished()
    assert last.motion_finished
    assert command.is_finished() == before
    last.set_motion_finished(before)
    assert last == command
    last.set_motion_finished(not before)
    assert last != command
    with pytest.raises(TypeError, match="unhashable"):
        hash(last)


@pytest.mark.parametrize("command", EXAMPLES, ids=lambda c: type(c).__name__)
def test_numbers_are_copied_and_read_only(command: Any) -> None:
    values = getattr(command, command.FIELD)
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1.0
    given = np.zeros(7)
    positions = JointPositions(given)
    given[:] = 1.0
    assert not positions.q.any()


@pytest.mark.parametrize("form", [list, tuple, np.array, lambda v: np.array(v, np.float32)])
def test_any_array_like_is_taken(form: Callable[[Any], Any]) -> None:
    assert JointPositions(form([0.5] * 7)) == JointPositions(np.full(7, 0.5))
    assert CartesianVelocities(form([0, 0, 1, 0, 0, 0])).O_dP_EE.tolist() == [0, 0, 1, 0, 0, 0]


def test_pose_is_taken_as_matrix_isometry_rows_or_column_major() -> None:
    flat = POSE.matrix.T.ravel()
    for form in (POSE, POSE.matrix, POSE.matrix.tolist(), flat, flat.tolist()):
        np.testing.assert_array_equal(CartesianPose(form).O_T_EE, flat)


REPORT_K63 = [0.824304160304281, 0.563936817333349, -0.0499791692706783, 0.0]
REPORT_K63 += [0.564642473395035, -0.825335614909678, 0.0, 0.0]
REPORT_K63 += [-0.0412495884026901, -0.0282203617552251, -0.998750260394966, 0.0]
REPORT_K63 += [0.42, -0.13, 0.37, 1.0]


def turned(x: float) -> list[float]:
    """A quarter turn by halves, with a rounded square root."""
    return [x, -x, 0, 0, x, x, 0, 0, 0, 0, 1, 0, 0.4, 0, 0.4, 1]


def test_poses_of_report_k63() -> None:
    matrix = np.array(REPORT_K63).reshape(4, 4).T
    assert CartesianPose(REPORT_K63) == CartesianPose(matrix) == CartesianPose(matrix.tolist())
    assert CartesianPose(turned(0.7071)).O_T_EE[0] == 0.7071
    for pose, text in (
        (matrix.ravel(), "column major.*last row"),
        (turned(0.707), "column 0 of the rotation has length 0.9998.*not orthonormal"),
        (REPORT_K63[:15], "16 numbers"),
    ):
        with pytest.raises(ValueError, match=text):
            CartesianPose(pose)


@pytest.mark.parametrize(
    ("elbow", "text"),
    [
        ([-0.2, -1.0], None),
        ([-0.2, 1.0], None),
        ([-0.2, 0.0], "Invalid elbow"),
        ([-0.2, -0.9999], "Invalid elbow"),
        ([np.nan, 1.0], "elbow.*nan"),
        (None, None),
        ([0.0, 0.0], None),
        ([0.0, -1.0], None),
        ([0.1], "elbow needs 2 numbers"),
    ],
)
@pytest.mark.parametrize("kind", [CartesianPose, CartesianVelocities])
def test_elbows_of_report_k73(kind: Any, elbow: Any, text: str | None) -> None:
    value = np.eye(4) if kind is CartesianPose else np.zeros(6)
    if text is not None:
        with pytest.raises(ValueError, match=text):
            kind(value, elbow)
        return
    command = kind(value, elbow)
    given = elbow not in (None, [0.0, 0.0])
    assert command.has_elbow() is given
    assert (command.elbow is not None) is given
    row = MotionGeneratorCommand()
    command.convert_motion(RobotState(), row, 1000.0, False)
    assert row.valid_elbow is given
    assert row.elbow_c.tolist() == (elbow if given else [0, 0])


@pytest.mark.parametrize(("kind", "at"), [(kind, at) for kind in MAKERS for at in (0, 3, 5)])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_of_report_k95_are_refused_by_name(kind: str, at: int, bad: float) -> None:
    values = np.zeros(6 if kind == "cartesian_velocities" else 7)
    values[at] = bad
    with pytest.raises(InvalidArgumentError, match=rf"infinite or NaN.*\[{at}\]") as caught:
        MAKERS[kind](values)
    assert (caught.value.index, caught.value.field) == (at, MAKERS[kind].FIELD)  # type: ignore[attr-defined]
    pose = np.eye(4)
    pose[at % 3, 3] = bad
    with pytest.raises(ValueError, match="infinite or NaN"):
        CartesianPose(pose)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("value", [[], [0.0] * 5, [[0.0] * 7], 1.0, "text", None, [None] * 7])
def test_wrong_counts_and_kinds_are_refused(kind: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=MAKERS[kind].FIELD):  # type: ignore[attr-defined]
        MAKERS[kind](value)


@pytest.mark.parametrize(
    "value", [np.eye(3), [0.0] * 15, "text", None, np.zeros((4, 4)), 2 * np.eye(4)]
)
def test_what_is_no_pose_is_refused(value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="O_T_EE"):
        CartesianPose(value)


def test_dict_with_strange_or_missing_fields_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="no field 'dq'; did you mean 'q'"):
        JointPositions.from_dict({"dq": [0] * 7})
    with pytest.raises(InvalidArgumentError, match="'q' is missing"):
        JointPositions.from_dict({"motion_finished": True})
    assert not JointPositions.from_dict({"q": [0] * 7}).is_finished()


@pytest.mark.parametrize(
    "target", [np.zeros(48), np.zeros(COMMAND_SIZE, np.float32), None, [0.0] * 49]
)
def test_conversion_into_something_else_is_refused(target: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="MotionGeneratorCommand"):
        JointPositions(SEVEN).convert_motion(RobotState(), target)


def test_conversion_fills_a_row_and_leaves_the_rest_of_it_alone() -> None:
    row = np.full(COMMAND_SIZE, 5.0)
    JointVelocities(SEVEN).convert_motion(RobotState(), row, 1000.0, False)
    start = COMMAND_OFFSETS["dq_c"]
    np.testing.assert_array_equal(row[start : start + 7], SEVEN)
    for name in ("message_id", "motion_generation_finished", "torque_command_finished"):
        assert row[COMMAND_OFFSETS[name]] == 5.0
    assert (row[COMMAND_OFFSETS["tau_J_d"] : COMMAND_OFFSETS["tau_J_d"] + 7] == 5.0).all()
    assert (row[COMMAND_OFFSETS["q_c"] : start] == 0.0).all()


@pytest.mark.parametrize(
    ("cutoff", "state", "text"),
    [
        (0.0, {}, "cutoff_frequency is zero, negative, infinite or NaN"),
        (-5.0, {}, "cutoff_frequency"),
        (np.nan, {}, "cutoff_frequency"),
        (100.0, {"dq_d": [np.nan] * 7}, "lowpass-filter: current or past input value"),
        (1000.0, {"dq_d": [np.inf] * 7}, "Commanding value is infinite or NaN"),
    ],
)
def test_failed_conversion_changes_nothing(cutoff: float, state: dict[str, Any], text: str) -> None:
    command = MotionGeneratorCommand(np.full(COMMAND_SIZE, 2.0))
    with pytest.raises(InvalidArgumentError, match=text):
        JointVelocities(SEVEN).convert_motion(RobotState().replace(**state), command, cutoff, True)
    assert (command.row == 2.0).all()


def test_start_of_a_motion_is_its_commanded_state_as_in_report_k65() -> None:
    q_d = np.array([0.0, -0.785398163397448, 0.0, -2.35619449019234, 0.0, 1.57, 0.785398163397448])
    state = RobotState().replace(q=q_d + 0.003, q_d=q_d, O_T_EE=np.eye(4), O_T_EE_c=POSE)
    command = MotionGeneratorCommand()
    # A filtered step away from the measured value starts from what was commanded last.
    JointPositions(state.q).convert_motion(state, command, 100.0, True)
    gain = 1e-3 / (1e-3 + 1 / (2 * np.pi * 100.0))
    assert np.abs(command.q_c - q_d).max() <= gain * 0.003 + 1e-9
    for first in (False, True):
        JointPositions(q_d).convert_motion(state, command, 100.0, True, first=first)
        np.testing.assert_allclose(command.q_c, q_d, atol=1e-12)
        CartesianPose(POSE).convert_motion(state, command, 100.0, True, first=first)
        np.testing.assert_allclose(command.O_T_EE_c, state.O_T_EE_c, atol=1e-12)


def test_command_rows_have_names() -> None:
    command = MotionGeneratorCommand()
    command.q_c = SEVEN
    command.valid_elbow = True
    assert command.row[COMMAND_OFFSETS["q_c"] + 3] == SEVEN[3]
    assert command.to_dict()["valid_elbow"] is True
    assert "q_c" in repr(command)
    torques = ControllerCommand(command.row)
    torques.tau_J_d = np.ones(7)
    assert torques.tau_J_d.sum() == 7
    assert command == MotionGeneratorCommand(command.row.copy())
    assert command != torques
    command.clear()
    assert not command.q_c.any()
    assert torques.tau_J_d.all()
    with pytest.raises(InvalidArgumentError, match="q_c needs 7"):
        command.q_c = np.zeros(6)


@settings(deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=7, max_size=7), st.booleans())
def test_unfiltered_conversion_passes_numbers_bit_for_bit(q: list[float], first: bool) -> None:
    command = MotionGeneratorCommand()
    JointPositions(q).convert_motion(RobotState(), command, 1000.0, False, first=first)
    assert command.q_c.tolist() == q
