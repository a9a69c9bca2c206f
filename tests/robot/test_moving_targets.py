"""Targets that move: tracked without lag, under every budget, and left at rest without news."""

import numpy as np
import pytest
from control_rig import READY, PlantRig, Rig, target_row, turn
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot.control import CartesianOptions, MotionLimits
from kinegraph.robot.control.chunk_curves import smooth_poses
from kinegraph.robot.control.generator.generator import TrajectoryGenerator
from kinegraph.robot.control.moving_targets import (
    brought_forward,
    moving,
    paced,
    resting,
    stopping_speed,
    twist_between,
)
from kinegraph.robot.control.presets import CARTESIAN
from kinegraph.robot.control.target_layout import T_horizon, T_velocity

pytestmark = pytest.mark.compiled

DT = 1e-3
QUICK = CartesianOptions(
    backend=CARTESIAN,
    limits=MotionLimits(0.6, 4.0, 200.0),
    rotation_limits=MotionLimits(2.0, 8.0, 200.0),
    max_deviation=2.0,
    max_angular_deviation=3.0,
)


@given(
    vm=st.floats(0.05, 3.0),
    am=st.floats(0.1, 20.0),
    jm=st.floats(1.0, 5000.0),
    targets=st.lists(
        st.tuples(st.floats(-1.0, 1.0), st.floats(-1.5, 1.5), st.integers(1, 400)),
        min_size=1,
        max_size=6,
    ),
)
@settings(max_examples=60, deadline=None)
def test_an_axis_keeps_its_budgets_whatever_its_target_does(
    vm: float, am: float, jm: float, targets: list[tuple[float, float, int]]
) -> None:
    axis = TrajectoryGenerator([vm, am, jm])
    before = 0.0
    for start, share, cycles in targets:
        axis.set_target([start], [share * vm])
        for _ in range(cycles):
            axis.step(DT)
            v, a = float(axis.velocity[0]), float(axis.acceleration[0])
            assert abs(v) <= vm
            assert abs(a) <= am
            assert abs(a - before) <= jm * DT * (1.0 + 1e-6) + 1e-9
            before = a


@given(
    vm=st.floats(0.3, 2.0),
    am=st.floats(3.0, 20.0),
    start=st.floats(-0.2, 0.2),
    share=st.floats(-0.85, 0.85),
)
@settings(max_examples=20, deadline=None)
def test_an_axis_catches_up_with_its_target_and_goes_along_with_it(
    vm: float, am: float, start: float, share: float
) -> None:
    axis = TrajectoryGenerator([vm, am, 100.0])
    axis.set_target([start], [share * vm])
    for _ in range(5000):
        axis.step(DT)
        if axis.landed:
            break
    for _ in range(50):
        axis.step(DT)
        assert axis.landed
        assert float(axis.velocity[0]) == share * vm
        assert float(axis.acceleration[0]) == 0.0


def test_a_target_that_moves_evenly_is_tracked_without_lag() -> None:
    rig = Rig(options=QUICK)
    rig.cycle()
    twist = np.array([0.05, -0.08, 0.03, 0.1, 0.0, 0.3])
    rig.target = moving(rig.target, twist, 10.0)
    given_pose = rig.target.copy()
    assert rig.follow(1200) == 0
    seen = rig.column("target")[1:]
    want = given_pose[:3] + DT * np.arange(1200)[:, None] * twist[:3]
    np.testing.assert_allclose(seen, want, atol=1e-12)
    late = slice(800, 1199)
    poses = rig.column("pose")[1:]
    # The pose of a cycle's end is the target of the next one's start.
    np.testing.assert_allclose(poses[late, 12:15], seen[801:1200], atol=1e-9)
    np.testing.assert_allclose(rig["velocity"], twist[:3], atol=1e-9)
    np.testing.assert_allclose(rig["angular_velocity"], twist[3:], atol=1e-9)
    turned = turn(*(1.2 * twist[3:])) @ rig.fk(READY)[:3, :3]
    np.testing.assert_allclose(rig.pose[:3, :3], turned, atol=1e-9)


