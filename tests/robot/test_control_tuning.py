"""Live tuning in stepped time: bounds, all or nothing, and a motion that stays continuous."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from control_rig import READY, target_row
from hypothesis import given, settings
from hypothesis import strategies as st
from tuned_rig import TunedRig

from kinegraph.robot.control import (
    CARTESIAN,
    DROID,
    FER,
    CartesianOptions,
    Clamped,
    ImpedanceOptions,
    MotionLimits,
    RobotController,
    Tuning,
    TuningUpdate,
    scaled_cartesian,
)
from kinegraph.robot.control.option_packing import dwell_cycles
from kinegraph.robot.control.tuning.live_tuning import LiveTuning
from kinegraph.robot.errors import InvalidArgumentError, InvalidOperationError

pytestmark = pytest.mark.compiled

DT = 1e-3
SLEW = 1.0 - np.exp(-DT / 0.3)
FAR = CartesianOptions(backend=CARTESIAN, max_deviation=10.0, max_angular_deviation=10.0)


def live(options: CartesianOptions = FAR) -> LiveTuning:
    """The tuning of a session with these options."""
    return LiveTuning.of_session(options, options.packed(FER))


def test_a_session_starts_with_its_options_and_nothing_moves() -> None:
    rig = TunedRig(options=FAR)
    before = rig.packed.copy()
    rig.take(3)
    np.testing.assert_array_equal(rig.packed, before)
    seed = rig.tuning.wanted()
    np.testing.assert_array_equal(seed.joint_stiffness, CARTESIAN.gains.joint_stiffness)
    np.testing.assert_array_equal(seed.joint_damping, CARTESIAN.gains.joint_damping)
    assert seed.cartesian_stiffness == 750.0
    assert (seed.ik_damping, seed.ik_nullspace_gain) == (0.05, 1.0)
    assert (seed.velocity_feedforward_gain, seed.velocity_feedforward_cutoff) == (0.0, 1000.0)
    assert (seed.limits, seed.rotation_limits) == (FAR.limits, FAR.rotation_limits)


def test_values_out_of_bounds_are_clamped_and_told() -> None:
    tuning = live()
    given = TuningUpdate(
        joint_stiffness=[-1.0, 2000.0, 4.0, 4.0, 4.0, 4.0, 4.0],
        cartesian_stiffness=10.0,
        ik_damping=2.0,
        ik_nullspace_gain=-1.0,
        velocity_feedforward_gain=1.5,
        velocity_feedforward_cutoff=0.1,
        limits=MotionLimits(2.0, 0.01, 1000.0),
        rotation_limits=MotionLimits(3.0, 31.0, 0.5),
    )
    assert set(tuning.tune(given)) == {
        Clamped("joint_stiffness", 1, -1.0, 0.0),
        Clamped("joint_stiffness", 2, 2000.0, 1200.0),
        # Joint 2 had 6 Nm s/rad; a quarter of the root of 1200 Nm/rad is more.
        Clamped("joint_damping", 2, 6.0, 0.25 * np.sqrt(1200.0)),
        Clamped("cartesian_stiffness", 0, 10.0, 50.0),
        Clamped("ik_damping", 0, 2.0, 1.0),
        Clamped("ik_nullspace_gain", 0, -1.0, 0.0),
        Clamped("velocity_feedforward_gain", 0, 1.5, 1.0),
        Clamped("velocity_feedforward_cutoff", 0, 0.1, 1.0),
        Clamped("limits.max_velocity", 0, 2.0, 1.2),
        Clamped("limits.max_acceleration", 0, 0.01, 0.1),
        Clamped("limits.max_jerk", 0, 1000.0, 800.0),
        Clamped("rotation_limits.max_velocity", 0, 3.0, 2.5),
        Clamped("rotation_limits.max_acceleration", 0, 31.0, 30.0),
        Clamped("rotation_limits.max_jerk", 0, 0.5, 1.0),
    }
    assert tuning.wanted().limits == MotionLimits(1.2, 0.1, 800.0)


def test_damping_has_a_floor_and_a_top_by_joint() -> None:
    tuning = live()
    clamped = tuning.tune(TuningUpdate(joint_damping=[100.0] * 6 + [0.0]))
    assert [c.used for c in clamped] == [60.0] * 4 + [40.0] * 2 + [0.25 * np.sqrt(10.0)]
    # A stiffness never lowers a damping that is not given.
    assert tuning.tune(TuningUpdate(joint_stiffness=[1.0] * 7)) == ()
    kept = tuning.wanted().joint_damping
    np.testing.assert_array_equal(kept[:6], [60.0] * 4 + [40.0] * 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"cartesian_stiffness": 0.0},
        {"cartesian_stiffness": float("nan")},
        {"ik_damping": -0.1},
        {"joint_stiffness": [1.0] * 6},
        {"joint_damping": [float("inf")] * 7},
        {"limits": MotionLimits(0.3, float("nan"), 20.0)},
        {"rotation_limits": (0.3, 0.5, 20.0)},
        {"velocity_feedforward_gain": "much"},
    ],
)
def test_a_refused_update_changes_nothing(wrong: dict[str, Any]) -> None:
    tuning = live()
    before = tuning.slot.read()
    name = next(iter(wrong))
    others = {"ik_nullspace_gain": 2.0, **wrong}
    with pytest.raises(InvalidArgumentError, match=name):
        tuning.tune(TuningUpdate(**others))
    np.testing.assert_array_equal(tuning.slot.read(), before)


@pytest.mark.parametrize("backend", [DROID, RobotController()])
def test_sessions_that_one_stiffness_cannot_describe_refuse(
    backend: ImpedanceOptions | RobotController,
) -> None:
    tuning = live(CartesianOptions(backend=backend))
    for call in (lambda: tuning.tune(TuningUpdate(ik_damping=0.1)), tuning.wanted):
        with pytest.raises(InvalidOperationError, match="cannot be tuned"):
            call()


def test_a_tuning_can_be_given_back() -> None:
    tuning = live(replace(FAR, backend=ImpedanceOptions(gains=scaled_cartesian(1000.0))))
    before = tuning.wanted()
    tuning.tune(TuningUpdate(cartesian_stiffness=300.0, limits=MotionLimits(1.0, 1.0, 1.0)))
    assert tuning.tune(before) == ()
    after = tuning.wanted()
    for field in fields(Tuning):
        np.testing.assert_equal(getattr(after, field.name), getattr(before, field.name))


def test_gains_slew_and_land_exactly_as_scaled() -> None:
    rig = TunedRig(options=FAR)
    rig.tuning.tune(
        TuningUpdate(
            joint_stiffness=[100.0] * 7,
            joint_damping=[20.0] * 7,
            cartesian_stiffness=2000.0,
            ik_damping=0.2,
            ik_nullspace_gain=3.0,
            velocity_feedforward_gain=0.5,
            velocity_feedforward_cutoff=50.0,
        )
    )
    rig.take()
    assert rig.option("cartesian_stiffness")[0] == pytest.approx(750.0 + SLEW * 1250.0, rel=1e-12)
    assert rig.option("ik_damping")[0] == pytest.approx(0.05 + SLEW * 0.15, rel=1e-12)
    assert rig.option("feedforward_cutoff")[0] == 50.0
    rig.take(299)
    share = 1.0 - np.exp(-1.0)
    assert rig.option("joint_stiffness")[0] == pytest.approx(40.0 + share * 60.0, rel=1e-9)
    rig.take(15_000)
    gains = scaled_cartesian(2000.0)
    np.testing.assert_array_equal(rig.option("cartesian_stiffness"), gains.cartesian_stiffness)
    np.testing.assert_array_equal(rig.option("cartesian_damping"), gains.cartesian_damping)
    np.testing.assert_array_equal(rig.option("joint_stiffness"), [100.0] * 7)
    np.testing.assert_array_equal(rig.option("joint_damping"), [20.0] * 7)
    assert rig.option("feedforward_gain")[0] == 0.5
    assert rig.tuning.in_force().ik_nullspace_gain == 3.0


def test_a_budget_lowered_in_motion_comes_down_slowly_and_the_motion_stays_smooth() -> None:
    rig = TunedRig(options=FAR)
    rig.cycle()
    goal = rig.fk(READY)
    goal[0, 3] += 0.25
    rig.target = target_row(goal)
    rig.follow(400)
    lowered = CartesianOptions(
        limits=MotionLimits(0.08, 0.3, 5.0), rotation_limits=MotionLimits(0.2, 0.5, 5.0)
    )
    rig.tuning.tune(TuningUpdate(limits=lowered.limits, rotation_limits=lowered.rotation_limits))
    rig.follow(1500)
    budgets = np.array(rig.budgets)
    final = np.column_stack([lowered.limits.per_axis(), lowered.rotation_limits.per_axis(0.99)])
    arrived = (budgets[:, :, [0, 3]] <= final * (1 + 1e-12)).all(axis=(1, 2))
    assert int(np.flatnonzero(arrived)[0]) > 800  # more than 400 cycles after the update
    assert rig.option("dwell")[0] == dwell_cycles(1e-3, rig.option("axis_jerk"))
    check_budgets(rig, [0.5 / np.sqrt(3.0)] * 3)


def check_budgets(rig: TunedRig, start: list[float]) -> None:
    """No axis is faster than its budget in force, or changes faster than its acceleration."""
    budgets = np.array(rig.budgets)
    velocity = np.hstack([rig.column("velocity"), rig.column("angular_velocity")])
    assert (np.abs(velocity) <= budgets[:, 0] + 1e-9).all()
    change = np.abs(np.diff(velocity, axis=0))
    most = budgets[:-1, 1] + budgets[1:, 1]
    assert (change <= most * DT + 1e-12).all()
    assert change[:, :3].max() <= 1.05 * max(start) * DT


budget = st.builds(MotionLimits, st.floats(0.05, 1.2), st.floats(0.1, 20.0), st.floats(1.0, 800.0))
rotation_budget = st.builds(
    MotionLimits, st.floats(0.05, 2.5), st.floats(0.1, 30.0), st.floats(1.0, 800.0)
)
steps = st.lists(
    st.tuples(
        st.tuples(*[st.floats(-0.2, 0.2)] * 3),
        budget,
        rotation_budget,
        st.floats(50.0, 3000.0),
        st.integers(1, 150),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25, deadline=None)
@given(steps)
def test_whatever_is_tuned_every_cycle_keeps_the_budgets_in_force(
    sequence: list[tuple[tuple[float, ...], MotionLimits, MotionLimits, float, int]],
) -> None:
    rig = TunedRig(options=FAR)
    rig.cycle()
    for shift, limits, rotation_limits, stiffness, cycles in sequence:
        pose = rig.fk(READY)
        pose[:3, 3] += shift
        rig.target = target_row(pose)
        rig.tuning.tune(
            TuningUpdate(
                limits=limits, rotation_limits=rotation_limits, cartesian_stiffness=stiffness
            )
        )
        assert rig.follow(cycles) == 0
    budgets = np.array(rig.budgets)
    velocity = np.hstack([rig.column("velocity"), rig.column("angular_velocity")])
    assert np.isfinite(np.array(rig.records)).all()
    assert (np.abs(velocity) <= budgets[:, 0] + 1e-9).all()
    change = np.abs(np.diff(velocity, axis=0))
    assert (change <= (budgets[:-1, 1] + budgets[1:, 1]) * DT + 1e-9).all()
