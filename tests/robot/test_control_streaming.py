"""Targets through the robot's own controller: section 10 of the controller's specification."""

from dataclasses import replace

import numpy as np
import pytest
from control_rig import READY, target_row, turn
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_rig import DT, StreamRig, twists

from kinegraph.robot import rate_limits
from kinegraph.robot.control import (
    CartesianOptions,
    MotionLimits,
    RobotController,
    Settle,
    WorkspaceBox,
)
from kinegraph.robot.control.cartesian_kernels import FAULT_POSE, FINISHED, GO_ON
from kinegraph.robot.control.memory_layout import M_stream_twist
from kinegraph.robot.control.moving_targets import moving
from kinegraph.robot.control.options_layout import O_axis_velocity
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

DEFAULT = CartesianOptions(
    backend=RobotController(), max_deviation=100.0, max_angular_deviation=10.0
)
TELEOP = replace(
    DEFAULT, limits=MotionLimits(1.0, 8.0, 400.0), rotation_limits=MotionLimits(2.4, 16.0, 500.0)
)
BUDGETS = {"default": DEFAULT, "teleoperation": TELEOP}

TARGETS = st.lists(
    st.tuples(
        st.tuples(*[st.floats(-0.4, 0.4)] * 3),
        st.tuples(*[st.floats(-1.0, 1.0)] * 3),
        st.integers(1, 400),
    ),
    min_size=1,
    max_size=6,
)
Targets = list[tuple[tuple[float, ...], tuple[float, ...], int]]


def shifted(rig: StreamRig, way: tuple[float, ...], vector: tuple[float, ...] = (0, 0, 0)) -> Array:
    """The target that is the start, shifted and turned."""
    pose = rig.fk(READY)
    pose[:3, 3] += way
    pose[:3, :3] = turn(*vector) @ pose[:3, :3]
    return target_row(pose)


def play(rig: StreamRig, sequence: Targets) -> None:
    """Anchor the session, then run each target for its cycles."""
    assert rig.cycle() == GO_ON
    for way, vector, cycles in sequence:
        rig.target = shifted(rig, way, vector)
        assert rig.run(cycles) == GO_ON


def largest(rows: Array) -> float:
    """Largest norm of three numbers."""
    return float(np.linalg.norm(rows, axis=1).max(initial=0.0))


def check_budget(motion: Array, limits: MotionLimits, factor: float, slack: float) -> None:
    """Compare a velocity (n, 3) and its differences with a budget."""
    change = np.diff(motion, axis=0) / DT
    assert largest(motion) <= factor * limits.max_velocity + 1e3 * slack
    assert largest(change) <= factor * limits.max_acceleration + 2e6 * slack
    assert largest(np.diff(change, axis=0) / DT) <= factor * limits.max_jerk + 4e9 * slack


def check_sent(rig: StreamRig, options: CartesianOptions, slack: float = 1e-15) -> None:
    """What was sent is finite and keeps the budgets; `slack` is the rounding of a pose."""
    assert np.isfinite(np.array(rig.records)).all()
    motion = twists(np.array([rig.sent[0], rig.sent[0], rig.sent[0], *rig.sent]))
    check_budget(motion[:, :3], options.limits, 1.0, slack)
    check_budget(motion[:, 3:], options.rotation_limits, 0.99, 4.0 * slack)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(sequence=TARGETS, name=st.sampled_from(sorted(BUDGETS)), rounded=st.booleans())
def test_whatever_targets_come_the_backstop_never_binds_and_the_budgets_hold(
    sequence: Targets, name: str, rounded: bool
) -> None:
    rig = StreamRig("fr3", options=BUDGETS[name], rounded=rounded)
    play(rig, sequence)
    assert not rig.column("backstop_alteration").any()
    assert not rig.column("backstop_angular_alteration").any()
    check_sent(rig, BUDGETS[name])


