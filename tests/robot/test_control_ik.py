"""The differential inverse kinematics: numbers 12.4 of the controller's specification."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from control_rig import ARMS, READY, TOOLS, chain_of, moved_limits, turn

from kinegraph.kinematics.chain import ChainPlan
from kinegraph.robot.control import (
    FER,
    FR3,
    ArmTable,
    DifferentialIk,
    IkOptions,
    ImpedanceOptions,
    braking_speed,
    goal_box,
)
from kinegraph.robot.control.ik.active_set_kernels import solve_boxed
from kinegraph.robot.control.memory_layout import M_active, M_columns, M_error, M_step
from kinegraph.robot.control.workspace import Workspace
from kinegraph.robot.errors import InvalidArgumentError

DT = 1e-3
MARGIN = 0.05
NEAR_SINGULAR = np.array(
    [
        0.892333080198,
        1.475256298112,
        -1.241401689687,
        -0.992092439302,
        2.826896993360,
        3.716821643374,
        2.870729721150,
    ]
)
ALL = [(arm, tool) for arm in ARMS for tool in TOOLS]


def fast(arm: ArmTable) -> ArmTable:
    """An arm whose velocity limits are out of the way."""
    return replace(
        arm,
        flat_velocity=np.full(7, 100.0),
        braking_slope=np.full(7, 1e6),
        robot_limits=None,
    )


def rotation_error(a: np.ndarray, b: np.ndarray) -> float:
    """Angle between two rotations, for small ones exact."""
    r = a[:3, :3] @ b[:3, :3].T
    v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    return float(np.arcsin(min(1.0, float(np.linalg.norm(v)) / 2)))


def moved(
    pose: np.ndarray,
    shift: tuple[float, float, float] = (0, 0, 0),
    rotation: np.ndarray | None = None,
) -> np.ndarray:
    """A pose shifted, and turned in place, in base axes."""
    out = pose.copy()
    out[:3, 3] += shift
    if rotation is not None:
        out[:3, :3] = rotation @ out[:3, :3]
    return out


def ik_at(
    arm: str = "fer",
    tool: str = "hand",
    table: ArmTable | None = None,
    q: np.ndarray = READY,
    **options: Any,
) -> tuple[DifferentialIk, ChainPlan]:
    """The solver and its chain."""
    chain = chain_of(arm, tool)
    return (
        DifferentialIk(chain, table or ARMS[arm], q, ImpedanceOptions(**options)),
        chain,
    )


@pytest.mark.parametrize(("arm", "tool"), ALL)
def test_at_the_pose_nothing_moves(arm: str, tool: str) -> None:
    ik, chain = ik_at(arm, tool)
    done = ik.step(chain.pose(READY))
    assert np.abs(done.q - READY).max() < 1e-12
    assert done.error < 1e-12
    assert not done.pinned.any()
    assert (done.passes, done.cut) == (1, 1.0)


def test_golden_steps_of_a_tenth_of_a_millimetre() -> None:
    ik, chain = ik_at()
    expected = {
        1: ((3.11993e-4, 1.76669e-4, 1.39419e-4), 4.265e-7, 3.559e-4),
        2: ((6.27068e-4, 3.56342e-4, 2.74968e-4), 4.418e-7, 3.572e-4),
        3: ((9.42240e-4, 5.36186e-4, 4.10307e-4), 4.430e-7, 3.572e-4),
    }
    for k, (joints, error, step) in expected.items():
        done = ik.step(moved(chain.pose(READY), (k * 1e-4, 0, 0)))
        assert (done.q - READY)[[1, 3, 5]] == pytest.approx(joints, abs=6e-10)
        assert np.abs((done.q - READY)[[0, 2, 4, 6]]).max() < 1e-12
        assert done.error == pytest.approx(error, rel=2e-4)
        assert done.step == pytest.approx(step, rel=2e-4)
        assert done.passes == 3


def turn_allowed(tool: str) -> float:
    """The stated 1e-4 rad; twice that at longer tools, whose turns weigh less beside their way."""
    return 2e-4 if tool in ("robotiq", "long") else 1e-4


@pytest.mark.parametrize(("arm", "tool"), ALL)
def test_fifty_millimetres_are_followed(arm: str, tool: str) -> None:
    ik, chain = ik_at(arm, tool, fast(ARMS[arm]))
    for k in range(1, 51):
        target = moved(chain.pose(READY), (k * 1e-3, 0, 0))
        reached = chain.pose(ik.step(target).q)
        assert np.linalg.norm(reached[:3, 3] - target[:3, 3]) < 1e-4
        assert rotation_error(reached, target) < turn_allowed(tool)


@pytest.mark.parametrize(("arm", "tool"), ALL)
def test_ten_degrees_are_followed(arm: str, tool: str) -> None:
    ik, chain = ik_at(arm, tool, fast(ARMS[arm]))
    for k in range(1, 19):
        target = moved(chain.pose(READY), rotation=turn(0, 0, np.deg2rad(10) * k / 18))
        reached = chain.pose(ik.step(target).q)
        assert np.linalg.norm(reached[:3, 3] - target[:3, 3]) < 1e-4
        assert rotation_error(reached, target) < turn_allowed(tool)


@pytest.mark.compiled
@pytest.mark.parametrize("arm", ARMS)
def test_a_target_out_of_reach_is_approached(arm: str) -> None:
    table = ARMS[arm]
    ik, chain = ik_at(arm)
    target = moved(chain.pose(READY), (1.0, 0, 0))
    for _ in range(500):
        done = ik.step(target)
        assert np.isfinite(done.q).all()
        assert done.passes < 36
        reached = chain.pose(done.q)
        weighted = np.hypot(
            np.linalg.norm(target[:3, 3] - reached[:3, 3]), 0.1 * rotation_error(target, reached)
        )
        assert done.error == pytest.approx(weighted, abs=1e-9)
        assert (done.q >= table.lower + MARGIN - 1e-12).all()
        assert (done.q <= table.upper - MARGIN + 1e-12).all()


@pytest.mark.compiled
def test_the_posture_pulls_without_moving_the_pose() -> None:
    posture = READY.copy()
    posture[[0, 2]] += (0.5, -0.5)
    ik, chain = ik_at(posture=posture)
    target = chain.pose(READY)
    done = ik.step(target)
    for _ in range(1999):
        done = ik.step(target)
        reached = chain.pose(done.q)
        assert np.linalg.norm(reached[:3, 3] - target[:3, 3]) < 1e-4
        assert rotation_error(reached, target) < 1e-4
    away = np.linalg.norm(done.q - posture)
    assert away == pytest.approx(0.400, abs=1e-3)
    assert np.linalg.norm(READY - posture) - away > 0.05


def test_the_posture_moves_no_joint_faster_than_half_a_radian_per_second() -> None:
    posture = READY.copy()
    posture[[0, 2]] += 2.0
    ik, chain = ik_at(posture=posture, ik=IkOptions(nullspace_gain=10.0))
    largest, before = 0.0, READY
    for _ in range(300):
        q = ik.step(chain.pose(READY)).q
        largest = max(largest, float(np.abs(q - before).max()))
        before = q
    assert 0.25e-3 < largest <= 0.5e-3 + 1e-4


@pytest.mark.compiled
@pytest.mark.parametrize("q", [READY, NEAR_SINGULAR], ids=["ready", "near singular"])
def test_a_light_rotation_weight_costs_little_lag(q: np.ndarray) -> None:
    lags = []
    # The recorded pose lies inside the margins.
    wide = moved_limits(
        fast(FER), dict(enumerate(FER.lower - 1.0)), dict(enumerate(FER.upper + 1.0))
    )
    for weight in (0.1, 1.0):
        ik, chain = ik_at(q=q, table=wide, ik=IkOptions(rotation_weight=weight))
        start = chain.pose(q)
        lag = 0.0
        for k in range(1, 301):
            target = start.copy()
            target[:3, :3] = start[:3, :3] @ turn(0, 0, 1e-3 * k)
            lag = max(lag, rotation_error(chain.pose(ik.step(target).q), target))
        lags.append(lag)
    assert lags[0] < lags[1] + 1e-3
    assert max(lags) < 1e-4


def folded(arm: str) -> tuple[ArmTable, np.ndarray]:
    """FOLD: joint 4's lower limit 0.3 below READY, a target 0.1 rad behind it."""
    q = READY.copy()
    q[3] -= 0.4
    return moved_limits(ARMS[arm], {3: READY[3] - 0.3}, {}), q


