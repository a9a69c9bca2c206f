"""The joint target controller on stepped time: a follower, a held arm, and the simulated plant."""

from dataclasses import replace

import numpy as np
import pytest
from control_rig import READY, moved_limits
from hypothesis import given, settings
from hypothesis import strategies as st
from joint_rig import JointRig

from kinegraph.robot.control import (
    FER,
    FR3,
    JOINT,
    JointLimits,
    JointOptions,
    braking_speed,
    goal_box,
)
from kinegraph.robot.control.moving_joints import (
    joints_brought_forward,
    joints_resting,
    paced_joints,
)

MARGIN = 0.05
FULL = JointOptions(limits=JointLimits.share_of(FER, 1.0), backend=JOINT, max_deviation=5.0)
ARMS = ("fer", "fr3")
TABLES = {"fer": FER, "fr3": FR3}


def fraction(value: float, options: JointOptions = FULL) -> JointOptions:
    """The options with another share of the robot's velocity limits for the goal."""
    law = replace(JOINT, joint_velocity_fraction=value, velocity_barrier_fraction=max(value, 0.85))
    return replace(options, backend=law)


def first_joint_by(rig: JointRig, angle: float) -> None:
    """Set a target that turns the first joint."""
    rig.target = rig.q.copy()
    rig.target[0] += angle


def test_a_step_lands_exactly_and_the_stop_finishes() -> None:  # A-L7
    rig = JointRig()
    rig.follow(1)
    first_joint_by(rig, 0.3)
    assert rig.follow(1300, stop=True) == 1
    assert 900 <= len(rig.records) <= 1200
    assert np.abs(rig["q"] - rig.target).max() < 1e-6
    assert np.all(rig.column("cap_scale") == 1.0)
    assert np.abs(rig["tau"]).max() < 1e-12
    assert np.all(rig["velocity"] == 0.0)
    assert np.all(rig["dq_goal"] == 0.0)


def test_a_held_arm_is_pulled_by_a_leash_and_no_more() -> None:  # A-L8
    rig = JointRig()
    rig.cycle()
    first_joint_by(rig, 0.6)
    while rig.cycle(stop=True) == 0:
        pass
    assert len(rig.records) == 1 + 5000 + 250
    ahead = rig.column("q_goal")[:, 0].max() - READY[0]
    assert 0.1 < ahead <= 0.101
    assert rig["tau"] == pytest.approx([60.0, 0, 0, 0, 0, 0, 0], abs=1e-9)
    assert rig["q_goal"][0] - READY[0] == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize(("share", "capped"), [(0.7, 303), (0.8, 238)])
def test_the_goal_is_capped_as_a_whole_below_the_robots_limits(  # A-L9
    share: float, capped: int
) -> None:
    rig = JointRig(options=fraction(share))
    rig.follow(1)
    first_joint_by(rig, 0.6)
    assert rig.follow(999, stop=True) == 1
    cap = share * FER.flat_velocity[0]
    speed = np.abs(rig.column("dq_goal")[:, 0])
    assert speed.max() <= cap * (1 + 1e-9)
    assert np.count_nonzero(rig.column("cap_scale") < 1.0) == capped
    generator = np.abs(rig.column("velocity")[:, 0]).max()
    assert generator <= cap + 2e-3 * FER.max_joint_acceleration[0]
    assert rig.column("q_goal")[:, 0].max() <= rig.target[0] + 1e-9
    assert np.abs(rig["q"] - rig.target).max() < 1e-6


def test_a_stop_on_the_spot_while_capped_overshoots_little() -> None:  # A-L12
    slow = JointLimits(FER.max_joint_velocity, np.full(7, 10.0), np.full(7, 500.0))
    rig = JointRig(options=fraction(0.8, replace(FULL, limits=slow)))
    rig.follow(1)
    first_joint_by(rig, 1.5)
    while rig["cap_scale"] == 1.0 or len(rig.records) < 350:
        rig.follow(1)
    here = rig.q.copy()
    rig.target = here
    begun = len(rig.records)
    assert rig.follow(710, stop=True) == 1
    assert len(rig.records) - begun < 710
    assert np.abs(rig.column("q_goal")[begun:] - here).max() < 0.17


