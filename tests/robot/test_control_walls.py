"""Stall, walls, restart and landing as units: numbers A-P4, A-P5, A-P14 of the specification."""

import math

import numpy as np
import pytest
from control_rig import READY, chain_of

from kinegraph.robot.control import FER, CartesianOptions, TrajectoryGenerator
from kinegraph.robot.control.ik.stall_kernels import press, update_flag, withhold
from kinegraph.robot.control.table_layout import MAX_JOINTS
from kinegraph.robot.control.walls.landing_kernels import not_blocked, update_blocked
from kinegraph.robot.control.walls.restart_kernels import (
    limit_to_went,
    needs_restart,
    rest_on_wall,
    restart,
    restart_block,
)
from kinegraph.robot.control.walls.wall_kernels import clear_walls, update_walls
from kinegraph.robot.control.workspace import Workspace

PACKED = CartesianOptions().packed(FER)


def pressed(work: Workspace, pressure: float) -> bool:
    """The flag after a cycle with a pressure."""
    work.write("stall_pressure", pressure)
    update_flag(work.memory)
    return bool(work.number("stalled"))


def test_the_flag_is_set_above_its_threshold_only() -> None:
    work = Workspace()
    assert not pressed(work, 2e-5)
    assert pressed(work, 2.01e-5)


def test_a_small_pressure_keeps_the_flag() -> None:
    work = Workspace()
    pressed(work, 3e-5)
    assert all(pressed(work, 2e-12) for _ in range(1000))


def test_twenty_quiet_cycles_clear_the_flag() -> None:
    work = Workspace()
    pressed(work, 3e-5)
    assert all(pressed(work, 0.0) for _ in range(19))
    assert not pressed(work, 0.0)


def test_a_pressure_now_and_then_does_not_keep_the_flag() -> None:
    work = Workspace()
    pressed(work, 3e-5)
    flags = [pressed(work, 1e-6 if k % 4 == 3 else 1e-12) for k in range(40)]
    assert flags.index(False) == 25  # 20 quiet ones of the last 40


def test_new_pressure_starts_the_count_again() -> None:
    work = Workspace()
    pressed(work, 3e-5)
    for _ in range(19):
        pressed(work, 0.0)
    pressed(work, 3e-5)
    assert all(pressed(work, 0.0) for _ in range(19))
    assert not pressed(work, 0.0)


def two_pins(residual: float = 1e-4, free: bool = False) -> Workspace:
    """Joint 1 (20 on x) on its velocity bound, joint 2 (1 on x) on its position bound."""
    work = Workspace()
    columns = np.zeros((MAX_JOINTS, 6))
    columns[0, 0], columns[1, 0] = 20.0, 1.0
    if free:
        columns[2, 0] = 1.0
    work.write("columns", columns)
    work.write("error", [residual, 0, 0, 0, 0, 0])
    work.write("pinned", [2, 1, 0, 0, 0, 0, 0])
    press(work.memory, 7)
    withhold(PACKED, work.memory, 7)
    return work


def test_pressure_is_the_residual_along_unit_columns() -> None:
    work = two_pins()
    assert work.number("velocity_pressure") == pytest.approx(1e-4, rel=1e-12)
    assert work.number("stall_pressure") == pytest.approx(1e-4, rel=1e-12)
    update_flag(work.memory)
    assert work.number("stalled") == 1.0


def test_a_velocity_pin_alone_never_stalls() -> None:
    work = Workspace()
    columns = np.zeros((MAX_JOINTS, 6))
    columns[0, 0] = 20.0
    work.write("columns", columns)
    work.write("error", [1e-2, 0, 0, 0, 0, 0])
    work.write("pinned", [2, 0, 0, 0, 0, 0, 0])
    press(work.memory, 7)
    assert work.number("velocity_pressure") == pytest.approx(1e-2)
    assert work.number("stall_pressure") == 0.0


