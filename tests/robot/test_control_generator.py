"""The trajectory generator: section 5 and numbers 12.1 of the controller's specification."""

import math

import numba
import numpy as np
import pytest
from generator_twin import duration, fastest, integrate, transfer
from generator_twin import step as twin_step
from hypothesis import given, settings
from hypothesis import strategies as st

from kinegraph.robot.control import TrajectoryGenerator
from kinegraph.robot.control.generator.axes_kernels import generator_step
from kinegraph.robot.control.generator.generator_layout import (
    G_acceleration,
    G_position,
    G_target,
    G_velocity,
)
from kinegraph.robot.control.table_layout import CYCLE_TIME
from kinegraph.robot.errors import InvalidArgumentError

LIMITS = np.array([0.3, 0.5, 20.0])

# Peaks are found to 1e-10 of the velocity limit; at 20 m/s^3 that is this much acceleration.
PEAK_REST = 1e-8

# Cycle: position, velocity, acceleration of 5 cm from rest (A-G1).
GOLDEN = {
    1: (3.333333333e-9, 1e-5, 0.02),
    10: (3.333333333e-6, 1.0e-3, 0.2),
    25: (5.208333333e-5, 6.25e-3, 0.5),
    100: (1.927083333e-3, 4.375e-2, 0.5),
    200: (8.802083333e-3, 9.375e-2, 0.5),
    329: (2.500384186e-2, 1.519873549e-1, -5.0554933e-4),
    400: (3.492562165e-2, 1.227247225e-1, -0.5),
    500: (4.469809390e-2, 7.272472253e-2, -0.5),
    600: (4.947056615e-2, 2.272472253e-2, -0.5),
    650: (4.999832549e-2, 6.319366978e-4, -1.589889055e-1),
}
REDIRECTED = {
    300: (2.067708333e-2, 1.4375e-1, 0.5),
    400: (3.463541667e-2, 1.1875e-1, -0.5),
    1000: (1.588541667e-2, -1.8125e-1, -0.5),
    1500: (-8.691589985e-2, -1.143288211e-1, 0.5),
}


def state(generator: TrajectoryGenerator) -> tuple[float, float, float]:
    """State of the first axis."""
    return (
        float(generator.position[0]),
        float(generator.velocity[0]),
        float(generator.acceleration[0]),
    )


def cycles_to_land(generator: TrajectoryGenerator, most: int = 5000) -> int:
    """Cycles until every axis has landed."""
    for cycle in range(1, most):
        generator.step()
        if generator.landed:
            return cycle
    raise AssertionError("never landed")


def test_five_centimetres_pass_the_golden_states_and_land_exactly() -> None:
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([0.05])
    peak = 0.0
    for cycle in range(1, 660):
        generator.step()
        peak = max(peak, generator.velocity[0])
        if cycle in GOLDEN:
            assert state(generator) == pytest.approx(GOLDEN[cycle], rel=1e-8, abs=PEAK_REST)
        assert generator.landed == (cycle == 659)
    assert state(generator) == (0.05, 0.0, 0.0)
    assert peak == pytest.approx(0.152, abs=0.005)


def test_a_landed_axis_stays_bit_for_bit() -> None:
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([0.05])
    cycles_to_land(generator)
    for _ in range(1000):
        generator.step()
        assert state(generator) == (0.05, 0.0, 0.0)


def test_a_third_of_the_norm_per_axis_takes_858_cycles() -> None:
    generator = TrajectoryGenerator(LIMITS / math.sqrt(3))
    generator.set_target([0.05])
    assert cycles_to_land(generator) == 858


def test_a_new_target_on_the_way_is_planned_from_the_present_state() -> None:
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([0.1])
    for cycle in range(1, 1743):
        if cycle == 301:
            generator.set_target([-0.1])
        generator.step()
        if cycle in REDIRECTED:
            assert state(generator) == pytest.approx(REDIRECTED[cycle], rel=1e-8, abs=PEAK_REST)
    assert state(generator) == (-0.1, 0.0, 0.0)


def test_synchronised_axes_arrive_within_one_cycle() -> None:
    generator = TrajectoryGenerator(np.tile(LIMITS, (3, 1)))
    target = np.array([0.05, -0.01, 0.002])
    generator.set_target(target)
    arrivals = np.zeros(3, int)
    for cycle in range(1, 661):
        generator.step()
        arrived = generator.position == target
        arrivals[arrived & (arrivals == 0)] = cycle
    assert arrivals.tolist() == [659, 659, 659]