def test_the_arm_is_on_a_moving_target_by_the_law_that_one_gets() -> None:
    rig = PlantRig(options=CartesianOptions(limits=MotionLimits(0.6, 4.0, 200.0)))
    rig.cycle()
    rig.target = moving(rig.target, np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.1]), 10.0)
    assert rig.run(2000) == 0
    arm = np.array([rig.fk(q)[:3, 3] for q in rig.measured[1500:]])
    off = np.linalg.norm(arm - rig.column("target")[-500:], axis=1)
    assert off.max() < 1e-3


def test_without_news_the_target_is_where_it_was_given_and_rests() -> None:
    rig = Rig(options=QUICK)
    rig.cycle()
    rig.target = moving(rig.target, np.array([0.1, 0, 0, 0, 0, 0.2]), 0.1)
    start = rig.target[:3].copy()
    assert rig.follow(1500) == 0
    away = rig.column("target")[:, 0] - start[0]
    np.testing.assert_allclose(away.max(), 0.01, atol=1.1e-4)
    np.testing.assert_array_equal(rig["target"], start)
    np.testing.assert_array_equal(rig.pose[:3, 3], start)
    np.testing.assert_array_equal(rig["velocity"], np.zeros(3))


def test_a_stop_rests_where_the_target_is() -> None:
    rig = Rig(options=QUICK)
    rig.cycle()
    rig.target = moving(rig.target, np.array([0.1, 0, 0, 0, 0, 0]), 10.0)
    assert rig.follow(1000) == 0
    here = rig["target"].copy()
    assert rig.follow(2000, stop=True) == 1
    np.testing.assert_allclose(rig["target"], here, atol=2e-4)
    np.testing.assert_allclose(rig.pose[:3, 3], rig["target"], atol=1e-3)