@pytest.mark.parametrize("residual", [1e-4, 1e-10])
def test_a_withheld_motion_makes_a_wall_of_its_block(residual: float) -> None:
    work = two_pins(residual)
    assert work.read("withheld").tolist() == [1.0, 0.0]
    assert work.read("withheld_normal", 3) == pytest.approx([1, 0, 0], abs=1e-12)
    assert np.flatnonzero(work.read("withheld_joints")).tolist() == [1]


def test_a_free_joint_along_the_wall_takes_it_away_but_not_the_pressure() -> None:
    work = two_pins(free=True)
    assert not work.read("withheld").any()
    assert work.number("stall_pressure") == pytest.approx(1e-4, rel=1e-12)


def test_an_orientation_error_does_not_hide_what_the_position_pushes() -> None:
    work = Workspace()
    columns = np.zeros((MAX_JOINTS, 6))
    columns[0, [0, 3]] = 1.0
    work.write("columns", columns)
    work.write("error", [1e-3, 0, 0, -1e-3, 0, 0])
    work.write("pinned", [1, 0, 0, 0, 0, 0, 0])
    press(work.memory, 7)
    assert work.number("stall_pressure") == pytest.approx(1e-3, rel=1e-12)
    assert work.read("pushed") == pytest.approx([1e-3, 0, 0, 0, 0, 0], abs=1e-15)


@pytest.mark.parametrize("length", [0.0, 1e-17, 1e-12])
def test_a_joint_that_turns_the_tool_on_the_spot_pushes_no_position(length: float) -> None:
    # The last joint with a tool on its axis: what its position rows have is rounding, no direction.
    work = Workspace()
    columns = np.zeros((MAX_JOINTS, 6))
    columns[6, [0, 5]] = length, 0.1
    work.write("columns", columns)
    work.write("error", [1e-3, 0, 0, 0, 0, 1e-6])
    work.write("pinned", [0, 0, 0, 0, 0, 0, 1])
    press(work.memory, 7)
    assert work.number("stall_pressure") == pytest.approx(1e-6, rel=1e-6)
    assert work.read("pushed") == pytest.approx([0, 0, 0, 0, 0, 1e-6], abs=1e-13)


def test_a_wall_lives_for_twenty_cycles_after_it_was_last_pushed() -> None:
    work = Workspace()
    clear_walls(work.memory)
    work.write("withheld", [1.0, 0.0])
    work.write("withheld_normal", [0, 1, 0])
    update_walls(work.memory)
    work.write("withheld", [0.0, 0.0])
    ages = []
    for _ in range(22):
        ages.append(work.read("wall_age").tolist())
        assert work.number("held") == float(ages[-1][0] >= 0)
        update_walls(work.memory)
    assert [age[0] for age in ages] == [*range(21), -1]
    assert {age[1] for age in ages} == {-1}


def block(**values: object) -> Workspace:
    """A block's restart, its numbers by name; held by default, cut 1."""
    work = Workspace()
    clear_walls(work.memory)
    numbers = {"cut": 1.0, "held": 1.0} | values
    for name, value in numbers.items():
        work.write(name, value)  # type: ignore[arg-type]
    cut = work.number("cut")
    work.write("planned", cut * work.read("plan"))
    work.write("v_block", cut * work.read("v_block"))
    return work


def test_into_a_wall_nothing_is_kept_and_along_it_all() -> None:
    work = block(
        plan=[1e-3, 1e-3, 0],
        went=[1e-3, 0, 0],
        v_block=[0.7, 0.7, 0],
        a_block=[2.0, 2.0, 0],
        wall_normal=[0, 1, 0],
        wall_age=[0, -1],
    )
    share = restart_block(work.memory, 0, False, 0.0)
    assert share == pytest.approx(0.5, abs=1e-12)
    assert work.read("v_block") == pytest.approx([0.7, 0, 0], abs=1e-12)
    assert work.read("a_block") == pytest.approx([2.0, 0, 0], abs=1e-12)


