"""Targets out of reach: the arm goes next to them and comes to rest there, wherever it starts."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from control_rig import ARMS, HAND_LOAD, PlantRig, Rig, moved_limits, target_row, turn

from kinegraph.robot.control import CARTESIAN, CartesianOptions, MotionLimits
from kinegraph.robot.control.cartesian_kernels import FINISHED

pytestmark = pytest.mark.compiled

Array = npt.NDArray[np.float64]

TELEOP = CartesianOptions(
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=10.0,
    max_angular_deviation=10.0,
)
SHOULDER = np.array([0.0, 0.0, 0.333])
KINDS = ("position", "rotation", "pose", "bounds")
MARGIN = 0.05
CYCLES = 6500


def start_and_target(rng: np.random.Generator, kind: str, arm: str, tool: str) -> PlantRig:
    """A rig at a random start, told to go to a random target that it cannot reach.

    A position is further from the shoulder than the arm is long; a rotation is by more than the
    wrist has; at bounds, each joint has 0.2 to 0.5 rad, and the target is beyond three of them.
    """
    table = ARMS[arm]
    q = rng.uniform(table.lower + 0.1, table.upper - 0.1)
    if kind == "bounds":
        room = rng.uniform(0.2, 0.5, (2, 7)) + MARGIN
        lower = dict(enumerate(np.maximum(q - room[0], table.lower)))
        upper = dict(enumerate(np.minimum(q + room[1], table.upper)))
        table = moved_limits(table, lower, upper)
    rig = PlantRig(arm, tool, TELEOP, table, load=HAND_LOAD.copy(), q=q)
    rig.run(1)
    target = rig.fk(q)
    if kind in ("position", "pose"):
        way = target[:3, 3] - SHOULDER + rng.normal(size=3) * 0.3
        target[:3, 3] = SHOULDER + way / np.linalg.norm(way) * rng.uniform(1.3, 1.6)
    if kind in ("rotation", "pose"):
        axis = rng.normal(size=3)
        axis *= rng.uniform(1.5, 3.0) / np.linalg.norm(axis)
        target[:3, :3] = turn(*axis) @ target[:3, :3]
    if kind == "bounds":
        beyond = q.copy()
        for i in rng.choice(7, 3, replace=False):
            side = rng.choice((-1.0, 1.0))
            beyond[i] = (table.upper if side > 0 else table.lower)[i] + side * 0.4
        target = rig.fk(beyond)
    rig.target = target_row(target)
    return rig


def left(rig: Rig, q: Array) -> float:
    """The weighted error that is left at a configuration."""
    pose = rig.fk(q)
    x, y, z, w = rig.target[3:]
    aim = turn(*(2.0 * np.arctan2(np.linalg.norm([x, y, z]), w) * unit(np.array([x, y, z]))))
    angle = np.arccos(np.clip((np.trace(aim @ pose[:3, :3].T) - 1.0) / 2.0, -1.0, 1.0))
    return float(np.hypot(np.linalg.norm(rig.target[:3] - pose[:3, 3]), 0.1 * angle))


def unit(v: Array) -> Array:
    """The vector's direction."""
    return v / max(float(np.linalg.norm(v)), 1e-12)


def check_rest(rig: PlantRig, cycles: int = 1000) -> None:
    """In the last second nothing moves or chatters, goal and arm."""
    goals = rig.column("q_goal")[-cycles:]
    assert np.ptp(goals, axis=0).max() < 1e-3
    assert np.abs(rig.column("dq_goal")[-cycles:]).max() < 5e-3
    assert np.abs(np.array(rig.speeds)[-cycles:]).max() < 5e-3
    steps = np.diff(goals, axis=0)
    steps = np.where(np.abs(steps) > 1e-6, np.sign(steps), 0.0)
    assert not (steps[1:] * steps[:-1] < 0.0).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("arm", ["fer", "fr3"])
def test_the_arm_comes_to_rest_at_every_target_out_of_reach(arm: str, kind: str) -> None:
    rng = np.random.default_rng(KINDS.index(kind) + 10 * (arm == "fr3"))
    unreached = 0
    for tool in ("flange", "hand", "long", "robotiq", "hand"):
        rig = start_and_target(rng, kind, arm, tool)
        begun = left(rig, rig.q)
        rig.run(CYCLES)
        table = rig.table
        assert table is not None
        goals = rig.column("q_goal")
        assert (goals >= table.lower + MARGIN - 1e-12).all()
        assert (goals <= table.upper - MARGIN + 1e-12).all()
        ended = left(rig, goals[-1])
        assert ended < begun
        # On a target that was reached after all the posture still draws the elbow.
        if ended > 1e-3:
            unreached += 1
            check_rest(rig)
    assert unreached >= (5 if kind != "rotation" else 4)


@pytest.mark.parametrize(("arm", "kind"), [("fer", "position"), ("fr3", "bounds")])
def test_from_out_of_reach_a_target_within_reach_is_gone_to(arm: str, kind: str) -> None:
    rig = start_and_target(np.random.default_rng(5), kind, arm, "hand")
    home = target_row(rig.fk(rig.q))
    rig.run(4000)
    assert rig.remembered("beyond", 1) == 1.0
    rig.target = home
    rig.run(4000)
    assert left(rig, rig.q) < 1e-3


@pytest.mark.parametrize(("arm", "kind"), [("fer", "pose"), ("fr3", "position")])
def test_a_stop_out_of_reach_lands_where_the_arm_is(arm: str, kind: str) -> None:
    rig = start_and_target(np.random.default_rng(6), kind, arm, "hand")
    rig.run(5000)
    assert rig.run(2000, stop=True) == FINISHED
    assert len(rig.records) - 5001 < 500


@pytest.mark.parametrize("kind", ["pose", "bounds"])
def test_a_target_that_trembles_out_of_reach_is_followed_next_to_it(kind: str) -> None:
    rng = np.random.default_rng(7)
    rig = start_and_target(rng, kind, "fr3", "hand")
    rig.run(4000)
    steady = rig.target.copy()
    for _ in range(60):
        rig.target = steady.copy()
        rig.target[:3] += rng.uniform(-5e-3, 5e-3, 3)
        rig.run(33)
        assert rig.remembered("beyond", 1) == 1.0
    rig.target = steady
    rig.run(4500)
    check_rest(rig)


def test_the_references_law_searches_for_nothing() -> None:
    rig = Rig("fr3", "hand", replace(TELEOP, backend=CARTESIAN))
    rig.cycle()
    target = rig.fk(rig.q)
    target[:3, 3] += (0.6, 0.0, 0.2)
    rig.target = target_row(target)
    rig.follow(3000)
    assert left(rig, rig.q) > 0.05
    assert rig.remembered("beyond", 1) == rig.remembered("reach_steps", 1) == 0.0