@given(
    data=st.lists(
        st.tuples(
            st.tuples(*[st.floats(-0.4, 0.4)] * 3),
            st.tuples(*[st.floats(-0.6, 0.6)] * 6),
            st.sampled_from([0.0, 0.01, 0.1]),
            st.integers(1, 60),
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=25, deadline=None)
def test_every_cycle_keeps_the_budgets_toward_moving_targets(
    data: list[tuple[tuple[float, ...], tuple[float, ...], float, int]],
) -> None:
    rig = Rig(options=QUICK)
    rig.cycle()
    start = rig.fk(READY)
    for shift, twist, horizon, cycles in data:
        pose = start.copy()
        pose[:3, 3] += shift
        rig.target = moving(target_row(pose), np.array(twist), horizon)
        assert rig.follow(cycles) == 0
    for name, limits, share in (
        ("", QUICK.limits, 1.0),
        ("angular_", QUICK.rotation_limits, 0.99),
    ):
        most = share / np.sqrt(3.0)
        assert np.abs(rig.column(name + "velocity")).max() <= most * limits.max_velocity + 1e-9
        rows = rig.column(name + "acceleration")
        assert np.abs(rows).max() <= most * limits.max_acceleration + 1e-9
    assert np.isfinite(np.array(rig.records)).all()


def circle(start: np.ndarray, radius: float) -> np.ndarray:
    """A chunk of 50 targets on a horizontal circle."""
    angle = 2.0 * np.pi * np.arange(50) / 50
    rows = np.repeat(start[None], 50, axis=0)
    rows[:, 0] += radius * (np.cos(angle) - 1.0)
    rows[:, 1] += radius * np.sin(angle)
    return rows


def test_a_circle_of_4_cm_in_a_second_stays_within_5_mm() -> None:
    rig = PlantRig(options=CartesianOptions(limits=MotionLimits(1.0, 8.0, 400.0)))
    rig.cycle()
    start = rig.target.copy()
    rows, dt = smooth_poses(circle(start, 0.04), 0.02)
    for row in paced(rows, dt, rig.packed):
        rig.target = row
        assert rig.run(10) == 0
    center = start[:2] - (0.04, 0.0)
    poses = rig.column("pose")[:, 12:14]
    measured = np.array([rig.fk(q)[:2, 3] for q in rig.measured])
    for way in (poses, measured):
        assert np.abs(np.linalg.norm(way - center, axis=1) - 0.04).max() < 5e-3
    # Once it has caught up, the arm is where the rows are: not only on their way.
    rows = rig.column("target")[1:, :2]
    assert np.linalg.norm(measured - rows, axis=1)[500:900].max() < 5e-3


def test_a_path_that_the_budgets_do_not_allow_is_cut_and_not_passed() -> None:
    limits = MotionLimits(0.6, 3.0, 100.0)
    rig = Rig(options=CartesianOptions(backend=CARTESIAN, limits=limits))
    rig.cycle()
    start = rig.target.copy()
    for _ in range(3):
        for row in paced(circle(start, 0.04), 0.02, rig.packed):
            rig.target = row
            assert rig.follow(20) == 0
    away = np.linalg.norm(rig.column("pose")[:, 12:14] - start[:2] + (0.04, 0.0), axis=1)
    assert away.max() < 0.05


def test_a_chunk_does_not_overrun_its_last_row() -> None:
    rig = Rig(options=QUICK)
    rig.cycle()
    rows = np.repeat(rig.target[None], 21, axis=0)
    rows[:, 1] += np.linspace(0.0, 0.1, 21)
    for row in paced(rows, 0.02, rig.packed):
        rig.target = row
        assert rig.follow(20) == 0
    assert rig.follow(600) == 0
    way = rig.column("pose")[:, 13] - rows[0, 1]
    assert way.max() < 0.1 + 1e-3
    assert way[-1] == pytest.approx(0.1, abs=1e-12)


def test_rows_have_the_velocity_to_the_next_one_and_come_late_where_they_would_be() -> None:
    options = Rig(options=QUICK).packed
    pose = target_row(np.eye(4))
    after = pose.copy()
    after[:3] += (1e-4, 0.0, -2e-4)
    after[3:] = target_row(np.block([[turn(0, 0, 1e-3), np.zeros((3, 1))], [np.zeros(3), 1]]))[3:]
    end = after.copy()
    end[:3] += (0.1, 0.0, -0.1)
    end[3:] = target_row(np.block([[turn(0, 0, 0.4), np.zeros((3, 1))], [np.zeros(3), 1]]))[3:]
    rows = paced(np.stack([pose, after, end]), 0.02, options)
    np.testing.assert_allclose(rows[0, T_velocity : T_velocity + 3], (5e-3, 0, -1e-2), atol=1e-12)
    np.testing.assert_allclose(rows[0, T_velocity + 3 : T_horizon], (0, 0, 0.05), atol=1e-9)
    assert not rows[2, T_velocity:].any()
    np.testing.assert_allclose(twist_between(pose, after, 0.02), rows[0, T_velocity:T_horizon])
    late = brought_forward(rows[0], 0.01)
    np.testing.assert_allclose(late[:3], 0.5 * (pose[:3] + after[:3]), atol=1e-15)
    assert late[T_horizon] == pytest.approx(rows[0, T_horizon] - 0.01)
    np.testing.assert_array_equal(brought_forward(resting(pose), 1.0), resting(pose))


@given(st.floats(1e-6, 1.0), st.floats(0.1, 20.0), st.floats(1.0, 1000.0))
def test_the_stopping_speed_is_stopped_from_in_its_way(way: float, am: float, jm: float) -> None:
    speed = float(stopping_speed(np.array(way), np.array(am), np.array(jm)))
    time = 2.0 * np.sqrt(speed / jm) if speed * jm <= am * am else speed / am + am / jm
    assert 0.5 * speed * time == pytest.approx(way, rel=1e-9)
