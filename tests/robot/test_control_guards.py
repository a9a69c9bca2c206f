"""Envelopes, wrists and priorities in time: numbers 12.5, 12.7 and 12.8 that take a run to see."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from control_rig import (
    ARMS,
    HAND_LOAD,
    READY,
    PlantRig,
    chain_of,
    moved_limits,
    quaternion,
    target_row,
    turn,
)

from kinegraph.robot.control import (
    CARTESIAN,
    FER,
    ArmTable,
    CartesianOptions,
    DifferentialIk,
    MotionLimits,
    robot_speed,
    scaled_cartesian,
    speed_onsets,
)
from kinegraph.robot.control.generator.runner_kernels import run, take_restart
from kinegraph.robot.control.generator.tracking_kernels import choose_target
from kinegraph.robot.control.memory_layout import M_dq, M_law, M_q, M_tau
from kinegraph.robot.control.torques.envelope_kernels import apply_envelopes
from kinegraph.robot.control.walls.landing_kernels import not_blocked
from kinegraph.robot.control.walls.restart_kernels import restart
from kinegraph.robot.control.walls.wall_kernels import clear_walls
from kinegraph.robot.control.workspace import Workspace

pytestmark = pytest.mark.compiled

TELEOP = CartesianOptions(
    backend=CARTESIAN,
    limits=MotionLimits(1.0, 8.0, 400.0),
    rotation_limits=MotionLimits(4.0, 20.0, 500.0),
    max_deviation=10.0,
    max_angular_deviation=10.0,
)
FILTER = 1e-3 / (1e-3 + 1.0 / (2.0 * np.pi * 100.0))


@dataclass
class OneJoint:
    """A joint behind envelopes, filter and rate limit, a cycle late; the others stand still."""

    table: ArmTable
    joint: int
    inertia: float
    speed: float = 0.0
    distance: float | None = None  # from the upper limit; None: at READY, and it stays there

    def run(self, law: float, push: Callable[[int], float], cycles: int) -> np.ndarray:
        """Position, velocity and torque sent of each cycle."""
        packed, work = TELEOP.packed(self.table), Workspace()
        memory, i = work.memory, self.joint
        q = READY.copy()
        if self.distance is not None:
            q[i] = self.table.upper[i] - self.distance
        work.write("cycle", 1000.0)
        work.write("q", q)
        x, v, sent, out = float(q[i]), self.speed, 0.0, np.empty((cycles, 3))
        for k in range(cycles):
            memory[M_q + i], memory[M_dq + i], memory[M_law + i] = x, v, law
            apply_envelopes(packed, memory)
            acting = sent
            sent += min(max(FILTER * (memory[M_tau + i] - sent), -0.999999), 0.999999)
            v += 1e-3 * (acting + push(k)) / self.inertia
            x += 0.0 if self.distance is None else 1e-3 * v
            out[k] = x, v, sent
        return out


@pytest.mark.parametrize(("arm", "push"), [("fer", 6.0), ("fr3", 6.0), ("fr3", 11.0)])
def test_a_pushed_wrist_settles_below_its_limit_and_does_not_ring(arm: str, push: float) -> None:
    # A-T8
    table = ARMS[arm]
    onset = speed_onsets(table, READY, True)[1][6]
    track = OneJoint(table, 6, 0.04).run(0.0, lambda k: push if k < 1000 else 0.0, 1500)
    assert track[900:1000, 1] == pytest.approx(onset + push / 20.0, abs=1e-6)
    assert onset + push / 20.0 < robot_speed(table, READY)[1][6]
    assert np.abs(track[1100:, 2]).max() < 0.01 * push


DRIVEN = [
    (joint, inertia, speed, torque)
    for joint, inertias in ((0, (0.3, 1.0)), (3, (0.3, 1.0)), (4, (0.03, 0.2)), (5, (0.03, 0.2)))
    for inertia in inertias
    for speed in (0.25, 1.5)
    for torque in (1.6, 11.0, 85.0)
    if joint < 4 or torque < 12.0
]


@pytest.mark.parametrize("arm", ARMS)
def test_a_joint_driven_into_its_margin_stays_off_the_limit_and_comes_to_rest(arm: str) -> None:
    # A-T9
    for joint, inertia, speed, torque in DRIVEN:
        one = OneJoint(ARMS[arm], joint, inertia, speed, distance=0.6)
        track = one.run(torque, lambda _: 0.0, 5000)
        case = (joint, inertia, speed, torque)
        assert ARMS[arm].upper[joint] - track[:, 0].max() >= 0.010, case
        assert np.ptp(track[-300:, 2]) < 0.01 * torque, case


def weighted_and_pinned(joints: tuple[int, ...]) -> tuple[DifferentialIk, np.ndarray]:
    """The weighted task alone, ramped to where two joints stand on their margins."""
    table = moved_limits(FER, {}, {i: READY[i] + 0.05 for i in joints})
    far = replace(table, flat_velocity=np.full(7, 1e3), braking_slope=np.full(7, 1e8))
    chain = chain_of("fer", "hand")
    ik = DifferentialIk(chain, far, READY)
    target = start = chain.pose(READY)
    for k in range(1, 1501):
        part = min(1.0, k / 1000)
        target = start.copy()
        target[:3, 3] += part * np.array([0.02, 0.02, 0.0])
        target[:3, :3] = start[:3, :3] @ turn(0, 0, 0.4 * part)
        ik._work.write("stalled", 0.0)
        ik._work.write("blend_phase", 0.0)
        ik.step(target)
    return ik, target


@pytest.mark.parametrize("joints", [(4, 6), (3, 6)], ids=["joints 5 and 7", "joints 4 and 7"])
def test_the_priority_changes_over_without_a_jump(joints: tuple[int, ...]) -> None:
    # A-P2
    rates = []
    for at_once in (True, False):
        ik, target = weighted_and_pinned(joints)
        largest = 0.0
        for _ in range(600):
            if at_once:
                ik._work.write("blend_phase", 1.0)
                ik._work.write("stalled", 1.0)
            before = ik.q
            largest = max(largest, float(np.abs(ik.step(target).q - before).max()) / 1e-3)
        rates.append(largest)
    assert rates[0] > 1.0
    assert rates[1] < 0.02 * rates[0]


@pytest.mark.parametrize("begin", [40, 250], ids=["gaining speed", "at full speed"])
def test_a_wall_beside_the_way_leaves_a_goal_that_lags_its_speed(begin: int) -> None:
    # A-P12: the goal closes half its lag in each cycle, the wall is there for 20 cycles.
    packed, work = TELEOP.packed(FER), Workspace()
    memory = work.memory
    pose = chain_of("fer", "hand").pose(READY)
    goal, rotation = pose[:3, 3].copy(), pose[:3, :3].ravel()
    target = np.append([goal[0] + 2.0, *goal[1:]], quaternion(pose[:3, :3]))
    clear_walls(memory)
    not_blocked(memory)
    for name, value in (("reference", np.append(goal, rotation)), ("cycle", 1.0), ("cut", 1.0)):
        work.write(name, value)
    speeds = []
    for cycle in range(begin + 60):
        work.write("anchor", work.read("reference"))
        take_restart(memory)
        choose_target(memory, target, False, False)
        run(packed, memory, False)
        desired = work.read("desired")
        for name, where in (("from_pose", goal), ("goal_pose", (goal + desired[:3]) / 2)):
            pose[:3, 3] = where
            work.write(name, pose)
        speeds.append(np.linalg.norm(pose[:3, 3] - goal) / 1e-3)
        goal = pose[:3, 3].copy()
        work.write("held", float(begin <= cycle < begin + 20))
        if begin <= cycle < begin + 20:
            work.write("wall_age", [0.0, -1.0])
            work.write("wall_normal", [0.0, 1.0, 0.0])
            restart(packed, memory)
        else:
            clear_walls(memory)
            work.write("reference", desired)
    assert min(speeds[begin:]) > 0.9 * speeds[begin - 1]
    assert np.abs(np.diff(speeds[begin - 5 :])).max() < 0.02


@dataclass
class NoisyRig(PlantRig):
    """A plant whose joint positions are measured with noise of 1e-5 rad."""

    noise: np.random.Generator = field(default_factory=lambda: np.random.default_rng(2))

    def cycle(self, stop: bool = False, flags: int = 0) -> int:
        true = self.q
        self.q = true + 1e-5 * self.noise.standard_normal(7)
        code = super().cycle(stop, flags)
        self.q = true
        return code


@pytest.mark.parametrize("arm", ARMS)
def test_a_wrist_turned_into_the_alignment_of_joints_five_and_seven_stays_calm(arm: str) -> None:
    # A-S10, and A-S3 with what noise there is in encoders.
    law = replace(CARTESIAN, gains=scaled_cartesian(1200.0))
    begin = READY.copy()
    begin[5] = 2.8
    rig = NoisyRig(arm, "hand", replace(TELEOP, backend=law), q=begin, load=HAND_LOAD.copy())
    rig.run(1)
    pose = rig.fk(begin)
    pose[:3, :3] = pose[:3, :3] @ turn(0, -0.6, 0) @ turn(0, 0, 0.8)
    rig.target = target_row(pose)
    assert rig.run(1500) == 0
    rates = rig.column("dq_goal")
    assert (np.abs(rates) <= 0.7 * ARMS[arm].flat_velocity * (1 + 1e-9)).all()
    if arm == "fer":  # the FR3's wrist is twice as fast
        assert np.count_nonzero(rig.column("cap_scale") < 1.0) >= 5
    for q, dq in zip(rig.measured[::5], rig.speeds[::5], strict=True):
        lower, upper = robot_speed(ARMS[arm], q)
        assert (np.abs(dq) < 0.85 * np.where(dq < 0.0, lower, upper) + 1e-9).all()
    steps = np.abs(np.diff(rig.column("tau"), axis=0)) / 1e-3
    assert np.percentile(steps, 99) <= 400.0
    smooth = [np.convolve(rates[:, i], np.full(21, 1 / 21), "valid") for i in range(7)]
    rough = rates[10:-10] - np.array(smooth).T
    assert np.sqrt((rough**2).mean(axis=0)).max() <= 0.06
