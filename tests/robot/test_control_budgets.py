"""Whatever comes in, every cycle keeps its budgets, and no NaN leaves."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from control_rig import ARMS, HAND_LOAD, READY, PlantRig, Rig, target_row, turn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from joint_rig import JointRig

from kinegraph.robot.control import (
    CARTESIAN,
    CartesianOptions,
    JointOptions,
    MotionLimits,
    WorkspaceBox,
)
from kinegraph.robot.control.cartesian_kernels import FLAG_STOP
from kinegraph.robot.control.memory_layout import MEMORY_OFFSETS
from kinegraph.robot.wire.state_layout import STATE_OFFSETS

pytestmark = pytest.mark.compiled

WILD = CartesianOptions(
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=100.0,
    max_angular_deviation=10.0,
)
BOX = WorkspaceBox((-np.inf, -0.15, 0.2), (0.45, 0.1, 0.6))
LAWS = {
    "default law": WILD,
    "reference": replace(WILD, backend=CARTESIAN),
    "workspace": replace(WILD, workspace=BOX),
}
DT = 1e-3
# Where a session may begin: freely, near joint limits, near a stretched and a twisted arm.
STARTS = {
    "ready": READY,
    "folded": np.array([0.0, -0.3, 0.0, -2.97, 0.0, 2.6, 0.8]),
    "stretched": np.array([0.0, 0.3, 0.0, -0.3, 0.0, 0.9, 0.8]),
    "wrist in line": np.array([0.4, 0.2, -0.3, -1.6, 1.2, 3.1, 2.0]),
}


@dataclass(frozen=True)
class Phase:
    """Targets at a rate, and a push on the joints meanwhile.

    Attributes:
        shift: Of the first target from the start, m.
        rotation: Rotation vector, likewise, rad.
        every: Cycles from target to target, 1 to 200 (1000 to 5 Hz).
        count: Number of targets.
        noise: Of each target, m and rad.
        back: Whether each target is on the other side of the start than the one before.
        push: Nm on each joint.
        twist: Of the targets, m/s and rad/s.
        horizon: How long they go on by it, s.
    """

    shift: tuple[float, float, float]
    rotation: tuple[float, float, float]
    every: int
    count: int
    noise: float
    back: bool
    push: tuple[float, ...]
    twist: tuple[float, ...] = (0.0,) * 6
    horizon: float = 0.0


def vector(largest: float, size: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    """Vectors; zeros are simplest."""
    return st.tuples(*[st.floats(-largest, largest)] * size)


phases = st.builds(
    Phase,
    shift=vector(0.1) | vector(1.5),
    rotation=vector(0.3) | vector(1.8),
    every=st.sampled_from([1, 2, 5, 20, 50, 200]),
    count=st.integers(1, 12),
    noise=st.sampled_from([0.0, 1e-4, 1e-2]),
    back=st.booleans(),
    push=vector(0.0, 7) | vector(8.0, 7) | vector(40.0, 7),
    twist=vector(0.3, 6) | vector(3.0, 6),
    horizon=st.sampled_from([0.0, 0.02, 0.1, 100.0]),
)
LONGEST = 400  # cycles of a phase


def play(rig: Rig, story: list[Phase], seed: int = 0) -> None:
    """Run phases of targets; on a plant with their pushes."""
    rng = np.random.default_rng(seed)
    rig.cycle()
    start = rig.fk(rig.q)
    for phase in story:
        if isinstance(rig, PlantRig):
            rig.push = np.array(phase.push)
        for k in range(max(1, min(phase.count, LONGEST // phase.every))):
            side = -1.0 if phase.back and k % 2 else 1.0
            pose = start.copy()
            pose[:3, 3] += side * np.array(phase.shift) + phase.noise * rng.standard_normal(3)
            around = side * np.array(phase.rotation) + phase.noise * rng.standard_normal(3)
            pose[:3, :3] = turn(*around) @ pose[:3, :3]
            drift = [*(side * np.array(phase.twist)), phase.horizon]
            rig.target = np.concatenate([target_row(pose), drift])
            go = rig.run if isinstance(rig, PlantRig) else rig.follow
            assert go(phase.every) == 0


def check_records(rig: Rig, options: CartesianOptions) -> None:
    """Budgets of axes and norms, cap, margin and clamp of every record."""
    assert np.isfinite(np.array(rig.records)).all()
    linear, angular = options.limits, options.rotation_limits
    for name, most in (
        ("velocity", linear.max_velocity),
        ("acceleration", linear.max_acceleration),
        ("angular_velocity", 0.99 * angular.max_velocity),
        ("angular_acceleration", 0.99 * angular.max_acceleration),
    ):
        values = rig.column(name)
        assert np.abs(values).max() <= most / np.sqrt(3) + 1e-9
        assert np.linalg.norm(values, axis=1).max() <= most + 1e-9
    table = rig.table
    assert table is not None
    cap = 0.7 * table.flat_velocity
    assert (np.abs(rig.column("dq_goal")) <= cap * (1 + 1e-9)).all()
    goals = rig.column("q_goal")
    assert (goals >= table.lower + 0.05 - 1e-12).all()
    assert (goals <= table.upper - 0.05 + 1e-12).all()
    assert (np.abs(rig.column("tau")) <= table.torque_limits).all()


def check_jerk(rig: Rig, options: CartesianOptions) -> None:
    """Finite-difference jerk, but where a goal that fell short restarts the generator."""
    free = (rig.column("cap_scale") == 1.0) & ~rig.column("held").astype(bool)
    free &= (np.abs(rig.column("pinned")) < 1.5).all(axis=1) & (rig.column("ik_error") < 2e-3)
    for name, most in (
        ("acceleration", options.limits.max_jerk),
        ("angular_acceleration", 0.99 * options.rotation_limits.max_jerk),
    ):
        jerk = np.diff(rig.column(name), axis=0)[free[:-1]] / DT
        assert np.abs(jerk).max(initial=0.0) <= most / np.sqrt(3) * (1 + 1e-9) + 1e-6


def check_sent(rig: PlantRig) -> None:
    """Clamp and rate of what goes to the robot."""
    assert rig.table is not None
    sent = np.array(rig.sent)
    assert (np.abs(sent) <= rig.table.torque_limits).all()
    assert np.abs(np.diff(sent, axis=0, prepend=np.zeros((1, 7)))).max() <= 1.0
    assert np.isfinite(np.array(rig.measured)).all()


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    story=st.lists(phases, min_size=1, max_size=4),
    arm=st.sampled_from(sorted(ARMS)),
    law=st.sampled_from(sorted(LAWS)),
    start=st.sampled_from(sorted(STARTS)),
)
def test_targets_at_any_rate_with_an_arm_that_follows(
    story: list[Phase], arm: str, law: str, start: str
) -> None:
    rig = Rig(arm, "hand", LAWS[law], q=inside(arm, STARTS[start]))
    play(rig, story)
    check_records(rig, WILD)
    check_jerk(rig, WILD)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    story=st.lists(phases, min_size=1, max_size=4),
    arm=st.sampled_from(sorted(ARMS)),
    law=st.sampled_from(sorted(LAWS)),
    start=st.sampled_from(sorted(STARTS)),
)
def test_targets_at_any_rate_and_pushes_on_the_plant(
    story: list[Phase], arm: str, law: str, start: str
) -> None:
    q = inside(arm, STARTS[start])
    rig = PlantRig(arm, "hand", LAWS[law], q=q, load=HAND_LOAD.copy())
    play(rig, story)
    check_records(rig, WILD)
    check_sent(rig)
    # Under the leash the desired pose follows the arm, not the generator: its rates are checked.
    check_jerk(rig, WILD)


def test_an_axis_held_at_a_wall_outside_its_box_keeps_its_budget() -> None:
    options = CartesianOptions(max_deviation=10.0, max_angular_deviation=10.0, workspace=BOX)
    q = inside("fer", STARTS["folded"])
    rig = PlantRig("fer", "hand", options, q=q, load=HAND_LOAD.copy())
    push = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0)
    play(rig, [Phase((-0.5, 0.0, 1.0), (0.0, 0.0, 0.0), 200, 2, 0.0, False, push)])
    assert rig.column("held").any()
    check_records(rig, options)


def inside(arm: str, q: np.ndarray) -> np.ndarray:
    """The configuration, off the arm's margins."""
    table = ARMS[arm]
    inner: np.ndarray = np.clip(q, table.lower + 0.06, table.upper - 0.06)
    return inner


