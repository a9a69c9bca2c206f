"""Braking profile, goal box and the robot's limits: numbers 12.3 of the specification."""

import numpy as np
import pytest
from control_rig import ARMS, READY

from kinegraph.robot.control import (
    FER,
    FR3,
    ArmTable,
    CartesianOptions,
    ImpedanceOptions,
    braking_speed,
    goal_box,
    robot_speed,
    speed_onsets,
)
from kinegraph.robot.control.ik import bounds_kernels
from kinegraph.robot.control.memory_layout import M_q
from kinegraph.robot.control.workspace import Workspace
from kinegraph.robot.errors import InvalidArgumentError

DT = 1e-3
MARGIN = 0.05

BRAKING = {
    ("fer", 0.01): (0.189898, 0.139116, 0.174166, 0.163681, 0.172015, 0.217891, 0.217891),
    ("fr3", 0.01): (0.158258, 0.102820, 0.131662, 0.112311, 0.330074, 0.132183, 0.330074),
    ("fer", 0.02): (0.324500, 0.235890, 0.289897, 0.283095, 0.300000, 0.372842, 0.372842),
    ("fr3", 0.02): (0.274456, 0.178682, 0.224264, 0.200000, 0.545824, 0.235235, 0.545824),
    ("fer", 0.15): (1.229706, 0.879352, 1.040967, 1.101785, 1.190292, 1.417060, 1.417060),
}
SHIFTED = [
    ("fer", 3, -1, 0.07, 1.96677e-4),
    ("fr3", 3, -1, 0.07, 1.39215e-4),
    ("fer", 5, 1, 0.06, 1.50639e-4),
    ("fr3", 5, 1, 0.06, 9.1788e-5),
]


def at_distance(arm: ArmTable, joint: int, side: int, distance: float) -> np.ndarray:
    """READY with one joint at a distance from a limit."""
    q = READY.copy()
    q[joint] = arm.lower[joint] + distance if side < 0 else arm.upper[joint] - distance
    return q


@pytest.mark.parametrize(("arm", "x"), BRAKING)
def test_braking_profile(arm: str, x: float) -> None:
    assert braking_speed(ARMS[arm], x) == pytest.approx(BRAKING[arm, x], abs=1e-6)


@pytest.mark.parametrize("x", [0.0, -0.1, float("nan")])
def test_no_distance_allows_no_speed(x: float) -> None:
    assert not braking_speed(FER, x).any()


def test_box_of_the_fer_is_its_flat_velocity() -> None:
    box = goal_box(FER, READY)
    expected = np.array([1.490302, 1.506052, 1.500802, 1.495552, 1.794802, 1.784302, 1.784302])
    assert box.upper == pytest.approx(1e-3 * expected, abs=6e-10)
    assert (box.lower == -box.upper).all()
    assert not box.position_lower.any()
    assert not box.position_upper.any()


def test_box_of_the_fr3_depends_on_the_position() -> None:
    box = goal_box(FR3, READY)
    lower = np.array([1.8333, 1.421681, 1.8333, 1.388412, 3.6813, 2.063771, 3.6813])
    upper = np.array([1.8333, 1.8333, 1.8333, 1.8333, 3.6813, 2.9253, 3.6813])
    assert box.lower == pytest.approx(-1e-3 * lower, abs=6e-10)
    assert box.upper == pytest.approx(1e-3 * upper, abs=6e-10)
    assert np.flatnonzero(box.position_lower).tolist() == [1, 3, 5]
    assert not box.position_upper.any()
    speeds = box.speed_lower[[1, 3, 5]]
    assert speeds == pytest.approx([-1.453465e-3, -1.431258e-3, -2.124539e-3], abs=6e-10)


@pytest.mark.parametrize(("arm", "joint", "side", "distance", "bound"), SHIFTED)
def test_box_near_a_limit(arm: str, joint: int, side: int, distance: float, bound: float) -> None:
    box = goal_box(ARMS[arm], at_distance(ARMS[arm], joint, side, distance))
    found = -box.lower[joint] if side < 0 else box.upper[joint]
    assert found == pytest.approx(bound, rel=1e-5)