def test_a_metre_takes_the_closed_form_time_and_reaches_full_speed() -> None:
    v, a, j = LIMITS
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([1.0])
    peak, cycles = 0.0, 0
    while not generator.landed:
        generator.step()
        cycles += 1
        peak = max(peak, float(generator.velocity[0]))
    assert cycles * CYCLE_TIME == pytest.approx(1.0 / v + v / a + a / j, rel=0.01)
    assert peak > 0.3 - 1e-6


def test_a_target_inside_the_braking_distance_is_passed_and_returned_to() -> None:
    v, a, j = LIMITS
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([1.0])
    for _ in range(1500):
        generator.step()
    start = float(generator.position[0])
    generator.set_target([start + 1e-3])
    stop = start + 0.5 * v * (v / a + a / j)
    furthest = start
    cycles = 0
    while not generator.landed:
        generator.step()
        cycles += 1
        furthest = max(furthest, float(generator.position[0]))
        assert abs(generator.velocity[0]) <= v + 1e-9
        assert abs(generator.acceleration[0]) <= a + 1e-9
        assert cycles < 3000
    assert start + 1e-3 + 0.01 < furthest <= stop + 1e-6


def stop_point(p: float, v: float, a: float, am: float, jm: float) -> float:
    """Where the axis comes to rest at the soonest."""
    return p + integrate(0.0, v, a, transfer(v, a, 0.0, am, jm))[0]


@numba.njit(nogil=True)
def run_axes(
    block: np.ndarray, axes: int, targets: np.ndarray, times: np.ndarray, out: np.ndarray
) -> None:
    """Positions, velocities and accelerations of a generator's block, a row per step."""
    for k in range(times.shape[0]):
        for i in range(axes):
            block[G_target + i] = targets[k, i]
        generator_step(block, 0, axes, times[k])
        for i in range(axes):
            out[k, 0, i] = block[G_position + i]
            out[k, 1, i] = block[G_velocity + i]
            out[k, 2, i] = block[G_acceleration + i]


BURST, LONGEST_HOLD = 20, 3000