@settings(max_examples=15, deadline=None)
@given(sequence=TARGETS)
def test_no_target_leads_out_of_the_workspace(sequence: Targets) -> None:
    rig = StreamRig("fr3")
    start = rig.fk(READY)[:3, 3]
    box = WorkspaceBox(start - 0.1, start + np.array([0.1, 0.05, 0.2]))
    rig = StreamRig("fr3", options=replace(TELEOP, workspace=box))
    play(rig, sequence)
    positions = np.array(rig.sent)[:, 12:15]
    assert (positions >= np.asarray(box.lower) - 1e-7).all()
    assert (positions <= np.asarray(box.upper) + 1e-7).all()
    assert not rig.column("backstop_alteration").any()
    check_sent(rig, TELEOP)


TWISTS = st.tuples(*[st.floats(-0.4, 0.4)] * 3, *[st.floats(-0.8, 0.8)] * 3)


@settings(max_examples=15, deadline=None)
@given(sequence=st.lists(st.tuples(TWISTS, st.integers(1, 500)), min_size=1, max_size=6))
def test_targets_that_move_are_followed_without_an_alteration(
    sequence: list[tuple[tuple[float, ...], int]],
) -> None:
    rig = StreamRig("fr3", options=TELEOP)
    rig.cycle()
    for twist, cycles in sequence:
        rig.target = moving(shifted(rig, (0.0, 0.0, 0.0)), np.array(twist), 1.0)
        assert rig.run(cycles) == GO_ON
    rig.target = moving(shifted(rig, (0.0, 0.0, 0.0)), np.array([0.1, 0, 0, 0, 0, 0.2]), 3.0)
    rig.run(1500)
    assert np.linalg.norm(rig.sent[-2][12:15] - rig["target"]) < 1e-6
    assert not rig.column("backstop_alteration").any()
    assert not rig.column("backstop_angular_alteration").any()
    check_sent(rig, TELEOP)


@pytest.mark.parametrize("name", BUDGETS)
def test_a_long_way_at_full_speed_on_all_axes_is_not_altered(name: str) -> None:
    rig = StreamRig("fr3", options=BUDGETS[name])
    play(rig, [((0.5, -0.5, 0.5), (0.1, 0.1, -0.1), 1700), ((-0.3, 0.2, 0.1), (0, 0, 0), 2500)])
    budget = BUDGETS[name].limits.max_velocity
    assert largest(rig.column("velocity")) == pytest.approx(budget, rel=1e-6)
    assert not rig.column("backstop_alteration").any()
    assert not rig.column("backstop_angular_alteration").any()
    check_sent(rig, BUDGETS[name])


def test_the_first_cycle_sends_the_echo_and_makes_it_the_target() -> None:
    rig = StreamRig("fr3")
    rig.target = shifted(rig, (0.1, 0.0, 0.0))
    assert rig.cycle() == GO_ON
    assert np.abs(rig.sent[0] - rig.echoes[0]).max() <= 1e-7
    np.testing.assert_array_equal(rig["target"], rig.echoes[0][12:15])
    np.testing.assert_array_equal(rig["pose"], rig.sent[0])
    assert not rig["velocity"].any()


def test_a_record_has_the_motion_and_nothing_of_a_torque_law() -> None:
    rig = StreamRig("fr3")
    play(rig, [((0.02, 0.0, 0.01), (0.1, 0.0, 0.0), 300)])
    np.testing.assert_array_equal(rig.column("pose"), np.array(rig.sent))
    for name in ("q_goal", "dq_goal", "pinned", "tau", "tau_envelope", "tau_position", "held"):
        assert not rig.column(name).any()
    for name in ("ik_error", "ik_passes", "ik_blend", "stalled", "leash_alteration"):
        assert not rig.column(name).any()
    assert (rig.column("cap_scale") == 1.0).all()
    assert (rig.column("wall_age") == -1.0).all()
    x, y, z, w = rig["orientation"]
    assert w >= 0.0
    assert x * x + y * y + z * z + w * w == pytest.approx(1.0, abs=1e-12)
    assert largest(rig.column("velocity")) > 0.02
    assert largest(rig.column("angular_velocity")) > 0.1


