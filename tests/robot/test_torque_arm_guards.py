"""Tuning, guards and observers of sessions on an arm of six joints, in stepped time."""

from dataclasses import replace

import numpy as np
import pytest
from other_arms import described, start_of

from kinegraph.robot.control import (
    CARTESIAN,
    CartesianOptions,
    CartesianSent,
    MotionLimits,
    TuningUpdate,
    WorkspaceBox,
)
from kinegraph.robot.control.records import records_from_rows
from kinegraph.robot.errors import ControlError, InvalidArgumentError, InvalidOperationError
from kinegraph.robot.torque_arm import ArmControl, SimulatedArm, cartesian_law

pytestmark = pytest.mark.compiled

UR5 = described("ur5")
OPTIONS = CartesianOptions(
    limits=MotionLimits(0.5, 2.0, 60.0),
    backend=cartesian_law(UR5.table, CARTESIAN),
    max_deviation=10.0,
    max_angular_deviation=10.0,
)


def fresh() -> tuple[SimulatedArm, ArmControl]:
    """The arm at its start, and what controls it."""
    plant = SimulatedArm(UR5, start_of("ur5"))
    return plant, ArmControl(plant, UR5)


def test_words_of_six_joints_are_tuned() -> None:
    _, control = fresh()
    with control.cartesian_targets(OPTIONS, pace="stepped") as arm:
        before = arm.tuning()
        assert before.joint_stiffness.shape == before.joint_damping.shape == (6,)
        update = TuningUpdate(joint_damping=[100.0] * 6, limits=MotionLimits(0.1, 2.0, 60.0))
        clamped = arm.tune(update)
        assert [(c.joint, c.used) for c in clamped] == [
            *((i, 60.0) for i in (1, 2, 3, 4)),
            *((i, 40.0) for i in (5, 6)),
        ]
        control.step(8000)
        after = arm.tuning_in_force()
        assert after.joint_damping == pytest.approx([60.0] * 4 + [40.0] * 2)
        assert after.limits == update.limits
        np.testing.assert_array_equal(after.joint_stiffness, before.joint_stiffness)


def test_a_box_holds_and_a_target_that_grows_stale_ends_the_session() -> None:
    _, control = fresh()
    here = UR5.chain.pose(start_of("ur5"))[:3, 3]
    box = WorkspaceBox(here - 0.05, here + 0.05)
    guarded = replace(OPTIONS, workspace=box, max_target_age_s=1.0)
    arm = control.cartesian_targets(guarded, pace="stepped")
    with pytest.raises(InvalidArgumentError, match="outside the workspace"):
        arm.move_by([0.06, 0.0, 0.0])
    arm.move_by([0.05, 0.0, 0.0])
    while control.step(100):
        assert arm.cycle_count < 3000
    with pytest.raises(ControlError, match="no new target for 1 s"):
        arm.stop()
    records = records_from_rows(arm.records().read()[0], 6)
    assert records["pose"][:, 12].max() <= here[0] + 0.05 + 1e-8
    assert records["pose"][-1, 12] == pytest.approx(here[0] + 0.05, abs=1e-6)


def test_a_dry_run_leaves_the_arm_alone_and_is_observed() -> None:
    plant, control = fresh()
    seen: list[float] = []

    def observe(state: object, sent: CartesianSent) -> None:
        seen.append(float(sent.velocity[2]))
        assert sent.q_goal.shape == (6,)

    rehearsed = replace(OPTIONS, dry_run=True, observer=observe)
    with control.cartesian_targets(rehearsed, pace="stepped") as arm:
        arm.move_by([0.0, 0.0, 0.02])
        control.step(300)
    assert arm.observation is not None
    assert (arm.observation.error, arm.observation.lost) == (None, 0)
    assert len(seen) == arm.cycle_count
    assert max(seen) > 0.01
    np.testing.assert_array_equal(plant.q, start_of("ur5"))
    with pytest.raises(InvalidOperationError, match="has ended"):
        arm.move_by([0.0, 0.0, 0.02])