@pytest.mark.compiled
@pytest.mark.parametrize(("arm", "tool"), ALL)
def test_a_goal_driven_onto_its_margin_stalls_there_and_comes_off_at_once(
    arm: str, tool: str
) -> None:
    table, behind = folded(arm)
    ik, chain = ik_at(arm, tool, table)
    target = chain.pose(behind)
    edge = table.lower[3] + MARGIN
    before = READY
    done = None
    for _ in range(1000):
        done = ik.step(target)
        assert done.q[3] >= edge - 1e-12
        x = np.maximum(before - table.lower, 0) - MARGIN
        allowed = 0.7 * braking_speed(table, x) * DT
        assert (before - done.q <= allowed + 1e-12).all()
        before = done.q
    assert done is not None
    assert done.q[3] - edge < 1e-3
    assert done.pinned[3] == -1
    assert done.stalled
    back = ik.step(chain.pose(READY))
    assert back.pinned[3] >= 0
    assert back.q[3] - done.q[3] > 1e-4


def test_a_start_past_a_limit_is_not_clamped_and_goes_no_further() -> None:
    for offset in (0.03, -0.05):
        q = READY.copy()
        q[3] = FER.lower[3] + offset
        chain = chain_of("fer", "hand")
        ik = DifferentialIk(chain, FER, q)
        assert (ik.q == q).all()
        further = q.copy()
        further[3] -= 0.1
        lowest = q[3]
        for _ in range(200):
            done = ik.step(chain.pose(further))
            assert done.q[3] >= lowest - 1e-12
            lowest = done.q[3]


