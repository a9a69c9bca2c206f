"""The workspace box and the cap on the springs, in stepped time."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from control_rig import HAND_LOAD, READY, PlantRig, Rig, target_row
from hypothesis import given, settings
from hypothesis import strategies as st
from tuned_rig import TunedRig

from kinegraph.robot.control import (
    CARTESIAN,
    CartesianOptions,
    ImpedanceOptions,
    MotionLimits,
    TuningUpdate,
    WorkspaceBox,
    impedance_torques,
)
from kinegraph.robot.control.arms import FER
from kinegraph.robot.control.guards.box_kernels import ROUNDING
from kinegraph.robot.control.moving_targets import moving
from kinegraph.robot.errors import InvalidArgumentError

pytestmark = pytest.mark.compiled

CENTRE = Rig().fk(READY)[:3, 3]
BOX = WorkspaceBox(CENTRE - np.array([0.06, 0.04, 0.05]), CENTRE + np.array([0.04, 0.05, np.inf]))
QUICK = CartesianOptions(
    limits=MotionLimits(0.6, 3.0, 80.0),
    backend=CARTESIAN,
    workspace=BOX,
    max_deviation=10.0,
    max_angular_deviation=10.0,
)


def aim(rig: Rig, shift: Any) -> None:
    """Set a target relative to the start, wherever that is; the setters would refuse some."""
    pose = rig.fk(READY)
    pose[:3, 3] += shift
    rig.target = target_row(pose)


def excess(rig: Rig) -> float:
    """How far the trajectory was outside the box."""
    p = rig.column("pose")[:, 12:15]
    return float(np.maximum(BOX.lower - p, p - BOX.upper).max())


def test_a_motion_that_would_pass_its_target_stops_at_the_border() -> None:
    free, kept = Rig(options=replace(QUICK, workspace=None)), Rig(options=QUICK)
    for rig in (free, kept):
        rig.cycle()
        aim(rig, [-0.06, 0.0, 0.0])
        rig.follow(1500)
        aim(rig, [0.04, 0.0, 0.0])
        rig.follow(330)
        # At the largest speed, with less way left than a stop takes.
        aim(rig, [0.039, 0.0, 0.0])
        rig.follow(1000)
    assert excess(free) <= ROUNDING  # that target is reached without passing it
    assert excess(kept) <= ROUNDING
    for rig in (free, kept):
        aim(rig, [-0.06, 0.0, 0.0])
        rig.follow(250)
        aim(rig, [-0.02, 0.0, 0.0])  # behind it by now
        rig.follow(20)
        aim(rig, [0.3, 0.3, -0.3])
        rig.follow(2000)
    assert excess(free) > 0.1
    assert excess(kept) <= ROUNDING
    # A target outside is led to where the box allows, exactly.
    np.testing.assert_allclose(
        kept["pose"][12:15], CENTRE + np.array([0.04, 0.05, -0.05]), rtol=0, atol=ROUNDING
    )


budgets = st.builds(MotionLimits, st.floats(0.05, 1.2), st.floats(0.1, 20.0), st.floats(1.0, 800.0))
moves = st.lists(
    st.tuples(st.tuples(*[st.floats(-0.3, 0.3)] * 3), budgets, st.integers(1, 200)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=30, deadline=None)
@given(moves)
def test_whatever_targets_and_budgets_come_the_trajectory_stays_in_its_box(
    sequence: list[tuple[tuple[float, ...], MotionLimits, int]],
) -> None:
    rig = TunedRig(options=QUICK)
    rig.cycle()
    for shift, limits, cycles in sequence:
        aim(rig, shift)
        rig.tuning.tune(TuningUpdate(limits=limits))
        assert rig.follow(cycles) == 0
    assert excess(rig) <= ROUNDING
    assert np.isfinite(np.array(rig.records)).all()


def test_an_arm_that_is_pushed_out_comes_back_and_a_stop_lands() -> None:
    rig = PlantRig(options=QUICK, load=HAND_LOAD)
    rig.run(1)
    aim(rig, [0.04, 0.0, 0.0])
    rig.run(600)
    inside = excess(rig)
    assert inside <= ROUNDING
    push = np.array([45.0, 0.0, 0.0])
    jacobian = rig.remembered("jacobian", 42).reshape(6, 7)
    rig.push = jacobian[:3].T @ push
    rig.run(350)
    assert excess(rig) > 1e-3  # the leash lets the arm take the trajectory along
    rig.push = np.zeros(7)
    rig.run(2000)
    assert rig["pose"][12] <= CENTRE[0] + 0.04 + ROUNDING
    assert rig.run(4000, stop=True) == 1


@pytest.mark.parametrize(
    ("lower", "upper", "says"),
    [
        ([0.0, 0.0], [1.0, 1.0], "three numbers"),
        ([0.0, 0.0, 1.0], [1.0, 1.0, 1.0], "no room"),
        ([0.0, 0.0, np.nan], [1.0, 1.0, 1.0], "no room"),
    ],
)
def test_a_box_without_room_is_refused(lower: list[float], upper: list[float], says: str) -> None:
    with pytest.raises(InvalidArgumentError, match=says):
        CartesianOptions(workspace=WorkspaceBox(lower, upper)).validate()


def test_positions_outside_are_named_with_axis_and_interval() -> None:
    box = WorkspaceBox([0.3, -0.2, 0.1], [0.6, 0.2, np.inf])
    assert box.contains([0.3, 0.2, 5.0])
    assert not box.contains([0.3, 0.2, 0.05])
    box.check("position", np.array([[0.4, 0.0, 0.2], [0.6 + 1e-10, 0.0, 0.2]]))
    with pytest.raises(InvalidArgumentError, match=r"row 1\): y = -0.3 m is outside .*\[-0.2, 0.2"):
        box.check("poses", np.array([[0.4, 0.0, 0.2], [0.4, -0.3, 0.2]]))


def springs(rig: Rig, q: np.ndarray, cap: float | None, **more: Any) -> np.ndarray:
    """Torques of the springs alone at READY, for a goal q."""
    jacobian = rig.remembered("jacobian", 42).reshape(6, 7)
    options = replace(CARTESIAN, max_spring_force=cap, **more)
    return impedance_torques(FER, READY, np.zeros(7), q, jacobian, options=options)


@pytest.mark.parametrize("projected", [False, True])
def test_the_force_of_the_springs_is_capped_and_keeps_its_direction(projected: bool) -> None:
    rig = Rig()
    rig.cycle()
    jacobian = rig.remembered("jacobian", 42).reshape(6, 7)
    to_wrench = np.linalg.pinv(jacobian.T)
    rng = np.random.default_rng(5)
    for size in (0.001, 0.01, 0.05):
        for _ in range(20):
            goal = READY + size * rng.standard_normal(7)
            free = springs(rig, goal, None, project_joint_gains=projected)
            capped = springs(rig, goal, 12.0, project_joint_gains=projected)
            force = np.linalg.norm((to_wrench @ free)[:3])
            if projected:  # the projection is damped: its springs have a little left at the tool
                error = jacobian @ (goal - READY)
                force = np.linalg.norm(
                    error[:3] * np.asarray(CARTESIAN.gains.cartesian_stiffness[:3])
                )
            scale = min(1.0, 12.0 / force)
            np.testing.assert_allclose(capped, scale * free, rtol=1e-6, atol=1e-9)
            if scale == 1.0:
                np.testing.assert_array_equal(capped, free)


def test_an_arm_that_is_held_is_pressed_no_harder_than_the_cap() -> None:
    forces = {}
    for cap in (None, 8.0):
        law = ImpedanceOptions(integral=None, friction=None, max_spring_force=cap)
        rig = Rig(options=CartesianOptions(backend=law))
        rig.cycle()
        aim(rig, [0.1, 0.0, 0.0])
        for _ in range(1500):
            assert rig.cycle() == 0
        jacobian = rig.remembered("jacobian", 42).reshape(6, 7)
        forces[cap] = float(np.linalg.norm((np.linalg.pinv(jacobian.T) @ rig["tau"])[:3]))
    assert forces[None] > 18.0
    assert forces[8.0] == pytest.approx(8.0, rel=0.02)


@pytest.mark.parametrize("cap", [0.0, -1.0, np.nan, "much"])
def test_a_cap_that_is_no_force_is_refused(cap: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="max_spring_force"):
        ImpedanceOptions(max_spring_force=cap).validate()


moving_moves = st.lists(
    st.tuples(
        st.tuples(*[st.floats(-0.3, 0.3)] * 3),
        st.tuples(*[st.floats(-0.8, 0.8)] * 3),
        st.floats(0.0, 0.2),
        st.integers(1, 200),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=25, deadline=None)
@given(moving_moves)
def test_targets_that_move_are_followed_no_further_than_the_border(
    sequence: list[tuple[tuple[float, ...], tuple[float, ...], float, int]],
) -> None:
    rig = Rig(options=QUICK)
    rig.cycle()
    for shift, velocity, horizon, cycles in sequence:
        aim(rig, shift)
        rig.target = moving(rig.target[:7], np.array([*velocity, 0.0, 0.0, 0.0]), horizon)
        assert rig.follow(cycles) == 0
    assert excess(rig) <= ROUNDING