ODD = st.sampled_from([math.nan, math.inf, -math.inf, 1e300, -1e200, 5e-324, 1e30, -7.0, 0.0])
INPUTS = {"q": 7, "dq": 7, "O_T_EE": 16, "F_T_EE": 16, "m_total": 1, "F_x_Ctotal": 3, "I_total": 9}
damage = st.tuples(st.sampled_from([*INPUTS, "target"]), st.integers(0, 15), ODD)


@settings(max_examples=120, deadline=None)
@given(
    harm=st.lists(damage, min_size=1, max_size=3),
    law=st.sampled_from([*sorted(LAWS), "joints"]),
    stop=st.booleans(),
)
@example(harm=[("F_T_EE", 12, math.nan)], law="default law", stop=False)
@example(harm=[("q", 3, 1e300)], law="default law", stop=True)
def test_no_number_that_is_none_leaves_whatever_comes_in(
    harm: list[tuple[str, int, float]], law: str, stop: bool
) -> None:
    rig = under_way(law)
    rig.report = False
    rows, target = rig.state.copy(), rig.target.copy()
    for name, at, value in harm:
        if name == "target":
            rig.target = rig.target.copy()
            rig.target[at % len(rig.target)] = value
        elif name in ("q", "dq"):
            getattr(rig, name)[at % 7] = value
        else:
            values = np.array(rows[STATE_OFFSETS[name] :][: INPUTS[name]])
            values[at % INPUTS[name]] = value
            rig.set_field(name, values)
    code = rig.cycle(flags=FLAG_STOP if stop else 0)
    check_leaving(rig, code)
    if code < 0:
        return
    # The loop goes on with good states again.
    rig.state[:], rig.target = rows, target
    rig.q, rig.dq = rig["q_goal"].copy(), np.zeros(7)
    for _ in range(5):
        check_leaving(rig, rig.cycle())