@pytest.mark.parametrize("arm", ARMS)
def test_velocity_pins_hold_a_far_target_without_a_stall(arm: str) -> None:
    ik, chain = ik_at(arm)
    target = moved(chain.pose(READY), (1.0, 0, 0))
    error = np.inf
    for cycle in range(50):
        box = goal_box(ARMS[arm], ik.q)
        before = ik.q
        done = ik.step(target)
        assert (done.q - before >= box.lower - 1e-15).all()
        assert (done.q - before <= box.upper + 1e-15).all()
        assert (np.abs(done.pinned) == 2).any()
        assert done.cut == 1.0
        assert not done.stalled
        assert done.error < error
        error = done.error
        if cycle == 0 and arm == "fer":
            assert done.pinned.tolist() == [0, 2, 0, 2, 0, 2, 0]
            assert done.passes == 6


@pytest.mark.compiled
def test_a_pinned_joint_does_not_make_its_neighbours_drift() -> None:
    table = moved_limits(FER, {}, {4: READY[4] + MARGIN})
    ik, chain = ik_at(table=table, ik=IkOptions(nullspace_gain=0.0))
    target = moved(chain.pose(READY), rotation=turn(0, 0, 0.1))
    track = [ik.step(target).q for _ in range(2000)]
    settled = np.array(track[500:])
    drift = np.abs(settled[100:, [0, 2]] - settled[:-100, [0, 2]]).max()
    assert drift <= 1e-3
    assert rotation_error(chain.pose(settled[-1]), target) < 1e-3


def test_a_pose_that_is_not_finite_keeps_the_goal_and_the_next_one_works() -> None:
    ik, chain = ik_at()
    for k in (1, 2):
        before = ik.step(moved(chain.pose(READY), (k * 1e-4, 0, 0)))
    for place in ((0, 3), (1, 1)):
        broken = chain.pose(READY).copy()
        broken[place] = np.nan
        done = ik.step(broken)
        assert (done.q == before.q).all()
        assert np.isnan(done.error)
        assert done.passes == 0
    after = ik.step(moved(chain.pose(READY), (3e-4, 0, 0)))
    assert after.error < 1e-6