def sequence(
    rng: np.random.Generator, axes: int, every_third: bool, long_cycle: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Limits, targets, times and states of a burst of targets 5 ms apart and a hold to 3 s."""
    limits = LIMITS * (10.0 ** rng.uniform(-0.5, 0.7, 3) if every_third else 1.0)
    hold = int(rng.integers(50, LONGEST_HOLD))
    targets = np.repeat(rng.uniform(-0.2, 0.2, (BURST, axes)), 5, axis=0)
    targets = np.concatenate([targets, np.broadcast_to(targets[-1], (hold, axes))])
    times = np.full(len(targets), CYCLE_TIME)
    if long_cycle:
        times[6::7] = 2.0 * CYCLE_TIME
    generator = TrajectoryGenerator(np.tile(limits, (axes, 1)))
    # It is under way when the burst comes.
    speed, ramp = rng.uniform(-1.0, 1.0, (2, axes))
    top = limits[0] - 0.5 * (ramp * limits[1]) ** 2 / limits[2]
    generator.set_state(
        rng.uniform(-0.2, 0.2, axes), speed * np.maximum(top, 0.0), ramp * limits[1] * (top > 0.0)
    )
    states = np.empty((len(times) + 1, 3, axes))
    states[0] = generator.position, generator.velocity, generator.acceleration
    run_axes(generator._block, axes, targets, times, states[1:])
    return limits, targets, times, states


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("count", "axes", "long_cycle"),
    [(2000, 1, False), (300, 1, True), (300, 3, False)],
    ids=["one axis", "every seventh cycle 2 ms", "three axes"],
)
def test_random_sequences_keep_every_limit_and_are_met_in_time(
    count: int, axes: int, long_cycle: bool
) -> None:
    rng = np.random.default_rng(5)
    met = 0
    for number in range(count):
        limits, targets, times, states = sequence(rng, axes, number % 3 == 2, long_cycle)
        v, a, j = limits
        assert np.abs(states[:, 1]).max() <= v + 1e-9
        assert np.abs(states[:, 2]).max() <= a + 1e-9
        jerk = np.diff(states[:, 2], axis=0) / times[:, None]
        assert np.abs(jerk).max() <= j * (1 + 1e-9) + 1e-6
        if axes == 1:
            met += check_last_target(limits, targets[-1, 0], times, states[:, :, 0])
    if axes == 1:
        assert met > count / 4


def check_last_target(
    limits: np.ndarray, target: float, times: np.ndarray, states: np.ndarray
) -> bool:
    """Check that a target which can be stopped at is not passed; whether it was held until met."""
    begin = 5 * (BURST - 1)
    p, velocity, acceleration = (float(value) for value in states[begin])
    _, a, j = limits
    stop = stop_point(p, velocity, acceleration, a, j)
    ahead = math.copysign(1.0, target - stop)
    if ahead * (p - target) <= 0.0:
        assert (ahead * (states[begin:, 0] - target)).max() <= 2e-9
    brake = sum(time for _, time in transfer(velocity, acceleration, 0.0, a, j))
    move = duration(fastest([stop, 0.0, 0.0, target, *limits])[1])
    bound = 1.1 * (brake + move) + 2.0 * CYCLE_TIME
    reached = begin + int(np.searchsorted(np.cumsum(times[begin:]), bound)) + 1
    if reached >= len(states):
        return False
    assert abs(states[reached, 0] - target) <= 1e-4
    return True


def test_a_resting_axis_stays_bit_exact_beside_moving_ones() -> None:
    generator = TrajectoryGenerator(np.tile(LIMITS, (3, 1)))
    generator.set_state([0.1, 0.2, 0.3], [0, 0, 0], [0, 0, 0])
    generator.set_target([0.15, 0.2, 0.1])
    for _ in range(1500):
        generator.step()
        assert generator.position[1] == 0.2
        assert generator.velocity[1] == 0.0


axis = st.tuples(
    st.floats(-0.1, 0.1),
    st.floats(-1.0, 1.0),
    st.floats(-1.0, 1.0),
    st.floats(-0.1, 0.1) | st.floats(-1e-4, 1e-4),
)


@settings(max_examples=150, deadline=None)
@given(axes=st.lists(axis, min_size=1, max_size=6), scale=st.floats(0.3, 3.0))
def test_a_step_is_what_bisection_gives(
    axes: list[tuple[float, float, float, float]], scale: float
) -> None:
    limits = LIMITS * scale
    # A velocity that the acceleration must carry over its limit is no state that can be reached.
    state_of = [
        (p, v * (limits[0] - 0.5 * (a * limits[1]) ** 2 / limits[2]), a * limits[1], p + way)
        for p, v, a, way in axes
    ]
    generator = TrajectoryGenerator(np.tile(limits, (len(axes), 1)))
    twin = [[*one, *limits] for one in state_of]
    table = np.array(state_of)
    generator.set_state(table[:, 0], table[:, 1], table[:, 2])
    generator.set_target(table[:, 3])
    generator.step()
    twin_step(twin)
    expected = np.array(twin)
    # The rest of a bisection, 1e-10 of the velocity limit, reaches the duration by its root.
    assert generator.position == pytest.approx(expected[:, 0], abs=1e-7)
    assert generator.velocity == pytest.approx(expected[:, 1], abs=1e-4)


@pytest.mark.parametrize("bad", [math.nan, -1.0, 0.0, math.inf])
@pytest.mark.parametrize("slot", range(3))
def test_limits_that_are_none_are_refused(bad: float, slot: int) -> None:
    limits = LIMITS.copy()
    limits[slot] = bad
    with pytest.raises(InvalidArgumentError, match="max_"):
        TrajectoryGenerator(limits)
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([0.05])
    with pytest.raises(InvalidArgumentError):
        generator.set_limits(limits)
    assert cycles_to_land(generator) == 659


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_targets_and_states_that_are_not_finite_change_nothing(bad: float) -> None:
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([0.05])
    with pytest.raises(InvalidArgumentError, match="target"):
        generator.set_target([bad])
    for k in range(3):
        values = [[0.0], [0.0], [0.0]]
        values[k] = [bad]
        with pytest.raises(InvalidArgumentError):
            generator.set_state(*values)
    assert generator.target == 0.05
    assert cycles_to_land(generator) == 659


@pytest.mark.parametrize("dt", [0.0, -1e-3, math.nan, math.inf])
def test_no_time_moves_nothing(dt: float) -> None:
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([0.05])
    for _ in range(100):
        generator.step()
    before = state(generator)
    generator.step(dt)
    assert state(generator) == before


def test_limits_are_clamped_into_at_the_next_state() -> None:
    generator = TrajectoryGenerator(LIMITS)
    generator.set_target([1.0])
    for _ in range(1000):
        generator.step()
    velocity = float(generator.velocity[0])
    generator.set_limits([0.1, 0.2, 5.0])
    assert generator.velocity[0] == velocity
    generator.set_state(generator.position, generator.velocity, generator.acceleration)
    assert generator.velocity[0] == 0.1
