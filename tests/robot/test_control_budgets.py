"""Whatever targets come, every cycle keeps its budgets, and no NaN leaves."""

import numpy as np
import pytest
from control_rig import ARMS, HAND_LOAD, READY, PlantRig, Rig, target_row, turn
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot.control import CartesianOptions, MotionLimits

pytestmark = pytest.mark.compiled

WILD = CartesianOptions(
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=100.0,
    max_angular_deviation=10.0,
)
DT = 1e-3

targets = st.lists(
    st.tuples(
        st.tuples(*[st.floats(-1.5, 1.5)] * 3),
        st.tuples(*[st.floats(-1.5, 1.5)] * 3),
        st.integers(1, 120),
    ),
    min_size=1,
    max_size=8,
)


def play(rig: Rig, sequence: list[tuple[tuple[float, ...], tuple[float, ...], int]]) -> None:
    """Run a sequence of targets, each relative to READY's pose and held for some cycles."""
    rig.cycle()
    start = rig.fk(READY)
    for shift, rotation, cycles in sequence:
        pose = start.copy()
        pose[:3, 3] += shift
        pose[:3, :3] = turn(*rotation) @ pose[:3, :3]
        rig.target = target_row(pose)
        if isinstance(rig, PlantRig):
            assert rig.run(cycles) == 0
        else:
            assert rig.follow(cycles) == 0


def check_records(rig: Rig, options: CartesianOptions) -> None:
    """Budgets, cap, margin and clamp of every record."""
    rows = np.array(rig.records)
    assert np.isfinite(rows).all()
    linear, angular = options.limits, options.rotation_limits
    for name, most in (
        ("velocity", linear.max_velocity),
        ("acceleration", linear.max_acceleration),
        ("angular_velocity", 0.99 * angular.max_velocity),
        ("angular_acceleration", 0.99 * angular.max_acceleration),
    ):
        assert np.abs(rig.column(name)).max() <= most / np.sqrt(3) + 1e-9
    table = rig.table
    assert table is not None
    cap = 0.7 * table.flat_velocity
    assert (np.abs(rig.column("dq_goal")) <= cap * (1 + 1e-9)).all()
    goals = rig.column("q_goal")
    assert (goals >= table.lower + 0.05 - 1e-12).all()
    assert (goals <= table.upper - 0.05 + 1e-12).all()
    assert (np.abs(rig.column("tau")) <= table.torque_limits).all()


def check_jerk(rig: Rig, options: CartesianOptions) -> None:
    """Finite-difference jerk where the generator was not restarted."""
    free = (rig.column("cap_scale") == 1.0) & ~rig.column("held").astype(bool)
    # Restarts act one cycle later.
    calm = free[1:] & free[:-1]
    for name, most in (
        ("acceleration", options.limits.max_jerk),
        ("angular_acceleration", 0.99 * options.rotation_limits.max_jerk),
    ):
        jerk = np.diff(rig.column(name), axis=0)[calm] / DT
        if jerk.size:
            assert np.abs(jerk).max() <= most / np.sqrt(3) * (1 + 1e-9) + 1e-6


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(sequence=targets, arm=st.sampled_from(sorted(ARMS)))
def test_random_targets_with_an_arm_that_follows(
    sequence: list[tuple[tuple[float, ...], tuple[float, ...], int]], arm: str
) -> None:
    rig = Rig(arm, "hand", WILD)
    play(rig, sequence)
    check_records(rig, WILD)
    check_jerk(rig, WILD)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(sequence=targets, push=st.tuples(*[st.floats(-8.0, 8.0)] * 7))
def test_random_targets_and_pushes_on_the_plant(
    sequence: list[tuple[tuple[float, ...], tuple[float, ...], int]], push: tuple[float, ...]
) -> None:
    rig = PlantRig("fr3", "hand", WILD, load=HAND_LOAD.copy())
    rig.push = np.array(push)
    play(rig, sequence)
    check_records(rig, WILD)
    sent = np.array(rig.sent)
    assert np.abs(np.diff(sent, axis=0, prepend=np.zeros((1, 7)))).max() <= 1.0
    assert np.isfinite(np.array(rig.measured)).all()


def test_the_default_step_keeps_the_norm_of_its_budget() -> None:
    rig = Rig("fr3")
    play(rig, [((0.1, 0.07, -0.05), (0.2, -0.1, 0.3), 1500)])
    for name, most in (
        ("velocity", 0.3),
        ("acceleration", 0.5),
        ("angular_velocity", 0.5),
        ("angular_acceleration", 1.0),
    ):
        assert np.linalg.norm(rig.column(name), axis=1).max() <= most
    jerk = np.diff(rig.column("acceleration"), axis=0) / DT
    assert np.linalg.norm(jerk, axis=1).max() <= 20.0 + 1e-6
    check_jerk(rig, CartesianOptions())
