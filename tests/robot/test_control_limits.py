"""At joint limits, with an arm that follows: numbers 12.5 of the controller's specification."""

from dataclasses import replace

import numpy as np
import pytest
from control_rig import ARMS, READY, TOOLS, Rig, chain_of, moved_limits, target_row, turn

from kinegraph.kinematics.chain import ChainPlan
from kinegraph.robot.control import (
    CARTESIAN,
    CartesianOptions,
    DifferentialIk,
    IkOptions,
    IkStep,
    ImpedanceOptions,
    MotionLimits,
)
from kinegraph.robot.control.cartesian_kernels import FINISHED

pytestmark = pytest.mark.compiled

MARGIN = 0.05
TELEOP = CartesianOptions(
    backend=CARTESIAN,
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=10.0,
    max_angular_deviation=10.0,
)
SLOW_JERK = replace(
    TELEOP, limits=MotionLimits(1.0, 8.0, 20.0), rotation_limits=MotionLimits(4.0, 20.0, 20.0)
)


def folded(arm: str, tool: str, options: CartesianOptions = TELEOP) -> tuple[Rig, np.ndarray]:
    """FOLD: joint 4's lower limit 0.3 below READY; the pose of joint 4 0.1 rad behind it."""
    table = moved_limits(ARMS[arm], {3: READY[3] - 0.3}, {})
    rig = Rig(arm, tool, options, table)
    behind = READY.copy()
    behind[3] -= 0.4
    return rig, rig.fk(behind)


def parked(arm: str, tool: str, options: CartesianOptions = TELEOP, cycles: int = 4000) -> Rig:
    """FOLD, four seconds later."""
    rig, behind = folded(arm, tool, options)
    rig.cycle()
    rig.target = target_row(behind)
    rig.follow(cycles)
    return rig


