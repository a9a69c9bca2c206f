"""What the limiters and filters keep to, and what they refuse."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot import (
    InvalidArgumentError,
    JointVelocityTable,
    RateLimits,
    cartesian_lowpass_filter,
    limit_rate_cartesian_pose,
    limit_rate_cartesian_velocity,
    limit_rate_joint_position,
    limit_rate_joint_velocity,
    limit_rate_torques,
    lowpass_filter,
    rate_limits,
)
from kinegraph.robot.limits import fr3_velocity_table
from kinegraph.scene.pose import Isometry3d

DT = 1e-3
numbers = st.floats(-1e3, 1e3)
vectors = st.lists(st.floats(-10, 10), min_size=6, max_size=6)


@settings(deadline=None)
@given(numbers, numbers, st.floats(1e-3, 1e4))
def test_torques_move_towards_the_wanted_ones_within_the_rate(
    wanted: float, last: float, rate: float
) -> None:
    out = limit_rate_torques([rate] * 7, [wanted] * 7, [last] * 7)
    assert np.abs(out - last).max() <= rate * DT * (1 + 1e-9) + 1e-9
    assert min(wanted, last) - 1e-9 <= out[0] <= max(wanted, last) + 1e-9


@settings(deadline=None)
@given(st.floats(-5, 5), st.floats(-2, 2), st.floats(-10, 10))
def test_joint_velocity_keeps_acceleration_and_jerk(v: float, last: float, a: float) -> None:
    out = limit_rate_joint_velocity(2.0, -2.0, 10.0, 5000.0, v, last, a)
    acceleration = (out - last) / DT
    assert abs(acceleration) <= 10.0 + 1e-9
    # Braking before the velocity limit may break the jerk; it never breaks the acceleration.
    if abs(last + acceleration * DT) < 1.9:
        assert abs(acceleration - a) / DT <= 5000.0 * (1 + 1e-9)
    assert abs(out) <= 2.0 + 1e-9


def test_velocity_outside_the_limits_is_braked() -> None:
    # 12.2 takes the minimum first: from above the brake is bounded by the acceleration, from below
    # by jerk / acceleration times the excess.
    assert limit_rate_joint_velocity(2.0, -2.0, 10.0, 5000.0, 2.5, 2.5, 0.0) == pytest.approx(2.49)
    out = limit_rate_joint_velocity(2.0, -2.0, 10.0, 5000.0, -2.5, -2.5, 0.0)
    assert out == pytest.approx(-2.5 + 500.0 * 0.5 * DT)


def test_several_joints_are_limited_each_by_its_own_limits() -> None:
    rng = np.random.default_rng(3)
    upper, state = rng.uniform(1, 2, 7), rng.normal(size=(4, 7))
    several = limit_rate_joint_position(upper, -upper, 10.0, 5000.0, *state)
    for i in range(7):
        one = limit_rate_joint_position(upper[i], -upper[i], 10.0, 5000.0, *state[:, i])
        assert several[i] == one
        assert isinstance(one, float)


@settings(deadline=None)
@given(vectors, vectors, vectors)
def test_twist_keeps_the_acceleration_of_either_half(
    wanted: list[float], last: list[float], acceleration: list[float]
) -> None:
    limits = rate_limits(10).cartesian
    velocity = np.array(last) / 10  # inside the limits: then the acceleration is bounded
    out = limit_rate_cartesian_velocity(limits, wanted, velocity, acceleration)
    for half, bound in ((slice(0, 3), limits[1]), (slice(3, 6), limits[4])):
        assert np.linalg.norm(out[half] - velocity[half]) / DT <= bound * (1 + 1e-6)


def test_velocity_beyond_the_limit_that_points_aside_bounds_no_acceleration() -> None:
    # The root of 12.2 is negative: the library's minimum lets the NaN pass, so only jerk counts.
    limits = [1.0, 1.0, 1e6, 1.0, 1.0, 1e6]
    out = limit_rate_cartesian_velocity(limits, [2, 0.5, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0], [0] * 6)
    np.testing.assert_allclose(out, [2, 0.5, 0, 0, 0, 0], atol=1e-12)


def test_velocity_at_rest_stays_at_rest() -> None:
    out = limit_rate_cartesian_velocity(rate_limits(5).cartesian, [0] * 6, [0] * 6, [0] * 6)
    assert not out.any()


def test_step_of_a_twist_follows_the_sequence_of_report_k66() -> None:
    limits, twist, acceleration, sent = rate_limits(10).cartesian, np.zeros(6), np.zeros(6), []
    for _ in range(200):
        out = limit_rate_cartesian_velocity(limits, [0, 0, 0.05, 0, 0, 0], twist, acceleration)
        acceleration, twist = (out - twist) / DT, out
        sent.append(out)
    expected = [
        0.004499999,
        0.013498999,
        0.022497999,
        0.031496999,
        0.040495999,
        0.049494999,
        0.053994,
        0.053993002,
    ]
    np.testing.assert_allclose([s[2] for s in sent[:8]], expected, atol=1e-9)
    steps = np.diff(np.vstack([np.zeros(6), *sent]), axis=0) / DT
    assert np.abs(steps).max() <= 9.0
    assert np.abs(np.diff(steps, axis=0)).max() / DT <= 4500.0
    np.testing.assert_allclose(sent[50], [0, 0, 0.05, 0, 0, 0], atol=1e-3)


def test_torques_of_report_k68() -> None:
    last = [1.2, -20.5, 0.4, 18.75, -0.6, 2.25, 0.05]
    wanted = [1.9, -15.0, 0.4, 18.75, -3.0, 2.75, 1.049]
    out = limit_rate_torques(rate_limits(10).torque_rate, wanted, last)
    np.testing.assert_allclose(
        out, [1.9, -19.500001, 0.4, 18.75, -1.599999, 2.75, 1.049], atol=2e-6
    )
    assert limit_rate_torques([999.999] * 7, [4.0] * 7, [2.0] * 7)[0] <= 3.0


@settings(deadline=None)
@given(st.integers(0, 2**31))
def test_pose_step_that_is_slow_enough_passes_unchanged(seed: int) -> None:
    rng = np.random.default_rng(seed)
    last = Isometry3d.from_rpy(rng.normal(size=3), rng.normal(size=3))
    twist = rng.normal(size=6) * 1e-2
    step = Isometry3d.from_rpy([0, 0, 0], twist[3:] * DT)
    matrix = (Isometry3d.from_rpy(twist[:3] * DT, [0, 0, 0]) * last).matrix.copy()
    matrix[:3, :3] = step.linear @ last.linear
    rotation = step.rpy / DT  # small angles: the rotation vector, to second order
    limits = rate_limits(10).cartesian
    before = np.concatenate((twist[:3], rotation))
    out = limit_rate_cartesian_pose(limits, matrix, last, before, [0] * 6)
    np.testing.assert_allclose(out.reshape(4, 4).T, matrix, atol=1e-8)


def rotation_angle(a: Any, b: Any) -> float:
    """Angle between two column-major poses."""
    p, q = (np.asarray(x).reshape(4, 4).T[:3, :3] for x in (a, b))
    return float(np.arccos(np.clip((np.trace(p @ q.T) - 1) / 2, -1, 1)))


@settings(deadline=None)
@given(st.integers(0, 2**31))
def test_pose_jump_is_cut_to_the_limits_and_stays_a_rotation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    last, wanted = (
        Isometry3d.from_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3)).matrix.T.ravel()
        for _ in range(2)
    )
    limits = rate_limits(5).cartesian
    out = limit_rate_cartesian_pose(limits, wanted, last, [0] * 6, [0] * 6)
    rotation = out.reshape(4, 4).T[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert out[3::4].tolist() == [0, 0, 0, 1]
    assert np.linalg.norm(out[12:15] - last[12:15]) <= limits[1] * DT * DT * (1 + 1e-9)
    assert rotation_angle(out, last) <= limits[4] * DT * DT + 1e-7


def test_filter_of_a_constant_is_the_constant_and_gain_halves_at_its_frequency() -> None:
    assert lowpass_filter(DT, 3.0, 3.0, 100.0) == pytest.approx(3.0, abs=1e-15)
    assert lowpass_filter(DT, 1.0, 0.0, 1 / (2 * math.pi * DT)) == pytest.approx(0.5)
    assert lowpass_filter(0.0, 1.0, 0.0, 100.0) == 0.0
    np.testing.assert_array_equal(lowpass_filter(DT, np.ones(3), np.ones(3), 10.0), np.ones(3))


def test_pose_filter_takes_the_shorter_arc_and_mends_both_rotations() -> None:
    near = Isometry3d.from_rpy([0, 0, 0], [0, 0, 3.0])
    far = Isometry3d.from_rpy([1, 0, 0], [0, 0, -3.0])
    out = cartesian_lowpass_filter(DT, far, near, 1 / (2 * math.pi * DT)).reshape(4, 4).T
    np.testing.assert_allclose(out[:3, :3], np.diag([-1.0, -1.0, 1.0]), atol=1e-12)
    assert out[0, 3] == pytest.approx(0.5)
    stretched = near.matrix * np.array([1.0, 1.0, 1.0, 1.0]) * 1.001
    stretched[3] = [0, 0, 0, 1]
    out = cartesian_lowpass_filter(DT, stretched, stretched, 100.0).reshape(4, 4).T
    np.testing.assert_allclose(out[:3, :3], near.linear, atol=1e-12)


@pytest.mark.parametrize(
    ("block", "rank"),
    [(np.diag([1.0, 1.0, -1.0]), 3), (np.full((3, 3), 3**-0.5), 1), (np.zeros((3, 3)), 0)],
)
def test_blocks_that_are_no_rotation_still_give_one(block: Any, rank: int) -> None:
    matrix = np.eye(4)
    matrix[:3, :3] = block
    out = cartesian_lowpass_filter(DT, matrix, matrix, 100.0).reshape(4, 4).T[:3, :3]
    assert np.linalg.matrix_rank(block) == rank
    np.testing.assert_allclose(out @ out.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(out) == pytest.approx(1.0)


def test_limits_beyond_the_range_turn_the_joint_back() -> None:
    limits = rate_limits(10)
    table = fr3_velocity_table()
    upper, lower = limits.joint_velocity_limits(table.upper_position + 0.1)
    np.testing.assert_allclose(upper, -1e-3, atol=1e-15)
    assert (lower < -1.0).all()
    _, lower = limits.joint_velocity_limits(table.lower_position - 0.1)
    np.testing.assert_allclose(lower, 1e-3, atol=1e-15)


SEVEN: Any = [1.0] * 7


@pytest.mark.parametrize(
    "call",
    [
        lambda: limit_rate_torques([1.0] * 6, SEVEN, SEVEN),
        lambda: limit_rate_torques([-1.0] * 7, SEVEN, SEVEN),
        lambda: limit_rate_torques(SEVEN, [1.0] * 6, SEVEN),
        lambda: limit_rate_torques(SEVEN, SEVEN, [math.nan] * 7),
        lambda: limit_rate_joint_velocity(1, -1, 0, 1, 0, 0, 0),
        lambda: limit_rate_joint_velocity(1, -1, 1, 1, 0, math.inf, 0),
        lambda: limit_rate_joint_velocity([1, 1], -1, 1, 1, [0, 0, 0], 0, 0),
        lambda: limit_rate_joint_position(math.nan, -1, 1, 1, 0, 0, 0, 0),
        lambda: limit_rate_cartesian_velocity([1] * 5, [0] * 6, [0] * 6, [0] * 6),
        lambda: limit_rate_cartesian_velocity([0] * 6, [0] * 6, [0] * 6, [0] * 6),
        lambda: limit_rate_cartesian_velocity([1] * 6, [0] * 7, [0] * 6, [0] * 6),
        lambda: limit_rate_cartesian_pose([1] * 6, 2 * np.eye(4), np.eye(4), [0] * 6, [0] * 6),
        lambda: limit_rate_cartesian_pose([1] * 6, np.eye(3), np.eye(4), [0] * 6, [0] * 6),
        lambda: lowpass_filter(DT, np.zeros(2), np.zeros(3), 10.0),
        lambda: lowpass_filter(math.nan, 0.0, 0.0, 10.0),
        lambda: lowpass_filter(DT, 0.0, 0.0, math.inf),
        lambda: cartesian_lowpass_filter(DT, np.eye(4), np.eye(4), 0.0),
        lambda: rate_limits(10).joint_velocity_limits([math.nan] * 7),
        lambda: JointVelocityTable(SEVEN, SEVEN, SEVEN, SEVEN, SEVEN),
        lambda: JointVelocityTable(np.zeros(7), SEVEN, SEVEN, 2 * np.ones(7), SEVEN),
        lambda: RateLimits(SEVEN, SEVEN, SEVEN, SEVEN, np.ones(5), np.ones(3)),
        lambda: RateLimits(np.zeros(7), SEVEN, SEVEN, SEVEN, np.ones(6), np.ones(3)),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        call()