def under_way(law: str) -> Rig:
    """A session of the Cartesian controller by its law, or of the joint controller, in motion."""
    if law == "joints":
        joints = JointRig("fr3", "hand", JointOptions(max_deviation=10.0))
        joints.follow(1)
        joints.target = joints.target + 0.1
        assert joints.follow(20) == 0
        return joints
    rig = Rig("fr3", "hand", LAWS[law])
    play(rig, [Phase((0.05, 0.0, 0.02), (0.0, 0.2, 0.0), 20, 1, 0.0, False, (0.0,) * 7)])
    return rig


def check_leaving(rig: Rig, code: int) -> None:
    """A fault leaves no torque, anything else finite ones within the clamp, and a finite goal."""
    assert rig.table is not None
    if code < 0:
        assert not rig.tau.any()
        return
    assert np.isfinite(rig.tau).all()
    assert (np.abs(rig.tau) <= rig.table.torque_limits).all()
    at = MEMORY_OFFSETS["goal"]
    assert np.isfinite(rig.memory[at : at + 7]).all()
    assert np.isfinite(rig.record).all()


def test_the_default_step_keeps_the_norm_of_its_budget() -> None:
    rig = Rig("fr3")
    play(rig, [Phase((0.1, 0.07, -0.05), (0.2, -0.1, 0.3), 1500, 1, 0.0, False, (0.0,) * 7)])
    for name, most in (
        ("velocity", 0.3),
        ("acceleration", 0.5),
        ("angular_velocity", 0.5),
        ("angular_acceleration", 1.0),
    ):
        assert np.linalg.norm(rig.column(name), axis=1).max() <= most
    jerk = np.diff(rig.column("acceleration"), axis=0) / DT
    assert np.linalg.norm(jerk, axis=1).max() <= 20.0 + 1e-6
    check_jerk(rig, CartesianOptions())
