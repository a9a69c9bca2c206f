"""What is no array of real numbers is refused by every call that takes one, with its name."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from printed_names import shown

from kinegraph.robot import (
    FER_FRICTION,
    CartesianPose,
    CartesianVelocities,
    CompiledTorques,
    Errors,
    Gains,
    ImpedanceOptions,
    JointFriction,
    JointPositions,
    JointVelocities,
    JointVelocityTable,
    Model,
    MotionGeneratorCommand,
    NativeModelBackend,
    QuinticMove,
    RateLimits,
    RobotState,
    SceneRobot,
    SimulatedTool,
    Torques,
    VirtualWall,
    cartesian_lowpass_filter,
    description_text,
    description_with_hand,
    limit_rate_joint_position,
    limit_rate_joint_velocity,
    limit_rate_torques,
    lowpass_filter,
    motion_finished,
    rate_limits,
    records_from_rows,
)
from kinegraph.robot.argument_checks import as_numbers
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.recording.writer import RunWriter
from kinegraph.scene import KinegraphError


class Hostile:
    """Raises what no conversion is expected to raise."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError("no array here")


def masked() -> np.ndarray:
    return np.ma.masked_array(np.zeros(7), mask=[True] + [False] * 6)


NO_ARRAYS: list[Any] = [
    "abc",
    b"xy",
    1j,
    [10**400] * 7,
    ["1"] * 7,
    [[1.0, 2.0], [3.0]],
    [object()] * 7,
    np.zeros(7, dtype=complex),
    np.full(7, np.datetime64("2020-01-01")),
    np.array(["x"] * 7),
    masked(),
    Hostile(),
    {},
    iter([0.0]),
]
Z, PERMITTED = [0.0] * 7, [0.0, -0.8, 0.0, -2.4, 0.0, 1.6, 0.8]
EYE = np.eye(4).ravel()
STATE = RobotState()

TAKERS: dict[str, Callable[[Any], object]] = {
    "as_numbers": lambda bad: as_numbers("x", bad),
    "torques": Torques,
    "positions": JointPositions,
    "velocities": JointVelocities,
    "pose": CartesianPose,
    "elbow": lambda bad: CartesianPose(EYE, bad),
    "twist": CartesianVelocities,
    "row": RobotState.from_row,
    "field": lambda bad: STATE.replace(q=bad),
    "from_dict": lambda bad: RobotState.from_dict({**STATE.to_dict(), "O_T_EE": bad}),
    "flags": Errors.from_flags,
    "filter": lambda bad: lowpass_filter(0.001, bad, 0.0, 100.0),
    "filter last": lambda bad: lowpass_filter(0.001, 0.0, bad, 100.0),
    "pose filter": lambda bad: cartesian_lowpass_filter(0.001, bad, EYE, 100.0),
    "torque rate": lambda bad: limit_rate_torques([1.0] * 7, bad, Z),
    "position limiter": lambda bad: limit_rate_joint_position(1, -1, 1, 1, bad, 0, 0, 0),
    "velocity limiter": lambda bad: limit_rate_joint_velocity(1, -1, 1, 1, bad, 0, 0),
    "bounds": lambda bad: limit_rate_joint_velocity(bad, -1, 1, 1, 0, 0, 0),
    "gains": lambda bad: Gains(bad, (1.0,) * 6, (0.0,) * 7, (0.0,) * 7),
    "posture": lambda bad: ImpedanceOptions(posture=bad),
    "tool": lambda bad: SimulatedTool(centre=bad),
    "friction": lambda bad: JointFriction(bad, np.zeros(7), np.zeros(7)),
    "friction torques": FER_FRICTION.torques,
    "wall": lambda bad: VirtualWall(1, bad, EYE, True),
    "records": records_from_rows,
    "velocity table": lambda bad: JointVelocityTable(bad, *(np.ones(7),) * 4),
    "limits": lambda bad: RateLimits(bad, *(np.ones(7),) * 5),
    "move": lambda bad: QuinticMove(bad, np.array(PERMITTED)),
}


@pytest.mark.parametrize("bad", NO_ARRAYS, ids=lambda bad: repr(bad)[:12])
@pytest.mark.parametrize("call", TAKERS.values(), ids=TAKERS)
def test_what_is_no_array_of_real_numbers_is_refused(
    call: Callable[[Any], object], bad: Any
) -> None:
    with pytest.raises(InvalidArgumentError):
        call(bad)