def test_a_resting_target_is_reached_bit_for_bit_behind_a_rounded_echo() -> None:
    rig = StreamRig("fr3")
    play(rig, [((0.03, -0.02, 0.01), (0.0, 0.1, 0.0), 1500)])
    last = np.array(rig.sent[-300:])
    assert (last == last[0]).all()
    np.testing.assert_array_equal(last[0, 12:15], rig.target[:3])


@pytest.mark.parametrize("rounded", [False, True])
def test_a_hold_repeats_the_echo_of_its_first_cycle_bit_for_bit(rounded: bool) -> None:
    options = replace(DEFAULT, settle=Settle(1e-3, 20))
    rig = StreamRig("fr3", options=options, rounded=rounded)
    play(rig, [((0.05, 0.0, 0.0), (0.1, 0.0, 0.1), 1)])
    assert rig.run(2000, stop=True) == FINISHED
    held, moving = np.array(rig.sent[-21:]), rig.sent[-31]
    assert (held == rig.echoes[-21]).all()
    assert (moving != held[0]).any()
    assert 800 <= len(rig.sent) <= 1100
    assert not rig.column("velocity")[-21:].any()
    assert not rig.column("backstop_alteration").any()
    assert np.linalg.norm(held[0, 12:15] - rig.target[:3]) < 1e-6


@pytest.mark.parametrize("dither", [3e-8, 3e-7])
def test_a_stop_lands_behind_an_echo_that_dithers(dither: float) -> None:
    rig = StreamRig("fr3", options=replace(DEFAULT, settle=Settle(1e-3, 20)), dither=dither)
    play(rig, [((0.05, 0.0, 0.0), (0.0, 0.0, 0.0), 1)])
    assert rig.run(2000, stop=True) == FINISHED
    assert np.linalg.norm(rig.sent[-1][12:15] - rig.target[:3]) < 1e-6 + dither


def test_a_generator_that_outruns_the_budget_is_held_to_it_and_still_lands() -> None:
    rig = StreamRig("fr3", options=DEFAULT)
    rig.packed[O_axis_velocity : O_axis_velocity + 18] *= np.sqrt(3.0)
    ways = np.random.default_rng(1).uniform(-0.03, 0.03, (40, 3))
    play(rig, [(tuple(way), (0.0, 0.0, 0.0), 540) for way in ways])
    assert rig.column("backstop_alteration").max() > 1e-6
    moved = np.array(rig.sent)[:, 12:15] - rig.fk(READY)[:3, 3]
    assert (moved - ways.max(axis=0)).max() < 0.02
    assert (ways.min(axis=0) - moved).max() < 0.02
    rig.run(1500)
    assert np.linalg.norm(rig.sent[-1][12:15] - rig.target[:3]) < 5e-3
    motion = twists(np.array(rig.sent))
    check_budget(motion[:, :3], replace_speed(DEFAULT.limits), 1.0, 1e-15)


def replace_speed(limits: MotionLimits) -> MotionLimits:
    """A budget with the velocity that the backstop lets pass: a^2 / 2j more."""
    more = limits.max_acceleration**2 / (2.0 * limits.max_jerk)
    return replace(limits, max_velocity=limits.max_velocity + more)


def test_a_dry_run_goes_on_from_what_it_did_not_send() -> None:
    wet, dry = (StreamRig("fr3", options=replace(TELEOP, dry_run=flag)) for flag in (False, True))
    dry.echo = lambda: wet.echoes[0]  # type: ignore[method-assign]
    for rig in (wet, dry):
        play(rig, [((0.1, 0.05, 0.0), (0.1, 0.0, 0.0), 800)])
    np.testing.assert_array_equal(dry.column("pose"), wet.column("pose"))