def test_a_cut_scales_the_velocity_and_drops_driving_accelerations() -> None:
    work = block(
        held=0.0,
        cut=0.8,
        plan=[1e-3, 0, 0],
        went=[0.8e-3, 0, 0],
        v_block=[0.7, -0.1, 0.1],
        a_block=[2.0, 2.0, -1.0],
    )
    assert restart_block(work.memory, 0, False, 0.0) == pytest.approx(1.0, abs=1e-12)
    assert work.read("v_block") == pytest.approx([0.56, -0.08, 0.08], abs=1e-12)
    assert work.read("a_block") == pytest.approx([0, 2.0, -1.0], abs=1e-12)


def test_a_velocity_pin_scales_the_velocity_by_what_went() -> None:
    work = block(
        held=0.0, plan=[1e-3, 0, 0], went=[0.5e-3, 0, 0], v_block=[0.7, 0, 0], a_block=[2.0, 0, 0]
    )
    assert restart_block(work.memory, 0, True, 0.0) == pytest.approx(0.5, abs=1e-12)
    assert work.read("v_block") == pytest.approx([0.35, 0, 0], abs=1e-12)
    assert work.read("a_block") == pytest.approx([0, 0, 0], abs=1e-12)


def test_held_without_a_wall_the_generator_keeps_a_cycle_of_its_acceleration() -> None:
    work = block(plan=[1e-4, 0, 0], went=[0.5e-4, 0, 0], v_block=[0.1, 0, 0], a_block=[1.0, 0, 0])
    restart_block(work.memory, 0, False, 0.0)
    assert work.read("v_block") == pytest.approx([0.051, 0, 0], abs=1e-12)
    assert work.read("a_block") == pytest.approx([1.0, 0, 0], abs=1e-12)


def test_a_joint_that_rests_on_its_margin_stops_the_motion_into_the_wall() -> None:
    work = block(
        plan=[1e-4, 0, 0],
        went=[0.5e-4, 0, 0],
        v_block=[0.1, 0, 0],
        a_block=[1.0, 0, 0],
        wall_normal=[1, 0, 0],
        wall_age=[0, -1],
    )
    restart_block(work.memory, 0, False, 1.0)
    assert work.read("v_block") == pytest.approx([0, 0, 0], abs=1e-12)
    assert work.read("a_block") == pytest.approx([0, 0, 0], abs=1e-12)


def test_motion_out_of_a_wall_is_untouched() -> None:
    work = block(
        plan=[-1e-3, 0, 0],
        went=[-0.9e-3, 0, 0],
        v_block=[-0.7, 0, 0],
        a_block=[-2.0, 0, 0],
        wall_normal=[1, 0, 0],
        wall_age=[0, -1],
    )
    restart_block(work.memory, 0, False, 1.0)
    assert work.read("v_block") == pytest.approx([-0.7, 0, 0], abs=1e-12)
    assert work.read("a_block") == pytest.approx([-2.0, 0, 0], abs=1e-12)


def test_a_goal_that_went_nowhere_leaves_one_cycle_of_acceleration() -> None:
    work = block(went=[0, 0, 0], v_block=[0.1, 0, 0], a_block=[3.0, 4.0, 0])
    limit_to_went(work.memory)
    assert work.read("v_block") == pytest.approx([5e-3, 0, 0], abs=1e-15)


def test_rest_is_full_on_the_margin_and_none_a_hundredth_of_a_milliradian_off() -> None:
    work = Workspace()
    joints = np.zeros(2 * MAX_JOINTS)
    joints[3] = -1.0
    work.write("wall_joints", joints)
    for x, rest in ((0.0, 1.0), (5e-6, 0.5), (1e-5, 0.0), (0.1, 0.0)):
        q = READY.copy()
        q[3] = FER.lower[3] + 0.05 + x
        work.write("goal", q)
        assert rest_on_wall(PACKED, work.memory, 0) == pytest.approx(rest, abs=1e-9)
    assert rest_on_wall(PACKED, work.memory, 1) == 0.0