def pinned(joints: tuple[int, ...]) -> dict[int, float]:
    """PIN: upper limits a margin above READY."""
    return {i: READY[i] + MARGIN for i in joints}


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two rotations."""
    r = a[:3, :3] @ b[:3, :3].T
    v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
    return float(np.arctan2(np.linalg.norm(v), (np.trace(r) - 1) / 2))


def ramp(
    chain: ChainPlan, ik: DifferentialIk, angles: list[float], weighted_only: bool = False
) -> tuple[np.ndarray, np.ndarray, IkStep]:
    """Ramp over 1 s to (2 cm, 2 cm) and 0.4 rad of tool yaw, held for 2 s."""
    target = start = chain.pose(READY)
    done = ik.step(start)
    for k in range(1, 3001):
        part = min(1.0, k / 1000)
        target = start.copy()
        target[:3, 3] += part * np.array([0.02, 0.02, 0.0])
        target[:3, :3] = start[:3, :3] @ turn(0, 0, 0.4 * part)
        if weighted_only:
            ik._work.write("stalled", 0.0)
            ik._work.write("blend_phase", 0.0)
        done = ik.step(target)
        # No solve gave up: at most eleven passes in each of two stages, three times.
        assert done.passes <= 11 * 6
        angles.append(angle(target, chain.pose(done.q)))
    return target, chain.pose(done.q), done


@pytest.mark.slow
@pytest.mark.parametrize("joints", [(4, 6), (3, 6)], ids=["joints 5 and 7", "joints 4 and 7"])
@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("tool", TOOLS)
def test_the_position_is_reached_first_and_the_orientation_follows(
    arm: str, tool: str, joints: tuple[int, ...]
) -> None:
    table = moved_limits(ARMS[arm], {}, pinned(joints))
    chain = chain_of(arm, tool)
    ik = DifferentialIk(chain, table, READY)
    settled: list[float] = []
    target, reached, done = ramp(chain, ik, settled)
    assert np.linalg.norm(target[:3, 3] - reached[:3, 3]) < 2e-5
    assert (done.pinned[list(joints)] != 0).all()
    assert done.blend == 1.0
    assert np.diff(settled[1600:]).max() <= 1e-9
    weighted = DifferentialIk(chain, table, READY)
    target, reached, _ = ramp(chain, weighted, [], weighted_only=True)
    assert np.linalg.norm(target[:3, 3] - reached[:3, 3]) > 2e-3


def test_the_priority_is_eased_in() -> None:
    table = moved_limits(ARMS["fer"], {}, pinned((4, 6)))
    chain = chain_of("fer", "hand")
    ik = DifferentialIk(chain, table, READY, ImpedanceOptions(ik=IkOptions(nullspace_gain=0.0)))
    target = chain.pose(READY)
    target[:3, 3] += (0.02, 0.02, 0.0)
    target[:3, :3] = target[:3, :3] @ turn(0, 0, 0.4)
    blends = [ik.step(target).blend for _ in range(900)]
    steps = np.diff(blends)
    assert (steps >= 0).all()
    assert steps.max() <= 1.5 / 500 + 1e-9  # the steepest of 3 x^2 - 2 x^3 over 500 cycles
    assert blends[-1] == 1.0


def test_a_reach_past_a_pinned_joint_does_not_toggle_the_stall() -> None:
    table = moved_limits(ARMS["fer"], {}, pinned((3,)))
    chain = chain_of("fer", "hand")
    ik = DifferentialIk(chain, table, READY)
    target = chain.pose(READY)
    target[:3, 3] += (0.05, 0.05, 0.0)
    flags, blend = [], 0.0
    for _ in range(3000):
        done = ik.step(target)
        flags.append(done.stalled)
        blend = done.blend
    first = flags.index(True)
    assert all(flags[first : first + 2000])
    assert blend > 0.999


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("tool", ["flange", "hand", "robotiq"])
def test_a_session_driven_onto_a_margin_comes_to_rest_there_and_stops(arm: str, tool: str) -> None:
    rig = parked(arm, tool)
    edge = rig.table.lower[3] + MARGIN  # type: ignore[union-attr]
    goals = rig.column("q_goal")
    assert goals[:, 3].min() >= edge - 1e-12
    bound = 1e-4 + 0.5 * (500 / np.sqrt(3)) * 1e-6
    for name in ("velocity", "angular_velocity"):
        assert np.abs(rig.column(name)[-200:]).max() <= bound
    assert not rig.column("leash_alteration").any()
    increments = np.diff(goals, axis=0)
    large = np.where(np.abs(increments) > 5e-4, np.sign(increments), 0.0)
    assert not (large[1:] * large[:-1] < 0).any()
    assert rig.column("ik_passes").max() <= 5
    before = len(rig.records)
    assert rig.follow(1000, stop=True) == FINISHED
    assert len(rig.records) - before <= 250 + 100


@pytest.mark.parametrize("tool", ["flange", "hand", "robotiq"])
def test_the_way_back_from_a_margin_is_as_quick_as_from_rest(tool: str) -> None:
    rig = parked("fer", tool)
    start = rig.q.copy()
    left: list[int] = []
    fresh = Rig("fer", tool, TELEOP, rig.table, start.copy())
    fresh.cycle()
    for one in (rig, fresh):
        one.target = target_row(one.fk(READY))
        cycles = 0
        while one.q[3] - start[3] < 0.02:
            one.follow(1)
            cycles += 1
            assert cycles < 400
        left.append(cycles)
    assert left[0] <= left[1] + 5


@pytest.mark.parametrize("axis", [1, -1])
def test_a_stop_toward_a_target_along_the_wall_lands_on_it(axis: int) -> None:
    rig = parked("fer", "hand")
    here = rig.fk(rig.q)
    here[1, 3] += 0.02 * axis
    rig.target = target_row(here)
    assert rig.follow(3000, stop=True) == FINISHED
    assert rig.fk(rig.q)[:3, 3] == pytest.approx(here[:3, 3], abs=1e-3)


@pytest.mark.parametrize("tool", ["flange", "hand", "robotiq"])
@pytest.mark.parametrize("axis", [1, -1])
def test_a_stop_into_a_wall_and_along_it_slides_and_ends(tool: str, axis: int) -> None:
    rig = parked("fer", tool, SLOW_JERK)
    normal = rig.fk(rig.q)[:3, 3] - rig.fk(rig.q + np.array([0, 0, 0, 1e-4, 0, 0, 0]))[:3, 3]
    normal /= np.linalg.norm(normal)
    start = rig.fk(rig.q)
    target = start.copy()
    target[:3, 3] += 0.02 * normal + np.array([0, 0.02 * axis, 0])
    rig.target = target_row(target)
    before = len(rig.records)
    assert rig.follow(6000, stop=True) == FINISHED
    assert len(rig.records) - before < 5000
    slid = (rig.fk(rig.q)[1, 3] - start[1, 3]) * axis
    assert slid > 0.017
    rates = rig.column("dq_goal")[before:-252]
    assert np.abs(np.diff(rates, axis=0)).max() < 0.05


# Shift in base axes, turn in tool axes.
MOVES = {
    "+x": ((0.05, 0, 0), (0, 0, 0)),
    "+y": ((0, 0.05, 0), (0, 0, 0)),
    "-y": ((0, -0.05, 0), (0, 0, 0)),
    "+z": ((0, 0, 0.05), (0, 0, 0)),
    "-pitch": ((0, 0, 0), (0, -0.3, 0)),
    "+yaw": ((0, 0, 0), (0, 0, 0.3)),
    "-yaw": ((0, 0, 0), (0, 0, -0.3)),
}


def arrival(rig: Rig, target: np.ndarray, most: int = 4000) -> tuple[int, float]:
    """Cycles to the target, 1 mm and 3 mrad, and the largest speed on the way."""
    rig.target = target_row(target)
    before = len(rig.records)
    cycles = 0
    while cycles < most:
        rig.follow(1)
        cycles += 1
        here = rig.fk(rig.q)
        if np.linalg.norm(here[:3, 3] - target[:3, 3]) < 1e-3 and angle(here, target) < 3e-3:
            break
    linear = np.linalg.norm(rig.column("velocity")[before:], axis=1).max()
    angular = np.linalg.norm(rig.column("angular_velocity")[before:], axis=1).max()
    return cycles, float(max(linear, 0.1 * angular))


@pytest.mark.slow
@pytest.mark.parametrize("move", MOVES)
def test_moves_that_do_not_need_the_parked_joint_keep_their_speed(move: str) -> None:
    rig = parked("fer", "hand")
    start = rig.q.copy()
    shift, rotation = MOVES[move]
    target = rig.fk(start)
    target[:3, 3] += shift
    target[:3, :3] = target[:3, :3] @ turn(*rotation)
    free = Rig("fer", "hand", TELEOP, ARMS["fer"], start.copy())
    fresh = Rig("fer", "hand", TELEOP, rig.table, start.copy())
    for one in (free, fresh):
        one.cycle()
    here, speed = arrival(rig, target)
    from_rest, _ = arrival(fresh, target)
    best, free_speed = arrival(free, target)
    assert speed >= 0.9 * free_speed
    assert here <= best / 0.9 + 1
    assert here <= from_rest + 5