@pytest.mark.parametrize(
    "given",
    [[1, 2], (1.0, 2.0), np.array([1, 2], np.uint8), [Fraction(1), 2], range(1, 3)],
    ids=shown,
)
def test_real_numbers_of_every_kind_are_taken_as_a_copy(given: Any) -> None:
    assert as_numbers("x", given).tolist() == [1.0, 2.0]
    array = np.zeros(3)
    assert not np.shares_memory(as_numbers("x", array), array)


SINGLE: dict[str, Callable[[Any], object]] = {
    "sample time": lambda bad: lowpass_filter(bad, 0.0, 0.0, 100.0),
    "cutoff": lambda bad: lowpass_filter(0.001, 0.0, 0.0, bad),
    "finished": lambda bad: Torques(Z, motion_finished=bad),
    "set finished": lambda bad: Torques(Z).set_motion_finished(bad),
    "motion_finished": motion_finished,
    "from_dict": JointPositions.from_dict,
    "state from_dict": RobotState.from_dict,
    "from_json": RobotState.from_json,
    "converting a state": lambda bad: JointPositions(Z).convert_motion(
        bad, MotionGeneratorCommand()
    ),
    "converting with a cutoff": lambda bad: JointPositions(Z).convert_motion(
        STATE, MotionGeneratorCommand(), bad
    ),
    "converting with a flag": lambda bad: JointPositions(Z).convert_motion(
        STATE, MotionGeneratorCommand(), 100.0, bad
    ),
    "error bits": Errors.from_bits,
    "error names": lambda bad: Errors([bad]),
    "field names": lambda bad: RobotState.from_dict({bad: 1} if isinstance(bad, str) else bad),
    "version": rate_limits,
    "duration": lambda bad: QuinticMove(np.array(PERMITTED), np.array(PERMITTED), bad),
    "time": QuinticMove(np.array(PERMITTED), np.array(PERMITTED), 1.0).position,
    "arrival": QuinticMove(np.array(PERMITTED), np.array(PERMITTED), 1.0).is_over,
    "mass": lambda bad: SimulatedTool(mass=bad),
    "description": description_text,
    "description with hand": description_with_hand,
    "callback": CompiledTorques,
    "model": Model,
    "scene graph": NativeModelBackend,
    "robot": SceneRobot,
}


@pytest.mark.parametrize(
    "bad",
    ["no", [], {"a": 1}, object(), float("nan"), np.zeros(2), 1j],
    ids=lambda bad: repr(bad)[:20],
)
@pytest.mark.parametrize("call", SINGLE.values(), ids=SINGLE)
def test_single_values_of_a_wrong_kind_are_refused(call: Callable[[Any], object], bad: Any) -> None:
    with pytest.raises(KinegraphError):
        call(bad)


@pytest.mark.parametrize("bad", NO_ARRAYS, ids=lambda bad: repr(bad)[:12])
def test_the_model_refuses_what_is_no_array_of_real_numbers(bad: Any) -> None:
    backend = NativeModelBackend.from_urdf(description_text("fr3"))
    with pytest.raises(InvalidArgumentError):
        backend.pose(bad, 1)
    with pytest.raises(InvalidArgumentError):
        backend.pose_ee(PERMITTED, bad)
    with pytest.raises(InvalidArgumentError):
        backend.mass(PERMITTED, np.eye(3).ravel(), bad, [0.0] * 3)


def test_json_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="JSON"):
        RobotState.from_json("[" * 100_000)


def test_a_number_that_no_float_holds_is_no_time_of_a_move() -> None:
    move = QuinticMove(np.array(PERMITTED), np.array(PERMITTED), 1.0)
    with pytest.raises(InvalidArgumentError, match="seconds"):
        move.position(10**400)


@pytest.mark.parametrize("table", [None, 1.0, True, "a", np.zeros(2), 1, -1], ids=shown)
def test_a_log_refuses_rows_of_no_table(tmp_path: Any, table: Any) -> None:
    with RunWriter(tmp_path / "run.log", {}) as writer:
        writer.add_table("rows", [("x", 1)])
        with pytest.raises(InvalidArgumentError, match="table"):
            writer.write_rows(table, np.zeros((1, 1)))
        with pytest.raises(InvalidArgumentError, match="lost"):
            writer.write_rows(0, np.zeros((1, 1)), -1)
