"""Whole sessions with an arm that follows, stands still, or is dragged: 12.2 and 12.6."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from control_rig import READY, Rig, target_row, tool_transform, turn

from kinegraph.robot.control import (
    CARTESIAN,
    FER,
    CartesianOptions,
    ImpedanceOptions,
    MotionLimits,
    Settle,
)
from kinegraph.robot.control.cartesian_kernels import (
    FAULT_CHAIN,
    FAULT_POSE,
    FAULT_STATE,
    FAULT_TORQUE,
    FINISHED,
    FLAG_TOOL_CHANGED,
    GO_ON,
)
from kinegraph.robot.control.memory_layout import MEMORY_OFFSETS


def options(**changes: object) -> CartesianOptions:
    """Default options with changes; impedance options by their own names."""
    own = {name: changes.pop(name) for name in list(changes) if name in IMPEDANCE}
    return replace(CartesianOptions(), backend=replace(CARTESIAN, **own), **changes)  # type: ignore[arg-type]


IMPEDANCE = set(ImpedanceOptions.__dataclass_fields__)


def shifted(rig: Rig, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """The pose at READY, shifted."""
    pose = rig.fk(READY)
    pose[:3, 3] += (x, y, z)
    return pose


def solved(rig: Rig, pose: np.ndarray) -> np.ndarray:
    """Joints near the present ones that put the tip at a pose, by Newton steps."""
    q = rig.q.copy()
    for _ in range(20):
        here, j = rig.chain.pose_and_jacobian(q)
        r = pose[:3, :3] @ here[:3, :3].T
        v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
        q = q + np.linalg.pinv(j) @ np.concatenate([pose[:3, 3] - here[:3, 3], v])
    return q


def stepped(rig: Rig, pose: np.ndarray) -> Rig:
    """The session anchored, then given a target."""
    assert rig.cycle() == GO_ON
    rig.target = target_row(pose)
    return rig


@pytest.mark.parametrize("arm", ["fer", "fr3"])
@pytest.mark.parametrize("tool", ["hand", "flange"])
def test_the_first_cycle_anchors_at_the_models_pose(arm: str, tool: str) -> None:
    rig = Rig(arm, tool)
    rig.report = False
    reported = rig.fk(READY)
    reported[0, 3] += 0.107
    rig.set_field("O_T_EE", reported.T.ravel())
    rig.target = np.array([9.0, 9, 9, 0, 0, 0, 1])
    assert rig.cycle() == GO_ON
    assert rig.pose == pytest.approx(rig.fk(READY), abs=1e-12)
    assert rig["target"] == pytest.approx(rig.fk(READY)[:3, 3], abs=1e-12)
    assert rig["target_orientation"] == pytest.approx(rig["orientation"], abs=1e-9)
    assert rig["q_goal"] == pytest.approx(READY, abs=1e-12)
    assert rig["ik_error"] < 1e-9
    assert np.abs(rig.tau).max() < 1e-9
    for name in ("velocity", "acceleration", "angular_velocity", "angular_acceleration", "dq_goal"):
        assert not rig[name].any()
    assert rig["wall_age"].tolist() == [-1, -1]
    assert rig["cap_scale"] == 1.0


def test_at_rest_on_target_no_torque_is_sent() -> None:
    # Gravity is the robot's; sending it again would show 19 Nm on joint 4.
    rig = Rig("fr3")
    for _ in range(50):
        assert rig.cycle() == GO_ON
        assert np.abs(rig.tau).max() < 1e-9


@pytest.mark.parametrize("arm", ["fer", "fr3"])
def test_five_centimetres_with_a_stop_at_once(arm: str) -> None:
    rig = Rig(arm)
    pose = shifted(rig, 0.05)
    stepped(rig, pose)
    assert rig.follow(2000, stop=True) == FINISHED
    assert len(rig.records) == 1105
    poses = rig.column("pose")
    assert (poses[-251:] == poses[-1]).all()
    assert (poses[-261] != poses[-1]).any()
    assert rig.pose[:3, 3] == pytest.approx(pose[:3, 3], abs=1e-6)
    assert rig.fk(rig["q_goal"]) == pytest.approx(pose, abs=1e-4)
    assert rig.column("ik_error").max() < 1e-4
    assert not rig.column("leash_alteration").any()
    assert (rig.column("cap_scale") == 1.0).all()
    assert np.abs(rig.tau).max() < 1.0


@pytest.mark.compiled
def test_the_generator_takes_858_cycles_for_five_centimetres() -> None:
    rig = Rig()
    pose = shifted(rig, 0.05)
    stepped(rig, pose)
    rig.follow(900)
    landed = np.flatnonzero(rig.column("pose")[:, 12] == pose[0, 3])
    assert landed[0] == 858


def test_a_stop_settles_for_the_cycles_asked_for() -> None:
    rig = Rig(
        options=options(
            settle=Settle(cycles=20),
            limits=MotionLimits(*(np.array([0.3, 0.5, 20]) * math.sqrt(3))),
        )
    )
    stepped(rig, shifted(rig, 0.05))
    assert rig.follow(2000, stop=True) == FINISHED
    assert 640 <= len(rig.records) <= 720
    poses = rig.column("pose")
    assert (poses[-21:] == poses[-1]).all()
    assert (poses[-31] != poses[-1]).any()
    assert not rig.column("velocity")[-21:].any()


@pytest.mark.compiled
def test_an_arm_that_never_moves_ends_by_the_timeout() -> None:
    rig = Rig()
    stepped(rig, shifted(rig, 0.05))
    code = GO_ON
    while code == GO_ON:
        code = rig.cycle(stop=True)
    assert code == FINISHED
    assert len(rig.records) == 1 + 5000 + 250
    ahead = rig.column("pose")[:, 12] - rig.fk(READY)[0, 3]
    assert 0.025 < ahead.max() <= 0.0252
    assert ahead.max() == pytest.approx(0.025117, abs=2e-6)
    taken = rig.column("leash_alteration")
    assert taken.max() < 2e-4
    assert np.count_nonzero(taken) > len(taken) / 2


def test_an_arm_dragged_away_during_the_hold_is_pulled_by_a_leash() -> None:
    rig = Rig()
    stepped(rig, shifted(rig, 0.02))
    while not rig.remembered("holding", 1)[0]:
        rig.follow(1, stop=True)
    held = rig.pose[:3, 3].copy()
    # Ten centimetres up, the joint goal left behind.
    away = rig.fk(rig.q)
    away[2, 3] += 0.1
    rig.q = solved(rig, away)
    for _ in range(3):
        rig.cycle(stop=True)
    lead = rig.pose[:3, 3] - rig.fk(rig.q)[:3, 3]
    assert np.linalg.norm(lead) == pytest.approx(0.025, abs=1e-9)
    assert rig.pose[:3, :3] == pytest.approx(away[:3, :3], abs=1e-6)
    assert rig["leash_alteration"] > 0.10 - 0.025 - 1e-3
    assert (np.abs(rig.tau) < 0.5 * FER.torque_limits).all()
    assert not rig["dq_goal"].any()
    assert held[2] < rig.pose[2, 3]


def test_the_leash_scales_position_and_rotation_together() -> None:
    rig = Rig()
    stepped(rig, rig.fk(READY))
    rig.q = READY + np.array([0, 0, 0, 0, 0, 0, 0.3])  # turns about the tool's own axis
    rig.cycle()
    assert rig["leash_angular_alteration"] == pytest.approx(0.15, abs=1e-9)
    assert rig["leash_alteration"] == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(rig.pose[:3, 3] - rig.fk(READY)[:3, 3]) < 1e-4


@pytest.mark.parametrize(("speed", "code"), [(0.05, GO_ON), (0.01, GO_ON), (0.0099, FINISHED)])
def test_the_end_waits_for_the_arm_to_rest(speed: float, code: int) -> None:
    rig = Rig(options=options(settle=Settle(cycles=5)))
    rig.cycle()
    rig.dq = np.full(7, speed)
    for _ in range(6):
        assert rig.cycle(stop=True) == GO_ON or rig.remembered("finished", 1)[0]
    assert rig.cycle(stop=True) == code


@pytest.mark.compiled
def test_the_wait_for_rest_ends() -> None:
    rig = Rig(options=options(settle=Settle(cycles=5)))
    rig.cycle()
    rig.dq = np.full(7, 0.05)
    code, cycles = GO_ON, 0
    while code == GO_ON and cycles < 6000:
        code = rig.cycle(stop=True)
        cycles += 1
    assert code == FINISHED
    assert cycles == pytest.approx(5006, abs=2)


@pytest.mark.compiled
def test_feedforward_takes_the_dampers_out_of_the_way() -> None:
    peaks = []
    for on in (True, False):
        rig = Rig(options=options(velocity_feedforward=on))
        stepped(rig, shifted(rig, 0.05))
        while not rig.remembered("holding", 1)[0]:
            before = rig["q_goal"].copy()
            rig.cycle(stop=True)
            rig.dq = (rig["q_goal"] - before) / 1e-3
            rig.q = rig["q_goal"].copy()
        peaks.append(np.abs(rig.column("tau")).max())
    assert peaks[0] < 0.5
    assert peaks[1] > 10 * peaks[0]


@pytest.mark.compiled
def test_the_filter_on_the_goals_velocity_starts_and_holds_at_zero() -> None:
    rig = Rig(options=options(velocity_feedforward_cutoff=10.0))
    stepped(rig, shifted(rig, 0.02))
    rig.follow(200)
    goals, rates = rig.column("q_goal"), rig.column("dq_goal")
    gain = 1e-3 / (1e-3 + 1 / (2 * np.pi * 10.0))
    expected = np.zeros(7)
    for k in range(1, 201):
        expected = gain * (goals[k] - goals[k - 1]) / 1e-3 + (1 - gain) * expected
        assert rates[k] == pytest.approx(expected, abs=1e-12)
    assert not rates[0].any()
    rig.follow(3000, stop=True)
    assert not rig.column("dq_goal")[-251:].any()


@pytest.mark.compiled
def test_a_stray_arm_freezes_the_target_and_the_motion_ends_regularly() -> None:
    rig = Rig(options=options(max_deviation=0.02))
    stepped(rig, shifted(rig, 0.1))
    cycles = 0
    while not rig.remembered("deviated", 1)[0]:
        rig.follow(1)
        cycles += 1
        assert cycles < 2000
    frozen = rig["target"].copy()
    rig.target = target_row(shifted(rig, -0.1))
    code = rig.follow(3000)
    assert code == FINISHED
    assert (rig.column("target")[-300:] == frozen).all()
    assert rig.pose[:3, 3] == pytest.approx(frozen, abs=1e-3)
    assert rig.remembered("deviated", 1)[0] == 1.0


@pytest.mark.compiled
def test_a_turn_beyond_the_guard_strays() -> None:
    rig = Rig(options=options(max_angular_deviation=0.1))
    pose = rig.fk(READY)
    pose[:3, :3] = turn(0, 0, 0.3) @ pose[:3, :3]
    stepped(rig, pose)
    assert rig.follow(3000) == FINISHED
    assert rig.remembered("deviated", 1)[0] == 1.0


@pytest.mark.compiled
@pytest.mark.parametrize("dither", [0.0, 3e-8])
def test_a_float32_report_with_dither_does_not_disturb_a_stop(dither: float) -> None:
    rng = np.random.default_rng(1)
    rig = Rig()
    rig.report = False
    pose = shifted(rig, 0.05)
    rig.set_field("O_T_EE", rig.fk(READY).T.ravel())
    stepped(rig, pose)
    code = GO_ON
    while code == GO_ON:
        rig.set_field("O_T_EE", rig.fk(rig.q).T.ravel().astype(np.float32).astype(float))
        code = rig.follow(1, stop=True)
        rig.q = rig.q + rng.uniform(-dither, dither, 7)
        assert len(rig.records) < 1300
    assert rig.pose[:3, 3] == pytest.approx(pose[:3, 3], abs=1e-6)


@pytest.mark.compiled
def test_twenty_degrees_turn_about_one_axis_and_land() -> None:
    rig = Rig()
    pose = rig.fk(READY)
    axis = np.array([0.6, 0.0, 0.8])
    pose[:3, :3] = turn(*(0.35 * axis)) @ pose[:3, :3]
    stepped(rig, pose)
    assert rig.follow(2500, stop=True) == FINISHED
    assert rig.pose == pytest.approx(pose, abs=1e-6)
    speed = np.linalg.norm(rig.column("angular_velocity"), axis=1)
    assert 0.2 < speed.max() <= 0.5
    assert (rig.column("pose")[:, 12:15] == pose[:3, 3]).all()


@pytest.mark.compiled
def test_a_stream_of_quaternions_of_both_signs_is_one_turn() -> None:
    rig = Rig(options=options(max_angular_deviation=3.0))
    rig.cycle()
    start = rig.fk(READY)
    axis = np.array([0.28, 0.1, 0.95])
    axis /= np.linalg.norm(axis)
    pose = start
    for k in range(9):
        pose = start.copy()
        pose[:3, :3] = turn(*(0.04 * k * axis)) @ start[:3, :3]
        rig.target = target_row(pose) * np.array([1, 1, 1] + [(-1) ** k] * 4)
        rig.follow(150)
    rig.follow(1500)
    assert rig.pose == pytest.approx(pose, abs=1e-9)
    for row in rig.column("pose")[::20]:
        r = row.reshape(4, 4).T[:3, :3] @ start[:3, :3].T
        v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
        off = v - axis * (axis @ v)
        assert np.linalg.norm(off) < 0.02
        assert -0.02 < np.arcsin(axis @ v) < 0.34


@pytest.mark.compiled
def test_targets_at_twenty_hertz_are_followed_without_stutter() -> None:
    rig = Rig(options=options(limits=MotionLimits(1.0, 8.0, 400.0), max_deviation=1.0))
    rig.cycle()
    base = rig.fk(READY)
    for k in range(14):
        pose, phase = base.copy(), 2 * np.pi * 0.05 * k
        pose[:3, 3] += (0.05 * (1 - np.cos(phase)) * 0.5, 0.05 * np.sin(phase), 0)
        rig.target = target_row(pose)
        rig.follow(50)
    pose = base.copy()
    pose[0, 3] += 0.05
    rig.target = target_row(pose)
    rig.follow(1300)
    speed = np.linalg.norm(rig.column("velocity"), axis=1)
    slow = speed[200:600] < 0.01
    longest = max((len(run) for run in "".join("x" if s else " " for s in slow).split()), default=0)
    assert longest <= 5
    assert rig.pose[:3, 3] == pytest.approx(pose[:3, 3], abs=1e-6)
    assert speed.max() <= 1.0
    assert np.linalg.norm(rig.column("acceleration"), axis=1).max() <= 8.0 + 1e-9


def capped(fraction: float = 0.2) -> Rig:
    """A 0.4 rad turn at teleoperation speed under a low velocity cap."""
    rig = Rig(
        options=options(
            rotation_limits=MotionLimits(4.0, 20.0, 500.0),
            joint_velocity_fraction=fraction,
            max_angular_deviation=10.0,
            max_deviation=10.0,
        )
    )
    pose = rig.fk(READY)
    pose[:3, :3] = pose[:3, :3] @ turn(0, 0, 0.4)
    return stepped(rig, pose)


@pytest.mark.compiled
def test_a_turn_faster_than_the_joints_is_cut_to_their_cap() -> None:
    rig = capped()
    goal = rig.target.copy()
    rig.follow(1500)
    cap = 0.2 * rig.table.flat_velocity  # type: ignore[union-attr]
    ratio = np.abs(rig.column("dq_goal")) / cap
    assert ratio.max() <= 1 + 1e-9
    cut = np.count_nonzero(rig.column("cap_scale") < 1.0)
    assert cut > 100
    assert cut == pytest.approx(577, abs=6)
    reached = target_row(rig.fk(rig["q_goal"]))
    reached[3:] *= np.sign(reached[3:] @ goal[3:])  # w is near 0, and its sign a matter of rounding
    assert reached == pytest.approx(goal, abs=1e-3)


@pytest.mark.compiled
@pytest.mark.parametrize("cycles", [150, 450])
def test_a_stop_where_it_is_during_a_cut_turn_overshoots_little(cycles: int) -> None:
    rig = capped()
    rig.follow(cycles - 1)
    here = rig.fk(rig.q)
    rig.target = target_row(here)
    before = len(rig.records)
    assert rig.follow(3000, stop=True) == FINISHED
    assert len(rig.records) - before < 470
    most = 0.0
    for row in rig.column("q_goal")[before:]:
        r = rig.fk(row)[:3, :3] @ here[:3, :3].T
        v = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
        most = max(most, float(np.linalg.norm(v)))
    assert most < 0.03


def test_a_tool_set_at_rest_does_not_move_the_goal() -> None:
    # At the posture: elsewhere the error that balances the posture's pull starts anew.
    rig = Rig(tool="hand")
    rig.cycle()
    rig.follow(100)
    before = rig["q_goal"].copy()
    other = Rig(tool="long")
    rig.chain = other.chain
    rig.set_field("F_T_EE", tool_transform("long").T.ravel())
    # A caller that follows the tool keeps the robot where it is: the target moves with the tip.
    rig.target = target_row(rig.fk(before))
    rig.cycle(flags=FLAG_TOOL_CHANGED)
    assert np.abs(rig["q_goal"] - before).max() < 1e-9
    assert not rig.remembered("deviated", 1)[0]
    assert rig["leash_alteration"] == 0.0


@pytest.mark.compiled
def test_a_tool_set_in_motion_keeps_the_goals_pace() -> None:
    rig = Rig(tool="flange", options=options(max_deviation=1.0))
    stepped(rig, shifted(rig, 0.2))
    rig.follow(600)
    step = rig["dq_goal"].copy()
    rig.chain = Rig(tool="robotiq").chain
    rig.set_field("F_T_EE", tool_transform("robotiq").T.ravel())
    target = rig.fk(rig.q)
    target[0, 3] += 0.2 - (rig.pose[0, 3] - rig.fk(READY)[0, 3]) + 0.2
    rig.target = target_row(target)
    rig.cycle(flags=FLAG_TOOL_CHANGED)
    assert np.linalg.norm(rig["dq_goal"] - step) < 0.1 * np.linalg.norm(step)


def test_a_longer_tool_does_not_trip_the_guard() -> None:
    rig = Rig(tool="flange", options=options(max_deviation=0.1))
    rig.cycle()
    rig.chain = Rig(tool="long").chain
    rig.set_field("F_T_EE", tool_transform("long").T.ravel())
    rig.target = target_row(rig.fk(READY))
    for k in range(10):
        rig.cycle(flags=FLAG_TOOL_CHANGED if k == 0 else 0)
    assert not rig.remembered("deviated", 1)[0]


def spoil_nan_q(rig: Rig) -> None:
    rig.q = np.full(7, np.nan)


def spoil_inf_dq(rig: Rig) -> None:
    rig.dq = np.array([0, 0, np.inf, 0, 0, 0, 0])


def spoil_load(rig: Rig) -> None:
    rig.set_field("m_total", np.nan)


def spoil_pose(rig: Rig) -> None:
    rig.report = False
    rig.set_field("O_T_EE", np.zeros(16))


def spoil_pose_nan(rig: Rig) -> None:
    rig.report = False
    rig.set_field("O_T_EE", np.full(16, np.nan))


def spoil_chain(rig: Rig) -> None:
    rig.packed[0] = 6


def spoil_gain(rig: Rig) -> None:
    rig.dq = np.full(7, 1e200)


FAULTS: list[tuple[Callable[[Rig], None], int]] = [
    (spoil_nan_q, FAULT_STATE),
    (spoil_inf_dq, FAULT_STATE),
    (spoil_load, FAULT_STATE),
    (spoil_pose, FAULT_POSE),
    (spoil_pose_nan, FAULT_POSE),
    (spoil_chain, FAULT_CHAIN),
    (spoil_gain, FAULT_TORQUE),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("spoil", "code"), FAULTS, ids=[f[0].__name__ for f in FAULTS])
def test_what_no_cycle_can_use_is_a_fault_without_torque(
    spoil: Callable[[Rig], None], code: int
) -> None:
    rig = Rig(report=True)
    stepped(rig, shifted(rig, 0.05))
    rig.follow(100)
    before = rig.records[-1]
    rig.tau[:] = 5.0
    spoil(rig)
    assert rig.cycle() == code
    assert not rig.tau.any()
    assert (rig.record == before).all()


@pytest.mark.compiled
@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("at", range(7))
def test_a_target_that_is_no_pose_keeps_the_last_one(bad: float, at: int) -> None:
    rig = Rig()
    pose = shifted(rig, 0.05)
    stepped(rig, pose)
    rig.follow(50)
    rig.target = rig.target.copy()
    rig.target[at] = bad
    assert rig.follow(1000) == GO_ON
    assert rig.pose[:3, 3] == pytest.approx(pose[:3, 3], abs=1e-9)


def test_projected_joint_gains_do_not_hold_the_tool() -> None:
    free = options(
        project_joint_gains=True, gains=replace(CARTESIAN.gains, cartesian_stiffness=np.zeros(6))
    )
    rig = Rig(options=free)
    stepped(rig, rig.fk(READY))
    rig.q = READY + 0.01
    rig.cycle()
    j = rig.chain.pose_and_jacobian(rig.q)[1]
    felt = np.linalg.solve(j @ j.T, j @ rig.tau)
    assert np.abs(felt[:3]).max() < 0.05
    assert np.abs(rig.tau).max() > 0.01


def test_all_state_is_in_the_memory() -> None:
    one, other = Rig(), Rig()
    for rig in (one, other):
        stepped(rig, shifted(rig, 0.05, 0.02))
    one.follow(300)
    other.memory[:] = one.memory
    other.q, other.target = one.q.copy(), one.target.copy()
    one.cycle()
    other.cycle()
    assert (one.record == other.record).all()
    assert one.memory[MEMORY_OFFSETS["cycle"]] == 302