def test_without_a_limit_on_rates_nothing_is_altered() -> None:
    rig = StreamRig("fr3", options=replace(TELEOP, limit_rate=False))
    rig.packed[O_axis_velocity : O_axis_velocity + 18] *= np.sqrt(3.0)
    play(rig, [((0.2, 0.2, 0.2), (0.0, 0.0, 0.0), 500)])
    assert not rig.column("backstop_alteration").any()
    assert largest(rig.column("velocity")) > 1.1


@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("after", [60, 200, 330])
def test_over_lost_states_the_motion_goes_on_as_the_robot_did(name: str, after: int) -> None:
    rig = StreamRig("fr3", options=BUDGETS[name])
    play(rig, [((0.3, 0.1, 0.0), (0.4, 0.0, 0.2), after)])
    rig.lose(10)
    assert rig.run(300) == GO_ON
    motion = twists(np.array(rig.commanded))
    acceleration = np.diff(motion, axis=0) / DT
    jerk = np.diff(acceleration, axis=0) / DT
    bounds = rate_limits(10).cartesian
    assert largest(acceleration[:, :3]) < bounds[1]
    assert largest(jerk[:, :3]) < bounds[2]
    assert largest(acceleration[:, 3:]) < bounds[4]
    assert largest(jerk[:, 3:]) < bounds[5]
    rig.run(2500)
    assert np.linalg.norm(rig.sent[-1][12:15] - rig.target[:3]) < 1e-6


def test_a_measured_pose_that_strays_ends_the_motion_where_the_command_is() -> None:
    rig = StreamRig("fr3", options=replace(DEFAULT, max_deviation=0.1, settle=Settle(1e-3, 20)))
    play(rig, [((0.2, 0.0, 0.0), (0.0, 0.0, 0.0), 400)])
    rig.report = False
    far = rig.echo()
    far[13] += 0.2
    rig.set_field("O_T_EE", far)
    here = rig.sent[-1][12:15]
    assert rig.run(2000) == FINISHED
    assert rig.remembered("deviated", 1) == 1.0
    assert np.linalg.norm(rig["target"] - here) < 1e-3
    assert np.linalg.norm(rig.sent[-1][12:15] - here) < 1e-3


def test_a_backstop_without_numbers_sends_the_echo_and_starts_again() -> None:
    rig = StreamRig("fr3", options=DEFAULT)
    play(rig, [((0.1, 0.0, 0.0), (0.0, 0.0, 0.0), 200)])
    rig.memory[M_stream_twist] = np.nan
    assert rig.cycle() == GO_ON
    assert np.abs(rig.sent[-1] - rig.echoes[-1]).max() <= 1e-7
    rig.run(1500)
    assert np.isfinite(np.array(rig.sent)).all()
    assert np.linalg.norm(rig.sent[-1][12:15] - rig.target[:3]) < 1e-6


@pytest.mark.parametrize("field", ["O_T_EE", "O_T_EE_c"])
@pytest.mark.parametrize("bad", [np.nan, 0.0])
def test_a_state_without_a_pose_is_a_fault(field: str, bad: float) -> None:
    rig = StreamRig("fr3")
    rig.cycle()
    rig.report = False
    rig.echo = lambda: rig.commanded[-1]  # type: ignore[method-assign]
    wrong = rig.commanded[-1].copy()
    wrong[:3] = bad
    if field == "O_T_EE":
        rig.set_field("O_T_EE", wrong)
    else:
        rig.commanded.append(wrong)
    assert rig.cycle() == FAULT_POSE


def test_budgets_above_the_robots_own_are_served_at_those() -> None:
    from kinegraph.robot.control.backends import within_robot

    wild = replace(
        DEFAULT,
        limits=MotionLimits(5.0, 1.0, 9e9),
        rotation_limits=MotionLimits(1.0, 99.0, 99.0),
    )
    for version in (5, 10):
        bounds = rate_limits(version).cartesian
        taken = within_robot(wild, version)
        assert taken.limits == MotionLimits(bounds[0], 1.0, bounds[2])
        assert taken.rotation_limits == MotionLimits(1.0, bounds[4], 99.0)
    assert within_robot(CartesianOptions(limits=wild.limits), 10).limits == wild.limits
