"""Moves of the joints, and positions that an arm can take."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot import InvalidArgumentError, QuinticMove, check_joint_positions
from kinegraph.robot.control.arms import arm_table

K67_START = [-0.6, -0.4, 0.3, -2.2, 0.2, 1.6, 0.4]
K67_GOAL = [0.6, 0.35, -0.2, -1.5, -0.3, 2.3, -0.5]


@pytest.mark.parametrize(("version", "shortest"), [(10, 0.858778625954198), (5, 1.03448275862069)])
def test_move_of_report_k67_that_is_too_short_is_refused(version: int, shortest: float) -> None:
    with pytest.raises(ValueError, match=r"at least .* \(joint1, velocity\), not 0.6") as caught:
        QuinticMove(K67_START, K67_GOAL, 0.6, version)  # type: ignore[arg-type]
    facts: Any = caught.value
    assert (facts.joint, facts.limit) == (1, "velocity")
    move = QuinticMove(K67_START, K67_GOAL, version=version)  # type: ignore[arg-type]
    # A little above the report's figure: the limits are those that the rate limiter keeps.
    assert shortest <= move.seconds <= shortest * 1.03


def test_target_of_report_k90_fits_the_one_arm_and_not_the_other() -> None:
    q = [0, 0.2, 0, -0.1, 0, 0.3, 0.5]
    assert check_joint_positions(q, 5).tolist() == q
    with pytest.raises(ValueError, match=r"joint4 = -0.1 is outside .*joint6 = 0.3 is outside"):
        check_joint_positions(q, 10)
    with pytest.raises(ValueError, match=r"goal \(FR3\): joint4"):
        QuinticMove(np.array(K67_START), np.array(q))


@settings(deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([10, 5]))
def test_shortest_move_keeps_every_limit_and_touches_one(seed: int, version: int) -> None:
    arm = arm_table(version)
    start, goal = np.random.default_rng(seed).uniform(arm.lower, arm.upper, (2, 7))
    move = QuinticMove(start, goal, version=version)
    times = np.linspace(0, move.seconds, 2001)
    speed = np.abs([move.velocity(t) for t in times]).max(axis=0) / arm.flat_velocity
    bend = np.abs([move.acceleration(t) for t in times]).max(axis=0) / arm.max_joint_acceleration
    jerk = 60 * np.abs(goal - start) / move.seconds**3 / arm.max_joint_jerk
    peaks = np.stack((speed, bend, jerk))
    assert peaks.max() <= 1 + 1e-9
    assert peaks.max() == pytest.approx(1.0, abs=1e-4)
    limit, joint = np.unravel_index(peaks.argmax(), (3, 7))
    assert move.deciding == (int(joint) + 1, ("velocity", "acceleration", "jerk")[limit])


def test_velocity_and_acceleration_are_the_derivatives() -> None:
    move = QuinticMove(np.array(K67_START), np.array(K67_GOAL), 2.0)
    for t in (0.3, 1.0, 1.7):
        h = 1e-5
        slope = (move.position(t + h) - move.position(t - h)) / (2 * h)
        np.testing.assert_allclose(move.velocity(t), slope, atol=1e-8)
        slope = (move.velocity(t + h) - move.velocity(t - h)) / (2 * h)
        np.testing.assert_allclose(move.acceleration(t), slope, atol=1e-8)


def test_ends_are_at_rest_and_exact() -> None:
    move = QuinticMove(np.array(K67_START), np.array(K67_GOAL), 2.0)
    for t, q in ((-1.0, move.start), (0.0, move.start), (2.0, move.goal), (9.0, move.goal)):
        np.testing.assert_allclose(move.position(t), q, atol=1e-15)
        assert not move.velocity(t).any()
        assert not move.acceleration(t).any()
    assert not move.is_over(1.999)
    assert move.is_over(2.0)


def test_move_to_where_it_stands_takes_no_time() -> None:
    move = QuinticMove(np.array(K67_START), np.array(K67_START))
    assert move.seconds == 0.0
    assert move.position(0.0).tolist() == K67_START
    assert not move.velocity(0.0).any()


@pytest.mark.parametrize("duration", [math.nan, math.inf, -1.0])
def test_strange_durations_are_refused(duration: float) -> None:
    with pytest.raises(InvalidArgumentError):
        QuinticMove(np.array(K67_START), np.array(K67_GOAL), duration)
