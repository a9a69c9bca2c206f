"""The controller on a rigid-body plant: numbers 12.8 of the controller's specification."""

from dataclasses import replace

import numpy as np
import pytest
from control_rig import ARMS, HAND_LOAD, READY, PlantRig, moved_limits, target_row, turn

from kinegraph.robot.control import (
    CARTESIAN,
    CartesianOptions,
    MotionLimits,
    braking_speed,
    robot_speed,
)
from kinegraph.robot.control.cartesian_kernels import FINISHED

pytestmark = pytest.mark.compiled

REFERENCE = CartesianOptions(backend=CARTESIAN)
TELEOP = CartesianOptions(
    backend=CARTESIAN,
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=10.0,
    max_angular_deviation=10.0,
)


def plant(arm: str = "fer", options: CartesianOptions = REFERENCE, **more: object) -> PlantRig:
    """A plant with the hand's load, anchored."""
    rig = PlantRig(arm, "hand", options, load=HAND_LOAD.copy(), **more)  # type: ignore[arg-type]
    rig.run(1)
    return rig


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two rotations."""
    r = a[:3, :3] @ b[:3, :3].T
    return float(np.arccos(np.clip((np.trace(r) - 1) / 2, -1, 1)))


@pytest.mark.parametrize("arm", ARMS)
def test_nothing_moves_at_first(arm: str) -> None:
    rig = plant(arm)
    rig.run(500)
    assert np.abs(np.array(rig.measured) - READY).max() < 1e-9
    assert np.abs(np.array(rig.sent)).max() < 1e-9


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize(("feedforward", "most"), [(False, 0.0145), (True, 0.0060)])
def test_five_centimetres_land_without_clamp_or_rate_limit(
    arm: str, feedforward: bool, most: float
) -> None:
    options = replace(
        CartesianOptions(), backend=replace(CARTESIAN, velocity_feedforward=feedforward)
    )
    rig = plant(arm, options)
    target = rig.fk(READY)
    target[0, 3] += 0.05
    rig.target = target_row(target)
    rig.run(3000)
    assert np.linalg.norm(rig.fk(rig.q)[:3, 3] - target[:3, 3]) < 1e-5
    assert rig.run(1000, stop=True) == FINISHED
    assert rig.column("ik_error").max() < 1e-3
    assert rig.rate_hits == 0
    assert np.abs(np.array(rig.sent)).max() < 15.0
    desired = rig.column("pose")[:, 12:15]
    actual = np.array([rig.fk(q)[:3, 3] for q in rig.measured])
    assert np.linalg.norm(desired[1:] - actual[:-1], axis=1).max() < most
    assert not rig.column("leash_alteration").any()


def test_friction_leaves_millimetres_not_centimetres() -> None:
    rig = plant("fr3", coulomb=np.full(7, 0.2), stick_speed=0.02)
    target = rig.fk(READY)
    target[0, 3] += 0.05
    rig.target = target_row(target)
    assert rig.run(6000, stop=True) == FINISHED
    assert np.linalg.norm(rig.fk(rig.q)[:3, 3] - target[:3, 3]) < 5e-3


def test_a_rotation_about_two_axes() -> None:
    rig = plant()
    start = rig.fk(READY)
    target = start.copy()
    target[:3, :3] = turn(np.deg2rad(10), 0, 0) @ start[:3, :3] @ turn(0, 0, np.deg2rad(20))
    rig.target = target_row(target)
    assert rig.run(4000, stop=True) == FINISHED
    reached = rig.fk(rig.q)
    assert angle(reached, target) < 1e-2
    drift = max(np.linalg.norm(rig.fk(q)[:3, 3] - start[:3, 3]) for q in rig.measured)
    assert drift < 5e-3


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("feedforward", [False, True])
def test_a_fold_at_teleoperation_speed_keeps_off_the_limits(arm: str, feedforward: bool) -> None:
    table = moved_limits(ARMS[arm], {3: READY[3] - 0.3}, {})
    options = replace(TELEOP, backend=replace(CARTESIAN, velocity_feedforward=feedforward))
    rig = PlantRig(arm, "hand", options, table, load=HAND_LOAD.copy())
    rig.run(1)
    behind = READY.copy()
    behind[3] -= 0.4
    rig.target = target_row(rig.fk(behind))
    rig.run(1500)
    q, dq = np.array(rig.measured), np.array(rig.speeds)
    assert (q - table.lower).min() >= 0.020
    assert (table.upper - q).min() >= 0.020
    assert (rig.column("q_goal") >= table.lower + 0.05 - 1e-12).all()
    for position, speed in zip(q[::5], dq[::5], strict=True):
        lower, upper = robot_speed(table, position)
        down = np.minimum(lower, braking_speed(table, position - table.lower))
        up = np.minimum(upper, braking_speed(table, table.upper - position))
        assert (speed >= -down).all()
        assert (speed <= up).all()
    flips = np.sign(np.diff(rig.column("stalled").astype(float)))
    assert np.count_nonzero(flips) <= 1


def test_a_push_is_answered_by_the_stiffness_and_let_go() -> None:
    rig = plant()
    rig.run(50)
    start = rig.fk(READY)[:3, 3]
    j = rig.chain.pose_and_jacobian(READY)[1]
    rig.push = j.T @ np.array([0, 10.0, 0, 0, 0, 0])
    rig.run(1500)
    pushed = rig.fk(rig.q)[:3, 3] - start
    assert pushed[1] == pytest.approx(10.0 / 973, rel=0.1)
    rig.push = np.zeros(7)
    rig.run(1500)
    assert np.linalg.norm(rig.fk(rig.q)[:3, 3] - start) < 2e-4


def test_the_way_back_from_a_margin_is_as_quick_as_from_rest_on_the_plant() -> None:
    table = moved_limits(ARMS["fer"], {3: READY[3] - 0.3}, {})
    rig = PlantRig("fer", "hand", TELEOP, table, load=HAND_LOAD.copy())
    rig.run(1)
    behind = READY.copy()
    behind[3] -= 0.4
    rig.target = target_row(rig.fk(behind))
    rig.run(4000)
    begin = rig.q.copy()
    fresh = PlantRig("fer", "hand", TELEOP, table, begin, load=HAND_LOAD.copy())
    fresh.run(1)
    left = []
    for one in (rig, fresh):
        one.target = target_row(one.fk(READY))
        cycles = 0
        while one.q[3] - begin[3] < 0.02:
            one.run(1)
            cycles += 1
            assert cycles < 600
        left.append(cycles)
    assert left[0] <= left[1] + 5


@pytest.mark.parametrize("rate", [0.1, 0.25])
def test_joint_two_driven_into_its_margin_stays_near_it(rate: float) -> None:
    upper = {1: READY[1] + 0.2, 4: READY[4] + 0.05, 6: READY[6] + 0.05}
    table = moved_limits(ARMS["fer"], {}, upper)
    options = replace(TELEOP, max_deviation=10.0)
    rig = PlantRig("fer", "hand", options, table, load=HAND_LOAD.copy())
    rig.run(1)
    goal = READY.copy()
    for k in range(int(0.3 / rate * 1000)):
        goal[1] = READY[1] + rate * k * 1e-3
        rig.target = target_row(rig.fk(goal))
        rig.run(1)
    rig.run(1500)
    q = np.array(rig.measured)
    assert q[:, 1].max() <= table.upper[1] - 0.05 + 0.020
    assert np.abs(np.diff(q[-1000:, [0, 2]], axis=0).sum(axis=0)).max() <= 0.15
    spread = np.ptp(np.array(rig.sent)[-500:], axis=0)
    assert spread.max() < 0.25