def test_a_target_at_the_margin_is_reached_and_never_passed() -> None:  # A-L13
    table = moved_limits(FER, {}, {0: READY[0] + 0.4 + MARGIN})
    rig = JointRig(options=FULL, table=table)
    rig.follow(1)
    first_joint_by(rig, 0.4)
    rig.follow(3000, stop=True)
    goal, pins = rig.column("q_goal"), rig.column("pinned")
    assert goal[:, 0].max() <= rig.target[0] + 1e-12
    assert np.abs(rig["q"] - rig.target).max() < 1e-3
    for step, position in zip(np.diff(goal[:, 0]), goal[:-1, 0], strict=True):
        room = braking_speed(table, rig.target[0] - position)[0]
        assert step <= 0.7e-3 * room + 1e-15
    first = np.flatnonzero(pins[:, 0] == 1)[0]
    landed = np.flatnonzero(np.abs(goal[:, 0] - rig.target[0]) < 1e-3)[0]
    assert landed - first <= 1000


@pytest.mark.parametrize("arm", ARMS)
def test_each_joint_of_the_plant_reaches_its_target(arm: str) -> None:  # A-S8
    for joint in range(7):
        rig = JointRig(arm=arm)
        rig.run(1)
        rig.target[joint] += 0.2
        rig.run(3000 if joint == 6 else 1500)
        assert np.abs(rig.q - rig.target).max() < 0.02
        assert rig.rate_hits == 0


FRICTION = 0.5
"""Coulomb friction of every joint, Nm."""


@pytest.mark.parametrize("arm", ARMS)
def test_the_default_law_tracks_and_lands_against_friction(arm: str) -> None:
    for joint in (0, 3, 6):
        rig = JointRig(arm=arm, options=JointOptions(), coulomb=np.full(7, FRICTION))
        rig.run(1)
        rig.target[joint] += 0.2
        rig.run(2500)
        measured = np.array(rig.measured)[:, joint]
        assert abs(measured[-1] - rig.target[joint]) < 1e-3
        assert measured.max() < rig.target[joint] + 0.5e-3
        lag = rig.column("q_goal")[:, joint] - measured
        assert np.abs(lag).max() < 0.03
        assert rig.rate_hits == 0


@pytest.mark.parametrize("share", [0.33, 1.0, 1.5])
@pytest.mark.parametrize("arm", ARMS)
def test_drives_lighter_or_heavier_than_the_table_says_do_not_swing(arm: str, share: float) -> None:
    for joint in (0, 4, 6):
        drives = share * np.asarray(TABLES[arm].drive_inertia)
        rig = JointRig(arm=arm, options=JointOptions(), drives=drives)
        rig.run(1)
        rig.target[joint] += 0.2
        rig.run(2000)
        assert np.array(rig.measured)[:, joint].max() < rig.target[joint] + 4e-3
        assert np.abs(np.array(rig.speeds)[-500:]).max() < 1e-3


@pytest.mark.parametrize("dt", [0.02, 0.05])
def test_a_chunk_is_followed_without_lag_and_its_end_is_not_overrun(dt: float) -> None:
    rig = JointRig(options=JointOptions(), coulomb=np.full(7, FRICTION))
    rig.run(1)
    count = round(1.0 / dt) + 1
    phase = np.linspace(0.0, np.pi, count)
    rise = 0.05 * (1.0 - np.cos(phase))
    for row in paced_joints(READY + rise[:, None], dt, rig.packed):
        rig.target = row
        rig.run(round(1000 * dt))
    goal = rig.column("q_goal")[:, 0] - READY[0]
    plan = np.interp(np.arange(len(goal)) * 1e-3 - 1e-3, np.arange(count) * dt, rise)
    assert np.abs(goal - plan)[: -round(1000 * dt)].max() < 0.7e-3
    rig.run(500)
    assert rig.column("q_goal").max(axis=0) == pytest.approx(READY + 0.1, abs=1e-4)
    assert rig.q == pytest.approx(READY + 0.1, abs=1e-3)


def test_a_moving_target_without_news_rests_where_it_was_given() -> None:
    rig = JointRig()
    rig.follow(1)
    row = joints_resting(READY + 0.1)
    row[7:14], row[14] = 0.05, 0.2
    rig.target = row
    rig.follow(201)
    assert rig["target"] == pytest.approx(READY + 0.1, abs=1e-12)
    assert rig.column("target").max(axis=0) == pytest.approx(READY + 0.11, abs=1e-4)
    later = joints_brought_forward(row, 0.05)
    assert later[:7] == pytest.approx(READY + 0.1025, abs=1e-12)
    assert later[14] == pytest.approx(0.15)
    assert rig.follow(4000, stop=True) == 1
    assert rig["q_goal"] == pytest.approx(READY + 0.1, abs=1e-6)