@pytest.mark.parametrize("arm", ARMS)
def test_box_holds_zero_and_lets_nothing_move_into_the_margin(arm: str) -> None:
    table = ARMS[arm]
    for part in np.linspace(0.0, 1.0, 301):
        q = table.lower - 0.1 + part * (table.upper - table.lower + 0.2)
        box = goal_box(table, q)
        assert (box.lower <= 0.0).all()
        assert (box.upper >= 0.0).all()
        assert not box.lower[q - table.lower <= MARGIN].any()
        assert not box.upper[table.upper - q <= MARGIN].any()


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("upper", [False, True])
def test_a_goal_driven_along_its_box_reaches_the_margin_and_stays_out_of_it(
    arm: str, upper: bool
) -> None:
    table = ARMS[arm]
    q = READY.copy()
    packed, work = CartesianOptions().packed(table), Workspace()
    k, c = table.braking_slope, table.braking_onset
    for _ in range(20_000):
        work.write("q", q)
        bounds_kernels.goal_box(packed, work.memory, M_q)
        step = work.read("box_upper" if upper else "box_lower", 7)
        left = np.maximum((table.upper - q if upper else q - table.lower) - MARGIN, 0.0)
        braking = np.minimum(table.flat_velocity, np.sqrt(k * left + c * c) - c)
        assert (np.abs(step) <= 0.7 * braking * DT + 1e-15).all()
        q = q + step
        inside = (q - table.upper if upper else table.lower - q) + MARGIN
        assert inside.max() <= 1e-12
        if inside.min() > -1e-3:
            return
    raise AssertionError("never reached")


@pytest.mark.parametrize("arm", ARMS)
def test_a_step_brakes_by_where_it_ends_and_is_not_slower_than_that(arm: str) -> None:
    table = ARMS[arm]
    for joint in range(7):
        for x in np.linspace(1e-4, 0.3, 40):
            q = at_distance(table, joint, 1, MARGIN + x)
            box = goal_box(table, q)
            step = box.upper[joint]
            ends = 0.7 * braking_speed(table, x - step)[joint] * DT
            assert step <= ends + 1e-15
            if box.position_upper[joint]:
                assert step >= (1 - 0.0025) * ends


@pytest.mark.parametrize("distance", [0.2, 0.5, 1.0])
def test_the_fer_is_flat_bit_for_bit(distance: float) -> None:
    lower, upper = robot_speed(FER, FER.upper - distance)
    assert (lower == FER.flat_velocity).all()
    assert (upper == FER.flat_velocity).all()


def test_the_fr3_slows_toward_its_own_limits() -> None:
    d = 0.1
    lower, upper = robot_speed(FR3, np.array([2.9007 - d, 0.0, 0.0, -1.5, 0.0, 2.0, 0.0]))
    assert upper[0] == pytest.approx(np.sqrt(2 * 6.0 * d) - 0.6599 - 1e-3, abs=1e-12)
    assert lower[0] == 2.62 - 1e-3


@pytest.mark.parametrize("arm", ARMS)
def test_onset_and_start_stay_below_the_robots_limit_here_and_one_cycle_on(arm: str) -> None:
    table = ARMS[arm]
    for part in np.linspace(0.0, 1.0, 101):
        q = table.lower + part * (table.upper - table.lower)
        for upper in (False, True):
            start, onset = speed_onsets(table, q, upper)
            limit = robot_speed(table, q)[int(upper)]
            assert (onset <= 0.85 * limit + 1e-15).all()
            assert (start <= 0.7 * limit + 1e-15).all()
            assert (start >= 0.0).all()
            ahead = q + (1 if upper else -1) * onset * DT
            later = np.minimum(onset, speed_onsets(table, ahead, upper)[1])
            assert (later <= 0.85 * robot_speed(table, ahead)[int(upper)] + 1e-15).all()


@pytest.mark.parametrize("bad", [np.full(7, np.nan), np.zeros(6), np.zeros((7, 1))])
def test_configurations_that_are_none_are_refused(bad: np.ndarray) -> None:
    with pytest.raises(InvalidArgumentError, match="q:"):
        goal_box(FER, bad)
    with pytest.raises(InvalidArgumentError, match="q:"):
        robot_speed(FER, bad)


def test_margin_and_fraction_shape_the_box() -> None:
    options = ImpedanceOptions(joint_position_margin=0.1, joint_velocity_fraction=0.5)
    box = goal_box(FER, at_distance(FER, 0, 1, 0.1), options)
    assert box.upper[0] == pytest.approx(0.0, abs=1e-15)
    assert box.lower[0] == -0.5 * FER.flat_velocity[0] * DT
