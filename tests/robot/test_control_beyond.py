"""Where the reference is known to be weak: sliding along walls, fast budgets, out of reach."""

from dataclasses import replace

import numpy as np
import pytest
from control_rig import ARMS, HAND_LOAD, READY, PlantRig, Rig, moved_limits, target_row, turn

from kinegraph.robot.control import CARTESIAN, CartesianOptions, MotionLimits
from kinegraph.robot.control.cartesian_kernels import FINISHED

pytestmark = pytest.mark.compiled

TELEOP = CartesianOptions(
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=10.0,
    max_angular_deviation=10.0,
)
SLOW_JERK = replace(
    TELEOP, limits=MotionLimits(1.0, 8.0, 20.0), rotation_limits=MotionLimits(4.0, 20.0, 20.0)
)


def slide(options: CartesianOptions, axis: int) -> tuple[int, int, np.ndarray]:
    """Stop toward 2 cm into joint 4's wall and 2 cm along it.

    Returns the cycles until 19 mm along it, those until the end, and the goal's velocities.
    """
    rig = Rig("fer", "hand", options, moved_limits(ARMS["fer"], {3: READY[3] - 0.3}, {}))
    rig.cycle()
    behind = READY.copy()
    behind[3] -= 0.4
    rig.target = target_row(rig.fk(behind))
    rig.follow(4000)
    start = rig.fk(rig.q)
    normal = start[:3, 3] - rig.fk(rig.q + np.array([0, 0, 0, 1e-4, 0, 0, 0]))[:3, 3]
    target = start.copy()
    target[:3, 3] += 0.02 * normal / np.linalg.norm(normal) + (0.0, 0.02 * axis, 0.0)
    rig.target = target_row(target)
    before = len(rig.records)
    assert rig.follow(6000, stop=True) == FINISHED
    goals = rig.column("q_goal")[before:]
    along = np.array([(rig.fk(q)[1, 3] - start[1, 3]) * axis for q in goals])
    table = rig.table
    assert table is not None
    assert (goals >= table.lower + 0.05 - 1e-12).all()
    return int(np.argmax(along > 0.019)), len(goals), rig.column("dq_goal")[before:]


@pytest.mark.parametrize("axis", [1, -1])
def test_the_blocked_axes_do_not_slow_the_free_ones(axis: int) -> None:
    there, end, rates = slide(SLOW_JERK, axis)
    reference_there, reference_end, _ = slide(replace(SLOW_JERK, backend=CARTESIAN), axis)
    assert there <= 0.35 * reference_there
    assert end <= 0.5 * reference_end
    assert np.abs(np.diff(rates, axis=0)).max() < 0.05


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("joints", [(4, 6), (3, 6)])
@pytest.mark.parametrize("room", [0.0, 0.002, 0.03])
def test_a_turn_that_joints_are_in_the_way_of_keeps_no_tool_off_its_position(
    arm: str, joints: tuple[int, int], room: float
) -> None:
    limits = moved_limits(ARMS[arm], {}, {i: READY[i] + 0.05 + room for i in joints})
    quick = replace(TELEOP, rotation_limits=MotionLimits(2.5, 16.0, 500.0))
    rig = Rig(arm, "hand", quick, limits)
    rig.cycle()
    target = rig.fk(READY)
    target[:3, 3] += (0.02, 0.02, 0.0)
    target[:3, :3] = target[:3, :3] @ turn(0.0, 0.0, 0.4)
    rig.target = target_row(target)
    rig.follow(3000)
    assert np.linalg.norm(rig.fk(rig["q_goal"])[:3, 3] - target[:3, 3]) < 1e-3
    assert np.abs(np.diff(rig.column("dq_goal"), axis=0))[500:].max() < 0.05
    assert rig.follow(1000, stop=True) == FINISHED


def test_a_fast_budget_is_used_and_ends_on_the_target() -> None:
    arrivals = {}
    for name, options in (("default", TELEOP), ("reference", replace(TELEOP, backend=CARTESIAN))):
        rig = PlantRig("fer", "hand", options, load=HAND_LOAD.copy())
        rig.run(1)
        target = rig.fk(READY)
        target[0, 3] += 0.3
        rig.target = target_row(target)
        rig.run(2500)
        off = np.array([rig.fk(q)[:3, 3] for q in rig.measured]) - target[:3, 3]
        arrivals[name] = int(np.flatnonzero(np.linalg.norm(off, axis=1) > 1e-3)[-1])
        if name == "default":
            assert off[:, 0].max() < 1.5e-3
            assert not rig.column("leash_alteration").any()
    assert arrivals["default"] <= 850
    assert arrivals["reference"] > 1500


@pytest.mark.parametrize("shift", [(0.6, 0.0, 0.2), (0.5, 0.3, 0.1)])
def test_out_of_reach_the_arm_comes_to_rest(shift: tuple[float, float, float]) -> None:
    rig = PlantRig("fer", "hand", TELEOP, load=HAND_LOAD.copy())
    rig.run(1)
    target = rig.fk(READY)
    target[:3, 3] += shift
    rig.target = target_row(target)
    rig.run(8000)
    assert np.abs(rig.column("dq_goal")[-1000:]).max() < 5e-3
    assert np.abs(np.array(rig.speeds)[-1000:]).max() < 5e-3
    away = target[:3, 3] - rig.fk(rig.q)[:3, 3]
    assert np.linalg.norm(away) > 0.05
    rig.target = target_row(rig.fk(READY))
    rig.run(3000)
    assert np.linalg.norm(rig.fk(rig.q)[:3, 3] - rig.fk(READY)[:3, 3]) < 1e-3
