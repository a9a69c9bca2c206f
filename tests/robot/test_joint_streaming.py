"""Joint targets through the robot's own controller: section 10 of the controller's text."""

from dataclasses import replace

import numpy as np
import pytest
from control_rig import ARMS, READY
from hypothesis import given, settings
from hypothesis import strategies as st
from stream_rig import DT, JointStreamRig

from kinegraph.robot.control import JointLimits, JointOptions, RobotController, Settle
from kinegraph.robot.control.cartesian_kernels import FAULT_STATE, FINISHED, GO_ON
from kinegraph.robot.control.memory_layout import M_stream_joint_velocity
from kinegraph.scene.array_types import Array

pytestmark = pytest.mark.compiled

DEFAULT = JointOptions(backend=RobotController(), max_deviation=10.0)
INSET = 0.02

TARGETS = st.lists(
    st.tuples(st.tuples(*[st.floats(0.0, 1.0)] * 7), st.integers(1, 600)), min_size=1, max_size=6
)
Targets = list[tuple[tuple[float, ...], int]]


def play(rig: JointStreamRig, sequence: Targets) -> None:
    """Anchor the session, then run each target, a share of the joints' ranges, for its cycles."""
    assert rig.cycle() == GO_ON
    table = ARMS[rig.arm]
    low, high = table.lower + INSET, table.upper - INSET
    for share, cycles in sequence:
        rig.target = low + np.array(share) * (high - low)
        assert rig.run(cycles) == GO_ON


def rates(positions: list[Array]) -> tuple[Array, Array, Array]:
    """Velocities, accelerations and jerks of positions that are a cycle apart."""
    velocity = np.diff(np.array([positions[0]] * 3 + positions), axis=0) / DT
    acceleration = np.diff(velocity, axis=0) / DT
    return velocity, acceleration, np.diff(acceleration, axis=0) / DT


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(sequence=TARGETS, arm=st.sampled_from(sorted(ARMS)), rounded=st.booleans())
def test_whatever_targets_come_the_backstop_never_binds_and_the_budgets_hold(
    sequence: Targets, arm: str, rounded: bool
) -> None:
    rig = JointStreamRig(arm, options=DEFAULT, rounded=rounded)
    play(rig, sequence)
    budget = JointLimits.share_of(ARMS[arm])
    velocity, acceleration, jerk = rates(rig.sent)
    assert np.isfinite(np.array(rig.records)).all()
    assert not rig.field_of("backstop_alteration").any()
    assert (np.abs(velocity) <= np.asarray(budget.max_velocity) + 1e-9).all()
    assert (np.abs(acceleration) <= np.asarray(budget.max_acceleration) + 1e-6).all()
    assert (np.abs(jerk) <= np.asarray(budget.max_jerk) + 1e-3 + 8e-16 / DT**3).all()


def test_the_first_cycle_sends_the_echo_and_a_record_has_no_torque_law() -> None:
    rig = JointStreamRig("fr3")
    rig.target = READY + 0.1
    assert rig.cycle() == GO_ON
    np.testing.assert_array_equal(rig.sent[0], rig.echoes[0])
    np.testing.assert_array_equal(rig.field_of("target")[0], rig.echoes[0])
    rig.run(200)
    np.testing.assert_array_equal(rig.field_of("q"), np.array(rig.sent))
    np.testing.assert_array_equal(rig.field_of("target")[-1], READY + 0.1)
    names = ("q_goal", "dq_goal", "tau", "tau_envelope", "tau_position", "pinned")
    assert not any(rig.field_of(name).any() for name in (*names, "leash_alteration"))
    assert (rig.field_of("cap_scale") == 1.0).all()
    assert np.abs(rig.field_of("velocity")).max() > 0.1