def restarted(lag: float) -> Workspace:
    """A restart after a step of the goal, with the desired pose `lag` ahead of it on x."""
    chain, work = chain_of("fer", "hand"), Workspace()
    clear_walls(work.memory)
    before, now = chain.pose(READY), chain.pose(READY)
    before[0, 3] -= 1e-4
    desired_before = np.concatenate([before[:3, 3], before[:3, :3].ravel()])
    desired_before[0] += lag
    generator = work.read("generator")
    generator[0:3] = desired_before[:3]
    generator[0] += 2e-4
    generator[9] = 0.2
    for name, value in (
        ("goal", READY),
        ("goal_pose", now),
        ("from_pose", before),
        ("anchor", desired_before),
        ("generator", generator),
        ("cut", 1.0),
        ("pinned", [2, 0, 0, 0, 0, 0, 0]),
    ):
        work.write(name, np.asarray(value, dtype=float))
    assert needs_restart(PACKED, work.memory)
    restart(PACKED, work.memory)
    return work


def test_the_lag_behind_the_desired_pose_is_kept_over_a_restart() -> None:
    work = restarted(1e-5)
    out = chain_of("fer", "hand").pose(READY)[:3, 3]
    assert work.read("reference", 3) - out == pytest.approx([1e-5, 0, 0], abs=1e-12)
    assert work.read("restart_velocity", 3) == pytest.approx([0.1, 0, 0], abs=1e-9)
    assert work.number("cap_scale") == pytest.approx(0.5, abs=1e-9)
    assert work.number("restart") == 1.0


def landing(**values: object) -> Workspace:
    """A goal held against a wall on x, its target behind it, the rest landed."""
    work = Workspace()
    clear_walls(work.memory)
    not_blocked(work.memory)
    numbers = {
        "held": 1.0,
        "wall_age": [3.0, -1.0],
        "wall_normal": [1, 0, 0],
        "out": np.concatenate([[0.5, 0, 0.5], np.eye(3).ravel()]),
        "target": [0.52, 0, 0.5, 0, 0, 0, 1],
        "target_rotation": np.eye(3).ravel(),
    } | values
    for name, value in numbers.items():
        work.write(name, np.asarray(value, dtype=float))
    return work


def blocked_after(work: Workspace, cycles: int) -> bool:
    """Whether it may land after so many restarted cycles."""
    for _ in range(cycles):
        update_blocked(PACKED, work.memory)
    return bool(work.number("blocked"))


def test_a_goal_that_stands_at_its_wall_for_the_dwell_may_land() -> None:
    work = landing()
    assert not blocked_after(work, 102)
    assert blocked_after(work, 1)


@pytest.mark.parametrize(
    "values",
    [
        {"held": 0.0},
        {"restart_velocity": [2e-3, 0, 0, 0, 0, 0]},
        {"wall_age": [-1.0, -1.0]},
        {"target": [0.48, 0, 0.5, 0, 0, 0, 1]},
        {"target_rotation": np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]).ravel()},
    ],
    ids=["not held", "still moving", "no wall", "target on this side", "turn left to do"],
)
def test_other_goals_may_not_land(values: dict[str, object]) -> None:
    assert not blocked_after(landing(**values), 300)


def test_progress_or_a_new_target_starts_the_dwell_again() -> None:
    work = landing()
    blocked_after(work, 90)
    work.write("target_changed", 1.0)
    update_blocked(PACKED, work.memory)
    work.write("target_changed", 0.0)
    assert not blocked_after(work, 101)
    assert blocked_after(work, 1)
    out = work.read("out")
    out[0] += 1.5e-3
    work.write("out", out)
    assert not blocked_after(work, 1)
    assert not blocked_after(work, 101)
    assert blocked_after(work, 1)


def test_a_dwell_covers_more_than_the_tolerance_from_rest() -> None:
    # The dwell is reckoned with the default jerk alone.
    generator = TrajectoryGenerator([100.0, 100.0, 20.0 / math.sqrt(3)])
    generator.set_target([1.0])
    for _ in range(102):
        generator.step()
    assert 1.5e-3 < generator.position[0] < 3e-3