def boxed(
    columns: np.ndarray, error: np.ndarray, low: np.ndarray, high: np.ndarray, act: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Step, active set and passes of one solve with lambda 0.05."""
    work = Workspace()
    work.write("columns", columns.T)
    work.write("error", error)
    work.write("room_lower", low)
    work.write("room_upper", high)
    work.write("active", act)
    passes = solve_boxed(work.memory, 7, M_columns, M_error, M_active, M_step, 0.05, False, 0.0)
    return work.read("step", 7), work.read("active", 7), passes


SETS = np.array(list(product((-1, 0, 1), repeat=7)))


def brute_force(
    columns: np.ndarray, error: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """Best feasible solution over all 3^7 sets."""
    hessian = columns.T @ columns + 0.05**2 * np.eye(7)
    free = SETS == 0
    matrices = np.where(free[:, :, None], hessian, np.eye(7))
    right = np.where(free, columns.T @ error, np.where(SETS < 0, low, high))
    d = np.linalg.solve(matrices, right[:, :, None])[:, :, 0]
    d = np.where(free, d, right)  # a pinned joint stands exactly on its bound
    inside = (d >= low - 1e-12).all(axis=1) & (d <= high + 1e-12).all(axis=1)
    left = d @ columns.T - error
    cost = 0.5 * (left**2).sum(axis=1) + 0.5 * 0.05**2 * (d**2).sum(axis=1)
    best: np.ndarray = d[np.where(inside, cost, np.inf).argmin()]
    return best


@pytest.mark.slow
def test_the_active_set_finds_what_trying_all_sets_finds() -> None:
    rng = np.random.default_rng(3)
    chain = chain_of("fr3", "hand")
    weight = np.diag([1, 1, 1, 0.1, 0.1, 0.1])
    d = np.zeros(7)
    for _ in range(100):
        q = rng.uniform(FR3.lower + 0.06, FR3.upper - 0.06)
        columns = weight @ chain.pose_and_jacobian(q)[1]
        error = weight @ rng.normal(0, 3e-3, 6) * np.array([1, 1, 1, 3, 3, 3])
        low = -rng.choice([0.0, 1e-5, 1e-3], 7)
        high = rng.choice([0.0, 1e-5, 1e-3], 7)
        act, passes = np.zeros(7), 12
        for _ in range(4):  # from no pins at all a few need more changes than one solve makes
            if passes == 12:
                d, act, passes = boxed(columns, error, low, high, act)
            assert (d >= low).all()
            assert (d <= high).all()
        assert passes < 12
        assert d == pytest.approx(brute_force(columns, error, low, high), abs=1e-9)


def test_pins_are_kept_for_the_next_solve() -> None:
    rng = np.random.default_rng(4)
    columns = (
        np.diag([1, 1, 1, 0.1, 0.1, 0.1]) @ chain_of("fer", "hand").pose_and_jacobian(READY)[1]
    )
    error = rng.normal(0, 1e-2, 6)
    small = np.full(7, 1e-7)
    d, act, _ = boxed(columns, error, -small, small, np.zeros(7))
    assert np.count_nonzero(act) >= 5
    again, same, passes = boxed(columns, error, -small, small, act)
    assert passes == 1
    assert (again == d).all()
    assert (same == act).all()


def test_chain_and_arm_must_fit_and_inputs_be_finite() -> None:
    chain = chain_of("fer", "hand")
    with pytest.raises(InvalidArgumentError, match="q:"):
        DifferentialIk(chain, FER, np.full(7, np.nan))
    with pytest.raises(InvalidArgumentError, match="q:"):
        DifferentialIk(chain, FER, np.zeros(6))
    ik = DifferentialIk(chain, FER, READY)
    with pytest.raises(InvalidArgumentError, match="pose"):
        ik.step(np.eye(3))


@pytest.mark.compiled
def test_velocities_through_a_singular_pose_stay_bounded() -> None:
    ik, chain = ik_at(q=np.array([0.0, 0.0, 0.0, -0.1, 0.0, 1.6, 0.8]))
    start = chain.pose(ik.q)
    before = ik.q
    for k in range(1, 1500):
        q = ik.step(moved(start, (0.0, 0.0, 3e-4 * k))).q
        assert np.isfinite(q).all()
        assert (np.abs(q - before) <= 0.7 * FER.flat_velocity * DT + 1e-15).all()
        before = q