@pytest.mark.parametrize("arm", ARMS)
def test_the_plant_settles_at_the_margin_and_stays_out_of_the_barrier(arm: str) -> None:  # A-S9
    table = TABLES[arm]
    rig = JointRig(arm=arm, options=JointOptions(backend=JOINT, max_deviation=2.0))
    rig.target[3] = table.lower[3] + MARGIN
    rig.run(6000)
    measured = np.array(rig.measured)[:, 3]
    assert abs(measured[-1] - rig.target[3]) < 1e-3
    assert measured.min() > table.lower[3] + MARGIN - 0.02


def test_an_arm_that_strays_is_braked_where_it_is_and_the_session_finishes() -> None:
    rig = JointRig(options=JointOptions(max_deviation=0.05))
    rig.follow(1)
    first_joint_by(rig, 0.3)
    assert rig.follow(3000) == 1
    assert rig.remembered("deviated", 1)[0] == 1.0
    assert np.abs(rig["target"] - READY).max() < 0.06
    assert np.abs(rig.column("q_goal") - READY).max() < 0.15


@pytest.mark.parametrize("name", ["q", "dq", "m_total"])
def test_a_state_that_is_not_finite_ends_the_motion_without_a_torque(name: str) -> None:
    rig = JointRig()
    rig.follow(5)
    if name == "m_total":
        rig.set_field(name, np.nan)
    else:
        getattr(rig, name)[2] = np.nan
    assert rig.cycle() == -1
    assert np.all(rig.tau == 0.0)


def test_a_target_that_is_not_finite_is_left_out() -> None:
    rig = JointRig()
    rig.follow(3)
    rig.target = np.full(7, np.nan)
    rig.follow(3)
    assert np.array_equal(rig["target"], READY)


def test_a_goal_that_starts_inside_the_margin_moves_out_of_it_without_a_jump() -> None:
    table = moved_limits(FER, {}, {0: READY[0] + 0.03})
    rig = JointRig(table=table)
    rig.follow(1)
    assert np.array_equal(rig["q_goal"], READY)
    first_joint_by(rig, -0.1)
    rig.follow(1500)
    assert np.abs(rig["q"] - rig.target).max() < 1e-9
    assert np.diff(rig.column("q_goal")[:, 0]).max() <= 0.0


@settings(max_examples=25)
@given(st.data())
def test_no_target_sequence_breaks_a_limit(data: st.DataObject) -> None:
    arm = data.draw(st.sampled_from(ARMS))
    table = TABLES[arm]
    share = data.draw(st.sampled_from([0.1, 0.2, 1.0]))
    budget = JointLimits.share_of(table, share)
    law = data.draw(st.sampled_from([JOINT, JointOptions().backend]))
    options = JointOptions(limits=budget, backend=law, max_deviation=10.0)
    rig = JointRig(arm=arm, options=options)
    low, high = table.lower + MARGIN, table.upper - MARGIN
    inside = st.lists(st.floats(0, 1), min_size=7, max_size=7)
    rig.run(1)
    for _ in range(data.draw(st.integers(1, 4))):
        rig.target = joints_resting(low + np.array(data.draw(inside)) * (high - low))
        if data.draw(st.booleans()):
            rig.target[7:14] = data.draw(st.lists(st.floats(-3, 3), min_size=7, max_size=7))
            rig.target[14] = data.draw(st.sampled_from([0.0, 0.02, 0.5]))
        rig.push = np.array(data.draw(st.lists(st.floats(-8, 8), min_size=7, max_size=7)))
        assert rig.run(data.draw(st.sampled_from([2, 33, 200]))) == 0
    check_budget(rig, budget)
    check_box(rig)
    assert np.all(np.abs(rig.column("tau")) <= table.torque_limits)
    assert np.abs(np.diff(np.array(rig.sent), axis=0)).max() <= 1.0


def check_budget(rig: JointRig, budget: JointLimits) -> None:
    """The generator keeps velocity and acceleration always, the jerk when it was not restarted."""
    v, a = rig.column("velocity"), rig.column("acceleration")
    assert np.all(np.abs(v) <= np.asarray(budget.max_velocity) + 1e-9)
    assert np.all(np.abs(a) <= np.asarray(budget.max_acceleration) + 1e-9)
    free = rig.column("cap_scale")[:-1] == 1.0
    jerk = np.diff(a, axis=0)[free] / 1e-3
    assert np.all(np.abs(jerk) <= np.asarray(budget.max_jerk) + 1e-6)


def check_box(rig: JointRig) -> None:
    """Each step of the goal lies in the box of where it began."""
    assert rig.table is not None
    goal = rig.column("q_goal")
    for before, after in zip(goal[:-1:7], goal[1::7], strict=False):
        box = goal_box(rig.table, before)
        assert np.all(after - before >= box.lower - 1e-15)
        assert np.all(after - before <= box.upper + 1e-15)
