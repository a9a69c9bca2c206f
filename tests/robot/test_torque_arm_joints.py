"""The joint controller on arms that are no Franka, in stepped time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from other_arms import ARMS, described, start_of

from kinegraph.robot.control import JointOptions, JointSent
from kinegraph.robot.control.records import records_from_rows
from kinegraph.robot.errors import InvalidArgumentError
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm, joint_law

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("arm", ARMS)
def test_joints_go_where_they_are_told_within_their_budgets(arm: str) -> None:
    description, start = described(arm), start_of(arm)
    table = description.table
    plant = SimulatedArm(description, start, friction=0.5)
    control = ArmControl(plant, description)
    goal = start + 0.2 * (-1.0) ** np.arange(description.n)
    with control.joint_targets(pace="stepped") as targets:
        assert targets.target() == pytest.approx(start)
        assert targets.move_to(goal, tolerance=5e-3)
        assert targets.move_by(start - goal) == pytest.approx(start)
        assert targets.wait(tolerance=5e-3)
        rows, lost = targets.records().read()
    records = records_from_rows(rows, table.n, kind=JointSent)
    assert lost == 0
    assert (np.abs(records["velocity"]) <= 0.2 * table.max_joint_velocity + 1e-9).all()
    assert (np.abs(records["acceleration"]) <= 0.2 * table.max_joint_acceleration + 1e-9).all()
    jerk = np.diff(records["acceleration"], axis=0) / 1e-3
    assert (np.abs(jerk) <= 0.2 * table.max_joint_jerk + 1e-6).all()
    assert (np.abs(records["tau"]) <= table.torque_limits).all()
    assert plant.is_braked


def test_a_chunk_of_nine_joints_is_followed_in_stepped_time() -> None:
    description, start = described("rail"), start_of("rail")
    plant = SimulatedArm(description, start)
    chunk = start + 0.05 * np.linspace(0.0, 1.0, 21)[:, None] * np.ones(9)
    with ArmControl(plant, description).joint_targets(pace="stepped") as targets:
        before = targets.cycle_count
        assert targets.follow(chunk, dt=0.02)
        assert targets.cycle_count - before == pytest.approx(21 * 20, abs=2)
        assert targets.wait(tolerance=2e-3)
    assert plant.q == pytest.approx(chunk[-1], abs=2e-3)


def test_targets_too_near_to_a_limit_are_refused() -> None:
    description = described("ur5")
    control = ArmControl(SimulatedArm(description, start_of("ur5")), description)
    with control.joint_targets(pace="stepped") as targets:
        near = start_of("ur5")
        near[2] = np.pi - 0.01
        with pytest.raises(InvalidArgumentError, match="joint 3"):
            targets.set_joints(near)
        with pytest.raises(InvalidArgumentError, match=r"expected \(6,\)"):
            targets.set_joints(np.zeros(7))
    with pytest.raises(InvalidArgumentError, match=r"gains\.joint_stiffness"):
        control.joint_targets(JointOptions(), pace="stepped")


@settings(max_examples=10, deadline=None)
@given(
    arm=st.sampled_from(ARMS),
    goals=st.lists(st.tuples(*[st.floats(0.0, 1.0)] * 9), min_size=1, max_size=4),
    cycles=st.integers(1, 300),
)
def test_no_joint_leaves_its_range_wherever_it_is_sent(
    arm: str, goals: list[tuple[float, ...]], cycles: int
) -> None:
    description = described(arm)
    table, law = description.table, joint_law(described(arm).table)
    plant = SimulatedArm(description, start_of(arm), friction=0.2)
    options = JointOptions(backend=law, max_deviation=1e7)
    low = np.maximum(table.lower + law.joint_limit_inset, -6.0)
    high = np.minimum(table.upper - law.joint_limit_inset, 6.0)
    with ArmControl(plant, description).joint_targets(options, pace="stepped") as targets:
        for goal in goals:
            targets.set_joints(low + np.array(goal[: table.n]) * (high - low))
            assert targets.take_time(1e-3 * cycles) == 0.0
            assert (plant.q > table.lower).all()
            assert (plant.q < table.upper).all()
        rows = targets.records().read()[0]
    records = records_from_rows(rows, table.n, kind=JointSent)
    assert np.isfinite(records["tau"]).all()
    assert (np.abs(records["tau"]) <= table.torque_limits).all()
    assert (np.abs(records["dq_goal"]) <= 0.7 * table.max_joint_velocity + 1e-9).all()