@pytest.mark.parametrize("rounded", [False, True])
def test_a_stop_lands_and_holds_the_echo_bit_for_bit(rounded: bool) -> None:
    options = replace(DEFAULT, settle=Settle(1e-3, 20))
    rig = JointStreamRig("fr3", options=options, rounded=rounded)
    assert rig.cycle() == GO_ON
    rig.target = READY + np.array([0.1, -0.1, 0.05, 0.1, 0.0, 0.1, -0.2])
    assert rig.run(3000, stop=True) == FINISHED
    held = np.array(rig.sent[-21:])
    assert (held == rig.echoes[-21]).all()
    assert (rig.sent[-40] != held[0]).any()
    assert np.abs(held[0] - rig.target).max() < 1e-6
    assert not rig.field_of("velocity")[-21:].any()


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("share", [1.0, 1.4])
def test_the_robots_own_limits_hold_whatever_the_budget(arm: str, share: float) -> None:
    table = ARMS[arm]
    rig = JointStreamRig(arm, options=replace(DEFAULT, limits=JointLimits.share_of(table, share)))
    play(rig, [((0.9,) * 7, 400), ((0.1,) * 7, 400), ((0.98,) * 7, 400), ((0.7,) * 7, 2500)])
    velocity, acceleration, jerk = rates(rig.sent)
    assert rig.field_of("backstop_alteration").max() > 1e-6
    assert (np.abs(velocity) <= table.flat_velocity + 1e-9).all()
    assert (np.abs(acceleration) <= table.max_joint_acceleration + 1e-6).all()
    assert (np.abs(jerk) <= table.max_joint_jerk + 1e-3).all()
    if share == 1.0:
        assert np.abs(rig.sent[-1] - rig.target).max() < 1e-6


def test_over_lost_states_the_motion_goes_on_as_the_robot_did() -> None:
    share = JointLimits.share_of(ARMS["fr3"], 0.8)
    rig = JointStreamRig("fr3", options=replace(DEFAULT, limits=share))
    play(rig, [((0.9,) * 7, 90)])
    rig.lose(10)
    assert rig.run(2500) == GO_ON
    _, acceleration, jerk = rates(rig.commanded)
    assert np.abs(acceleration).max() < 10.0
    assert np.abs(jerk).max() < 5000.0
    assert np.abs(rig.sent[-1] - rig.target).max() < 1e-6


def test_a_dry_run_goes_on_from_what_it_did_not_send() -> None:
    rig = JointStreamRig("fr3", options=replace(DEFAULT, dry_run=True))
    for cycle in range(2000):
        assert rig.cycle() == GO_ON
        rig.commanded[-1] = READY
        rig.target = READY + 0.1 if cycle > 10 else READY
    assert np.abs(rig.sent[-1] - READY - 0.1).max() < 1e-12


def test_a_joint_that_strays_ends_the_motion_where_the_command_is() -> None:
    options = replace(DEFAULT, max_deviation=0.5, settle=Settle(1e-3, 20))
    rig = JointStreamRig("fr3", options=options)
    rig.cycle()
    rig.target = READY + 0.3
    rig.run(300)
    here, rig.report, rig.q = rig.sent[-1], False, READY + 0.6
    assert rig.run(3000) == FINISHED
    assert rig.remembered("deviated", 1) == 1.0
    assert np.abs(rig.field_of("target")[-1] - here).max() < 5e-3
    assert np.abs(rig.sent[-1] - here).max() < 5e-3


def test_what_is_no_number_is_not_sent() -> None:
    rig = JointStreamRig("fr3", options=DEFAULT)
    rig.cycle()
    rig.target = READY + 0.1
    rig.run(100)
    rig.memory[M_stream_joint_velocity] = np.nan
    assert rig.cycle() == GO_ON
    assert np.abs(rig.sent[-1] - rig.echoes[-1]).max() < 3e-7
    rig.run(2000)
    assert np.abs(rig.sent[-1] - rig.target).max() < 1e-6
    rig.commanded.append(np.full(7, np.nan))
    assert rig.cycle() == FAULT_STATE
